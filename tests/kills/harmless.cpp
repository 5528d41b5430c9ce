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
      {"", "kernels/warp_tail.cuh:70", "bar.warp.sync",
       "the step of 32 reads s[32] to s[63], which the tail does not write; in a block of 8 those "
       "of "
       "16 and 8 read nothing"},
      {"", "kernels/warp_tail.cuh:72", "bar.warp.sync",
       "after the last step thread 0 reads s[0], which it wrote itself; in a block of 8 the next "
       "step reads nothing, and its own barrier follows"},
      {"full_unroll", "kernels/unrolled.cuh:48", "bar.sync",
       "a block of 8 or 32 threads is one warp, and the tail's first warp barrier stands before "
       "the "
       "first read of a neighbour's cell"},
      {"interleaved_compacted", "kernels/interleaved.cuh:23", "setp.ge.u32 false",
       "of `j < B && j + k < B` the second implies the first"},
      {"", "kernels/vector.cuh:41", "setp.le.u64 false",
       "every vector is then loaded element by element: the same values, only slower"},
      {"", "kernels/batch.cuh:109", "setp.le.u64 false", looked_at},
      {"dependent_launch", "kernels/dependent.cuh:48", "setp.ge.u64 true", asked_for},
      {"dependent_launch", "kernels/dependent.cuh:48", "setp.ge.u64 false", asked_for},
      {"int4_through_shared", "kernels/vector.cuh:112", "bar.sync",
       "each thread reads back the 16 bytes that it stored itself"},
      {"syncwarp_tail", "kernels/syncwarp.cuh:55", "bar.warp.sync",
       "after the last step thread 0 reads s[0], which it wrote itself"},
      {"syncwarp_unmasked", "kernels/syncwarp.cuh:82", "bar.warp.sync",
       "after the last step thread 0 reads s[0], which it wrote itself"},
      {"syncwarp_printed_fix", "kernels/syncwarp.cuh:111", "bar.warp.sync",
       "after the last step thread 0 reads s[0], which it wrote itself"},
      {"cub_block", "kernels/cub_block.cu:35", "bar.sync",
       "BlockReduce of a single warp works by shuffles: there is no storage that lanes share"},
      {"cub_warp", "kernels/cub_warp.cu:40", "bar.warp.sync",
       "WarpReduce works by shuffles: its storage is an empty type, which the kernel asserts"},
  };
  return list;
}

}  // namespace gauntlet::kills
