// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/races/access_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string_view>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test {
namespace {

class AccessWriter {
 public:
  AccessWriter(const AccessShape& shape, std::uint32_t blocks)
      : shape_(shape), blocks_(blocks), random_(shape.seed) {}

  /// %r0: the thread, %d0: array a, %d1: s, %d2: the generic address of s, %d3: array in, %d4: the
  /// generic address of l, %d5: the thread's own place in out, %r9: the round. Of rows %d25: where
  /// they are, %d26: the thread's element of four bytes, %d27: of eight, %d28: of sixteen, %d29: of
  /// two, %d30: of one, %d31: of four in rows of sixteen, %r21: its number; %d19: of four in the
  /// middle of others, in rows of sixteen threads, %r23: its number in the row.
  std::string run() {
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
  static constexpr unsigned most_statements = 18, most_heads = 4;

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  template <std::size_t N>
  const char* pick(const char* const (&words)[N]) {
    return words[draw(N)];
  }

  [[nodiscard]] bool rows() const { return shape_.rows != AccessShape::Rows::none; }
  [[nodiscard]] bool whole() const { return shape_.rows == AccessShape::Rows::whole; }
  /// Where what a statement has loaded goes, of `out`.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t statement) const {
    return statement * blocks_ * shape_.threads * 8;
  }

