// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Words of which some bytes were written: through loads, stores, copies, shuffles and atomics the
// defined bytes stay defined, and the others are still found. Single operations on registers are in
// machine_undefined_bits_test.cpp.
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_partly_undefined {
namespace {

using K = FindingKind;

/// One warp executes `body`: %r0 lane, %d0 the lane's 16 bytes of "out", %d1 of shared "s", %d2 of
/// "tmp" (never written), %d3 of "in" (defined, 0).
LaunchReport run(const std::string& body, unsigned blocks = 1) {
  Device device(kernel(".param .u64 out, .param .u64 tmp, .param .u64 in",
                       "ld.param.u64 %d0, [out]; ld.param.u64 %d2, [tmp]; ld.param.u64 %d3, [in];"
                       "mov.u64 %d1, s; mov.u32 %r0, %tid.x; mul.wide.u32 %d9, %r0, 16;"
                       "add.u64 %d0, %d0, %d9; add.u64 %d1, %d1, %d9; add.u64 %d2, %d2, %d9;"
                       "add.u64 %d3, %d3, %d9;\n" +
                           body,
                       ".file 1 \"sum.cu\"\n.shared .align 16 .b8 s[512];"));
  const auto out = device.output<std::uint32_t>("out", 128);
  const auto tmp = device.uninitialised<std::uint32_t>("tmp", 128);
  const auto in = device.input("in", std::vector<std::uint32_t>(128));
  return device.launch({.grid = {blocks}}, out, tmp, in);
}

/// Branches on byte `k` of the 64-bit %d5.
std::string branch_on(unsigned k) {
  return fmt::format("bfe.u64 %d6, %d5, {}, 8; setp.eq.u64 %p9, %d6, 9; @%p9 bra E; E: ret;\n",
                     8 * k);
}
/// Byte `k` of %d5 decides silently where it is one of `defined`, else it is found.
void expect_defined(const std::string& body, unsigned bytes, unsigned defined) {
  for (unsigned k = 0; k < bytes; ++k) {
    const auto report = run(body + branch_on(k));
    if ((defined >> k & 1) != 0)
      EXPECT_TRUE(silent(report)) << body << k;
    else
      EXPECT_TRUE(only(report, K::poison_branch)) << body << k;
  }
}
const std::string word = "st.shared.u8 [%d1+1], 7; ld.shared.u32 %r1, [%d1];";  // its byte 1

TEST(PartlyUndefined, loads_of_every_width_know_the_byte_that_was_written) {
  struct Width {
    std::string load;
    unsigned bytes;
  };
  const Width widths[] = {
      {"u8 %r1, {}; cvt.u64.u32 %d5, %r1;", 1},
      {"u16 %h1, {}; cvt.u64.u16 %d5, %h1;", 2},
      {"b16 %h1, {}; cvt.u64.u16 %d5, %h1;", 2},
      {"u32 %r1, {}; cvt.u64.u32 %d5, %r1;", 4},
      {"f32 %x1, {}; mov.b32 %r1, %x1; cvt.u64.u32 %d5, %r1;", 4},
      {"b64 %d5, {};", 8},
      {"v2.u32 {{%r1, %r2}}, {}; mov.b64 %d5, {{%r1, %r2}};", 8},
      {"v4.u8 {{%r1, %r2, %r3, %r4}}, {}; prmt.b32 %r1, %r1, %r2, 0x1140;"
       "bfi.b32 %r1, %r3, %r1, 16, 8; shl.b32 %r4, %r4, 24;"
       "or.b32 %r1, %r1, %r4; cvt.u64.u32 %d5, %r1;",
       4},
      {"v4.u16 {{%h1, %h2, %h3, %h4}}, {}; mov.b64 %d5, {{%h1, %h2, %h3, %h4}};", 8}};
  for (const auto& [load, bytes] : widths) {
    for (unsigned written = 0; written < bytes; ++written) {
      for (const auto& [space, at] : {std::pair{"shared", "%d1"}, std::pair{"global", "%d2"}}) {
        const auto store = fmt::format("st.{}.u8 [{}+{}], %r0; ld.{}.", space, at, written, space);
        expect_defined(store + fmt::format(fmt::runtime(load), fmt::format("[{}]", at)), bytes,
                       1U << written);
      }
    }
  }
  expect_defined(
      ".local .align 8 .b8 stack[8]; st.local.u8 [stack+2], 1;"
      "ld.local.u32 %r1, [stack]; cvt.u64.u32 %d5, %r1;",
      4, 4);
}

TEST(PartlyUndefined, what_a_load_extends_is_as_defined_as_its_sign) {
  const std::string low = "st.shared.u8 [%d1], 1;", high = "st.shared.u8 [%d1+1], 1;";
  expect_defined(low + "ld.shared.s8 %r1, [%d1]; cvt.u64.u32 %d5, %r1;", 8, 0xFF);
  expect_defined("ld.shared.s8 %r1, [%d1]; cvt.u64.u32 %d5, %r1;", 8, 0xF0);
  expect_defined("ld.shared.u8 %r1, [%d1]; cvt.u64.u32 %d5, %r1;", 8, 0xFE);
  expect_defined(low + "ld.shared.s16 %d5, [%d1];", 8, 1);
  expect_defined(high + "ld.shared.s16 %d5, [%d1];", 8, 0xFE);
  expect_defined(low + "ld.shared.u16 %d5, [%d1];", 8, 0xFD);
}

TEST(PartlyUndefined, stores_write_what_is_defined) {
  // The byte goes to an output and back to memory, by itself and in a word of its own.
  const std::string isolated = word + "shr.u32 %r2, %r1, 8; and.b32 %r3, %r2, 255;";
  EXPECT_TRUE(silent(run(isolated + "st.global.u8 [%d0], %r2; st.global.u32 [%d0+4], %r3;")));
  EXPECT_TRUE(only(run(isolated + "st.global.u8 [%d0], %r1;"), K::poison_output));
  EXPECT_TRUE(only(run(isolated + "st.global.u16 [%d0], %r2;"), K::poison_output));
  EXPECT_TRUE(only(run(isolated + "st.global.u32 [%d0], %r1;"), K::poison_output));
  for (const auto& [space, at] : {std::pair{"shared", "%d1"}, std::pair{"global", "%d2"}}) {
    const auto back = [&, space = space, at = at](const std::string& store) {
      return isolated + fmt::format("st.{0}.{1}; ld.{0}.u64 %d5, [{2}+8];", space,
                                    fmt::format(fmt::runtime(store), at), at);
    };
    expect_defined(back("u8 [{}+8], %r2"), 8, 1);
    expect_defined(back("u8 [{}+8], %r1"), 8, 0);
    expect_defined(back("u16 [{}+10], %r1"), 8, 8);
    expect_defined(back("u32 [{}+12], %r1"), 8, 0x20);
    expect_defined(back("v2.u32 [{}+8], {{%r3, %r1}}"), 8, 0x2F);
  }
}

TEST(PartlyUndefined, a_byte_with_one_undefined_bit_is_undefined_in_memory) {
  const std::string flags = "ld.global.u8 %r1, [%d2]; and.b32 %r1, %r1, 2; or.b32 %r2, %r1, 1;";
  EXPECT_TRUE(silent(run(flags + "and.b32 %r3, %r2, 1; st.global.u32 [%d0], %r3;")));
  EXPECT_TRUE(
      only(run(flags + "and.b32 %r3, %r2, 3; st.global.u32 [%d0], %r3;"), K::poison_output));
  expect_defined(flags + "st.shared.u16 [%d1], %r2; ld.shared.u16 %d5, [%d1];", 2, 2);
}

TEST(PartlyUndefined, an_address_may_be_made_of_the_byte_that_is_defined) {
  const std::string index =
      "and.b32 %r2, %r2, 4; cvt.u64.u32 %d4, %r2; add.u64 %d4, %d3, %d4;"
      "ld.global.u32 %r3, [%d4]; st.global.u32 [%d0], %r3;";
  EXPECT_TRUE(silent(run(word + "bfe.u32 %r2, %r1, 8, 8;" + index)));
  EXPECT_TRUE(only(run(word + "bfe.u32 %r2, %r1, 16, 8;" + index), K::poison_address));
}

TEST(PartlyUndefined, travels_through_shuffles) {
  // Byte k of lane k is written, k < 4; every lane takes lane 2's word, or lane 9's, which has
  // none.
  const std::string fill =
      "setp.gt.u32 %p0, %r0, 3; cvt.u64.u32 %d7, %r0; add.u64 %d7, %d1, %d7;"
      "@!%p0 st.shared.u8 [%d7], 5; ld.shared.u32 %r1, [%d1];";
  const auto take = [&](unsigned lane) {
    return fill +
           fmt::format("shfl.sync.idx.b32 %r2, %r1, {}, 31, -1; cvt.u64.u32 %d5, %r2;", lane);
  };
  expect_defined(take(2), 4, 4);
  expect_defined(take(9), 4, 0);
  // In place, and from an undefined lane number.
  expect_defined(fill + "shfl.sync.idx.b32 %r1, %r1, 1, 31, -1; cvt.u64.u32 %d5, %r1;", 4, 2);
  expect_defined(fill + "shfl.sync.idx.b32 %r2, %r0, %r1, 31, -1; cvt.u64.u32 %d5, %r2;", 4, 0);
}

TEST(PartlyUndefined, is_not_what_a_register_held_before) {
  const std::string undefined = "ld.shared.u32 %r1, [%d1+4];", convert = "cvt.u64.u32 %d5, %r1;";
  expect_defined(word + undefined + convert, 4, 0);
  expect_defined(undefined + word + convert, 4, 2);
  expect_defined(word + "mov.u32 %r1, 3;" + convert, 4, 0xF);
  expect_defined(word + "setp.gt.u32 %p0, %r0, 40; @%p0 mov.u32 %r1, 3;" + convert, 4, 2);
  expect_defined(word + "add.u32 %r1, %r1, 0;" + convert, 4, 0);
}

TEST(PartlyUndefined, of_an_earlier_block_is_forgotten) {
  const std::string body = "mov.u32 %r7, %ctaid.x; setp.eq.u32 %p0, %r7, 0; @!%p0 bra N;" + word +
                           "mov.u32 %r8, %r1; N: cvt.u64.u32 %d5, %r8;";
  EXPECT_TRUE(silent(run(body + branch_on(1))));
  const auto report = run(body + branch_on(1), 200);
  ASSERT_TRUE(only(report, K::poison_branch));
  EXPECT_EQ(report.findings[0].at.block.x, 1U);
}

TEST(PartlyUndefined, is_copied_asynchronously_as_it_is) {
  const std::string address = "cvt.u32.u64 %r4, %d1;";
  const std::string source = address + "st.global.u8 [%d2+1], 7;";
  const std::string wait = "cp.async.wait_all; ld.shared.u64 %d5, [%d1];";
  expect_defined(source + "cp.async.ca.shared.global [%r4], [%d2], 8, 8;" + wait, 8, 2);
  // Of the source so many bytes; zeros follow.
  expect_defined(source + "cp.async.ca.shared.global [%r4], [%d2], 8, 2;" + wait, 8, 0xFE);
  expect_defined(source + "cp.async.ca.shared.global [%r4], [%d2], 8, 3;" + wait, 8, 0xFA);
}

TEST(PartlyUndefined, atomic_logic_is_bitwise) {
  // Of the word that the lanes share bytes 1 and 3 are undefined.
  const auto cell = [](const std::string& at) {
    return fmt::format(
        "st.shared.u8 [s], 1; st.shared.u8 [s+2], 3;{} ld.shared.u32 %r3, [s];"
        "cvt.u64.u32 %d5, %r3;",
        at);
  };
  expect_defined(cell("red.shared.and.b32 [s], 0xFFFF00FF;"), 4, 7);
  expect_defined(cell("red.shared.or.b32 [s], 0xFF00;"), 4, 7);
  expect_defined(cell("red.shared.or.b32 [s], 0x7F00;"), 4, 5);
  expect_defined(cell("red.shared.xor.b32 [s], 0xFF00FF;"), 4, 5);
  expect_defined(cell("red.shared.add.u32 [s], 1;"), 4, 0);
  expect_defined(cell(word + "atom.shared.exch.b32 %r2, [s], %r1;"), 4, 2);
  expect_defined(cell(word + "atom.shared.and.b32 %r2, [s], %r1;"), 4, 2);
  // The old value.
  expect_defined("st.global.u8 [%d2], 1; atom.global.or.b32 %r3, [%d2], 2; cvt.u64.u32 %d5, %r3;",
                 4, 1);
}

TEST(PartlyUndefined, an_atomic_on_an_output_is_found_where_it_changes_undefined_bytes) {
  const std::string bytes = "st.global.u8 [%d0], 1;";
  EXPECT_TRUE(silent(run(bytes + "red.global.or.b32 [%d0], 0xF0; red.global.and.b32 [%d0], -2;")));
  EXPECT_TRUE(silent(run(bytes + "red.global.and.b32 [%d0], 0xFFFF00FF;")));
  EXPECT_TRUE(only(run(bytes + "red.global.or.b32 [%d0], 0x100;"), K::poison_output));
  EXPECT_TRUE(only(run(bytes + "red.global.xor.b32 [%d0], 0xFF00;"), K::poison_output));
  EXPECT_TRUE(only(run(bytes + "red.global.add.u32 [%d0], 1;"), K::poison_output));
}

TEST(PartlyUndefined, names_the_origin_of_the_bits_that_are_left) {
  const std::string two =
      "\n.loc 1 20 0\nld.shared.u32 %r1, [%d1];\n.loc 1 21 0\n"
      "ld.global.u32 %r2, [%d2];\n.loc 1 22 0\n";
  for (const auto& [body, of] :
       {std::pair{"prmt.b32 %r3, %r1, %r2, 0x3210;", "s[0], read at sum.cu:20"},
        std::pair{"prmt.b32 %r3, %r1, %r2, 0x7654;", "tmp[0], read at sum.cu:21"},
        std::pair{"bfi.b32 %r3, %r1, %r2, 0, 32;", "s[0], read at sum.cu:20"},
        std::pair{"and.b32 %r2, %r2, 0; or.b32 %r3, %r1, %r2;", "s[0], read at sum.cu:20"},
        std::pair{"mov.b64 %d4, {%r1, %r2}; mov.b64 {%r4, %r3}, %d4;", "tmp[0]"}}) {
    const auto report = run(two + body + "st.global.u32 [%d0], %r3;");
    ASSERT_TRUE(only(report, K::poison_output)) << body;
    EXPECT_NE(report.findings[0].detail.find(of), std::string::npos) << report.findings[0].detail;
  }
  // What a fault has left, and that is masked away, hides nothing.
  const auto hidden =
      run("mov.u64 %d8, 0; ld.global.u32 %r2, [%d8]; ld.shared.u32 %r1, [%d1];"
          "prmt.b32 %r3, %r1, %r2, 0x3210; st.global.u32 [%d0], %r3;");
  EXPECT_TRUE(has(hidden, K::poison_output)) << text(hidden);
}

TEST(PartlyUndefined, keeps_its_origin_through_memory) {
  const auto report = run("\n.loc 1 20 0\n" + word + "st.shared.u32 [%d1+4], %r1;\n.loc 1 21 0\n" +
                          "ld.shared.u32 %r2, [%d1+4]; st.global.u32 [%d0], %r2;");
  ASSERT_TRUE(only(report, K::poison_output));
  EXPECT_NE(report.findings[0].detail.find("s[0], read at sum.cu:20, parts of which"),
            std::string::npos)
      << report.findings[0].detail;
}

/// Status bytes that are read and changed as words, as ECL-MIS does: of `nodes` bytes all are
/// written, and of their last word the others are not.
LaunchReport status_bytes(unsigned nodes, const std::string& number_of_nodes) {
  Device device(kernel(
      ".param .u64 status, .param .u64 found",
      "ld.param.u64 %d0, [status]; ld.param.u64 %d1, [found]; mov.u32 %r0, %tid.x;"
      "cvt.u64.u32 %d2, %r0; add.u64 %d2, %d0, %d2; setp.ge.u32 %p0, %r0, " +
          std::to_string(nodes) +
          "; or.b32 %r1, %r0, 1;"
          "@!%p0 st.global.u8 [%d2], %r1; bar.sync 0;"
          "setp.ge.u32 %p1, %r0, " +
          number_of_nodes +
          "; @%p1 bra E;"
          "and.b32 %r2, %r0, -4; cvt.u64.u32 %d3, %r2; add.u64 %d3, %d0, %d3;"
          "shl.b32 %r3, %r0, 3; and.b32 %r3, %r3, 24;"
          "ld.relaxed.gpu.global.u32 %r4, [%d3]; shr.u32 %r5, %r4, %r3; and.b32 %r6, %r5, 1;"
          "setp.eq.u32 %p2, %r6, 0; @%p2 bra E;\n"
          "mov.u32 %r7, 255; shl.b32 %r7, %r7, %r3; not.b32 %r8, %r7; and.b32 %r9, %r7, 0xFEFEFEFE;"
          "red.relaxed.gpu.global.and.b32 [%d3], %r8; red.relaxed.gpu.global.or.b32 [%d3], %r9;"
          "ld.relaxed.gpu.global.u32 %r4, [%d3]; shr.u32 %r5, %r4, %r3; and.b32 %r6, %r5, 255;"
          "setp.ne.u32 %p2, %r6, 254; @%p2 trap;"
          "red.global.add.u32 [%d1], 1; E: ret;"));
  const auto status = device.uninitialised<std::uint8_t>("status", 32);
  const auto found = device.array("found", std::vector<std::uint32_t>(1));
  auto report = device.launch({}, status, found);
  EXPECT_TRUE(!report.findings.empty() || device.read<std::uint32_t>(found, 1)[0] == nodes);
  return report;
}
TEST(PartlyUndefined, status_bytes_in_words_are_silent_and_their_padding_is_found) {
  for (const unsigned nodes : {29U, 30U, 31U, 32U}) {
    EXPECT_TRUE(silent(status_bytes(nodes, std::to_string(nodes)))) << nodes;
  }
  for (const unsigned nodes : {29U, 30U, 31U}) {
    const auto report = status_bytes(nodes, std::to_string(nodes + 1));
    ASSERT_TRUE(has(report, K::poison_branch)) << nodes << text(report);
    EXPECT_NE(report.findings[0].detail.find("status[" + std::to_string(nodes)), std::string::npos)
        << report.findings[0].detail;
    EXPECT_EQ(report.findings[0].at.lane, nodes);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_partly_undefined
