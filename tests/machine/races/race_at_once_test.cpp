// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A load or store in which nothing is wrong is done for all lanes at once (engine_gather.cpp), and
// so is what the race detector notes of one address that all read (race_broadcast.cpp). A launch
// that writes an event log looks at each lane: findings, memory and accesses are the same. Random
// programs of every form of access, in loops, so that the same is read again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "machine/engine/module.hpp"
#include "machine/races/access_map.hpp"
#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/races/launch_and_compare.hpp"

namespace gauntlet::simt::test::race_at_once {
namespace {

constexpr std::uint32_t array_bytes = 256, defined_bytes = 192;

struct Shape {
  std::uint64_t seed = 1;
  std::uint32_t threads = 64;
  bool exact = false;   ///< fences: each thread is kept apart
  bool strong = false;  ///< acquire and release among them: threads synchronise through memory
  bool weak = false;    ///< no access is volatile, relaxed or atomic: lanes run far alone
  bool exits = false;
  bool faults = false;  ///< outside arrays, not aligned
};

class Writer {
 public:
  explicit Writer(const Shape& shape) : shape_(shape), random_(shape.seed) {}

  /// %r0: the thread, %d0: array a, %d1: s, %d2: the generic address of s, %d3: array in, %d4: the
  /// generic address of l, %d5: the thread's own place in out, %r9: the round.
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
    if (draw(2) == 0) {  // all registers that may be loaded to are written first
      for (unsigned k = 11; k < 19; ++k) {
        body += fmt::format("mov.u64 %d{0}, 0; mov.u32 %r{0}, 0; mov.u16 %h{0}, 0;", k);
      }
    }
    for (auto n = draw(5); n > 0; --n) body += head(n);
    body += "HEAD: st.shared.u32 [%d7], %r0; bar.sync 0;\n";
    const auto statements = 1 + draw(draw(2) == 0 ? 5 : most_statements - 1);
    for (unsigned k = 0; k < statements; ++k) {
      if (k == statements / 3) body += "LOOP:\n";
      body += fmt::format(".loc 1 {} 0\n{}\n", k + 1, statement(k));
    }
    body += "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 3; @%p1 bra LOOP; ret;";
    return kernel(".param .u64 a, .param .u64 in, .param .u64 out", body,
                  fmt::format(".file 1 \"p.cu\"\n.shared .align 16 .b8 s[{}];", shared_bytes()));
  }
  static constexpr unsigned most_statements = 14, most_heads = 4;

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  template <std::size_t N>
  const char* pick(const char* const (&words)[N]) {
    return words[draw(N)];
  }

  [[nodiscard]] std::uint32_t shared_bytes() const {
    return std::max(array_bytes + 64, 4 * shape_.threads);
  }

  /// An access behind straight code, at an address that grows evenly with the thread, so that one
  /// warp knows it for the others (engine_prologue.cpp), or nearly so.
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
        text = input || draw(2) == 0
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
                              2 * shape_.threads * 8 * (most_statements + n - 1));
  }

  /// %p0: the thread is one of some.
  std::string guard() {
    static constexpr std::uint64_t sets[] = {~0ULL, ~0ULL,       ~0ULL,       0xFFFF'FFFF, 0xFFFF,
                                             1,     0x8000'0001, 0x5555'5555, ~1ULL,       1 << 5};
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
                                       {"", "%d3", array_bytes},
                                       {"", "%d4", 16},
                                       {"", "%d0", defined_bytes},
                                       {".shared", "%d1", array_bytes},
                                       {".global", "%d0", array_bytes}};
    const Place& place = places[draw(std::size(places))];
    const bool input = std::string_view(place.base) == "%d3";
    const bool local = std::string_view(place.base) == "%d4";
    const bool write = draw(3) == 0 && !input;
    const auto size = 1U << draw(4);
    const auto vector = draw(4) == 0 ? 2U << draw(size == 8 ? 1 : 2) : 1;
    const auto width = size * vector;
    const auto bytes = shape_.faults && draw(6) == 0 ? array_bytes + 80 : place.bytes;
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
    return text + fmt::format("@%p0 st.global.u64 [%d5+{}], %d12;",
                              std::uint64_t{2} * shape_.threads * 8 * k);
  }

  std::string statement(unsigned k) {
    switch (draw(16)) {
      case 0:
        return "bar.sync 0;";
      case 1:
        return "bar.warp.sync 0xffffffff;";
      case 2:
        if (shape_.exact) return draw(2) == 0 ? "membar.gl;" : guard() + "@%p0 membar.cta;";
        break;
      case 3:
        if (shape_.exits && exits_++ == 0) return guard() + "@!%p0 exit;";
        break;
      case 4:
        if (shape_.weak) break;
        return guard() + "@%p0 atom.global.add.u32 %r7, [%d0+4], 1;";
      default:
        break;
    }
    return access(k);
  }

  const Shape& shape_;
  std::mt19937_64 random_;
  unsigned exits_ = 0;
};

struct Outcome {
  LaunchReport report;
  std::vector<std::byte> content;
  std::vector<std::uint8_t> states;
  std::vector<std::tuple<Address, Address, int, std::uint32_t, std::uint32_t>> accesses;
};

