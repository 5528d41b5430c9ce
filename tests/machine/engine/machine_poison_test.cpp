// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values that nobody defined are reported where they first matter, with the place they came from,
// and nowhere else.
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_poison {
namespace {

using K = FindingKind;

/// One warp executes `body`: %r0 lane, %d0 the lane's cell of "out", %d1 its cell of shared "s" (32
/// words), %d2 of "in" (defined) and %d3 of "tmp" (never written).
LaunchReport run(const std::string& body, const std::string& schedule = "lockstep") {
  Device device(kernel(".param .u64 out, .param .u64 in, .param .u64 tmp",
                       "ld.param.u64 %d0, [out]; ld.param.u64 %d2, [in]; ld.param.u64 %d3, [tmp];"
                       "mov.u64 %d1, s; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;"
                       "mad.wide.u32 %d1, %r0, 4, %d1; mad.wide.u32 %d2, %r0, 4, %d2;"
                       "mad.wide.u32 %d3, %r0, 4, %d3;\n" +
                           body,
                       ".file 1 \"sum.cu\"\n.shared .align 4 .b8 s[128];"));
  const auto out = device.output<std::uint32_t>("out", 32);
  const auto in = device.input("in", std::vector<std::uint32_t>(32, 1));
  const auto tmp = device.uninitialised<std::uint32_t>("tmp", 32);
  Launch l;
  l.schedule = schedule;
  return device.launch(l, out, in, tmp);
}

TEST(Poison, stored_to_an_output_names_the_cell_the_reader_and_the_origin) {
  const auto report =
      run(".loc 1 10 0\nsetp.lt.u32 %p0, %r0, 5; @%p0 st.shared.u32 [%d1], %r0;\n"
          ".loc 1 11 0\nld.shared.u32 %r1, [%d1]; add.u32 %r2, %r1, 1;\n"
          ".loc 1 12 0\nst.global.u32 [%d0], %r2;");
  ASSERT_TRUE(only(report, K::poison_output));
  const auto& f = report.findings[0];
  EXPECT_EQ(f.array, "out");
  EXPECT_EQ(f.index, 5);
  EXPECT_EQ(f.at.line, 12U);
  EXPECT_EQ(f.at.lane, 5U);
  EXPECT_EQ(f.size, 4U);
  EXPECT_NE(f.detail.find("s[5]"), std::string::npos) << f.detail;
  EXPECT_NE(f.detail.find("sum.cu:11"), std::string::npos) << f.detail;
  ASSERT_TRUE(f.other.has_value());
  EXPECT_EQ(f.other->line, 11U);
  EXPECT_EQ(f.other->lane, 5U);
}

TEST(Poison, where_everything_is_written_first_there_is_none) {
  EXPECT_TRUE(
      silent(run("st.shared.u32 [%d1], %r0; ld.shared.u32 %r1, [%d1]; st.global.u32 [%d0], %r1;")));
}

TEST(Poison, matters_as_address_branch_guard_and_mask) {
  const std::string load = "ld.shared.u32 %r1, [%d1];";
  EXPECT_TRUE(only(run(load + "mad.wide.u32 %d4, %r1, 4, %d2; ld.global.u32 %r2, [%d4];"),
                   K::poison_address));
  EXPECT_TRUE(only(run(load + "setp.eq.u32 %p0, %r1, 0; @%p0 bra E; E: ret;"), K::poison_branch));
  EXPECT_TRUE(only(run(load + "setp.eq.u32 %p0, %r1, 0; @%p0 mov.u32 %r2, 0;"), K::poison_branch));
  EXPECT_TRUE(has(run(load + "shfl.sync.idx.b32 %r2, %r0, 0, 31, %r1;"), K::poison_mask));
  const auto report = run(load + "setp.eq.u32 %p0, %r1, 0; @%p0 bra E; E: ret;");
  EXPECT_NE(report.findings[0].detail.find("s[0]"), std::string::npos);
}

TEST(Poison, that_does_not_matter_is_silent) {
  const std::string load = "ld.shared.u32 %r1, [%d1];";
  EXPECT_TRUE(silent(run(load)));
  EXPECT_TRUE(silent(run(load + "add.u32 %r2, %r1, 1; mul.lo.u32 %r3, %r2, %r1;")));
  EXPECT_TRUE(silent(run(
      load + "setp.gt.u32 %p0, %r0, 40; selp.u32 %r2, %r1, 7, %p0; st.global.u32 [%d0], %r2;")));
  EXPECT_TRUE(silent(run(load + "mov.u32 %r1, 3; st.global.u32 [%d0], %r1;")));
  EXPECT_TRUE(silent(run(load + "st.shared.u32 [%d1], %r1; st.global.u32 [%d3], %r1;")));
}

TEST(Poison, selected_by_an_undefined_predicate_matters) {
  EXPECT_TRUE(
      only(run("ld.shared.u32 %r1, [%d1]; setp.gt.u32 %p0, %r1, 40; selp.u32 %r2, 6, 7, %p0;"
               "st.global.u32 [%d0], %r2;"),
           K::poison_output));
}

TEST(Poison, selected_for_some_lanes_is_reported_for_those) {
  const auto report =
      run("ld.shared.u32 %r1, [%d1]; setp.gt.u32 %p0, %r0, 20; selp.u32 %r2, %r1, 7, %p0;"
          "st.global.u32 [%d0], %r2;");
  ASSERT_TRUE(only(report, K::poison_output));
  EXPECT_EQ(report.findings[0].index, 21);
}

TEST(Poison, from_global_local_and_registers_is_told_apart) {
  const auto detail = [](const std::string& body) {
    const auto report = run(body);
    EXPECT_TRUE(only(report, K::poison_output)) << body;
    return report.findings.empty() ? "" : report.findings[0].detail;
  };
  EXPECT_NE(detail("ld.global.u32 %r1, [%d3]; st.global.u32 [%d0], %r1;").find("tmp[0]"),
            std::string::npos);
  EXPECT_NE(
      detail(
          ".local .align 4 .b8 stack[16]; ld.local.u32 %r1, [stack+4]; st.global.u32 [%d0], %r1;")
          .find("local memory"),
      std::string::npos);
  EXPECT_NE(detail("add.u32 %r1, %r7, 1; st.global.u32 [%d0], %r1;").find("never assigned"),
            std::string::npos);
  // A register assigned on one path only.
  EXPECT_NE(detail("setp.gt.u32 %p0, %r0, 3; @%p0 mov.u32 %r8, 4; st.global.u32 [%d0], %r8;")
                .find("never assigned"),
            std::string::npos);
  EXPECT_TRUE(
      silent(run("setp.gt.u32 %p0, %r0, 3; @%p0 mov.u32 %r8, 4; @!%p0 mov.u32 %r8, 5;"
                 "st.global.u32 [%d0], %r8;")));
}

TEST(Poison, keeps_its_origin_through_shared_local_and_global_memory) {
  // s[lane] is read undefined at line 20, stored elsewhere, read back at line 21 and then output.
  for (const std::string copy :
       {"st.shared.u32 [%d1], %r1;\n.loc 1 21 0\nbar.warp.sync -1; ld.shared.u32 %r2, [%d1];",
        ".local .align 4 .b8 stack[16]; st.local.u32 [stack+8], %r1;\n.loc 1 21 0\nld.local.u32 "
        "%r2, [stack+8];",
        "st.global.u32 [%d3], %r1;\n.loc 1 21 0\nld.global.u32 %r2, [%d3];"}) {
    const auto report = run(".loc 1 20 0\nld.shared.u32 %r1, [%d1];" + copy +
                            "\n.loc 1 22 0\nst.global.u32 [%d0], %r2;");
    ASSERT_TRUE(only(report, K::poison_output)) << copy;
    EXPECT_NE(report.findings[0].detail.find("s[0], read at sum.cu:20"), std::string::npos)
        << report.findings[0].detail;
  }
}

TEST(Poison, comes_from_a_partly_written_word) {
  const std::string write = "st.shared.u16 [%d1], 1;";
  EXPECT_TRUE(
      only(run(write + "ld.shared.u32 %r1, [%d1]; st.global.u32 [%d0], %r1;"), K::poison_output));
  EXPECT_TRUE(silent(
      run(write + "ld.shared.u16 %h1, [%d1]; cvt.u32.u16 %r1, %h1; st.global.u32 [%d0], %r1;")));
  EXPECT_TRUE(silent(run(write + "st.shared.u8 [%d1+2], 0; st.shared.u8 [%d1+3], 0;"
                                 "ld.shared.u32 %r1, [%d1]; st.global.u32 [%d0], %r1;")));
  EXPECT_TRUE(only(
      run(write + "st.shared.u8 [%d1+2], 0; ld.shared.u32 %r1, [%d1]; st.global.u32 [%d0], %r1;"),
      K::poison_output));
}

TEST(Poison, of_some_bytes_stays_with_these_where_their_word_is_only_copied) {
  const std::string load = "st.shared.u8 [%d1], %r0; ld.shared.u32 %r1, [%d1];";
  const std::string copied = load + "st.global.u32 [%d3], %r1;",
                    twice = copied +
                            "ld.global.u32 %r4, [%d3]; st.shared.u32 [%d1], %r4;"
                            "ld.shared.u32 %r5, [%d1]; st.global.u32 [%d3], %r5;",
                    computed = load + "add.u32 %r3, %r1, 0; st.global.u32 [%d3], %r3;",
                    in_place = load + "add.u32 %r1, %r1, 0; st.global.u32 [%d3], %r1;";
  const auto branch = [](const std::string& byte) {
    return "ld.global.u8 %r2, [" + byte + "]; setp.eq.u32 %p0, %r2, 9; @%p0 bra E; E: ret;";
  };
  for (const auto& copy : {copied, twice}) {
    EXPECT_TRUE(silent(run(copy + branch("%d3")))) << copy;
    for (const auto byte : {"%d3+1", "%d3+2", "%d3+3"}) {
      EXPECT_TRUE(only(run(copy + branch(byte)), K::poison_branch)) << copy << byte;
    }
  }
  for (const auto& value : {computed, in_place}) {
    EXPECT_TRUE(only(run(value + branch("%d3")), K::poison_branch)) << value;
  }
}

TEST(Poison, of_a_vector_load_names_the_element_that_nobody_wrote) {
  const auto report = run(
      "setp.lt.u32 %p0, %r0, 3; @%p0 st.shared.u32 [%d1], %r0; bar.sync 0; setp.gt.u32 %p1, %r0, 0;"
      "@%p1 bra E; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%d1]; st.global.u32 [%d0], %r1;"
      "st.global.u32 [%d0+4], %r2; st.global.u32 [%d0+8], %r3; st.global.u32 [%d0+12], %r4; E: "
      "ret;");
  ASSERT_TRUE(only(report, K::poison_output));
  EXPECT_EQ(report.findings[0].index, 3);
  EXPECT_NE(report.findings[0].detail.find("s[3]"), std::string::npos) << report.findings[0].detail;
}

TEST(Poison, comes_from_a_shuffle_out_of_a_lane_that_takes_no_part) {
  const std::string partial = "setp.ge.u32 %p0, %r0, 24; @%p0 exit; ";
  // Lanes 0 to 23 shuffle down by one: lane 23 reads lane 24, which has exited.
  const auto exited =
      run(partial + "shfl.sync.down.b32 %r1, %r0, 1, 31, 0x00ffffff; st.global.u32 [%d0], %r1;");
  ASSERT_TRUE(only(exited, K::poison_output));
  EXPECT_EQ(exited.findings[0].index, 23);
  EXPECT_NE(exited.findings[0].detail.find("lane 24"), std::string::npos)
      << exited.findings[0].detail;
  // The value is not stored, or the source stays inside: silent.
  EXPECT_TRUE(silent(run(partial + "shfl.sync.down.b32 %r1, %r0, 1, 31, 0x00ffffff;"
                                   "setp.lt.u32 %p1, %r0, 23; @%p1 st.global.u32 [%d0], %r1;")));
  EXPECT_TRUE(silent(run(
      partial + "shfl.sync.down.b32 %r1, %r0, 1, 0x1807, 0x00ffffff; st.global.u32 [%d0], %r1;")));
  // A lane outside the mask.
  EXPECT_TRUE(only(
      run("setp.ge.u32 %p0, %r0, 24; @%p0 bra E; shfl.sync.idx.b32 %r1, %r0, 30, 31, 0x00ffffff;"
          "st.global.u32 [%d0], %r1; E: ret;"),
      K::poison_output));
}

TEST(Poison, travels_through_shuffles_with_its_source_lane) {
  // Lane 0's value is undefined; after a shuffle up by one it is lane 1's (and 0 keeps its own).
  const std::string load =
      "setp.gt.u32 %p0, %r0, 0; @%p0 st.shared.u32 [%d1], %r0; ld.shared.u32 %r1, [%d1];"
      "shfl.sync.up.b32 %r2, %r1, 1, 0, -1;";
  EXPECT_TRUE(silent(run(load + "setp.gt.u32 %p1, %r0, 1; @%p1 st.global.u32 [%d0], %r2;")));
  const auto report = run(load + "setp.eq.u32 %p1, %r0, 1; @%p1 st.global.u32 [%d0], %r2;");
  ASSERT_TRUE(only(report, K::poison_output));
  EXPECT_EQ(report.findings[0].index, 1);
  EXPECT_NE(report.findings[0].detail.find("s[0]"), std::string::npos);
}

TEST(Poison, of_a_shuffles_lane_operand_makes_the_result_undefined) {
  EXPECT_TRUE(only(run("ld.shared.u32 %r1, [%d1]; shfl.sync.idx.b32 %r2, %r0, %r1, 31, -1;"
                       "st.global.u32 [%d0], %r2;"),
                   K::poison_output));
}

TEST(Poison, of_one_lane_reaches_every_lane_of_a_vote_match_or_reduction) {
  const std::string load =
      "setp.gt.u32 %p0, %r0, 0; @%p0 st.shared.u32 [%d1], %r0; ld.shared.u32 %r1, [%d1];"
      "setp.lt.u32 %p2, %r1, 5; setp.gt.u32 %p3, %r0, 9;";
  const std::string output = "@%p3 st.global.u32 [%d0], %r2;";
  for (const std::string op :
       {"redux.sync.add.u32 %r2, %r1, -1;", "vote.sync.ballot.b32 %r2, %p2, -1;",
        "vote.sync.any.pred %p4, %p2, -1; selp.u32 %r2, 1, 0, %p4;",
        "match.any.sync.b32 %r2, %r1, -1;", "match.all.sync.b32 %r2|%p4, %r1, -1;",
        "match.all.sync.b32 %r3|%p4, %r1, -1; selp.u32 %r2, 1, 0, %p4;",
        "bar.red.popc.u32 %r2, 0, %p2;", "bar.red.or.pred %p4, 0, %p2; selp.u32 %r2, 1, 0, %p4;"}) {
    const auto report = run(load + op + output);
    ASSERT_TRUE(only(report, K::poison_output)) << op;
    EXPECT_NE(report.findings[0].detail.find("s[0]"), std::string::npos)
        << report.findings[0].detail;
  }
}

TEST(Poison, is_forgotten_when_a_register_is_written_again) {
  for (const std::string op :
       {"mov.u32 %r1, 5;", "bar.red.popc.u32 %r1, 0, %p2;", "activemask.b32 %r1;",
        "mov.u32 %r1, %clock;", "redux.sync.add.u32 %r1, %r0, -1;",
        "vote.sync.ballot.b32 %r1, %p2, -1;", "ld.param.u32 %r1, [in];",
        "match.any.sync.b32 %r1, %r0, -1;", "atom.shared.exch.b32 %r1, [s], 3;",
        "ld.global.u32 %r1, [%d2];"}) {
    EXPECT_TRUE(
        silent(run("st.shared.u32 [s], 1; ld.global.u32 %r1, [%d3]; setp.lt.u32 %p2, %r0, 5;" + op +
                   "st.global.u32 [%d0], %r1;")))
        << op;
  }
}

TEST(Poison, in_atomics_depends_on_the_operation) {
  // exch forgets the old cell; add combines it; an undefined operand poisons the cell.
  EXPECT_TRUE(silent(run(
      "atom.shared.exch.b32 %r1, [%d1], 3; ld.shared.u32 %r2, [%d1]; st.global.u32 [%d0], %r2;")));
  EXPECT_TRUE(
      only(run("atom.shared.exch.b32 %r1, [%d1], 3; st.global.u32 [%d0], %r1;"), K::poison_output));
  EXPECT_TRUE(only(
      run("atom.shared.add.u32 %r1, [%d1], 3; ld.shared.u32 %r2, [%d1]; st.global.u32 [%d0], %r2;"),
      K::poison_output));
  EXPECT_TRUE(
      only(run("ld.shared.u32 %r1, [%d1]; red.global.add.u32 [%d0], %r1;"), K::poison_output));
}

TEST(Poison, in_the_length_of_a_bit_field_counts) {
  EXPECT_TRUE(only(
      run("ld.shared.u32 %r1, [%d1]; bfi.b32 %r2, %r0, %r0, 3, %r1; st.global.u32 [%d0], %r2;"),
      K::poison_output));
}

TEST(Poison, of_an_earlier_launch_is_still_named) {
  // Launch a copies an undefined shared cell to tmp; launch b copies tmp to out.
  Device device(
      std::string(module_header) +
      ".shared .align 4 .b8 s[128];\n"
      ".visible .entry a(.param .u64 tmp) { .reg .b64 %d<2>; .reg .b32 %r<2>;"
      "ld.param.u64 %d0, [tmp]; ld.shared.u32 %r0, [s]; st.global.u32 [%d0], %r0; ret; }\n"
      ".visible .entry b(.param .u64 tmp, .param .u64 out) { .reg .b64 %d<2>; .reg .b32 %r<2>;"
      "ld.param.u64 %d0, [tmp]; ld.param.u64 %d1, [out]; ld.global.u32 %r0, [%d0];"
      "st.global.u32 [%d1], %r0; ret; }\n");
  const auto tmp = device.uninitialised<std::uint32_t>("tmp", 1);
  const auto out = device.output<std::uint32_t>("out", 1);
  Launch l{.block = {1}};
  l.entry = "a";
  EXPECT_TRUE(silent(device.launch(l, tmp)));
  EXPECT_TRUE(device.memory.poisoned(tmp, 4));
  l.entry = "b";
  const auto report = device.launch(l, tmp, out);
  ASSERT_TRUE(only(report, K::poison_output));
  EXPECT_NE(report.findings[0].detail.find("tmp[0]"), std::string::npos)
      << report.findings[0].detail;
  EXPECT_TRUE(device.memory.poisoned(out, 4));
}

TEST(Poison, left_in_shared_memory_by_a_block_is_not_seen_by_the_next) {
  // Every block starts with undefined shared memory, also where the block before wrote it.
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %ctaid.x; mad.wide.u32 %d0, %r0, 4, %d0;"
             "setp.eq.u32 %p0, %r0, 0; @%p0 st.shared.u32 [s], 5; ld.shared.u32 %r1, [s];"
             "st.global.u32 [%d0], %r1;",
             ".shared .align 4 .b8 s[4];"));
  const auto out = device.output<std::uint32_t>("out", 2);
  const auto report = device.launch({.grid = {2}, .block = {1}}, out);
  ASSERT_TRUE(only(report, K::poison_output));
  EXPECT_EQ(report.findings[0].index, 1);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_poison
