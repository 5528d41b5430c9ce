// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Writes down what a launch does that other threads can see, where that is asked for.
#pragma once

#include <cstdint>

#include "machine/engine/access.hpp"
#include "machine/engine/machine.hpp"

namespace gauntlet::simt {

/// Lanes synchronise. `variables`: by lane, of what has one.
void log_sync(EventLog& log, const Kernel& kernel, Event::What what, const Block& b, const Warp& w,
              std::uint32_t lanes, std::uint32_t inst, std::uint64_t group,
              const std::uint64_t* variables);
/// Lanes have accessed elements of the region, and synchronise under these variables.
void log_access(EventLog& log, const Access& a, const Region& r, std::uint32_t mask, bool shared,
                CopyStep copy, const std::uint64_t* variables);

}  // namespace gauntlet::simt
