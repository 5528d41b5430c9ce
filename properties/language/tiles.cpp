// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/case_error.hpp"
#include "base/numbers.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {
namespace {

constexpr std::uint64_t max_grid = 0x7fffffff;  // CUDA's limit of gridDim.x
// Blocks that step through the input: a window keeps the partials of at most so many; without a
// grid there are so many, enough to have partials, or with few tiles for each.
constexpr std::uint64_t window_partials = 1 << 20;
constexpr std::uint64_t stride_block_count = 8;
constexpr std::uint64_t window_stride_blocks = 1 << 17;

/// The result has a cell for each block.
bool of_blocks(const Result& result) { return !result.variables.front().empty(); }

/// It asks where the input begins.
bool by_offset(const Program& program, const Expression& b) {
  return any_part(b, [&](const Expression& part) {
    return part.kind == Expression::Kind::size && part.slot == program.offset_slot;
  });
}

/// Where blocks take tiles the first array is the input, which is no buffer.
void take_out_input(Plan& plan) {
  plan.buffers.erase(plan.buffers.begin());
  for (Launch& launch : plan.launches) {
    for (Arg& arg : launch.args) {
      if (arg.kind == Arg::Kind::array) --arg.array;
    }
  }
}

/// What a function of the host allocates is named as the spec declares it, in that order; it need
/// not declare all, and not all that it declares are allocated by every form.
void name_allocated(const Spec& spec, Plan& plan) {
  auto buffer = plan.buffers.begin() + std::ranges::count_if(spec.arrays, [](const Array& a) {
                  return !a.allocated && !a.symbol;
                });
  for (const Array& array : spec.arrays) {
    if (!array.allocated || buffer == plan.buffers.end()) continue;
    buffer->name = array.name;
    buffer->element_bytes = static_cast<std::uint32_t>(size_of(array.type));
    buffer->floats = false;
    ++buffer;
  }
}

}  // namespace

Tiles::Tiles(const Loaded& loaded, Evaluator& evaluator, const Case& c)
    : loaded_(loaded),
      program_(loaded.program),
      spec_(program_.spec),
      c_(c),
      steps_(steps(spec_)),
      evaluator_(evaluator) {
  fit_block();
  place(std::max(c.grid, 1U));
  tile_ = count("tile").value();
  if (tile_ == 0) {
    spec_.tile_where.fail(fmt::format("a tile of no elements, with {}", shape_line(c)));
  }
}

/// A block of several extents, "block=32,rows": what makes it so many threads as the case has.
void Tiles::fit_block() {
  const auto& extents = spec_.launches.front().block;
  const auto threads = [&] {
    std::uint64_t product = 1;
    for (const Expression& extent : extents) product *= evaluator_.count(extent);
    return product;
  };
  for (std::size_t k = 0; k < spec_.sizes.size(); ++k) {
    const Size& size = spec_.sizes[k];
    if (size.name == "n" || size.name == "block" || size.name == "blocks") continue;
    std::int64_t& value = evaluator_.slot(static_cast<int>(k));
    for (std::uint64_t v = size.least; v <= size.most; ++v) {
      value = static_cast<std::int64_t>(v);
      if (size.allows(v) && threads() == c_.block) return;
    }
    unfit_ = fmt::format("block={}: no {} of {} makes a block of so many threads", c_.block,
                         size.name, size.domain());
    value = static_cast<std::int64_t>(size.least);
  }
}

/// Evaluates what follows from the sizes for this grid, which may be longer than n needs.
void Tiles::place(std::uint32_t grid) {
  grid_ = grid;
  for (std::size_t k = 0; k < spec_.sizes.size(); ++k) {
    if (spec_.sizes[k].name == "blocks") evaluator_.slot(static_cast<int>(k)) = grid;
  }
  for (const Definition& d : program_.definitions) {
    evaluator_.slot(d.slot) = d.slot == program_.grid_slot ? grid : evaluator_.integer(d.value);
  }
}

/// Of a `let`.
std::optional<std::uint64_t> Tiles::count(std::string_view name) {
  for (const Definition& d : program_.definitions) {
    if (d.name == name) return static_cast<std::uint64_t>(evaluator_.slot(d.slot));
  }
  return std::nullopt;
}

