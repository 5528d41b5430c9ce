// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a fix is needed, on one page of 80 columns.
#pragma once

#include <string>
#include <vector>

#include "base/text/text.hpp"
#include "interface/cli/why_evidence.hpp"
#include "interface/page/fixes.hpp"

namespace gauntlet::cli {

/// The comparison, the race's steps with a column for each thread, the changed lines, the tools,
/// the cost. Findings quote the plain source of a form (kernels/plain), or a spec's own file.
[[nodiscard]] std::string why_page(const report::Fix& fix, const Evidence& evidence,
                                   const Style& style);

/// The same in a few lines.
[[nodiscard]] std::string why_lines(const report::Fix& fix, const Evidence& evidence,
                                    const Style& style);

}  // namespace gauntlet::cli
