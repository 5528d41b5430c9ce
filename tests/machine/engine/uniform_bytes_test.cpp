// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/uniform_bytes.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "machine/state/memory.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::int64_t many = UniformBytes::many;

/// Of this process, in bytes.
std::int64_t private_memory() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0, resident = 0, shared = 0;
  statm >> all >> resident >> shared;
  return (resident - shared) * sysconf(_SC_PAGESIZE);
}

bool all_are(const std::uint8_t* bytes, std::uint64_t count, std::uint8_t value) {
  return std::all_of(bytes, bytes + count, [value](std::uint8_t x) { return x == value; });
}

TEST(UniformBytes, hold_what_was_filled_and_written_last) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  for (const std::int64_t extra :
       {1000 - many, std::int64_t{-1}, std::int64_t{0}, 2 * many + 4097}) {
    const auto size = static_cast<std::uint64_t>(many + extra);
    UniformBytes bytes(size, 1);
    std::vector<std::uint8_t> expected(size, 1);
    for (int step = 0; step < 12; ++step) {
      const std::uint64_t at = below(size), count = below(size - at) + 1;
      const auto value = static_cast<std::uint8_t>(below(4));
      if (step % 3 == 2) {  // somebody writes some
        for (std::uint64_t k = at; k < at + count; k += 1 + below(5000)) {
          bytes.data()[k] = expected[k] = static_cast<std::uint8_t>(step + 100);
        }
      } else {
        bytes.fill(at, count, value);
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(at), count, value);
      }
      ASSERT_TRUE(std::ranges::equal(expected, std::span(bytes.data(), size)))
          << size << " bytes, step " << step;
    }
  }
}

TEST(UniformBytes, of_two_holders_of_one_value_what_one_writes_is_not_the_others) {
  UniformBytes first(2 * many, 2), second(2 * many, 2);
  first.data()[5] = first.data()[many + 5] = 9;
  EXPECT_TRUE(all_are(second.data(), 2 * many, 2));
  EXPECT_EQ(first.data()[many + 5], 9);
  EXPECT_EQ(first.data()[many + 4], 2);
}

TEST(UniformBytes, take_no_memory_until_they_are_written) {
  const std::int64_t before = private_memory();
  UniformBytes bytes(std::uint64_t{2} << 30, 1);
  bytes.fill(0, std::uint64_t{2} << 30, 2);
  bytes.fill(100, std::uint64_t{1} << 30, 255);
  EXPECT_LT(private_memory() - before, 2 * many);
  EXPECT_EQ(bytes.data()[99], 2);
  EXPECT_EQ(bytes.data()[100], 255);
  EXPECT_EQ(bytes.data()[(std::uint64_t{1} << 30) + 99], 255);
  EXPECT_EQ(bytes.data()[(std::uint64_t{1} << 30) + 100], 2);
  std::fill_n(bytes.data(), 4 * many, 3);
  EXPECT_GE(private_memory() - before, 4 * many);
  bytes.fill(0, 4 * many, 2);  // which gives it back
  EXPECT_LT(private_memory() - before, 3 * many);
}

TEST(UniformBytes, are_right_where_the_program_has_closed_every_file_and_opened_others) {
  UniformBytes(many, 77);  // whose file is kept
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(next, 0);
  std::vector<int> replaced;
  for (int file = 3; file < next; ++file) {
    char name[64] = {};
    const std::string link = "/proc/self/fd/" + std::to_string(file);
    if (readlink(link.c_str(), name, sizeof name - 1) < 0) continue;
    if (std::string(name).find("gauntlet") == std::string::npos) continue;
    ASSERT_EQ(dup2(next, file), file);
    replaced.push_back(file);
  }
  close(next);
  EXPECT_FALSE(replaced.empty());
  EXPECT_TRUE(all_are(UniformBytes(2 * many, 77).data(), 2 * many, 77));
  for (const int file : replaced) close(file);
}

TEST(UniformBytes, an_array_of_gigabytes_that_is_allocated_and_filled_takes_no_memory) {
  constexpr std::uint64_t bytes = std::uint64_t{3} << 30;
  const std::int64_t before = private_memory();
  GlobalMemory memory;
  GlobalMemory::Options options;
  options.name = "pool";
  options.bytes = bytes;
  const Address pool = memory.allocate(options);
  EXPECT_FALSE(memory.initialised(pool + bytes / 2, 4));
  memory.fill(pool, std::byte{5}, bytes / 2);
  EXPECT_LT(private_memory() - before, std::int64_t{64} << 20);
  EXPECT_TRUE(memory.initialised(pool, bytes / 2));
  EXPECT_FALSE(memory.initialised(pool + bytes / 2 - 1, 2));
  std::byte at_end{};
  memory.read(pool + bytes / 2 - 1, {&at_end, 1});
  EXPECT_EQ(at_end, std::byte{5});
  const Allocation& array = memory.at(0);
  EXPECT_EQ(array.state[bytes - 1], ByteState::uninitialised);
  EXPECT_EQ(array.state[bytes], ByteState::unmapped);
  memory.undefine(pool, bytes / 4);
  EXPECT_FALSE(memory.initialised(pool + bytes / 4 - 1, 1));
  EXPECT_TRUE(memory.initialised(pool + bytes / 4, 1));
}

}  // namespace
}  // namespace gauntlet::simt
