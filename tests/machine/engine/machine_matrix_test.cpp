// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// wmma (PTX ISA 9.0, 9.7.14.4): whole products from memory to memory in every shape,
// type and layout, and what is found in wrong ones.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "machine/code/narrow_float.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_matrix {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Product {
  unsigned m, n, k;
  std::string type, c_type, d_type;
};
unsigned bytes_of(const std::string& type) {
  return type == "f64"                     ? 8
         : type == "f16" || type == "bf16" ? 2
         : type == "s8" || type == "u8"    ? 1
                                           : 4;
}
void put(Bytes& to, std::size_t element, const std::string& type, double x) {
  const auto store = [&](auto bits) {
    std::memcpy(&to[element * sizeof(bits)], &bits, sizeof bits);
  };
  if (type == "f16") return store(Half::from_double(x).bits);
  if (type == "bf16") return store(Bfloat::from_double(x).bits);
  if (type == "f64") return store(x);
  if (type == "s32") return store(static_cast<std::int32_t>(x));
  if (type == "s8" || type == "u8") return store(static_cast<std::int8_t>(x));
  store(static_cast<float>(x));
}
double get(const Bytes& from, std::size_t element, const std::string& type) {
  const auto load = [&](auto bits) {
    std::memcpy(&bits, &from[element * sizeof(bits)], sizeof bits);
    return bits;
  };
  if (type == "f16") return Half{load(std::uint16_t{})}.widened();
  if (type == "f64") return load(double{});
  if (type == "s32") return load(std::int32_t{});
  return load(float{});
}

unsigned registers(const Product& p, char part) {
  const auto elements = (part == 'a' ? p.m * p.k : part == 'b' ? p.k * p.n : p.m * p.n) / 32;
  if (part == 'c' || part == 'd') {
    const auto& type = part == 'c' ? p.c_type : p.d_type;
    return type == "f16" ? elements / 2 : elements;
  }
  if (p.type == "f16") return 8;
  return elements * bytes_of(p.type) / (p.type == "f64" ? 8 : 4);
}
std::string list(char part, unsigned count) {
  std::string s;
  for (unsigned k = 0; k < count; ++k) s += fmt::format("{}%{}{}", k == 0 ? "" : ", ", part, k);
  return "{" + s + "}";
}
std::string multiply(const Product& p, std::string_view a, std::string_view b) {
  const auto shape = fmt::format("m{}n{}k{}", p.m, p.n, p.k);
  const auto numbers = p.type == "f16"
                           ? p.d_type + "." + p.c_type
                           : fmt::format("{}.{}.{}.{}", p.d_type, p.type, p.type, p.c_type);
  return fmt::format("wmma.mma.sync.aligned.{}.{}.{}.{}{} {}, {}, {}, {};\n", a, b, shape, numbers,
                     p.type == "f64" ? ".rn" : "", list('d', registers(p, 'd')),
                     list('a', registers(p, 'a')), list('b', registers(p, 'b')),
                     list('c', registers(p, 'c')));
}
std::string declare(const Product& p) {
  const auto bits = p.type == "f64" ? 64 : 32;
  std::string s;
  for (const char part : {'a', 'b', 'c', 'd'}) {
    s += fmt::format(".reg .b{} %{}<{}>; ", bits, part, registers(p, part));
  }
  return s;
}

