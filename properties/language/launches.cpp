// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "properties/language/copies.hpp"

namespace gauntlet::spec {
namespace {

/// Empty, or why CUDA would not launch it.
std::string extents(Evaluator& evaluator, const std::vector<Bound>& bounds, std::string_view what,
                    Dim3& extent) {
  std::uint32_t* const parts[] = {&extent.x, &extent.y, &extent.z};
  const std::uint64_t most[] = {0x7FFF'FFFF, 65535, 65535};
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const std::int64_t value = evaluator.integer(bounds[k]);
    if (value < 1 || static_cast<std::uint64_t>(value) > most[k]) {
      return fmt::format("{} is {}; CUDA launches from 1 to {}", what, value, most[k]);
    }
    *parts[k] = static_cast<std::uint32_t>(value);
  }
  return {};
}

bool constant_of_form(const Loaded& loaded) {
  return std::ranges::any_of(constants_of(loaded.program.spec, loaded.form, loaded.instance),
                             [](const Constant& constant) { return constant.documented; });
}

/// The values of the constants of the kernel that is launched.
std::vector<std::uint64_t> constants_in(const Loaded& loaded, Evaluator& evaluator) {
  std::vector<std::uint64_t> constants;
  for (const Constant& constant : constants_of(loaded.program.spec, loaded.form, loaded.instance)) {
    const auto& sizes = loaded.program.spec.sizes;
    const auto size = std::ranges::find(sizes, constant.size, &Size::name) - sizes.begin();
    constants.push_back(static_cast<std::uint64_t>(evaluator.slot(static_cast<int>(size))));
  }
  return constants;
}

Arg argument(const Loaded& loaded, Evaluator& evaluator, const Parameter& parameter) {
  const Spec& spec = loaded.program.spec;
  if (parameter.array && spec.arrays[parameter.index].symbol) {
    return Arg::of_symbol(symbol_in(loaded, evaluator, parameter.index));
  }
  if (parameter.array) return Arg::of_array(buffer_of(spec, parameter.index));
  const Type type = spec.scalars[parameter.index].type;
  Arg arg = Arg::of_value(evaluator.bits(loaded.program.scalars[parameter.index], type));
  arg.bytes.resize(size_of(type));
  return arg;
}

std::string make_launch(const Loaded& loaded, Evaluator& evaluator, std::size_t index,
                        Launch& launch) {
  const BoundLaunch& bound = loaded.program.launches[index];
  const LaunchStatement& statement = loaded.program.spec.launches[index];
  launch.module = loaded.ptx_file;
  const std::vector<std::uint64_t> constants = constants_in(loaded, evaluator);
  const auto compiled = loaded.entries.find(constants);
  if (compiled == loaded.entries.end()) {
    return "a constant of the kernel has a value that it is not compiled for";
  }
  launch.entry = compiled->second[index];
  launch.cooperative = statement.cooperative;
  launch.programmatic = statement.programmatic;
  if (auto why = extents(evaluator, bound.grid, "grid", launch.grid); !why.empty()) return why;
  if (auto why = extents(evaluator, bound.block, "block", launch.block); !why.empty()) return why;
  if (launch.block.count() > 1024) {
    return fmt::format("a block of {} threads; CUDA launches at most 1024", launch.block.count());
  }
  // A block size that is a constant of the documented form alone stands for a static array.
  if (bound.shared.present() && !constant_of_form(loaded)) {
    const std::uint64_t bytes = evaluator.count(bound.shared);
    if (bytes > 227 * 1024) return fmt::format("{} bytes of shared memory; at most 232448", bytes);
    launch.shared_bytes = static_cast<std::uint32_t>(bytes);
  }
  for (const Parameter& parameter : statement.parameters) {
    launch.args.push_back(argument(loaded, evaluator, parameter));
  }
  return {};
}

}  // namespace

std::string symbol_in(const Loaded& loaded, Evaluator& evaluator, std::size_t array) {
  const Spec& spec = loaded.program.spec;
  gauntlet::Form form;
  form.name = loaded.form;
  return symbol_of(spec, {form, loaded.instance, constants_in(loaded, evaluator)},
                   spec.arrays[array].name);
}

std::uint32_t buffer_of(const Spec& spec, std::size_t array) {
  const auto index = static_cast<std::uint32_t>(array);
  return spec.tiled ? index : Plan::buffer(index);
}

std::string make_launches(const Loaded& loaded, Evaluator& evaluator, std::vector<Launch>& launches,
                          std::uint32_t& rehearsals) {
  for (std::size_t k = 0; k < loaded.program.requirements.size(); ++k) {
    if (evaluator.integer(loaded.program.requirements[k]) != 0) continue;
    return fmt::format("`{}`", loaded.program.spec.requirements[k].where.statement);
  }
  for (std::size_t k = 0; k < loaded.program.launches.size(); ++k) {
    const Bound& only = loaded.program.launches[k].only;
    if (only.present() && evaluator.integer(only) == 0) continue;
    if (auto why = make_launch(loaded, evaluator, k, launches.emplace_back()); !why.empty()) {
      return why;
    }
    if (loaded.program.spec.launches[k].rehearsal) ++rehearsals;
  }
  return {};
}

}  // namespace gauntlet::spec
