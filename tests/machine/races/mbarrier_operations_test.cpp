// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrivals and waits of a warp are one step of the machine and of the race detector where they
// concern one mbarrier, and come to the cells of its word when somebody asks (race_mbarriers.cpp).
// A launch that writes a log looks at each of them by itself: all that is found is the same, and
// what the brute-force checker says of races.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::mbarrier_operations {
namespace {

using K = FindingKind;

struct Shape {
  std::uint64_t seed = 1;
  std::uint32_t threads = 64;
  bool fences = false;  ///< what strong reads bring waits for those
  bool copies = false;  ///< asynchronous ones, that mbarriers count
  bool faults = false;  ///< arrivals that are too many or none, other accesses to the words
  bool exits = false;
  bool silent = false;  ///< each thread accesses what is its own, and no arrival is too many
};

/// Random programs that terminate: nobody waits in a loop. %r0: the thread, %d1: its place in
/// `out`, %d3: the token of its latest arrival, %r9: the round.
class Writer {
 public:
  explicit Writer(const Shape& shape) : shape_(shape), random_(shape.seed) {}

  std::string run() {
    std::string body = fmt::format(
        "ld.param.u64 %d0, [a]; ld.param.u64 %d1, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, bars;"
        "mov.u32 %r2, s; mad.lo.u32 %r3, %r0, 4, %r2; mov.u32 %r10, %ctaid.x;"
        "mad.lo.u32 %r10, %r10, {}, %r0; mad.wide.u32 %d1, %r10, 4, %d1;"
        "cvt.u64.u32 %d5, %r1; cvta.shared.u64 %d5, %d5; mov.u64 %d3, 0; mov.u32 %r9, 0;"
        "mov.u32 %r20, 0; st.shared.u32 [%r3], %r0; mad.wide.u32 %d6, %r10, 4, %d0;"
        "setp.eq.u32 %p9, %r0, 0;\n",
        shape_.threads);
    for (unsigned k = 0; k < 3; ++k) body += init(k);
    body += !shape_.silent && draw(6) == 0 ? "\n" : "bar.sync 0;\n";
    const auto statements = 4 + draw(14);
    const auto loop = draw(3);
    for (std::uint64_t k = 1; k <= statements; ++k) {
      if (k == 1 + loop) body += "LOOP:\n";
      body += fmt::format(".loc 1 {} 0\n{}\n", k, statement());
    }
    body +=
        "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 4; @%p1 bra LOOP;"
        "st.global.u32 [%d1], %r20; ret;";
    return kernel(".param .u64 a, .param .u64 out", body,
                  ".file 1 \"p.cu\"\n.shared .align 16 .b8 s[512];.shared .align 8 .b64 bars[3];");
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  template <std::size_t N>
  const char* pick(const char* const (&words)[N]) {
    return words[draw(N)];
  }

  std::string init(unsigned bar) {
    const std::uint64_t counts[] = {shape_.threads, shape_.threads, shape_.threads + 1, 32,
                                    1000,           1 + draw(8)};
    return fmt::format("mov.u32 %r4, {}; @%p9 mbarrier.init.shared.b64 [bars+{}], %r4;",
                       shape_.silent ? 100000 : counts[draw(std::size(counts))], 8 * bar);
  }

  /// %p0: the thread is one of some.
  std::string guard() {
    static constexpr std::uint64_t sets[] = {
        ~0ULL,       ~0ULL, ~0ULL, 0xFFFF'FFFF, 0xFFFF,     0xFFFF'0000,
        0x8000'0001, 1,     1,     ~1ULL,       1ULL << 32, 0x5555'5555'5555'5555};
    const auto mask = draw(5) == 0 ? random_() : sets[draw(std::size(sets))];
    return fmt::format(
        "shr.u64 %d8, {}, %r0; cvt.u32.u64 %r4, %d8; and.b32 %r4, %r4, 1;"
        "setp.ne.u32 %p0, %r4, 0; ",
        mask);
  }

  /// Of an mbarrier: one for all lanes, mostly. What stands before the operation is in `before`.
  std::string word(std::string& before, bool& generic) {
    const auto bar = draw(4) == 0 ? draw(3) : 0;
    generic = false;
    switch (draw(8)) {
      case 0:  // neighbours have others
        before += "shr.u32 %r5, %r0, 1; rem.u32 %r5, %r5, 3; mad.lo.u32 %r5, %r5, 8, %r1; ";
        return "[%r5]";
      case 1:
        before += "shr.u32 %r5, %r0, 4; and.b32 %r5, %r5, 1; mad.lo.u32 %r5, %r5, 8, %r1; ";
        return "[%r5]";
      case 2:
        generic = true;
        return fmt::format("[%d5+{}]", 8 * bar);
      case 3:
        return fmt::format("[%r1+{}]", 8 * bar);
      default:
        return fmt::format("[bars+{}]", 8 * bar);
    }
  }

  std::string arrival() {
    std::string text = guard();
    bool generic = false;
    const auto to = word(text, generic);
    const std::string space = generic ? "" : ".shared";
    switch (draw(10)) {
      case 0:
        return text + fmt::format("@%p0 mbarrier.arrive.relaxed.cta{}.b64 %d3, {};", space, to);
      case 1:
        return text + fmt::format("@%p0 mbarrier.arrive.noComplete{}.b64 %d3, {}, 1;", space, to);
      case 2:
        return text + fmt::format("@%p0 mbarrier.arrive_drop{}.b64 %d3, {};", space, to);
      case 3:
        if (!shape_.faults) break;
        return text + fmt::format("and.b32 %r6, %r0, 3; @%p0 mbarrier.arrive{}.b64 %d3, {}, %r6;",
                                  space, to);
      case 4:
        return text + fmt::format("mov.u32 %r6, {}; @%p0 mbarrier.arrive{}.b64 %d3, {}, %r6;",
                                  1 + draw(2), space, to);
      case 5: {
        const auto bytes = 16 * (1 + draw(2));
        const auto how = draw(2) == 0 ? "mbarrier.arrive.expect_tx{}.b64 _, {}, {};"
                                      : "mbarrier.expect_tx.relaxed.cta{}.b64 {}, {};";
        text += "@%p0 " + fmt::format(fmt::runtime(how), space, to, bytes);
        if (draw(4) == 0) return text;
        return text + "\n" +
               fmt::format("@%p0 mbarrier.complete_tx.relaxed.cta{}.b64 {}, {};", space, to, bytes);
      }
      case 6:
        return text + fmt::format("@%p0 mbarrier.arrive{}.b64 _, {};", space, to);
      default:
        break;
    }
    return text + fmt::format("@%p0 mbarrier.arrive{}.b64 %d3, {};", space, to);
  }

  /// What depends on whether its phase has ended is done, or nothing is.
  std::string test() {
    std::string text = guard();
    bool generic = false;
    const auto to = word(text, generic);
    const std::string space = generic ? "" : ".shared";
    static constexpr const char* phases[] = {"0", "1", "%r6", "%r7", "%d3"};
    const auto k = draw(std::size(phases));
    text += "and.b32 %r6, %r9, 1; and.b32 %r7, %r0, 1; setp.ne.u32 %p2, %r0, %r0;";
    text +=
        fmt::format("@%p0 mbarrier.{}_wait{}{}{}.b64 %p2, {}, {};", draw(2) == 0 ? "test" : "try",
                    k == 4 ? "" : ".parity", draw(6) == 0 ? ".relaxed.cta" : "",
                    generic ? "" : ".shared::cta", to, phases[k]);
    if (draw(6) == 0) return text;
    const auto then = access("@%p2");
    return text + "@%p2 add.u32 %r20, %r20, 1; " + then;
  }

  std::string access(const std::string& by) {
    const auto other = fmt::format("xor.b32 %r5, %r0, {}; mad.lo.u32 %r5, %r5, 4, %r2; ",
                                   draw(2) == 0 ? 32 : 1 + draw(31));
    switch (shape_.silent ? draw(2) * 4 : draw(6)) {
      case 0:
        return by + " st.shared.u32 [%r3], %r0;";
      case 1:
        return other + by + " ld.shared.u32 %r8, [%r5];";
      case 2:
        return by + " ld.shared.u32 %r8, [%r2+4];";
      case 3:
        return by + " st.global.u32 [%d6], %r0;";
      case 4:
        return by + " atom.shared.add.u32 %r8, [%r2+448], 1;";
      default:
        return by + " ld.global.u32 %r8, [%d0+4];";
    }
  }

  std::string statement() {
    switch (draw(16)) {
      case 0:
      case 1:
        return "bar.sync 0;";
      case 2:
        return shape_.fences ? guard() + "@%p0 membar.cta;" : "bar.warp.sync 0xffffffff;";
      case 3:
        if (shape_.copies) return copy();
        break;
      case 4:
        if (shape_.exits && exits_++ == 0) return guard() + "@!%p0 exit;";
        break;
      case 5:
        if (!shape_.faults) break;
        switch (draw(5)) {
          case 0:
            return "@%p9 mbarrier.inval.shared.b64 [bars];";
          case 1:
            return init(0);
          case 2:
            return guard() + "@%p0 ld.shared.u64 %d9, [bars];";
          case 3:
            return guard() + "@%p0 st.shared.u32 [bars+8], 7;";
          default:
            return guard() + "@%p0 ld.shared.u32 %r8, [bars+4];";
        }
      case 6:
      case 7:
      case 8:
        return guard() + access("@%p0");
      case 9:
      case 10:
      case 11:
      case 12:
        return test();
      default:
        return arrival();
    }
    return arrival();
  }

  std::string copy() {
    switch (draw(3)) {
      case 0:
        return guard() + fmt::format("@%p0 cp.async.mbarrier.arrive{}.shared.b64 [bars+{}];",
                                     draw(2) == 0 ? ".noinc" : "", 8 * draw(3));
      case 1:
        return "cp.async.wait_all;";
      default:
        return guard() + "@%p0 cp.async.ca.shared.global [%r3], [%d6], 4;";
    }
  }

  const Shape& shape_;
  std::mt19937_64 random_;
  unsigned exits_ = 0;
};

struct Ran {
  LaunchReport report;
  std::vector<std::uint32_t> content;
};

constexpr std::size_t words = 192;

LaunchConfig config_of(const Shape& shape, const std::string& schedule, Address a, Address out) {
  LaunchConfig config{.entry = "f", .grid = {2}, .block = {shape.threads}, .schedule = schedule};
  config.races = true;
  config.add(a);
  config.add(out);
  return config;
}

Ran run(const std::shared_ptr<const Module>& module, const Shape& shape,
        const std::string& schedule, EventLog* log, std::string* difference = nullptr) {
  GlobalMemory memory;
  const Address a = memory.allocate({.name = "a", .bytes = 4 * words});
  const Address out = memory.allocate({.name = "out", .bytes = 4 * words});
  memory.fill(a, std::byte{0}, 4 * words);
  memory.fill(out, std::byte{0}, 4 * words);
  ModuleState state(module, memory);
  auto config = config_of(shape, schedule, a, out);
  config.log = log;
  Ran ran;
  ran.report = difference != nullptr ? launch_and_compare(state, config, *difference)
                                     : launch(state, config);
  ran.content.resize(words);
  memory.read(out, std::as_writable_bytes(std::span(ran.content)));
  return ran;
}

Shape shape_of(std::uint64_t seed) {
  static constexpr std::uint32_t threads[] = {64, 32, 40, 96, 5, 1};
  return {.seed = seed,
          .threads = threads[seed % 6],
          .fences = seed / 6 % 3 == 0,
          .copies = seed / 6 % 4 == 1,
          .faults = seed / 6 % 2 == 0 && seed % 8 != 5,
          .exits = seed / 6 % 5 == 0,
          .silent = seed % 8 == 5};
}

TEST(MbarrierOperations, of_warps_are_those_of_their_lanes) {
  std::map<K, std::size_t> kinds;
  std::size_t silent = 0;
  static constexpr const char* schedules[] = {"lockstep", "low_lane_first", "random:1",
                                              "warp_reversed"};
  for (std::uint64_t seed = 1; seed <= 240 && !::testing::Test::HasFailure(); ++seed) {
    const Shape shape = shape_of(seed);
    const auto ptx = Writer(shape).run();
    const auto module = load_module(ptx, "p.ptx");
    for (const std::string schedule : schedules) {
      EventLog log;
      const Ran usual = run(module, shape, schedule, nullptr);
      const Ran apart = run(module, shape, schedule, &log);
      const auto where = fmt::format("seed {}, {}\n{}", seed, schedule, ptx);
      EXPECT_EQ(usual.report.findings, apart.report.findings) << where << "usual:\n"
                                                              << text(usual.report) << "by lane:\n"
                                                              << text(apart.report);
      EXPECT_EQ(usual.report.counters, apart.report.counters) << where;
      EXPECT_EQ(usual.content, apart.content) << where;
      std::string difference;
      (void)run(module, shape, schedule, nullptr, &difference);
      EXPECT_EQ(difference, "") << where;
      for (const auto& finding : usual.report.findings) ++kinds[finding.kind];
      silent += usual.report.findings.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(kinds[K::race_read_write], 200U);
  EXPECT_GT(kinds[K::race_write_read], 200U);
  EXPECT_GT(kinds[K::race_atomic], 50U);
  EXPECT_GT(kinds[K::divergent_barrier], 100U);
  EXPECT_GT(kinds[K::poison_mask], 50U);
  EXPECT_GT(silent, 50U);
}

}  // namespace
}  // namespace gauntlet::simt::test::mbarrier_operations
