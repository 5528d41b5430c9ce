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
#include <vector>

#include "base/os/temporary_folder.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "properties/language/kernel.hpp"
#include "sanitizer/kernel/source.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

/// Behind the user's file: says what the function takes, a line for each parameter, and calls it
/// with values that are given by their addresses.
constexpr std::string_view teller = R"(
#include <cstring>
#include <cuda_runtime.h>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
namespace gauntlet_host {
template <class T>
std::string number() {
  return (std::is_floating_point<T>::value    ? "float "
          : std::is_integral<T>::value        ? "int "
                                              : "any ") +
         std::to_string(sizeof(T));
}
template <class P>
std::string parameter() {
  using T = std::decay_t<P>;
  if constexpr (std::is_same_v<T, cudaStream_t>) {
    return "stream\n";
  } else if constexpr (std::is_pointer_v<T>) {
    using E = std::remove_pointer_t<T>;
    const std::string access = std::is_const_v<E> ? "const " : "plain ";
    if constexpr (std::is_void_v<E>) {
      return "array " + access + "any 0\n";
    } else if constexpr (std::is_pointer_v<E> || std::is_function_v<E>) {
      return "other\n";
    } else {
      return "array " + access + number<std::remove_cv_t<E>>() + "\n";
    }
  } else if constexpr (std::is_trivially_copyable_v<T> && sizeof(T) <= 8 &&
                       (!std::is_lvalue_reference_v<P> ||
                        std::is_const_v<std::remove_reference_t<P>>)) {
    return "number " + number<T>() + "\n";
  } else {
    return "other\n";
  }
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

constexpr std::string_view entries = R"(
extern "C" const char* gauntlet_host_signature() {
  return decltype(gauntlet_host::of(&GAUNTLET_FUNCTION))::signature();
}
extern "C" const char* gauntlet_host_call(void* const* values, cudaStream_t stream, long* returned) {
  static std::string thrown;
  try {
    *returned = decltype(gauntlet_host::of(&GAUNTLET_FUNCTION))::call(&GAUNTLET_FUNCTION, values, stream);
    return nullptr;
  } catch (const std::exception& error) {
    thrown = error.what();
  } catch (...) {
    thrown = "of a type of its own";
  }
  return thrown.c_str();
}
)";

/// What a line of the signature says.
struct Taken {
  std::string kind;    ///< array, number, stream, other
  std::string access;  ///< of an array: const, plain
  std::string number;  ///< float, int, any
  std::size_t bytes = 0;
  [[nodiscard]] std::string text() const {
    const std::string what = bytes == 0 ? "anything" : fmt::format("{}{}", number, 8 * bytes);
    if (kind == "array")
      return fmt::format("{}array of {}", access == "const" ? "const " : "", what);
    return kind == "number" ? what : kind == "stream" ? "a stream" : "something else";
  }
  [[nodiscard]] bool fits(Type type) const {
    if (bytes == 0) return true;
    if (number != "any" && (number == "float") != is_float(type)) return false;
    return bytes == size_of(type);
  }
};

std::vector<Taken> taken(const std::string& signature) {
  std::vector<Taken> all;
  std::istringstream lines(signature);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Taken one;
    words >> one.kind;
    if (one.kind == "array") words >> one.access;
    words >> one.number >> one.bytes;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

Host::Host(const Spec& spec, const std::string& library, const std::atomic<bool>& interrupted)
    : where_(spec.kernel_where), name_(spec.entry) {
  const std::string file = spec.beside(spec.kernel);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    where_.fail(fmt::format("{}: no such file; its path is relative to the spec", file));
  }
  const os::TemporaryFolder folder;
  const fs::path source = folder.path() / "host_function.cu";
  std::ofstream(source) << "#include <tuple>\n#include \"" << fs::absolute(file).string() << "\"\n"
                        << teller << "#define GAUNTLET_FUNCTION " << name_ << "\n"
                        << entries;
  std::string said;
  bool made = false;
  try {
    made = sanitize::compile_library(source.string(), library, flags_of(spec), interrupted, said);
  } catch (const UsageError& failed) {
    where_.fail(failed.what());
  }
  if (made) {
    to_standard_error(said);
  } else {
    const auto bare = name_.substr(0, name_.find('<'));
    const auto last = bare.substr(bare.rfind(':') + 1);
    const bool unknown = said.find("\"" + bare + "\" is undefined") != said.npos ||
                         said.find("has no member \"" + last + "\"") != said.npos;
    if (!unknown) to_standard_error(said);
    where_.fail(unknown ? fmt::format("{} has no function {} of the host", file, name_)
                        : fmt::format("nvcc could not compile {}, with {} taken as a function",
                                      file, name_));
  }
  try {
    function_ = std::make_unique<runtime::HostFunction>(library, name_, interrupted);
  } catch (const UsageError& failed) {
    where_.fail(failed.what());
  }
  std::vector<Taken> parameters = taken(function_->signature());
  std::string texts;
  for (const Taken& one : parameters) texts += (texts.empty() ? "" : ", ") + one.text();
  const auto streams = std::ranges::count(parameters, "stream", &Taken::kind);
  stream_ = streams != 0;
  std::erase_if(parameters, [](const Taken& one) { return one.kind == "stream"; });
  const auto fail = [&](const std::string& what) {
    where_.fail(fmt::format("{}; {} takes {}", what, name_, texts.empty() ? "nothing" : texts));
  };
  if (streams > 1) fail("it takes more than one stream");
  for (std::size_t k = 0; k < std::max(parameters.size(), spec.parameters.size()); ++k) {
    if (k >= spec.parameters.size()) {
      fail(fmt::format("parameter {} has no array or arg; declare it", k + 1));
    }
    const Parameter& declared = spec.parameters[k];
    const std::string& name =
        declared.array ? spec.arrays[declared.index].name : spec.scalars[declared.index].name;
    if (k >= parameters.size()) fail(fmt::format("{} is declared and no parameter", name));
    const Taken& one = parameters[k];
    const Type type =
        declared.array ? spec.arrays[declared.index].type : spec.scalars[declared.index].type;
    if (one.kind == "other") {
      fail(fmt::format("parameter {} is no array and no number of up to 8 bytes", k + 1));
    }
    if ((one.kind == "array") != declared.array || !one.fits(type)) {
      fail(fmt::format("{}:{} does not fit parameter {}, {}", name, gauntlet::name(type), k + 1,
                       one.text()));
    }
    if (declared.array && one.access == "const" && spec.arrays[declared.index].role == Role::out) {
      fail(fmt::format("{} is an output, and parameter {} is const", name, k + 1));
    }
  }
}

Observation Host::run(const Case& c, const Plan& plan) {
  runtime::HostFunction::Ran ran = function_->run(c, plan, stream_);
  if (!ran.problem.empty()) where_.fail(ran.problem);
  const bool found = std::ranges::any_of(
      ran.observation.findings, [](const Finding& f) { return f.severity != Severity::note; });
  if (!ran.error.empty() && !found) {
    where_.fail(fmt::format("{} {}, with {}; exclude what it does not take by require", name_,
                            ran.error, shape_line(c)));
  }
  return std::move(ran.observation);
}

}  // namespace gauntlet::spec
