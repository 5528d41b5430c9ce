// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// f16, bf16 and their packed forms (PTX ISA 9.0, 9.7.4): unary operations for all 65536 values,
// binary ones for border and random pairs.
#include "tests/machine/isa/opcode_narrow.hpp"

#include <fmt/format.h>

#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_narrow {
namespace {

struct Narrow {
  const char* name;
  const NarrowFormat& (*format)();
};

class OpcodeNarrow : public ::testing::TestWithParam<Narrow> {
 protected:
  [[nodiscard]] const NarrowFormat& format() const { return GetParam().format(); }
  [[nodiscard]] std::string type() const { return GetParam().name; }

  /// Borders of either format, crossed, then random words: as columns of equal length.
  [[nodiscard]] std::vector<Column> operands(std::size_t count) const {
    const Column border = {0,      0x8000, 1,      0x8001, 2,      0x03FF, 0x0400, 0x007F, 0x0080,
                           0x3C00, 0xBC00, 0x3C01, 0x3F80, 0xBF80, 0x3F81, 0x7BFF, 0xFBFF, 0x7C00,
                           0xFC00, 0x7F7F, 0xFF7F, 0x7F80, 0xFF80, 0x7FFF, 0xFE00, 0x1400, 0x0C00};
    auto columns = cross(std::vector<Column>(count, border));
    for (std::size_t k = 0; k < count; ++k) {
      for (const auto x : random_words(16, 20000, 11 + k)) columns[k].push_back(x);
      // Close exponents: the interesting roundings.
      for (const auto x : random_words(16, 20000, 21 + k))
        columns[k].push_back(0x3000 | (x & 0x8FFF));
    }
    return columns;
  }
  [[nodiscard]] static std::vector<Source> sources(std::vector<Column> columns) {
    std::vector<Source> s;
    for (auto& c : columns) s.push_back(b16(std::move(c)));
    return s;
  }
  /// Two values to a register: element k and element k + 1, the latter in the upper half.
  [[nodiscard]] static std::vector<Source> packed(const std::vector<Column>& columns) {
    std::vector<Source> s;
    for (const auto& c : columns) {
      Column p(c.size());
      for (std::size_t k = 0; k < c.size(); ++k) p[k] = c[k] | c[(k + 1) % c.size()] << 16;
      s.push_back(b32(std::move(p)));
    }
    return s;
  }
  using Two = std::function<std::uint16_t(const NarrowFormat&, Bits, Bits)>;
  void two(const std::string& opcode, const Two& f) const {
    const auto& format = this->format();
    const auto columns = operands(2);
    expect(fmt::format("{}.{} %q0, %a, %b;", opcode, type()), "b16", sources(columns),
           [&](const Bits* v) { return f(format, v[0], v[1]); });
    expect(fmt::format("{}.{}x2 %q0, %a, %b;", opcode, type()), "b32", packed(columns),
           [&](const Bits* v) {
             return f(format, v[0] & 0xFFFF, v[1] & 0xFFFF) |
                    Bits{f(format, v[0] >> 16, v[1] >> 16)} << 16;
           });
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, OpcodeNarrow,
                         ::testing::Values(Narrow{"f16", f16_format}, Narrow{"bf16", bf16_format}),
                         [](const auto& info) { return info.param.name; });

TEST_P(OpcodeNarrow, sums_differences_and_products_are_rounded_once) {
  two("add", [](auto& f, Bits a, Bits b) { return f.add(a, b); });
  two("sub", [](auto& f, Bits a, Bits b) { return f.sub(a, b); });
  two("mul", [](auto& f, Bits a, Bits b) { return f.mul(a, b); });
  two("add.rn", [](auto& f, Bits a, Bits b) { return f.add(a, b); });
}

TEST_P(OpcodeNarrow, min_and_max_prefer_numbers_and_order_zeros) {
  two("min", [](auto& f, Bits a, Bits b) { return f.least(a, b); });
  two("max", [](auto& f, Bits a, Bits b) { return f.greatest(a, b); });
  const auto nan = [](auto& f, Bits a, Bits b) { return f.is_nan(a) || f.is_nan(b); };
  two("min.NaN", [=](auto& f, Bits a, Bits b) { return nan(f, a, b) ? 0x7FFF : f.least(a, b); });
  two("max.NaN", [=](auto& f, Bits a, Bits b) { return nan(f, a, b) ? 0x7FFF : f.greatest(a, b); });
}

TEST_P(OpcodeNarrow, min_and_max_of_magnitudes_take_the_product_of_the_signs) {
  two("min.xorsign.abs", [](auto& f, Bits a, Bits b) {
    const Bits magnitude = f.least(a & 0x7FFF, b & 0x7FFF);
    return f.is_nan(magnitude) ? magnitude : magnitude | ((a ^ b) & 0x8000);
  });
  two("max.NaN.xorsign.abs", [](auto& f, Bits a, Bits b) {
    if (f.is_nan(a) || f.is_nan(b)) return Bits{0x7FFF};
    return Bits{f.greatest(a & 0x7FFF, b & 0x7FFF)} | ((a ^ b) & 0x8000);
  });
}

TEST_P(OpcodeNarrow, fma_is_rounded_once) {
  const auto& format = this->format();
  const auto columns = operands(3);
  expect(fmt::format("fma.rn.{} %q0, %a, %b, %c;", type()), "b16", sources(columns),
         [&](const Bits* v) { return format.fma(v[0], v[1], v[2]); });
  expect(fmt::format("fma.rn.{}x2 %q0, %a, %b, %c;", type()), "b32", packed(columns),
         [&](const Bits* v) {
           return format.fma(v[0] & 0xFFFF, v[1] & 0xFFFF, v[2] & 0xFFFF) |
                  Bits{format.fma(v[0] >> 16, v[1] >> 16, v[2] >> 16)} << 16;
         });
}

TEST_P(OpcodeNarrow, fma_avoids_double_rounding) {
  // c is a tie of the format's neighbours only together with the product; a tiny product of either
  // sign decides it. In f16: 1 + 2^-11 cannot be held, so c = 1 + ulp and the product -ulp/2 -+
  // tiny.
  const auto& format = this->format();
  Column a, b, c;
  for (Bits x = 0x3000; x < 0x4400; x += 7) {
    for (const Bits y : {0x0001, 0x8001, 0x0401, 0x8401, 0x1001, 0x9001, 0x1FFF, 0x9FFF}) {
      a.push_back(x);
      b.push_back(y);
      c.push_back(0x3C01 + (x & 3));
    }
  }
  expect(fmt::format("fma.rn.{} %q0, %a, %b, %c;", type()), "b16", {b16(a), b16(b), b16(c)},
         [&](const Bits* v) { return format.fma(v[0], v[1], v[2]); });
}

TEST_P(OpcodeNarrow, neg_and_abs_of_all65536_values) {
  Column all(65536);
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
  const auto& f = format();
  // The manual leaves the result for NaN open.
  const auto same = [&](Bits a, Bits b) { return a == b || (f.is_nan(a) && f.is_nan(b)); };
  expect(
      fmt::format("neg.{} %q0, %a;", type()), "b16", {b16(all)},
      [](const Bits* v) { return v[0] ^ 0x8000; }, same);
  expect(
      fmt::format("abs.{} %q0, %a;", type()), "b16", {b16(all)},
      [](const Bits* v) { return v[0] & 0x7FFF; }, same);
  const auto numbers = packed({{0, 0x8000, 0x3C00, 0xBC01, 0x7C00, 0x8001}});
  expect(fmt::format("neg.{}x2 %q0, %a;", type()), "b32", numbers,
         [](const Bits* v) { return v[0] ^ 0x8000'8000; });
  expect(fmt::format("abs.{}x2 %q0, %a;", type()), "b32", numbers,
         [](const Bits* v) { return v[0] & 0x7FFF'7FFF; });
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_narrow
