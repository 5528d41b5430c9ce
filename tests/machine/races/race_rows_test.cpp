// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses of neighbouring cells by a warp are kept and compared together (RaceDetector::Row). A
// launch that writes an event log looks at each lane's: what both find is the same, in the same
// order and as often. Random programs, mostly of such accesses, in loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::race_rows {
namespace {

struct Shape {
  std::uint64_t seed = 1;
  std::uint32_t threads = 64;
  bool exact = false;  ///< fences and barriers of some lanes: each thread is kept apart
  bool exits = false;
  bool global = false;       ///< memory, which both blocks access; else shared
  std::uint32_t beside = 0;  ///< elements from a block's to the next one's
  bool whole = false;        ///< mostly rows as wholes, as kernels have them that stream
  bool scattered = false;    ///< mostly elements of which neighbours are not those of lanes

  [[nodiscard]] const char* space() const { return global ? "global" : "shared"; }
};
constexpr std::uint32_t array_bytes = 4096;

class Writer {
 public:
  explicit Writer(const Shape& shape) : shape_(shape), random_(shape.seed) {}

  /// %r0: the thread, %d4: the array, %d0: where the thread's element of four bytes is, %d1: of
  /// eight, %d6: of sixteen, %d8: of two, %d5: of one, %d7: of four in rows of sixteen, %r9: the
  /// round.
  std::string run() {
    std::string body = shape_.global ? "ld.param.u64 %d4, [a];" : "mov.u64 %d4, s;";
    body += fmt::format(
        "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, {}, %r0; mov.u32 %r9, 0;"
        "mad.wide.u32 %d0, %r2, 4, %d4; mad.wide.u32 %d1, %r2, 8, %d4;"
        "mad.wide.u32 %d6, %r2, 16, %d4; mad.wide.u32 %d8, %r2, 2, %d4; cvt.u64.u32 %d2, %r2; "
        "add.u64 %d5, %d4, %d2;"
        "shr.u32 %r3, %r2, 4; mad.lo.u32 %r3, %r3, 4, %r2; mad.wide.u32 %d7, %r3, 4, %d4;\n",
        shape_.global ? shape_.beside : 0);
    const auto statements = 4 + draw(14);
    unsigned line = 1;
    for (unsigned k = 0; k < statements; ++k) {
      if (k == statements / 3) body += "LOOP:\n";
      body += fmt::format(".loc 1 {} 0\n{}\n", line++, statement());
    }
    body += "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra LOOP; ret;";
    return kernel(".param .u64 a", body,
                  fmt::format(".file 1 \"p.cu\"\n.shared .align 16 .b8 s[{}];", array_bytes));
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// %p0: the thread is one of some.
  std::string guard() {
    static constexpr std::uint64_t sets[] = {
        ~0ULL, ~0ULL, ~0ULL,  0xFFFF'FFFF, 0xFFFF,      0xFFFF'0000,          0x8000'0001,
        ~1ULL, 1,     1 << 5, 0x5555'5555, 0x7FFF'FFFE, 0xFFFF'FFFF'0000'0000};
    if (shape_.whole && draw(12) != 0) return "setp.eq.u32 %p0, %r0, %r0; ";
    const auto mask = draw(4) == 0 ? random_() : sets[draw(std::size(sets))];
    return fmt::format(
        "shr.u64 %d2, {}, %r0; cvt.u32.u64 %r4, %d2; and.b32 %r4, %r4, 1;"
        "setp.ne.u32 %p0, %r4, 0; ",
        mask);
  }
  std::string access() {
    static constexpr unsigned distances[] = {0, 0, 0, 0, 1, 4, 16, 31, 32, 33};
    const auto distance = shape_.whole && draw(12) != 0
                              ? 32 * static_cast<unsigned>(draw(8) / 6 * draw(3))
                              : distances[draw(std::size(distances))];
    const bool write = draw(2) == 0;
    const char* strong = draw(shape_.whole ? 12 : 3) == 0 ? ".volatile" : "";
    const char* read_only = shape_.global && *strong == '\0' && draw(12) == 0 ? ".nc" : "";
    const auto value = draw(3) == 0 ? "7" : draw(2) == 0 ? "%r0" : "%r5";
    const auto of = [&](const char* type, const char* address, unsigned offset, const char* from,
                        const char* to) {
      return guard() + (write ? fmt::format("@%p0 st{}.{}.{} [{}+{}], {};", strong, shape_.space(),
                                            type, address, offset, from)
                              : fmt::format("@%p0 ld{}.{}{}.{} {}, [{}+{}];", strong,
                                            shape_.space(), read_only, type, to, address, offset));
    };
    const auto which = shape_.whole ? draw(2) == 0 ? 7 : draw(7) : draw(17);
    switch (shape_.scattered && draw(6) != 0 ? 16 : which) {
      case 0:  // one cell for all
        return of("u32", "%d4", distance * 4, value, "%r5");
      case 1:
        return of("u64", "%d1", distance / 4 * 8, "%d2", "%d3");
      case 2:
        return draw(2) == 0 ? of("u8", "%d5", distance, "%r0", "%r5")
                            : guard() + fmt::format("@%p0 atom.{}.add.u32 %r5, [%d0+{}], 1;",
                                                    shape_.space(), distance * 4);
      case 3:
        return of("v4.u32", "%d6", distance / 4 * 16, "{%r0, %r9, 7, %r5}", "{%r5, %r6, %r7, %r8}");
      case 4:
        return draw(2) == 0 ? of("v2.u32", "%d1", distance / 4 * 8, "{%r0, %r5}", "{%r5, %r6}")
                            : of("v2.u64", "%d6", distance / 4 * 16, "{%d2, %d0}", "{%d3, %d2}");
      case 6: {  // elsewhere in each round
        static constexpr unsigned steps[] = {128, 128, 64, 4};
        return fmt::format("mad.wide.u32 %d9, %r9, {}, %d0; ", steps[draw(std::size(steps))]) +
               of("u32", "%d9", 0, value, "%r5");
      }
      case 12:
      case 13:  // four of a cell
        return draw(4) != 0 ? of("u8", "%d5", distance / 4 * 4, value, "%r5")
                            : of("v2.u8", "%d8", distance / 4 * 4, "{%r0, %r5}", "{%r5, %r6}");
      case 14:
        return of("u16", "%d8", distance / 2 * 4, value, "%r5");
      case 15:
        return of("v4.u8", "%d0", distance * 4, "{%r0, %r9, 7, %r5}", "{%r5, %r6, %r7, %r8}");
      case 16: {  // with words in between, or in the opposite direction
        static constexpr int steps[] = {2, 2, 3, -1};
        const int step = steps[draw(std::size(steps))];
        const auto at = [&](int size) {
          return fmt::format("mad.wide.s32 %d9, %r2, {}, %d4; ", size * step);
        };
        const unsigned from = step < 0 ? 1024 : distance * 2;
        switch (draw(6)) {
          case 0:
            return at(1) + of("u8", "%d9", from, value, "%r5");
          case 1:
            return draw(2) == 0 ? at(2) + of("u16", "%d9", from, value, "%r5")
                                : at(2) + of("v2.u8", "%d9", from, "{%r0, %r5}", "{%r5, %r6}");
          case 2:
            return at(draw(3) == 0 ? 8 : 4) + guard() +
                   fmt::format("@%p0 atom.{}.add.u32 %r5, [%d9+{}], 1;", shape_.space(), from * 2);
          default:
            break;
        }
        const auto address = at(4);
        if (step == 2 && draw(3) == 0) {
          return address + of("v2.u32", "%d9", distance / 4 * 8, "{%r0, %r5}", "{%r5, %r6}");
        }
        return address + of("u32", "%d9", step < 0 ? 2048 : distance * 4, value, "%r5");
      }
      case 5:
        return of("u32", "%d7", distance * 4, value, "%r5");
      default:
        return of("u32", "%d0", distance * 4, value, "%r5");
    }
  }
  std::string statement() {
    switch (draw(14)) {
      case 0:
      case 1:
        return "bar.sync 0;";
      case 2:
      case 3:
        return "bar.warp.sync 0xffffffff;";
      case 4:
        if (shape_.exact && draw(2) == 0) {
          return draw(2) == 0 ? "bar.warp.sync %r10;" : "membar.cta;";
        }
        break;
      case 5:
        if (shape_.exits && exits_++ == 0) return guard() + "@!%p0 exit;";
        break;
      default:
        break;
    }
    return access();
  }

  const Shape& shape_;
  std::mt19937_64 random_;
  unsigned exits_ = 0;
};

/// The mask of a barrier that only the machine sees to be of all lanes: the detector is exact.
std::string program(const Shape& shape) {
  auto text = Writer(shape).run();
  if (!shape.exact) return text;
  const auto at = text.find("mov.u32 %r9");
  return text.insert(at, "mov.u32 %r10, -1; bar.warp.sync %r10; ");
}

LaunchReport launched(const std::shared_ptr<const Module>& module, std::uint32_t threads,
                      const std::string& schedule, EventLog* log) {
  GlobalMemory memory;
  GlobalMemory::Options options;
  options.name = "a";
  options.bytes = array_bytes;
  const auto a = memory.allocate(options);
  memory.fill(a, std::byte{0}, array_bytes);
  ModuleState state(module, memory);
  auto config = two_blocks(threads, schedule, log);
  config.add(a);
  return launch(state, config);
}

/// What the machine says; fails where it says something else of each cell apart.
LaunchReport compared(const std::string& ptx, const std::shared_ptr<const Module>& module,
                      std::uint32_t threads, const std::string& schedule) {
  EventLog log;
  auto together = launched(module, threads, schedule, nullptr);
  const auto apart = launched(module, threads, schedule, &log);
  EXPECT_EQ(together.findings, apart.findings) << schedule << "\n"
                                               << ptx << "together:\n"
                                               << text(together) << "apart:\n"
                                               << text(apart);
  EXPECT_EQ(together.counters, apart.counters) << schedule << "\n" << ptx;
  return together;
}

void compare_random(bool global, bool whole = false, bool scattered = false) {
  std::size_t races = 0, silent = 0;
  for (std::uint64_t seed = 1; seed <= 400 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    static constexpr std::uint32_t threads[] = {32, 64, 33, 48};
    static constexpr std::uint32_t whole_warps[] = {128, 64, 96, 32};
    static constexpr std::uint32_t beside[] = {0, 0, 64, 16, 32, 1};
    const Shape shape{
        .seed = seed,
        .threads = whole ? whole_warps[seed % 4] : threads[seed % 4],
        .exact = seed % 3 == 0,
        .exits = seed % 7 == 0,
        .global = global,
        .beside = whole ? 64 * static_cast<std::uint32_t>(seed / 3 % 3) : beside[seed / 3 % 6],
        .whole = whole,
        .scattered = scattered};
    const auto ptx = program(shape);
    const auto module = load_module(ptx, "p.ptx");
    for (const auto* schedule : {"lockstep", "warp_reversed", "low_lane_first", "high_lane_first",
                                 "block_reversed", "random:1", "random:2"}) {
      const auto report = compared(ptx, module, shape.threads, schedule);
      races += report.findings.size();
      silent += report.findings.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(races, 5000U);
  EXPECT_GT(silent, 20U);
}

TEST(RacesOfRows, are_those_of_their_cells_in_shared_memory) { compare_random(false); }
TEST(RacesOfRows, are_those_of_their_cells_in_global_memory) { compare_random(true); }
TEST(RacesOfRows, are_those_of_their_cells_where_rows_are_accessed_as_wholes) {
  compare_random(true, true);
}
TEST(RacesOfRows, are_those_of_their_cells_where_lanes_access_elements_here_and_there) {
  compare_random(true, false, true);
}

}  // namespace
}  // namespace gauntlet::simt::test::race_rows
