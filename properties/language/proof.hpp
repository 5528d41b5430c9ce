// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Proofs of specs (docs/prove.md): each cell has the normal form of its formula, for all data and
// all schedules, with no fewer bits on the way; and its values are compared in some runs.
#pragma once

#include <optional>

#include "properties/language/source.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::spec {

/// A proof, and the trees that a run had even where it proves nothing.
struct SpecProof {
  prove::Proof proof;
  /// How the kernel adds, for all data and all schedules; null where that is not known, or where
  /// atomics add floats in any order. Also of a kernel whose partial results are rounded to a
  /// narrower format than the formula's.
  std::optional<Heights> heights;
};

/// `runs`: so many are compared with the formula. `reals`: what is no proof otherwise is tried over
/// real numbers, which gives no heights. Throws as Executor::run and judge do.
[[nodiscard]] SpecProof prove(const Specs& specs, const Case& c, unsigned runs = 8,
                              bool reals = true);

}  // namespace gauntlet::spec
