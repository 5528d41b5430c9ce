// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What `gauntlet sanitize` says of the toolkit's headers and of the CUDA guide's ticket: the user's
// line, the half of the order that is missing, and nothing of the headers' own memory.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

const std::string tickets = ptx("sanitize_tickets"), headers = ptx("sanitize_headers"),
                  tile_memory = ptx("sanitize_tile_memory");

Sanitized ticket_sum(const std::string& arguments) {
  Words all = words(
      "--grid 4 --block 32 --arg in:i32[4]=1 --arg partials:i32[4] "
      "--arg tickets:u32[1]=0 --arg out:i32[1] --schedule lockstep --entry");
  all.push_back("ticket_sum<" + arguments + ">");
  return sanitize(tickets, all);
}

TEST(SanitizeTicket, with_both_fences_is_clean) {
  const Sanitized got = ticket_sum("true, true, true");
  EXPECT_EQ(got.code, 0) << got.out << got.err;
}

TEST(SanitizeTicket, without_the_fence_before_it_lacks_the_release) {
  const Sanitized got = ticket_sum("false, true, true");
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  EXPECT_EQ(kinds(got.json), (std::set<std::string>{"race_write_read"}));
  EXPECT_EQ(got.json["findings"][0]["severity"], "error");
  EXPECT_NE(unwrapped(got.out).find("missing is the release: __threadfence() behind the write, "
                                    "then the flag or ticket"),
            got.out.npos)
      << got.out;
}

TEST(SanitizeTicket, without_the_fence_behind_it_lacks_the_acquire_which_seldom_shows) {
  const Sanitized got = ticket_sum("true, false, true");
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  EXPECT_EQ(kinds(got.json), (std::set<std::string>{"race_write_read"}));
  EXPECT_EQ(got.json["findings"][0]["severity"], "warning");
  EXPECT_NE(unwrapped(got.out).find("missing is the acquire: __threadfence() between reading the "
                                    "flag or ticket and the read"),
            got.out.npos)
      << got.out;
}

TEST(SanitizeTicket, that_the_reader_never_takes_is_not_read) {
  const Sanitized got = ticket_sum("true, true, false");
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  EXPECT_EQ(got.json["findings"][0]["severity"], "error");
  EXPECT_NE(unwrapped(got.out).find("has not read the flag or ticket that publishes the write"),
            got.out.npos)
      << got.out;
}

TEST(SanitizeHeaders, tiles_of_several_warps_are_right_and_their_own_memory_is_not_told_of) {
  const Sanitized got =
      sanitize(headers, words("--entry tile_sums --grid 1 --block 128 --strict --arg in:i32[128]=1 "
                              "--arg out:i32[2] --expect out=64,64"));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
  EXPECT_TRUE(got.json["findings"].empty()) << got.out;
}

TEST(SanitizeHeaders, memory_that_the_user_gives_to_tiles_is_theirs) {
  const Sanitized got =
      sanitize(tile_memory, words("--entry tile_sums_in_own_memory --grid 1 --block 128 --strict "
                                  "--arg in:i32[128]=1 --arg out:i32[2] --expect out=64,64"));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
  EXPECT_TRUE(got.json["findings"].empty()) << got.out;
}

TEST(SanitizeHeaders, hide_nothing_of_the_users_own_accesses_to_it) {
  const Sanitized got =
      sanitize(tile_memory, words("--entry own_memory_raced_on --grid 1 --block 128 "
                                  "--arg in:i32[128]=1 --arg out:i32[2] --arg seen:i32[1]"));
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  bool told = false;
  for (const std::string& kind : kinds(got.json)) told = told || kind.starts_with("race_");
  EXPECT_TRUE(told) << got.out;
}

TEST(SanitizeHeaders, hide_nothing_of_the_users_own_writes_of_one_value) {
  const Sanitized got = sanitize(
      headers, words("--entry tile_sums_and_mark --grid 1 --block 128 --strict "
                     "--arg in:i32[128]=1 --arg out:i32[2] --arg mark:i32[1] --expect out=64,64"));
  EXPECT_EQ(got.code, 1) << got.out << got.err;
  EXPECT_EQ(kinds(got.json), (std::set<std::string>{"race_same_value"})) << got.out;
  for (const auto& finding : got.json["findings"]) EXPECT_EQ(finding["array"], "mark") << got.out;
}