std::string Tiles::refusal() {
  if (!unfit_.empty()) return unfit_;
  if (c_.offset % size_of(c_.in) != 0) {
    return fmt::format("offset={}: no {} lies there; take a multiple of {}", c_.offset, name(c_.in),
                       size_of(c_.in));
  }
  if (spec_.host) {
    return window() ? "blocks=FIRST+COUNT: a function of the host launches all blocks"
                    : std::string{};
  }
  const std::uint64_t needed = std::max<std::uint64_t>(1, ceil_div(c_.n, tile_));
  const auto allowed = count("most");
  const std::uint64_t most = window() ? allowed.value_or(window_stride_blocks) : stride_block_count;
  const std::uint64_t grid = c_.grid != 0 ? c_.grid : steps_ ? std::min(needed, most) : needed;
  if (grid > max_grid) {
    return fmt::format("n={} needs {} blocks of {} threads; CUDA launches at most {}", c_.n, grid,
                       c_.block, max_grid);
  }
  if (!steps_ && grid < needed) {
    return fmt::format("grid={} covers {} of n={} elements; take grid={} or leave it out", grid,
                       grid * tile_, c_.n, needed);
  }
  if (allowed && grid > *allowed) {
    return fmt::format("grid={}: the static array holds {} partials", grid, *allowed);
  }
  place(static_cast<std::uint32_t>(grid));
  return window() ? refused_window(grid) : std::string{};
}

std::string Tiles::refused_window(std::uint64_t grid) {
  if (std::uint64_t{c_.first_block} + c_.block_count > grid) {
    return fmt::format("blocks={}+{}: the grid has {} blocks", c_.first_block, c_.block_count,
                       grid);
  }
  const auto refused = [](std::string_view why) {
    return fmt::format("blocks=FIRST+COUNT: {}", why);
  };
  if (spec_.arrays.front().role == Role::inout) {
    return refused("the kernel writes to its input, which is needed as a whole");
  }
  if (spec_.launches.front().rehearsal)
    return refused("the last block needs the partials of all blocks");
  if (std::ranges::any_of(spec_.results,
                          [&](const auto& r) { return by_offset(program_, r.value); })) {
    return refused("which elements a block takes hangs on the input's address");
  }
  for (std::size_t k = 0; k < spec_.results.size() && !steps_; ++k) {
    if (of_blocks(spec_.results[k]) && cell_tile(spec_.results[k]) != tile_) {
      return refused("a block leaves several partial results; run the whole grid");
    }
  }
  const bool second_launch =
      std::ranges::count(spec_.launches, false, &LaunchStatement::rehearsal) > 1;
  if (steps_ && !second_launch) return refused("every block steps through the whole input");
  if (second_launch && grid > window_partials) {
    return refused(
        fmt::format("partials of {} blocks are kept for at most {}", grid, window_partials));
  }
  return {};
}

/// A window of blocks that do not step has the cells of these alone: out[b] is cell b - first.
bool Tiles::cells_of_window(std::size_t array) const {
  const Result& result = spec_.results.front();
  return window() && !steps_ && result.array == array && of_blocks(result);
}

std::uint64_t Tiles::elements(std::size_t array) {
  return cells_of_window(array) ? c_.block_count : evaluator_.elements(array);
}

/// Elements of each cell of a result of blocks that take tiles one behind another, or in turns.
std::uint64_t Tiles::cell_tile(const Result& result) {
  const Expression& value = result.value;
  const auto fail = [&] {
    value.where->fail(
        "a block's value is not that of its tiles; write OP(in[b * tile .. (b + 1) * tile]), or "
        "where blocks take several OP(in[i] for i in 0 .. n if i / tile % blocks == b)");
  };
  std::int64_t& cell = evaluator_.slot(result.slots.front());
  cell = 0;
  if (steps_) {
    const auto takes = [&](std::uint64_t element) {
      evaluator_.slot(value.slot) = static_cast<std::int64_t>(element);
      return evaluator_.integer(value.children.at(4)) != 0;
    };
    bool right = value.slot >= 0 && value.children.at(4).present() && takes(0) &&
                 takes(tile_ - 1) && takes(tile_) == (grid_ == 1) && takes(tile_ * grid_);
    for (std::uint64_t k = 1; right && k < tile_; k *= 2) right = takes(k);
    if (!right) fail();
    return tile_;
  }
  if (value.slices.size() != 1 || value.slices.front().bounds.size() != 2) fail();
  const auto& bounds = value.slices.front().bounds;
  const std::uint64_t first = evaluator_.count(bounds[0]), tile = evaluator_.count(bounds[1]);
  cell = 1;
  if (first != 0 || tile == 0 || tile_ % tile != 0 || evaluator_.count(bounds[0]) != tile ||
      evaluator_.count(bounds[1]) != 2 * tile) {
    fail();
  }
  return tile;
}

