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

constexpr std::uint32_t small_size = 1000;  // one tile
constexpr std::uint32_t large = 10000;      // two passes
constexpr CubCacheFixes documented_form{};
constexpr CubCacheFixes fixed_form{true, true, true};

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

TEST(CubCache, documented_allocates_four_times_what_cub_asks_for) {
  EXPECT_EQ(allocated(documented_form, {large}).buffer_bytes(), 4 * needed(large));
}

TEST(CubCache, fixed_allocates_what_cub_asks_for) {
  EXPECT_EQ(allocated(fixed_form, {large}).buffer_bytes(), needed(large));
}

TEST(CubCache, keeps_the_most_that_any_size_needs_in_whatever_order) {
  ASSERT_LT(needed(small_size), needed(large));
  for (const CubCacheFixes fixes : {documented_form, fixed_form}) {
    EXPECT_EQ(allocated(fixes, {small_size, large}).buffer_bytes(),
              allocated(fixes, {large, small_size}).buffer_bytes());
  }
}

TEST(CubCache, registered_sizes_run_in_either_form) {
  for (const CubCacheFixes fixes : {documented_form, fixed_form}) {
    CubCache c = allocated(fixes, {small_size, large});
    EXPECT_EQ(c.run(large).launches.size(), 2U);
    EXPECT_EQ(c.run(small_size).launches.size(), 1U);
    EXPECT_LE(c.run(large).storage_bytes, c.buffer_bytes());
  }
}

TEST(CubCache, a_size_never_registered_that_needs_no_more_runs_in_either_form) {
  for (const CubCacheFixes fixes : {documented_form, fixed_form}) {
    CubCache c = allocated(fixes, {large});
    EXPECT_EQ(c.run(large - 1).launches.size(), 2U);
    EXPECT_EQ(c.run(small_size).launches.size(), 1U);
  }
}

TEST(CubCache, documented_drops_the_error_of_a_size_that_needs_more) {
  CubCache documented = allocated(documented_form, {small_size});
  const CubDispatch result = documented.run(large);
  EXPECT_EQ(result.error, 1);  // cudaErrorInvalidValue
  EXPECT_TRUE(result.launches.empty());
}

TEST(CubCache, documented_only_asks_for_the_size_when_nothing_is_registered) {
  CubCache documented = allocated(documented_form, {});
  EXPECT_EQ(documented.buffer_bytes(), 0U);
  for (const std::uint32_t n : {small_size, large}) {
    const CubDispatch result = documented.run(n);
    EXPECT_EQ(result.error, 0);
    EXPECT_EQ(result.storage_bytes, needed(n));
    EXPECT_TRUE(result.launches.empty());
  }
}

TEST(CubCache, documented_tells_cub_of_bytes_that_were_never_allocated) {
  CubCache documented = allocated(documented_form, {small_size});
  documented.register_size(large);
  EXPECT_GT(documented.run(large).storage_bytes, documented.buffer_bytes());
}

TEST(CubCache, fixed_names_the_size_that_needs_more) {
  CubCache fixed = allocated(fixed_form, {small_size});
  const std::string message = message_of([&] { (void)fixed.run(large); });
  EXPECT_NE(message.find("10000 elements need more"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

TEST(CubCache, fixed_says_that_there_is_no_storage) {
  CubCache fixed = allocated(fixed_form, {});
  const std::string message = message_of([&] { (void)fixed.run(small_size); });
  EXPECT_NE(message.find("register every size"), std::string::npos) << message;
}

TEST(CubCache, fixed_refuses_a_larger_size_after_the_allocation) {
  CubCache fixed = allocated(fixed_form, {small_size});
  const std::string message = message_of([&] { fixed.register_size(large); });
  EXPECT_NE(message.find("10000 elements"), std::string::npos) << message;
  fixed.register_size(small_size - 1);  // fits what is there
  EXPECT_EQ(fixed.run(small_size - 1).launches.size(), 1U);
}

TEST(CubCache, documented_streams_share_one_buffer_and_fixed_ones_do_not) {
  EXPECT_EQ(cache(documented_form).buffer_of(0), cache(documented_form).buffer_of(1));
  EXPECT_NE(cache(fixed_form).buffer_of(0), cache(fixed_form).buffer_of(1));
}

TEST(CubCache, refuses_types_that_are_not_compiled) {
  const std::string message =
      message_of([] { CubCache(Type::u8, Type::u8, Op::sum, CubCacheFixes{}); });
  EXPECT_NE(message.find("u8->u8 sum"), std::string::npos) << message;
}

}  // namespace
}  // namespace gauntlet::kernels
