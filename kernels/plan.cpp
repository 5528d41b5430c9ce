// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/cub_plan.hpp"
#include "kernels/geometry.hpp"
#include "kernels/images.hpp"
#include "machine/engine/module.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::uint64_t max_grid = 0x7fffffff;      // CUDA's limit of gridDim.x
constexpr std::uint64_t window_partials = 1 << 20;  // grid-stride: a window keeps all partials
constexpr std::uint64_t stride_block_count = 8;     // grid-stride default: enough to have partials
constexpr std::uint64_t window_stride_blocks = 1 << 17;

const Row& row_of(const Case& c) {
  if (images().empty()) throw CaseError(std::string(no_catalogue));
  if (const Row* const row = find_row(c.variant)) return *row;
  std::vector<std::string_view> ids;
  for (const Variant& v : catalogue()) ids.push_back(v.id);
  throw CaseError(unknown_word("variant", c.variant, ids, all_variants));
}

const Form& form_of(const Variant& variant, const Case& c) {
  if (const Form* form = variant.form(c.form)) return *form;
  std::vector<std::string_view> names;
  for (const Form& f : variant.forms) names.push_back(f.name);
  throw CaseError(unknown_word(fmt::format("form of {}", variant.id), c.form, names));
}

std::string types_text(Type in, Type acc, Op op) {
  return fmt::format("{}->{} {}", name(in), name(acc), name(op));
}

void require_instance(const Case& c) {
  const std::vector<Instance>& compiled = instances(c.variant, c.form);
  if (std::ranges::binary_search(compiled, Instance{c.in, c.acc, c.op})) return;
  std::vector<std::string> texts;
  for (const Instance& i : compiled) texts.push_back(types_text(i.in, i.acc, i.op));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  throw CaseError(unknown_word(fmt::format("types of {}@{}", c.variant, c.form),
                               types_text(c.in, c.acc, c.op), views));
}

std::string_view module_of(const std::string& entry) {
  const auto index = entry_index(entry);
  if (!index) throw CaseError(fmt::format("no compiled kernel is called {}", entry));
  return entries()[*index].module;
}

Arg buffer_arg(std::uint32_t index) { return Arg::of_array(Plan::buffer(index)); }

Launch make_launch(std::string entry, std::uint32_t grid, Dim3 block, std::uint32_t shared_bytes,
                   std::vector<Arg> args) {
  Launch launch;
  launch.module = module_of(entry);
  launch.entry = std::move(entry);
  launch.grid = {grid, 1, 1};
  launch.block = block;
  launch.shared_bytes = shared_bytes;
  launch.args = std::move(args);
  return launch;
}

/// Grid-stride kernels: blocks of a grid that the case leaves open. The few blocks of a window must
/// not be given most of a large input.
std::uint64_t stride_blocks(const Geometry& geometry, const Case& c) {
  if (c.block_count == 0) return stride_block_count;
  return geometry.finish == Finish::device_array ? static_partials : window_stride_blocks;
}

