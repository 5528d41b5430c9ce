// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What running a case on the SIMT machine costs the host.
#pragma once

#include <cstdint>

#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::simt {

/// Inputs of more bytes than this are made page by page, as a kernel touches them. A window of
/// blocks touches little of its input.
[[nodiscard]] std::uint64_t sparse_from(const Case& c);

/// Elements that the input has, its tail included. A floating-point number: n goes up to 2^64 - 1.
[[nodiscard]] double input_elements(const Case& c, const Plan& plan);

/// Bytes of host memory that the case needs at most. `races`: with the race detector.
[[nodiscard]] double memory_needed(const Case& c, const Plan& plan, bool races);

/// Throws CaseError, in one line, where that is more than the host has free.
void check_memory(const Case& c, const Plan& plan, bool races);

}  // namespace gauntlet::simt
