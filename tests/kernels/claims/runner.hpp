// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The executor that this test program is for: simt_runner.cpp or gpu_runner.cpp.
#pragma once

#include <gtest/gtest.h>

#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {

using namespace profile;

[[nodiscard]] const Runner& runner();

/// Every value compared was as the formula says, and there were at least `least` of them.
inline void expect_holds(const Survey& survey, std::uint64_t least) {
  EXPECT_TRUE(survey.holds()) << survey.agree << " of " << survey.compared << "; " << survey.first;
  EXPECT_GE(survey.compared, least);
}

}  // namespace gauntlet::claims
