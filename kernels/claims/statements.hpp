// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One measurement for each statement of statements.txt. The figures decide the verdict.
#pragma once

#include "kernels/claims/claim.hpp"

// clang-format off
#define GAUNTLET_STATEMENTS(each)                                                                  \
  each(1, votes_of_named_lanes) each(2, shuffle_widths) each(3, printed_default_mask)              \
  each(4, sync_functions_order) each(5, lock_step) each(6, pre_volta_build)                        \
  each(7, cooperative_groups) each(8, warp_composition) each(9, coalescing) each(10, banks)        \
  each(11, conflicts_of_ladder) each(12, conflicts_of_issue) each(13, resident_blocks_of_int4)     \
  each(14, half_the_shared_memory) each(15, never_touched_again) each(16, ladder_of_speedups)      \
  each(17, profile_of_vector_kernels) each(18, unrolling_and_barriers)                             \
  each(19, many_elements_per_thread) each(20, fewer_fatter_blocks)                                 \
  each(21, one_tile_or_two_passes) each(22, no_conflicts_of_bitmask)                               \
  each(23, baseline_without_test) each(24, idle_lanes_of_baseline) each(25, cost_of_divergence)    \
  each(26, whole_warps_of_v1) each(27, conflicts_where_2s_is_a_multiple_of_32)                     \
  each(28, one_bank_many_threads) each(29, shift_or_division) each(30, threads_that_work)          \
  each(31, missing_volatile) each(32, unrolling_by_hand)                                           \
  each(33, parallelism_of_unrolled_shuffles) each(34, one_register_less)                           \
  each(35, barriers_of_last_rounds) each(36, memory_bound) each(37, number_of_warp_reductions)     \
  each(38, zeros_for_missing_warps) each(39, table_of_the_ladder)                                  \
  each(40, no_synchronisation_of_the_grid) each(41, many_blocks_then_one)                          \
  each(42, divergence_and_conflicts_of_reduce0) each(43, own_program_counter)                      \
  each(44, shared_memory_as_the_only_way) each(45, advantages_of_shuffles)                         \
  each(46, shuffles_for_two_dimensions) each(47, shared_memory_saves_global)                       \
  each(48, registers_of_shared_memory) each(49, parallelism_lost_by_an_if)                         \
  each(50, zero_as_padding) each(51, order_of_the_sides) each(52, branch_on_the_block)             \
  each(53, cost_of_remainder) each(54, divergence_eliminated) each(55, work_of_the_first_rounds)   \
  each(56, conflicts_with_32_threads) each(57, requests_of_a_warp) each(58, stores_of_four)        \
  each(59, transactions_of_four) each(60, bytes_of_a_vector_load) each(61, neighbours_of_four)     \
  each(62, padded_and_zeroed) each(63, dram_throughput) each(64, work_of_the_shuffle_kernel)       \
  each(65, copies_and_allocations) each(66, barrier_between_warps)                                 \
  each(67, no_barrier_without_shared_memory) each(68, block_of_one_warp)                           \
  each(69, cells_left_after_the_loop) each(70, shuffle_past_the_end)                               \
  each(71, rows_from_any_bank) each(72, demo_of_stride_32) each(73, demos_of_rows_and_columns)     \
  each(74, passes_of_doubles) each(75, divergence_within_a_warp)                                   \
  each(76, syncwarp_in_place_of_syncthreads) each(77, loop_without_the_if)                         \
  each(78, printed_repair) each(79, values_of_down_and_xor) each(80, xor_does_the_same)            \
  each(81, registers_instead_of_shared_memory) each(82, is_valid_of_groups)                        \
  each(83, misspelt_partition) each(84, run_time_group_as_tile) each(85, elements_far_apart)       \
  each(86, sum_of_reduce1) each(87, any_associative_operator) each(88, banks_of_thread_16)         \
  each(89, first_pass_into_output) each(90, storage_of_max_blocks)                                 \
  each(91, one_storage_for_all_sizes) each(92, bytes_that_are_allocated)                           \
  each(93, query_does_no_work) each(94, second_pass_of_one_block)
// clang-format on

namespace gauntlet::claims {

#define GAUNTLET_DECLARE(number, measure) Evidence measure(const Claim& claim);
GAUNTLET_STATEMENTS(GAUNTLET_DECLARE)
#undef GAUNTLET_DECLARE

}  // namespace gauntlet::claims
