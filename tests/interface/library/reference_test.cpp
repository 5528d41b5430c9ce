// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Results that a callable computes on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <gauntlet/gauntlet.hpp>

namespace {

using gauntlet::Kernel;
using gauntlet::Result;

const std::string folder = GAUNTLET_SPEC_PTX;

Kernel bare_tile_sum(bool right) {
  Kernel k(folder + "/blocks.ptx", right ? "tile_sum<true>" : "tile_sum<false>");
  k.in<float>("x", "n")
      .out<float>("y", "grid")
      .arg<int>("n", "n")
      .launch("grid=max(1, ceil(n / (4 * block))) block=32..256")
      .require("block % 32 == 0");
  return k;
}

void tiles(const gauntlet::Sizes& sizes, std::span<const float> x, std::span<float> y, int n) {
  ASSERT_EQ(x.size(), static_cast<std::size_t>(n));
  ASSERT_EQ(y.size(), sizes["grid"]);
  const std::size_t tile = 4 * sizes["block"];
  for (std::size_t i = 0; i < x.size(); ++i) y[i / tile] += x[i];
}

TEST(LibraryReference, a_right_kernel_holds_exactly_on_whole_numbers) {
  Kernel k = bare_tile_sum(true);
  k.data("ones iota small_integers").reference(tiles);
  EXPECT_TRUE(gauntlet::holds(k));
}

TEST(LibraryReference, a_lost_tail_is_found_and_shrunk) {
  Kernel k = bare_tile_sum(false);
  k.data("ones iota small_integers").reference(tiles);
  const Result result = gauntlet::holds(k);
  EXPECT_FALSE(result);
  EXPECT_NE(result.message().find("\n  n=1 block=32"), std::string::npos) << result;
  EXPECT_NE(result.message().find("wrong_result y[0]"), std::string::npos) << result;
  EXPECT_NE(result.message().find("got 0, expected 1, as the reference gives it"),
            std::string::npos)
      << result;
}

TEST(LibraryReference, another_order_of_additions_needs_a_tolerance) {
  const auto in_order = [](const gauntlet::Sizes& sizes, std::span<const float> x,
                           std::span<float> y, int n) { tiles(sizes, x, y, n); };
  Kernel k = bare_tile_sum(true);
  k.data("uniform");
  EXPECT_FALSE(gauntlet::holds(k.reference(in_order)));
  EXPECT_TRUE(gauntlet::holds(k.reference(in_order, {.absolute = 1e-3})));
}

TEST(LibraryReference, integers_are_exact_whatever_the_tolerance) {
  Kernel k(folder + "/blocks.ptx", "warp_sums<true>");
  k.in<int>("x", "n").out<int>("y", "ceil(n / 32)").arg<unsigned>("n", "n");
  k.launch("grid=ceil(n / 32) block=32").require("n > 0");
  k.reference(
      [](std::span<const int> x, std::span<int> y, unsigned) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          const auto sum = static_cast<unsigned>(y[i / 32]) + static_cast<unsigned>(x[i]);
          y[i / 32] = static_cast<int>(sum);
        }
        y[0] += x.size() == 77 ? 1 : 0;
      },
      {.absolute = 100});
  EXPECT_TRUE(gauntlet::holds_at(k, "n=76"));
  const Result result = gauntlet::holds_at(k, "n=77");
  EXPECT_FALSE(result);
  EXPECT_NE(result.message().find("wrong_result y[0], 4 bytes"), std::string::npos) << result;
}

TEST(LibraryReference, its_parameters_are_compared_with_the_declarations) {
  const auto refused = [](Kernel k, const std::string& part) {
    try {
      (void)gauntlet::holds(k);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const gauntlet::Error& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused(bare_tile_sum(true).reference([](std::span<const float>, std::span<float>) {}),
          "the reference takes (std::span<const float>, std::span<float>); the declarations are "
          "(std::span<const float>, std::span<float>, std::int32_t)");
  refused(bare_tile_sum(true).reference([](std::span<float>, std::span<float>, int) {}),
          "takes (std::span<float>, ");
  refused(bare_tile_sum(true).reference([](std::span<const float>, std::span<double>, int) {}),
          "std::span<double>");
}

TEST(LibraryReference, what_it_throws_makes_the_result_false) {
  Kernel k = bare_tile_sum(true);
  k.reference([](const gauntlet::Sizes& sizes, std::span<const float>, std::span<float>, int) {
    (void)sizes["m"];
  });
  const Result result = gauntlet::holds(k);
  EXPECT_FALSE(result);
  EXPECT_NE(result.message().find("the case has no size m"), std::string::npos) << result;
}

TEST(LibraryReference, scratch_is_left_out_and_content_is_seen) {
  Kernel k(folder + "/blocks.ptx", "warp_sums<true>");
  // The scratch array stands in the place of the input: the kernel reads zeros.
  k.scratch<int>("x", "n", "= 0").out<int>("y", "ceil(n / 32)", "= 5").arg<unsigned>("n", "n");
  k.launch("grid=ceil(n / 32) block=32").require("n > 0");
  k.reference([](std::span<int> y, unsigned) {
    ASSERT_EQ(y[0], 5);
    std::ranges::fill(y, 0);
  });
  EXPECT_TRUE(gauntlet::holds(k, {.cases = 20}));
}

TEST(LibraryTypes, halves_round_to_nearest_even) {
  EXPECT_EQ(gauntlet::half(1.0F).bits, 0x3c00);
  EXPECT_EQ(gauntlet::half(2049.0F).bits, gauntlet::half(2048.0F).bits);
  EXPECT_EQ(float(gauntlet::half(65519.0F)), 65504.0F);
  EXPECT_TRUE(std::isinf(float(gauntlet::half(65520.0F))));
  EXPECT_EQ(gauntlet::bfloat16(1.0F).bits, 0x3f80);
  EXPECT_EQ(float(gauntlet::bfloat16(257.0F)), 256.0F);
}

TEST(LibraryTypes, cpp_types_have_the_names_of_the_spec) {
  EXPECT_EQ(gauntlet::type_name<unsigned char>(), "u8");
  EXPECT_EQ(gauntlet::type_name<short>(), "i16");
  EXPECT_EQ(gauntlet::type_name<unsigned>(), "u32");
  EXPECT_EQ(gauntlet::type_name<long long>(), "i64");
  EXPECT_EQ(gauntlet::type_name<gauntlet::half>(), "f16");
  EXPECT_EQ(gauntlet::type_name<double>(), "f64");
}

}  // namespace
