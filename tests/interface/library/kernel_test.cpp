// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels declared in C++: right ones hold, broken ones are found and shrunk, and the message says
// how.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <gauntlet/gauntlet.hpp>
#include <sstream>

#include "base/os/temporary_folder.hpp"

namespace {

using gauntlet::Kernel;
using gauntlet::Result;

const std::string blocks = GAUNTLET_SPEC_PTX "/blocks.ptx";

/// A tree in shared memory; the broken form lacks the barrier between its steps.
Kernel block_sum(bool right) {
  Kernel k(blocks, right ? "block_sum<true>" : "block_sum<false>");
  k.size("block", "32,64,128")
      .in<float>("x", "n")
      .out<float>("y", "grid")
      .arg<unsigned>("n", "n")
      .launch("grid=max(1, ceil(n / block)) block=block shared=4 * block")
      .result("y[b] = sum(x[b * block .. (b + 1) * block])");
  return k;
}

/// Four elements a thread; the broken form never reads the last one.
Kernel tile_sum(bool right) {
  Kernel k(blocks, right ? "tile_sum<true>" : "tile_sum<false>");
  k.let("tile", "4 * block")
      .in<float>("x", "n")
      .out<float>("y", "grid")
      .arg<int>("n", "n")
      .launch("grid=max(1, ceil(n / tile)) block=32..256")
      .require("block % 32 == 0")
      .result("y[b] = sum(x[b * tile .. (b + 1) * tile])");
  return k;
}

/// The kernel writes one element for each warp begun, the array has one for each whole warp.
Kernel short_output() {
  Kernel k(blocks, "warp_sums<true>");
  k.in<int>("x", "n")
      .out<int>("y", "n / 32")
      .arg<unsigned>("n", "n")
      .launch("grid=max(1, ceil(n / 64)) block=64")
      .result("y[w] = sum(x[w * 32 .. (w + 1) * 32])");
  return k;
}

/// What the failure names, without the case's other words.
bool found(const Result& result, const std::string& finding) {
  for (const Result::Failure& failure : result.failures()) {
    for (const std::string& word : failure.findings) {
      if (word == finding) return true;
    }
  }
  return false;
}

TEST(LibraryKernel, a_right_one_holds) {
  const Result result = gauntlet::holds(block_sum(true));
  EXPECT_TRUE(result) << result;
  EXPECT_EQ(result.cases(), 200U);
  EXPECT_EQ(result.refused(), 0U);
  EXPECT_TRUE(result.failures().empty());
  EXPECT_EQ(result.message(), "blocks.ptx: holds; 200 cases, 0 outside its contract");
}

TEST(LibraryKernel, a_missing_barrier_is_found_and_shrunk) {
  const Result result = gauntlet::holds(block_sum(false));
  EXPECT_FALSE(result);
  EXPECT_TRUE(found(result, "race_read_write s") || found(result, "race_write_read s")) << result;
  ASSERT_FALSE(result.failures().empty());
  EXPECT_EQ(result.failures()[0].line, "n=0 block=32");
  EXPECT_NE(result.message().find("blocks.cu:"), std::string::npos) << result;
}

TEST(LibraryKernel, a_lost_tail_is_found_and_the_lost_term_named) {
  const Result result = gauntlet::holds(tile_sum(false));
  EXPECT_FALSE(result);
  EXPECT_TRUE(found(result, "wrong_result y")) << result;
  EXPECT_NE(result.message().find("\n  n=1 block=32"), std::string::npos) << result;
  EXPECT_NE(result.message().find("element 0 lost"), std::string::npos) << result;
}

TEST(LibraryKernel, an_access_out_of_bounds_is_found_and_shrunk) {
  const Result result = gauntlet::holds(short_output());
  EXPECT_FALSE(result);
  ASSERT_TRUE(found(result, "out_of_bounds_write y")) << result;
  EXPECT_NE(result.message().find("\n  n=0"), std::string::npos) << result;
}

TEST(LibraryKernel, an_expectation_prints_the_message) {
  EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(gauntlet::holds(tile_sum(false))), "element 0 lost");
  const std::string printed = testing::AssertionResult(gauntlet::holds(tile_sum(false))).message();
  EXPECT_EQ(printed, gauntlet::holds(tile_sum(false)).message());
}