/// Fills in plan.grid, or says why the launch is impossible.
std::string choose_grid(const Geometry& geometry, const Case& c, Plan& plan) {
  const std::uint64_t needed = std::max<std::uint64_t>(1, ceil_div(c.n, geometry.tile));
  std::uint64_t grid = c.grid;
  if (grid == 0)
    grid = geometry.grid_stride ? std::min(needed, stride_blocks(geometry, c)) : needed;
  if (grid > max_grid) {
    return fmt::format("n={} needs {} blocks of {} threads; CUDA launches at most {}", c.n, grid,
                       c.block, max_grid);
  }
  if (!geometry.grid_stride && grid < needed) {
    return fmt::format("grid={} covers {} of n={} elements; take grid={} or leave it out", grid,
                       grid * geometry.tile, c.n, needed);
  }
  if (geometry.finish == Finish::device_array && grid > static_partials) {
    return fmt::format("grid={}: the static array holds {} partials", grid, static_partials);
  }
  if (c.block_count != 0 && std::uint64_t{c.first_block} + c.block_count > grid) {
    return fmt::format("blocks={}+{}: the grid has {} blocks", c.first_block, c.block_count, grid);
  }
  if (c.block_count != 0 && geometry.input_may_change) {
    return "blocks=FIRST+COUNT: the kernel writes to its input, which is needed as a whole";
  }
  if (c.block_count != 0 &&
      (geometry.finish == Finish::ticket || geometry.finish == Finish::slots ||
       geometry.finish == Finish::dependent)) {
    return "blocks=FIRST+COUNT: the last block needs the partials of all blocks";
  }
  if (c.block_count != 0 && geometry.second_block == 0 && geometry.grid_stride) {
    return "blocks=FIRST+COUNT: every block steps through the whole input";
  }
  if (c.block_count != 0 && geometry.second_block != 0 && geometry.batch != 0) {
    return "blocks=FIRST+COUNT: which elements a block takes hangs on the input's address";
  }
  if (c.block_count != 0 && geometry.second_block != 0 && grid > window_partials) {
    return fmt::format("blocks=FIRST+COUNT: partials of {} blocks are kept for at most {}", grid,
                       window_partials);
  }
  plan.grid = static_cast<std::uint32_t>(grid);
  return {};
}

std::string first_refusal(const Geometry& geometry, const Case& c, Plan& plan) {
  if (!geometry.refusal.empty()) return geometry.refusal;
  if (c.offset % size_of(c.in) != 0) {
    return fmt::format("offset={}: no {} lies there; take a multiple of {}", c.offset, name(c.in),
                       size_of(c.in));
  }
  return choose_grid(geometry, c, plan);
}

void add_second_launch(Plan& plan, const Geometry& geometry, const Case& c, Arg partials) {
  const auto shared = static_cast<std::uint32_t>(geometry.second_block * size_of(c.acc));
  plan.launches.push_back(
      make_launch(entry_name(c, c.acc), 1, {geometry.second_block, 1, 1}, shared,
                  {std::move(partials), buffer_arg(0), Arg::of_value(std::uint64_t{plan.grid})}));
  plan.height += ceil_div(plan.grid, geometry.second_block) + tree_height(geometry.second_block);
}

/// Additions of one thread to one of its four sums, and of these to each other; an element of a
/// vector that is only partly in the input has one more, and with a small block several.
std::uint64_t batch_height(const Geometry& geometry, const Case& c, std::uint64_t grid) {
  const std::uint64_t sums = std::min<std::uint64_t>(geometry.vector, 4);
  const std::uint64_t rounds = ceil_div(c.n + geometry.vector, grid * geometry.tile);
  const std::uint64_t vectors =
      std::min(rounds * geometry.batch, ceil_div(c.n + geometry.vector, geometry.vector * c.block));
  return vectors * (geometry.vector / sums) + (sums - 1) + 2 * ceil_div(geometry.vector, c.block);
}

/// What a launch leaves behind must not harm the next one: a rehearsal goes first, with fewer
/// elements, so that the partials of the two differ.
void add_single_pass(Plan& plan, const Geometry& geometry, const Case& c) {
  const auto cell = static_cast<std::uint32_t>(size_of(c.acc));
  const std::uint64_t grid = plan.grid;
  plan.buffers.push_back({"rehearsal", cell, cell, Fill::poison});
  std::vector<Arg> between;
  if (geometry.finish == Finish::ticket) {
    plan.buffers.push_back({"partials", grid * cell, cell, Fill::poison});
    plan.buffers.push_back({"ticket", 4, 4, Fill::zero});
    between = {buffer_arg(2), buffer_arg(3)};
  } else {  // kernels/slots.cuh: at most two words a block
    plan.buffers.push_back({"slots", 2 * grid * 8, 8, Fill::zero});
    between = {buffer_arg(2)};
  }
  for (const std::uint32_t out : {1U, 0U}) {
    std::vector<Arg> args{Arg::of_array(Plan::input), buffer_arg(out)};
    args.insert(args.end(), between.begin(), between.end());
    args.push_back(Arg::of_value<std::uint64_t>(out == 0 ? c.n : c.n / 2));
    plan.launches.push_back(make_launch(geometry.entry, plan.grid, geometry.block,
                                        geometry.shared_bytes, std::move(args)));
  }
  plan.rehearsals = 1;
  plan.height += ceil_div(grid, c.block) + tree_height(c.block) + 1;
}

