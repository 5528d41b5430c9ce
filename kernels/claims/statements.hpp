// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One measurement for each statement; claims.cpp and table_*.cpp have the table. The figures decide
// the verdict.
#pragma once

#include <vector>

#include "kernels/claims/claim.hpp"

namespace gauntlet::claims {

Evidence votes_of_named_lanes();                    // 1
Evidence shuffle_widths();                          // 2
Evidence printed_default_mask();                    // 3
Evidence sync_functions_order();                    // 4
Evidence lock_step();                               // 5
Evidence pre_volta_build();                         // 6
Evidence cooperative_groups();                      // 7
Evidence warp_composition();                        // 8
Evidence coalescing();                              // 9
Evidence banks();                                   // 10
Evidence conflicts_of_ladder();                     // 11
Evidence conflicts_of_issue();                      // 12
Evidence resident_blocks_of_int4();                 // 13
Evidence half_the_shared_memory();                  // 14
Evidence never_touched_again();                     // 15
Evidence ladder_of_speedups();                      // 16
Evidence profile_of_vector_kernels();               // 17
Evidence unrolling_and_barriers();                  // 18
Evidence many_elements_per_thread();                // 19
Evidence fewer_fatter_blocks();                     // 20
Evidence one_tile_or_two_passes();                  // 21
Evidence no_conflicts_of_bitmask();                 // 22
Evidence baseline_without_test();                   // 23
Evidence idle_lanes_of_baseline();                  // 24
Evidence cost_of_divergence();                      // 25
Evidence whole_warps_of_v1();                       // 26
Evidence conflicts_where_2s_is_a_multiple_of_32();  // 27
Evidence one_bank_many_threads();                   // 28
Evidence shift_or_division();                       // 29
Evidence threads_that_work();                       // 30
Evidence missing_volatile();                        // 31
Evidence unrolling_by_hand();                       // 32
Evidence parallelism_of_unrolled_shuffles();        // 33
Evidence one_register_less();                       // 34
Evidence barriers_of_last_rounds();                 // 35
Evidence memory_bound();                            // 36
Evidence number_of_warp_reductions();               // 37
Evidence zeros_for_missing_warps();                 // 38
Evidence table_of_the_ladder();                     // 39
Evidence no_synchronisation_of_the_grid();          // 40
Evidence many_blocks_then_one();                    // 41
Evidence divergence_and_conflicts_of_reduce0();     // 42
Evidence own_program_counter();                     // 43
Evidence shared_memory_as_the_only_way();           // 44
Evidence advantages_of_shuffles();                  // 45
Evidence shuffles_for_two_dimensions();             // 46
Evidence shared_memory_saves_global();              // 47
Evidence registers_of_shared_memory();              // 48
Evidence parallelism_lost_by_an_if();               // 49
Evidence zero_as_padding();                         // 50
Evidence order_of_the_sides();                      // 51
Evidence branch_on_the_block();                     // 52
Evidence cost_of_remainder();                       // 53
Evidence divergence_eliminated();                   // 54
Evidence work_of_the_first_rounds();                // 55
Evidence conflicts_with_32_threads();               // 56
Evidence requests_of_a_warp();                      // 57
Evidence stores_of_four();                          // 58
Evidence transactions_of_four();                    // 59
Evidence bytes_of_a_vector_load();                  // 60
Evidence neighbours_of_four();                      // 61
Evidence padded_and_zeroed();                       // 62
Evidence dram_throughput();                         // 63
Evidence work_of_the_shuffle_kernel();              // 64
Evidence copies_and_allocations();                  // 65
Evidence barrier_between_warps();                   // 66
Evidence no_barrier_without_shared_memory();        // 67
Evidence block_of_one_warp();                       // 68
Evidence cells_left_after_the_loop();               // 69
Evidence shuffle_past_the_end();                    // 70
Evidence rows_from_any_bank();                      // 71
Evidence demo_of_stride_32();                       // 72
Evidence demos_of_rows_and_columns();               // 73
Evidence passes_of_doubles();                       // 74
Evidence divergence_within_a_warp();                // 75
Evidence syncwarp_in_place_of_syncthreads();        // 76
Evidence loop_without_the_if();                     // 77
Evidence printed_repair();                          // 78
Evidence values_of_down_and_xor();                  // 79
Evidence xor_does_the_same();                       // 80
Evidence registers_instead_of_shared_memory();      // 81
Evidence is_valid_of_groups();                      // 82
Evidence misspelt_partition();                      // 83
Evidence run_time_group_as_tile();                  // 84
Evidence elements_far_apart();                      // 85
Evidence sum_of_reduce1();                          // 86
Evidence any_associative_operator();                // 87
Evidence banks_of_thread_16();                      // 88
Evidence first_pass_into_output();                  // 89
Evidence storage_of_max_blocks();                   // 90
Evidence one_storage_for_all_sizes();               // 91
Evidence bytes_that_are_allocated();                // 92
Evidence query_does_no_work();                      // 93
Evidence second_pass_of_one_block();                // 94

/// The parts of the table after statement 22.
std::vector<Claim> claims_of_ladder();   // 23 to 46: A and B
std::vector<Claim> claims_of_c();        // 47 to 75
std::vector<Claim> claims_of_d_and_e();  // 76 to 94

}  // namespace gauntlet::claims
