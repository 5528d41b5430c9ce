// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 9 and 10 on both executors: whatever an access costs, it brings the right bytes.
#include "kernels/claims/survey.hpp"
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

TEST(Statement10, conflicts_change_no_value) { expect_holds(survey_bank_values(runner()), 33'000); }

TEST(Statement9, strides_change_no_value) {
  for (const std::uint32_t block : {8U, 32U, 48U}) {
    for (std::uint32_t stride = 1; stride <= 33; ++stride) {
      const std::uint32_t n = 4 * block;
      std::vector<std::uint32_t> in(n * stride + 1), expected(n);
      for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = 3 * i + 1;
      for (std::uint32_t i = 0; i < n; ++i) expected[i] = in[1 + i * stride];
      Call call("coalescing", "load_b32", {4}, {block});
      call.in("in", in).value(1U).value(1U).value(stride).value(n);
      call.out<std::uint32_t>("out", n);
      EXPECT_EQ(runner().run(call).array<std::uint32_t>("out"), expected)
          << "B = " << block << ", stride " << stride;
    }
  }
}

}  // namespace
}  // namespace gauntlet::claims