/// Whole products out of `space` ("global", "" for generic): layouts are row or col.
void check(const Product& p, const std::string& space, const char* a_layout, const char* b_layout,
           const char* c_layout) {
  SCOPED_TRACE(fmt::format("m{}n{}k{} {} {} {} {} {} {} {}", p.m, p.n, p.k, p.type, p.c_type,
                           p.d_type, space, a_layout, b_layout, c_layout));
  const auto row = [](const char* layout) { return layout[0] == 'r'; };
  // Strides leave some elements out.
  const auto stride = [&](const char* layout, unsigned rows, unsigned columns, unsigned bytes) {
    return (row(layout) ? columns : rows) + 64 / bytes;
  };
  const auto sa = stride(a_layout, p.m, p.k, bytes_of(p.type)),
             sb = stride(b_layout, p.k, p.n, bytes_of(p.type)),
             sc = stride(c_layout, p.m, p.n, bytes_of(p.c_type)),
             sd = stride(c_layout, p.m, p.n, bytes_of(p.d_type));
  const auto at = [&](const char* layout, unsigned s, unsigned r, unsigned c) {
    return row(layout) ? r * s + c : c * s + r;
  };
  Bytes a(64 * 64 * 8), b(a.size()), c(a.size());
  std::mt19937 random(5);
  std::vector<double> am(p.m * p.k), bm(p.k * p.n), cm(p.m * p.n);
  const auto fill = [&](std::vector<double>& m, Bytes& to, const std::string& type,
                        unsigned columns, const char* layout, unsigned s) {
    for (unsigned e = 0; e < m.size(); ++e) {
      m[e] = static_cast<int>(random() % 13) - (type == "u8" ? 0 : 6);
      put(to, at(layout, s, e / columns, e % columns), type, m[e]);
    }
  };
  fill(am, a, p.type == "tf32" ? "f32" : p.type, p.k, a_layout, sa);
  fill(bm, b, p.type == "tf32" ? "f32" : p.type, p.n, b_layout, sb);
  fill(cm, c, p.c_type, p.n, c_layout, sc);
  const auto shape = fmt::format("m{}n{}k{}", p.m, p.n, p.k);
  const auto dotted = space.empty() ? "" : "." + space;
  const auto load = [&](char part, const char* layout, const std::string& type, unsigned s) {
    return fmt::format(
        "ld.param.u64 %u, [{0}];\nwmma.load.{0}.sync.aligned.{1}.{2}{3}.{4} {5}, "
        "[%u], {6};\n",
        part, layout, shape, dotted, type, list(part, registers(p, part)), s);
  };
  const auto text =
      std::string(module_header) +
      ".visible .entry f(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) { .reg .b64 "
      "%u; " +
      declare(p) + "\n" + load('a', a_layout, p.type, sa) + load('b', b_layout, p.type, sb) +
      load('c', c_layout, p.c_type, sc) + multiply(p, a_layout, b_layout) +
      fmt::format(
          "ld.param.u64 %u, [d];\nwmma.store.d.sync.aligned.{}.{}{}.{} [%u], {}, {};\nret;}}",
          c_layout, shape, dotted, p.d_type, list('d', registers(p, 'd')), sd);
  Device device(text);
  const auto pa = device.input("a", a), pb = device.input("b", b), pc = device.input("c", c);
  const auto pd = device.array("d", Bytes(a.size(), 0xEE));
  ASSERT_TRUE(silent(device.launch({}, pa, pb, pc, pd)));
  auto d = device.read<std::uint8_t>(pd, a.size());
  const auto bytes = bytes_of(p.d_type);
  for (unsigned r = 0; r < p.m; ++r) {
    for (unsigned n = 0; n < p.n; ++n) {
      double sum = cm[r * p.n + n];
      for (unsigned k = 0; k < p.k; ++k) sum += am[r * p.k + k] * bm[k * p.n + n];
      const auto cell = at(c_layout, sd, r, n);
      EXPECT_EQ(get(d, cell, p.d_type), sum) << r << "," << n;
      std::fill_n(&d[cell * bytes], bytes, 0xEE);
    }
  }
  EXPECT_EQ(d, Bytes(a.size(), 0xEE)) << "something else was written, too";
}

