// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs without results, of the kernels in orders.cu: those whose output has the same bits in every
// schedule are proved, their neighbours are not, although the run that is looked at is as it must
// be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "properties/language/proof.hpp"
#include "spec_kernels.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

class SameBits : public test::SpecKernels {
 protected:
  prove::Proof proved(const std::string& kernel, const std::string& text,
                      std::vector<NamedSize> sizes) {
    static const std::atomic<bool> interrupted{false};
    const auto ptx = fs::relative(fs::path(GAUNTLET_SPEC_PTX) / "orders.ptx", folder_);
    const Given given{.path = (folder_ / "t.gauntlet").string(),
                      .text = fmt::format("kernel {} '{}'\n{}", ptx.string(), kernel, text)};
    const Specs specs(std::vector{given}, interrupted);
    Case c;
    c.variant = specs.variants().front().id;
    c.form = "spec";
    c.sizes = std::move(sizes);
    return prove(specs, c).proof;
  }
  /// Every thread of several blocks brings its element to y.
  prove::Proof brought(const std::string& how, const std::string& type) {
    const std::string entry = fmt::format("bring<{}>", how);
    return proved(entry,
                  fmt::format("in x:f32[n]\nout y:{}[1] = 0\narg n:u32 = n\n"
                              "launch grid=max(1, ceil(n / 32)) block=32\nresult none\n",
                              type),
                  {{"n", 100}});
  }
  /// Each of so many blocks brings a constant to y.
  prove::Proof constants(const std::string& how, const std::string& type, std::uint64_t blocks) {
    return proved(fmt::format("bring_constants<{}>", how),
                  fmt::format("size g = 1..8\nout y:{}[1] = 0\nlaunch grid=g block=32\n"
                              "result none\n",
                              type),
                  {{"g", blocks}});
  }
  prove::Proof finished(const std::string& last, const std::string& result) {
    return proved(fmt::format("finish<(Last){}>", last),
                  "in x:f32[n]\nout y:f32[4] = 0\nscratch p:f32[grid] = 0\n"
                  "scratch ticket:u32[1] = 0 kept\narg n:u32 = n\n"
                  "launch grid=max(1, ceil(n / 32)) block=32\nresult " +
                      result + "\n",
                  {{"n", 100}});
  }
};

void expect_of_order(const prove::Proof& proof, const std::string& why) {
  ASSERT_EQ(proof.verdict, prove::Verdict::no_proof) << prove::text(proof);
  EXPECT_NE(proof.cause->what.find(why), std::string::npos) << prove::text(proof);
}

TEST_P(SameBits, are_not_what_atomics_make_of_floats) {
  const std::string why = "in the order in which threads come";
  expect_of_order(brought("FloatSum, float", "f32"), why);
  expect_of_order(brought("DoubleSum, double", "f64"), why);
  expect_of_order(brought("Swapped<false>, float", "f32"), why);
  for (const auto& [how, type] :
       {std::pair{"WordSum, unsigned", "u32"}, {"Swapped<true>, float", "f32"}}) {
    const auto proof = brought(how, type);
    EXPECT_TRUE(proof.proved()) << prove::text(proof);
    EXPECT_EQ(std::count(proof.assumed.begin(), proof.assumed.end(), "signed_zero"), 0);
  }
}
TEST_P(SameBits, are_not_what_atomics_make_of_constants) {
  const std::string why = "in the order in which threads come";
  expect_of_order(constants("FloatSum, float", "f32", 3), why);
  expect_of_order(constants("Swapped<false>, float", "f32", 3), why);
  for (const auto& [how, type, blocks] : {std::tuple{"WordSum, unsigned", "u32", 3U},
                                          {"Swapped<true>, float", "f32", 3U},
                                          {"FloatSum, float", "f32", 1U},
                                          {"Swapped<false>, float", "f32", 1U}}) {
    const auto proof = constants(how, type, blocks);
    EXPECT_TRUE(proof.proved()) << prove::text(proof);
  }
}
TEST_P(SameBits, are_there_whichever_block_comes_last) {
  for (const auto* last : {"0", "6"}) {
    const auto proof = finished(last, "none");
    EXPECT_TRUE(proof.proved()) << prove::text(proof);
    EXPECT_EQ(proof.runs, 5U);
    EXPECT_EQ(std::count(proof.assumed.begin(), proof.assumed.end(), "signed_zero"), 1);
  }
  const std::string why = "depends on which block takes the last ticket";
  for (const auto* last : {"1", "2", "3", "4", "5"}) expect_of_order(finished(last, "none"), why);
}
TEST_P(SameBits, are_there_of_what_a_formula_gives_too) {
  EXPECT_TRUE(finished("6", "y[0] = 7").proved());
  // In the run that is compared block 3 comes last.
  expect_of_order(finished("3", "y[0] = 3"), "depends on which block takes the last ticket");
  // A sum may be made in another order.
  const auto sum = finished("1", "y[0] = sum(x)");
  EXPECT_TRUE(sum.proved()) << prove::text(sum);
  EXPECT_TRUE(sum.any_association);
}
TEST_P(SameBits, are_not_enough_of_an_array_that_is_to_be_left_as_it_was) {
  const auto proof = proved("bring<WordSum, unsigned>",
                            "in x:f32[n]\nscratch y:u32[1] = 0 kept\narg n:u32 = n\n"
                            "launch grid=max(1, ceil(n / 32)) block=32\nresult none\n",
                            {{"n", 100}});
  expect_of_order(proof, "y[0] is not left as it was found");
}
TEST_P(SameBits, are_not_what_other_data_leave_undefined) {
  const auto replaced = [&](const std::string& by_data) {
    return proved("replaced<" + by_data + ">",
                  "in x:i32[n]\nout y:i32[n]\narg n:u32 = n\nlaunch grid=1 block=32\n"
                  "require n <= 32\ndata ones iota small_integers\nresult none\n",
                  {{"n", 20}});
  };
  EXPECT_TRUE(replaced("false").proved()) << prove::text(replaced("false"));
  expect_of_order(replaced("true"), "is undefined for some data");
}

INSTANTIATE_TEST_SUITE_P(Own, SameBits, testing::Values("orders"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gauntlet::spec
