// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// atom and red of every operation and type (PTX ISA 9.0, 9.7.13.5-6): by single lanes against
// values computed another way, and by many lanes on one cell.
#include <fmt/format.h>

#include <cfloat>
#include <cmath>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/isa/opcode_narrow.hpp"
#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_atomic {
namespace {

using Update = std::function<Bits(Bits old, Bits x)>;

/// One lane a cell: cell[k] starts as old[k]; returns what atom gave and what the cell then holds.
/// Through global memory, or shared memory to which the cells were copied.
struct Outcome {
  Column old, now;
};
Outcome update(const std::string& operation, const std::string& type, unsigned width,
               const std::vector<Column>& operands, bool in_shared, bool reduction) {
  const auto rows = static_cast<std::uint32_t>(operands[0].size());
  const char bank = width == 16 ? 'h' : width == 32 ? 'r' : 'd';
  const auto reg = [&](int k) { return fmt::format("%{}{}", bank, k); };
  const bool cas = operands.size() == 3;
  const std::string space = in_shared ? "shared" : "global";
  const auto arguments = cas ? reg(21) + ", " + reg(22) : reg(21);
  std::string body = fmt::format(
      "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %tid.x; mad.lo.u32 %r0, %r0, 128, %r1;"
      "ld.param.u64 %d1, [in]; ld.param.u64 %d0, [out]; mad.wide.u32 %d1, %r0, 24, %d1;"
      "mad.wide.u32 %d0, %r0, 16, %d0; ld.global.b{0} {1}, [%d1]; ld.global.b{0} {2}, [%d1+8];"
      "ld.global.b{0} {3}, [%d1+16]; mov.u64 %d3, %d0;",
      width, reg(20), reg(21), reg(22));
  if (in_shared) body += "mov.u64 %d3, s; mad.wide.u32 %d3, %r1, 16, %d3;";
  body += fmt::format("st.{}.b{} [%d3], {};", space, width, reg(20));
  if (reduction) {
    body += fmt::format("red.{}.{}.{} [%d3], {};", space, operation, type, arguments);
  } else {
    body += fmt::format("atom.{}.{}.{} {}, [%d3], {};", space, operation, type, reg(24), arguments);
    body += fmt::format("st.global.b{} [%d0+8], {};", width, reg(24));
  }
  if (in_shared) {
    body += fmt::format("ld.shared.b{0} {1}, [%d3]; st.global.b{0} [%d0], {1};", width, reg(25));
  }
  const auto padded = (rows + 127) / 128 * 128;
  Column in, cells(2 * padded);
  for (std::uint32_t row = 0; row < padded; ++row) {
    for (int k = 0; k < 3; ++k) {
      in.push_back(k < static_cast<int>(operands.size()) ? operands[k][row % rows] : 0);
    }
  }
  Device device(kernel(".param .u64 in, .param .u64 out", body, ".shared .align 16 .b8 s[2048];"));
  const auto from = device.input("in", in);
  const auto to = device.array("out", cells);
  EXPECT_TRUE(silent(device.launch({.grid = {padded / 128}, .block = {128}}, from, to))) << body;
  cells = device.read<Bits>(to, cells.size());
  Outcome o;
  for (std::uint32_t row = 0; row < rows; ++row) {
    o.now.push_back(low(cells[2 * row], width));
    o.old.push_back(cells[2 * row + 1]);
  }
  return o;
}

void expect_update(const std::string& operation, const std::string& type, unsigned width,
                   const std::vector<Column>& operands, const Update& f,
                   const std::vector<bool>& spaces = {false, true}) {
  for (const bool in_shared : spaces) {
    for (const bool reduction : {false, true}) {
      if (reduction && operation.find("exch") != std::string::npos) continue;
      const auto o = update(operation, type, width, operands, in_shared, reduction);
      int wrong = 0;
      for (std::size_t k = 0; k < o.now.size() && wrong < 5; ++k) {
        const auto want = low(f(operands[0][k], operands[1][k]), width);
        const bool same_old = reduction || o.old[k] == operands[0][k];
        if (o.now[k] == want && same_old) continue;
        ++wrong;
        ADD_FAILURE() << fmt::format(
            "{}.{} of 0x{:x} and 0x{:x}: 0x{:x} (old 0x{:x}), expected 0x{:x}", operation, type,
            operands[0][k], operands[1][k], o.now[k], o.old[k], want);
      }
    }
  }
}

TEST(OpcodeAtomic, integers_of32_and64_bits) {
  for (const unsigned w : {32U, 64U}) {
    const auto in = cross({borders(w), borders(w)});
    const auto b = fmt::format("b{}", w), u = fmt::format("u{}", w), s = fmt::format("s{}", w);
    const auto value = [=](Bits x) { return sign_extended(x, w); };
    expect_update("add", u, w, in, [](Bits a, Bits x) { return a + x; });
    if (w == 32) expect_update("add", s, w, in, [](Bits a, Bits x) { return a + x; });
    expect_update("exch", b, w, in, [](Bits, Bits x) { return x; });
    expect_update("min", u, w, in, [](Bits a, Bits x) { return a < x ? a : x; });
    expect_update("max", u, w, in, [](Bits a, Bits x) { return a > x ? a : x; });
    expect_update("min", s, w, in, [=](Bits a, Bits x) { return value(a) < value(x) ? a : x; });
    expect_update("max", s, w, in, [=](Bits a, Bits x) { return value(a) > value(x) ? a : x; });
    expect_update("and", b, w, in, [](Bits a, Bits x) { return a & x; });
    expect_update("or", b, w, in, [](Bits a, Bits x) { return a | x; });
    expect_update("xor", b, w, in, [](Bits a, Bits x) { return a ^ x; });
  }
}

TEST(OpcodeAtomic, inc_and_dec_wrap_at_their_operand) {
  const auto in = cross({{0, 1, 4, 5, 6, 7, 0xFFFF'FFFE, 0xFFFF'FFFF}, {0, 1, 5, 6, 0xFFFF'FFFF}});
  expect_update("inc", "u32", 32, in, [](Bits a, Bits x) { return a >= x ? 0 : a + 1; });
  expect_update("dec", "u32", 32, in, [](Bits a, Bits x) { return a == 0 || a > x ? x : a - 1; });
}

TEST(OpcodeAtomic, cas_stores_only_where_the_old_value_matches) {
  for (const unsigned w : {16U, 32U, 64U}) {
    // Old value, expected value, new value; pairs that differ in one end of the word only.
    const Bits top = Bits{1} << (w - 1);
    const auto in =
        cross({{0, 5, top, top + 5, low(~0ULL, w)}, {0, 5, top, low(~0ULL, w)}, {9, top + 1}});
    for (const bool in_shared : {false, true}) {
      const auto o = update("cas", fmt::format("b{}", w), w, in, in_shared, false);
      for (std::size_t k = 0; k < in[0].size(); ++k) {
        EXPECT_EQ(o.old[k], in[0][k]);
        EXPECT_EQ(o.now[k], in[0][k] == in[1][k] ? in[2][k] : in[0][k]) << w << " row " << k;
      }
    }
  }
}

TEST(OpcodeAtomic, floats_add_like_the_arithmetic_instructions) {
  const Update add = [](Bits a, Bits x) { return bits(f32(a) + f32(x)); };
  expect_update("add", "f32", 32, cross({f32_values(), f32_values()}), add, {true});
  // On global memory, subnormal operands and results are zeros of their sign (PTX ISA 9.7.13.5;
  // seen on an H100).
  const auto flush = [](Bits x) { return std::fabs(f32(x)) < FLT_MIN ? x & 0x8000'0000 : x; };
  expect_update("add", "f32", 32, cross({f32_values(), f32_values()}),
                [&](Bits a, Bits x) { return flush(add(flush(a), flush(x))); }, {false});
  // Numbers only: what f64 NaNs give is tested with the arithmetic instructions.
  Column numbers;
  for (const auto x : f64_values()) {
    if (f64(x) - f64(x) == 0) numbers.push_back(x);
  }
  expect_update("add", "f64", 64, cross({numbers, numbers}),
                [](Bits a, Bits x) { return bits(f64(a) + f64(x)); });
}

TEST(OpcodeAtomic, narrow_floats_add_by_their_own_rounding) {
  const std::pair<const char*, const NarrowFormat&> formats[] = {{"f16", f16_format()},
                                                                 {"bf16", bf16_format()}};
  for (const auto& [name, format] : formats) {
    const auto& f = format;
    std::vector<Column> in = {random_words(16, 2000, 41), random_words(16, 2000, 42)};
    expect_update("add.noftz", name, 16, in, [&](Bits a, Bits x) { return f.add(a, x); });
    std::vector<Column> two = {random_words(32, 2000, 43), random_words(32, 2000, 44)};
    expect_update("add.noftz", fmt::format("{}x2", name), 32, two, [&](Bits a, Bits x) {
      return f.add(a & 0xFFFF, x & 0xFFFF) | Bits{f.add(a >> 16, x >> 16)} << 16;
    });
  }
}

/// `operation` on vectors of `count` registers of `width` bits: each of 32 lanes adds to a vector
/// of its own twice, by atom and by red. Returns the old vectors and what is there in the end.
std::pair<Column, Column> update_vectors(const std::string& operation, unsigned count,
                                         unsigned width, const Column& cells, const Column& x) {
  std::string old, operand, load, store;
  for (unsigned k = 0; k < count; ++k) {
    const char bank = width == 16 ? 'h' : 'r';
    old += fmt::format("{}%{}{}", k == 0 ? "" : ", ", bank, 10 + k);
    operand += fmt::format("{}%{}{}", k == 0 ? "" : ", ", bank, 20 + k);
    load += fmt::format("ld.global.b{0} %{1}{2}, [%d1+{3}];\n", width, bank, 20 + k, k * width / 8);
    store +=
        fmt::format("st.global.b{0} [%d2+{3}], %{1}{2};\n", width, bank, 10 + k, k * width / 8);
  }
  const unsigned bytes = count * width / 8;
  Device device(
      kernel(".param .u64 cells, .param .u64 x, .param .u64 old",
             fmt::format("mov.u32 %r0, %tid.x; ld.param.u64 %d0, [cells]; ld.param.u64 %d1, [x];"
                         "ld.param.u64 %d2, [old]; mad.wide.u32 %d0, %r0, {0}, %d0;"
                         "mad.wide.u32 %d1, %r0, {0}, %d1; mad.wide.u32 %d2, %r0, {0}, %d2;\n",
                         bytes) +
                 load +
                 fmt::format("atom.global.gpu.relaxed.{0} {{{1}}}, [%d0], {{{2}}};\n", operation,
                             old, operand) +
                 fmt::format("red.global.{} [%d0], {{{}}};\n", operation, operand) + store));
  const auto packed = [&](const Column& words) {
    std::vector<std::uint8_t> all;
    for (const Bits word : words) {
      for (unsigned k = 0; k < width; k += 8) all.push_back(static_cast<std::uint8_t>(word >> k));
    }
    return all;
  };
  const auto to = device.array("cells", packed(cells));
  const auto from = device.input("x", packed(x));
  const auto before = device.output<std::uint8_t>("old", std::size_t{32} * bytes);
  EXPECT_TRUE(silent(device.launch({}, to, from, before))) << operation;
  const auto words = [&](const auto& array) {
    const auto all = device.read<std::uint8_t>(array, std::size_t{32} * bytes);
    Column column(std::size_t{32} * count);
    for (std::size_t k = 0; k < all.size(); ++k) {
      column[k * 8 / width] |= Bits{all[k]} << (k * 8 % width);
    }
    return column;
  };
  return {words(before), words(to)};
}

TEST(OpcodeAtomic, vectors_are_updated_element_by_element) {
  const auto& h = f16_format();
  const auto& b = bf16_format();
  const auto halves = [](auto f) {
    return [f](Bits a, Bits x) {
      return Bits{f(a & 0xFFFF, x & 0xFFFF)} | Bits{f(a >> 16, x >> 16)} << 16;
    };
  };
  const auto sum = [&](const NarrowFormat& f) {
    return [&f](Bits a, Bits x) { return Bits{f.add(a, x)}; };
  };
  const auto add = [](Bits a, Bits x) { return bits(f32(a) + f32(x)); };
  struct Form {
    std::string operation;
    unsigned count, width;
    Update f;
  };
  for (const auto& [operation, count, width, f] : std::vector<Form>{
           {"add.v2.f32", 2, 32, add},
           {"add.v4.f32", 4, 32, add},
           {"add.noftz.v2.f16", 2, 16, sum(h)},
           {"add.noftz.v8.f16", 8, 16, sum(h)},
           {"add.noftz.v4.bf16", 4, 16, sum(b)},
           {"min.noftz.v4.f16", 4, 16, [&](Bits a, Bits x) { return Bits{h.least(a, x)}; }},
           {"max.noftz.v2.bf16", 2, 16, [&](Bits a, Bits x) { return Bits{b.greatest(a, x)}; }},
           {"add.noftz.v4.f16x2", 4, 32, halves(sum(h))},
           {"add.noftz.v2.bf16x2", 2, 32, halves(sum(b))}}) {
    Column cells, x;
    for (unsigned k = 0; k < 32 * count; ++k) {  // f32: whole numbers and halves, which are exact
      const auto number = [&](unsigned n) { return static_cast<float>(n * 37 % 101) / 2 - 20; };
      const bool wide = operation.ends_with("f32");
      cells.push_back(wide ? bits(number(k)) : random_words(width, 1, k)[0]);
      x.push_back(wide ? bits(number(k + 7)) : random_words(width, 1, k + 1000)[0]);
    }
    const auto [old, now] = update_vectors(operation, count, width, cells, x);
    EXPECT_EQ(old, cells) << operation;
    for (std::size_t k = 0; k < now.size(); ++k) {
      EXPECT_EQ(now[k], low(f(f(cells[k], x[k]), x[k]), width)) << operation << ' ' << k;
    }
  }
}

TEST(OpcodeAtomic, vectors_begin_at_multiples_of_their_size) {
  Device device(kernel(".param .u64 cells",
                       "ld.param.u64 %d0, [cells]; red.global.add.v4.f32 [%d0+8], "
                       "{0f3F800000, 0f3F800000, 0f3F800000, 0f3F800000};"));
  const auto cells = device.array("cells", std::vector<float>(8));
  EXPECT_TRUE(only(device.launch({.block = {1}}, cells), FindingKind::misaligned));
}

TEST(OpcodeAtomic, scopes_and_orders_change_no_value) {
  for (const std::string modifiers : {".relaxed.gpu", ".acquire.cta", ".release.sys",
                                      ".acq_rel.gpu", ".acq_rel.cluster", ".relaxed.cta"}) {
    Device device(kernel(".param .u64 cell", "ld.param.u64 %d0, [cell]; atom" + modifiers +
                                                 ".global.add.u32 %r0, [%d0], 3; atom" + modifiers +
                                                 ".add.u32 %r0, [%d0], 4;"));
    const auto cell = device.array("cell", std::vector<std::uint32_t>{1});
    EXPECT_TRUE(silent(device.launch({.block = {40}}, cell)));
    EXPECT_EQ(device.read<std::uint32_t>(cell, 1)[0], 1U + 40 * 7);
  }
}

TEST(OpcodeAtomic, every_lane_of_many_blocks_gets_its_own_ticket) {
  Device device(kernel(".param .u64 cell, .param .u64 out",
                       "ld.param.u64 %d0, [cell]; ld.param.u64 %d1, [out];"
                       "atom.global.inc.u32 %r0, [%d0], 0xffffffff; mad.wide.u32 %d1, %r0, 4, %d1;"
                       "atom.global.exch.b32 %r1, [%d1], 1; atom.global.add.u32 _, [%d0+4], %r1;"));
  for (const std::string schedule : {"lockstep", "low_lane_first", "high_lane_first", "random:3"}) {
    const auto cell = device.array("cell", std::vector<std::uint32_t>{0, 0});
    const auto out = device.array("out", std::vector<std::uint32_t>(300));
    Launch l{.grid = {3}, .block = {100}};
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, cell, out)));
    EXPECT_EQ(device.read<std::uint32_t>(out, 300), std::vector<std::uint32_t>(300, 1));
    EXPECT_EQ(device.read<std::uint32_t>(cell, 2), (std::vector<std::uint32_t>{300, 0}));
  }
}

TEST(OpcodeAtomic, lanes_of_one_instruction_act_in_ascending_order) {
  Device device(kernel(".param .u64 cell, .param .u64 out",
                       "ld.param.u64 %d0, [cell]; ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x;"
                       "atom.global.add.u32 %r0, [%d0], 1; mad.wide.u32 %d1, %r1, 4, %d1;"
                       "st.global.u32 [%d1], %r0;"));
  const auto cell = device.array("cell", std::vector<std::uint32_t>{0});
  const auto out = device.output<std::uint32_t>("out", 32);
  EXPECT_TRUE(silent(device.launch({}, cell, out)));
  for (std::uint32_t l = 0; l < 32; ++l) EXPECT_EQ(device.read<std::uint32_t>(out, 32)[l], l);
}

TEST(OpcodeAtomic, compare_and_swap_loop_adds_without_losing_anyone) {
  Device device(kernel(".param .u64 cell",
                       "ld.param.u64 %d0, [cell]; ld.global.b32 %r0, [%d0];"
                       "L: mov.b32 %x0, %r0; add.f32 %x1, %x0, 0f3F800000; mov.b32 %r1, %x1;"
                       "atom.global.cas.b32 %r2, [%d0], %r0, %r1; setp.ne.b32 %p0, %r2, %r0;"
                       "mov.b32 %r0, %r2; @%p0 bra L;"));
  for (const std::string schedule : {"lockstep", "low_lane_first", "random:5"}) {
    const auto cell = device.array("cell", std::vector<float>{0});
    Launch l{.grid = {2}, .block = {64}};
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, cell)));
    EXPECT_EQ(device.read<float>(cell, 1)[0], 128.0F);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_atomic
