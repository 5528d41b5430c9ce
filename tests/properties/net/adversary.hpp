// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What no schedule of the machine shows, though PTX allows it: what a launch reads of one that it
// may overlap, halfway, and through loads that the memory model leaves out.
#pragma once

#include <string>
#include <vector>

#include "subject.hpp"

namespace gauntlet::net {

/// A load `.nc` that reads what its own launch writes (PTX ISA, 8.1: such accesses are not of the
/// memory model): where. Empty: there is none.
[[nodiscard]] std::string reads_stale(const Loaded& loaded, const std::string& ptx, const Case& c,
                                      const Plan& plan);

/// Runs in which a programmatic launch finds what the atomics and strong writes of the launch
/// before it had left at some time, instead of what they leave at last.
[[nodiscard]] std::vector<Observation> halfway(const Loaded& loaded, const Case& c,
                                               const Plan& plan);

}  // namespace gauntlet::net