TEST(LibraryKernel, the_printed_line_shows_it_again) {
  const Result result = gauntlet::holds(tile_sum(false));
  ASSERT_FALSE(result.failures().empty());
  const Result again = gauntlet::holds_at(tile_sum(false), result.failures()[0].line);
  EXPECT_FALSE(again);
  EXPECT_EQ(again.failures().at(0).findings, result.failures()[0].findings);
  EXPECT_EQ(again.failures()[0].line, result.failures()[0].line);
  EXPECT_TRUE(gauntlet::holds_at(tile_sum(true), result.failures()[0].line));
}

TEST(LibraryKernel, the_number_of_threads_changes_nothing) {
  const Result one = gauntlet::holds(tile_sum(false), {.cases = 60, .seed = 7, .jobs = 1});
  const Result three = gauntlet::holds(tile_sum(false), {.cases = 60, .seed = 7, .jobs = 3});
  EXPECT_EQ(one.message(), three.message());
}

TEST(LibraryKernel, an_expected_defect_must_be_found) {
  EXPECT_TRUE(gauntlet::holds(tile_sum(false).expect("wrong_result y")));
  const Result result = gauntlet::holds(tile_sum(true).expect("wrong_result y"));
  EXPECT_FALSE(result);
  EXPECT_NE(result.message().find("not found: wrong_result y"), std::string::npos) << result;
}

TEST(LibraryKernel, takes_any_statement_of_the_language) {
  EXPECT_TRUE(gauntlet::holds(tile_sum(false).statement("expect", "wrong_result y")));
  EXPECT_TRUE(gauntlet::holds(tile_sum(true).repeat(2)))
      << gauntlet::holds(tile_sum(true).repeat(2));
  EXPECT_NE(tile_sum(true).repeat(2).text().find("\nrepeat  2\n"), std::string::npos);
}

