// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bits of a result are undefined, where some bits of a source are: judged by runs in which
// these bits are defined and have one value after the other. A bit of the result that differs must
// count as undefined; one that never does must not, but for what the machine does not look into.
#include <fmt/format.h>

#include <array>
#include <random>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_undefined_bits {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using Random = std::mt19937_64;

/// Of which %d1 and %d2 are sources and %d3 is the result; %r1, %h1 and so on are their low ends.
struct Operation {
  std::string text;
  bool exact = true;
  bool second_is_defined = false;  ///< it says how the first is moved
};
void PrintTo(const Operation& o, std::ostream* out) { *out << o.text; }

struct Source {
  u64 value, undefined;
};
constexpr unsigned lanes = 32;

const std::string sources =
    "cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u16.u64 %h1, %d1;"
    "cvt.u16.u64 %h2, %d2; mov.u64 %d3, 0;\n";

/// The results, a lane each, where undefined bits are those of `completions`.
std::vector<u64> results(const std::string& operation, const std::vector<u64>& a,
                         const std::vector<u64>& b) {
  Device device(kernel(
      ".param .u64 a, .param .u64 b, .param .u64 out",
      "ld.param.u64 %d10, [a]; ld.param.u64 %d11, [b]; ld.param.u64 %d12, [out];"
      "mov.u32 %r0, %tid.x; mad.wide.u32 %d10, %r0, 8, %d10; mad.wide.u32 %d11, %r0, 8, %d11;"
      "mad.wide.u32 %d12, %r0, 8, %d12; ld.global.u64 %d1, [%d10]; ld.global.u64 %d2, [%d11];" +
          sources + operation + "st.global.u64 [%d12], %d3;"));
  const auto out = device.array("out", std::vector<u64>(lanes));
  EXPECT_TRUE(silent(device.launch({}, device.input("a", a), device.input("b", b), out)));
  return device.read<u64>(out, lanes);
}

/// The bits that decide a branch where they are the only ones that are looked at: undefined bits
/// come from a load of a word that nobody wrote. Bit k is tested at line k + 1.
u64 found_undefined(const std::string& operation, Source a, Source b) {
  std::string body =
      "ld.param.u64 %d10, [tmp]; ld.param.u64 %d11, [words]; ld.global.u64 %d13, [%d10];"
      "ld.global.v2.u64 {%d14, %d15}, [%d11]; and.b64 %d1, %d13, %d15; or.b64 %d1, %d1, %d14;"
      "ld.global.v2.u64 {%d14, %d15}, [%d11+16]; and.b64 %d2, %d13, %d15; or.b64 %d2, %d2, "
      "%d14;\n" +
      sources + operation;
  for (unsigned k = 0; k < 64; ++k) {
    body += fmt::format(
        ".loc 1 {} 0\nand.b64 %d4, %d3, {}; setp.ne.u64 %p0, %d4, 0; @%p0 bra L{}; L{}:\n", k + 1,
        static_cast<std::int64_t>(u64{1} << k), k, k);
  }
  Device device(kernel(".param .u64 tmp, .param .u64 words", body, ".file 1 \"bits.cu\"\n"));
  const std::vector<u64> words = {a.value & ~a.undefined, a.undefined, b.value & ~b.undefined,
                                  b.undefined};
  const auto report = device.launch({.block = {1}}, device.uninitialised<u64>("tmp", 1),
                                    device.input("words", words));
  u64 found = 0;
  for (const auto& f : report.findings) {
    EXPECT_EQ(f.kind, FindingKind::poison_branch) << to_string(f);
    EXPECT_NE(f.detail.find("tmp[0]"), std::string::npos) << f.detail;
    found |= u64{1} << (f.at.line - 1);
  }
  return found;
}

/// Every lane another completion of the undefined bits: the extremes of both sources, then
/// anything.
std::vector<u64> completions(Source s, unsigned which, Random& random) {
  constexpr std::array<u64, 4> low = {0, ~u64{0}, 0x8000'8000'8000'8000, 0x7FFF'7FFF'7FFF'7FFF};
  std::vector<u64> all;
  for (unsigned l = 0; l < lanes; ++l) {
    const u64 x = l < 16 ? low[which == 0 ? l / 4 : l % 4] : random();
    all.push_back((s.value & ~s.undefined) | (x & s.undefined));
  }
  return all;
}

