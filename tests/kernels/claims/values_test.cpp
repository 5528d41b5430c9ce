// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 9 and 10 on both executors: whatever an access costs, it brings the right bytes.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/claims/survey.hpp"
#include "tests/kernels/claims/runner.hpp"

namespace gauntlet::claims {
namespace {

TEST(Statement10, conflicts_change_no_value) {
  Survey survey;
  for (const std::string entry : {"load_b8", "load_b16", "load_b32", "load_b64", "load_b128"}) {
    for (std::uint32_t stride = 0; stride <= 33; ++stride) {
      const BankPattern pattern = bank_stride(stride);
      const std::uint32_t width = access_bytes(entry);
      const auto out = runner()(bank_call(entry, pattern)).array<std::uint8_t>("out");
      for (std::uint32_t i = 0; i < 32 * width; ++i) {
        // Word k of shared memory holds k, lowest byte first.
        const std::uint32_t at = pattern.index[i / width] * width + i % width;
        const auto expected = static_cast<std::uint8_t>(at / 4 >> (8 * (at % 4)));
        survey.add(out[i] == expected, [&] {
          return fmt::format("{} stride {}: byte {} is {}, not {}", entry, stride, i, out[i],
                             expected);
        });
      }
    }
  }
  expect_holds(survey, 33'000);
}

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
      EXPECT_EQ(runner()(call).array<std::uint32_t>("out"), expected)
          << "B = " << block << ", stride " << stride;
    }
  }
}

}  // namespace
}  // namespace gauntlet::claims
