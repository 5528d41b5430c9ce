// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What arrays of `gauntlet sanitize` hold: content spelt on the command line, and .npy files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/os/temporary_folder.hpp"
#include "base/scalar.hpp"
#include "sanitizer/kernel/content.hpp"
#include "sanitizer/kernel/npy.hpp"
#include "sanitizer/kernel/source.hpp"
#include "tests/sanitizer/kernel/sanitize_refusal.hpp"

namespace gauntlet::sanitize {
namespace {

using Words = std::vector<std::string>;

std::vector<std::string> spelt(const Content& content, Type type, std::uint64_t count) {
  std::vector<std::string> words;
  for (std::uint64_t i = 0; i < count; ++i) {
    words.push_back(format_bits(type, content.element(type, i)));
  }
  return words;
}

TEST(SanitizeContent, a_number_fills_and_a_list_gives_each_element) {
  EXPECT_EQ(spelt(parse_content("7", Type::u8, ""), Type::u8, 3), (Words{"7", "7", "7"}));
  EXPECT_EQ(spelt(parse_content("1,-2,0x10", Type::i16, ""), Type::i16, 3),
            (Words{"1", "-2", "16"}));
  EXPECT_EQ(spelt(parse_content("0.5,-inf,nan", Type::f16, ""), Type::f16, 3),
            (Words{"0.5", "-inf", "nan"}));
}

TEST(SanitizeContent, iota_counts_from_start_by_step_and_integers_wrap) {
  EXPECT_EQ(spelt(parse_content("iota", Type::f32, ""), Type::f32, 3), (Words{"0", "1", "2"}));
  EXPECT_EQ(spelt(parse_content("iota:0.5:0.25", Type::f64, ""), Type::f64, 3),
            (Words{"0.5", "0.75", "1"}));
  EXPECT_EQ(spelt(parse_content("iota:1:-1", Type::u8, ""), Type::u8, 3), (Words{"1", "0", "255"}));
  EXPECT_EQ(spelt(parse_content("iota:-3:2", Type::i64, ""), Type::i64, 3),
            (Words{"-3", "-1", "1"}));
}

TEST(SanitizeContent, random_stays_in_its_range_reaches_both_ends_and_repeats_for_one_seed) {
  const Content content = parse_content("random:5:-2:3", Type::i8, "");
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < 500; ++i) {
    seen.insert(static_cast<std::int64_t>(extend(content.element(Type::i8, i), 1, true)));
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(content.make(Type::i8, 50),
            parse_content("random:5:-2:3", Type::i8, "").make(Type::i8, 50));
  EXPECT_NE(content.make(Type::i8, 50),
            parse_content("random:6:-2:3", Type::i8, "").make(Type::i8, 50));
  // A coarse type rounds near the upper end, which is excluded all the same.
  const Content floats = parse_content("random:1:1:1.5", Type::bf16, "");
  double least = 9, most = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double x = float_value(Type::bf16, floats.element(Type::bf16, i));
    least = std::min(least, x);
    most = std::max(most, x);
  }
  EXPECT_GE(least, 1.0);
  EXPECT_LT(most, 1.5);
  EXPECT_GT(most, 1.4);
}

TEST(SanitizeContent, whole_range_random_of_64_bits_fills_every_bit) {
  const Content content = parse_content("random:3", Type::u64, "");
  std::uint64_t any = 0, all = ~std::uint64_t{0};
  for (std::uint64_t i = 0; i < 200; ++i) {
    any |= content.element(Type::u64, i);
    all &= content.element(Type::u64, i);
  }
  EXPECT_EQ(any, ~std::uint64_t{0});
  EXPECT_EQ(all, 0U);
}

TEST(SanitizeContent, refuses_numbers_out_of_range_and_words_it_does_not_know) {
  const std::map<std::string, Type> wrong = {
      {"256", Type::u8},           {"-1", Type::u32},
      {"128", Type::i8},           {"18446744073709551616", Type::u64},
      {"1.5", Type::i32},          {"", Type::i32},
      {"one", Type::f32},          {"1,,2", Type::i32},
      {"iota:1", Type::i32},       {"random", Type::i32},
      {"random:1:5:4", Type::i32}, {"random:x", Type::i32},
      {"zeros", Type::i32},        {"1x", Type::f64}};
  for (const auto& [text, type] : wrong) {
    const auto line = refusal([&] { (void)parse_content(text, type, "--arg a"); });
    EXPECT_TRUE(line.starts_with("--arg a")) << text << ": " << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
  EXPECT_EQ(refusal([] { (void)parse_content("255", Type::u8, ""); }), "");
  EXPECT_EQ(refusal([] { (void)parse_content("-9223372036854775808", Type::i64, ""); }), "");
  EXPECT_EQ(refusal([] { (void)parse_content("18446744073709551615", Type::u64, ""); }), "");
}

TEST(Npy, what_is_written_reads_back_for_every_type) {
  const os::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.npy").string();
  for (const Type type : all<Type>()) {
    const auto bytes = parse_content("random:9", type, "").make(type, 37);
    write_npy(path, type, bytes);
    EXPECT_EQ(npy_count(path, type), 37U);
    EXPECT_EQ(read_npy(path, type, 37), bytes) << name(type);
    EXPECT_EQ((std::filesystem::file_size(path) - bytes.size()) % 64, 0U);
  }
}

/// A file as another program may have written it.
std::string npy(unsigned version, const std::string& header, const std::string& data) {
  std::string text("\x93NUMPY", 6);
  text += static_cast<char>(version);
  text += '\0';
  text += static_cast<char>(header.size() & 0xFF);
  text += static_cast<char>(header.size() >> 8);
  if (version >= 2) text += std::string(2, '\0');
  return text + header + data;
}

struct ReadFile {
  std::uint64_t count = 0;
  std::vector<std::byte> bytes;
};

TEST(Npy, files_of_other_writers_are_read_and_what_cannot_be_is_refused_in_one_line) {
  const os::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.npy").string();
  const auto reads = [&](const std::string& content, Type type) {
    std::ofstream(path, std::ios::binary) << content;
    ReadFile file;
    file.count = npy_count(path, type);
    file.bytes = read_npy(path, type, file.count);
    return file;
  };
  const std::string data("\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00", 12);
  const std::string two = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }   \n";
  EXPECT_EQ(reads(npy(1, two, data), Type::i16).count, 6U);
  EXPECT_EQ(reads(npy(2, two, data), Type::i16).count, 6U);
  EXPECT_EQ(reads(npy(1, "{\"shape\": (6,), \"fortran_order\": True, \"descr\": \"<i2\"}\n", data),
                  Type::i16)
                .count,
            6U);
  EXPECT_EQ(
      reads(npy(1, "{'descr': '<u2', 'fortran_order': False, 'shape': ()}\n", data), Type::bf16)
          .count,
      1U);
  const std::pair<std::string, Type> wrong[] = {
      {npy(1, two, data), Type::f16},
      {npy(1, two, data.substr(0, 11)), Type::i16},
      {npy(1, "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3)}\n", data), Type::i16},
      {npy(1, "{'descr': '>i2', 'fortran_order': False, 'shape': (6,)}\n", data), Type::i16},
      {npy(1, "{'descr': '<i2', 'fortran_order': False}\n", data), Type::i16},
      {npy(9, two, data), Type::i16},
      {npy(1, two, data).substr(0, 30), Type::i16},
      {"PK\x03\x04 a zip file", Type::i16},
      {"", Type::i16},
      {npy(1, "{'descr': '<i2', 'fortran_order': False, 'shape': (4294967296, 4294967296)}\n", ""),
       Type::i16}};
  for (const auto& [content, type] : wrong) {
    const auto line = refusal([&] { (void)reads(content, type); });
    EXPECT_TRUE(line.starts_with(path)) << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
}

}  // namespace
}  // namespace gauntlet::sanitize
