// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/scalar.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {
namespace {

/// The same in every case.
bool is_constant(const Program& program, const Expression& bound) {
  return !any_part(bound, [&](const Expression& part) {
    if (part.kind != Expression::Kind::size) return false;
    const auto slot = static_cast<std::size_t>(part.slot);
    if (slot < program.spec.sizes.size()) return !program.spec.sizes[slot].has_one_value();
    const auto made = std::ranges::find(program.definitions, part.slot, &Definition::slot);
    return made == program.definitions.end() || !is_constant(program, made->value);
  });
}

/// Of a launch that CUDA refuses: why. Fails where it refuses that of every case.
std::string refused(const Loaded& loaded, const Where& where, const std::vector<Expression>& bounds,
                    const std::string& why, std::string_view write) {
  const auto same = [&](const Expression& bound) { return is_constant(loaded.program, bound); };
  if (std::ranges::all_of(bounds, same)) where.fail(fmt::format("{}; {}", why, write));
  return why;
}

/// Empty, or why CUDA would not launch it.
std::string grid_of(Evaluator& evaluator, const std::vector<Expression>& bounds, Dim3& grid) {
  std::uint32_t* const parts[] = {&grid.x, &grid.y, &grid.z};
  const std::int64_t most[] = {0x7FFF'FFFF, 65535, 65535};
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const std::int64_t value = evaluator.integer(bounds[k]);
    if (value < 1 || value > most[k]) {
      return fmt::format("grid is {}; CUDA launches from 1 to {}", value, most[k]);
    }
    *parts[k] = static_cast<std::uint32_t>(value);
  }
  return {};
}
std::string block_of(Evaluator& evaluator, const std::vector<Expression>& bounds, Dim3& block) {
  constexpr std::int64_t most = 1024;
  std::uint32_t* const parts[] = {&block.x, &block.y, &block.z};
  std::vector<std::int64_t> extents;
  bool fits = true;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    extents.push_back(evaluator.integer(bounds[k]));
    fits = fits && extents[k] >= 1 && extents[k] <= most;
    *parts[k] = static_cast<std::uint32_t>(extents[k]);
  }
  if (fits && block.count() <= most) return {};
  return fmt::format("a block has 1 to {} threads, not {}", most, fmt::join(extents, "x"));
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

/// Of several members, or an address.
Arg structure(const Loaded& loaded, Evaluator& evaluator, std::size_t index) {
  const Scalar& scalar = loaded.program.spec.scalars[index];
  const std::vector<std::size_t> offsets = layout_of(scalar.members);
  Arg arg;
  arg.bytes.resize(offsets.back());
  for (std::size_t k = 0; k < scalar.members.size(); ++k) {
    const Member& m = scalar.members[k];
    if (m.pointer()) {
      arg.pointers.push_back(pointer_to(loaded, evaluator, m, scalar.where));
      arg.pointers.back().at = offsets[k];
    } else {
      store_bits(m.type, arg.bytes.data() + offsets[k], evaluator.bits(m.value, m.type));
    }
  }
  if (scalar.members.size() != 1 || arg.pointers.empty()) return arg;
  const Pointer& to = arg.pointers.front();
  if (!to.symbol.empty()) return {Arg::Kind::symbol, 0, to.symbol, to.byte_offset, {}};
  return Arg::of_array(to.array, to.byte_offset);
}

Arg argument(const Loaded& loaded, Evaluator& evaluator, const Parameter& parameter) {
  const Spec& spec = loaded.program.spec;
  if (parameter.array && spec.arrays[parameter.index].symbol) {
    return Arg::of_symbol(symbol_in(loaded, evaluator, parameter.index));
  }
  if (parameter.array)
    return Arg::of_array(Plan::buffer(static_cast<std::uint32_t>(parameter.index)));
  const Scalar& scalar = spec.scalars[parameter.index];
  if (!scalar.members.empty()) return structure(loaded, evaluator, parameter.index);
  Arg arg = Arg::of_value(evaluator.bits(scalar.value, scalar.type));
  arg.bytes.resize(size_of(scalar.type));
  return arg;
}

std::string make_launch(const Loaded& loaded, Evaluator& evaluator, std::size_t index,
                        Launch& launch) {
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
  if (auto why = grid_of(evaluator, statement.grid, launch.grid); !why.empty()) {
    return refused(loaded, statement.where, statement.grid, why,
                   "write grid=max(1, ceil(n / block))");
  }
  if (auto why = block_of(evaluator, statement.block, launch.block); !why.empty()) {
    return refused(loaded, statement.where, statement.block, why,
                   "write block=256 or block=32..1024");
  }
  // A block size that is a constant of the documented form alone stands for a static array.
  if (statement.shared.present() && !constant_of_form(loaded)) {
    const std::uint64_t bytes = evaluator.count(statement.shared);
    if (bytes > 227 * 1024) {
      const auto why = fmt::format("{} bytes of shared memory; at most 232448", bytes);
      return refused(loaded, statement.where, {statement.shared}, why,
                     "write a smaller shared=BYTES");
    }
    launch.shared_bytes = static_cast<std::uint32_t>(bytes);
  }
  for (const Parameter& parameter : statement.parameters) {
    launch.args.push_back(argument(loaded, evaluator, parameter));
  }
  return {};
}

}  // namespace

Pointer pointer_to(const Loaded& loaded, Evaluator& evaluator, const Member& member,
                   const Where& where) {
  const Spec& spec = loaded.program.spec;
  const Array& array = *spec.array(member.array);
  const auto index = static_cast<std::size_t>(&array - spec.arrays.data());
  const std::uint64_t at = evaluator.count(member.value), count = evaluator.elements(index);
  if (at > count + evaluator.pad(index)) {
    where.fail(
        fmt::format("@{}+{} lies behind the {} elements of {}", array.name, at, count, array.name));
  }
  Pointer pointer{.byte_offset = at * size_of(array.type)};
  if (array.symbol) {
    pointer.symbol = symbol_in(loaded, evaluator, index);
  } else {
    pointer.array = Plan::buffer(static_cast<std::uint32_t>(index));
  }
  return pointer;
}

std::string symbol_in(const Loaded& loaded, Evaluator& evaluator, std::size_t array) {
  const Spec& spec = loaded.program.spec;
  if (!spec.arrays[array].mangled.empty()) return spec.arrays[array].mangled;
  gauntlet::Form form;
  form.name = loaded.form;
  return symbol_of(spec, {form, loaded.instance, constants_in(loaded, evaluator)},
                   spec.arrays[array].name);
}

std::string make_launches(const Loaded& loaded, Evaluator& evaluator, std::vector<Launch>& launches,
                          std::uint32_t& rehearsals) {
  const Spec& spec = loaded.program.spec;
  for (const Definition& requirement : spec.requirements) {
    if (evaluator.integer(requirement.value) != 0) continue;
    return fmt::format("`{}`", requirement.where.statement);
  }
  for (std::size_t k = 0; k < spec.launches.size(); ++k) {
    const Expression& only = spec.launches[k].only;
    if (only.present() && evaluator.integer(only) == 0) continue;
    if (auto why = make_launch(loaded, evaluator, k, launches.emplace_back()); !why.empty()) {
      return why;
    }
    if (spec.launches[k].rehearsal) ++rehearsals;
  }
  return {};
}

}  // namespace gauntlet::spec
