// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Random cases, biased to the borders where reductions break. A case is compact and its data are
// made from its seed, so data are never generated (or shrunk).
// Numbers come from std::mt19937_64, whose sequence the C++ standard fixes: the same cases on any
// host.
#pragma once

#include <cstdint>
#include <span>

#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

struct GenerateOptions {
  /// Rough upper limit for the warp instructions of a launch at size 100. One case in 32 may take
  /// up to four times as many. A kernel is taken to need 100 per warp.
  std::uint64_t warp_instructions = 12000;
};

/// The case that `seed` gives; one in six has n near 2^31, 2^32 or 2^33 and runs in a window of
/// blocks, where the kernel's launch allows that. `size` (0..100) scales how many blocks n may
/// need, not which borders are drawn. A case that the launch contract refuses is redrawn a few
/// times, then returned. The grid is always filled in.
[[nodiscard]] Case draw_case(const Population& population, const Subject& subject,
                             std::uint64_t seed, int size, const GenerateOptions& options = {});

/// The block sizes drawn most; the distributions drawn for a type, repeated by weight.
[[nodiscard]] std::span<const std::uint32_t> border_blocks();
[[nodiscard]] std::vector<Data> distributions(const Instance& instance);

/// A seed of its own for a name: FNV-1a over the name, mixed with `seed`. The same on any host.
[[nodiscard]] std::uint64_t derive_seed(std::uint64_t seed, std::string_view name);

}  // namespace gauntlet::properties