void Tiles::observe(Plan& plan) {
  plan.observed.clear();
  Coverage blocks{steps_ ? Coverage::Kind::grid_stride : Coverage::Kind::tiles, tile_,
                  window() && !steps_ ? c_.first_block : 0};
  const Coverage whole{Coverage::Kind::whole, steps_ ? 0 : tile_, 0};
  for (std::size_t k = 0; k < spec_.results.size(); ++k) {
    const Result& result = spec_.results[k];
    if (window() && steps_ && !of_blocks(result)) continue;
    if (result.only.present() && evaluator_.integer(result.only) == 0) continue;
    // The oracle's tiles begin where the input does.
    if (c_.offset != 0 && by_offset(program_, result.value)) continue;
    if (of_blocks(result)) blocks.tile = cell_tile(result);
    if (plan.observed.empty()) plan.height = evaluator_.count(result.height);
    plan.observed.push_back({spec_.arrays[result.array].name,
                             of_blocks(result) ? elements(result.array) : 1,
                             of_blocks(result) ? blocks : whole,
                             {},
                             spec_.arrays[result.array].symbol
                                 ? symbol_in(loaded_, evaluator_, result.array)
                                 : std::string{}});
  }
  if (!plan.observed.empty()) return;
  // The first launch leaves the blocks' values where the second one finds them.
  const std::size_t array = spec_.results.front().array;
  plan.observed.push_back({spec_.arrays[array].name, elements(array), blocks});
  plan.height = evaluator_.count(spec_.results.front().height);
}

void Tiles::complete(Plan& plan) {
  name_allocated(spec_, plan);
  take_out_input(plan);
  if (spec_.host) {
    // The blocks are those of the first kernel that the function launches.
    place(plan.launches.empty() ? 1 : plan.launches.front().grid.x);
  } else {
    plan.launches.front().grid = {grid_, 1, 1};  // it may be longer than n needs
  }
  plan.grid = grid_;
  if (window()) {
    plan.launches.resize(1);  // a second launch would need the partials of all blocks
    const auto array = static_cast<std::uint32_t>(spec_.results.front().array);
    for (Arg& arg : plan.launches.front().args) {
      if (arg != Arg::of_array(array) || !cells_of_window(array)) continue;
      arg.byte_offset = 0 - std::uint64_t{c_.first_block} * size_of(c_.acc);  // modulo 2^64
    }
  }
  plan.input_may_change = spec_.arrays.front().role == Role::inout;
  plan.padded = std::max(
      c_.n, count("reach").value_or(steps_ ? round_up(c_.n, tile_) : std::uint64_t{grid_} * tile_));
  observe(plan);
  const bool atomic = spec_.arrays.at(1).identity.has_value();
  plan.float_atomics = atomic && is_float(c_.acc) && (c_.op == Op::sum || c_.op == Op::product);
  plan.flushes_subnormals = plan.float_atomics && c_.acc == Type::f32 && c_.op == Op::sum;
}

void check_tiles(const Spec& spec, const Instance& instance) {
  const auto fail = [&](const char* what) { spec.tile_where.fail(what); };
  if (spec.types.empty()) fail("the types are missing; write types f32->f32, in in:T[n]");
  const bool input = spec.arrays.size() > 1 && spec.arrays[0].name == "in" &&
                     (spec.arrays[0].role == Role::in || spec.arrays[0].role == Role::inout) &&
                     spec.arrays[0].extents.size() == 1 && spec.arrays[0].type == instance.in;
  if (!input) fail("the first array is the input; write in in:T[n]");
  if (spec.arrays[1].name != "out")
    fail("the second array is what comes out; write out out:ACC[1]");
  if (spec.result_none || spec.by || spec.repeat != 1) {
    fail("a spec with tile has results OP(...), and is launched once; take it out");
  }
  for (const Result& result : spec.results) {
    const Expression& value = result.value;
    const bool reduces = value.kind == Expression::Kind::reduction && value.over &&
                         (value.children[0].kind == Expression::Kind::element ||
                          value.children[0].kind == Expression::Kind::slice ||
                          value.children[0].kind == Expression::Kind::name) &&
                         value.children[0].text == "in";
    if (!reduces || result.cell.size() != 1 || !result.height.present()) {
      result.where.fail("with tile a result reduces the input; write out[0] = OP(in) height n");
    }
    if (spec.arrays[result.array].type != instance.acc) {
      result.where.fail("with tile a result has the accumulator's type; write out out:ACC[1]");
    }
  }
}

bool steps(const Spec& spec) { return std::ranges::count(spec.sizes, "blocks", &Size::name) != 0; }

std::vector<std::uint32_t> blocks_of(const Loaded& loaded) {
  std::vector<std::uint32_t> blocks;
  for (const auto& [values, entries] : loaded.entries) {
    if (!values.empty()) blocks.push_back(static_cast<std::uint32_t>(values.front()));
  }
  return blocks;
}

std::uint64_t tile_of(const Loaded& loaded, const Case& c) {
  Evaluator evaluator(loaded.program, values(loaded.program.spec, c), c.offset);
  return Tiles(loaded, evaluator, c).tile();
}

}  // namespace gauntlet::spec
