// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A case on a device, before its launches and after them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/device.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet {

/// `bytes` of a value over and over: a buffer that holds an operator's identity.
[[nodiscard]] std::vector<std::byte> repeated(Type type, std::uint64_t bits, std::uint64_t bytes);

/// Allocates and fills the arrays of a plan. The result is indexed as Arg::array is (Plan::input,
/// Plan::buffer). An input of more than `sparse_from` bytes is made page by page.
[[nodiscard]] std::vector<Address> prepare(
    Device& device, const Case& c, const Plan& plan,
    std::uint64_t sparse_from = std::numeric_limits<std::uint64_t>::max());

/// What an array holds, and what is known of each of its cells.
[[nodiscard]] ObservedBuffer read_cells(Device& device, std::string name, Type type,
                                        std::uint64_t cells, Address from,
                                        std::vector<CellState>& states);

/// Reads what the plan observes into observation.buffers. Where the run completed, an array with
/// cells that had to be written and were not is a finding.
void collect(Device& device, const Case& c, const Plan& plan, const std::vector<Address>& arrays,
             Observation& observation);

/// The finding of cells that nobody wrote; `first` is an index into the observed array's cells.
[[nodiscard]] Finding unwritten_output(const Plan& plan, const Observed& observed, Type type,
                                       std::uint64_t first, std::uint64_t count);

}  // namespace gauntlet
