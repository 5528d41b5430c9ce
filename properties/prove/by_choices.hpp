// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

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

}  // namespace gauntlet::prove
