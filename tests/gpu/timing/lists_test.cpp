// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/lists.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/message_of.hpp"

namespace gauntlet::timing {
namespace {

TEST(Sizes, numbers_and_powers_are_read_sorted_and_kept_once) {
  EXPECT_EQ(parse_sizes("2^10,100000000,10^8,7,1024"),
            (std::vector<std::uint64_t>{7, 1024, 100'000'000}));
  EXPECT_EQ(parse_sizes("1"), std::vector<std::uint64_t>{1});
  EXPECT_EQ(parse_sizes("2147483647"), std::vector<std::uint64_t>{2147483647});
}

std::string refusal(std::string_view text) {
  return message_of<ListError>([&] { (void)parse_sizes(text); });
}

TEST(Sizes, what_is_no_size_is_refused_by_its_own_words) {
  for (const char* const text : {"", "0", "x", "2^", "^2", "2^31", "2^64", "99999999999999999999",
                                 "1,,2", "1,", "-1", "1e8", "2^10 "}) {
    EXPECT_NE(refusal(text), "") << text;
  }
  EXPECT_EQ(
      refusal("2^10,many"),
      "--n: `many` is not a size; write numbers from 1 to 2^31 - 1 with commas between them, as "
      "in --n 2^10,2^20,100000000");
}

TEST(Types, an_input_type_stands_for_the_catalogues_pair) {
  EXPECT_EQ(parse_types("f32,f16,i8,f64"), (std::vector<TypePair>{{Type::f32, Type::f32},
                                                                  {Type::f16, Type::f32},
                                                                  {Type::i8, Type::i32},
                                                                  {Type::f64, Type::f64}}));
  EXPECT_EQ(parse_types("f32->f64,f16->f16"),
            (std::vector<TypePair>{{Type::f32, Type::f64}, {Type::f16, Type::f16}}));
  EXPECT_EQ(parse_types("i32,i32").size(), 1u);
}

TEST(Types, a_pair_that_the_catalogue_lacks_is_refused) {
  for (const char* const text : {"", "f33", "f64->f32", "u16", "f32->", "->f32"}) {
    EXPECT_THROW((void)parse_types(text), ListError) << text;
  }
}

TEST(Texts, sizes_are_spelt_as_people_say_them) {
  EXPECT_EQ(size_text(1 << 20), "2^20");
  EXPECT_EQ(size_text(100'000'000), "10^8");
  EXPECT_EQ(size_text(1000), "1000");
  EXPECT_EQ(size_text(512), "512");
  EXPECT_EQ(size_text(1025), "1025");
  EXPECT_EQ(pair_text({Type::f16, Type::f32}), "f16->f32");
  EXPECT_EQ(pair_text({Type::i32, Type::i32}), "i32");
}

}  // namespace
}  // namespace gauntlet::timing