/// Two launches of one kernel, or one where a block is all. A rehearsal goes first: the partials
/// that it reads last are those that the first launch behind it overwrites.
void add_dependent(Plan& plan, const Geometry& geometry, const Case& c) {
  const auto cell = static_cast<std::uint32_t>(size_of(c.acc));
  const bool two = plan.grid > 1;
  plan.buffers.push_back({"rehearsal", cell, cell, Fill::poison});
  if (two) plan.buffers.push_back({"partials", plan.grid * cell, cell, Fill::poison});
  const auto launch = [&](Type in, std::uint32_t grid, Arg from, Arg to, std::uint64_t n) {
    plan.launches.push_back(make_launch(entry_name(c, in), grid, geometry.block,
                                        geometry.shared_bytes,
                                        {std::move(from), std::move(to), Arg::of_value(n)}));
    plan.launches.back().programmatic = plan.launches.size() > 1;
  };
  for (const std::uint32_t out : {1U, 0U}) {
    launch(c.in, plan.grid, Arg::of_array(Plan::input), buffer_arg(two ? 2 : out),
           out == 0 ? c.n : c.n / 2);
    if (two) launch(c.acc, 1, buffer_arg(2), buffer_arg(out), plan.grid);
  }
  plan.rehearsals = static_cast<std::uint32_t>(plan.launches.size() / 2);
  if (two) plan.height += ceil_div(plan.grid, c.block) + tree_height(c.block);
}

/// Whether cell b of "partials" holds what the geometry's coverage says: kernels/batch.cuh cuts the
/// input at aligned addresses, and a grid of one block that is the last one leaves no partials.
bool partials_are_known(const Geometry& geometry, const Case& c, std::uint64_t grid) {
  const bool left_out = geometry.finish == Finish::ticket || geometry.finish == Finish::dependent;
  if (left_out && grid == 1) return false;
  return geometry.vector == 0 || c.offset == 0;
}

