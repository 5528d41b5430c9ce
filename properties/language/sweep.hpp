// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Proofs of specs at many sizes.
#pragma once

#include <cstdint>
#include <vector>

#include "properties/hunt/select.hpp"
#include "properties/language/source.hpp"
#include "properties/prove/sweep.hpp"

namespace gauntlet::spec {

/// One Sweep for each form that is selected and each of its types, in order, the same for any
/// number of jobs; of several forms those alone that lack no fix. What expects nothing is proved at
/// sizes that are drawn, `cases` times; what expects a finding must not be proved at the cases
/// beside it. Of an interrupted sweep, what was tried until then. Throws as spec::prove.
[[nodiscard]] std::vector<prove::Sweep> sweep(const Specs& specs,
                                              const std::vector<properties::Selected>& selected,
                                              std::uint64_t cases,
                                              const prove::SweepOptions& options);

}  // namespace gauntlet::spec
