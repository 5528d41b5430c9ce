// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Accesses of neighbouring cells by a warp are kept and compared together (RaceDetector::Row). A
// launch that writes an event log looks at each lane's: what both find is the same, in the same
// order and as often. Random programs, mostly of such accesses, in loops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/simt/machine/machine_device.hpp"
#include "tests/simt/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::race_rows {
namespace {

struct Shape {
  std::uint64_t seed = 1;
  std::uint32_t threads = 64;
  bool exact = false;  ///< fences and barriers of some lanes: each thread is kept apart
  bool exits = false;
};

class Writer {
 public:
  explicit Writer(const Shape& shape) : shape_(shape), random_(shape.seed) {}

  /// %r0: the thread, %d0: where its element of four bytes is, %d1: of eight, %r9: the round.
  std::string run() {
    std::string body =
        "mov.u32 %r0, %tid.x; mov.u32 %r9, 0; mov.u64 %d0, s; mad.wide.u32 %d1, %r0, 8, %d0;"
        "mov.u64 %d4, s; cvt.u64.u32 %d2, %r0; add.u64 %d5, %d4, %d2;"
        "mad.wide.u32 %d0, %r0, 4, %d0;\n";
    const auto statements = 4 + draw(14);
    unsigned line = 1;
    for (unsigned k = 0; k < statements; ++k) {
      if (k == statements / 3) body += "LOOP:\n";
      body += fmt::format(".loc 1 {} 0\n{}\n", line++, statement());
    }
    body += "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra LOOP; ret;";
    return kernel("", body, ".file 1 \"p.cu\"\n.shared .align 16 .b8 s[1024];");
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }

  /// %p0: the thread is one of some.
  std::string guard() {
    static constexpr std::uint64_t sets[] = {
        ~0ULL, ~0ULL, ~0ULL,  0xFFFF'FFFF, 0xFFFF,      0xFFFF'0000,          0x8000'0001,
        ~1ULL, 1,     1 << 5, 0x5555'5555, 0x7FFF'FFFE, 0xFFFF'FFFF'0000'0000};
    const auto mask = draw(4) == 0 ? random_() : sets[draw(std::size(sets))];
    return fmt::format(
        "shr.u64 %d2, {}, %r0; cvt.u32.u64 %r4, %d2; and.b32 %r4, %r4, 1;"
        "setp.ne.u32 %p0, %r4, 0; ",
        mask);
  }
  std::string access() {
    static constexpr unsigned distances[] = {0, 0, 0, 0, 1, 4, 16, 31, 32, 33};
    const auto distance = distances[draw(std::size(distances))];
    const bool write = draw(2) == 0;
    const char* strong = draw(3) == 0 ? ".volatile" : "";
    const auto value = draw(3) == 0 ? "7" : draw(2) == 0 ? "%r0" : "%r5";
    const auto of = [&](const char* type, const char* address, unsigned offset, const char* from,
                        const char* to) {
      return guard() + (write ? fmt::format("@%p0 st{}.shared.{} [{}+{}], {};", strong, type,
                                            address, offset, from)
                              : fmt::format("@%p0 ld{}.shared.{} {}, [{}+{}];", strong, type, to,
                                            address, offset));
    };
    switch (draw(8)) {
      case 0:  // one cell for all
        return of("u32", "%d4", distance * 4, value, "%r5");
      case 1:
        return of("u64", "%d1", distance / 4 * 8, "%d2", "%d3");
      case 2:
        return draw(2) == 0 ? of("u8", "%d5", distance, "%r0", "%r5")
                            : guard() + fmt::format("@%p0 atom.shared.add.u32 %r5, [%d0+{}], 1;",
                                                    distance * 4);
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

LaunchReport launched(const std::shared_ptr<const Module>& module, const Shape& shape,
                      const std::string& schedule, EventLog* log) {
  GlobalMemory memory;
  ModuleState state(module, memory);
  return launch(state, two_blocks(shape.threads, schedule, log));
}

TEST(RacesOfRows, are_those_of_their_cells) {
  std::size_t races = 0, silent = 0;
  for (std::uint64_t seed = 1; seed <= 400 && !::testing::Test::HasFailure(); ++seed) {
    static constexpr std::uint32_t threads[] = {32, 64, 33, 48};
    const Shape shape{seed, threads[seed % 4], seed % 3 == 0, seed % 7 == 0};
    const auto ptx = program(shape);
    const auto module = load_module(ptx, "p.ptx");
    for (const auto* schedule : {"lockstep", "warp_reversed", "low_lane_first", "high_lane_first",
                                 "random:1", "random:2"}) {
      EventLog log;
      const auto together = launched(module, shape, schedule, nullptr);
      const auto apart = launched(module, shape, schedule, &log);
      EXPECT_EQ(together.findings, apart.findings) << "seed " << seed << ", " << schedule << "\n"
                                                   << ptx << "together:\n"
                                                   << text(together) << "apart:\n"
                                                   << text(apart);
      EXPECT_EQ(together.counters, apart.counters) << "seed " << seed << ", " << schedule;
      races += together.findings.size();
      silent += together.findings.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(races, 5000U);
  EXPECT_GT(silent, 20U);
}

}  // namespace
}  // namespace gauntlet::simt::test::race_rows
