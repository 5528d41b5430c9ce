// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The Plan of a case of the catalogue.
#pragma once

#include <memory>
#include <string>

#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::kernels {

/// The decoded kernels of a file, which all share, from any thread. Throws CaseError.
[[nodiscard]] std::shared_ptr<const simt::Module> module_named(const std::string& name);

/// The plan for a case. Throws CaseError (one line, with the nearest right spelling) for an unknown
/// variant or form, or types/operator with no compiled kernel.
[[nodiscard]] Plan plan(const Case& c);

/// The case with the grid that its plan has. Throws as plan does.
[[nodiscard]] Case resolved(Case c);

/// Plans the case and runs it, where its plan is not needed beside.
[[nodiscard]] Observation run(Executor& executor, const Case& c);

}  // namespace gauntlet::kernels