/// Lanes that run one by one are run at once (engine_together.cpp) where nobody asks which bytes
/// are accessed.
Outcome launched(const std::shared_ptr<const Module>& module, const Shape& shape,
                 const std::string& schedule, EventLog* log, bool ask = true) {
  GlobalMemory memory;
  std::vector<std::pair<Address, std::uint64_t>> arrays;
  auto config = two_blocks(shape.threads, schedule, log);
  const auto array = [&](const char* name, std::uint64_t bytes, std::uint64_t defined) {
    GlobalMemory::Options options;
    options.name = name;
    options.bytes = bytes;
    options.read_only = std::string_view(name) == "in";
    const auto at = memory.allocate(options);
    std::vector<std::byte> values(defined);
    for (std::size_t i = 0; i < defined; ++i) values[i] = static_cast<std::byte>(i * 37 + 5);
    memory.write(at, values);
    arrays.emplace_back(at, bytes);
    config.add(at);
  };
  array("a", array_bytes, defined_bytes);
  array("in", array_bytes, array_bytes);
  array("out",
        std::uint64_t{2} * shape.threads * 8 * (Writer::most_statements + Writer::most_heads), 0);
  ModuleState state(module, memory);
  AccessMap accesses;
  if (ask) config.accesses = &accesses;
  Outcome outcome{launch(state, config), {}, {}, {}};
  for (const auto& [at, bytes] : arrays) {
    const auto begin = outcome.content.size();
    outcome.content.resize(begin + bytes);
    memory.read(at, std::span(outcome.content).subspan(begin));
    const Allocation& array = *memory.find(at);
    outcome.states.insert(outcome.states.end(), array.state, array.state + bytes);
  }
  for (const auto& [base, ranges] : accesses.take()) {
    for (const auto& range : ranges) {
      outcome.accesses.emplace_back(range.begin, range.end, range.ways, range.bytes, range.step);
    }
  }
  std::ranges::sort(outcome.accesses);
  return outcome;
}

/// All lanes of warp 0 read a[0] and publish it, and again `rounds` - 1 times; warp 1 waits for
/// what is published and writes a[0].
std::vector<Finding> of_readers_and_a_writer(unsigned rounds) {
  const auto body = fmt::format(
      "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; mov.u32 %r9, 0;"
      "@%p0 bra WAIT;\n"
      "LOOP: ld.global.u32 %r5, [%d0];\n"
      "setp.eq.u32 %p1, %r9, 0; @%p1 red.release.gpu.global.add.u32 [%d0+64], 1;\n"
      "add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, {}; @%p1 bra LOOP; ret;\n"
      "WAIT: ld.acquire.gpu.global.u32 %r6, [%d0+64]; setp.lt.u32 %p1, %r6, 32; @%p1 bra WAIT;\n"
      "setp.eq.u32 %p1, %r0, 32; @%p1 st.global.u32 [%d0], 7; ret;",
      rounds);
  Device device(kernel(".param .u64 a", body));
  const auto a = device.memory.allocate({.name = "a", .bytes = 128});
  device.memory.fill(a, std::byte{0}, 128);
  return device.launch({.block = {64}, .races = true}, a).findings;
}

TEST(AccessesAtOnce, behind_a_release_are_not_published_by_it) {
  EXPECT_TRUE(of_readers_and_a_writer(1).empty());
  const auto found = of_readers_and_a_writer(2);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::race_read_write);
  EXPECT_EQ(found[0].count, 32U);
}

TEST(AccessesAtOnce, give_what_those_of_each_lane_give) {
  std::map<FindingKind, std::size_t> kinds;
  std::size_t silent = 0, led = 0;
  for (std::uint64_t seed = 1; seed <= 400 && !::testing::Test::HasFailure(); ++seed) {
    static constexpr std::uint32_t threads[] = {64, 160, 48, 1};
    const Shape shape{.seed = seed,
                      .threads = threads[seed % 4],
                      .exact = seed % 2 == 0,
                      .strong = seed % 3 == 0,
                      .weak = seed % 3 == 1,
                      .exits = seed % 7 == 0,
                      .faults = seed % 5 == 0};
    const auto ptx = Writer(shape).run();
    const auto module = load_module(ptx, "p.ptx");
    led += module->find("f")->prologue.left_out.size();
    for (const auto* schedule : {"lockstep", "warp_reversed", "low_lane_first", "high_lane_first",
                                 "random:1", "random:2"}) {
      EventLog log;
      const auto together = launched(module, shape, schedule, nullptr);
      const auto apart = launched(module, shape, schedule, &log);
      const auto where = fmt::format("seed {}, {}\n{}", seed, schedule, ptx);
      EXPECT_EQ(together.report.findings, apart.report.findings)
          << where << "together:\n"
          << text(together.report) << "apart:\n"
          << text(apart.report);
      EXPECT_EQ(together.report.counters, apart.report.counters) << where;
      EXPECT_EQ(together.content, apart.content) << where;
      EXPECT_EQ(together.states, apart.states) << where;
      EXPECT_EQ(together.accesses, apart.accesses) << where;
      const auto unasked = launched(module, shape, schedule, nullptr, false);
      EXPECT_EQ(unasked.report.findings, apart.report.findings)
          << where << "unasked:\n"
          << text(unasked.report) << "apart:\n"
          << text(apart.report);
      EXPECT_EQ(unasked.report.counters, apart.report.counters) << where;
      EXPECT_EQ(unasked.content, apart.content) << where;
      EXPECT_EQ(unasked.states, apart.states) << where;
      for (const auto& finding : together.report.findings) ++kinds[finding.kind];
      silent += together.report.findings.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(kinds[FindingKind::race_read_write], 250U);
  EXPECT_GT(kinds[FindingKind::race_write_read], 250U);
  EXPECT_GT(kinds[FindingKind::race_atomic], 100U);
  EXPECT_GT(kinds[FindingKind::race_read_only], 30U);
  EXPECT_GT(kinds[FindingKind::out_of_bounds_read], 100U);
  EXPECT_GT(kinds[FindingKind::misaligned], 100U);
  EXPECT_GT(silent, 500U);
  EXPECT_GT(led, 1000U);
}

}  // namespace
}  // namespace gauntlet::simt::test::race_at_once
