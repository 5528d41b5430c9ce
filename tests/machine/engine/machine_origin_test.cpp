// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a finding says of an undefined value's origin is of this launch, whatever ran before it in
// this process: an instruction whose destination is one of its sources takes over the origin of
// the source that is undefined, and not what a register of an earlier block has left.
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_origin {
namespace {

using K = FindingKind;

/// Leaves origins of many numbers in the register file: 24 loads of cells that nobody wrote, and a
/// fault. The register files of later blocks and launches of this thread are the same memory.
void leave_origins() {
  std::string body = "mov.u64 %d1, s; mov.u64 %d2, 0; ld.global.u32 %r1, [%d2];";
  for (int round = 0; round < 8; ++round) {
    for (int r = 0; r < 32; ++r) {
      body += fmt::format("ld.shared.u32 %r{}, [%d1+{}];", r, 4 * ((round * 32 + r) % 64));
    }
  }
  Device device(kernel("", body, ".shared .align 4 .b8 s[256];"));
  EXPECT_FALSE(device.launch({.grid = {4}}).findings.empty());
}

/// One lane accumulates: %r1 is defined, %r2 comes from s[0], which nobody wrote.
LaunchReport accumulate(const std::string& operation, const std::string& result = "%r1") {
  Device device(kernel(".param .u64 out",
                       ".loc 1 5 0\nld.param.u64 %d0, [out]; mov.u32 %r1, 1; mov.u32 %r3, 2;"
                       "setp.eq.u32 %p1, %r1, 1; ld.shared.u32 %r2, [s]; setp.eq.u32 %p2, %r2, 1;" +
                           operation + "st.global.u32 [%d0], " + result + ";",
                       ".file 1 \"sum.cu\"\n.shared .align 4 .b8 s[4];"));
  const auto out = device.output<std::uint32_t>("out", 1);
  return device.launch({.block = {1}}, out);
}

TEST(Origin, of_an_accumulated_undefined_value_is_its_own_after_any_history) {
  for (const std::string operation :
       {"add.u32 %r1, %r1, %r2;", "add.u32 %r1, %r2, %r1;", "mad.lo.u32 %r1, %r2, %r3, %r1;",
        "selp.u32 %r1, %r2, %r1, %p1;", "selp.u32 %r1, %r1, %r3, %p2;",
        "bfi.b32 %r1, %r2, %r1, 0, 8;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 1;",
        "setp.eq.and.u32 %p1|%p3, %r1, %r2, %p1; selp.u32 %r1, 1, 0, %p1;",
        "setp.eq.and.u32 %p1|%p3, %r1, %r2, %p1; selp.u32 %r1, 1, 0, %p3;",
        "setp.ne.or.u32 %p3|%p2, %r1, 1, %p2; selp.u32 %r1, 1, 0, %p3;",
        "and.pred %p1, %p1, %p2; selp.u32 %r1, 1, 0, %p1;"}) {
    leave_origins();
    const auto report = accumulate(operation);
    ASSERT_TRUE(only(report, K::poison_output)) << operation << "\n" << text(report);
    const auto& f = report.findings[0];
    EXPECT_NE(f.detail.find("s[0], read at sum.cu:5"), std::string::npos) << f.detail;
    ASSERT_TRUE(f.other.has_value()) << operation;
    EXPECT_EQ(f.other->lane, 0U);
    EXPECT_EQ(f.other->warp, 0U);
  }
}

TEST(Origin, of_a_defect_in_one_block_does_not_hide_that_of_another) {
  // Block 0 reads past `in`; block 1 sums a shared cell that nobody wrote. Both accumulate in %r1.
  const auto run = [](const std::string& schedule) {
    Device device(
        kernel(".param .u64 in, .param .u64 out",
               "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r0, %ctaid.x;"
               "mad.wide.u32 %d1, %r0, 4, %d1; mov.u32 %r1, 0; setp.ne.u32 %p0, %r0, 0; @%p0 bra B;"
               "ld.global.u32 %r2, [%d0+4]; add.u32 %r1, %r1, %r2; bra E;"
               "B: ld.shared.u32 %r2, [s]; add.u32 %r1, %r1, %r2; E: st.global.u32 [%d1], %r1;",
               ".shared .align 4 .b8 s[4];"));
    const auto in = device.input("in", std::vector<std::uint32_t>{1});
    const auto out = device.output<std::uint32_t>("out", 2);
    return device.launch({.grid = {2}, .block = {1}, .schedule = schedule}, in, out);
  };
  for (int launch = 0; launch < 4; ++launch) {
    for (const std::string schedule : {"lockstep", "block_reversed"}) {
      const auto report = run(schedule);
      EXPECT_EQ(report.findings.size(), 2U) << text(report);
      EXPECT_TRUE(has(report, K::out_of_bounds_read)) << schedule;
      EXPECT_TRUE(has(report, K::poison_output)) << schedule << "\n" << text(report);
    }
  }
}

TEST(Origin, of_many_launches_in_one_process_names_parties_of_the_launch) {
  for (int launch = 0; launch < 50; ++launch) {
    leave_origins();
    const auto report = accumulate(
        "add.u32 %r1, %r1, %r2; xor.b32 %r1, %r1, %r3;"
        "sub.u32 %r1, %r1, %r2;");
    ASSERT_TRUE(only(report, K::poison_output)) << text(report);
    ASSERT_TRUE(report.findings[0].other.has_value());
    EXPECT_EQ(report.findings[0].other->block.z, 0U);
    EXPECT_EQ(report.findings[0].other->lane, 0U);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_origin
