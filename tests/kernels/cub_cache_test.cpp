// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// E's cache of temporary storage: each defect, and its repair.
#include "kernels/cub_cache.hpp"

#include <gtest/gtest.h>

#include <string>

namespace gauntlet::kernels {
namespace {

constexpr std::uint32_t kSmall = 1000;   // one tile
constexpr std::uint32_t kLarge = 10000;  // two passes
constexpr CubCacheFixes kDocumented{};
constexpr CubCacheFixes kFixed{true, true, true};

CubCache cache(CubCacheFixes fixes) { return {Type::i32, Type::i32, Op::sum, fixes}; }

std::uint64_t needed(std::uint32_t n) {
  return cub_dispatch(Type::i32, Type::i32, Op::sum, n, std::nullopt)->storage_bytes;
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
  CubCache documented = cache(kDocumented);
  documented.register_size(kLarge);
  EXPECT_EQ(documented.buffer_bytes(), 4 * needed(kLarge));
}

TEST(CubCache, FixedAllocatesWhatCubAsksFor) {
  CubCache fixed = cache(kFixed);
  fixed.register_size(kLarge);
  EXPECT_EQ(fixed.buffer_bytes(), needed(kLarge));
}

TEST(CubCache, RegisteredSizesRunInEitherForm) {
  for (const CubCacheFixes fixes : {kDocumented, kFixed}) {
    CubCache c = cache(fixes);
    c.register_size(kLarge);
    c.register_size(kSmall);
    EXPECT_EQ(c.run(kLarge).launches.size(), 2U);
    EXPECT_EQ(c.run(kSmall).launches.size(), 1U);
    EXPECT_LE(c.run(kLarge).storage_bytes, c.buffer_bytes());
  }
}

TEST(CubCache, DocumentedLaunchesNothingForASizeNeverRegistered) {
  CubCache documented = cache(kDocumented);
  documented.register_size(kLarge);
  const CubDispatch result = documented.run(kLarge + 1);
  EXPECT_EQ(result.error, 1);  // cudaErrorInvalidValue, which the documented program drops
  EXPECT_TRUE(result.launches.empty());
}

TEST(CubCache, DocumentedRunsAnUnregisteredSizeThatFitsOneTile) {
  CubCache documented = cache(kDocumented);
  documented.register_size(kLarge);
  EXPECT_EQ(documented.run(kSmall).launches.size(), 1U);  // a single tile needs no storage
}

TEST(CubCache, FixedNamesTheSizeNeverRegistered) {
  CubCache fixed = cache(kFixed);
  fixed.register_size(kLarge);
  const std::string message = message_of([&] { (void)fixed.run(kSmall); });
  EXPECT_NE(message.find("1000 elements were never registered"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(CubCache, DocumentedOverrunsItsBufferUnlessTheLargestSizeComesFirst) {
  CubCache documented = cache(kDocumented);
  documented.register_size(kSmall);
  documented.register_size(kLarge);
  EXPECT_GT(documented.run(kLarge).storage_bytes, documented.buffer_bytes());
}

TEST(CubCache, FixedFitsEverySizeInAnyOrder) {
  CubCache fixed = cache(kFixed);
  fixed.register_size(kSmall);
  fixed.register_size(kLarge);
  EXPECT_LE(fixed.run(kLarge).storage_bytes, fixed.buffer_bytes());
}

TEST(CubCache, FixedRefusesALargerSizeOnceTheStorageIsInUse) {
  CubCache fixed = cache(kFixed);
  fixed.register_size(kSmall);
  (void)fixed.run(kSmall);
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
