// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

namespace gauntlet {
namespace {

TEST(HostMemory, that_is_available_is_no_more_than_its_addresses_may_be) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer takes addresses by the terabyte";
#endif
  const std::uint64_t before = memory_available();
  ASSERT_GT(before, 0U);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &limit), 0);
  constexpr std::uint64_t most = 512ULL << 20;
  const rlimit low{std::min<rlim_t>(limit.rlim_max, most), limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &low), 0);
  const std::uint64_t available = memory_available();
  setrlimit(RLIMIT_AS, &limit);
  EXPECT_GT(available, 0U);
  EXPECT_LT(available, most);
}

TEST(MemoryLimit, of_so_many_bytes_is_full_beyond_them) {
  MemoryLimit limit(100);
  limit.take(100);
  EXPECT_FALSE(limit.full());
  limit.take(1);
  EXPECT_TRUE(limit.full());
}

TEST(MemoryLimit, is_open_again_for_who_comes_after_what_filled_it) {
  MemoryLimit limit(100);
  limit.take(60);
  limit.take(60);
  EXPECT_TRUE(limit.full());
  limit.give_back(60);
  limit.reopen();
  limit.take(30);
  EXPECT_FALSE(limit.full());
  limit.take(30);
  EXPECT_TRUE(limit.full());
}

TEST(MemoryLimit, of_the_host_is_half_of_what_is_free) {
  MemoryLimit limit;
  limit.take(1 << 20);
  EXPECT_FALSE(limit.full());
  // Somebody who takes so much without touching it: as much as is free is still there.
  limit.take(memory_available() / 4);
  EXPECT_FALSE(limit.full());
  limit.take(memory_available() * 2);
  EXPECT_TRUE(limit.full());
}

}  // namespace
}  // namespace gauntlet
