// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One measurement for each statement; claims.cpp has the table. The figures decide the verdict.
#pragma once

#include "claims/claim.hpp"

namespace gauntlet::claims {

Evidence votes_of_named_lanes();       // 1
Evidence shuffle_widths();             // 2
Evidence printed_default_mask();       // 3
Evidence sync_functions_order();       // 4
Evidence lock_step();                  // 5
Evidence pre_volta_build();            // 6
Evidence cooperative_groups();         // 7
Evidence warp_composition();           // 8
Evidence coalescing();                 // 9
Evidence banks();                      // 10
Evidence conflicts_of_ladder();        // 11
Evidence conflicts_of_issue();         // 12
Evidence resident_blocks_of_int4();    // 13
Evidence half_the_shared_memory();     // 14
Evidence never_touched_again();        // 15
Evidence ladder_of_speedups();         // 16
Evidence profile_of_vector_kernels();  // 17
Evidence unrolling_and_barriers();     // 18
Evidence many_elements_per_thread();   // 19
Evidence fewer_fatter_blocks();        // 20
Evidence one_tile_or_two_passes();     // 21
Evidence divergence_of_bitmask();      // 22

}  // namespace gauntlet::claims
