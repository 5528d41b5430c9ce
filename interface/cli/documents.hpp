// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// docs/documents.md: which texts the letters A to E stand for, and for each of their kernels the
// variant, its defects, the statements that judge it and the first counterexample.
#pragma once

#include <string>

namespace gauntlet::cli {

/// From the catalogue, the statements and the committed counterexamples (`regressions_dir` empty:
/// the source tree's). Throws CaseError for a file of counterexamples that does not parse.
[[nodiscard]] std::string documents_page(const std::string& regressions_dir = "");

}  // namespace gauntlet::cli
