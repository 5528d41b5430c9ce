// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/tiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/case_error.hpp"
#include "base/numbers.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/launches.hpp"

namespace gauntlet::spec {
namespace {

constexpr std::uint64_t max_grid = 0x7fffffff;  // CUDA's limit of gridDim.x
// Blocks that step through the input: a window keeps the partials of at most so many; without a
// grid there are so many, enough to have partials, or with few tiles for each.
constexpr std::uint64_t window_partials = 1 << 20;
constexpr std::uint64_t stride_block_count = 8;
constexpr std::uint64_t window_stride_blocks = 1 << 17;

/// A block size that is a constant of the kernel must be one that it is `compiled` for.
std::string refusal_of_block(std::uint32_t block, const std::vector<std::uint32_t>& compiled) {
  if (block == 0 || block > 1024) {
    return fmt::format("block={}: a block has 1 to 1024 threads", block);
  }
  if (compiled.empty() || std::ranges::binary_search(compiled, block)) return {};
  return fmt::format("block={}: the kernel has its block size as a constant; take one of {}", block,
                     fmt::join(compiled, ", "));
}

class Planner {
 public:
  Planner(const Loaded& loaded, const Case& c)
      : loaded_(loaded),
        program_(loaded.program),
        spec_(program_.spec),
        c_(c),
        steps_(steps(spec_)),
        evaluator_(program_, sizes(std::max(c.grid, 1U)), c.offset) {
    fit_block();
    place(std::max(c.grid, 1U));
    tile_ = count("tile").value();
    if (tile_ == 0)
      spec_.tile_where.fail(fmt::format("a tile of no elements, with {}", shape_line(c)));
  }

  [[nodiscard]] std::uint64_t tile() const { return tile_; }

  Plan plan() {
    plan_.refusal = refusal();
    if (plan_.refusal.empty() && loaded_.host != nullptr) plan_.refusal = ask_host();
    if (!plan_.refusal.empty()) return refused();
    place(plan_.grid);
    plan_.input_may_change = spec_.arrays.front().role == Role::inout;
    plan_.padded = std::max(
        c_.n, count("reach").value_or(steps_ ? round_up(c_.n, tile_) : plan_.grid * tile_));
    add_buffers();
    plan_.refusal = loaded_.host != nullptr ? std::string{} : add_launches();
    if (!plan_.refusal.empty()) return refused();
    add_observed();
    const bool atomic = spec_.arrays.at(1).identity.has_value();
    plan_.float_atomics = atomic && is_float(c_.acc) && (c_.op == Op::sum || c_.op == Op::product);
    plan_.flushes_subnormals = plan_.float_atomics && c_.acc == Type::f32 && c_.op == Op::sum;
    plan_.capability = loaded_.capability;
    return std::move(plan_);
  }

 private:
  /// What `sizes` the case has.
  [[nodiscard]] std::vector<std::uint64_t> sizes(std::uint32_t grid) const {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (c_.n > most) throw CaseError(fmt::format("n={}: at most {}", c_.n, most));
    std::vector<std::uint64_t> values;
    for (const Size& size : spec_.sizes) {
      if (size.name == "n") {
        values.push_back(c_.n);
      } else if (size.name == "block") {
        values.push_back(c_.block);
      } else if (size.name == "blocks") {
        values.push_back(grid);
      } else {
        values.push_back(size.choices.empty() ? size.least : size.choices.front());
      }
    }
    return values;
  }

