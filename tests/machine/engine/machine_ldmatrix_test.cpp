// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// ldmatrix and stmatrix (PTX ISA 9.0, 9.7.14.5.15): rows of 8 x 8 matrices that the lanes bring.
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_ldmatrix {
namespace {

/// Brings in to shared s, then `body`, then stores %r0 to %r3 of each thread.
Device rows_device(const std::string& body) {
  return Device(kernel(".param .u64 in, .param .u64 out",
                       "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r9, %tid.x;\n"
                       "mad.wide.u32 %d1, %r9, 16, %d1; mul.wide.u32 %d2, %r9, 16;\n"
                       "add.u64 %d0, %d0, %d2; mov.u32 %r10, s; mad.lo.u32 %r11, %r9, 16, %r10;\n"
                       "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];\n"
                       "st.shared.v4.u32 [%r11], {%r0, %r1, %r2, %r3}; bar.sync 0;\n" +
                           body + "\nst.global.v4.u32 [%d1], {%r0, %r1, %r2, %r3}; ret;",
                       ".shared .align 16 .b8 s[512];\n"));
}
/// Half h of the 32 rows of eight: 8 * row + h.
std::vector<std::uint16_t> halves() {
  std::vector<std::uint16_t> v(256);
  for (unsigned k = 0; k < v.size(); ++k) v[k] = static_cast<std::uint16_t>(k);
  return v;
}

TEST(LdMatrix, loads_four_matrices_whose_rows_the_lanes_bring) {
  for (const bool trans : {false, true}) {
    auto device = rows_device(
        fmt::format("ldmatrix.sync.aligned.m8n8.x4{}.shared.b16 {{%r0, %r1, %r2, %r3}}, [%r11];",
                    trans ? ".trans" : ""));
    const auto in = device.input("in", halves());
    const auto out = device.output<std::uint16_t>("out", 256);
    ASSERT_TRUE(silent(device.launch({}, in, out)));
    const auto d = device.read<std::uint16_t>(out, 256);
    for (unsigned lane = 0; lane < 32; ++lane) {
      for (unsigned k = 0; k < 8; ++k) {
        const unsigned g = lane / 4, h = 2 * (lane % 4) + k % 2;
        EXPECT_EQ(d[lane * 8 + k], 64 * (k / 2) + (trans ? 8 * h + g : 8 * g + h));
      }
    }
  }
}

TEST(LdMatrix, only_the_lanes_that_bring_rows_need_an_address) {
  const std::string far = "setp.ge.u32 %p0, %r9, 8; selp.u32 %r11, 99984, %r11, %p0;\n";
  auto device =
      rows_device(far + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r11]; mov.u32 %r1, 0;");
  const auto in = device.input("in", halves());
  const auto out = device.output<std::uint16_t>("out", 256);
  EXPECT_TRUE(silent(device.launch({}, in, out)));
  auto more = rows_device(far + "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r0, %r1}, [%r11];");
  const auto from = more.input("in", halves());
  const auto to = more.array("out", std::vector<std::uint16_t>(256));
  EXPECT_TRUE(has(more.launch({}, from, to), FindingKind::out_of_bounds_read));
}

TEST(LdMatrix, a_row_begins_at_a_multiple_of_16_bytes) {
  auto device = rows_device(
      "xor.b32 %r12, %r9, 5; setp.eq.u32 %p0, %r12, 0; @%p0 add.u32 %r11, %r11, 4;\n"
      "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r11];");
  const auto in = device.input("in", halves());
  const auto out = device.output<std::uint16_t>("out", 256);
  const auto report = device.launch({}, in, out);
  ASSERT_TRUE(only(report, FindingKind::misaligned));
  EXPECT_EQ(report.findings[0].at.lane, 5U);
  EXPECT_EQ(report.findings[0].array, "s");
}

TEST(StMatrix, stores_what_ldmatrix_loads) {
  for (const char* trans : {"", ".trans"}) {
    auto device = rows_device(
        fmt::format("ldmatrix.sync.aligned.m8n8.x4{0}.shared.b16 {{%r0, %r1, %r2, %r3}}, [%r11];\n"
                    "add.u32 %r0, %r0, 0x00010001; add.u32 %r1, %r1, 0x00010001;\n"
                    "add.u32 %r2, %r2, 0x00010001; add.u32 %r3, %r3, 0x00010001; bar.sync 0;\n"
                    "stmatrix.sync.aligned.m8n8.x4{0}.shared.b16 [%r11], {{%r0, %r1, %r2, %r3}};\n"
                    "bar.sync 0; ld.shared.v4.u32 {{%r0, %r1, %r2, %r3}}, [%r11];",
                    trans));
    const auto in = device.input("in", halves());
    const auto out = device.output<std::uint16_t>("out", 256);
    ASSERT_TRUE(silent(device.launch({}, in, out)));
    const auto d = device.read<std::uint16_t>(out, 256);
    for (unsigned k = 0; k < 256; ++k) EXPECT_EQ(d[k], k + 1);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_ldmatrix
