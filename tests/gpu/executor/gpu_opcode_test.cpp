// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One instruction at a time, on the SIMT machine and on the GPU, over f32 operands of every
// exponent: the same bits, or no further apart than the table below allows (docs/limits.md has it,
// too).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/gpu/executor/gpu_both.hpp"
#include "tests/identifier.hpp"

namespace gauntlet::cuda::gpu_opcode {
namespace {

/// How far apart the results may be.
struct Bound {
  enum class Unit : std::uint8_t { bits, ulp, absolute } unit = Unit::bits;
  double most = 0;
  double operand = INFINITY;  ///< for operands of at most this magnitude; others are only reported
};
constexpr Bound same{};
constexpr Bound ulps(double most) { return {Bound::Unit::ulp, most, INFINITY}; }
constexpr Bound absolute(double most, double operand) {
  return {Bound::Unit::absolute, most, operand};
}

struct Row {
  const char* instruction;
  int operands;
  unsigned in_bits, out_bits;  ///< of the registers
  Bound bound;
};

/// PTX ISA 9.0 states relative errors; an ulp is between 2^-23 and 2^-24 of the value.
const Row rows[] = {
    {"ex2.approx.f32", 1, 32, 32, ulps(3)},
    {"ex2.approx.ftz.f32", 1, 32, 32, ulps(3)},
    {"lg2.approx.f32", 1, 32, 32, absolute(0x1p-22, 0)},
    {"lg2.approx.ftz.f32", 1, 32, 32, absolute(0x1p-22, 0)},
    {"sin.approx.f32", 1, 32, 32, absolute(0x1p-20, 3.1415927)},
    {"sin.approx.ftz.f32", 1, 32, 32, absolute(0x1p-20, 3.1415927)},
    {"cos.approx.f32", 1, 32, 32, absolute(0x1p-20, 3.1415927)},
    {"cos.approx.ftz.f32", 1, 32, 32, absolute(0x1p-20, 3.1415927)},
    {"tanh.approx.f32", 1, 32, 32, absolute(0x1p-10, INFINITY)},
    {"rcp.approx.f32", 1, 32, 32, ulps(1)},
    {"rcp.approx.ftz.f32", 1, 32, 32, ulps(1)},
    {"rsqrt.approx.f32", 1, 32, 32, ulps(2)},
    {"rsqrt.approx.ftz.f32", 1, 32, 32, ulps(2)},
    {"sqrt.approx.f32", 1, 32, 32, ulps(3)},
    {"sqrt.approx.ftz.f32", 1, 32, 32, ulps(3)},
    {"div.approx.f32", 2, 32, 32, ulps(2)},
    {"div.approx.ftz.f32", 2, 32, 32, ulps(2)},
    {"div.full.f32", 2, 32, 32, ulps(2)},
    {"div.full.ftz.f32", 2, 32, 32, ulps(2)},

    {"add.ftz.f32", 2, 32, 32, same},
    {"add.rz.f32", 2, 32, 32, same},
    {"add.rm.f32", 2, 32, 32, same},
    {"add.rp.ftz.f32", 2, 32, 32, same},
    {"add.sat.f32", 2, 32, 32, same},
    {"sub.ftz.f32", 2, 32, 32, same},
    {"sub.rm.f32", 2, 32, 32, same},
    {"mul.ftz.f32", 2, 32, 32, same},
    {"mul.rz.f32", 2, 32, 32, same},
    {"mul.rp.f32", 2, 32, 32, same},
    {"mul.ftz.sat.f32", 2, 32, 32, same},
    {"fma.rn.ftz.f32", 3, 32, 32, same},
    {"fma.rm.f32", 3, 32, 32, same},
    {"fma.rz.f32", 3, 32, 32, same},
    {"fma.rp.ftz.f32", 3, 32, 32, same},
    {"fma.rn.sat.f32", 3, 32, 32, same},
    {"div.rn.ftz.f32", 2, 32, 32, same},
    {"div.rz.f32", 2, 32, 32, same},
    {"sqrt.rn.ftz.f32", 1, 32, 32, same},
    {"sqrt.rm.f32", 1, 32, 32, same},
    {"rcp.rn.ftz.f32", 1, 32, 32, same},
    {"rcp.rp.f32", 1, 32, 32, same},
    {"min.ftz.f32", 2, 32, 32, same},
    {"max.ftz.f32", 2, 32, 32, same},
    {"min.ftz.NaN.f32", 2, 32, 32, same},
    {"neg.ftz.f32", 1, 32, 32, same},
    {"abs.ftz.f32", 1, 32, 32, same},
    {"set.lt.ftz.u32.f32", 2, 32, 32, same},
    {"set.gtu.f32.f32", 2, 32, 32, same},
    {"slct.ftz.u32.f32", 3, 32, 32, same},
    {"copysign.f32", 2, 32, 32, same},

    {"cvt.sat.f32.f32", 1, 32, 32, same},
    {"cvt.ftz.sat.f32.f32", 1, 32, 32, same},
    {"cvt.ftz.f32.f32", 1, 32, 32, same},
    {"cvt.rmi.ftz.f32.f32", 1, 32, 32, same},
    {"cvt.rni.sat.s8.f32", 1, 32, 32, same},
    {"cvt.rni.sat.u8.f32", 1, 32, 32, same},
    {"cvt.rzi.ftz.s32.f32", 1, 32, 32, same},
    {"cvt.rpi.ftz.u32.f32", 1, 32, 32, same},
    {"cvt.rz.f32.s32", 1, 32, 32, same},
    {"cvt.rm.f32.s32", 1, 32, 32, same},
    {"cvt.rp.f32.u32", 1, 32, 32, same},
    {"cvt.rz.f16.f32", 1, 32, 16, same},
    {"cvt.rm.f16.f32", 1, 32, 16, same},
    {"cvt.rz.bf16.f32", 1, 32, 16, same},
    {"cvt.rn.relu.f16x2.f32", 2, 32, 32, same},
    {"cvt.rn.relu.bf16x2.f32", 2, 32, 32, same},
    {"cvt.rna.tf32.f32", 1, 32, 32, same},
    {"cvt.rn.satfinite.e4m3x2.f32", 2, 32, 16, same},
    {"cvt.rn.satfinite.e5m2x2.f32", 2, 32, 16, same},
    {"cvt.rn.satfinite.e4m3x2.f16x2", 1, 32, 16, same},
    {"cvt.rn.f16x2.e4m3x2", 1, 16, 32, same},
    {"cvt.rn.f16x2.e5m2x2", 1, 16, 32, same},

    {"add.ftz.f16", 2, 16, 16, same},
    {"mul.ftz.f16", 2, 16, 16, same},
    {"fma.rn.ftz.f16", 3, 16, 16, same},
    {"fma.rn.relu.f16", 3, 16, 16, same},
    {"fma.rn.relu.bf16", 3, 16, 16, same},
    {"add.sat.f16", 2, 16, 16, same},
    {"set.gt.f16x2.f16x2", 2, 32, 32, same},
    {"add.rm.f64", 2, 64, 64, same},
    {"mul.rz.f64", 2, 64, 64, same},
    {"fma.rp.f64", 3, 64, 64, same},

    {"dp4a.s32.u32", 3, 32, 32, same},
    {"dp4a.u32.u32", 3, 32, 32, same},
    {"dp2a.lo.s32.s32", 3, 32, 32, same},
    {"dp2a.hi.u32.s32", 3, 32, 32, same},
    {"mul24.lo.s32", 2, 32, 32, same},
    {"mul24.hi.u32", 2, 32, 32, same},
    {"mad24.hi.s32", 3, 32, 32, same},
    {"add.sat.s32", 2, 32, 32, same},
    {"mad.hi.sat.s32", 3, 32, 32, same},
    {"vabsdiff4.u32.u32.u32", 3, 32, 32, same},
    {"vabsdiff4.u32.s32.s32.add", 3, 32, 32, same},
    {"add.u16x2", 2, 32, 32, same},
    {"add.s16x2", 2, 32, 32, same},
    {"min.s16x2", 2, 32, 32, same},
    {"max.u16x2", 2, 32, 32, same},
    {"max.relu.s16x2", 2, 32, 32, same},
    // An H100 answers 0, not "none", for the offset -2^31, which no mask has room for.
    {"and.b32 %b, %b, 31; shr.s32 %c, %c, 1; fns.b32", 3, 32, 32, same},
};

std::string program(const Row& row) {
  std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po) {{\n"
      ".reg .b{0} %a, %b, %c; .reg .b{1} %q; .reg .b32 %i, %j, %n; .reg .b64 %d;\n"
      "mov.u32 %i, %tid.x; mov.u32 %j, %ctaid.x; mov.u32 %n, %ntid.x;\n"
      "mad.lo.u32 %i, %j, %n, %i;\n",
      row.in_bits, row.out_bits);
  for (const char name : {'a', 'b', 'c'}) {
    text += fmt::format(
        "ld.param.u64 %d, [p{0}]; mad.wide.u32 %d, %i, 8, %d; ld.global.b{1} %{0}, [%d];\n", name,
        row.in_bits);
  }
  const char* const operands[] = {"", "%a", "%a, %b", "%a, %b, %c"};
  return text + fmt::format(
                    "{} %q, {};\nld.param.u64 %d, [po]; mad.wide.u32 %d, %i, 8, %d;\n"
                    "st.global.b{} [%d], %q;\nret;\n}}\n",
                    row.instruction, operands[row.operands], row.out_bits);
}

/// Every exponent and many mantissas of f32, special values, words; narrow types take the low bits.
Words operands(unsigned which) {
  std::mt19937_64 random(100 + which);
  Words v;
  const std::uint32_t special[] = {0,           0x8000'0000, 0x3F80'0000, 0xBF80'0000, 0x7F80'0000,
                                   0xFF80'0000, 0x7FC0'0000, 0x7F80'0001, 1,           0x8000'0001,
                                   0x007F'FFFF, 0x0080'0000, 0x0080'0001, 0x7F7F'FFFF, 0x3F00'0000};
  for (unsigned k = 0; k < count; ++k) {
    const std::uint64_t x = random();
    if (k < 15 * 15 * 15) {
      const unsigned place = which == 0 ? k : which == 1 ? k / 15 : k / 225;
      v.push_back(special[place % 15] | (x & 0xFFFF'FFFF) << 32);
    } else if (k % 4 == 0) {  // near one another, where sums cancel
      v.push_back((x & 0x80FF'FFFF'80FF'FFFF) | 0x3E00'0000'3E00'0000);
    } else if (k % 4 == 1) {  // near the smallest normal number
      v.push_back((x & 0x81FF'FFFF'81FF'FFFF));
    } else {
      v.push_back((x & 0x807F'FFFF'807F'FFFF) | std::uint64_t{k / 4 % 256} << 23);
    }
  }
  return v;
}

float f32(std::uint64_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x)); }
/// Neighbouring floats have neighbouring numbers.
std::int64_t place(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits < 0 ? -std::int64_t{bits & 0x7FFF'FFFF} : bits;
}
double distance(const Bound& bound, std::uint64_t a, std::uint64_t b) {
  if (a == b) return 0;
  const float x = f32(a), y = f32(b);
  if (bound.unit == Bound::Unit::bits || x != x || y != y) return INFINITY;
  if (bound.unit == Bound::Unit::absolute) return std::fabs(double{x} - double{y});
  return static_cast<double>(std::abs(place(x) - place(y)));
}

class GpuOpcode : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(each, GpuOpcode, ::testing::ValuesIn(rows),
                         [](const auto& info) { return identifier(info.param.instruction); });

TEST_P(GpuOpcode, agrees_with_the_machine) {
  const Row row = GetParam();
  const std::vector<Words> in = {operands(0), operands(1), operands(2)};
  const auto text = program(row);
  const auto ours = on_machine(text, in), theirs = on_gpu(text, in);
  double largest = 0, outside = 0;
  unsigned differ = 0, wrong = 0;
  for (unsigned k = 0; k < count; ++k) {
    const double d = distance(row.bound, ours[k], theirs[k]);
    if (d == 0) continue;
    ++differ;
    const float x = f32(in[0][k]);
    // lg2: a relative bound away from one, where the logarithm is not small.
    const bool logarithm = row.bound.operand == 0;
    const double allowed = logarithm
                               ? std::max(row.bound.most, std::fabs(double{f32(ours[k])}) * 0x1p-22)
                               : row.bound.most;
    if (!logarithm && std::fabs(x) > row.bound.operand) {
      outside = std::max(outside, d);
      continue;
    }
    largest = std::max(largest, d);
    if (d <= allowed || ++wrong > 5) continue;
    ADD_FAILURE() << fmt::format("{} of 0x{:x} 0x{:x} 0x{:x}: the machine 0x{:x}, the GPU 0x{:x}",
                                 row.instruction, in[0][k], in[1][k], in[2][k], ours[k], theirs[k]);
  }
  fmt::print("{:30} {} of {} differ, at most by {}{}{}\n", row.instruction, differ, count, largest,
             row.bound.unit == Bound::Unit::ulp ? " ulp" : "",
             outside != 0 ? fmt::format("; beyond the bounded operands by {}", outside) : "");
  EXPECT_EQ(wrong, 0U);
}

}  // namespace
}  // namespace gauntlet::cuda::gpu_opcode
