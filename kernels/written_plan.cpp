// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The plan of a row that is two files, of what its spec says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/case_error.hpp"
#include "base/numbers.hpp"
#include "kernels/images.hpp"
#include "kernels/written.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/evaluate.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t max_grid = 0x7fffffff;  // CUDA's limit of gridDim.x
// Blocks that step through the input: in a window of them all partials are kept, of at most so
// many; and without a grid there are so many, enough to have partials, or in a window so many that
// its few blocks are not given most of a large input.
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
  Planner(const spec::Program& program, const Case& c, bool steps, bool constant_block)
      : program_(program),
        spec_(program.spec),
        c_(c),
        steps_(steps),
        constant_block_(constant_block),
        evaluator_(program, sizes(std::max(c.grid, 1U)), c.offset) {
    fit_block();
    place(std::max(c.grid, 1U));
    const auto tile = count("tile");
    if (!tile) throw std::logic_error(spec_.path + ": how many elements does a block take?");
    tile_ = *tile;
  }

  [[nodiscard]] std::uint64_t tile() const { return tile_; }

  Plan plan() {
    plan_.refusal = refusal();
    if (!plan_.refusal.empty()) return std::move(plan_);
    place(plan_.grid);
    plan_.input_may_change = spec_.arrays.front().role == spec::Role::inout;
    plan_.padded = std::max(
        c_.n, count("reach").value_or(steps_ ? round_up(c_.n, tile_) : plan_.grid * tile_));
    add_buffers();
    add_launches();
    add_observed();
    const bool atomic = spec_.arrays.at(1).identity.has_value();
    plan_.float_atomics = atomic && is_float(c_.acc) && (c_.op == Op::sum || c_.op == Op::product);
    plan_.flushes_subnormals = plan_.float_atomics && c_.acc == Type::f32 && c_.op == Op::sum;
    plan_.capability = capability_of(plan_.launches.front().module);
    return std::move(plan_);
  }

 private:
  /// What `sizes` the case has.
  [[nodiscard]] std::vector<std::uint64_t> sizes(std::uint32_t grid) const {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    if (c_.n > most) throw CaseError(fmt::format("n={}: at most {}", c_.n, most));
    std::vector<std::uint64_t> values;
    for (const spec::Size& size : spec_.sizes) {
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
      for (const spec::Bound& extent : extents) product *= evaluator_.count(extent);
      return product;
    };
    for (std::size_t k = 0; k < spec_.sizes.size(); ++k) {
      const spec::Size& size = spec_.sizes[k];
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
    for (std::size_t k = 0; k < spec_.sizes.size(); ++k) {
      if (spec_.sizes[k].name == "blocks") evaluator_.slot(static_cast<int>(k)) = grid;
    }
    for (const spec::BoundDefinition& d : program_.definitions) {
      evaluator_.slot(d.slot) = d.slot == program_.grid_slot ? grid : evaluator_.integer(d.value);
    }
  }

  /// Of a `let`.
  [[nodiscard]] std::optional<std::uint64_t> count(std::string_view name) {
    for (const spec::BoundDefinition& d : program_.definitions) {
      if (d.name == name) return static_cast<std::uint64_t>(evaluator_.slot(d.slot));
    }
    return std::nullopt;
  }

  [[nodiscard]] bool window() const { return c_.block_count != 0; }
  [[nodiscard]] bool second_launch() const {
    return std::ranges::count(spec_.launches, false, &spec::LaunchStatement::rehearsal) > 1;
  }
  [[nodiscard]] bool rehearsed() const { return spec_.launches.front().rehearsal; }
  /// It asks where the input begins.
  [[nodiscard]] bool by_offset(const spec::Bound& b) const {
    return (b.kind == spec::Bound::Kind::size && b.slot == program_.offset_slot) ||
           std::ranges::any_of(b.children, [&](const auto& part) { return by_offset(part); });
  }
  /// The result has a cell for each block.
  static bool of_blocks(const spec::Result& result) { return !result.variables.front().empty(); }

  /// Why the case cannot be launched; else the plan has its grid.
  std::string refusal() {
    if (!unfit_.empty()) return unfit_;
    for (const spec::Size& size : spec_.sizes) {
      if (size.name == "block" && !size.allows(c_.block)) {
        return fmt::format("block={}: the kernel takes {}", c_.block, size.domain());
      }
    }
    if (c_.offset % size_of(c_.in) != 0) {
      return fmt::format("offset={}: no {} lies there; take a multiple of {}", c_.offset,
                         name(c_.in), size_of(c_.in));
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

  std::string refused_window() const {
    if (std::uint64_t{c_.first_block} + c_.block_count > plan_.grid) {
      return fmt::format("blocks={}+{}: the grid has {} blocks", c_.first_block, c_.block_count,
                         plan_.grid);
    }
    const auto refused = [](std::string_view why) {
      return fmt::format("blocks=FIRST+COUNT: {}", why);
    };
    if (spec_.arrays.front().role == spec::Role::inout) {
      return refused("the kernel writes to its input, which is needed as a whole");
    }
    if (rehearsed()) return refused("the last block needs the partials of all blocks");
    if (std::ranges::any_of(program_.results, [&](const auto& r) { return by_offset(r.value); })) {
      return refused("which elements a block takes hangs on the input's address");
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
    const spec::Result& result = spec_.results.front();
    return window() && !steps_ && result.array == array && of_blocks(result);
  }

  [[nodiscard]] std::uint64_t cells(std::size_t array) {
    return cells_of_window(array) ? c_.block_count : evaluator_.elements(array);
  }

  void add_buffers() {
    for (std::size_t k = 1; k < spec_.arrays.size(); ++k) {
      const spec::Array& array = spec_.arrays[k];
      if (array.symbol) continue;  // they come last
      const auto size = static_cast<std::uint32_t>(size_of(array.type));
      Buffer buffer{array.name, cells(k) * size, size};
      if (array.identity) {
        buffer.fill = Fill::identity;
      } else if (array.content != nullptr) {
        if (evaluator_.integer(program_.arrays[k].content) != 0) {
          throw std::logic_error(spec_.path + ": a content of a documents' kernel is 0");
        }
        buffer.fill = Fill::zero;
      }
      plan_.buffers.push_back(std::move(buffer));
    }
  }

  [[nodiscard]] Arg argument(const spec::Parameter& parameter) {
    if (!parameter.array) {
      const Type type = spec_.scalars[parameter.index].type;
      Arg arg = Arg::of_value(evaluator_.bits(program_.scalars[parameter.index], type));
      arg.bytes.resize(size_of(type));
      return arg;
    }
    if (parameter.index == 0) return Arg::of_array(Plan::input);
    if (spec_.arrays[parameter.index].symbol) return Arg::of_symbol(symbol(parameter.index));
    Arg arg = Arg::of_array(Plan::buffer(static_cast<std::uint32_t>(parameter.index - 1)));
    if (cells_of_window(parameter.index)) {
      arg.byte_offset = 0 - std::uint64_t{c_.first_block} * size_of(c_.acc);  // modulo 2^64
    }
    return arg;
  }

  /// The __device__ variable that is this array; empty: it is none.
  [[nodiscard]] std::string symbol(std::size_t array) {
    if (!spec_.arrays[array].symbol) return {};
    spec::Copy copy;
    copy.form.name = c_.form;
    copy.instance = {c_.in, c_.acc, c_.op};
    return spec::symbol_of(spec_, copy, spec_.arrays[array].name);
  }

  [[nodiscard]] Dim3 extents(const std::vector<spec::Bound>& bounds) {
    Dim3 dim{1, 1, 1};
    std::uint32_t* const parts[] = {&dim.x, &dim.y, &dim.z};
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      *parts[k] = static_cast<std::uint32_t>(evaluator_.count(bounds[k]));
    }
    return dim;
  }

  void add_launches() {
    for (std::size_t k = 0; k < spec_.launches.size(); ++k) {
      const spec::LaunchStatement& statement = spec_.launches[k];
      const spec::BoundLaunch& bound = program_.launches[k];
      if (bound.only.present() && evaluator_.integer(bound.only) == 0) continue;
      Launch launch;
      Case of = c_;
      if (statement.of) {
        of.in = statement.of->in;
        of.acc = statement.of->acc;
      }
      launch.entry = entry_name(of, of.in);
      launch.module = module_of_entry(launch.entry);
      launch.grid = k == 0 ? Dim3{plan_.grid, 1, 1} : extents(bound.grid);
      launch.block = extents(bound.block);
      // A kernel that has its block size as a constant has a static array.
      if (bound.shared.present() && !constant_block_) {
        launch.shared_bytes = static_cast<std::uint32_t>(evaluator_.count(bound.shared));
      }
      launch.cooperative = statement.cooperative;
      launch.programmatic = statement.programmatic;
      for (const spec::Parameter& parameter : statement.parameters) {
        launch.args.push_back(argument(parameter));
      }
      plan_.launches.push_back(std::move(launch));
      if (statement.rehearsal) ++plan_.rehearsals;
      if (window()) return;  // a second launch would need the partials of all blocks
    }
  }

  /// Blocks take tiles, one behind another, or in turns.
  void check_coverage(const spec::BoundResult& result) {
    const spec::Bound& value = result.value;
    bool right = value.kind == spec::Bound::Kind::reduction;
    evaluator_.slot(result.variables.front()) = 0;
    if (right && steps_) {
      const auto takes = [&](std::uint64_t element) {
        evaluator_.slot(value.slot) = static_cast<std::int64_t>(element);
        return evaluator_.integer(value.children.at(4)) != 0;
      };
      right = value.slot >= 0 && value.children.at(4).present() && takes(0) && takes(tile_ - 1) &&
              takes(tile_) == (plan_.grid == 1) && takes(tile_ * plan_.grid);
    } else if (right) {
      right = value.slices.size() == 1 && value.slices.front().bounds.size() == 2;
      for (std::uint64_t b = 0; right && b < 2; ++b) {
        evaluator_.slot(result.variables.front()) = static_cast<std::int64_t>(b);
        const auto& bounds = value.slices.front().bounds;
        right = evaluator_.count(bounds[0]) == b * tile_ &&
                evaluator_.count(bounds[1]) == (b + 1) * tile_;
      }
    }
    if (!right) throw std::logic_error(spec_.path + ": a block's value is not that of its tiles");
  }

  void add_observed() {
    const Coverage blocks{steps_ ? Coverage::Kind::grid_stride : Coverage::Kind::tiles, tile_,
                          window() && !steps_ ? c_.first_block : 0};
    const Coverage whole{Coverage::Kind::whole, steps_ ? 0 : tile_, 0};
    for (std::size_t k = 0; k < spec_.results.size(); ++k) {
      const spec::Result& result = spec_.results[k];
      const spec::BoundResult& bound = program_.results[k];
      if (window() && steps_ && !of_blocks(result)) continue;
      if (bound.only.present() && evaluator_.integer(bound.only) == 0) continue;
      // The oracle's tiles begin where the input does.
      if (c_.offset != 0 && by_offset(bound.value)) continue;
      if (of_blocks(result)) check_coverage(bound);
      if (plan_.observed.empty()) plan_.height = evaluator_.count(bound.height);
      plan_.observed.push_back({spec_.arrays[result.array].name,
                                of_blocks(result) ? cells(result.array) : 1,
                                of_blocks(result) ? blocks : whole,
                                {},
                                symbol(result.array)});
    }
    if (!plan_.observed.empty()) return;
    // The first launch leaves the blocks' values where the second one finds them.
    const std::size_t array = spec_.results.front().array;
    plan_.observed.push_back({spec_.arrays[array].name, cells(array), blocks});
    plan_.height = evaluator_.count(program_.results.front().height);
  }

  const spec::Program& program_;
  const spec::Spec& spec_;
  const Case& c_;
  const bool steps_, constant_block_;
  spec::Evaluator evaluator_;
  std::uint64_t tile_ = 0;
  std::string unfit_;
  Plan plan_;
};

}  // namespace

Plan Written::plan(const Case& c) const {
  const std::vector<std::uint32_t>& compiled = compiled_blocks(entry_stem(c, c.in));
  Plan refused;
  refused.refusal = refusal_of_block(c.block, compiled);
  if (!refused.refusal.empty()) return refused;
  return Planner(program(c), c, steps(), !compiled.empty()).plan();
}

std::uint64_t Written::tile(const Case& c) const {
  return Planner(program(c), c, steps(), false).tile();
}

}  // namespace gauntlet::kernels
