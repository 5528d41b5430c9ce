// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses side by side, as the tiles of most kernels are, and the copies of such.
#include <fmt/format.h>

#include <iterator>

#include "tests/machine/races/access_writer.hpp"

namespace gauntlet::simt::test {

std::string AccessWriter::row_access() {
  static constexpr unsigned distances[] = {0, 0, 0, 0, 1, 4, 16, 31, 32, 33};
  const auto distance = whole() && draw(12) != 0 ? 32 * static_cast<unsigned>(draw(8) / 6 * draw(3))
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
      return of("v4.u32", "%d28", distance / 4 * 16, "{%r0, %r9, 7, %r5}", "{%r5, %r6, %r7, %r8}");
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

std::string AccessWriter::stencil_access() {
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

std::string AccessWriter::place(const char* to, unsigned size) {
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

std::string AccessWriter::copy() {
  const unsigned size = 4U << draw(3);
  std::string text =
      place("%r20", size) + "mov.u32 %r26, t; add.u32 %r20, %r20, %r26; " + place("%r24", size) +
      "cvt.u64.u32 %d20, %r24; " +
      fmt::format("ld.param.u64 %d21, [{}]; add.u64 %d20, %d20, %d21; ", draw(4) == 0 ? "in" : "b");
  std::string bytes;  // so many, of all or of some lanes
  if (draw(4) == 0) {
    text += draw(2) == 0 ? fmt::format("mov.u32 %r26, {}; ", draw(size + 1))
                         : fmt::format("and.b32 %r26, %r0, {}; ", draw(2) == 0 ? size : size - 1);
    bytes = ", %r26";
  }
  text += guard() + fmt::format("@%p0 cp.async.ca.shared.global [%r20+{}], [%d20], {}{};",
                                shape_.faults && draw(8) == 0 ? 2 : 0, size, bytes);
  if (draw(3) != 0) text += draw(3) == 0 ? "@%p0 cp.async.commit_group;" : "cp.async.commit_group;";
  return text;
}

std::string AccessWriter::wait(unsigned k) {
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

}  // namespace gauntlet::simt::test
