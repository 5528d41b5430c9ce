// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/spelling.hpp"

#include <gtest/gtest.h>

#include <array>

namespace gauntlet {
namespace {

constexpr std::array<std::string_view, 3> word_count{"sum", "product", "minimum"};

TEST(Spelling, distance_counts_slips_of_the_hand) {
  EXPECT_EQ(edit_distance("sum", "sum"), 0U);
  EXPECT_EQ(edit_distance("", "sum"), 3U);
  EXPECT_EQ(edit_distance("sm", "sum"), 1U);
  EXPECT_EQ(edit_distance("suum", "sum"), 1U);
  EXPECT_EQ(edit_distance("som", "sum"), 1U);
  EXPECT_EQ(edit_distance("smu", "sum"), 1U);  // neighbours swapped
  EXPECT_EQ(edit_distance("sum", "minimum"), 5U);
}

TEST(Spelling, nearest_is_the_first_of_the_nearest_ones) {
  EXPECT_EQ(nearest("prodct", word_count), "product");
  EXPECT_EQ(nearest("", std::span<const std::string_view>{}), "");
}

TEST(Spelling, of_a_type_of_cpp_is_ours) {
  constexpr std::array<std::string_view, 3> types{"i32", "u32", "f32"};
  EXPECT_EQ(unknown_type("float", types), "unknown type `float`; write f32");
  EXPECT_EQ(unknown_type("size_t", types), "unknown type `size_t`; write u64");
  EXPECT_EQ(unknown_type("f23", types), "unknown type `f23`; did you mean `f32`?");
}

TEST(Spelling, suggests_only_what_is_near) {
  EXPECT_EQ(unknown_word("operator", "minimun", word_count),
            "unknown operator `minimun`; did you mean `minimum`?");
  EXPECT_EQ(unknown_word("operator", "xyzzy", word_count),
            "unknown operator `xyzzy`; write one of sum, product, minimum");
  EXPECT_EQ(unknown_word("operator", "xyzzy", word_count, "docs/words.md lists them"),
            "unknown operator `xyzzy`; docs/words.md lists them");
  constexpr std::array<std::string_view, 2> letters{"n", "b"};  // another letter is another word
  EXPECT_EQ(unknown_word("name", "i", letters), "unknown name `i`; write one of n, b");
}

}  // namespace
}  // namespace gauntlet
