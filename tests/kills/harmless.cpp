// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Deletions that change nothing, each with its proof in a sentence. One that is killed in some
// place and not in another is listed where it is not; the table says how often.
#include "tests/kills/kill.hpp"

namespace gauntlet::kills {

const std::vector<Harmless>& harmless() {
  static const std::string ordered_anyway =
      "barriers or warp barriers stand between this access and every other lane's, and keep the "
      "compiler from holding the cell in a register: the fix `syncwarp` makes `volatile` "
      "unnecessary";
  static const std::string step_of_32 =
      "the step of 32 reads s[32] to s[63], which the tail does not write; in a block of 8 those "
      "of 16 and 8 read nothing";
  static const std::string last_step =
      "after the last step thread 0 reads s[0], which it wrote itself; in a block of 8 the next "
      "step reads nothing, and its own barrier follows";
  static const std::string by_element =
      "every vector is then loaded element by element: the same values, only slower";
  static const std::string looked_at =
      "each vector of the tile is then compared with the input's end by itself: the same values, "
      "only slower";
  static const std::string asked_for =
      "a prefetch reads nothing: the check only keeps a block from asking for what it will not "
      "load";
  static const std::string how_much =
      "a prefetch reads nothing: only how much is asked for changes";
  static const std::vector<Harmless> list{
      {"", "", "ld.volatile", ordered_anyway},
      {"", "", "st.volatile", ordered_anyway},
      {"", "kernels/volatile_warp_tail.cu:60", "bar.warp.sync", step_of_32},
      {"", "kernels/volatile_warp_tail.cu:62", "bar.warp.sync", last_step},
      {"", "kernels/volatile_warp_tail_pointer.cu:23", "bar.warp.sync", step_of_32},
      {"", "kernels/volatile_warp_tail_pointer.cu:25", "bar.warp.sync", last_step},
      {"", "kernels/full_unroll.cu:52", "bar.warp.sync", step_of_32},
      {"", "kernels/full_unroll.cu:54", "bar.warp.sync", last_step},
      {"", "kernels/full_unroll.cu:24", "bar.sync",
       "a block of 8 or 32 threads is one warp, and the tail's first warp barrier stands before "
       "the first read of a neighbour's cell"},
      {"interleaved_compacted", "kernels/interleaved_compacted.cu:29", "setp.ge.u32 false",
       "of `j < B && j + k < B` the second implies the first"},
      {"", "kernels/int4_coarsened.cu:16", "setp.gt.u64 true", by_element},
      {"", "kernels/int4_shuffle.cu:15", "setp.gt.u64 true", by_element},
      {"", "kernels/int4_through_shared.cu:16", "setp.gt.u64 true", by_element},
      {"", "kernels/single_pass_ticket.cu:53", "setp.le.u64 false", looked_at},
      {"", "kernels/vector_batch.cu:49", "setp.le.u64 false", looked_at},
      {"", "kernels/single_pass_slots.cu:44", "setp.le.u64 false", looked_at},
      {"", "kernels/dependent_launch.cu:45", "setp.le.u64 false", looked_at},
      {"dependent_launch", "kernels/dependent_launch.cu:135", "setp.ge.u64 true", asked_for},
      {"dependent_launch", "kernels/dependent_launch.cu:135", "setp.ge.u64 false", asked_for},
      {"int4_through_shared", "kernels/int4_through_shared.cu:56", "bar.sync",
       "each thread reads back the 16 bytes that it stored itself"},
      {"syncwarp_tail", "kernels/syncwarp_tail.cu:34", "bar.warp.sync",
       "after the last step thread 0 reads s[0], which it wrote itself"},
      {"syncwarp_unmasked", "kernels/syncwarp_unmasked.cu:37", "bar.warp.sync",
       "after the last step thread 0 reads s[0], which it wrote itself"},
      {"syncwarp_printed_fix", "kernels/syncwarp_printed_fix.cu:44", "bar.warp.sync",
       "after the last step thread 0 reads s[0], which it wrote itself"},
      {"cub_block", "kernels/cub_block.cu:38", "bar.sync",
       "BlockReduce of a single warp works by shuffles: there is no storage that lanes share"},
      {"cub_warp", "kernels/cub_warp.cu:39", "bar.warp.sync",
       "WarpReduce works by shuffles: its storage is an empty type, which the kernel asserts"},
  };
  return list;
}

}  // namespace gauntlet::kills
