// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/races/access_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/access_writer.hpp"

namespace gauntlet::simt::test {

std::string AccessWriter::run() {
  std::string body = fmt::format(
      ".local .align 16 .b8 l[16];\n"
      "ld.param.u64 %d0, [a]; ld.param.u64 %d3, [in]; ld.param.u64 %d5, [out];"
      "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r9, 0; mov.u64 %d1, s;"
      "mov.u64 %d6, l; cvta.shared.u64 %d2, %d1; cvta.local.u64 %d4, %d6;"
      "st.local.u64 [%d6], %d5; st.local.u64 [%d6+8], %d5;"
      "mad.lo.u32 %r2, %r1, {}, %r0; mad.wide.u32 %d5, %r2, 8, %d5;"
      "mad.wide.u32 %d7, %r0, 4, %d1;\n",
      shape_.threads);
  if (rows()) {
    body += shape_.global ? "ld.param.u64 %d25, [b];" : "mov.u64 %d25, t;";
    body += fmt::format(
        "mad.lo.u32 %r21, %r1, {0}, %r0; mad.wide.u32 %d26, %r21, 4, %d25;"
        "mad.wide.u32 %d27, %r21, 8, %d25; mad.wide.u32 %d28, %r21, 16, %d25;"
        "mad.wide.u32 %d29, %r21, 2, %d25; cvt.u64.u32 %d8, %r21; add.u64 %d30, %d25, %d8;"
        "shr.u32 %r22, %r21, 4; mad.lo.u32 %r22, %r22, 4, %r21;"
        "mad.wide.u32 %d31, %r22, 4, %d25;"
        "shr.u32 %r22, %r0, 4; and.b32 %r23, %r0, 15; mad.lo.u32 %r22, %r22, {1}, %r23;"
        "mad.lo.u32 %r22, %r1, {0}, %r22; mad.wide.u32 %d19, %r22, 4, %d25;"
        "add.u64 %d19, %d19, 512;\n",
        shape_.global ? shape_.beside : 0, pitch_);
  }
  if (shape_.copies) {
    body += fmt::format(
        "mov.u32 %r25, 0; setp.eq.u32 %p4, %r0, 0; @%p4 mbarrier.init.shared.b64 [bar], {};\n",
        shape_.threads);
  }
  // The mask is one that only the machine sees to be of all lanes.
  if (shape_.exact && draw(2) == 0) body += "mov.u32 %r10, -1; bar.warp.sync %r10;\n";
  if (draw(2) == 0) {  // all registers that may be loaded to are written first
    for (unsigned k = 11; k < 19; ++k) {
      body += fmt::format("mov.u64 %d{0}, 0; mov.u32 %r{0}, 0; mov.u16 %h{0}, 0;", k);
    }
  }
  for (auto n = draw(5); n > 0; --n) body += head(n);
  body += "HEAD: st.shared.u32 [%d7], %r0; bar.sync 0;\n";
  const auto statements = rows() ? 4 + draw(14) : 1 + draw(draw(2) == 0 ? 5 : 13);
  for (unsigned k = 0; k < statements; ++k) {
    if (k == statements / 3) body += "LOOP:\n";
    body += fmt::format(".loc 1 {} 0\n{}\n", k + 1, statement(k));
  }
  body += "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra LOOP; ret;";
  return kernel(".param .u64 a, .param .u64 in, .param .u64 b, .param .u64 out", body,
                fmt::format(".file 1 \"p.cu\"\n.shared .align 16 .b8 s[{}];"
                            ".shared .align 16 .b8 t[{}];.shared .align 8 .b64 bar;",
                            std::max(AccessShape::array_bytes + 64, 4 * shape_.threads),
                            AccessShape::row_bytes));
}

std::string AccessWriter::head(std::uint64_t n) {
  const bool input = draw(2) == 0;
  const unsigned size = 4U << draw(2);
  std::string text;
  switch (shape_.faults ? draw(8) : draw(6)) {
    case 0:
      text = "shr.u32 %r20, %r0, 1;";
      break;
    case 1:
      text = "mul.lo.u32 %r20, %r0, %r0; and.b32 %r20, %r20, 15;";
      break;
    case 6:  // wraps in the middle of a block
      text = fmt::format("sub.u32 %r20, %r0, {};", draw(shape_.threads));
      break;
    case 7:
      text = fmt::format("mad.lo.u32 %r20, %r0, {}, {};", draw(3), draw(40));
      break;
    default:
      text = input && draw(3) == 0 ? fmt::format("mad.lo.u32 %r20, %r0, {}, {};", draw(3), draw(40))
             : input || draw(2) == 0
                 ? "mov.u32 %r20, %r0;"
                 : fmt::format("mad.lo.u32 %r20, %r1, {}, %r0;", shape_.threads);
  }
  if (draw(3) == 0) {  // some threads go elsewhere, or all, or none
    static constexpr const char* relations[] = {"ge.s32", "lt.u32", "eq.u32", "gt.u32", "hs.u32"};
    text += fmt::format("setp.{} %p3, %r20, {}; @{}%p3 bra HEAD;\n", pick(relations),
                        draw(3 * shape_.threads), draw(4) == 0 ? "!" : "");
  }
  static constexpr const char* wide[] = {"mul.wide.u32 %d20, %r20, {};",
                                         "mul.wide.s32 %d20, %r20, {};",
                                         "cvt.u64.u32 %d20, %r20; mul.lo.u64 %d20, %d20, {};",
                                         "cvt.s64.s32 %d21, %r20; mul.lo.s64 %d20, %d21, {};"};
  text += fmt::format(fmt::runtime(pick(wide)), size);
  text += fmt::format("ld.param.u64 %d22, [{}]; add.u64 %d22, %d22, %d20; mov.u64 %d23, %d20;",
                      input ? "in" : "out");
  const auto what = draw(4);
  if (what == 0 && !input) return text + fmt::format("st.global.u{} [%d22], %d5;\n", size * 8);
  text += fmt::format("ld.global.u{} %d24, [%d22];", size * 8);
  if (what == 1) text += "and.b64 %d23, %d23, %d24;";  // not left out any more
  if (what == 2) text += "mov.u64 %d24, %d22;";        // an address that shows
  return text + fmt::format("xor.b64 %d24, %d24, %d23; st.global.u64 [%d5+{}], %d24;\n",
                            place_of(most_statements + n - 1));
}

std::string AccessWriter::guard() {
  static constexpr std::uint64_t sets[] = {
      ~0ULL,       ~0ULL, ~0ULL, 0xFFFF'FFFF, 0xFFFF,      0xFFFF'0000,          0x8000'0001,
      0x7FFF'FFFE, ~1ULL, 1,     1 << 5,      0x5555'5555, 0xFFFF'FFFF'0000'0000};
  if (whole() && draw(12) != 0) return "setp.eq.u32 %p0, %r0, %r0; ";
  const auto mask = draw(4) == 0 ? random_() : sets[draw(std::size(sets))];
  return fmt::format(
      "shr.u64 %d8, {}, %r0; cvt.u32.u64 %r4, %d8; and.b32 %r4, %r4, 1;"
      "setp.ne.u32 %p0, %r4, 0; ",
      mask);
}

std::string AccessWriter::element(std::uint64_t elements) {
  const auto k = draw(elements);
  const auto within = [&](const char* first) {
    return fmt::format("{} add.u32 %r5, %r5, {}; rem.u32 %r5, %r5, {}; ", first, k, elements);
  };
  switch (draw(8)) {
    case 0:
      return within("mov.u32 %r5, %r0;");
    case 1:
      return fmt::format("add.u32 %r5, %r0, {}; ", draw(4));  // some lanes may be outside
    case 2:
      return within("shl.b32 %r5, %r0, 1;");
    case 3:
      return within("sub.u32 %r5, 63, %r0;");
    case 4:  // one half of the warp at one address, the other at another
      return within("shr.u32 %r5, %r0, 4; mul.lo.u32 %r5, %r5, 3;");
    case 5:
      if (shape_.faults) return "shl.b32 %r5, %r0, 14; ";
      [[fallthrough]];
    default:  // one for all
      return fmt::format("mov.u32 %r5, {}; ", k);
  }
}

std::string AccessWriter::access(unsigned k) {
  struct Place {
    const char *space, *base;
    std::uint64_t bytes;
  };
  static constexpr Place places[] = {{".global", "%d0", 64},
                                     {".global", "%d0", 8},
                                     {"", "%d0", 16},
                                     {".shared", "%d1", 64},
                                     {".shared", "%d1", 8},
                                     {"", "%d2", 16},
                                     {".global", "%d3", 64},
                                     {"", "%d3", AccessShape::array_bytes},
                                     {"", "%d4", 16},
                                     {"", "%d0", AccessShape::defined_bytes},
                                     {".shared", "%d1", AccessShape::array_bytes},
                                     {".global", "%d0", AccessShape::array_bytes}};
  const Place& place = places[draw(std::size(places))];
  const bool input = std::string_view(place.base) == "%d3";
  const bool local = std::string_view(place.base) == "%d4";
  const bool write = draw(3) == 0 && !input;
  const auto size = 1U << draw(4);
  const auto vector = draw(4) == 0 ? 2U << draw(size == 8 ? 1 : 2) : 1;
  const auto width = size * vector;
  const auto bytes = shape_.faults && draw(6) == 0 ? AccessShape::array_bytes + 80 : place.bytes;
  std::string text = guard() + element(std::max<std::uint64_t>(bytes / width, 1)) +
                     fmt::format("mad.wide.u32 %d9, %r5, {}, {}; ", width, place.base);
  const auto offset = shape_.faults && draw(8) == 0 ? 1 : 0;
  std::string strength;
  if (!local && !shape_.weak) {
    static constexpr const char* kinds[] = {"", "", ".volatile", ".relaxed.gpu", ".relaxed.cta"};
    static constexpr const char* acquires[] = {".acquire.gpu", ".acquire.cta", ".relaxed.sys"};
    static constexpr const char* releases[] = {".release.gpu", ".release.cta", ".relaxed.sys"};
    strength =
        shape_.strong && draw(3) == 0 ? write ? pick(releases) : pick(acquires) : pick(kinds);
  }
  const auto many = vector > 1 ? fmt::format(".v{}", vector) : "";
  if (write) {
    const char* from = size == 8 ? "%d10" : size == 4 ? "%r6" : "%h6";
    const auto value = draw(3) == 0 ? "7" : "%r0";
    std::string values = from;
    for (unsigned i = 1; i < vector; ++i) values += fmt::format(", {}", from);
    return text + fmt::format(
                      "mov.u32 %r6, {}; cvt.u16.u32 %h6, %r6; cvt.u64.u32 %d10, %r6;"
                      "@%p0 st{}{}{}.b{} [%d9+{}], {{{}}};",
                      value, strength, place.space, many, 8 * size, offset, values);
  }
  const bool global = std::string_view(place.space) == ".global";
  const char* read_only = global && strength.empty() && draw(4) == 0 ? ".nc" : "";
  // Into a register as wide or wider.
  static constexpr const char* registers[] = {"h", "r", "d"};
  const auto narrowest = size <= 2 ? 0U : size == 4 ? 1U : 2U;
  const auto which = narrowest + draw(3 - narrowest);
  const char* reg = registers[which];
  const char sign = draw(2) == 0 ? 's' : 'u';
  std::string values = fmt::format("%{}11", reg);
  for (unsigned i = 1; i < vector; ++i) values += fmt::format(", %{}{}", reg, 11 + i);
  text += fmt::format(
      "mov.u64 %d11, 0; mov.u32 %r11, 0; mov.u16 %h11, 0;"
      "@%p0 ld{}{}{}{}.{}{} {{{}}}, [%d9+{}]; ",
      strength, place.space, read_only, many, sign, 8 * size, values, offset);
  // What came is kept, in a place of the thread's own, beside its neighbours'.
  const auto last = 11 + vector - 1;
  text += which == 2   ? fmt::format("mov.u64 %d12, %d{};", last)
          : which == 1 ? fmt::format("cvt.u64.u32 %d12, %r{};", last)
                       : fmt::format("cvt.u64.u16 %d12, %h{};", last);
  return text + fmt::format("@%p0 st.global.u64 [%d5+{}], %d12;", place_of(k));
}

std::string AccessWriter::statement(unsigned k) {
  if (shape_.copies && draw(2) == 0) return draw(3) == 0 ? wait(k) : copy();
  switch (draw(16)) {
    case 0:
      return "bar.sync 0;";
    case 1:
      return "bar.warp.sync 0xffffffff;";
    case 2:
      if (shape_.waits && draw(2) == 0) {
        return draw(3) == 0 ? "griddepcontrol.launch_dependents;"
                            : guard() + "@%p0 griddepcontrol.wait;";
      }
      if (!shape_.exact) break;
      if (draw(3) == 0) return "mov.u32 %r10, -1; bar.warp.sync %r10;";
      return draw(2) == 0 ? "membar.gl;" : guard() + "@%p0 membar.cta;";
    case 3:
      if (shape_.exits && exits_++ == 0) return guard() + "@!%p0 exit;";
      break;
    case 4:
      if (shape_.weak) break;
      return guard() + "@%p0 atom.global.add.u32 %r7, [%d0+4], 1;";
    default:
      break;
  }
  if (shape_.rows == AccessShape::Rows::stencil && draw(8) != 0) return stencil_access();
  return rows() && draw(8) != 0 ? row_access() : access(k);
}

std::uint64_t AccessShape::out_bytes(std::uint32_t blocks) const {
  return std::uint64_t{blocks} * threads * 8 *
         (AccessWriter::most_statements + AccessWriter::most_heads);
}

std::string access_program(const AccessShape& shape, std::uint32_t blocks) {
  return AccessWriter(shape, blocks).run();
}

}  // namespace gauntlet::simt::test
