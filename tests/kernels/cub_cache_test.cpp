// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// E's cache of temporary storage: each defect, and its repair.
#include "kernels/cub_cache.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace gauntlet::kernels {
namespace {

constexpr std::uint32_t kSmall = 1000;   // one tile
constexpr std::uint32_t kLarge = 10000;  // two passes
constexpr CubCacheFixes kDocumented{};
constexpr CubCacheFixes kFixed{true, true, true};

CubCache cache(CubCacheFixes fixes) { return {Type::i32, Type::i32, Op::maximum, fixes}; }

std::uint64_t needed(std::uint32_t n) {
  return cub_dispatch(Type::i32, Type::i32, Op::maximum, n, std::nullopt)->storage_bytes;
}

/// A cache that has these sizes registered, in this order, and its storage allocated.
CubCache allocated(CubCacheFixes fixes, std::initializer_list<std::uint32_t> sizes) {
  CubCache result = cache(fixes);
  for (const std::uint32_t n : sizes) result.register_size(n);
  result.allocate();
  return result;
}

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const CubCacheError& error) {
    return error.what();
  }
  return {};
}

TEST(CubCache, DocumentedAllocatesFourTimesWhatCubAsksFor) {
  EXPECT_EQ(allocated(kDocumented, {kLarge}).buffer_bytes(), 4 * needed(kLarge));
}

TEST(CubCache, FixedAllocatesWhatCubAsksFor) {
  EXPECT_EQ(allocated(kFixed, {kLarge}).buffer_bytes(), needed(kLarge));
}

TEST(CubCache, KeepsTheMostThatAnySizeNeedsInWhateverOrder) {
  ASSERT_LT(needed(kSmall), needed(kLarge));
  for (const CubCacheFixes fixes : {kDocumented, kFixed}) {
    EXPECT_EQ(allocated(fixes, {kSmall, kLarge}).buffer_bytes(),
              allocated(fixes, {kLarge, kSmall}).buffer_bytes());
  }
}

TEST(CubCache, RegisteredSizesRunInEitherForm) {
  for (const CubCacheFixes fixes : {kDocumented, kFixed}) {
    CubCache c = allocated(fixes, {kSmall, kLarge});
    EXPECT_EQ(c.run(kLarge).launches.size(), 2U);
    EXPECT_EQ(c.run(kSmall).launches.size(), 1U);
    EXPECT_LE(c.run(kLarge).storage_bytes, c.buffer_bytes());
  }
}

TEST(CubCache, ASizeNeverRegisteredThatNeedsNoMoreRunsInEitherForm) {
  for (const CubCacheFixes fixes : {kDocumented, kFixed}) {
    CubCache c = allocated(fixes, {kLarge});
    EXPECT_EQ(c.run(kLarge - 1).launches.size(), 2U);
    EXPECT_EQ(c.run(kSmall).launches.size(), 1U);
  }
}

TEST(CubCache, DocumentedDropsTheErrorOfASizeThatNeedsMore) {
  CubCache documented = allocated(kDocumented, {kSmall});
  const CubDispatch result = documented.run(kLarge);
  EXPECT_EQ(result.error, 1);  // cudaErrorInvalidValue
  EXPECT_TRUE(result.launches.empty());
}

TEST(CubCache, DocumentedOnlyAsksForTheSizeWhenNothingIsRegistered) {
  CubCache documented = allocated(kDocumented, {});
  EXPECT_EQ(documented.buffer_bytes(), 0U);
  for (const std::uint32_t n : {kSmall, kLarge}) {
    const CubDispatch result = documented.run(n);
    EXPECT_EQ(result.error, 0);
    EXPECT_EQ(result.storage_bytes, needed(n));
    EXPECT_TRUE(result.launches.empty());
  }
}

TEST(CubCache, DocumentedTellsCubOfBytesThatWereNeverAllocated) {
  CubCache documented = allocated(kDocumented, {kSmall});
  documented.register_size(kLarge);
  EXPECT_GT(documented.run(kLarge).storage_bytes, documented.buffer_bytes());
}

TEST(CubCache, FixedNamesTheSizeThatNeedsMore) {
  CubCache fixed = allocated(kFixed, {kSmall});
  const std::string message = message_of([&] { (void)fixed.run(kLarge); });
  EXPECT_NE(message.find("10000 elements need more"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(CubCache, FixedSaysThatThereIsNoStorage) {
  CubCache fixed = allocated(kFixed, {});
  const std::string message = message_of([&] { (void)fixed.run(kSmall); });
  EXPECT_NE(message.find("register every size"), std::string::npos) << message;
}

TEST(CubCache, FixedRefusesALargerSizeAfterTheAllocation) {
  CubCache fixed = allocated(kFixed, {kSmall});
  const std::string message = message_of([&] { fixed.register_size(kLarge); });
  EXPECT_NE(message.find("10000 elements"), std::string::npos) << message;
  fixed.register_size(kSmall - 1);  // fits what is there
  EXPECT_EQ(fixed.run(kSmall - 1).launches.size(), 1U);
}

TEST(CubCache, DocumentedStreamsShareOneBufferAndFixedOnesDoNot) {
  EXPECT_EQ(cache(kDocumented).buffer_of(0), cache(kDocumented).buffer_of(1));
  EXPECT_NE(cache(kFixed).buffer_of(0), cache(kFixed).buffer_of(1));
}

TEST(CubCache, RefusesTypesThatAreNotCompiled) {
  const std::string message =
      message_of([] { CubCache(Type::u8, Type::u8, Op::sum, CubCacheFixes{}); });
  EXPECT_NE(message.find("u8->u8 sum"), std::string::npos) << message;
}

}  // namespace
}  // namespace gauntlet::kernels
