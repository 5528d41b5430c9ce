// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "machine/schedules/scheduler.hpp"
#include "machine/symbolic/shadow.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {

/// What of a run depends on data: guards, and where atomics find their cells.
struct ByData {
  simt::symbolic::Shadow::Steered guards;
  simt::symbolic::Shadow::Spread spread;
};

/// Tries to prove the case with the modules of these options; what it met.
using Attempt = std::function<Proof(const simt::ExecutorOptions&, ByData&)>;

/// Tries the case again with threads that go both ways where data decide (rule choice), and add at
/// every address that an atomic may have (rule spread), as long as more such places are met.
void by_choices(const simt::ExecutorOptions& machine, const Attempt& tried, ByData met,
                Proof& proof);

// The schedule in which one block comes last wherever it can.

/// All `blocks` are resident; `last` goes on only while no other one can.
[[nodiscard]] std::unique_ptr<simt::Scheduler> make_last_block(std::uint32_t last,
                                                               std::uint32_t blocks);

}  // namespace gauntlet::prove