TEST(Wmma, products_of_every_shape_type_and_layout) {
  std::vector<Product> products;
  for (const auto& [m, n] : {std::pair{16U, 16U}, {32U, 8U}, {8U, 32U}}) {
    for (const char* c : {"f16", "f32"}) {
      for (const char* d : {"f16", "f32"}) products.push_back({m, n, 16, "f16", c, d});
    }
    products.push_back({m, n, 16, "bf16", "f32", "f32"});
    products.push_back({m, n, 16, "s8", "s32", "s32"});
    products.push_back({m, n, 16, "u8", "s32", "s32"});
  }
  products.push_back({16, 16, 8, "tf32", "f32", "f32"});
  products.push_back({8, 8, 4, "f64", "f64", "f64"});
  for (const auto& p : products) {
    for (const char* a : {"row", "col"}) {
      for (const char* b : {"row", "col"}) {
        check(p, "global", a, b, "row");
        check(p, "", a, b, "col");
      }
    }
  }
}

/// wmma.load leaves open where an element goes; programs may see it. These are an H100's fragments.
TEST(Wmma, fragments_are_those_of_an_h100) {
  const auto fragment = [](const char* load, unsigned count, unsigned lane) {
    std::vector<std::uint16_t> m(32 * 32);
    for (unsigned k = 0; k < m.size(); ++k) m[k] = static_cast<std::uint16_t>(k);
    std::string text = fmt::format("ld.param.u64 %d0, [in]; wmma.load.{} {{", load);
    for (unsigned k = 0; k < count; ++k) text += fmt::format("{}%r{}", k == 0 ? "" : ", ", k);
    text += "}, [%d0], 32;\nld.param.u64 %d1, [out]; mov.u32 %r31, %tid.x;\n";
    text += fmt::format("mad.wide.u32 %d1, %r31, {}, %d1;\n", 4 * count);
    for (unsigned k = 0; k < count; ++k)
      text += fmt::format("st.global.u32 [%d1+{}], %r{};\n", 4 * k, k);
    Device device(kernel(".param .u64 in, .param .u64 out", text + "ret;"));
    const auto in = device.input("in", m);
    const auto out = device.output<std::uint16_t>("out", 64 * count);
    EXPECT_TRUE(silent(device.launch({}, in, out)));
    const auto all = device.read<std::uint16_t>(out, 64 * count);
    std::vector<std::pair<int, int>> places;  // of memory: line and position in it
    for (unsigned k = 0; k < 2 * count; ++k) {
      places.emplace_back(all[lane * 2 * count + k] / 32, all[lane * 2 * count + k] % 32);
    }
    return places;
  };
  using Places = std::vector<std::pair<int, int>>;
  Places twice = {{1, 0}, {1, 1}, {9, 0}, {9, 1}, {1, 8}, {1, 9}, {9, 8}, {9, 9}};
  twice.insert(twice.end(), twice.begin(), twice.begin() + 8);
  EXPECT_EQ(fragment("a.sync.aligned.row.m16n16k16.global.f16", 8, 4), twice);
  EXPECT_EQ(fragment("b.sync.aligned.col.m16n16k16.global.bf16", 4, 1),
            (Places{{0, 2}, {0, 3}, {0, 10}, {0, 11}, {8, 2}, {8, 3}, {8, 10}, {8, 11}}));
  EXPECT_EQ(fragment("b.sync.aligned.row.m8n32k16.global.bf16", 8, 4), (Places{{0, 1},
                                                                               {1, 1},
                                                                               {0, 9},
                                                                               {1, 9},
                                                                               {8, 1},
                                                                               {9, 1},
                                                                               {8, 9},
                                                                               {9, 9},
                                                                               {0, 17},
                                                                               {1, 17},
                                                                               {0, 25},
                                                                               {1, 25},
                                                                               {8, 17},
                                                                               {9, 17},
                                                                               {8, 25},
                                                                               {9, 25}}));
  EXPECT_EQ(fragment("c.sync.aligned.row.m8n32k16.global.f16", 4, 1),
            (Places{{2, 0}, {3, 0}, {2, 8}, {3, 8}, {2, 16}, {3, 16}, {2, 24}, {3, 24}}));
  EXPECT_EQ(fragment("c.sync.aligned.row.m32n8k16.global.f16", 4, 16),
            (Places{{4, 0}, {4, 1}, {12, 0}, {12, 1}, {20, 0}, {20, 1}, {28, 0}, {28, 1}}));
}

