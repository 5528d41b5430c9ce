// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/host.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/os/temporary_folder.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/kernel.hpp"
#include "sanitizer/kernel/entry.hpp"
#include "sanitizer/kernel/source.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

/// Behind the user's file: says what the function takes, a line of bytes and type for each
/// parameter, 0 bytes of what nobody can pass, and calls it with values that are given by their
/// addresses.
constexpr std::string_view teller = R"(
#include <cuda_runtime.h>
#include <cxxabi.h>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
namespace gauntlet_host {
template <class P>
std::string parameter() {
  using T = std::decay_t<P>;
  constexpr bool changed = std::is_lvalue_reference_v<P> &&
                           !std::is_const_v<std::remove_reference_t<P>>;
  constexpr bool passed = std::is_trivially_copyable_v<T> && sizeof(T) <= 8 && !changed;
  char* const name = abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, nullptr);
  const std::string line = std::to_string(passed ? sizeof(T) : 0) + " " + name + "\n";
  std::free(name);
  return line;
}
template <class T>
T value(void* const*& next, cudaStream_t stream) {
  if constexpr (std::is_same_v<T, cudaStream_t>) {
    return stream;
  } else {
    T t;
    std::memcpy(&t, *next++, sizeof t);
    return t;
  }
}
template <class R>
long failed(const R& r) {
  if constexpr (std::is_enum_v<R> || std::is_same_v<R, int>) return static_cast<long>(r);
  return 0;
}
template <class R, class... P>
struct Function {
  static const char* signature() {
    static const std::string text = (std::string() + ... + parameter<P>());
    return text.c_str();
  }
  static long call(R (*function)(P...), void* const* next, cudaStream_t stream) {
    std::tuple<std::decay_t<P>...> values{value<std::decay_t<P>>(next, stream)...};
    if constexpr (std::is_void_v<R>) {
      std::apply(function, values);
      return 0;
    } else {
      return failed(std::apply(function, values));
    }
  }
};
template <class R, class... P>
Function<R, P...> of(R (*)(P...)) {
  return {};
}
}  // namespace gauntlet_host
)";

/// Behind GAUNTLET_FUNCTIONS, which lists the functions as `X(FUNCTION)`.
constexpr std::string_view entries = R"(
namespace gauntlet_host {
struct Entry {
  const char* (*signature)();
  long (*call)(void* const*, cudaStream_t);
};
#define GAUNTLET_ENTRY(FUNCTION)                                                    \
  {&decltype(of(&FUNCTION))::signature, [](void* const* values, cudaStream_t stream) { \
     return decltype(of(&FUNCTION))::call(&FUNCTION, values, stream);                \
   }},
const Entry all[] = {GAUNTLET_FUNCTIONS(GAUNTLET_ENTRY)};
}  // namespace gauntlet_host
extern "C" const char* gauntlet_host_signature(unsigned which) {
  return which < std::size(gauntlet_host::all) ? gauntlet_host::all[which].signature() : nullptr;
}
extern "C" const char* gauntlet_host_call(unsigned which, void* const* values, cudaStream_t stream,
                                          long* returned) {
  static std::string thrown;
  try {
    *returned = gauntlet_host::all[which].call(values, stream);
    return nullptr;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "of a type of its own";
  }
  return thrown.c_str();
}
extern "C" int gauntlet_host_error() { return cudaGetLastError(); }
)";

/// What findings are to call an element of the arrays behind the first `callers`: of those nobody
/// knows the type but the kernels.
void name_elements(const Launch& launch, std::size_t callers, Plan& plan) {
  sanitize::KernelEntry entry;
  entry.symbol = launch.entry;
  entry.parameters.resize(launch.args.size());
  sanitize::demangle(entry);
  for (std::size_t k = 0; k < launch.args.size(); ++k) {
    const sanitize::Numbers numbers = sanitize::numbers_of(entry.parameters[k].type);
    if (launch.args[k].kind != Arg::Kind::array || launch.args[k].array <= callers) continue;
    if (numbers.untyped || !numbers.element) continue;
    Buffer& buffer = plan.buffers.at(launch.args[k].array - 1);
    buffer.element_bytes = static_cast<std::uint32_t>(size_of(*numbers.element));
    buffer.floats = *numbers.element == Type::f32;
  }
}

constexpr std::string_view stream_type = "CUstream_st*";

/// As if it were a kernel, with its streams.
sanitize::KernelEntry entry_of(const std::string& name, const std::string& signature) {
  sanitize::KernelEntry entry;
  entry.name = entry.symbol = name;
  std::istringstream lines(signature);
  sanitize::KernelParameter parameter;
  while (lines >> parameter.bytes && std::getline(lines >> std::ws, parameter.type)) {
    entry.signature += (entry.signature.empty() ? "" : ", ") + parameter.type;
    entry.parameters.push_back(parameter);
  }
  entry.signature = fmt::format("{}({})", name, entry.signature);
  return entry;
}

}  // namespace

