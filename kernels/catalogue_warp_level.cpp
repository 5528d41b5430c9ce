// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 17 to 22: D's chapter on warp-level functions.
#include "kernels/catalogue_entry.hpp"

namespace gauntlet::kernels::detail {
namespace {

Row warp_level(int row, std::string id, Origin origin, std::string documents, std::string claim,
               std::string idea, std::string contract, std::vector<DefectEntry> defects) {
  return make_row({
      .row = row,
      .id = std::move(id),
      .origin = origin,
      .documents = std::move(documents),
      .claim = std::move(claim),
      .idea = std::move(idea),
      .mapping = {.load = Load::one, .shared = Shared::cell_per_thread, .finish = Finish::atomic},
      .contract = std::move(contract),
      .preconditions = {"out holds the identity before the launch"},
      .defects = std::move(defects),
      .types = {{Type::f32, Type::f32}, {Type::f64, Type::f64}},
  });
}

DefectEntry int_index_and_count() {
  return int_index_width(
      "index and count are int: from n = 2^31 on the count is negative and nothing is added, "
      "and blocks whose index is negative too read before the input, just before it or 2^31 "
      "elements away");
}

}  // namespace

std::vector<Row> warp_level_rows() {
  const std::string any = "blocks of 1 to 1024 threads, one element each; the grid covers n";
  return {
      warp_level(17, "syncwarp_tail", Origin::printed, "D reduce_syncwarp",
                 "inside a warp __syncwarp is enough and cheaper than a block barrier",
                 "shared tree down to 32 cells, then steps with if (t < o) and __syncwarp", any,
                 {half_the_block(),
                  {"small_block",
                   "the last loop starts at 16 whatever the block: below 32 threads it reads past "
                   "s",
                   {past_shared},
                   {}},
                  int_index_and_count()}),
      warp_level(18, "syncwarp_unmasked", Origin::printed, "D \"remove the if\"",
                 "D asks whether the test t < o can go, and says that it cannot",
                 "as syncwarp_tail, the last loop without its test", any,
                 {{"read_write_split",
                   "a lane reads a cell that another lane writes in the same step, and the last "
                   "threads read past s",
                   {past_shared, read_then_write, write_then_read, wrong_output},
                   {"high_lane_first", "random:1"}},
                  half_the_block(),
                  int_index_and_count()}),
      warp_level(19, "syncwarp_printed_fix", Origin::printed, "D, the fix that it prints",
                 "reading, a barrier, writing, a barrier makes the unmasked loop right",
                 "v += s[t+o], __syncwarp, s[t] += s[t+o], __syncwarp", any,
                 {{"read_write_split",
                   "after the barrier the cell is read again instead of the register, so the race "
                   "is still there",
                   {read_then_write, wrong_output},
                   {"high_lane_first", "random:1"}},
                  {"active_range",
                   "every thread is active, so that the last ones read past s, and warps read the "
                   "cells that the next warp writes",
                   {past_shared, read_then_write, write_then_read},
                   {}},
                  half_the_block(),
                  int_index_and_count()}),
      warp_level(20, "shuffle_down", Origin::printed, "D reduce_shfl",
                 "a shuffle synchronises its lanes, so that no __syncwarp is needed",
                 "the shared tree, then a loop of __shfl_down_sync in every warp", any,
                 {half_the_block(), full_mask({poison_out}), int_index_and_count()}),
      warp_level(21, "shuffle_xor", Origin::described, "D prose",
                 "__shfl_xor_sync does what __shfl_down_sync does",
                 "the shared tree, then a loop of __shfl_xor_sync in every warp", any,
                 {half_the_block(), full_mask({poison_out}), int_index_and_count()}),
      warp_level(22, "cooperative_tile", Origin::printed, "D", "a tile's shuffles need no mask",
                 "the shared tree, then shfl_down of a thread_block_tile<32>", any,
                 {half_the_block(), full_mask({poison_out}), int_index_and_count()}),
  };
}

}  // namespace gauntlet::kernels::detail