/// A tile of f16 in shared memory s, 16 x 16 with a stride of `stride`, stored by the warp and
/// read.
std::string tile(unsigned stride, const std::string& between, const std::string& read) {
  return fmt::format(
      "mov.u32 %r10, s; mov.u32 %r9, %tid.x; setp.lt.u32 %p0, %r9, 32;\n"
      "mov.u32 %r0, 1; @!%p0 bra AFTER;\n"
      "wmma.store.d.sync.aligned.row.m16n16k16.shared.f16 [%r10], {{%r0, %r0, %r0, "
      "%r0}}, {};\nAFTER: {}\n{}\nret;",
      stride, between, read);
}
LaunchReport run_tile(const std::string& body, unsigned threads, unsigned halves = 256) {
  Device device(kernel("", body, fmt::format(".shared .align 32 .b8 s[{}];\n", 2 * halves)));
  return device.launch({.block = {threads}, .races = true});
}

TEST(Wmma, a_store_out_of_bounds_is_found_and_a_fitting_one_is_silent) {
  EXPECT_TRUE(silent(run_tile(tile(16, "", ""), 32)));
  EXPECT_TRUE(silent(run_tile(tile(24, "", ""), 32, 15 * 24 + 16)));
  const auto beyond = run_tile(tile(24, "", ""), 32, 15 * 24 + 15);
  ASSERT_TRUE(only(beyond, FindingKind::out_of_bounds_write));
  EXPECT_EQ(beyond.findings[0].array, "s");
  EXPECT_TRUE(has(run_tile(tile(24, "", ""), 32), FindingKind::out_of_bounds_write));
}

TEST(Wmma, a_load_out_of_bounds_is_found_and_a_fitting_one_is_silent) {
  const auto run = [](unsigned elements, unsigned stride) {
    Device device(kernel(".param .u64 in", fmt::format("ld.param.u64 %d0, [in];\n"
                                                       "wmma.load.a.sync.aligned.row.m16n16k16.bf16"
                                                       " {{%r0, %r1, %r2, %r3}}, [%d0], {};\nret;",
                                                       stride)));
    const auto in = device.input("in", std::vector<std::uint16_t>(elements));
    return device.launch({}, in);
  };
  EXPECT_TRUE(silent(run(256, 16)));
  const auto beyond = run(255, 16);
  ASSERT_TRUE(only(beyond, FindingKind::out_of_bounds_read));
  EXPECT_EQ(beyond.findings[0].index, 254);
  EXPECT_EQ(beyond.findings[0].array, "in");
  EXPECT_TRUE(silent(run(15 * 40 + 16, 40)));
  EXPECT_TRUE(has(run(15 * 40 + 15, 40), FindingKind::out_of_bounds_read));
  EXPECT_TRUE(has(run(512, 17), FindingKind::misaligned));
}

TEST(Wmma, a_read_of_a_tile_without_a_barrier_is_a_race) {
  const std::string read =
      "xor.b32 %r2, %r9, 32; mad.lo.u32 %r2, %r2, 4, %r10;\n"
      "setp.ge.u32 %p1, %r9, 32; @%p1 ld.shared.u32 %r3, [%r2];";
  const auto without = run_tile(tile(16, "", read), 64),
             with = run_tile(tile(16, "bar.sync 0;", read), 64);
  EXPECT_TRUE(has(without, FindingKind::race_write_read)) << text(without);
  EXPECT_TRUE(silent(with));
}

