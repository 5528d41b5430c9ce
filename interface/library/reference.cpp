// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>

#include "base/scalar.hpp"
#include "base/usage_error.hpp"
#include "compiled.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/oracle/verdict.hpp"

namespace gauntlet::detail {
namespace {

/// The declarations that the callable takes.
std::vector<spec::Parameter> taken(const spec::Spec& spec) {
  std::vector<spec::Parameter> parameters = spec.parameters;
  std::erase_if(parameters, [&](const spec::Parameter& p) {
    return p.array ? spec.arrays[p.index].role == spec::Role::scratch
                   : !spec.scalars[p.index].members.empty();
  });
  return parameters;
}

Taken taken_as(const spec::Spec& spec, const spec::Parameter& parameter) {
  if (!parameter.array) return {Passed::scalar, name(spec.scalars[parameter.index].type)};
  const spec::Array& array = spec.arrays[parameter.index];
  return {array.role == spec::Role::in ? Passed::input : Passed::output, name(array.type)};
}

std::string_view cpp_name(std::string_view type) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"f16", "gauntlet::half"}, {"bf16", "gauntlet::bfloat16"}, {"f32", "float"},
      {"f64", "double"},         {"i8", "std::int8_t"},          {"i16", "std::int16_t"},
      {"i32", "std::int32_t"},   {"i64", "std::int64_t"},        {"u8", "std::uint8_t"},
      {"u16", "std::uint16_t"},  {"u32", "std::uint32_t"},       {"u64", "std::uint64_t"}};
  return std::ranges::find(names, type, [](const auto& pair) { return pair.first; })->second;
}

std::string as_cpp(const Taken& parameter) {
  switch (parameter.passed) {
    case Passed::input:
      return fmt::format("std::span<const {}>", cpp_name(parameter.type));
    case Passed::output:
      return fmt::format("std::span<{}>", cpp_name(parameter.type));
    case Passed::scalar:
      return std::string(cpp_name(parameter.type));
    case Passed::sizes:
      break;
  }
  return "const gauntlet::Sizes&";
}

/// Cell by cell, within the tolerance.
void compare(const spec::Array& array, const ObservedBuffer& got,
             const std::vector<std::byte>& expected, const Tolerance& tolerance, Verdict& verdict) {
  gauntlet::Judged judged(got, array.type);
  for (std::size_t i = 0; i < got.defined.size(); ++i) {
    Value value =
        as_value(array.type, load_bits(array.type, expected.data() + i * size_of(array.type)));
    value.real.error = tolerance.absolute + tolerance.relative * std::fabs(value.real.value);
    judged.judge(i, value);
  }
  judged.tell(verdict, ", as the reference gives it");
}

Sizes sizes_of(const Case& c, const Plan& plan) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  for (const NamedSize& size : c.sizes) all.emplace_back(size.name, size.value);
  const auto& launch = plan.launches.at(0);
  all.emplace_back("block", launch.block.count());
  all.emplace_back("grid", launch.grid.count());
  return Sizes(std::move(all));
}

}  // namespace

void check_parameters(const Reference& reference, const spec::Spec& spec) {
  std::vector<std::string> got, wanted;
  for (const Taken& parameter : reference.parameters) {
    if (parameter.passed != Passed::sizes) got.push_back(as_cpp(parameter));
  }
  for (const spec::Parameter& p : taken(spec)) wanted.push_back(as_cpp(taken_as(spec, p)));
  if (got == wanted) return;
  throw UsageError(fmt::format("{}: the reference takes ({}); the declarations are ({})", spec.path,
                               fmt::join(got, ", "), fmt::join(wanted, ", ")));
}

void judge_by(const Reference& reference, const Tolerance& tolerance, const spec::Loaded& loaded,
              const Case& c, const Plan& plan, const Observation& observation, Verdict& verdict) {
  if (!observation.completed) return;
  const spec::Spec& spec = loaded.program.spec;
  std::vector<std::uint64_t> values;
  for (const NamedSize& size : c.sizes) values.push_back(size.value);
  spec::Evaluator evaluator(loaded.program, values);

  struct Written {
    const spec::Array& array;
    std::vector<std::byte> bytes;
  };
  std::list<Written> written;
  std::list<std::vector<std::byte>> scalars;
  std::vector<Memory> declared;
  for (const spec::Parameter& p : taken(spec)) {
    if (!p.array) {
      const Type type = spec.scalars[p.index].type;
      std::vector<std::byte>& bytes = scalars.emplace_back(sizeof(std::uint64_t));
      store_bits(type, bytes.data(), evaluator.bits(spec.scalars[p.index].value, type));
      declared.push_back({bytes.data(), 1});
      continue;
    }
    const spec::Array& array = spec.arrays[p.index];
    std::vector<std::byte> bytes = plan.buffers[p.index].content;
    const std::uint64_t count = evaluator.elements(p.index);
    bytes.resize(count * size_of(array.type));
    Written& kept = written.emplace_back(array, std::move(bytes));
    declared.push_back({kept.bytes.data(), count});
  }
  Sizes sizes = sizes_of(c, plan);
  std::vector<Memory> memory;
  auto next = declared.begin();
  for (const Taken& parameter : reference.parameters) {
    memory.push_back(parameter.passed == Passed::sizes ? Memory{&sizes, 1} : *next++);
  }
  reference.call(memory);
  for (const Written& w : written) {
    const auto got = std::ranges::find(observation.buffers, w.array.name, &ObservedBuffer::name);
    if (w.array.role == spec::Role::in || got == observation.buffers.end()) continue;
    compare(w.array, *got, w.bytes, tolerance, verdict);
  }
}

}  // namespace gauntlet::detail
