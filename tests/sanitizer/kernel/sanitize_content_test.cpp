// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What arrays of `gauntlet sanitize` hold: content spelt on the command line, and .npy files.
#include <fmt/format.h>
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
#include "sanitizer/kernel/npy.hpp"
#include "sanitizer/session/session.hpp"
#include "tests/sanitizer/kernel/sanitize_refusal.hpp"

namespace gauntlet::sanitize {
namespace {

using Texts = std::vector<std::string>;

/// What an array of such a content holds.
std::vector<std::byte> made(const std::string& content, Type type, std::uint64_t count) {
  const std::string argument = fmt::format("a:{}[{}]={}", name(type), count, content);
  const Words words{"k.cu", {statement("--arg", "arg", argument)}, {}};
  return spec::plan(*load(words, {}, nullptr), {}).buffers.at(0).content;
}

Texts spelt(const std::string& content, Type type, std::uint64_t count) {
  Texts words;
  const auto bytes = made(content, type, count);
  for (std::uint64_t i = 0; i < count; ++i) {
    words.push_back(format_value(type, bytes.data() + i * size_of(type)));
  }
  return words;
}

TEST(SanitizeContent, a_number_fills_and_a_list_gives_each_element) {
  EXPECT_EQ(spelt("7", Type::u8, 3), (Texts{"7", "7", "7"}));
  EXPECT_EQ(spelt("1,-2,0x10", Type::i16, 3), (Texts{"1", "-2", "16"}));
  EXPECT_EQ(spelt("0.5,-inf,nan", Type::f16, 3), (Texts{"0.5", "-inf", "nan"}));
}

TEST(SanitizeContent, iota_counts_from_start_by_step_and_integers_wrap) {
  EXPECT_EQ(spelt("iota", Type::f32, 3), (Texts{"0", "1", "2"}));
  EXPECT_EQ(spelt("iota:0.5:0.25", Type::f64, 3), (Texts{"0.5", "0.75", "1"}));
  EXPECT_EQ(spelt("iota:1:-1", Type::u8, 3), (Texts{"1", "0", "255"}));
  EXPECT_EQ(spelt("iota:-3:2", Type::i64, 3), (Texts{"-3", "-1", "1"}));
}

TEST(SanitizeContent, random_stays_in_its_range_reaches_both_ends_and_repeats_for_one_seed) {
  std::set<std::int64_t> seen;
  for (const std::byte x : made("random:5:-2:3", Type::i8, 500)) {
    seen.insert(static_cast<std::int8_t>(x));
  }
  EXPECT_EQ(seen, (std::set<std::int64_t>{-2, -1, 0, 1, 2, 3}));
  EXPECT_EQ(made("random:5:-2:3", Type::i8, 50), made("random:5:-2:3", Type::i8, 50));
  EXPECT_NE(made("random:5:-2:3", Type::i8, 50), made("random:6:-2:3", Type::i8, 50));
  // A coarse type rounds near the upper end, which is excluded all the same.
  const auto floats = made("random:1:1:1.5", Type::bf16, 2000);
  double least = 9, most = 0;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const double x = float_value(Type::bf16, load_bits(Type::bf16, floats.data() + 2 * i));
    least = std::min(least, x);
    most = std::max(most, x);
  }
  EXPECT_GE(least, 1.0);
  EXPECT_LT(most, 1.5);
  EXPECT_GT(most, 1.4);
}

TEST(SanitizeContent, random_of_a_seed_is_what_it_was) {
  EXPECT_EQ(spelt("random:5:-2:3", Type::i8, 6), (Texts{"1", "2", "-2", "3", "2", "3"}));
  EXPECT_EQ(spelt("random:9", Type::f32, 3), (Texts{"0.02588892", "0.6127059", "-0.8628368"}));
  EXPECT_EQ(spelt("random:9", Type::i16, 3), (Texts{"11611", "9116", "2115"}));
  EXPECT_EQ(spelt("random:9", Type::u64, 2),
            (Texts{"9462155180972256603", "14874586277985330076"}));
  EXPECT_EQ(spelt("random:9", Type::i64, 2),
            (Texts{"-8984588892737295013", "-3572157795724221540"}));
  EXPECT_EQ(spelt("random:7:-0.5:0.25", Type::f64, 2),
            (Texts{"0.12315266930667923", "-0.23772276432327055"}));
  EXPECT_EQ(spelt("random:9:1:1.5", Type::bf16, 3), (Texts{"1.26", "1.41", "1.03"}));
}

TEST(SanitizeContent, whole_range_random_of_64_bits_fills_every_bit) {
  std::uint64_t any = 0, all = ~std::uint64_t{0};
  const auto bytes = made("random:3", Type::u64, 200);
  for (std::uint64_t i = 0; i < 200; ++i) {
    any |= load_bits(Type::u64, bytes.data() + 8 * i);
    all &= load_bits(Type::u64, bytes.data() + 8 * i);
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
      {"random:1:5:5", Type::f32}, {"0x1g", Type::i32},
      {"zeros", Type::i32},        {"1x", Type::f64}};
  for (const auto& [text, type] : wrong) {
    const auto line = refusal([&] { (void)made(text, type, 1); });
    EXPECT_TRUE(line.starts_with("--arg a")) << text << ": " << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
  EXPECT_EQ(refusal([] { (void)made("255", Type::u8, 1); }), "");
  EXPECT_EQ(spelt("-9223372036854775808", Type::i64, 1), (Texts{"-9223372036854775808"}));
  EXPECT_EQ(spelt("18446744073709551615", Type::u64, 1), (Texts{"18446744073709551615"}));
}

TEST(Npy, what_is_written_reads_back_for_every_type) {
  const os::TemporaryFolder folder;
  const std::string path = (folder.path() / "a.npy").string();
  for (const Type type : all<Type>()) {
    const auto bytes = made("random:9", type, 37);
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
