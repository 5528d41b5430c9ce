// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 6 to 10: the last warp without block barriers, shuffles, and two passes.
#include "kernels/catalogue_entry.hpp"

namespace gauntlet::kernels::detail {
namespace {

/// The tree before the tail, and how the two elements are loaded.
enum class Tree : std::uint8_t {
  loop,           ///< A: from a pointer to where the block starts
  loop_by_index,  ///< B: by an index into the input
  unrolled        ///< for powers of two only, with an index that is ours
};

std::vector<DefectEntry> tail_defects(Tree tree) {
  std::vector<DefectEntry> defects{
      no_bounds_check("neither of the two loads is compared with n"),
      {"volatile_shared",
       "without volatile the compiler keeps s[t] in a register over the six steps and stores it "
       "once; with a __syncwarp around each step it may no longer, so that the form that lacks "
       "only this fix holds",
       {},
       {}},
      {"syncwarp",
       "lanes of a warp have not run in lock step since Volta: without a __syncwarp between each "
       "read and each write a lane adds a neighbour's cell too early or too late",
       {read_then_write, write_then_read, wrong_output},
       lane_orders},
      {"small_block",
       "the six steps are unconditional: a block below 64 threads reads past s",
       {past_shared},
       {}},
  };
  if (tree == Tree::unrolled) return defects;
  defects.push_back(loses_cells());
  defects.back().what += "; the tail takes others twice";
  defects.push_back(tree == Tree::loop ? block_offset() : unsigned_index());
  return defects;
}

std::vector<DefectEntry> shuffle_defects(std::vector<Expected> shows, std::string what,
                                         DefectEntry third) {
  return {no_bounds_check("neither of the two loads is compared with n"),
          {"partial_warp", std::move(what), std::move(shows), {}},
          std::move(third)};
}

Row warp_tail(Tree tree, std::string id, Origin origin, std::string documents, std::string claim,
              std::string idea, std::vector<std::string> has, std::vector<Expected> hides = {},
              std::vector<WithoutEntry> without = {}) {
  const bool unrolled = tree == Tree::unrolled;
  return make_row({
      .row = unrolled ? 7 : 6,
      .id = std::move(id),
      .origin = origin,
      .documents = std::move(documents),
      .claim = std::move(claim),
      .idea = std::move(idea),
      .mapping = {.load = Load::two, .shared = Shared::cell_per_thread, .finish = Finish::partials},
      .contract = unrolled
                      ? "blocks of 8, 16, ... 1024 threads (compiled for each), two elements a "
                        "thread; the grid covers n"
                      : "blocks of 1 to 1024 threads, two elements each; the grid covers n",
      .defects = tail_defects(tree),
      .types = {f32_pair},
      .without = std::move(without),
      .documented_has = std::move(has),
      .documented_hides = std::move(hides),
  });
}

}  // namespace

std::vector<Row> last_warp_rows() {
  std::vector<Row> rows;
  rows.push_back(warp_tail(
      Tree::loop, "volatile_warp_tail", Origin::printed, "A v4",
      "one warp needs no barrier, since its lanes run in lock step; s must be volatile",
      "first addition on load, a tree down to 64 cells, six steps of one warp on a volatile s",
      {"volatile_shared"}, {},
      {{{"syncwarp", "volatile_shared"}, {read_then_write, write_then_read, wrong_output}, {}}}));
  rows.push_back(
      warp_tail(Tree::loop_by_index, "volatile_warp_tail_pointer", Origin::printed, "B reduce4",
                "the last warp is unrolled; a device function takes s as a volatile pointer",
                "as volatile_warp_tail, with a plain s and a volatile pointer in the tail only",
                {"volatile_shared"}));
  rows.push_back(warp_tail(Tree::loop, "volatile_warp_tail_plain", Origin::described,
                           "A v4, question box",
                           "A asks why s has to be volatile: without it the result is wrong",
                           "as volatile_warp_tail, with nothing volatile", {}, {write_then_read}));
  rows.push_back(
      warp_tail(Tree::unrolled, "full_unroll", Origin::described,
                "A prose and table, \"loops fully unrolled\"",
                "unrolling the tree as well hardly changes the time: the kernel is bound by memory",
                "volatile_warp_tail with the tree unrolled from the template block size",
                {"volatile_shared"}));
  rows.push_back(make_row({
      .row = 8,
      .id = "shuffle_two_stage",
      .documents = "A v5",
      .claim = "shuffles exchange registers, so that shared memory holds one value per warp only",
      .idea = "every warp reduces by shuffles, then the first warp reduces the warps' values",
      .mapping = {.load = Load::two, .shared = Shared::none, .finish = Finish::partials},
      .contract = "blocks of 1 to 1024 threads, two elements each; the grid covers n",
      .defects = shuffle_defects({poison_out, wrong_output},
                                 "the full mask names lanes that a last, partial warp does not "
                                 "have, and that warp's value is dropped since only t < B/32 load",
                                 block_offset()),
      .types = {f32_pair},
  }));
  rows.push_back(make_row({
      .row = 9,
      .id = "shuffle_loop",
      .origin = Origin::described,
      .documents = "A prose",
      .claim = "a loop of shuffles can take the place of the unrolled tail",
      .idea = "first addition on load, a tree down to 32 cells, a loop of five shuffles",
      .mapping = {.load = Load::two, .shared = Shared::cell_per_thread, .finish = Finish::partials},
      .contract = "blocks of 1 to 1024 threads, two elements each; the grid covers n",
      .defects = shuffle_defects({poison_out},
                                 "in a block below 32 threads the full mask names lanes that do "
                                 "not exist, and what is shuffled from them is undefined",
                                 loses_cells()),
      .types = {f32_pair},
  }));
  rows.push_back(make_row({
      .row = 10,
      .id = "two_pass",
      .origin = Origin::described,
      .documents = "B prose, D launch, E",
      .claim = "blocks cannot wait for one another, so a second launch finishes; B argues both for "
               "more blocks and for more work per thread",
      .idea = "G blocks leave G partials, one block of a second launch reduces them",
      .mapping = {.load = Load::stride,
                  .shared = Shared::cell_per_thread,
                  .finish = Finish::two_buffers,
                  .swept = true},
      .contract = "blocks of 1 to 1024 threads, any grid: threads step through the input",
      .types = {f32_pair, {Type::f64, Type::f64}, {Type::i32, Type::i32}},
  }));
  return rows;
}

}  // namespace gauntlet::kernels::detail
