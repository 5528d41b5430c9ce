// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles that are loaded from shared memory in one step, against the same ones in global memory, of
// which each register is loaded by itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_tile {
namespace {

struct Load {
  const char* what;  ///< without the space
  unsigned registers;
  unsigned element;  ///< bytes; 8: registers have 64 bits
};
const std::vector<Load> loads = {
    {"a.sync.aligned.row.m16n16k16{}.bf16", 4, 2}, {"b.sync.aligned.col.m16n16k16{}.bf16", 4, 2},
    {"a.sync.aligned.col.m16n16k16{}.bf16", 4, 2}, {"a.sync.aligned.row.m32n8k16{}.bf16", 8, 2},
    {"a.sync.aligned.row.m8n32k16{}.bf16", 2, 2},  {"b.sync.aligned.col.m8n32k16{}.bf16", 8, 2},
    {"a.sync.aligned.row.m16n16k16{}.f16", 8, 2},  {"b.sync.aligned.col.m32n8k16{}.f16", 8, 2},
    {"b.sync.aligned.row.m16n16k16{}.f16", 8, 2},  {"a.sync.aligned.row.m16n16k16{}.s8", 2, 1},
    {"b.sync.aligned.col.m16n16k16{}.u8", 2, 1},   {"a.sync.aligned.row.m16n16k8{}.tf32", 4, 4},
    {"b.sync.aligned.col.m16n16k8{}.tf32", 4, 4},  {"a.sync.aligned.row.m8n8k4{}.f64", 1, 8},
    {"b.sync.aligned.col.m8n8k4{}.f64", 1, 8},     {"b.sync.aligned.row.m8n8k4{}.f64", 1, 8},
    {"c.sync.aligned.row.m16n16k16{}.f32", 8, 4},  {"c.sync.aligned.col.m16n16k16{}.f16", 4, 2},
    {"c.sync.aligned.row.m8n8k4{}.f64", 2, 8}};

/// Bits in which registers of lanes differ, tile by tile.
TEST(Tile, what_is_loaded_from_shared_memory_at_once_is_what_is_loaded_register_by_register) {
  constexpr unsigned words = 2048;
  for (const bool known : {true, false}) {  // the stride, when the kernel is decoded
    for (const bool generic : {false, true}) {
      std::string text =
          "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out]; mov.u32 %r9, %tid.x;\n"
          "mad.wide.u32 %d1, %r9, 4, %d1; mad.wide.u32 %d2, %r9, 4, %d0; mov.u32 %r10, s;\n"
          "mad.lo.u32 %r11, %r9, 4, %r10; mov.u64 %d3, s; cvta.shared.u64 %d3, %d3;\n"
          "mov.u32 %r12, 0;\n"
          "L: ld.global.u32 %r0, [%d2]; st.shared.u32 [%r11], %r0; add.u32 %r11, %r11, 128;\n"
          "add.u64 %d2, %d2, 128; add.u32 %r12, %r12, 1; setp.lt.u32 %p0, %r12, 64; @%p0 bra L;\n"
          "bar.sync 0; mov.u32 %r20, 0;\n";
      for (const Load& load : loads) {
        const bool wide = load.element == 8;
        const auto list = [&](unsigned first) {
          std::vector<std::string> all;
          for (unsigned k = 0; k < load.registers; ++k)
            all.push_back(fmt::format("%{}{}", wide ? "d" : "r", first + k));
          return fmt::format("{{{}}}", fmt::join(all, ", "));
        };
        const std::string stride = known ? fmt::format("{}", 96 / load.element) : "%r13";
        text += fmt::format("mov.u32 %r13, {};\nwmma.load.{} {}, [{}+64], {};\n", 96 / load.element,
                            fmt::format(fmt::runtime(load.what), generic ? "" : ".shared"),
                            list(wide ? 10 : 0), generic ? "%d3" : "%r10", stride);
        text += fmt::format("wmma.load.{} {}, [%d0+64], {};\n",
                            fmt::format(fmt::runtime(load.what), ".global"), list(wide ? 20 : 21),
                            stride);
        for (unsigned k = 0; k < load.registers; ++k) {
          text += wide ? fmt::format(
                             "xor.b64 %d{0}, %d{0}, %d{1}; cvt.u32.u64 %r14, %d{0};"
                             "or.b32 %r20, %r20, %r14; shr.u64 %d{0}, %d{0}, 32;"
                             "cvt.u32.u64 %r14, %d{0}; or.b32 %r20, %r20, %r14;\n",
                             10 + k, 20 + k)
                       : fmt::format("xor.b32 %r{0}, %r{0}, %r{1}; or.b32 %r20, %r20, %r{0};\n", k,
                                     21 + k);
        }
        text += "st.global.u32 [%d1], %r20; add.u64 %d1, %d1, 128;\n";
      }
      Device device(kernel(".param .u64 in, .param .u64 out", text + "ret;",
                           fmt::format(".shared .align 128 .b8 s[{}];\n", 4 * words)));
      std::vector<std::uint32_t> in(words);
      for (std::uint32_t k = 0; k < words; ++k) in[k] = 0x9E37'79B1U * (k + 1);
      const auto from = device.input("in", in);
      const auto out = device.output<std::uint32_t>("out", 32 * loads.size());
      ASSERT_TRUE(silent(device.launch({}, from, out)));
      const auto differs = device.read<std::uint32_t>(out, 32 * loads.size());
      for (std::size_t k = 0; k < differs.size(); ++k) {
        EXPECT_EQ(differs[k], 0U) << loads[k / 32].what << ", lane " << k % 32;
      }
    }
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_tile
