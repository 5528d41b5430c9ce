// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the documents say of cost and accuracy that no launch time shows (statement 19).
#pragma once

#include <functional>
#include <vector>

#include "gpu/timing/report/report.hpp"
#include "properties/case/executor.hpp"

namespace gauntlet::timing {

/// Host time of getting and giving back the partials of document D's launch (10240 floats) in each
/// call, and of finding a static array instead.
[[nodiscard]] std::vector<HostCost> allocation_costs(unsigned repetitions);

/// Sums of 10^8 real f32 elements, by kernels in which a thread adds many of them and by kernels in
/// which it adds one and the blocks' values meet in an atomic: five seeds each. `cancelled` is
/// asked before each.
[[nodiscard]] std::vector<Accuracy> accuracies(Executor& gpu,
                                               const std::function<bool()>& cancelled);

}  // namespace gauntlet::timing
