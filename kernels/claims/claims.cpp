// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 1 to 22 of the table. `recorded` is what the figures said when it was written;
// measuring says it again.
#include <algorithm>
#include <exception>
#include <iterator>

#include "kernels/claims/statements.hpp"

namespace gauntlet::claims {

namespace {

std::vector<Claim> first_claims() {
  using enum Verdict;
  return {
      {1,
       "D section 10",
       "votes (__ballot_sync, __all_sync, __any_sync) look at the lanes that the mask names, and "
       "at no other",
       is_true,
       "lanes that vote elsewhere at the same time do not count",
       {"gauntlet claims 1"},
       votes_of_named_lanes},
      {2,
       "D section 10",
       "a shuffle of width w, one of 2, 4, 6, 8, 16, 32, sees groups of w lanes in which lane t "
       "has the index t & (w - 1); a source outside the group gives the lane its own value",
       true_if,
       "w is a power of two, and the shuffle is up or down",
       {"gauntlet repro claim:2",
        "gauntlet repro 'grid_stride@fixed-first_offset f32->f32 sum n=32 block=32'"},
       shuffle_widths,
       {"grid_stride", "static_partials"}},
      {3,
       "D section 10",
       "the default mask of __syncwarp, as printed, is 0xfffffff: seven f's",
       is_false,
       "it has eight; seven leave lanes 28 to 31 out",
       {"gauntlet repro claim:3"},
       printed_default_mask},
      {4,
       "D section 10",
       "functions that end in _sync synchronise the warp, so that no __syncwarp is needed",
       true_if,
       "only the values that they exchange matter; shared memory needs __syncwarp, and between a "
       "read and a write of one cell too, which D's printed repair lacks",
       {"gauntlet repro claim:4",
        "gauntlet repro 'syncwarp_printed_fix@fixed-read_write_split f32->f32 sum n=3 block=3 "
        "schedule=high_lane_first'"},
       sync_functions_order,
       {"syncwarp_printed_fix"}},
      {5,
       "A, B, C (D says otherwise)",
       "threads of a warp need no synchronisation, since the hardware runs them in lock step",
       is_false,
       "since Volta lanes advance on their own",
       {"gauntlet repro claim:5", "gauntlet witness volatile_warp_tail@fixed-syncwarp"},
       lock_step,
       {"volatile_warp_tail", "volatile_warp_tail_pointer", "full_unroll"}},
      {6,
       "D",
       "building for a virtual architecture before Volta brings lock step back",
       obsolete,
       "current toolkits have no such architecture any more",
       {"nvcc --list-gpu-arch", "nvcc -ptx -arch=compute_60 gpu/profile/kernels/warp_barrier.cu"},
       pre_volta_build},
      {7,
       "D",
       "cooperative groups: a thread block knows its size and each thread's rank and indices, "
       "tiles can be made at compile time, at run time and inside other tiles, and their shuffles "
       "need no mask",
       is_true,
       "",
       {"gauntlet claims 7"},
       cooperative_groups,
       {"cooperative_tile"}},
      {8,
       "C",
       "a warp never spans two blocks: a block of 48 makes a full warp and a half empty one, a "
       "block of 33 wastes 31 lanes",
       is_true,
       "threads are counted x first, then y, then z",
       {"gauntlet claims 8"},
       warp_composition},
      {9,
       "C",
       "int loads cost one sector per request with B = 8 and four with B = 32: for n = 10^8 "
       "12,500,000 requests and as many sectors, then 3,125,000 requests and 12,500,000 sectors",
       is_true,
       "a sector is 32 bytes: 8 ints; what falls is the number of requests",
       {"gauntlet count 'interleaved_atomic@fixed i32->i32 sum n=100000 block=8'",
        "gauntlet count 'interleaved_atomic@fixed i32->i32 sum n=100000 block=32'"},
       coalescing,
       {"interleaved_atomic", "wide_active"}},
      {10,
       "C",
       "word i of shared memory lies in bank i mod 32: stride 2 is a conflict of two, stride 32 "
       "one of 32, one word for all is a broadcast, bytes and shorts of a word do not conflict, "
       "8-byte words take two passes without conflict, and a column of [32][33] has none",
       is_true,
       "",
       {"gauntlet claims 10"},
       banks},
      {11,
       "A v0, v1, v2; E",
       "giving neighbouring threads work removes v0's divergence and brings bank conflicts (v1), "
       "which sequential addressing does not have (v2)",
       is_true,
       "v1 diverges only once less than a warp works",
       {"gauntlet count 'interleaved_bitmask@fixed f32->f32 sum n=256 block=256' --by interval",
        "gauntlet count 'interleaved_compacted@fixed f32->f32 sum n=256 block=256' --by interval",
        "gauntlet count 'sequential@fixed f32->f32 sum n=256 block=256' --by interval"},
       conflicts_of_ladder,
       {"interleaved_bitmask", "interleaved_compacted", "sequential"}},
      {12,
       "C",
       "bank conflicts that the profiler shows (77,021 in a kernel whose addresses do not "
       "conflict) "
       "can come from the pressure of many stores alone, and int4 stores bring them to zero",
       half_true,
       "a busy memory stage takes extra passes that no address asks for and that the profiler "
       "calls "
       "conflicts, but with int4 stores too",
       {"ci/gpu-issue", "gauntlet count 'wide_active@fixed i32->i32 sum n=1024 block=256'",
        "gauntlet count 'int4_through_shared@fixed i32->i32 sum n=1024 block=256'"},
       conflicts_of_issue,
       {"interleaved_atomic", "wide_active", "int4_through_shared"}},
      {13,
       "C",
       "int4 through shared memory takes four times the shared memory for each block and lowers "
       "the number of resident blocks",
       true_if,
       "shared memory is what limits residency, as with a small carve-out",
       {"gauntlet count 'wide_active@fixed i32->i32 sum n=4096 block=32' --arch sm_89",
        "gauntlet count 'int4_through_shared@fixed i32->i32 sum n=4096 block=32' --arch sm_89"},
       resident_blocks_of_int4,
       {"int4_through_shared"}},
      {14,
       "C v2",
       "cells with an odd index are read once only, so half the shared memory is enough",
       true_if,
       "a block has half as many threads, every thread loads two elements a block apart, and the "
       "tree stays inside the half",
       {"gauntlet repro claim:14",
        "gauntlet repro 'half_shared_half_block@fixed i32->i32 sum n=512 block=128'"},
       half_the_shared_memory,
       {"half_shared", "half_shared_half_block"}},
      {15,
       "A",
       "in step k + 1 the cells that step k added are neither read nor written",
       true_if,
       "every step tests which threads add, as the unrolled warp tail does not",
       {"gauntlet claims 15"},
       never_touched_again,
       {"interleaved_bitmask", "interleaved_compacted", "sequential"}},
      {16,
       "A",
       "the seven versions of the ladder take 3.23, 2.32, 2.25, 1.16, 0.67, 0.672 and 0.619 ms, at "
       "166.72 to 863.39 GB/s",
       not_reproduced,
       "the factors belong to the GPU that they were measured on, which A does not name; on this "
       "one "
       "a step even loses",
       {"gauntlet time interleaved_bitmask interleaved_compacted sequential first_add_on_load "
        "volatile_warp_tail full_unroll shuffle_two_stage --n 2^27 --types f32"},
       ladder_of_speedups,
       {"interleaved_bitmask", "interleaved_compacted", "sequential", "first_add_on_load",
        "volatile_warp_tail", "full_unroll", "shuffle_two_stage"}},
      {17,
       "C",
       "10^8 ints take 14.39 ms without divergence, 4.59 ms with int4 loads (n threads), 1.46 ms "
       "coarsened (n / 4 threads), 1.52 ms with shuffles (25,000,064 threads)",
       not_reproduced,
       "C launched its int4 kernel with four times the threads that it needs, and three quarters "
       "of "
       "its blocks had nothing to add; with as many threads as n needs coarsening gains nothing "
       "here",
       {"gauntlet time wide_active int4_through_shared int4_coarsened int4_shuffle --n 100000000 "
        "--types i32",
        "gauntlet count 'int4_through_shared@documented i32->i32 sum n=4096 block=32 grid=128'",
        "gauntlet count 'int4_coarsened@documented i32->i32 sum n=4096 block=32'"},
       profile_of_vector_kernels,
       {"wide_active", "int4_through_shared", "int4_coarsened", "int4_shuffle"}},
      {18,
       "A",
       "unrolling barely changes the time, since memory bounds the kernel; removing barriers does",
       true_if,
       "memory bounds the kernel, which on this GPU it does not yet do",
       {"gauntlet time first_add_on_load volatile_warp_tail full_unroll --n 2^27 --types f32"},
       unrolling_and_barriers,
       {"volatile_warp_tail", "full_unroll"}},
      {19,
       "D",
       "a thread that adds many elements a grid apart is faster and more accurate; static memory "
       "saves the cost of allocating for each call",
       is_true,
       "",
       {"gauntlet time shuffle_down grid_stride --n 2^27 --types f32"},
       many_elements_per_thread,
       {"grid_stride", "static_partials"}},
      {20,
       "B",
       "fewer, fatter blocks can beat more blocks",
       is_true,
       "up to a point: with fewer than fill the device it is slower again",
       {"gauntlet time two_pass --n 2^27 --types f32"},
       fewer_fatter_blocks,
       {"two_pass"}},
      {21,
       "E",
       "DeviceReduce reduces a small input in one launch of one tile, a larger one in two passes "
       "with evenly shared work",
       is_true,
       "shares differ by at most one tile",
       {"gauntlet claims 21"},
       one_tile_or_two_passes,
       {"cub_device"}},
      {22,
       "A",
       "in the baseline one thread of a warp works from s = 32 on, so that there is no bank "
       "conflict "
       "either",
       is_true,
       "nor is there any before: the bitmask kernel never conflicts",
       {"gauntlet count 'interleaved_bitmask@fixed f32->f32 sum n=256 block=256' --by interval"},
       no_conflicts_of_bitmask,
       {"interleaved_bitmask"}},
  };
}

}  // namespace

const std::vector<Claim>& claims() {
  static const auto all = [] {
    std::vector<Claim> table = first_claims();
    for (auto more : {claims_of_ladder(), claims_of_c(), claims_of_d_and_e()}) {
      std::ranges::move(more, std::back_inserter(table));
    }
    return table;
  }();
  return all;
}

std::vector<int> claims_about(std::string_view variant) {
  std::vector<int> numbers;
  for (const Claim& claim : claims()) {
    if (std::ranges::count(claim.judges, variant) != 0) numbers.push_back(claim.number);
  }
  return numbers;
}

Judged judge(const Claim& claim) {
  try {
    return {&claim, claim.measure()};
  } catch (const std::exception& error) {
    return {&claim, {std::nullopt, std::string("could not be measured: ") + error.what(), {}}};
  }
}

}  // namespace gauntlet::claims