std::string host_source(const Spec& spec, const std::string& file) {
  std::string functions = fmt::format("X({})", spec.entry);
  std::string text = fmt::format("#include \"{}\"\n", fs::absolute(file).string());
  if (spec.has_copies()) {
    text = wrapper_of(spec, file);
    functions.clear();
    for (const Copy& copy : copies_of(spec)) {
      functions +=
          fmt::format("X({}::{}) ", space_of(spec, copy), entry_in(spec, copy, spec.entry));
    }
  }
  return fmt::format("#include <tuple>\n{}{}#define GAUNTLET_FUNCTIONS(X) {}\n{}", text, teller,
                     functions, entries);
}

std::shared_ptr<runtime::HostFunction> compile_host(const Spec& spec, const std::string& library,
                                                    const std::atomic<bool>& interrupted) {
  const Where& where = spec.kernel_where;
  const std::string file = spec.beside(spec.kernel);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    where.fail(fmt::format("{}: no such file; its path is relative to the spec", file));
  }
  const os::TemporaryFolder folder;
  const fs::path source = folder.path() / "host_function.cu";
  std::string said;
  bool made = false;
  try {
    std::ofstream(source) << host_source(spec, file);
    made = sanitize::compile_library(source.string(), library, flags_of(spec), interrupted, said);
  } catch (const UsageError& failed) {
    where.fail(failed.what());
  }
  if (made) {
    to_standard_error(said);
  } else {
    const auto bare = spec.entry.substr(0, spec.entry.find('<'));
    const auto last = bare.substr(bare.rfind(':') + 1);
    const bool unknown = said.find("\"" + bare + "\" is undefined") != said.npos ||
                         said.find("has no member \"" + last + "\"") != said.npos;
    if (!unknown) to_standard_error(said);
    where.fail(unknown ? fmt::format("{} has no function {} of the host", file, spec.entry)
                       : fmt::format("nvcc could not compile {}, with {} taken as a function", file,
                                     spec.entry));
  }
  try {
    return std::make_shared<runtime::HostFunction>(library, spec.entry, interrupted);
  } catch (const UsageError& failed) {
    where.fail(failed.what());
  }
}

Host::Host(const Spec& spec, std::shared_ptr<runtime::HostFunction> function, std::uint32_t which,
           std::string recorded_for)
    : where_(spec.kernel_where),
      name_(spec.entry),
      recorded_for_(std::move(recorded_for)),
      function_(std::move(function)) {
  called_ = {which, check(spec, function_->signatures().at(which))};
  if (spec.tiled) called_.device.emplace();
  called_.alternate = spec.tiled && recorded_for_ == tiles_need_launches;
  if (recorded_for_.empty()) return;
  record_ = [this](const Case& c, Plan plan) {
    return function_->record(c, std::move(plan), called_);
  };
}

Host::Host(const Spec& spec, const std::string& signature, Record record)
    : where_(spec.kernel_where), name_(spec.entry), record_(std::move(record)) {
  (void)check(spec, signature);
}

bool Host::check(const Spec& spec, const std::string& signature) const {
  sanitize::KernelEntry entry = entry_of(name_, signature);
  const auto streams = std::erase_if(
      entry.parameters, [](const auto& parameter) { return parameter.type == stream_type; });
  if (streams > 1) where_.fail(fmt::format("{} takes more than one stream", entry.signature));
  for (const sanitize::KernelParameter& parameter : entry.parameters) {
    if (parameter.bytes != 0) continue;
    where_.fail(fmt::format("{}: {} is no array and no number of up to 8 bytes", entry.signature,
                            parameter.type));
  }
  check_signature(spec, spec.launches.front(), entry);
  check_outputs(spec, {&entry});
  return streams != 0;
}

void Host::take_error(const Case& c, const std::string& problem, const std::string& error) const {
  if (!problem.empty()) where_.fail(problem);
  if (error.empty()) return;
  where_.fail(fmt::format("{} {}, with {}; exclude what it does not take by require", name_, error,
                          shape_line(c)));
}

Observation Host::run(const Case& c, const Plan& plan) const {
  runtime::HostReply ran = function_->run(c, plan, called_);
  take_error(c, ran.problem, ran.observation.first_error() != nullptr ? "" : ran.error);
  for (Finding& finding : ran.observation.findings) {
    finding.kernel = without_spaces(std::move(finding.kernel));
    finding.detail = without_spaces(std::move(finding.detail));
  }
  return std::move(ran.observation);
}

Plan Host::complete(const Case& c, Plan plan) const {
  if (!record_) {
    plan.host = {[this](const Case& of, const Plan& with) { return run(of, with); },
                 [this](const Case& of, const std::string& error) {
                   take_error(of, error.starts_with("cannot") ? name_ + " " + error : "", error);
                 },
                 called_.which, called_.stream};
    return plan;
  }
  const std::size_t callers = plan.buffers.size();
  Recorded recorded = record_(c, std::move(plan));
  if (!recorded.unfit.empty()) {
    where_.fail(fmt::format("{} {}; {} takes functions that do nothing but launch kernels", name_,
                            recorded.unfit, recorded_for_));
  }
  take_error(c, recorded.problem, recorded.error);
  for (const Launch& launch : recorded.plan.launches) {
    name_elements(launch, callers, recorded.plan);
  }
  return std::move(recorded.plan);
}

}  // namespace gauntlet::spec