TEST(LibraryKernel, a_failure_shows_the_source_lines) {
  // The file that the PTX names stands in another folder, so what it says is written anew here.
  const gauntlet::os::TemporaryFolder folder;
  const std::string cu = (folder.path() / "both.cu").string();
  std::ofstream(cu) << "int a;\n  y[0] = threadIdx.x;  // by both warps\n";
  const std::string ptx =
      ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry both(.param .u64 y) {\n"
      ".reg .pred %p1; .reg .b32 %r<3>; .reg .b64 %d1;\nld.param.u64 %d1, [y];\n"
      "mov.u32 %r1, %tid.x;\nand.b32 %r2, %r1, 31;\nsetp.eq.u32 %p1, %r2, 0;\n"
      ".loc 1 2 0\n@%p1 st.global.u32 [%d1], %r1;\nret;\n}\n.file 1 \"" +
      cu + "\"\n";
  const Result result = gauntlet::holds(
      Kernel::from_ptx(ptx).out<unsigned>("y", "1").launch("grid=1 block=64").result("none"));
  EXPECT_FALSE(result);
  EXPECT_NE(result.message().find("2 | y[0] = threadIdx.x;  // by both warps\n"), std::string::npos)
      << result;
}

TEST(LibraryKernel, a_case_outside_the_contract_is_refused_and_does_not_hold) {
  const Result result = gauntlet::holds_at(tile_sum(true), "n=5 block=33");
  EXPECT_FALSE(result);
  EXPECT_EQ(result.refused(), 1U);
  EXPECT_TRUE(result.failures().empty());
  EXPECT_EQ(result.message(),
            "blocks.ptx: no case was run: outside its contract (`require block % 32 == 0`)"
            "\n  n=5 block=33");
}

TEST(LibraryKernel, whose_contract_refuses_every_case_does_not_hold) {
  const Result none = gauntlet::holds(tile_sum(true).require("n < 0"));
  EXPECT_FALSE(none);
  EXPECT_EQ(none.cases(), none.refused());
  EXPECT_NE(none.message().find("no case was run: all 200 are outside the contract (`require n < "
                                "0`; first: n="),
            std::string::npos)
      << none;
  const Result hardly =
      gauntlet::holds(tile_sum(true).require("n == 255 && block == 96"), {.seed = 3});
  EXPECT_TRUE(hardly);
  EXPECT_NE(hardly.message().find("\n  warning: 1"), std::string::npos) << hardly;
  EXPECT_THROW((void)gauntlet::holds(tile_sum(true), {.cases = 0}), gauntlet::Error);
}

TEST(LibraryKernel, sizes_of_another_generator_are_taken) {
  const Kernel right = tile_sum(true);
  EXPECT_TRUE(rc::check([&] {
    const auto n = *rc::gen::inRange(0, 1000);
    const auto warps = *rc::gen::inRange(1, 5);
    const std::string line = "n=" + std::to_string(n) + " block=" + std::to_string(32 * warps);
    RC_ASSERT(bool(gauntlet::holds_at(right, line)));
  }));
}

TEST(LibraryKernel, ptx_text_runs_as_its_file_does) {
  std::ifstream file(blocks);
  std::ostringstream text;
  text << file.rdbuf();
  Kernel k = Kernel::from_ptx(text.str(), "warp_sums<false>");
  k.in<int>("x", "n").out<int>("y", "ceil(n / 32)").arg<unsigned>("n", "n");
  k.launch("grid=ceil(n / 32) block=32").require("n > 0").result("none");
  const Result result = gauntlet::holds(k, {.cases = 20});
  EXPECT_FALSE(result);
  EXPECT_TRUE(found(result, "not_in_own_mask")) << result;
}

class LibrarySpec : public testing::Test {
 protected:
  LibrarySpec() : folder_(std::filesystem::path(testing::TempDir()) / "gauntlet_library_spec") {
    std::filesystem::create_directories(folder_);
  }
  ~LibrarySpec() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(LibrarySpec, a_file_holds_as_it_does_for_the_program) {
  std::filesystem::copy_file(blocks, folder_ / "blocks.ptx",
                             std::filesystem::copy_options::overwrite_existing);
  const std::string path = (folder_ / "tile.gauntlet").string();
  std::ofstream(path) << "kernel blocks.ptx 'tile_sum<false>'\nin x:f32[n]\nout y:f32[grid]\n"
                         "arg n:i32 = n\nlaunch grid=max(1, ceil(n / 128)) block=32\n"
                         "result y[b] = sum(x[b * 128 .. (b + 1) * 128])\n";
  EXPECT_FALSE(gauntlet::holds(Kernel::from_spec(path)));
  EXPECT_TRUE(gauntlet::holds(Kernel::from_spec(path).expect("wrong_result y")));
  // The cases beside it come first.
  std::ofstream(folder_ / "tile.cases") << "tile.gauntlet n=97 data=iota\n";
  const Result result = gauntlet::holds(Kernel::from_spec(path), {.cases = 1});
  EXPECT_EQ(result.cases(), 2U) << result;
}

/// What cannot be tried is an exception of one line.
void refused(const Kernel& kernel, const std::string& part, const std::string& line = {}) {
  try {
    (void)(line.empty() ? gauntlet::holds(kernel) : gauntlet::holds_at(kernel, line));
    ADD_FAILURE() << "nothing was thrown; " << part;
  } catch (const gauntlet::Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find(part), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
  }
}

TEST(LibraryRefusal, what_cannot_be_tried_is_one_line) {
  refused(Kernel("absent.ptx").launch("grid=1 block=1").result("none"), "absent.ptx: no such file");
  refused(Kernel(blocks).launch("grid=1 block=1").result("none"), "name one of block_sum<true>");
  refused(tile_sum(true).require("m > 0"), "blocks.ptx, statement 9: `require m > 0`: ");
  refused(tile_sum(true).arg<float>("f", "1.0"), "in this order: in x1:f32[n]; out y1:f32[grid]");
  refused(Kernel(blocks, "tile_sum<true>").in<float>("x", "n"), "write launch grid=");
  refused(tile_sum(true), "block= is missing", "n=3");
  refused(tile_sum(true), "unknown size", "n=3 block=32 m=3");
  EXPECT_THROW((void)Kernel::from_spec("absent.gauntlet"), gauntlet::Error);
  EXPECT_THROW((void)Kernel::from_spec("absent.txt"), gauntlet::Error);
  EXPECT_THROW(Kernel("a'b.cu"), gauntlet::Error);
}

TEST(LibraryKernel, a_statement_of_several_lines_is_one) {
  Kernel k = tile_sum(true);
  const std::string before = k.text();
  k.result("y[b] = sum(x[b * tile .. (b + 1) * tile])\nheight 64");
  EXPECT_EQ(k.text(), before + "result  y[b] = sum(x[b * tile .. (b + 1) * tile])\n height 64\n");
  EXPECT_TRUE(gauntlet::holds(k));
}

}  // namespace
