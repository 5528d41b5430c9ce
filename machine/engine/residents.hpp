// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How many blocks of a launch are resident at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/engine/machine.hpp"

namespace gauntlet::simt {

inline constexpr std::size_t most_residents = 64;

/// Throws std::invalid_argument where the blocks that must be resident at once are too many or too
/// large: a cooperative launch beyond what a GPU holds, or more host memory than the machine takes.
void check_residents(const Kernel& kernel, const LaunchConfig& config);
/// As many as the machine takes host memory for, at most `most_residents`.
[[nodiscard]] std::uint64_t resident_blocks(const Kernel& kernel, const LaunchConfig& config);

}  // namespace gauntlet::simt