  /// An access behind straight code, at an address that grows evenly with the thread, so that one
  /// warp knows it for the others (prologue_runs.hpp), or nearly so.
  std::string head(std::uint64_t n) {
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
        text =
            input && draw(3) == 0 ? fmt::format("mad.lo.u32 %r20, %r0, {}, {};", draw(3), draw(40))
            : input || draw(2) == 0 ? "mov.u32 %r20, %r0;"
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

  /// %p0: the thread is one of some.
  std::string guard() {
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

  /// %r5: the element that the thread accesses, of some beside one another.
  std::string element(std::uint64_t elements) {
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

  std::string access(unsigned k) {
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

  /// Of elements of the thread's own, or of a neighbour.
  std::string row_access() {
    static constexpr unsigned distances[] = {0, 0, 0, 0, 1, 4, 16, 31, 32, 33};
    const auto distance = whole() && draw(12) != 0
                              ? 32 * static_cast<unsigned>(draw(8) / 6 * draw(3))
                              : distances[draw(std::size(distances))];
    const char* const space = shape_.global ? "global" : "shared";
    const bool write = draw(2) == 0;
    const char* strong = !shape_.weak && draw(whole() ? 12 : 3) == 0 ? ".volatile" : "";
    const char* read_only = shape_.global && *strong == '\0' && draw(12) == 0 ? ".nc" : "";
    const auto value = draw(3) == 0 ? "7" : draw(2) == 0 ? "%r0" : "%r5";
    const auto of = [&](const char* type, const char* address, unsigned offset, const char* from,
                        const char* to) {
      return guard() + (write ? fmt::format("@%p0 st{}.{}.{} [{}+{}], {};", strong, space, type,
                                            address, offset, from)
                              : fmt::format("@%p0 ld{}.{}{}.{} {}, [{}+{}];", strong, space,
                                            read_only, type, to, address, offset));
    };
    const auto atomic = [&](const char* address, unsigned offset) {
      return guard() + fmt::format("@%p0 atom.{}.add.u32 %r5, [{}+{}], 1;", space, address, offset);
    };
    const auto which = whole() ? draw(2) == 0 ? 7 : draw(7) : draw(17);
    switch (shape_.rows == AccessShape::Rows::scattered && draw(6) != 0 ? 16 : which) {
      case 0:  // one cell for all
        return of("u32", "%d25", distance * 4, value, "%r5");
      case 1:
        return of("u64", "%d27", distance / 4 * 8, "%d8", "%d10");
      case 2:
        return shape_.weak || draw(2) == 0 ? of("u8", "%d30", distance, "%r0", "%r5")
                                           : atomic("%d26", distance * 4);
      case 3:
        return of("v4.u32", "%d28", distance / 4 * 16, "{%r0, %r9, 7, %r5}",
                  "{%r5, %r6, %r7, %r8}");
      case 4:
        return draw(2) == 0 ? of("v2.u32", "%d27", distance / 4 * 8, "{%r0, %r5}", "{%r5, %r6}")
                            : of("v2.u64", "%d28", distance / 4 * 16, "{%d8, %d26}", "{%d10, %d8}");
      case 6: {  // elsewhere in each round
        static constexpr unsigned steps[] = {128, 128, 64, 4};
        return fmt::format("mad.wide.u32 %d9, %r9, {}, %d26; ", steps[draw(std::size(steps))]) +
               of("u32", "%d9", 0, value, "%r5");
      }
      case 12:
      case 13:  // four of a cell
        return draw(4) != 0 ? of("u8", "%d30", distance / 4 * 4, value, "%r5")
                            : of("v2.u8", "%d29", distance / 4 * 4, "{%r0, %r5}", "{%r5, %r6}");
      case 14:
        return of("u16", "%d29", distance / 2 * 4, value, "%r5");
      case 15:
        return of("v4.u8", "%d26", distance * 4, "{%r0, %r9, 7, %r5}", "{%r5, %r6, %r7, %r8}");
      case 16: {  // with words in between, or in the opposite direction
        static constexpr int steps[] = {2, 2, 3, -1};
        const int step = steps[draw(std::size(steps))];
        const auto at = [&](int size) {
          return fmt::format("mad.wide.s32 %d9, %r21, {}, %d25; ", size * step);
        };
        const unsigned from = step < 0 ? 1024 : distance * 2;
        switch (draw(6)) {
          case 0:
            return at(1) + of("u8", "%d9", from, value, "%r5");
          case 1:
            return draw(2) == 0 ? at(2) + of("u16", "%d9", from, value, "%r5")
                                : at(2) + of("v2.u8", "%d9", from, "{%r0, %r5}", "{%r5, %r6}");
          case 2:
            if (shape_.weak) break;
            return at(draw(3) == 0 ? 8 : 4) + atomic("%d9", from * 2);
          default:
            break;
        }
        if (step == 2 && draw(3) == 0) {
          return at(4) + of("v2.u32", "%d9", distance / 4 * 8, "{%r0, %r5}", "{%r5, %r6}");
        }
        return at(4) + of("u32", "%d9", step < 0 ? 2048 : distance * 4, value, "%r5");
      }
      case 5:
        return of("u32", "%d31", distance * 4, value, "%r5");
      default:
        return of("u32", "%d26", distance * 4, value, "%r5");
    }
  }

  /// Of words around the thread's own, as a stencil, a window or a product of matrices reads them;
  /// now and then one is written.
  std::string stencil_access() {
    const auto along = static_cast<int>(draw(5)) - 2;
    const int offset = 4 * (along + static_cast<int>(pitch_) * (static_cast<int>(draw(5)) - 2));
    const char* const space = shape_.global ? "global" : "shared";
    std::string text = guard();
    if (draw(5) == 0) {
      const char* const what = shape_.weak || draw(4) != 0 ? "@%p0 st.{}.u32 [%d19+{}], %r0;"
                                                           : "@%p0 red.{}.add.u32 [%d19+{}], 1;";
      return text + fmt::format(fmt::runtime(what), space, offset);
    }
    // At the edge all those outside read what is inside; one for the row; elsewhere in each round.
    static constexpr const char* places[] = {
        "add.s32 %r24, %r23, {}; max.s32 %r24, %r24, 0; min.s32 %r24, %r24, 15;"
        "sub.s32 %r24, %r24, %r23; mad.wide.s32 %d9, %r24, 4, %d19; ",
        "mad.wide.s32 %d9, %r23, -4, %d19; ", "mad.wide.u32 %d9, %r9, 4, %d19; ",
        "mov.u64 %d9, %d19; ", "mov.u64 %d9, %d19; "};
    text += fmt::format(fmt::runtime(pick(places)), along);
    const bool strong = !shape_.weak && draw(8) == 0, read_only = shape_.global && draw(8) == 0;
    for (auto n = draw(6); n-- > 0;) {
      text += fmt::format("@%p0 ld{}.{}{}.u32 %r5, [%d9+{}]; ", strong ? ".volatile" : "", space,
                          read_only && !strong ? ".nc" : "", offset + 4 * static_cast<int>(n));
    }
    return text;
  }

  /// The place of the thread's element, among some side by side or with gaps: which one, in bytes.
  std::string place(const char* to, unsigned size) {
    static constexpr unsigned distances[] = {0, 0, 0, 1, 2, 16, 31, 32};
    std::string text;
    switch (draw(8)) {
      case 0:
        text = fmt::format("mul.lo.u32 {0}, %r0, 3; and.b32 {0}, {0}, 127; ", to);
        break;
      case 1:  // one for four lanes, or for all
        text = fmt::format("shr.u32 {}, %r0, {}; ", to, draw(2) == 0 ? 2 : 7);
        break;
      case 2:
      case 3:  // two runs
        text = fmt::format("shr.u32 {0}, %r0, 4; mad.lo.u32 {0}, {0}, {1}, %r0; ", to, 1 + draw(4));
        break;
      default:
        text = fmt::format("add.u32 {}, %r0, {}; ", to, distances[draw(std::size(distances))]);
    }
    if (draw(3) == 0) {  // elsewhere in each round
      text += fmt::format("mad.lo.u32 {0}, %r9, {1}, {0}; ", to, 1U << draw(5));
    }
    return text + fmt::format("mul.lo.u32 {0}, {0}, {1}; ", to, size);
  }

  std::string copy() {
    const unsigned size = 4U << draw(3);
    std::string text = place("%r20", size) + "mov.u32 %r26, t; add.u32 %r20, %r20, %r26; " +
                       place("%r24", size) + "cvt.u64.u32 %d20, %r24; " +
                       fmt::format("ld.param.u64 %d21, [{}]; add.u64 %d20, %d20, %d21; ",
                                   draw(4) == 0 ? "in" : "b");
    std::string bytes;  // so many, of all or of some lanes
    if (draw(4) == 0) {
      text += draw(2) == 0 ? fmt::format("mov.u32 %r26, {}; ", draw(size + 1))
                           : fmt::format("and.b32 %r26, %r0, {}; ", draw(2) == 0 ? size : size - 1);
      bytes = ", %r26";
    }
    text += guard() + fmt::format("@%p0 cp.async.ca.shared.global [%r20+{}], [%d20], {}{};",
                                  shape_.faults && draw(8) == 0 ? 2 : 0, size, bytes);
    if (draw(3) != 0)
      text += draw(3) == 0 ? "@%p0 cp.async.commit_group;" : "cp.async.commit_group;";
    return text;
  }

  /// For copies, by all or by some; or all threads arrive at an mbarrier that tracks them, and
  /// wait.
  std::string wait(unsigned k) {
    if (draw(3) == 0 && !shape_.exits) {
      return fmt::format(
          "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];{}\n"
          "W{}: mbarrier.try_wait.parity.shared.b64 %p4, [bar], %r25; @!%p4 bra W{};\n"
          "xor.b32 %r25, %r25, 1;",
          draw(2) == 0 ? row_access() : "", k, k);
    }
    const std::string some = draw(3) == 0 ? guard() + "@%p0 " : "";
    return some +
           (draw(4) == 0 ? "cp.async.wait_all;" : fmt::format("cp.async.wait_group {};", draw(3)));
  }

  std::string statement(unsigned k) {
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

  const AccessShape& shape_;
  const std::uint32_t blocks_;
  std::mt19937_64 random_;
  /// Words from a row of sixteen threads to the next one.
  const std::uint64_t pitch_ = shape_.rows == AccessShape::Rows::stencil ? 16 + draw(4) * 8 : 16;
  unsigned exits_ = 0;
};

}  // namespace

std::uint64_t AccessShape::out_bytes(std::uint32_t blocks) const {
  return std::uint64_t{blocks} * threads * 8 *
         (AccessWriter::most_statements + AccessWriter::most_heads);
}

std::string access_program(const AccessShape& shape, std::uint32_t blocks) {
  return AccessWriter(shape, blocks).run();
}

}  // namespace gauntlet::simt::test