class UndefinedBits : public ::testing::TestWithParam<Operation> {};

TEST_P(UndefinedBits, are_those_that_depend_on_undefined_bits_of_the_sources) {
  const auto& [operation, exact, second_is_defined] = GetParam();
  Random random(7);
  constexpr u64 masks[] = {0xFF00'0000'FF00'0000, 0x00FF'FFFF'00FF'FFFF, 0x0000'0000'FFFF'FFFF,
                           0xFFFF'FFFF'0000'FF00, 0x8000'0000'8000'0001, ~u64{0}};
  for (unsigned round = 0; round < 18; ++round) {
    const u64 chosen = round < 6 ? masks[round] : random() & random();
    const Source a{random(), chosen};
    // A small number as well, such as a shift is by.
    const u64 second = second_is_defined || round % 3 == 0 ? 0 : random() & random();
    const Source b{second_is_defined && round % 2 == 0 ? random() & 0x1F1F : random(), second};
    const auto as = completions(a, 0, random), bs = completions(b, 1, random);
    const auto values = results(operation, as, bs);
    u64 differs = 0;
    for (const u64 x : values) differs |= x ^ values[0];
    const u64 found = found_undefined(operation, a, b);
    const auto told = fmt::format("a {:x} undefined {:x}, b {:x} undefined {:x}", a.value,
                                  a.undefined, b.value, b.undefined);
    EXPECT_EQ(differs & ~found, 0U) << told;
    EXPECT_TRUE(!exact || found == differs) << told << ": " << found << " for " << differs;
  }
}

