// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The schedule in which one block comes last wherever it can.
#pragma once

#include <cstdint>
#include <memory>

#include "machine/schedules/scheduler.hpp"

namespace gauntlet::prove {

/// All `blocks` are resident; `last` goes on only while no other one can.
[[nodiscard]] std::unique_ptr<simt::Scheduler> make_last_block(std::uint32_t last,
                                                               std::uint32_t blocks);

}  // namespace gauntlet::prove
