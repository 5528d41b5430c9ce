// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Undefined values that blocks on several threads store: where each of them comes from is what it
// is on one thread, also for the launch behind, and also where blocks meet at a word, number what
// they find otherwise, or have to be done again.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_split_undefined {
namespace {

constexpr std::uint32_t blocks = 24, threads = 64, bytes = 8 * (blocks + 1) * threads;

// %r1: the block, %r2: the thread in it; %d1 and %d2: 8 bytes of `to` and `from` that are the
// thread's own, %d3: a byte of `to`, in words that its neighbour block stores, too; %p1: the
// block is odd, %p2: one of the late ones, %p3: half of its lanes.
constexpr std::string_view start =
    "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 64, %r2;"
    "ld.param.u64 %d0, [to]; ld.param.u64 %d5, [from]; mul.wide.u32 %d4, %r3, 8;"
    "add.u64 %d1, %d0, %d4; add.u64 %d2, %d5, %d4; mad.lo.u32 %r4, %r1, 65, %r2;"
    "cvt.u64.u32 %d3, %r4; add.u64 %d3, %d3, %d0; and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 1;"
    "setp.ge.u32 %p2, %r1, 17; and.b32 %r6, %r2, 1; setp.eq.u32 %p3, %r6, 1;\n";

/// What memory holds behind all launches, and what is known of it.
struct Left {
  std::vector<std::uint32_t> values;
  std::vector<bool> poisoned;
  std::vector<std::string> stories, findings;
  std::vector<std::string> all_stories;  ///< also of what is overwritten since
  std::uint32_t origins = 0;
  bool operator==(const Left&) const = default;
};
struct Ran {
  Left left;
  std::uint32_t beside = 0;
};

/// Three launches, of which the second one hands on what the first one has left; the third one
/// finds there what that has stored.
Ran run(const std::string& body, unsigned jobs) {
  Device device(kernel(".param .u64 to, .param .u64 from", std::string(start) + body));
  const auto first = device.uninitialised<std::uint8_t>("first", bytes);
  const auto from = device.uninitialised<std::uint8_t>("from", bytes);
  const auto to = device.array("to", std::vector<std::uint8_t>(bytes));
  for (std::uint32_t k = 0; k < bytes; k += 48) {  // some of it is written
    device.memory.write(from + k, std::vector<std::byte>(k % 7 + 1));
  }
  Ran ran;
  const auto launch = [&](Address target, Address source) {
    const Launch how{.grid = {blocks}, .block = {threads}, .races = true, .jobs = jobs};
    const auto report = device.launch(how, target, source);
    ran.beside += report.beside;
    for (const auto& f : report.findings) {
      ran.left.findings.push_back(to_string(f) + fmt::format(" x{}", f.count));
    }
  };
  launch(first, from);
  launch(to, first);
  launch(first, from);
  for (const Address array : {first, to}) {
    const auto words = device.read<std::uint32_t>(array, bytes / 4);
    ran.left.values.insert(ran.left.values.end(), words.begin(), words.end());
    for (std::uint32_t k = 0; k < bytes; k += 4) {
      const auto* const story = device.memory.story(array + k);
      ran.left.poisoned.push_back(device.memory.poisoned(array + k, 4));
      ran.left.stories.push_back(story == nullptr ? "" : story->text);
    }
  }
  ran.left.origins = device.memory.origins;
  for (const auto& [number, story] : device.memory.stories) {
    ran.left.all_stories.push_back(fmt::format("{}: {}, {}", number, story.text, story.kernel));
  }
  return ran;
}
/// The same on one thread, two and five. Blocks that ran beside others, and different stories.
std::pair<std::uint32_t, std::size_t> same(const std::string& body) {
  const Ran alone = run(body, 1);
  EXPECT_EQ(alone.beside, 0U);
  std::uint32_t beside = 0;
  for (const unsigned jobs : {2U, 5U}) {
    const Ran ran = run(body, jobs);
    EXPECT_TRUE(ran.left == alone.left) << jobs << " threads:\n" << body;
    beside = std::max(beside, ran.beside);
  }
  auto stories = alone.left.stories;
  std::ranges::sort(stories);
  stories.erase(std::ranges::unique(stories).begin(), stories.end());
  return {beside, stories.size() - (stories.front().empty() ? 1 : 0)};
}

constexpr std::uint32_t all_beside = 3 * (blocks - 1);

TEST(SplitUndefined, values_that_blocks_store_to_words_of_their_own_run_side_by_side) {
  const auto [beside, stories] = same("ld.global.u32 %r7, [%d2]; st.global.u32 [%d1], %r7;");
  EXPECT_EQ(beside, all_beside);
  EXPECT_GE(stories, 2U);  // of the first launch's, and of what the second one found of it
}

TEST(SplitUndefined, bytes_of_a_word_that_two_blocks_store_have_one_origin) {
  EXPECT_GE(same("ld.global.u8 %r7, [%d2]; st.global.u8 [%d3], %r7;").second, 2U);
  // Of two: which of them the word's is depends on who comes last.
  EXPECT_GE(same("@%p1 ld.global.u8 %r7, [%d2];\n@!%p1 ld.global.u8 %r7, [%d2+1];\n"
                 "st.global.u8 [%d3], %r7;")
                .second,
            3U);
}

TEST(SplitUndefined,
     origins_that_late_blocks_meet_in_another_order_have_the_numbers_of_one_thread) {
  const std::string one = "ld.global.u32 %r7, [%d2];\n", other = "ld.global.u32 %r8, [%d2+4];\n",
                    stores = "st.global.u32 [%d1], %r7; st.global.u32 [%d1+4], %r8;";
  EXPECT_EQ(same(one + other + stores).first, all_beside);
  // The first block, which runs alone, has met none of them.
  const std::string but_first = "setp.eq.u32 %p4, %r1, 0; @%p4 ret;\n";
  (void)same(but_first + "@%p1 bra O;\n" + one + other + stores + "ret;\nO: " + other + one +
             stores);
  (void)same(but_first + "@%p2 bra O;\n" + one + stores + "ret;\nO: " + other + stores);
}

TEST(SplitUndefined, what_threads_have_stored_is_taken_back_where_a_late_block_errs) {
  const std::string copies = "ld.global.u32 %r7, [%d2]; st.global.u32 [%d1], %r7;\n";
  const Ran ran = run(copies + "@%p2 ld.global.u32 %r7, [%d5+1000000];", 5);
  EXPECT_EQ(ran.beside, 0U);
  EXPECT_FALSE(ran.left.findings.empty());
  (void)same(copies + "@%p2 ld.global.u32 %r7, [%d5+1000000];");
  (void)same(copies + "@%p2 st.global.u32 [%d1+512], %r7;");  // races with the next block's
  // What the third launch finds it replaces by what it has from elsewhere.
  (void)same(
      "ld.global.u32 %r8, [%d1]; ld.global.u32 %r7, [%d2]; st.global.u32 [%d1], %r7;"
      "st.global.u32 [%d1+4], %r8;\n@%p2 ld.global.u32 %r7, [%d5+1000000];");
}

TEST(SplitUndefined, of_more_stories_than_are_kept_those_are_that_one_thread_keeps) {
  // Each load is a story, of one thread of each block: the second launch comes to the limit.
  std::string body;
  for (unsigned k = 0; k < 2200; ++k) {
    body += fmt::format(
        "setp.eq.u32 %p4, %r2, {}; @%p4 ld.global.u32 %r7, [%d5+8]; @%p4 st.global.u32 [%d1], "
        "%r7;\n",
        k % threads);
  }
  const Ran alone = run(body, 1);
  EXPECT_EQ(alone.left.all_stories.size(), GlobalMemory::most_stories);
  for (const unsigned jobs : {2U, 5U}) {
    const Ran ran = run(body, jobs);
    EXPECT_TRUE(ran.left == alone.left) << jobs;
    EXPECT_GE(ran.beside, all_beside);
  }
}

TEST(SplitUndefined, random_programs_leave_the_same_on_any_number_of_threads) {
  using Choices = std::vector<std::string>;
  const Choices sources{"ld.global.u32 %r7, [%d2];",
                        "ld.global.u32 %r8, [%d2+4];",
                        "ld.global.u8 %r7, [%d2+5];",
                        "ld.global.u16 %r8, [%d2+2];",
                        "ld.global.v2.u32 {%r7, %r8}, [%d2];",
                        "ld.global.u32 %r8, [%d5];",
                        "ld.global.u32 %r8, [%d1];",
                        "add.u32 %r7, %r7, %r8;",
                        "xor.b32 %r8, %r7, %r8;",
                        "shl.b32 %r7, %r7, 8;",
                        "mov.u32 %r8, %r7;",
                        "mov.u32 %r7, 3;"};
  const Choices own{"st.global.u32 [%d1], %r7;", "st.global.u32 [%d1+4], %r8;",
                    "st.global.u8 [%d1+3], %r7;", "st.global.u16 [%d1+2], %r8;",
                    "st.global.v2.u32 [%d1], {%r7, %r8};"};
  const Choices shared{"st.global.u8 [%d3], %r7;", "st.global.u8 [%d3+4096], %r8;"};
  const Choices guards{"", "", "", "@%p1 ", "@!%p1 ", "@%p2 ", "@!%p2 ", "@%p3 "};
  std::uint32_t beside = 0, alone = 0;
  for (unsigned seed = 1; seed <= 120 && !::testing::Test::HasFailure(); ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](const Choices& of) { return of[random() % of.size()]; };
    const Choices& targets = seed % 4 == 0 ? shared : own;
    std::string body = random() % 2 == 0 ? "mov.u32 %r7, 1; mov.u32 %r8, 2;\n" : "";
    for (unsigned k = 3 + random() % 6; k > 0; --k) {
      body += pick(guards) + (random() % 5 < 3 ? pick(sources) : pick(targets)) + "\n";
    }
    body += pick(targets);
    ++(same(body).first != 0 ? beside : alone);
  }
  EXPECT_GT(beside, 30U);
  EXPECT_GT(alone, 10U);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_split_undefined