  /// A block of several extents, "block=32,rows": what makes it so many threads as the case has.
  void fit_block() {
    const auto& extents = program_.launches.front().block;
    const auto threads = [&] {
      std::uint64_t product = 1;
      for (const Bound& extent : extents) product *= evaluator_.count(extent);
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
  void place(std::uint32_t grid) {
    blocks_ = grid;
    for (std::size_t k = 0; k < spec_.sizes.size(); ++k) {
      if (spec_.sizes[k].name == "blocks") evaluator_.slot(static_cast<int>(k)) = grid;
    }
    for (const BoundDefinition& d : program_.definitions) {
      evaluator_.slot(d.slot) = d.slot == program_.grid_slot ? grid : evaluator_.integer(d.value);
    }
  }

  /// Of a `let`.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view name) {
    for (const BoundDefinition& d : program_.definitions) {
      if (d.name == name) return static_cast<std::uint64_t>(evaluator_.slot(d.slot));
    }
    return std::nullopt;
  }

  [[nodiscard]] bool window() const { return c_.block_count != 0; }
  [[nodiscard]] bool second_launch() const {
    return std::ranges::count(spec_.launches, false, &LaunchStatement::rehearsal) > 1;
  }
  [[nodiscard]] bool rehearsed() const { return spec_.launches.front().rehearsal; }
  /// It asks where the input begins.
  [[nodiscard]] bool by_offset(const Bound& b) const {
    return (b.kind == Bound::Kind::size && b.slot == program_.offset_slot) ||
           std::ranges::any_of(b.children, [&](const auto& part) { return by_offset(part); });
  }
  /// The result has a cell for each block.
  static bool of_blocks(const Result& result) { return !result.variables.front().empty(); }

  /// Why the case cannot be launched; else the plan has its grid.
  std::string refusal() {
    if (!unfit_.empty()) return unfit_;
    for (const Size& size : spec_.sizes) {
      if (size.name == "block" && !size.allows(c_.block)) {
        return fmt::format("block={}: the kernel takes {}", c_.block, size.domain());
      }
    }
    if (c_.offset % size_of(c_.in) != 0) {
      return fmt::format("offset={}: no {} lies there; take a multiple of {}", c_.offset,
                         name(c_.in), size_of(c_.in));
    }
    if (spec_.host) {
      return window() ? "blocks=FIRST+COUNT: a function of the host launches all blocks"
                      : std::string{};
    }
    const std::uint64_t needed = std::max<std::uint64_t>(1, ceil_div(c_.n, tile_));
    const auto allowed = count("most");
    const std::uint64_t most =
        window() ? allowed.value_or(window_stride_blocks) : stride_block_count;
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
    plan_.grid = static_cast<std::uint32_t>(grid);
    return window() ? refused_window() : std::string{};
  }

  /// The blocks are those of the first kernel that the function of the host launches.
  std::string ask_host() {
    HostTiles made = launches_by_host(loaded_, evaluator_, c_);
    plan_.launches = std::move(made.launches);
    plan_.grid = plan_.launches.empty() ? 1 : plan_.launches.front().grid.x;
    plan_.module = std::move(made.module);
    allocated_ = std::move(made.allocated);
    return std::move(made.refusal);
  }

  std::string refused_window() {
    if (std::uint64_t{c_.first_block} + c_.block_count > plan_.grid) {
      return fmt::format("blocks={}+{}: the grid has {} blocks", c_.first_block, c_.block_count,
                         plan_.grid);
    }
    const auto refused = [](std::string_view why) {
      return fmt::format("blocks=FIRST+COUNT: {}", why);
    };
    if (spec_.arrays.front().role == Role::inout) {
      return refused("the kernel writes to its input, which is needed as a whole");
    }
    if (rehearsed()) return refused("the last block needs the partials of all blocks");
    if (std::ranges::any_of(program_.results, [&](const auto& r) { return by_offset(r.value); })) {
      return refused("which elements a block takes hangs on the input's address");
    }
    for (std::size_t k = 0; k < spec_.results.size() && !steps_; ++k) {
      if (of_blocks(spec_.results[k]) && cell_tile(program_.results[k]) != tile_) {
        return refused("a block leaves several partial results; run the whole grid");
      }
    }
    if (steps_ && !second_launch()) return refused("every block steps through the whole input");
    if (second_launch() && plan_.grid > window_partials) {
      return refused(fmt::format("partials of {} blocks are kept for at most {}", plan_.grid,
                                 window_partials));
    }
    return {};
  }

  /// A window of blocks that do not step has the cells of these alone: out[b] is cell b - first.
  [[nodiscard]] bool cells_of_window(std::size_t array) const {
    const Result& result = spec_.results.front();
    return window() && !steps_ && result.array == array && of_blocks(result);
  }

  [[nodiscard]] std::uint64_t cells(std::size_t array) {
    return cells_of_window(array) ? c_.block_count : evaluator_.elements(array);
  }

  void add_buffers() {
    for (std::size_t k = 1; k < spec_.arrays.size(); ++k) {
      const Array& array = spec_.arrays[k];
      if (array.symbol || array.allocated) continue;  // they come last
      const auto size = static_cast<std::uint32_t>(size_of(array.type));
      Buffer buffer{array.name, cells(k) * size, size};
      if (array.identity) {
        buffer.fill = Fill::identity;
      } else if (array.content != nullptr) {
        if (evaluator_.integer(program_.arrays[k].content) != 0) {
          array.where.fail("beside the input of tiles a content is 0");
        }
        buffer.fill = Fill::zero;
      }
      plan_.buffers.push_back(std::move(buffer));
    }
    std::ranges::move(allocated_, std::back_inserter(plan_.buffers));
  }

  std::string add_launches() {
    if (auto why = make_launches(loaded_, evaluator_, plan_.launches, plan_.rehearsals);
        !why.empty()) {
      return why;
    }
    plan_.launches.front().grid = {plan_.grid, 1, 1};  // it may be longer than n needs
    if (!window()) return {};
    plan_.launches.resize(1);  // a second launch would need the partials of all blocks
    for (Arg& arg : plan_.launches.front().args) {
      for (std::size_t k = 1; k < spec_.arrays.size(); ++k) {
        if (arg != Arg::of_array(buffer_of(spec_, k)) || !cells_of_window(k)) continue;
        arg.byte_offset = 0 - std::uint64_t{c_.first_block} * size_of(c_.acc);  // modulo 2^64
        break;
      }
    }
    return {};
  }

  /// Elements of each cell of a result of blocks that take tiles one behind another, or in turns.
  std::uint64_t cell_tile(const BoundResult& result) {
    const Bound& value = result.value;
    const auto fail = [&] {
      value.where->fail(
          "a block's value is not that of its tiles; write OP(in[b * tile .. (b + 1) * tile]), or "
          "where blocks take several OP(in[i] for i in 0 .. n if i / tile % blocks == b)");
    };
    std::int64_t& cell = evaluator_.slot(result.variables.front());
    cell = 0;
    if (steps_) {
      const auto takes = [&](std::uint64_t element) {
        evaluator_.slot(value.slot) = static_cast<std::int64_t>(element);
        return evaluator_.integer(value.children.at(4)) != 0;
      };
      bool right = value.slot >= 0 && value.children.at(4).present() && takes(0) &&
                   takes(tile_ - 1) && takes(tile_) == (blocks_ == 1) && takes(tile_ * blocks_);
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

  void add_observed() {
    Coverage blocks{steps_ ? Coverage::Kind::grid_stride : Coverage::Kind::tiles, tile_,
                    window() && !steps_ ? c_.first_block : 0};
    const Coverage whole{Coverage::Kind::whole, steps_ ? 0 : tile_, 0};
    for (std::size_t k = 0; k < spec_.results.size(); ++k) {
      const Result& result = spec_.results[k];
      const BoundResult& bound = program_.results[k];
      if (window() && steps_ && !of_blocks(result)) continue;
      if (bound.only.present() && evaluator_.integer(bound.only) == 0) continue;
      // The oracle's tiles begin where the input does.
      if (c_.offset != 0 && by_offset(bound.value)) continue;
      if (of_blocks(result)) blocks.tile = cell_tile(bound);
      if (plan_.observed.empty()) plan_.height = evaluator_.count(bound.height);
      plan_.observed.push_back({spec_.arrays[result.array].name,
                                of_blocks(result) ? cells(result.array) : 1,
                                of_blocks(result) ? blocks : whole,
                                {},
                                spec_.arrays[result.array].symbol
                                    ? symbol_in(loaded_, evaluator_, result.array)
                                    : std::string{}});
    }
    if (!plan_.observed.empty()) return;
    // The first launch leaves the blocks' values where the second one finds them.
    const std::size_t array = spec_.results.front().array;
    plan_.observed.push_back({spec_.arrays[array].name, cells(array), blocks});
    plan_.height = evaluator_.count(program_.results.front().height);
  }

  [[nodiscard]] Plan refused() {
    Plan plan;
    plan.takes_input = plan_.takes_input;
    plan.refusal = std::move(plan_.refusal);
    return plan;
  }

  const Loaded& loaded_;
  const Program& program_;
  const Spec& spec_;
  const Case& c_;
  const bool steps_;
  Evaluator evaluator_;
  std::uint64_t tile_ = 0, blocks_ = 1;
  std::string unfit_;
  Plan plan_;
  std::vector<Buffer> allocated_;  ///< by a function of the host
};

}  // namespace

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
    const Node& value = *result.value;
    const bool reduces = value.kind == Node::Kind::reduction && value.over &&
                         (value.children[0]->kind == Node::Kind::element ||
                          value.children[0]->kind == Node::Kind::slice ||
                          value.children[0]->kind == Node::Kind::name) &&
                         value.children[0]->text == "in";
    if (!reduces || result.cell.size() != 1 || !result.height) {
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

Plan tiled_plan(const Loaded& loaded, const Case& c) {
  Plan refused;
  if (!loaded.program.spec.host) refused.refusal = refusal_of_block(c.block, blocks_of(loaded));
  return refused.refusal.empty() ? Planner(loaded, c).plan() : refused;
}

std::uint64_t tile_of(const Loaded& loaded, const Case& c) { return Planner(loaded, c).tile(); }

}  // namespace gauntlet::spec
