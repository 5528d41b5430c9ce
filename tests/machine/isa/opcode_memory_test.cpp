// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// ld and st of every width in every state space (PTX ISA 9.0, 9.7.9.8 and 9.7.9.11).
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_memory {
namespace {

constexpr std::uint32_t lanes = 32;

/// Every lane's own 32 bytes, different everywhere.
std::vector<std::uint8_t> pattern() {
  std::vector<std::uint8_t> bytes(lanes * 32);
  for (std::size_t k = 0; k < bytes.size(); ++k)
    bytes[k] = static_cast<std::uint8_t>(k * 37 + k / 7);
  return bytes;
}
Bits little_endian(const std::vector<std::uint8_t>& bytes, std::size_t at, unsigned size) {
  Bits x = 0;
  for (unsigned k = 0; k < size; ++k) x |= Bits{bytes[at + k]} << (8 * k);
  return x;
}

/// Puts the lane's 32 bytes into `space` and its address into %d2 (for use with `ld.SPACE`).
struct Space {
  std::string name;  ///< as the instruction spells it; "" is generic
  std::string variables, prologue;
};
std::string copy_in(const std::string& suffix) {
  std::string s;
  for (int k = 0; k < 32; k += 8) {
    s += fmt::format("ld.global.b64 %d9, [%d1+{0}]; st{1}.b64 [%d2+{0}], %d9;\n", k, suffix);
  }
  return s;
}
std::vector<Space> spaces() {
  const std::string shared = ".shared .align 16 .b8 s[1024];";
  const std::string own = "mov.u64 %d2, s; mad.wide.u32 %d2, %r0, 32, %d2;\n";
  const std::string local = ".local .align 16 .b8 stack[32]; mov.u64 %d2, stack;\n";
  return {{".global", "", "mov.u64 %d2, %d1;\n"},
          {"", "", "mov.u64 %d2, %d1;\n"},
          {".shared", shared, own + copy_in(".shared")},
          {"", shared, own + copy_in(".shared") + "cvta.shared.u64 %d2, %d2;\n"},
          {".local", "", local + copy_in(".local")},
          {"", "", local + copy_in(".local") + "cvta.local.u64 %d2, %d2;\n"}};
}

/// Runs `body` by 32 lanes: %r0 lane, %d1 the lane's 32 input bytes, %d0 its 64 output bytes.
std::vector<std::uint64_t> run(const std::string& body, const std::string& variables = "") {
  Device device(kernel(".param .u64 in, .param .u64 out",
                       "mov.u32 %r0, %tid.x; ld.param.u64 %d1, [in]; ld.param.u64 %d0, [out];\n"
                       "mad.wide.u32 %d1, %r0, 32, %d1; mad.wide.u32 %d0, %r0, 64, %d0;\n" +
                           body,
                       variables));
  const auto in = device.input("in", pattern());
  const auto out = device.array("out", std::vector<std::uint64_t>(lanes * 8));
  EXPECT_TRUE(silent(device.launch({}, in, out))) << body;
  return device.read<std::uint64_t>(out, lanes * 8);
}

TEST(OpcodeLoad, reads_every_width_in_every_space_and_extends_by_sign) {
  const auto bytes = pattern();
  for (const auto& space : spaces()) {
    for (const unsigned width : {8U, 16U, 32U, 64U}) {
      for (const char kind : {'b', 'u', 's'}) {
        for (const unsigned reg : {16U, 32U, 64U}) {
          if (reg < width) continue;
          const auto name = reg == 16 ? "%h1" : reg == 32 ? "%r1" : "%d3";
          // The second element of the type, to see the offset as well.
          const auto got =
              run(space.prologue + fmt::format("ld{}.{}{} {}, [%d2+{}]; st.global.b{} [%d0], {};",
                                               space.name, kind, width, name, width / 8, reg, name),
                  space.variables);
          for (std::uint32_t l = 0; l < lanes; ++l) {
            const auto x = little_endian(bytes, l * 32 + width / 8, width / 8);
            const auto want =
                kind == 's' ? low(static_cast<Bits>(sign_extended(x, width)), reg) : x;
            ASSERT_EQ(got[l * 8], want)
                << space.name << kind << width << " to " << reg << " lane " << l;
          }
        }
      }
    }
  }
}

TEST(OpcodeLoad, accepts_float_types_modifiers_and_cache_hints) {
  const auto bytes = pattern();
  for (const std::string load :
       {"ld.global.f32", "ld.volatile.global.b32", "ld.relaxed.gpu.global.b32",
        "ld.acquire.sys.global.b32", "ld.acquire.cta.b32", "ld.global.nc.b32", "ld.global.ca.b32",
        "ld.global.nc.L1::no_allocate.b32", "ld.weak.global.b32", "ld.volatile.b32",
        "ld.global.L2::128B.b32", "ldu.global.b32"}) {
    const auto got = run(load + " %r1, [%d1+12]; st.global.b32 [%d0], %r1;");
    for (std::uint32_t l = 0; l < lanes; ++l) {
      ASSERT_EQ(got[l * 8], little_endian(bytes, l * 32 + 12, 4)) << load;
    }
  }
  const auto got = run("ld.global.f64 %y1, [%d1+8]; st.global.f64 [%d0], %y1;");
  for (std::uint32_t l = 0; l < lanes; ++l) {
    EXPECT_EQ(got[l * 8], little_endian(bytes, l * 32 + 8, 8));
  }
}

TEST(OpcodeLoad, vectors_of_two_four_and_eight) {
  const auto bytes = pattern();
  for (const auto& space : spaces()) {
    for (const unsigned count : {2U, 4U, 8U}) {
      for (const unsigned width : {8U, 16U, 32U, 64U}) {
        if (count * width > 256 || (count == 8 && width != 32)) continue;
        const char bank = width <= 16 ? 'h' : width == 32 ? 'r' : 'd';
        std::string registers, stores;
        for (unsigned k = 0; k < count; ++k) {
          registers += fmt::format("{}%{}{}", k == 0 ? "" : ", ", bank, 10 + k);
          stores += fmt::format("st.global.b{} [%d0+{}], %{}{};", std::max(width, 16U), 8 * k, bank,
                                10 + k);
        }
        const auto got = run(
            space.prologue +
                fmt::format("ld{}.v{}.b{} {{{}}}, [%d2];\n", space.name, count, width, registers) +
                stores,
            space.variables);
        for (std::uint32_t l = 0; l < lanes; ++l) {
          for (unsigned k = 0; k < count; ++k) {
            ASSERT_EQ(got[l * 8 + k], little_endian(bytes, l * 32 + k * width / 8, width / 8))
                << space.name << ".v" << count << ".b" << width;
          }
        }
      }
    }
  }
}

TEST(OpcodeLoad, uses_the_address_before_it_is_overwritten) {
  const auto got = run("ld.global.v2.u64 {%d1, %d5}, [%d1]; st.global.v2.u64 [%d0], {%d1, %d5};");
  for (std::uint32_t l = 0; l < lanes; ++l) {
    EXPECT_EQ(got[l * 8], little_endian(pattern(), l * 32, 8));
    EXPECT_EQ(got[l * 8 + 1], little_endian(pattern(), l * 32 + 8, 8));
  }
}

TEST(OpcodeStore, writes_only_its_own_bytes) {
  // 64 bytes of 0x11 a lane, then one store of 0x8899aabbccddeeff into the middle.
  for (const unsigned width : {8U, 16U, 32U, 64U}) {
    for (const unsigned reg : {16U, 32U, 64U}) {
      if (reg < width) continue;
      const auto name = reg == 16 ? "%h1" : reg == 32 ? "%r1" : "%d3";
      std::string body;
      for (int k = 0; k < 64; k += 8)
        body += fmt::format("st.global.b64 [%d0+{}], 0x1111111111111111;", k);
      body += fmt::format("mov.b{} {}, {};", reg, name, low(0x8899'AABB'CCDD'EEFF, reg));
      body += fmt::format("st.global.b{} [%d0+{}], {};", width, 24 + width / 8, name);
      const auto got = run(body);
      for (std::uint32_t l = 0; l < lanes; ++l) {
        std::vector<std::uint8_t> cells(64);
        std::memcpy(cells.data(), &got[l * 8], 64);
        for (unsigned k = 0; k < 64; ++k) {
          const unsigned at = k - (24 + width / 8);
          const Bits want = at < width / 8 ? 0x8899'AABB'CCDD'EEFFULL >> (8 * at) & 0xFF : 0x11;
          ASSERT_EQ(cells[k], want) << width << " from " << reg << " byte " << k;
        }
      }
    }
  }
}

TEST(OpcodeStore, vectors_immediates_and_ordered_forms) {
  const auto got = run(
      "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d1]; st.global.v4.b32 [%d0], {%r4, %r3, %r2, %r1};"
      "st.global.v2.b64 [%d0+16], {7, -1}; st.volatile.global.b32 [%d0+32], %r1;"
      "st.release.gpu.global.b32 [%d0+36], %r2; st.relaxed.sys.global.b32 [%d0+40], %r3;"
      "st.global.wt.b32 [%d0+44], %r4; st.global.f32 [%d0+48], 0f3F800000; st.b32 [%d0+52], 5;"
      "st.global.v4.b16 [%d0+56], {1, 2, 3, 4};");
  const auto bytes = pattern();
  for (std::uint32_t l = 0; l < lanes; ++l) {
    const auto word = [&](unsigned k) { return little_endian(bytes, l * 32 + 4 * k, 4); };
    const std::vector<std::uint64_t> want = {word(3) | word(2) << 32,
                                             word(1) | word(0) << 32,
                                             7,
                                             ~0ULL,
                                             word(0) | word(1) << 32,
                                             word(2) | word(3) << 32,
                                             0x5'3F80'0000,
                                             0x4'0003'0002'0001};
    EXPECT_EQ((std::vector<std::uint64_t>(&got[l * 8], &got[l * 8] + 8)), want);
  }
}

TEST(OpcodeMemory, local_memory_belongs_to_one_thread) {
  // Every lane counts in its own array of 4 words through generic and local addresses.
  const auto got =
      run(".local .align 8 .b8 stack[16]; mov.u64 %d2, stack; cvta.local.u64 %d3, %d2;"
          "mov.u32 %r1, 0;"
          "L: mul.lo.u32 %r2, %r1, %r0; mad.wide.u32 %d4, %r1, 4, %d3; st.u32 [%d4], %r2;"
          "add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 4; @%p0 bra L;"
          "ld.local.u32 %r3, [%d2]; ld.local.u32 %r4, [%d2+4]; ld.local.u32 %r5, [stack+8]; "
          "ld.local.u32 %r6, [%d2+12]; add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; "
          "add.u32 %r3, %r3, %r6; st.global.u32 [%d0], %r3;");
  for (std::uint32_t l = 0; l < lanes; ++l) EXPECT_EQ(got[l * 8], 6 * l);
}

TEST(OpcodeMemory, parameters_of_every_width_including_structures) {
  Device device(
      kernel(".param .u64 out, .param .u8 a, .param .u16 b, .param .u32 c, .param .u64 d, "
             ".param .f32 e, .param .align 8 .b8 g[16]",
             "ld.param.u64 %d0, [out]; ld.param.s8 %r1, [a]; st.global.u32 [%d0], %r1;"
             "ld.param.u16 %h1, [b]; st.global.u16 [%d0+4], %h1;"
             "ld.param.u32 %r2, [c]; st.global.u32 [%d0+8], %r2;"
             "ld.param.u64 %d1, [d]; st.global.u64 [%d0+16], %d1;"
             "ld.param.f32 %x1, [e]; st.global.f32 [%d0+24], %x1;"
             "ld.param.v2.u32 {%r3, %r4}, [g+8]; st.global.v2.u32 [%d0+32], {%r4, %r3};"
             // A structure is also read at an address that is computed.
             "mov.b64 %d2, g; add.u64 %d3, %d2, 4; ld.param.u32 %r5, [%d3];"
             "st.global.u32 [%d0+40], %r5;"));
  const auto out = device.array("out", std::vector<std::uint32_t>(12));
  struct alignas(8) G {
    std::uint32_t x[4];
  };
  EXPECT_TRUE(
      silent(device.launch({.block = {1}}, out, std::uint8_t{0xFE}, std::uint16_t{0xABCD},
                           std::uint32_t{77}, std::uint64_t{1} << 40, 1.5F, G{{10, 11, 12, 13}})));
  EXPECT_EQ(device.read<std::uint32_t>(out, 12),
            (std::vector<std::uint32_t>{0xFFFF'FFFE, 0xABCD, 77, 0, 0, 256, 0x3FC0'0000, 0, 13, 12,
                                        11, 0}));
}

TEST(OpcodeMemory, constant_memory_holds_its_initialisers) {
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; ld.const.u32 %r1, [table+4]; mov.u64 %d1, table;"
             "ld.const.u32 %r2, [%d1+8]; cvta.const.u64 %d2, %d1; ld.u32 %r3, [%d2];"
             "st.global.u32 [%d0], %r1; st.global.u32 [%d0+4], %r2; st.global.u32 [%d0+8], %r3;",
             ".const .align 4 .u32 table[3] = {100, 200, 300};"));
  const auto out = device.output<std::uint32_t>("out", 3);
  EXPECT_TRUE(silent(device.launch({.block = {1}}, out)));
  EXPECT_EQ(device.read<std::uint32_t>(out, 3), (std::vector<std::uint32_t>{200, 300, 100}));
}

TEST(OpcodeMemory, shared_addresses_may_have32_bits) {
  const auto got =
      run("mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 4, %r1; st.shared.u32 [%r2], %r0; bar.sync 0;"
          "xor.b32 %r3, %r0, 1; mad.lo.u32 %r2, %r3, 4, %r1; add.u32 %r2, %r2, 400;"
          "ld.shared.u32 %r4, [%r2+-400]; st.global.u32 [%d0], %r4;",
          ".shared .align 4 .b8 s[128];");
  for (std::uint32_t l = 0; l < lanes; ++l) EXPECT_EQ(got[l * 8], l ^ 1);
}

/// Both halves of the warp load a row, or each half one word, or one vector.
TEST(OpcodeMemory, lanes_that_load_the_same_or_go_on_with_the_one_before_have_their_own_values) {
  const auto got =
      run("mov.u32 %r1, s; mad.lo.u32 %r2, %r0, 4, %r1; st.shared.u32 [%r2], %r0; bar.sync 0;"
          "and.b32 %r3, %r0, 15; mad.lo.u32 %r2, %r3, 4, %r1;"
          "ld.shared.u32 %r4, [%r2+32]; st.global.u32 [%d0], %r4;"
          "mad.lo.u32 %r2, %r3, 8, %r1; ld.shared.u64 %d5, [%r2]; st.global.u64 [%d0+8], %d5;"
          "shr.u32 %r3, %r0, 4; mad.lo.u32 %r2, %r3, 4, %r1;"
          "ld.shared.u32 %r4, [%r2+32]; st.global.u32 [%d0+16], %r4;"
          "mad.lo.u32 %r2, %r3, 16, %r1; ld.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r2+32];"
          "st.global.u32 [%d0+24], %r4; st.global.u32 [%d0+32], %r7;",
          ".shared .align 16 .b8 s[128];");
  for (std::uint64_t l = 0; l < lanes; ++l) {
    const std::uint64_t in_half = l % 16, half = l / 16;
    EXPECT_EQ(got[8 * l], 8 + in_half) << l;
    EXPECT_EQ(got[8 * l + 1], 2 * in_half | (2 * in_half + 1) << 32) << l;
    EXPECT_EQ(got[8 * l + 2], 8 + half) << l;
    EXPECT_EQ(got[8 * l + 3], 8 + 4 * half) << l;
    EXPECT_EQ(got[8 * l + 4], 11 + 4 * half) << l;
  }
}

TEST(OpcodeMemory, hints_to_caches_change_nothing) {
  for (const char* const policy :
       {"fractional.L2::evict_first.b64 %d5, 1.0;", "fractional.L2::evict_last.b64 %d5;",
        "fractional.L2::evict_last.L2::evict_unchanged.b64 %d5, 0.5;",
        "range.global.L2::evict_last.L2::evict_unchanged.b64 %d5, [%d1], 4096, 8192;",
        "cvt.L2.b64 %d5, 0x1234;"}) {
    const auto out = run(fmt::format("createpolicy.{}", policy) + R"(
        ld.global.L1::evict_last.L2::cache_hint.u32 %r1, [%d1], %d5;
        ld.global.nc.L1::no_allocate.L2::cache_hint.L2::128B.v2.u32 {%r2, %r3}, [%d1+8], %d5;
        st.global.L2::cache_hint.v2.u32 [%d0], {%r1, %r2}, %d5;
        st.global.L1::no_allocate.L2::cache_hint.u32 [%d0+8], %r3, %d5;
        mov.u32 %r4, 40; st.global.u32 [%d0+16], %r4;
        red.global.add.L2::cache_hint.u32 [%d0+16], 2, %d5;
        atom.global.add.L2::cache_hint.u32 %r6, [%d0+16], 3, %d5; st.global.u32 [%d0+24], %r6;)");
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const auto word = [&](unsigned at) { return little_endian(pattern(), lane * 32 + at, 4); };
      EXPECT_EQ(out[8 * lane], word(0) | word(8) << 32);
      EXPECT_EQ(out[8 * lane + 1], word(12));
      EXPECT_EQ(out[8 * lane + 2], 45U);
      EXPECT_EQ(out[8 * lane + 3], 42U);
    }
  }
  for (const char* const statement :
       {"createpolicy.fractional.L2::first.b64 %d5, 1.0;", "createpolicy.fractional.b64 %d5, 1.0;",
        "createpolicy.range.L2::evict_last.b64 %d5, 1.0;", "createpolicy.cvt.L2.b32 %r5, 4;",
        "ld.global.L2::cache_hint.u32 %r1, [%d1];", "ld.global.u32 %r1, [%d1], %d5;",
        "st.global.L2::cache_hint.u32 [%d1], %r1;"}) {
    EXPECT_NE(load_error(kernel("", statement)), "") << statement;
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_memory