const Operation operations[] = {
    {"mov.b64 %d3, %d1;"},
    {"mov.b32 %r3, %r1; cvt.u64.u32 %d3, %r3;"},
    {"mov.b16 %h3, %h1; cvt.u64.u16 %d3, %h3;"},
    {"mov.b64 %d3, {%r1, %r2};"},
    {"mov.b64 {%r3, %r4}, %d1; cvt.u64.u32 %d3, %r4;"},
    {"mov.b32 %r3, {%h1, %h2}; cvt.u64.u32 %d3, %r3;"},
    {"mov.b32 {%h3, %h4}, %r1; cvt.u64.u16 %d3, %h4;"},
    {"mov.b64 %d3, {%h1, %h2, %h2, %h1};"},
    {"mov.b64 {%h3, %h4, %h5, %h6}, %d1; cvt.u64.u16 %d3, %h5;"},
    {"cvt.u64.u8 %d3, %d1;"},
    {"cvt.s64.s8 %d3, %d1;"},
    {"cvt.s64.s16 %d3, %d1;"},
    {"cvt.s64.s32 %d3, %r1;"},
    {"cvt.u16.u8 %h3, %r1; cvt.u64.u16 %d3, %h3;"},
    {"cvt.s32.s8 %r3, %h1; cvt.u64.u32 %d3, %r3;"},
    {"and.b64 %d3, %d1, %d2;"},
    {"and.b64 %d1, %d1, %d2; mov.b64 %d3, %d1;"},  // in place
    {"and.b64 %d2, %d1, %d2; mov.b64 %d3, %d2;"},
    {"and.b32 %r3, %r1, %r2; cvt.u64.u32 %d3, %r3;"},
    {"and.b16 %h3, %h1, %h2; cvt.u64.u16 %d3, %h3;"},
    {"or.b64 %d3, %d1, %d2;"},
    {"or.b32 %r1, %r1, %r2; cvt.u64.u32 %d3, %r1;"},
    {"xor.b64 %d3, %d1, %d2;"},
    {"not.b64 %d3, %d1;"},
    {"not.b16 %h3, %h1; cvt.u64.u16 %d3, %h3;"},
    {"lop3.b32 %r3, %r1, %r2, %r1, 0xE8; cvt.u64.u32 %d3, %r3;", false},
    {"lop3.b32 %r3, %r1, %r2, 0xFF00FF, 0xCA; cvt.u64.u32 %d3, %r3;"},
    {"lop3.b32 %r1, %r1, %r2, 0xFF00FF, 0x6A; cvt.u64.u32 %d3, %r1;"},
    {"shl.b64 %d3, %d1, %r2;", true, true},
    {"shl.b32 %r3, %r1, %r2; cvt.u64.u32 %d3, %r3;", true, true},
    {"shl.b32 %r2, %r1, %r2; cvt.u64.u32 %d3, %r2;", true, true},
    {"shl.b16 %h3, %h1, 3; cvt.u64.u16 %d3, %h3;"},
    {"shr.u64 %d3, %d1, %r2;", true, true},
    {"shr.s64 %d3, %d1, %r2;", true, true},
    {"shr.u32 %r3, %r1, 24; cvt.u64.u32 %d3, %r3;"},
    {"shr.s32 %r3, %r1, %r2; cvt.u64.u32 %d3, %r3;", true, true},
    {"shr.s16 %h3, %h1, 5; cvt.u64.u16 %d3, %h3;"},
    {"shf.l.wrap.b32 %r3, %r1, %r2, 8; cvt.u64.u32 %d3, %r3;"},
    {"shf.r.clamp.b32 %r3, %r1, %r2, 20; cvt.u64.u32 %d3, %r3;"},
    {"bfe.u32 %r3, %r1, 8, 12; cvt.u64.u32 %d3, %r3;"},
    {"bfe.s32 %r3, %r1, %r2, 8; cvt.u64.u32 %d3, %r3;", true, true},
    {"bfe.u64 %d3, %d1, 24, 16;"},
    {"bfi.b32 %r3, %r1, %r2, 8, 12; cvt.u64.u32 %d3, %r3;"},
    {"bfi.b32 %r2, %r1, %r2, 4, 20; cvt.u64.u32 %d3, %r2;"},
    {"bfi.b64 %d3, %d1, %d2, 16, 24;"},
    {"prmt.b32 %r3, %r1, %r2, 0x7531; cvt.u64.u32 %d3, %r3;"},
    {"prmt.b32 %r3, %r1, %r2, 0x4AB3; cvt.u64.u32 %d3, %r3;"},
    {"prmt.b32.rc8 %r3, %r1, 0, %r2; cvt.u64.u32 %d3, %r3;", true, true},
    {"szext.clamp.s32 %r3, %r1, %r2; cvt.u64.u32 %d3, %r3;", true, true},
    {"szext.wrap.u32 %r3, %r1, 17; cvt.u64.u32 %d3, %r3;"},
    {"brev.b64 %d3, %d1;"},
    {"setp.lt.u32 %p1, %r2, 0x80000000; selp.b64 %d3, %d1, %d2, %p1;", true, true},
    {"slct.b64.s32 %d3, %d1, %d2, %r2;", true, true},
    // One bit, which is defined or not. A few completions need not meet the bits that decide.
    {"setp.eq.u64 %p1, %d1, %d2; selp.b64 %d3, 1, 0, %p1;", false},
    {"setp.ne.u32 %p1, %r1, 0; selp.b64 %d3, 1, 0, %p1;"},
    {"setp.lt.u32 %p1, %r1, %r2; selp.b64 %d3, 1, 0, %p1;"},
    {"setp.ge.s32 %p1, %r1, %r2; selp.b64 %d3, 1, 0, %p1;"},
    {"setp.gt.s64 %p1, %d1, %d2; selp.b64 %d3, 1, 0, %p1;", false},
    {"setp.le.u16 %p1, %h1, %h2; selp.b64 %d3, 1, 0, %p1;"},
    {"setp.lt.s16 %p1, %h1, 0; selp.b64 %d3, 1, 0, %p1;"},
    {"setp.gt.u32 %p1, %r1, 0xFFFFFF; selp.b64 %d3, 1, 0, %p1;"},
    // Not looked into, or not to the last bit: what differs is found, and more.
    {"popc.b64 %r3, %d1; cvt.u64.u32 %d3, %r3;", false},
    {"clz.b64 %r3, %d1; cvt.u64.u32 %d3, %r3;", false},
    {"bfind.u32 %r3, %r1; cvt.u64.u32 %d3, %r3;", false},
    {"bfind.shiftamt.s32 %r3, %r1; cvt.u64.u32 %d3, %r3;", false},
    {"shl.b64 %d3, %d1, %r2;", false},
    {"prmt.b32 %r3, %r1, %r2, %r1; cvt.u64.u32 %d3, %r3;", false},
    {"bfe.u32 %r3, %r1, %r2, 8; cvt.u64.u32 %d3, %r3;", false},
    {"bfi.b32 %r3, %r1, 7, %r2, 8; cvt.u64.u32 %d3, %r3;", false},
    {"add.u64 %d3, %d1, %d2;", false},
    {"sub.u32 %r3, %r1, %r2; cvt.u64.u32 %d3, %r3;", false},
    {"mul.lo.u64 %d3, %d1, %d2;", false},
    {"mul.wide.u16 %r3, %h1, %h2; cvt.u64.u32 %d3, %r3;", false},
    {"min.u32 %r3, %r1, %r2; cvt.u64.u32 %d3, %r3;", false},
    {"neg.s32 %r3, %r1; cvt.u64.u32 %d3, %r3;", false},
    {"cnot.b32 %r3, %r1; cvt.u64.u32 %d3, %r3;", false},
    {"cvt.sat.u8.s32 %r3, %r1; cvt.u64.u32 %d3, %r3;", false},
    {"set.eq.u32.u32 %r3, %r1, %r2; cvt.u64.u32 %d3, %r3;", false},
    {"dp4a.u32.u32 %r3, %r1, %r2, 0; cvt.u64.u32 %d3, %r3;", false},
    {"cvt.rn.f32.u8 %x3, %r1; mov.b32 %r3, %x3; cvt.u64.u32 %d3, %r3;", false},
    {"cvt.rn.f32.u32 %x3, %r1; mov.b32 %r3, %x3; cvt.u64.u32 %d3, %r3;", false},
};
INSTANTIATE_TEST_SUITE_P(Operations, UndefinedBits, ::testing::ValuesIn(operations));

