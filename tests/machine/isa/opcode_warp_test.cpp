// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// vote, match, redux, activemask, elect, bar.warp and bar.red (PTX ISA 9.0, 9.7.13).
#include <fmt/format.h>

#include <bit>

#include "tests/machine/engine/machine_device.hpp"
#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test::opcode_warp {
namespace {

using Words = std::vector<std::uint32_t>;

/// Runs `body` by one warp per block. In: %r0 the lane, %r1 its word of `in`, %d1 with %r2 its
/// 64-bit twin; lanes of `members` execute, the others skip. Out: %r9, 0xdead for those that
/// skipped.
Words warp(const std::string& body, const Words& in, std::uint32_t members = 0xFFFF'FFFF,
           const std::string& schedule = "lockstep") {
  const auto blocks = static_cast<std::uint32_t>(in.size() / 32);
  Device device(
      kernel(".param .u64 in, .param .u64 out, .param .u32 members",
             "ld.param.u64 %d4, [in]; ld.param.u64 %d5, [out]; ld.param.u32 %r20, [members];"
             "mov.u32 %r0, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r2, %r2, 32, %r0;"
             "mad.wide.u32 %d4, %r2, 4, %d4; mad.wide.u32 %d5, %r2, 4, %d5;"
             "ld.global.u32 %r1, [%d4]; mov.b64 %d1, {%r1, %r1}; mov.u32 %r9, 0xdead;"
             "setp.ne.u32 %p8, %r1, 0; shr.u32 %r21, %r20, %r0; and.b32 %r21, %r21, 1;"
             "setp.eq.u32 %p9, %r21, 0; @%p9 bra SKIP;\n" +
                 body + "\nSKIP: st.global.u32 [%d5], %r9;"));
  const auto from = device.input("in", in);
  const auto to = device.output<std::uint32_t>("out", in.size());
  Launch l{.grid = {blocks}};
  l.schedule = schedule;
  EXPECT_TRUE(silent(device.launch(l, from, to, members))) << body;
  return device.read<std::uint32_t>(to, in.size());
}

/// Blocks of 32 words: all zero, all one, one lane apart, random bits, random numbers, few values.
Words samples() {
  Words w;
  const auto add = [&](auto f) {
    for (std::uint32_t l = 0; l < 32; ++l) w.push_back(static_cast<std::uint32_t>(f(l)));
  };
  add([](auto) { return 0U; });
  add([](auto) { return 1U; });
  add([](auto l) { return l == 7 ? 1U : 0U; });
  add([](auto l) { return l == 31 ? 0U : 1U; });
  for (int k = 0; k < 6; ++k) {
    const auto r = random_words(32, 32, 50 + k);
    add([&](auto l) { return r[l] & 1; });
    add([&](auto l) { return r[l]; });
    add([&](auto l) { return r[l] % 5 + 0x7FFF'FFFD; });
  }
  add([](auto) { return 0x8000'0000U; });
  return w;
}

const std::uint32_t member_sets[] = {0xFFFF'FFFF, 1,           0x8000'0000,
                                     0x0000'FFFF, 0xF0F0'F0F0, 0x1000'0081};

/// expected(words of the block, members, lane) for the member lanes.
void expect_warp(
    const std::string& body,
    const std::function<std::uint32_t(const std::uint32_t*, std::uint32_t, unsigned)>& expected) {
  const auto in = samples();
  for (const auto members : member_sets) {
    for (const std::string schedule : {"lockstep", "high_lane_first", "random:9"}) {
      const auto got = warp(body, in, members, schedule);
      for (std::size_t k = 0; k < in.size(); ++k) {
        const auto lane = static_cast<unsigned>(k % 32);
        const bool member = (members >> lane & 1) != 0;
        const auto want = member ? expected(&in[k - lane], members, lane) : 0xDEAD;
        ASSERT_EQ(got[k], want) << body
                                << fmt::format(" members 0x{:x} {} row {} lane {}", members,
                                               schedule, k / 32, lane);
      }
    }
  }
}
template <class F>
std::uint32_t mask_of(std::uint32_t members, F holds) {
  std::uint32_t m = 0;
  for (unsigned l = 0; l < 32; ++l) {
    if ((members >> l & 1) != 0 && holds(l)) m |= 1U << l;
  }
  return m;
}

TEST(OpcodeVote, all_any_uni_and_ballot_of_the_members) {
  const auto ballot = [](const std::uint32_t* w, std::uint32_t m) {
    return mask_of(m, [=](unsigned l) { return w[l] != 0; });
  };
  const std::string give = "selp.u32 %r9, 1, 0, %p0;";
  expect_warp("vote.sync.all.pred %p0, %p8, %r20;" + give,
              [=](auto* w, auto m, unsigned) -> std::uint32_t { return ballot(w, m) == m; });
  expect_warp("vote.sync.any.pred %p0, %p8, %r20;" + give,
              [=](auto* w, auto m, unsigned) -> std::uint32_t { return ballot(w, m) != 0; });
  expect_warp("vote.sync.uni.pred %p0, %p8, %r20;" + give,
              [=](auto* w, auto m, unsigned) -> std::uint32_t {
                return ballot(w, m) == m || ballot(w, m) == 0;
              });
  expect_warp("vote.sync.ballot.b32 %r9, %p8, %r20;",
              [=](auto* w, auto m, unsigned) { return ballot(w, m); });
  expect_warp("vote.sync.ballot.b32 %r9, !%p8, %r20;",
              [=](auto* w, auto m, unsigned) { return m & ~ballot(w, m); });
  expect_warp("vote.sync.all.pred %p0, !%p8, %r20;" + give,
              [=](auto* w, auto m, unsigned) -> std::uint32_t { return ballot(w, m) == 0; });
}

TEST(OpcodeMatch, any_gives_the_lanes_with_the_same_value) {
  const auto equal = [](auto* w, auto m, unsigned lane) {
    return mask_of(m, [=](unsigned l) { return w[l] == w[lane]; });
  };
  expect_warp("match.any.sync.b32 %r9, %r1, %r20;", equal);
  expect_warp("match.any.sync.b64 %r9, %d1, %r20;", equal);
}

TEST(OpcodeMatch, all_gives_the_members_or_nothing_and_a_predicate) {
  const auto all = [](auto* w, auto m, unsigned lane) -> std::uint32_t {
    return mask_of(m, [=](unsigned l) { return w[l] == w[lane]; }) == m ? m : 0;
  };
  expect_warp("match.all.sync.b32 %r9, %r1, %r20;", all);
  expect_warp("match.all.sync.b64 %r9, %d1, %r20;", all);
  expect_warp("match.all.sync.b32 %r9|%p0, %r1, %r20; selp.u32 %r9, 5, 6, %p0;",
              [=](auto* w, auto m, unsigned lane) { return all(w, m, lane) != 0 ? 5U : 6U; });
  // Values that differ in the upper half only.
  const auto in = samples();
  const auto got = warp("mov.b64 %d1, {3, %r1}; match.any.sync.b64 %r9, %d1, -1;", in);
  for (std::size_t k = 0; k < in.size(); ++k) {
    const auto* w = &in[k / 32 * 32];
    EXPECT_EQ(got[k], mask_of(~0U, [&](unsigned l) { return w[l] == in[k]; }));
  }
}

TEST(OpcodeRedux, combines_the_members_only) {
  const auto op = [](const std::string& name, auto start, auto f) {
    expect_warp("redux.sync." + name + " %r9, %r1, %r20;", [=](auto* w, auto m, unsigned) {
      auto x = start;
      for (unsigned l = 0; l < 32; ++l) {
        if ((m >> l & 1) != 0) x = f(x, static_cast<decltype(x)>(w[l]));
      }
      return static_cast<std::uint32_t>(x);
    });
  };
  op("add.u32", 0U, [](auto a, auto b) { return a + b; });
  op("add.s32", 0U, [](auto a, auto b) { return a + b; });
  op("min.u32", ~0U, [](auto a, auto b) { return std::min(a, b); });
  op("max.u32", 0U, [](auto a, auto b) { return std::max(a, b); });
  op("min.s32", std::int32_t{0x7FFF'FFFF}, [](auto a, auto b) { return std::min(a, b); });
  op("max.s32", std::int32_t(-0x7FFF'FFFF - 1), [](auto a, auto b) { return std::max(a, b); });
  op("and.b32", ~0U, [](auto a, auto b) { return a & b; });
  op("or.b32", 0U, [](auto a, auto b) { return a | b; });
  op("xor.b32", 0U, [](auto a, auto b) { return a ^ b; });
}

TEST(OpcodeRedux, of_floats_orders_zeros_and_prefers_numbers_unless_told_otherwise) {
  constexpr std::uint32_t one = 0x3F80'0000, minus_two = 0xC000'0000, minus_zero = 0x8000'0000,
                          quiet = 0xFFC0'0001, nan = 0x7FFF'FFFF, tiny = 1;
  struct Case {
    std::string name;
    std::uint32_t first, second, rest, expected;
  };
  const Case cases[] = {{"min", one, minus_two, 0, minus_two},
                        {"max", one, minus_two, 0, one},
                        {"min", 0, minus_zero, one, minus_zero},
                        {"max", minus_zero, 0, minus_two, 0},
                        {"min", tiny, one, one, tiny},
                        {"min", quiet, one, 0, 0},
                        {"max", one, quiet, 0, one},
                        {"max", quiet, quiet, quiet, nan},
                        {"min.NaN", one, quiet, 0, nan},
                        {"max.NaN", quiet, one, 0, nan},
                        {"max.NaN", minus_two, one, 0, one},
                        {"max.abs", one, minus_two, 0, 0x4000'0000},
                        {"min.abs", one, minus_two, minus_two, one},
                        {"max.abs.NaN", quiet, minus_two, 0, nan}};
  for (const auto& c : cases) {
    Words in(32, c.rest);
    in[0] = c.first;
    in[1] = c.second;
    EXPECT_EQ(warp("redux.sync." + c.name + ".f32 %r9, %r1, -1;", in), Words(32, c.expected))
        << c.name;
  }
}

TEST(OpcodeElect, elects_the_lowest_member) {
  expect_warp("elect.sync %r9|%p0, %r20;", [](auto*, auto m, unsigned) {
    return static_cast<std::uint32_t>(std::countr_zero(m));
  });
  expect_warp("elect.sync _|%p0, %r20; selp.u32 %r9, 1, 0, %p0;", [](auto*, auto m, unsigned lane) {
    return lane == static_cast<unsigned>(std::countr_zero(m)) ? 1U : 0U;
  });
}

TEST(OpcodeActivemask, gives_the_lanes_that_run_together) {
  // Under lockstep the members are together behind the branch; the guard takes some away.
  const auto in = Words(32, 1);
  for (const auto members : member_sets) {
    const auto got = warp("activemask.b32 %r9;", in, members);
    for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(got[l], (members >> l & 1) != 0 ? members : 0xDEAD);
  }
  const auto guarded = warp("setp.gt.u32 %p0, %r0, 27; @%p0 activemask.b32 %r9;", in);
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(guarded[l], l > 27 ? 0xF000'0000 : 0xDEAD);
}

TEST(OpcodeWarpBarrier, brings_branches_together_so_that_they_shuffle) {
  // Each half writes its shared cells in its own branch and reads the other half's behind it.
  Device device(
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r0, %tid.x; mad.wide.u32 %d0, %r0, 4, %d0;"
             "mov.u64 %d1, s; mad.wide.u32 %d2, %r0, 4, %d1; xor.b32 %r1, %r0, 16;"
             "mad.wide.u32 %d3, %r1, 4, %d1; setp.lt.u32 %p0, %r0, 16; @%p0 bra A;"
             "add.u32 %r2, %r0, 100; st.shared.u32 [%d2], %r2; bra E;"
             "A: add.u32 %r2, %r0, 200; st.shared.u32 [%d2], %r2;"
             "E: bar.warp.sync 0xffffffff; ld.shared.u32 %r3, [%d3]; st.global.u32 [%d0], %r3;",
             ".shared .align 4 .b8 s[128];"));
  for (const std::string schedule : {"lockstep", "low_lane_first", "high_lane_first", "random:2"}) {
    const auto out = device.output<std::uint32_t>("out", 32);
    Launch l;
    l.schedule = schedule;
    EXPECT_TRUE(silent(device.launch(l, out)));
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(device.read<std::uint32_t>(out, 32)[lane],
                lane < 16 ? lane + 116 : lane - 16 + 200);
    }
  }
}

TEST(OpcodeBarrier, reduces_a_predicate_over_the_block) {
  const auto run = [](const std::string& reduction, std::uint32_t limit) {
    Device device(kernel(".param .u64 out, .param .u32 limit",
                         "ld.param.u64 %d0, [out]; ld.param.u32 %r1, [limit]; mov.u32 %r0, %tid.x;"
                         "mad.wide.u32 %d0, %r0, 4, %d0; setp.lt.u32 %p8, %r0, %r1;" +
                             reduction + "st.global.u32 [%d0], %r9;"));
    const auto out = device.output<std::uint32_t>("out", 100);
    EXPECT_TRUE(silent(device.launch({.block = {100}}, out, limit)));
    const auto got = device.read<std::uint32_t>(out, 100);
    EXPECT_EQ(got, Words(100, got[0])) << reduction;
    return got[0];
  };
  const std::string give = "selp.u32 %r9, 1, 0, %p0;";
  for (const std::uint32_t limit : {0U, 1U, 33U, 99U, 100U}) {
    EXPECT_EQ(run("bar.red.popc.u32 %r9, 0, %p8;", limit), limit);
    EXPECT_EQ(run("barrier.red.popc.aligned.u32 %r9, 1, !%p8;", limit), 100 - limit);
    EXPECT_EQ(run("bar.red.and.pred %p0, 0, %p8;" + give, limit), limit == 100 ? 1U : 0U);
    EXPECT_EQ(run("bar.red.or.pred %p0, 0, %p8;" + give, limit), limit == 0 ? 0U : 1U);
    EXPECT_EQ(run("bar.red.or.pred %p0, 2, !%p8;" + give, limit), limit == 100 ? 0U : 1U);
  }
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_warp
