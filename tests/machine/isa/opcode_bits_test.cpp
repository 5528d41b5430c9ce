// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Shifts, bit fields, counting and permuting (PTX ISA 9.0, 9.7.1 and 9.7.8). Expected values walk
// bit by bit.
#include <fmt/format.h>

#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_bits {
namespace {

bool bit(Bits x, unsigned k) { return k < 64 && (x >> k & 1) != 0; }

const Column shift_amounts = {0,  1,  2,  15, 16,  17,  31,          32,
                              33, 63, 64, 65, 255, 256, 0x8000'0000, 0xFFFF'FFFF};

std::vector<Source> with_amounts(const std::string& type, unsigned width) {
  auto c = cross({borders(width), shift_amounts});
  return {{type, c[0]}, {"b32", c[1]}};
}

TEST(OpcodeBits, shifts_clamp_at_the_width) {
  for (const unsigned w : {16U, 32U, 64U}) {
    const auto type = fmt::format("b{}", w);
    const auto in = with_amounts(type, w);
    expect(fmt::format("shl.b{} %q0, %a, %b;", w), type, in, [=](const Bits* v) {
      Bits d = 0;
      for (unsigned k = 0; k < w; ++k) {
        if (k >= v[1] && bit(v[0], k - static_cast<unsigned>(v[1]))) d |= Bits{1} << k;
      }
      return d;
    });
    for (const char sign : {'u', 's', 'b'}) {
      expect(fmt::format("shr.{}{} %q0, %a, %b;", sign, w), type, in, [=](const Bits* v) {
        const bool fill = sign == 's' && bit(v[0], w - 1);
        Bits d = 0;
        for (unsigned k = 0; k < w; ++k) {
          if (k + v[1] < w ? bit(v[0], k + static_cast<unsigned>(v[1])) : fill) d |= Bits{1} << k;
        }
        return d;
      });
    }
  }
}

TEST(OpcodeBits, funnel_shifts_wrap_or_clamp) {
  auto c = cross({random_words(32, 8, 1), borders(32), shift_amounts});
  const std::vector<Source> in = {{"b32", c[0]}, {"b32", c[1]}, {"b32", c[2]}};
  for (const bool left : {false, true}) {
    for (const bool wrap : {false, true}) {
      expect(
          fmt::format("shf.{}.{}.b32 %q0, %a, %b, %c;", left ? "l" : "r", wrap ? "wrap" : "clamp"),
          "b32", in, [=](const Bits* v) {
            const auto n = wrap ? v[2] & 31 : std::min<Bits>(v[2], 32);
            const unsigned __int128 both = v[1] << 32 | v[0];
            return left ? static_cast<Bits>(both << n >> 32) & 0xFFFF'FFFF
                        : static_cast<Bits>(both >> n) & 0xFFFF'FFFF;
          });
    }
  }
}

TEST(OpcodeBits, counts_ones_and_leading_zeros) {
  for (const unsigned w : {32U, 64U}) {
    auto values = borders(w);
    for (unsigned k = 0; k < w; ++k) values.push_back(Bits{1} << k);
    const std::vector<Source> in = {{fmt::format("b{}", w), values}};
    expect(fmt::format("popc.b{} %q0, %a;", w), "b32", in, [=](const Bits* v) {
      Bits n = 0;
      for (unsigned k = 0; k < w; ++k) n += bit(v[0], k);
      return n;
    });
    expect(fmt::format("clz.b{} %q0, %a;", w), "b32", in, [=](const Bits* v) {
      Bits n = 0;
      while (n < w && !bit(v[0], w - 1 - static_cast<unsigned>(n))) ++n;
      return n;
    });
    expect(fmt::format("brev.b{} %q0, %a;", w), fmt::format("b{}", w), in, [=](const Bits* v) {
      Bits d = 0;
      for (unsigned k = 0; k < w; ++k) d |= Bits{bit(v[0], k)} << (w - 1 - k);
      return d;
    });
  }
}

TEST(OpcodeBits, bfind_finds_the_highest_bit_that_is_not_the_sign) {
  for (const unsigned w : {32U, 64U}) {
    for (const bool is_signed : {false, true}) {
      for (const bool shift : {false, true}) {
        expect(fmt::format("bfind{}.{}{} %q0, %a;", shift ? ".shiftamt" : "", is_signed ? 's' : 'u',
                           w),
               "b32", {{fmt::format("b{}", w), borders(w)}}, [=](const Bits* v) -> Bits {
                 const bool ignored = is_signed && bit(v[0], w - 1);
                 for (unsigned k = w; k-- > 0;) {
                   if (bit(v[0], k) != ignored) return shift ? w - 1 - k : k;
                 }
                 return 0xFFFF'FFFF;
               });
      }
    }
  }
}

// Positions and lengths: inside, to the last bit, past it, and only their low 8 bits count.
const Column fields = {0, 1, 5, 8, 31, 32, 33, 63, 64, 200, 255, 256 + 3};

TEST(OpcodeBits, bfe_extracts_and_extends_by_the_top_bit_of_the_field) {
  for (const unsigned w : {32U, 64U}) {
    auto c = cross({borders(w), fields, fields});
    const std::vector<Source> in = {{fmt::format("b{}", w), c[0]}, {"b32", c[1]}, {"b32", c[2]}};
    for (const bool is_signed : {false, true}) {
      expect(fmt::format("bfe.{}{} %q0, %a, %b, %c;", is_signed ? 's' : 'u', w),
             fmt::format("b{}", w), in, [=](const Bits* v) {
               const unsigned position = v[1] & 0xFF, length = v[2] & 0xFF;
               const bool fill =
                   is_signed && length != 0 && bit(v[0], std::min(position + length - 1, w - 1));
               Bits d = 0;
               for (unsigned k = 0; k < w; ++k) {
                 const bool inside = k < length && position + k < w;
                 d |= Bits{inside ? bit(v[0], position + k) : fill} << k;
               }
               return d;
             });
    }
  }
}

TEST(OpcodeBits, bfi_inserts_and_keeps_the_rest) {
  for (const unsigned w : {32U, 64U}) {
    const auto type = fmt::format("b{}", w);
    auto c = cross({random_words(w, 6, 2), random_words(w, 6, 3), fields, fields});
    expect(fmt::format("bfi.b{} %q0, %a, %b, %c, %e;", w), type,
           {{type, c[0]}, {type, c[1]}, {"b32", c[2]}, {"b32", c[3]}}, [=](const Bits* v) {
             const unsigned position = v[2] & 0xFF, length = v[3] & 0xFF;
             Bits d = v[1];
             for (unsigned k = 0; k < length && position + k < w; ++k) {
               d &= ~(Bits{1} << (position + k));
               d |= Bits{bit(v[0], k)} << (position + k);
             }
             return d;
           });
  }
  expect("bfi.b32 %q0, %a, %b, 8, 4;", "b32", cross("b32", {borders(32), borders(32)}),
         [](const Bits* v) { return (v[1] & 0xFFFF'F0FF) | (v[0] & 0xF) << 8; });
}

TEST(OpcodeBits, lop3_knows_all256_tables) {
  // Bit k of the operands spells the row k of the truth table.
  const std::vector<Source> in = {{"b32", {0xF0F0'F0F0, 0xFF00'FF00, 0x1234'5678}},
                                  {"b32", {0xCCCC'CCCC, 0x0F0F'0F0F, 0x9ABC'DEF0}},
                                  {"b32", {0xAAAA'AAAA, 0x3333'3333, 0x0FED'CBA9}}};
  for (unsigned table = 0; table < 256; ++table) {
    const auto got = apply(fmt::format("lop3.b32 %q0, %a, %b, %c, {};", table), {"b32"}, in)[0];
    EXPECT_EQ(got[0], table * 0x0101'0101ULL);
    for (int row = 1; row < 3; ++row) {
      Bits want = 0;
      for (unsigned k = 0; k < 32; ++k) {
        const unsigned entry = bit(in[0].values[row], k) << 2 | bit(in[1].values[row], k) << 1 |
                               unsigned{bit(in[2].values[row], k)};
        want |= Bits{bit(table, entry)} << k;
      }
      EXPECT_EQ(got[row], want) << table;
    }
  }
}

unsigned byte_of(const Bits* v, unsigned k) { return (v[1] << 32 | v[0]) >> (8 * (k & 7)) & 0xFF; }
Bits bytes(unsigned b3, unsigned b2, unsigned b1, unsigned b0) {
  return Bits{b3} << 24 | b2 << 16 | b1 << 8 | b0;
}

TEST(OpcodeBits, prmt_picks_bytes_and_copies_their_sign) {
  Column selectors = {0x3210, 0x7654, 0xFEDC, 0x0000, 0x8888, 0x1B3F, 0xFFFF'5140};
  for (const auto x : random_words(16, 40, 4)) selectors.push_back(x);
  expect("prmt.b32 %q0, %a, %b, %c;", "b32",
         cross("b32", {{0x8070'6050, 0x7F80'FF00}, {0xC0B0'A090, 0x0102'0304}, selectors}),
         [](const Bits* v) {
           Bits d = 0;
           for (unsigned k = 0; k < 4; ++k) {
             const unsigned nibble = v[2] >> (4 * k) & 15, b = byte_of(v, nibble & 7);
             d |= Bits{nibble < 8 ? b : b >= 128 ? 0xFFU : 0U} << (8 * k);
           }
           return d;
         });
}

TEST(OpcodeBits, prmt_modes_follow_the_table_of_the_manual) {
  const auto in =
      cross("b32", {{0x4433'2211}, {0x8877'6655}, {0, 1, 2, 3, 0xFC, 0xFD, 0xFE, 0xFF}});
  // Rows of the manual's table: selector value 0 to 3, bytes d3 d2 d1 d0.
  const std::pair<const char*, int> tables[] = {{"f4e", 0}, {"b4e", 1}, {"rc8", 2},
                                                {"ecl", 3}, {"ecr", 4}, {"rc16", 5}};
  static constexpr unsigned rows[6][4][4] = {
      {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}},
      {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}},
      {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}},
      {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}},
      {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}},
      {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}}};
  for (const auto& [mode, table] : tables) {
    expect(fmt::format("prmt.b32.{} %q0, %a, %b, %c;", mode), "b32", in, [=](const Bits* v) {
      const auto& r = rows[table][v[2] & 3];
      return bytes(byte_of(v, r[0]), byte_of(v, r[1]), byte_of(v, r[2]), byte_of(v, r[3]));
    });
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_bits