/// The only bits that are undefined are those of `undefined`.
u64 found_undefined(const std::string& operation, u64 value, u64 undefined) {
  return found_undefined(operation, {value, undefined}, {0, 0});
}

TEST(UndefinedBitsOf, what_leaves_no_undefined_bit_there_are_none) {
  constexpr u64 upper = 0xFFFF'FF00;
  EXPECT_EQ(found_undefined("popc.b32 %r3, %r1; cvt.u64.u32 %d3, %r3;", 5, u64{1} << 40), 0U);
  EXPECT_NE(found_undefined("popc.b32 %r3, %r1; cvt.u64.u32 %d3, %r3;", 5, 1), 0U);
  // Behind the leading one nothing counts.
  EXPECT_EQ(found_undefined("clz.b32 %r3, %r1; cvt.u64.u32 %d3, %r3;", 0x100, 0xFF), 0U);
  EXPECT_NE(found_undefined("clz.b32 %r3, %r1; cvt.u64.u32 %d3, %r3;", 0x100, 0x200), 0U);
  EXPECT_EQ(found_undefined("bfind.u32 %r3, %r1; cvt.u64.u32 %d3, %r3;", 0x100, 0xFF), 0U);
  EXPECT_NE(found_undefined("bfind.u32 %r3, %r1; cvt.u64.u32 %d3, %r3;", 0x100, 0x200), 0U);
  const std::string to_float = "cvt.rn.f32.u8 %x3, %r1; mov.b32 %r3, %x3; cvt.u64.u32 %d3, %r3;";
  EXPECT_EQ(found_undefined(to_float, 5, upper), 0U);
  EXPECT_EQ(found_undefined(to_float, 5, upper | 1), 0xFFFF'FFFFU);
  const std::string equal = "setp.eq.u32 %p1, %r1, 6; selp.b64 %d3, 1, 0, %p1;";
  EXPECT_EQ(found_undefined(equal, 5, upper), 0U);  // 5 is not 6, whatever is above
  EXPECT_EQ(found_undefined(equal, 6, upper), 1U);
  EXPECT_EQ(found_undefined(equal, 6, upper << 32), 0U);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_undefined_bits
