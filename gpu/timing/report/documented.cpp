// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/documented.hpp"

namespace gauntlet::timing {

const std::vector<DocumentedTime>& documented_times() {
  static const std::vector<DocumentedTime> times{
      {16, 'A', "interleaved_bitmask", 3.23},
      {16, 'A', "interleaved_compacted", 2.32},
      {16, 'A', "sequential", 2.25},
      {16, 'A', "first_add_on_load", 1.16},
      {16, 'A', "volatile_warp_tail", 0.67},
      {16, 'A', "full_unroll", 0.672},
      {16, 'A', "shuffle_two_stage", 0.619},
      // C tells the threads: 10^8, 10^8, 25,000,000 and 25,000,064, the last so many only of 128.
      {17, 'C', "wide_active", 14.39, 32, 3'125'000},
      {17, 'C', "int4_through_shared", 4.59, 32, 3'125'000},
      {17, 'C', "int4_coarsened", 1.46, 32, 781'250},
      {17, 'C', "int4_shuffle", 1.52, 128, 195'313},
  };
  return times;
}

const std::vector<DocumentedTable>& documented_tables() {
  static const std::vector<DocumentedTable> tables{
      {16, Type::f32, std::uint64_t{1} << 27},
      {17, Type::i32, 100'000'000},
  };
  return tables;
}

}  // namespace gauntlet::timing
