// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run cost.
#pragma once

#include <cstdint>
#include <tuple>

#include "base/fields.hpp"

namespace gauntlet {

/// What a run cost, summed over its launches. Zero where an executor cannot count.
struct Counters {
  std::uint64_t launches = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;  ///< completed block barriers
  std::uint64_t atomics = 0;   ///< thread-level
  bool operator==(const Counters&) const = default;
  Counters& operator+=(const Counters& other) {
    launches += other.launches;
    warp_instructions += other.warp_instructions;
    thread_instructions += other.thread_instructions;
    divergent_branches += other.divergent_branches;
    barriers += other.barriers;
    atomics += other.atomics;
    return *this;
  }
};
constexpr auto fields(const Counters*) {
  return std::tuple{field("launches", &Counters::launches),
                    field("warp_instructions", &Counters::warp_instructions),
                    field("thread_instructions", &Counters::thread_instructions),
                    field("divergent_branches", &Counters::divergent_branches),
                    field("barriers", &Counters::barriers),
                    field("atomics", &Counters::atomics)};
}

}  // namespace gauntlet
