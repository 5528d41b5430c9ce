// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 13: resident blocks with int elements in shared memory and with int4.
#pragma once

namespace gauntlet::claims {

/// Over blocks of 8 to 1024 threads and all architectures of the toolkit.
struct Residency {
  struct Counts {
    int configurations = 0;
    int lowered = 0;  ///< in which fewer int4 blocks are resident than int ones
    int scalar_blocks = 0, staged_blocks = 0;  ///< on sm_89, the document's device, with B = 32
  };
  bool fourfold = true;        ///< int4 takes exactly four times the shared memory
  Counts as_needed, smallest;  ///< by carve-out
};
[[nodiscard]] Residency residency();

}  // namespace gauntlet::claims
