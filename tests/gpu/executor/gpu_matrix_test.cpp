// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor cores: products of matrices on the SIMT machine and on the GPU, bit for bit, over factors
// of every kind (numbers of every exponent, zeros, infinities, NaN).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

#include "tests/gpu/executor/gpu_both.hpp"

namespace gauntlet::cuda::gpu_matrix {
namespace {

struct Row {
  const char* shape;    ///< and modifiers
  const char* numbers;  ///< of D, A, B and C
  unsigned a, b, c;     ///< registers; D has those of C
  unsigned bits = 32;
};
const Row rows[] = {{"m16n8k8.row.col", "f32.f16.f16.f32", 2, 1, 4},
                    {"m16n8k16.row.col", "f32.f16.f16.f32", 4, 2, 4},
                    {"m16n8k8.row.col", "f16.f16.f16.f16", 2, 1, 2},
                    {"m16n8k16.row.col", "f16.f16.f16.f16", 4, 2, 2},
                    {"m16n8k8.row.col", "f32.bf16.bf16.f32", 2, 1, 4},
                    {"m16n8k16.row.col", "f32.bf16.bf16.f32", 4, 2, 4},
                    {"m16n8k4.row.col", "f32.tf32.tf32.f32", 2, 1, 4},
                    {"m16n8k8.row.col", "f32.tf32.tf32.f32", 4, 2, 4},
                    {"m8n8k4.row.col", "f64.f64.f64.f64", 1, 1, 2, 64},
                    {"m16n8k4.row.col", "f64.f64.f64.f64", 2, 1, 4, 64},
                    {"m16n8k8.row.col", "f64.f64.f64.f64", 4, 2, 4, 64},
                    {"m16n8k16.row.col", "f64.f64.f64.f64", 8, 4, 4, 64},
                    {"m8n8k16.row.col", "s32.s8.s8.s32", 1, 1, 2},
                    {"m16n8k16.row.col", "s32.u8.s8.s32", 2, 1, 4},
                    {"m16n8k32.row.col", "s32.s8.u8.s32", 4, 2, 4},
                    {"m16n8k32.row.col.satfinite", "s32.s8.s8.s32", 4, 2, 4},
                    {"m8n8k32.row.col", "s32.s4.u4.s32", 1, 1, 2},
                    {"m16n8k32.row.col", "s32.s4.s4.s32", 2, 1, 4},
                    {"m16n8k64.row.col", "s32.u4.u4.s32", 4, 2, 4}};

std::string list(char name, unsigned registers) {
  std::string s;
  for (unsigned r = 0; r < registers; ++r) s += fmt::format("{}%{}{}", r == 0 ? "" : ", ", name, r);
  return "{" + s + "}";
}

/// Register r of thread i is word i + 32 r of its array (f64: the words as they are). Registers d
/// and d + 1 of the result are stored; of f64, register d.
std::string program(const Row& row, unsigned d) {
  const bool wide = row.bits == 64;
  std::string text = fmt::format(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po) {{\n"
      ".reg .b{0} %a<9>, %b<9>, %c<9>, %d<9>; .reg .b32 %i, %j, %n; .reg .b64 %p, %q;\n"
      "mov.u32 %i, %tid.x; mov.u32 %j, %ctaid.x; mov.u32 %n, %ntid.x;\n"
      "mad.lo.u32 %i, %j, %n, %i;\n",
      row.bits);
  for (const auto& [name, registers] : {std::pair{'a', row.a}, {'b', row.b}, {'c', row.c}}) {
    text += fmt::format("ld.param.u64 %p, [p{}];\n", name);
    for (unsigned r = 0; r < registers; ++r) {
      text += fmt::format(
          "add.u32 %j, %i, {}; and.b32 %j, %j, {}; mad.wide.u32 %q, %j, 8, %p; "
          "ld.global.b{} %{}{}, [%q];\n",
          32 * r, count - 1, row.bits, name, r);
    }
  }
  text += fmt::format("mma.sync.aligned.{}.{} {}, {}, {}, {};\n", row.shape, row.numbers,
                      list('d', row.c), list('a', row.a), list('b', row.b), list('c', row.c));
  text += "ld.param.u64 %p, [po]; mad.wide.u32 %q, %i, 8, %p;\n";
  text += wide ? fmt::format("st.global.b64 [%q], %d{};\n", d)
               : fmt::format("st.global.v2.b32 [%q], {{%d{}, %d{}}};\n", d, d + 1);
  return text + "ret;\n}\n";
}

/// In every group of 1024 threads another kind, so that factors of one kind meet.
Words operands(const Row& row, unsigned which) {
  std::mt19937_64 random(200 + which);
  const std::string numbers(row.numbers);
  const auto type = numbers.substr(which == 2 ? numbers.rfind('.') + 1 : numbers.find('.') + 1);
  const auto is = [&](const char* name) { return type.starts_with(name); };
  // Sign and mantissa, and an exponent that many share.
  const auto [kept, set] = is("f16")    ? std::pair{0x83FF'83FFULL, 0x3C00'3C00ULL}
                           : is("bf16") ? std::pair{0x807F'807FULL, 0x3F80'3F80ULL}
                           : is("f64")
                               ? std::pair{0x801F'FFFF'FFFF'FFFFULL, 0x3FC0'0000'0000'0000ULL}
                               : std::pair{0x80FF'FFFFULL, 0x3F00'0000ULL};
  const auto small = is("f16")    ? 0x87FF'87FFULL
                     : is("bf16") ? 0x81FF'81FFULL
                     : is("f64")  ? 0x801F'FFFF'FFFF'FFFFULL
                                  : 0x83FF'FFFFULL;
  const bool integer = is("s") || is("u");
  Words v;
  for (unsigned k = 0; k < count; ++k) {
    auto x = random();
    const auto kind = k / 1024 % 4;
    if (!integer && kind == 1) x &= small;
    if (!integer && kind == 2) x = (x & kept) | set;
    if (kind == 3 && x % 3 == 0) x = 0;
    if (row.bits == 32) x &= 0xFFFF'FFFF;
    v.push_back(x);
  }
  return v;
}

class GpuMatrix : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(each, GpuMatrix, ::testing::ValuesIn(rows), [](const auto& info) {
  std::string name = fmt::format("{}_{}", info.param.shape, info.param.numbers);
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

TEST_P(GpuMatrix, agrees_with_the_machine) {
  const Row row = GetParam();
  const std::vector<Words> in = {operands(row, 0), operands(row, 1), operands(row, 2)};
  unsigned differ = 0;
  // f64 hands payloads of NaN on as it likes.
  const auto same = [&](std::uint64_t a, std::uint64_t b) {
    constexpr auto infinity = 0x7FF0'0000'0000'0000ULL, sign = 0x8000'0000'0000'0000ULL;
    return a == b || (row.bits == 64 && (a & ~sign) > infinity && (b & ~sign) > infinity);
  };
  for (unsigned d = 0; d < row.c; d += row.bits == 64 ? 1 : 2) {
    const auto text = program(row, d);
    const auto ours = on_machine(text, in), theirs = on_gpu(text, in);
    for (unsigned k = 0; k < count; ++k) {
      if (same(ours[k], theirs[k]) || ++differ > 5) continue;
      ADD_FAILURE() << fmt::format(
          "mma.{}.{} register {} of thread {}: the machine 0x{:x}, the GPU "
          "0x{:x}",
          row.shape, row.numbers, d, k, ours[k], theirs[k]);
    }
  }
  fmt::print("{:30} {} of {} differ\n", fmt::format("mma.{}.{}", row.shape, row.numbers), differ,
             count * row.c);
  EXPECT_EQ(differ, 0U);
}

/// Matrices from and to shared memory. Each thread has 16 bytes there, a, b, c and a of its words,
/// at %t + 16 * %tid.x; %w is where those of its warp begin, %l the 16 bytes of another lane. The
/// result is %q0 and %q1.
struct Move {
  std::string name, body;
};
void PrintTo(const Move& move, std::ostream* out) { *out << move.name; }

std::vector<Move> moves() {
  std::vector<Move> all;
  // Two of the registers of a load at a time.
  const auto load = [&](const std::string& name, const std::string& instruction, unsigned registers,
                        const std::string& from) {
    for (unsigned first = 0; first < registers; first += 2) {
      all.push_back({fmt::format("{}_{}", name, first),
                     fmt::format("{} {}, {};\nmov.b32 %q0, %d{}; mov.b32 %q1, %d{};\n", instruction,
                                 list('d', registers), from, first, first + 1)});
    }
  };
  load("ldmatrix", "ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4, "[%l]");
  load("ldmatrix_trans", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, "[%l]");
  for (const char part : {'a', 'b'}) {
    for (const char* const layout : {"row", "col"}) {
      load(fmt::format("wmma_{}_{}", part, layout),
           fmt::format("wmma.load.{}.sync.aligned.{}.m16n16k16.shared.f16", part, layout), 8,
           "[%w], 16");
    }
  }
  all.push_back({"movmatrix",
                 "movmatrix.sync.aligned.m8n8.trans.b16 %q0, %a;\n"
                 "movmatrix.sync.aligned.m8n8.trans.b16 %q1, %b;\n"});
  for (const char* const trans : {"", ".trans"}) {
    all.push_back(
        {fmt::format("stmatrix{}", *trans == 0 ? "" : "_trans"),
         fmt::format("stmatrix.sync.aligned.m8n8.x4{}.shared.b16 [%l], {{%a, %b, %c, %b}};\n"
                     "bar.sync 0;\nld.shared.v2.b32 {{%q0, %q1}}, [%t+{}];\n",
                     trans, *trans == 0 ? 0 : 8)});
  }
  return all;
}

class GpuMatrixMove : public ::testing::TestWithParam<Move> {};
INSTANTIATE_TEST_SUITE_P(each, GpuMatrixMove, ::testing::ValuesIn(moves()),
                         [](const auto& info) { return info.param.name; });

TEST_P(GpuMatrixMove, agrees_with_the_machine) {
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 po) {\n"
      ".shared .align 128 .b8 s[16384];\n"
      ".reg .b32 %a, %b, %c, %d<9>, %q<2>, %i, %j, %n, %t, %w, %l; .reg .b64 %p;\n"
      "mov.u32 %t, %tid.x; mov.u32 %j, %ctaid.x; mov.u32 %n, %ntid.x;\n"
      "mad.lo.u32 %i, %j, %n, %t;\nmov.u32 %j, s;\n"
      "and.b32 %w, %t, -32; shl.b32 %w, %w, 4; add.u32 %w, %w, %j;\n"
      "xor.b32 %l, %t, 5; shl.b32 %l, %l, 4; add.u32 %l, %l, %j;\n"
      "shl.b32 %t, %t, 4; add.u32 %t, %t, %j;\n";
  for (const char name : {'a', 'b', 'c'}) {
    text += fmt::format(
        "ld.param.u64 %p, [p{0}]; mad.wide.u32 %p, %i, 8, %p; ld.global.b32 %{0}, [%p];\n", name);
  }
  text += "st.shared.v4.b32 [%t], {%a, %b, %c, %a};\nbar.sync 0;\n" + GetParam().body +
          "ld.param.u64 %p, [po]; mad.wide.u32 %p, %i, 8, %p;\n"
          "st.global.v2.b32 [%p], {%q0, %q1};\nret;\n}\n";
  std::vector<Words> in;
  std::mt19937_64 random(300);
  for (int k = 0; k < 3; ++k) {
    in.emplace_back(count);
    for (auto& word : in.back()) word = random() & 0xFFFF'FFFF;
  }
  const auto ours = on_machine(text, in), theirs = on_gpu(text, in);
  EXPECT_EQ(ours, theirs);
  EXPECT_NE(ours, Words(count));
}

}  // namespace
}  // namespace gauntlet::cuda::gpu_matrix
