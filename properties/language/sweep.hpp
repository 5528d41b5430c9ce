// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Proofs of specs at many sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/language/source.hpp"
#include "properties/prove/sweep.hpp"

namespace gauntlet::spec {

/// One Sweep for each spec, in order, the same for any number of jobs. A spec that expects nothing
/// is proved at sizes that are drawn, `cases` times; one that expects a finding must not be proved
/// at the cases beside it. Of an interrupted sweep, what was tried until then. Throws as
/// spec::prove.
[[nodiscard]] std::vector<prove::Sweep> sweep(const Specs& specs, std::uint64_t cases,
                                              const prove::SweepOptions& options);

}  // namespace gauntlet::spec