TEST(SanitizeHeaders, a_fault_inside_one_is_told_at_the_users_line) {
  const Sanitized got = sanitize(headers, words("--entry load_past_end --grid 1 --block 32 --arg "
                                                "in:i32[32]=1 --arg out:i32[32]"));
  EXPECT_EQ(got.code, 1) << got.err;
  ASSERT_FALSE(got.json["findings"].empty());
  const std::string file = got.json["findings"][0]["at"]["file"];
  EXPECT_TRUE(file.ends_with("sanitize_headers.cu")) << file;
}

TEST(SanitizeHeaders, a_function_that_is_called_there_and_not_inlined_is_told_at_the_call) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "k.ptx";
  const auto text = [](const std::string& header) {
    return ".version 9.0\n.target sm_75\n.address_size 64\n"
           ".file 1 \"user.cu\"\n.file 2 \"" +
           header +
           "\"\n"
           ".func touch() { .reg .b32 %r1; .loc 2 99 0\n st.global.u32 [64], 1; ret; }\n"
           ".visible .entry k() {\n.loc 1 7 3\n{ call touch, (); }\nret; }\n";
  };
  const Words launch = {"--entry", "k", "--grid", "1", "--block", "1"};
  std::ofstream(path) << text("/usr/local/cuda/targets/x86_64-linux/include/touch.h");
  EXPECT_NE(sanitize(path.string(), launch).out.find("at user.cu:7"), std::string::npos);
  std::ofstream(path) << text("own.h");
  EXPECT_NE(sanitize(path.string(), launch).out.find("at own.h:99"), std::string::npos);
}

TEST(SanitizeList, marks_which_kernels_can_run_and_says_why_another_cannot) {
  const Sanitized got = sanitize(ptx("sanitize_kernels"), {});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_NE(got.out.find(": 8 kernels, 7 can run\n"), got.out.npos) << got.out;
  EXPECT_NE(
      got.out.find(
          "    cannot run:\n      a video instruction: vadd.u32.u32.u32 at sanitize_kernels.cu:"),
      got.out.npos)
      << got.out;
  for (const auto& kernel : got.json["kernels"]) {
    const bool refused = kernel["kernel"] == "video_sum";
    EXPECT_EQ(kernel["can_run"], !refused) << kernel;
    ASSERT_EQ(kernel["refused"].size(), refused ? 1U : 0U);
    if (!refused) continue;
    EXPECT_EQ(kernel["refused"][0]["instruction"], "vadd.u32.u32.u32");
  }
}

TEST(SanitizeList, names_every_reason_in_the_users_words) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "k.ptx";
  std::ofstream(path) << ".version 9.0\n.target sm_90\n.address_size 64\n.file 1 \"user.cu\"\n"
                         ".visible .entry k() { .reg .b64 %d<2>;\n"
                         ".loc 1 7 3\nclusterlaunchcontrol.try_cancel.b128 [%d0], [%d1];\n"
                         ".loc 1 9 3\ntcgen05.wait::ld.sync.aligned;\nret; }\n"
                         ".visible .entry fine() { ret; }\n";
  const Sanitized got = sanitize(path.string(), {});
  EXPECT_EQ(got.code, 0) << got.err;
  EXPECT_NE(got.out.find("2 kernels, 1 can run"), got.out.npos) << got.out;
  const std::string text = unwrapped(got.out);
  EXPECT_NE(text.find("thread block clusters: clusterlaunchcontrol.try_cancel.b128 at user.cu:7"),
            text.npos)
      << got.out;
  EXPECT_NE(text.find("tensor cores: tcgen05.wait::ld.sync.aligned at user.cu:9"), text.npos)
      << got.out;
}

}  // namespace
}  // namespace gauntlet::test
