// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values of wgmma (PTX ISA 9.0, 9.7.15): each type, each layout of tiles, beside sums of whole
// numbers that are exact in all of them.
#include "tests/machine/engine/warpgroup_program.hpp"

namespace gauntlet::simt::test::opcode_warpgroup {
namespace {

using namespace warpgroup;

/// 64 rows of A, then B; each row of core matrices right behind the one before.
Product with_tiles(Product p, Swizzle a, Swizzle b) {
  const auto tile = [](Swizzle swizzle, unsigned begin, unsigned row_bytes) {
    constexpr unsigned rows[] = {16, 128, 64, 32};
    const unsigned core = rows[static_cast<unsigned>(swizzle)] * 8;
    // Without a swizzle the core matrices of a row lie 128 bytes apart.
    return swizzle == Swizzle::none ? Tile{swizzle, false, 128, row_bytes * 8, begin}
                                    : Tile{swizzle, false, 16, core, begin};
  };
  p.of_a = tile(a, 0, 32);
  p.of_b = tile(b, 8 * 1024, p.sparse ? 64 : 32);
  return p;
}
constexpr Swizzle swizzles[] = {Swizzle::none, Swizzle::bytes32, Swizzle::bytes64,
                                Swizzle::bytes128};

TEST(WarpgroupProduct, is_right_in_all_types) {
  const char* const types[][3] = {
      {"f32", "f16", "f16"},   {"f16", "f16", "f16"},   {"f32", "bf16", "bf16"},
      {"f32", "tf32", "tf32"}, {"f32", "e4m3", "e4m3"}, {"f32", "e4m3", "e5m2"},
      {"f32", "e5m2", "e4m3"}, {"f16", "e5m2", "e5m2"}, {"s32", "s8", "s8"},
      {"s32", "u8", "s8"},     {"s32", "s8", "u8"},     {"s32", "u8", "u8"}};
  for (const auto& [d, a, b] : types) {
    SCOPED_TRACE(fmt::format("{}.{}.{}", d, a, b));
    for (const bool in_registers : {false, true}) {
      Product p = with_tiles({.n = 16, .d = d, .a = a, .b = b}, Swizzle::bytes128, Swizzle::none);
      p.a_in_registers = in_registers;
      expect_right(p, run(p));
    }
  }
}

TEST(WarpgroupProduct, is_right_of_a_sparse_factor_in_all_types) {
  const char* const types[][3] = {{"f32", "f16", "f16"},   {"f16", "f16", "f16"},
                                  {"f32", "bf16", "bf16"}, {"f32", "tf32", "tf32"},
                                  {"f32", "e4m3", "e5m2"}, {"f16", "e5m2", "e5m2"},
                                  {"s32", "s8", "s8"},     {"s32", "u8", "s8"}};
  for (const auto& [d, a, b] : types) {
    Product p{.n = 16, .d = d, .a = a, .b = b, .sparse = true};
    for (; p.selector < (p.size() == 1 ? 1U : 2U); ++p.selector) {
      SCOPED_TRACE(fmt::format("{}.{}.{}, selector {}", d, a, b, p.selector));
      for (const Swizzle of_b : {Swizzle::none, Swizzle::bytes64, Swizzle::bytes128}) {
        p = with_tiles(p, Swizzle::bytes32, of_b);
        for (p.a_in_registers = false;; p.a_in_registers = true) {
          expect_right(p, run(p));
          if (p.a_in_registers) break;
        }
      }
    }
  }
}

TEST(WarpgroupProduct, reads_rows_of_each_swizzle) {
  for (const Swizzle a : swizzles) {
    for (const Swizzle b : swizzles) {
      const Product p = with_tiles({.n = 24}, a, b);
      SCOPED_TRACE(fmt::format("{} and {}", static_cast<int>(a), static_cast<int>(b)));
      expect_right(p, run(p));
    }
  }
}

TEST(WarpgroupProduct, reads_transposed_factors_of_each_swizzle) {
  for (const Swizzle swizzle : swizzles) {
    constexpr unsigned rows[] = {16, 128, 64, 32};
    const unsigned row = rows[static_cast<unsigned>(swizzle)];
    SCOPED_TRACE(static_cast<int>(swizzle));
    for (const char* const type : {"f16", "bf16"}) {
      Product p{.n = 40, .a = type, .b = type};
      // Tiles of eight k: beside each other those along k, behind all of these the next m or n.
      p.of_a = {swizzle, true, row * 16, row * 8, 0};
      p.of_b = {swizzle, true, row * 16, row * 8, 16 * 1024};
      if (swizzle == Swizzle::none) {
        std::swap(p.of_a.leading, p.of_a.stride);
        std::swap(p.of_b.leading, p.of_b.stride);
      }
      expect_right(p, run(p));
      p.a_in_registers = true;
      expect_right(p, run(p));
    }
  }
}

TEST(WarpgroupProduct, has_up_to_256_columns) {
  for (const unsigned n : {8U, 32U, 96U, 200U, 256U}) {
    const Product p = with_tiles({.n = n}, Swizzle::bytes32, Swizzle::bytes128);
    SCOPED_TRACE(n);
    expect_right(p, run(p));
  }
}

TEST(WarpgroupProduct, begins_within_a_row_of_the_swizzle) {
  // As one goes on along k: the descriptor's address alone moves.
  Product p = with_tiles({.n = 16}, Swizzle::bytes128, Swizzle::bytes64);
  p.of_a.begin += 96;
  p.of_b.begin += 32;
  expect_right(p, run(p));
}

TEST(WarpgroupProduct, begins_at_another_row_of_the_pattern_if_told_so) {
  Product p = with_tiles({.n = 16}, Swizzle::bytes128, Swizzle::bytes128);
  p.of_a.begin += 256;
  p.of_a.base = 2;
  expect_right(p, run(p));
}

TEST(WarpgroupProduct, takes_factors_with_the_other_sign_and_leaves_out_what_d_holds) {
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      for (const char* const type : {"f16", "tf32", "e4m3"}) {
        Product p = with_tiles({.n = 8, .a = type, .b = type}, Swizzle::none, Swizzle::bytes32);
        p.a_negated = a;
        p.b_negated = b;
        p.adds = a;
        SCOPED_TRACE(fmt::format("{} {} {}", type, a, b));
        expect_right(p, run(p));
      }
    }
  }
}