TEST(Wmma, what_nobody_wrote_makes_its_row_of_the_product_undefined) {
  // Row 3 of A has an undefined element.
  for (const unsigned hole : {1000U, 3 * 16 + 7U}) {
    Device device(kernel(
        ".param .u64 a, .param .u64 out",
        fmt::format(
            "ld.param.u64 %d0, [a]; ld.param.u64 %d1, [out]; mov.u32 %r31, 0;\n"
            "mov.u32 %r9, %tid.x; mov.u32 %r10, s;\nmov.u32 %r20, %r9;\n"
            "LOOP: mul.lo.u32 %r21, %r20, 2; add.u32 %r22, %r21, %r10; mov.b16 %h0, 0x3C00;\n"
            "setp.eq.u32 %p0, %r20, {}; @!%p0 st.shared.b16 [%r22], %h0;\n"
            "add.u32 %r20, %r20, 32; setp.lt.u32 %p1, %r20, 256; @%p1 bra LOOP;\nbar.sync 0;\n"
            "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {{%r0, %r1, %r2, %r3, %r4, %r5, "
            "%r6, "
            "%r7}}, [%r10], 16;\n"
            "wmma.load.b.sync.aligned.row.m16n16k16.global.f16 {{%r11, %r12, %r13, %r14, %r15, "
            "%r16, %r17, %r18}}, [%d0], 16;\n"
            "wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16 {{%r24, %r25, %r26, %r27}}, {{%r0, "
            "%r1, %r2, %r3, %r4, %r5, %r6, %r7}}, {{%r11, %r12, %r13, %r14, %r15, %r16, %r17, "
            "%r18}}, {{%r31, %r31, %r31, %r31}};\n"
            "wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%d1], {{%r24, %r25, %r26, "
            "%r27}}, 16;\nret;",
            hole),
        ".shared .align 32 .b8 s[512];\n"));
    const auto a = device.input("a", std::vector<std::uint16_t>(256));
    const auto out = device.output<std::uint16_t>("out", 256);
    const auto report = device.launch({}, a, out);
    if (hole == 1000) {
      EXPECT_TRUE(silent(report));
      continue;
    }
    ASSERT_TRUE(only(report, FindingKind::poison_output));
    EXPECT_EQ(report.findings[0].index / 16, 3);
    EXPECT_EQ(report.findings[0].count, 2U);  // of the four registers that are stored
    EXPECT_NE(report.findings[0].detail.find("no thread wrote"), std::string::npos);
  }
}

const std::string product =
    "mov.f64 %y0, 1.0; mov.f64 %y1, 1.0; mov.f64 %y2, 0.0;\n"
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%y3, %y4}, {%y0}, {%y1}, {%y2, %y2};\n";

TEST(Mma, all_lanes_of_the_warp_take_part) {
  const auto run = [](const std::string& body, unsigned threads, const std::string& schedule) {
    Device device(kernel("", "mov.u32 %r9, %tid.x;\n" + body + "ret;"));
    return device.launch({.block = {threads}, .schedule = schedule});
  };
  for (const char* schedule : {"lockstep", "high_lane_first", "random:3"}) {
    EXPECT_TRUE(silent(run(product, 64, schedule)));
    // Lanes that come apart and meet again.
    EXPECT_TRUE(silent(
        run("setp.lt.u32 %p0, %r9, 7; @%p0 add.u32 %r1, %r9, 1;\n" + product, 32, schedule)));
    const auto small = run(product, 20, schedule);
    ASSERT_TRUE(only(small, FindingKind::named_lane_exited)) << schedule;
    EXPECT_NE(small.findings[0].detail.find("lane 20 does not exist"), std::string::npos);
    EXPECT_TRUE(only(run("setp.lt.u32 %p0, %r9, 7; @%p0 ret;\n" + product, 32, schedule),
                     FindingKind::named_lane_exited));
    const auto apart = run("setp.lt.u32 %p0, %r9, 7; @%p0 bra L;\n" + product +
                               "bar.warp.sync -1; ret;\nL: " + product + "bar.warp.sync -1;\n",
                           32, schedule);
    EXPECT_TRUE(has(apart, FindingKind::named_lane_absent)) << text(apart);
    EXPECT_FALSE(apart.completed);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_matrix
