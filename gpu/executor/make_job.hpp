// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// From a case and its plan to what a worker is asked.
#pragma once

#include "gpu/executor/job.hpp"
#include "properties/case/case.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::cuda {

/// The job of a case with this plan, which must not refuse it.
[[nodiscard]] Job make_job(const Case& c, const Plan& plan);

}  // namespace gauntlet::cuda