Plan mapped_plan(const Geometry& geometry, const Case& c) {
  Plan plan;
  plan.refusal = first_refusal(geometry, c, plan);
  if (!plan.refusal.empty()) return plan;

  const auto cell = static_cast<std::uint32_t>(size_of(c.acc));
  const std::uint64_t grid = plan.grid;
  plan.input_may_change = geometry.input_may_change;
  plan.float_atomics = geometry.finish == Finish::atomic && is_float(c.acc) &&
                       (c.op == Op::sum || c.op == Op::product);
  plan.flushes_subnormals = plan.float_atomics && c.acc == Type::f32 && c.op == Op::sum;
  // Loads that do not look at n stay inside the grid's tiles (or the last vector); the in-place
  // tree also reads up to a block further when the block is no power of two.
  plan.padded = std::max(c.n, round_up(c.n, geometry.tail_multiple));
  if (geometry.tail_multiple == geometry.tile && !geometry.grid_stride) {
    plan.padded = grid * geometry.tile;
  }
  if (geometry.input_may_change) plan.padded += geometry.tile;

  plan.height = geometry.height;
  if (geometry.vector != 0) {
    plan.height = batch_height(geometry, c, grid) + tree_height(c.block);
  } else if (geometry.grid_stride) {
    plan.height += ceil_div(c.n, grid * geometry.tile);
  }
  if (geometry.finish == Finish::atomic) plan.height += grid;

  // A window of blocks has the partials of these alone: out[b] is cell b - first_block.
  const bool window = c.block_count != 0 && geometry.finish == Finish::partials;
  const std::uint64_t first = window ? c.first_block : 0;
  const std::uint64_t cells = window ? c.block_count : grid;
  const Coverage per_block{
      geometry.grid_stride ? Coverage::Kind::grid_stride : Coverage::Kind::tiles, geometry.tile,
      first};
  const Coverage total{Coverage::Kind::whole, geometry.grid_stride ? 0 : geometry.tile, 0};
  const bool out_is_partials =
      geometry.finish == Finish::partials || geometry.finish == Finish::in_place;
  plan.buffers.push_back({"out", (out_is_partials ? cells : 1) * cell, cell,
                          geometry.finish == Finish::atomic ? Fill::identity : Fill::poison});
  Arg first_target = buffer_arg(0);
  first_target.byte_offset = 0 - first * cell;  // modulo 2^64, as addresses are
  if (geometry.finish == Finish::two_buffers) {
    plan.buffers.push_back({"partials", grid * cell, cell, Fill::poison});
    first_target = buffer_arg(1);
  } else if (geometry.finish == Finish::device_array) {
    first_target = Arg::of_symbol("partials");
  }
  if (geometry.finish == Finish::ticket || geometry.finish == Finish::slots) {
    add_single_pass(plan, geometry, c);
  } else if (geometry.finish == Finish::dependent) {
    add_dependent(plan, geometry, c);
  } else {
    plan.launches.push_back(
        make_launch(geometry.entry, plan.grid, geometry.block, geometry.shared_bytes,
                    {Arg::of_array(Plan::input), first_target, Arg::of_value(c.n)}));
  }
  plan.capability = capability_of(plan.launches.front().module);
  const bool has_partials =
      geometry.finish == Finish::ticket || geometry.finish == Finish::two_buffers ||
      geometry.finish == Finish::device_array || geometry.finish == Finish::dependent;
  // A second launch would need the partials of all blocks: a window ends with the first one's.
  const bool second = geometry.second_block != 0 && c.block_count == 0;
  if (geometry.finish == Finish::partials || (geometry.finish == Finish::in_place && !second)) {
    plan.observed.push_back({"out", cells, per_block});
  } else if (second || geometry.second_block == 0) {
    plan.observed.push_back({"out", 1, total});
  }
  if (second) add_second_launch(plan, geometry, c, first_target);
  if (has_partials && partials_are_known(geometry, c, grid)) {
    plan.observed.push_back({"partials", grid, per_block});
  }
  return plan;
}

/// Modules are read once, the kernels in them when they are first launched; all threads share them.
std::shared_ptr<const simt::Module> module_named(const std::string& name) {
  struct Slot {
    std::once_flag once;
    std::shared_ptr<const simt::Module> module;
  };
  static std::mutex mutex;
  static std::map<std::string, Slot> cache;
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex);
    slot = &cache[name];
  }
  std::call_once(slot->once, [&] {
    for (const auto& image : images()) {
      if (image.module == name) {
        slot->module = simt::load_on_demand(std::string(image.ptx), name + ".ptx");
      }
    }
  });
  if (slot->module == nullptr) throw CaseError("no kernel module named " + name);
  return slot->module;
}

}  // namespace

Plan plan(const Case& c) {
  const Row& row = row_of(c);
  const Form& form = form_of(row.variant, c);
  require_instance(c);
  Plan plan =
      row.cub != Cub::none ? cub_plan(row, form, c) : mapped_plan(geometry_of(row, form, c), c);
  plan.module = module_named;
  return plan;
}

Case resolved(Case c) { return c.grid != 0 ? c : gauntlet::resolved(c, plan(c)); }

Observation run(Executor& executor, const Case& c) { return executor.run(c, plan(c)); }

}  // namespace gauntlet::kernels
