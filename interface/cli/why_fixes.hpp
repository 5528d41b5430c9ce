// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which comparisons `gauntlet why` makes.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "interface/page/fixes.hpp"
#include "properties/case/variant.hpp"

namespace gauntlet::cli {

/// The forms that lack one fix each: of all fixes, or of the named one. Throws UsageError.
[[nodiscard]] std::vector<const Form*> forms_without(const Variant& variant,
                                                     const std::string& fix);

/// Two specs on a case that fails in the first: `c`, or of the shrunk counterexamples of 200 cases
/// the first that shows most, a wrong value before a bare race. Throws UsageError, CaseError.
[[nodiscard]] report::Fix fix_of_specs(const std::string& failing, const std::string& repaired_spec,
                                       const std::optional<Case>& c,
                                       const std::atomic<bool>& interrupted);

/// The forms of a spec that lack one fix each, or the named one, beside the one that has all, each
/// on a case that is found as above; or the form of `c` on that case. Throws UsageError, CaseError.
[[nodiscard]] std::vector<report::Fix> fixes_in_spec(const std::string& spec,
                                                     const std::string& fix,
                                                     const std::optional<Case>& c,
                                                     const std::atomic<bool>& interrupted);

}  // namespace gauntlet::cli
