// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A check as JUnit's XML, which test reports of CI systems read (the common subset: testsuites,
// testsuite, testcase, failure, error, skipped).
#pragma once

#include <string>

#include "properties/hunt/check.hpp"

namespace gauntlet::formats {

/// A suite for each variant (a spec: its file), a test for each form. A form that is not as
/// expected is a failure, whose text has what is missing or extra and the case lines; one that was
/// not finished is skipped. No times: the file depends on the options only.
[[nodiscard]] std::string junit(const properties::CheckReport& report);

}  // namespace gauntlet::formats
