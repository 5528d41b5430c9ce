// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A program on each of the machine's ways (fast_ways_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "machine/engine/module.hpp"
#include "machine/races/access_map.hpp"
#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/access_program.hpp"

namespace gauntlet::simt::test::fast_ways {

struct Ran {
  LaunchReport report;
  std::vector<std::byte> content;
  std::vector<std::uint8_t> states;
  using Accesses = std::vector<std::tuple<Address, Address, int, std::uint32_t, std::uint32_t>>;
  Accesses accesses;  ///< where somebody asks
  Accesses early;     ///< before the wait for the launch before
  std::tuple<bool, bool, bool> steps;
};

[[nodiscard]] Ran::Accesses taken(AccessMap& map);

enum class Way : std::uint8_t { by_lane, by_instruction, accounted, usual, on_threads };

[[nodiscard]] Ran run(const std::shared_ptr<const Module>& module, const AccessShape& shape,
                      std::uint32_t blocks, const std::string& schedule, Way way);

/// What the machine does on its usual ways; fails where it does something else on another one.
[[nodiscard]] Ran same_on_all_ways(const std::shared_ptr<const Module>& module,
                                   const AccessShape& shape, std::uint32_t blocks,
                                   const std::string& schedule, const std::string& ptx);

}  // namespace gauntlet::simt::test::fast_ways