TEST(WarpgroupProduct, saturates_if_told_so) {
  for (const bool saturates : {false, true}) {
    Product p =
        with_tiles({.n = 8, .d = "s32", .a = "s8", .b = "s8"}, Swizzle::none, Swizzle::none);
    p.saturates = saturates;
    // D begins at the greatest number.
    std::string before;
    for (unsigned r = 0; r < p.registers(); ++r)
      before += fmt::format("mov.b32 %q{}, 0x7FFFFFFF;", r);
    const Ran ran = run(p, before + ordered);
    ASSERT_TRUE(silent(ran.report));
    unsigned changed = 0;
    for (unsigned t = 0; t < 128; ++t) {
      for (unsigned i = 0; i < p.registers(); ++i) {
        const auto [row, column] = place_of_d(t, i);
        std::int64_t sum = 0x7FFF'FFFF;
        for (unsigned k = 0; k < p.k(); ++k)
          sum += element(p.a, 1, row, k) * element(p.b, 2, column, k);
        if (saturates) sum = std::min<std::int64_t>(sum, 0x7FFF'FFFF);
        changed += sum != 0x7FFF'FFFF;
        ASSERT_EQ(ran.d[t * p.registers() + i], static_cast<std::uint32_t>(sum));
      }
    }
    EXPECT_NE(changed, 0U);
  }
}

TEST(WarpgroupProduct, of_fp8_keeps_13_bits_behind_the_first) {
  // 2^14 and 1: beside what is as large as 2^14, what is below 2 is cut off.
  Product p = with_tiles({.n = 8, .a = "e5m2", .b = "e5m2"}, Swizzle::none, Swizzle::none);
  p.adds = true;
  for (const auto& [begin, sum] : {std::pair(16384.0F, 16384.0F), std::pair(8192.0F, 8193.0F)}) {
    std::string before;
    for (unsigned r = 0; r < 4; ++r) {
      before += fmt::format("mov.b32 %q{}, 0x{:08x};", r, std::bit_cast<std::uint32_t>(begin));
    }
    // A: 1 in its first column, 0 elsewhere; B: 1 everywhere.
    p.a_in_registers = true;
    before +=
        "mov.u32 %f0, 0; mov.u32 %f1, 0; mov.u32 %f2, 0; mov.u32 %f3, 0;\n"
        "and.b32 %r6, %r0, 3; setp.eq.u32 %p2, %r6, 0; @%p2 mov.u32 %f0, 0x3C;\n"
        "@%p2 mov.u32 %f1, 0x3C; mov.u32 %r7, 0x3C3C3C3C; shl.b32 %r4, %r0, 2; add.u32 %r4, %r4, "
        "%r1;\n"
        "add.u32 %r4, %r4, 8192; bar.sync 0; st.shared.u32 [%r4], %r7;\n";
    const Ran ran = run(p, before + ordered);
    ASSERT_TRUE(silent(ran.report));
    for (const auto word : ran.d) ASSERT_EQ(std::bit_cast<float>(word), sum);
  }
}

TEST(WarpgroupProduct, of_what_ptx_does_not_have_is_refused) {
  const auto loads = [](const std::string& instruction) {
    auto text = kernel("", ".reg .b32 %q<128>; .reg .b32 %f<4>;" + instruction + " ret;");
    text.replace(text.find("sm_90"), 5, "sm_90a");
    return load_error(text).empty();
  };
  const auto refused = [&](const std::string& instruction) {
    EXPECT_FALSE(loads(instruction)) << instruction;
  };
  const std::string operands = " {%q0, %q1, %q2, %q3}, %d0, %d1, %p0";
  EXPECT_TRUE(
      loads("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16" + operands + ", 1, 1, 0, 0;"));
  refused("wgmma.mma_async.sync.aligned.m64n8k8.f32.f16.f16" + operands + ", 1, 1, 0, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16" + operands + ", 1, 1, 0, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.bf16" + operands + ", 1, 1, 0, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16" + operands + ", 1, 1, 0, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16" + operands + ", 2, 1, 0, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16" + operands + ", 1, 1, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3" + operands + ", 1, 1, 0, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8" + operands + ", 1, 1;");
  refused("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16" + operands + ", 1, 1, 0, 0;");
  refused("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc" + operands + ";");
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_warpgroup
