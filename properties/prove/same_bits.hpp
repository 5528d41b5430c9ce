// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Whether cases give the same bits from the same data: another block size, another kernel.
#pragma once

#include <string>
#include <vector>

#include "properties/prove/prove.hpp"

namespace gauntlet::prove {

struct SameBits {
  bool same = false;
  std::string why;  ///< one sentence, no full stop
};

/// Integers, minima and maxima have the same bits wherever they reduce the same elements; what is
/// rounded needs the same tree, and one that no schedule changes.
[[nodiscard]] SameBits same_bits(const std::vector<Proof>& proofs);

/// The hash of each, and what follows from them.
[[nodiscard]] std::string hashes(const std::vector<Proof>& proofs);

}  // namespace gauntlet::prove
