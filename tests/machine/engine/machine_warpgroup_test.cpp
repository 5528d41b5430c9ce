// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is wrong around a wgmma (PTX ISA 9.0, 9.7.15), each with the nearest right form.
#include <gtest/gtest.h>

#include "tests/machine/engine/warpgroup_program.hpp"

namespace gauntlet::simt::test::machine_warpgroup {
namespace {

using namespace warpgroup;

const std::string commit = "wgmma.commit_group.sync.aligned;\n",
                  fence = "wgmma.fence.sync.aligned;\n", proxy = "fence.proxy.async;\n",
                  barrier = "bar.sync 0;\n";
std::string wait(int groups = 0) {
  return fmt::format("wgmma.wait_group.sync.aligned {};\n", groups);
}

/// 64 x 8, without a swizzle: A in the first 2048 bytes of s, B at 8192.
Product small() {
  Product p;
  p.of_a = {Swizzle::none, false, 128, 256, 0};
  p.of_b = {Swizzle::none, false, 128, 256, 8192};
  return p;
}
bool says(const Ran& ran, std::string_view what) {
  return text(ran.report).find(what) != std::string::npos;
}
/// The product goes on from its D a second time.
std::string again() {
  return "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%q0, %q1, %q2, %q3}, %d10, %d11, %p1, "
         "1, 1, 0, 0;\n";
}
std::string for_each_of_d(std::string_view form) {
  std::string all;
  for (int r = 0; r < 4; ++r) all += fmt::format(fmt::runtime(form), r) + "\n";
  return all;
}

TEST(Warpgroup, result_is_undefined_before_the_wait) {
  const Ran early = run(small(), ordered, commit);
  EXPECT_TRUE(has(early.report, FindingKind::poison_output));
  EXPECT_TRUE(says(early, "is that of the wgmma at")) << text(early.report);
  expect_right(small(), run(small(), ordered, commit + wait()));
}

/// The same with a sparse A, of which elements 0 and 3 of each four are held.
Ran run_sparse(std::uint32_t (*metadata)(const Product&, unsigned), Swizzle of_b = Swizzle::none,
               const std::string& before = "") {
  Product p = small();
  p.sparse = true;
  p.of_b = {of_b, false, 128, of_b == Swizzle::none ? 512U : 256U, 8192};
  return run(p, ordered + before, waited, 128, metadata);
}
TEST(Warpgroup, metadata_name_elements_in_order) {
  const auto good = [](const Product&, unsigned) { return 0xCCCC'CCCCU; };
  EXPECT_TRUE(silent(run_sparse(good).report));
  for (const std::uint32_t bits : {0x0U, 0x5U, 0xAU, 0xFU, 0x3U, 0x6U}) {  // equal, or descending
    static std::uint32_t wrong;
    wrong = bits << 8;
    const Ran ran = run_sparse(
        [](const Product&, unsigned t) { return t == 37 ? 0xCCCC'C0CCU | wrong : 0xCCCC'CCCCU; });
    EXPECT_TRUE(has(ran.report, FindingKind::divergent_barrier)) << bits;
    EXPECT_TRUE(says(ran, "bits 8 to 11 of the metadata")) << text(ran.report);
  }
  // What the other two threads of four bring is not looked at.
  const auto others = [](const Product&, unsigned t) { return t % 4 < 2 ? 0xCCCC'CCCCU : 0U; };
  EXPECT_TRUE(silent(run_sparse(others).report));
}

TEST(Warpgroup, metadata_are_defined) {
  const auto good = [](const Product&, unsigned) { return 0xCCCC'CCCCU; };
  const std::string undefined = "setp.eq.u32 %p2, %r0, {}; @%p2 mov.b32 %e0, %e100;\n";
  const Ran ran = run_sparse(good, Swizzle::none, fmt::format(fmt::runtime(undefined), 4));
  EXPECT_TRUE(has(ran.report, FindingKind::poison_mask)) << text(ran.report);
  EXPECT_FALSE(has(run_sparse(good, Swizzle::none, fmt::format(fmt::runtime(undefined), 6)).report,
                   FindingKind::poison_mask));
}

TEST(Warpgroup, sixty_four_bytes_of_b_need_wider_rows_than_those_of_32) {
  const auto good = [](const Product&, unsigned) { return 0xCCCC'CCCCU; };
  const Ran ran = run_sparse(good, Swizzle::bytes32);
  EXPECT_TRUE(only(ran.report, FindingKind::divergent_barrier));
  EXPECT_TRUE(says(ran, "rows of a swizzle of 32 bytes")) << text(ran.report);
}

TEST(Warpgroup, wait_is_for_what_was_committed) {
  EXPECT_TRUE(has(run(small(), ordered, wait() + commit).report, FindingKind::poison_output));
  EXPECT_TRUE(has(run(small(), ordered, commit + wait(1)).report, FindingKind::poison_output));
  expect_right(small(), run(small(), ordered, commit + commit + wait(1) + wait()));
}

TEST(Warpgroup, result_that_was_moved_meanwhile_is_there_after_the_wait) {
  const std::string away = for_each_of_d("mov.b32 %e{0}, %q{0};"),
                    back = for_each_of_d("mov.b32 %q{0}, %e{0};");
  expect_right(small(), run(small(), ordered, away + commit + wait() + back));
  // What is computed of it meanwhile is not.
  const std::string computed = for_each_of_d("add.f32 %e{0}, %q{0}, 0f00000000;");
  const Ran ran = run(small(), ordered, computed + commit + wait() + back);
  EXPECT_TRUE(has(ran.report, FindingKind::poison_output));
  EXPECT_TRUE(says(ran, "is that of the wgmma at")) << text(ran.report);
}

TEST(Warpgroup, products_go_on_from_each_other_without_a_wait) {
  Product twice = small();
  const Ran ran = run(twice, ordered, again() + commit + wait());
  ASSERT_TRUE(silent(ran.report));
  for (unsigned t = 0; t < 128; ++t) {
    for (unsigned i = 0; i < 4; ++i) {
      const auto [row, column] = place_of_d(t, i);
      double sum = element("", 3, row, column);
      for (unsigned k = 0; k < 16; ++k)
        sum += 2 * element("f16", 1, row, k) * element("f16", 2, column, k);
      ASSERT_EQ(number_of_bits("f32", ran.d[4 * t + i]), sum);
    }
  }
}

TEST(Warpgroup, registers_of_d_are_not_written_before_the_wait) {
  const std::string zeros = for_each_of_d("mov.b32 %q{0}, 0;");
  const Ran early = run(small(), ordered, zeros + commit + wait());
  EXPECT_TRUE(only(early.report, FindingKind::race_write_write));
  EXPECT_TRUE(says(early, "a register of D is written between")) << text(early.report);
  EXPECT_TRUE(silent(run(small(), ordered, commit + wait() + zeros).report));
}

TEST(Warpgroup, registers_of_a_are_not_written_before_the_wait) {
  Product p = small();
  p.a_in_registers = true;
  const std::string next = "add.u32 %f0, %f0, 1;\n";
  const Ran early = run(p, ordered, commit + next + wait());
  EXPECT_TRUE(only(early.report, FindingKind::race_read_write));
  EXPECT_TRUE(says(early, "a register of A is written between")) << text(early.report);
  expect_right(p, run(p, ordered, commit + wait() + next));
}

TEST(Warpgroup, first_product_comes_behind_a_fence_of_its_own) {
  const Ran without = run(small(), proxy + barrier);
  EXPECT_TRUE(only(without.report, FindingKind::race_write_read));
  EXPECT_TRUE(says(without, "missing is a wgmma.fence before the first")) << text(without.report);
  expect_right(small(), run(small(), proxy + barrier + fence));
}

TEST(Warpgroup, what_computes_its_registers_comes_before_the_fence) {
  const std::string changes = for_each_of_d("add.f32 %q{0}, %q{0}, 0f00000000;");
  const Ran behind = run(small(), ordered + changes);
  EXPECT_TRUE(only(behind.report, FindingKind::race_write_read));
  EXPECT_TRUE(says(behind, "missing is a wgmma.fence between")) << text(behind.report);
  expect_right(small(), run(small(), changes + ordered));
  // A move only gives a register another name.
  const std::string moves =
      for_each_of_d("mov.b32 %e{0}, %q{0};") + for_each_of_d("mov.b32 %q{0}, %e{0};");
  expect_right(small(), run(small(), ordered + moves));
  // Between two products, too.
  EXPECT_TRUE(
      has(run(small(), ordered, commit + wait() + changes + again() + commit + wait()).report,
          FindingKind::race_write_read));
  EXPECT_TRUE(silent(
      run(small(), ordered, commit + wait() + changes + fence + again() + commit + wait()).report));
}

TEST(Warpgroup, tiles_that_threads_wrote_come_through_the_fence_of_its_proxy) {
  const Ran without = run(small(), barrier + fence);
  EXPECT_TRUE(has(without.report, FindingKind::race_write_read));
  EXPECT_TRUE(says(without, "missing is a fence.proxy.async between the two"))
      << text(without.report);
  const Ran unordered = run(small(), proxy + fence);
  EXPECT_TRUE(has(unordered.report, FindingKind::race_write_read)) << text(unordered.report);
  EXPECT_TRUE(says(unordered, "orders"));
  expect_right(small(), run(small(), proxy + barrier + fence));
}

TEST(Warpgroup, tiles_are_not_overwritten_before_the_wait) {
  const std::string overwrites =
      "shl.b32 %r6, %r0, 2; add.u32 %r6, %r6, %r1; st.shared.u32 [%r6], %r0;\n";
  const Ran early = run(small(), ordered, commit + overwrites + wait());
  EXPECT_TRUE(has(early.report, FindingKind::race_read_write));
  EXPECT_TRUE(says(early, "no wait for the wgmma at")) << text(early.report);
  // The wait of a warp is for all four, but another warp has not waited yet.
  expect_right(small(), run(small(), ordered, commit + wait() + barrier + overwrites));
  const Ran another = run(small(), ordered, commit + barrier + overwrites + wait());
  EXPECT_TRUE(has(another.report, FindingKind::race_read_write));
}

TEST(Warpgroup, wait_of_one_warp_tells_of_the_reads_of_all_four) {
  // Warp 4 overwrites the tiles behind an arrival of one thread of the warpgroup.
  const auto ends = [](const std::string& before, const std::string& after) {
    const std::string makes =
        "mov.u32 %r20, s; add.u32 %r20, %r20, 40960; setp.eq.u32 %p3, %r0, 0;\n"
        "@%p3 mbarrier.init.shared.b64 [%r20], 1; bar.sync 0; setp.ge.u32 %p4, %r0, 128;\n"
        "@%p4 bra PRODUCER;\n";
    const std::string frees = "@%p3 mbarrier.arrive.shared.b64 %d20, [%r20];\n";
    const std::string producer =
        "bra END; PRODUCER: W: mbarrier.try_wait.parity.shared.b64 %p5, [%r20], 0; @!%p5 bra W;\n"
        "sub.u32 %r6, %r0, 128; shl.b32 %r6, %r6, 2; add.u32 %r6, %r6, %r1;\n"
        "add.u32 %r7, %r6, 1024; st.shared.u32 [%r6], %r0; st.shared.u32 [%r7], %r0; ret; END:\n";
    return run(small(), proxy + barrier + makes + fence, commit + before + frees + after + producer,
               160);
  };
  expect_right(small(), ends(wait(), ""));
  EXPECT_TRUE(has(ends("", wait()).report, FindingKind::race_read_write));
}

TEST(Warpgroup, undefined_element_makes_its_row_or_column_undefined) {
  const auto undefined = [](unsigned byte) {
    const std::string spoils = fmt::format(
        "setp.eq.u32 %p2, %r0, 0; mov.u32 %r6, s; bar.sync 0;\n"
        "@%p2 st.shared.u32 [%r6+{}], %r9; bar.sync 0;\n",
        byte);
    return run(small(), spoils + ordered);
  };
  const Ran of_a = undefined(0), of_b = undefined(8192);
  ASSERT_TRUE(has(of_a.report, FindingKind::poison_output)) << text(of_a.report);
  ASSERT_TRUE(has(of_b.report, FindingKind::poison_output)) << text(of_b.report);
  const auto count = [](const Ran& ran) {
    std::uint64_t all = 0;
    for (const auto& f : ran.report.findings) all += f.count;
    return all;
  };
  // Of each store of a warp one is told: row 0 is in two registers of one warp, column 0 in two of
  // each.
  EXPECT_EQ(count(of_a), 2U);
  EXPECT_EQ(count(of_b), 8U);
  // What reads neither is right.
  EXPECT_TRUE(silent(undefined(4096).report));
}

TEST(Warpgroup, tile_lies_in_shared_memory) {
  Product p = small();
  p.of_b.begin = shared_bytes - 128;  // its second core matrices lie beyond
  const Ran ran = run(p, "add.u64 %d11, %d11, 0;" + ordered);
  EXPECT_TRUE(has(ran.report, FindingKind::out_of_bounds_read)) << text(ran.report);
}

TEST(Warpgroup, tile_in_an_array_is_told_from_dynamic_shared_memory) {
  for (const unsigned bytes : {1U << 10, 64U << 10, 128U << 10, 179U << 10}) {
    Product p = small();
    p.dynamic = bytes;
    expect_right(p, run(p));
  }
}

TEST(Warpgroup, block_does_not_end_before_the_wait) {
  const std::string leaves = "ret;\n";
  const Ran ran = run(small(), ordered, commit + leaves);
  EXPECT_TRUE(has(ran.report, FindingKind::use_after_free)) << text(ran.report);
  EXPECT_TRUE(says(ran, "missing is wgmma.wait_group"));
  EXPECT_FALSE(
      has(run(small(), ordered, commit + wait() + leaves).report, FindingKind::use_after_free));
}

TEST(Warpgroup, has_four_warps_and_one_descriptor) {
  const Ran two = run(small(), ordered, waited, 64);
  EXPECT_TRUE(has(two.report, FindingKind::divergent_barrier)) << text(two.report);
  EXPECT_TRUE(says(two, "wgmma is of four warps, and the block has 2"));
  const Ran differ =
      run(small(), "setp.eq.u32 %p2, %r0, 37; @%p2 add.u64 %d11, %d11, 1;\n" + ordered);
  EXPECT_TRUE(has(differ.report, FindingKind::divergent_barrier)) << text(differ.report);
  EXPECT_TRUE(says(differ, "and of lane 5"));
}

TEST(Warpgroup, warps_wait_for_each_other) {
  // The warps come one after the other, and one of them never does.
  const std::string slowly =
      "shr.u32 %r6, %r0, 5; W: setp.eq.u32 %p2, %r6, 0; @%p2 bra D; sub.u32 %r6, %r6, 1; bra W; "
      "D:\n";
  expect_right(small(), run(small(), ordered + slowly));
}

TEST(Warpgroup, wait_of_a_guard_that_is_false_is_none) {
  const std::string never = "setp.ne.u32 %p2, %r0, %r0;\n";
  EXPECT_TRUE(has(run(small(), ordered + never, commit + "@%p2 " + wait()).report,
                  FindingKind::poison_output));
  expect_right(small(), run(small(), ordered + never, commit + "@!%p2 " + wait()));
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_warpgroup
