// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// mbarrier (PTX ISA 9.0, 9.7.13.15): phases, who waits for whom, and what that orders.
#include <fmt/format.h>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_mbarrier {
namespace {

const std::string variables = ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 s[512];\n";

/// `threads` threads with %r0 the thread, %r1 its word of s, %r2 that of the neighbour in the other
/// warp; thread 0 makes the barrier for all of them.
std::string program(const std::string& body, bool barrier = true) {
  return kernel(".param .u64 in, .param .u64 out",
                std::string("ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];\n"
                            "mov.u32 %r0, %tid.x; mov.u32 %r9, %ntid.x; mov.u32 %r10, s;\n"
                            "mad.wide.u32 %d0, %r0, 4, %d0; mad.wide.u32 %d1, %r0, 4, %d1;\n"
                            "mad.lo.u32 %r1, %r0, 4, %r10; xor.b32 %r2, %r0, 32;\n"
                            "mad.lo.u32 %r2, %r2, 4, %r10; mov.u32 %r5, 0;\n"
                            "setp.ne.u32 %p0, %r0, 0; @%p0 bra READY;\n"
                            "mbarrier.init.shared.b64 [bar], %r9;\nREADY: ") +
                    (barrier ? "bar.sync 0;\n" : "\n") + body + "\nst.global.u32 [%d1], %r5; ret;",
                variables);
}
const std::string write = "st.shared.u32 [%r1], %r0;\n", read = "ld.shared.u32 %r5, [%r2];\n",
                  arrive = "mbarrier.arrive.shared.b64 %d3, [bar];\n";
std::string wait(const std::string& label, const std::string& how = "test_wait",
                 const std::string& token = "%d3") {
  return fmt::format("{0}: mbarrier.{1}.shared.b64 %p1, [bar], {2}; @!%p1 bra {0};\n", label, how,
                     token);
}

LaunchReport run(const std::string& text, std::vector<std::uint32_t>* result = nullptr,
                 const std::string& schedule = "lockstep", std::uint32_t threads = 64) {
  Device device(text);
  std::vector<std::uint32_t> values(threads);
  for (std::uint32_t k = 0; k < threads; ++k) values[k] = 100 + k;
  const auto in = device.input("in", values);
  const auto out = device.output<std::uint32_t>("out", threads);
  const auto report = device.launch(
      {.block = {threads}, .schedule = schedule, .step_limit = 200'000, .races = true}, in, out);
  if (result != nullptr) *result = device.read<std::uint32_t>(out, threads);
  return report;
}
bool races(const LaunchReport& report) {
  return has(report, FindingKind::race_write_read) || has(report, FindingKind::race_read_write);
}

TEST(Mbarrier, orders_what_was_before_the_arrivals_and_what_is_behind_the_wait) {
  for (const char* schedule : {"lockstep", "high_lane_first", "warp_reversed", "random:5"}) {
    for (const auto& waiting :
         {wait("W"), wait("W", "try_wait"),
          std::string("W: mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [bar], 0; "
                      "@!%p1 bra W;\n")}) {
      std::vector<std::uint32_t> out;
      const auto report = run(program(write + arrive + waiting + read), &out, schedule);
      EXPECT_TRUE(silent(report)) << schedule << waiting;
      for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], t ^ 32);
    }
    // Without the wait, without the release, or with the write behind the arrival: a race.
    EXPECT_TRUE(races(run(program(write + arrive + read), nullptr, schedule))) << schedule;
    EXPECT_TRUE(races(run(program(arrive + write + wait("W") + read), nullptr, schedule)))
        << schedule;
    EXPECT_TRUE(races(run(
        program(write + "mbarrier.arrive.relaxed.cta.shared.b64 %d3, [bar];\n" + wait("W") + read),
        nullptr, schedule)))
        << schedule;
  }
}

TEST(Mbarrier, orders_nothing_for_who_does_not_look_whether_its_phase_has_ended) {
  const std::string once = "mbarrier.try_wait.shared.b64 %p1, [bar], %d3;\n";
  const auto tested = [&](const std::string& behind) { return program(write + arrive + behind); };
  for (const char* schedule : {"lockstep", "high_lane_first", "warp_reversed", "random:5"}) {
    EXPECT_TRUE(races(run(tested(once + read), nullptr, schedule))) << schedule;
    EXPECT_TRUE(races(run(tested(once + "selp.b32 %r7, 1, 0, %p1;\n" + read), nullptr, schedule)))
        << "libcu++ gives the result in a register: " << schedule;
    EXPECT_TRUE(silent(run(tested(once + "@%p1 ld.shared.u32 %r5, [%r2];\n"), nullptr, schedule)))
        << schedule;
    EXPECT_TRUE(silent(run(tested(once +
                                  "selp.b32 %r7, 1, 0, %p1; setp.eq.u32 %p2, %r7, 0;\n"
                                  "@%p2 bra END;\n" +
                                  read + "END: \n"),
                           nullptr, schedule)))
        << schedule;
  }
  // Who was told that it has not ended, and reads all the same.
  EXPECT_TRUE(
      races(run(tested(once + "selp.b32 %r7, 1, 0, %p1;\n" + read + "add.u32 %r5, %r5, %r7;\n"))));
}

TEST(Mbarrier, its_phases_follow_each_other) {
  // Two rounds: neighbours exchange, add, exchange again.
  const auto body = write + arrive + wait("A") + read + arrive + wait("B") +
                    "add.u32 %r6, %r5, 1000; st.shared.u32 [%r1], %r6;\n" + arrive + wait("C") +
                    read;
  std::vector<std::uint32_t> out;
  EXPECT_TRUE(silent(run(program(body), &out)));
  for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 1000 + t);
  // Without the middle one, the second write is not ordered behind the first read.
  const auto lacking = write + arrive + wait("A") + read +
                       "add.u32 %r6, %r5, 1000; st.shared.u32 [%r1], %r6;\n" + arrive + wait("C") +
                       read;
  EXPECT_TRUE(races(run(program(lacking))));
}

TEST(Mbarrier, counts_arrivals_and_those_who_drop_out) {
  // Warp 0 arrives for two lanes each and warp 1 not at all.
  const auto counted =
      "setp.ge.u32 %p2, %r0, 32; @%p2 bra END;\nmbarrier.arrive.shared.b64 %d3, [bar], 2;\n" +
      wait("W") + "mov.u32 %r5, 7;\nEND: \n";
  std::vector<std::uint32_t> out;
  EXPECT_TRUE(silent(run(program(counted), &out)));
  EXPECT_EQ(out[3], 7U);
  // Warp 1 drops out: the second phase waits for warp 0 alone.
  const auto dropped = "setp.ge.u32 %p2, %r0, 32; @%p2 bra DROP;\n" + arrive + wait("A") + arrive +
                       wait("B") +
                       "mbarrier.pending_count.b64 %r5, %d3; bra END;\n"
                       "DROP: mbarrier.arrive_drop.shared.b64 _, [bar];\nEND: \n";
  EXPECT_TRUE(silent(run(program(dropped), &out)));
  EXPECT_EQ(out[0], 32U);  // of the second phase, before thread 0 arrived
  EXPECT_EQ(out[31], 1U);
  // One who never comes is waited for in vain.
  const auto lacking = "setp.eq.u32 %p2, %r0, 63; @%p2 bra END;\n" + arrive + wait("W") + "END: \n";
  const auto report = run(program(lacking));
  ASSERT_TRUE(only(report, FindingKind::deadlock));
  EXPECT_EQ(report.findings[0].array, "bar");
  EXPECT_EQ(report.findings[0].detail,
            "it waits for ever: no thread that is left changes what it reads; the mbarrier waits "
            "for 1 arrivals");
  EXPECT_LT(report.counters.warp_instructions, 1000U);
}

TEST(Mbarrier, has_to_be_made_before_it_is_used) {
  EXPECT_TRUE(has(run(program(arrive + wait("W"), false)), FindingKind::race_atomic));
  const auto text =
      kernel(".param .u64 in, .param .u64 out", arrive + wait("W") + "ret;", variables);
  EXPECT_TRUE(has(run(text), FindingKind::poison_branch));
  // Who ends it while others still test it leaves them waiting.
  const auto ended = program(arrive + wait("W") + "@!%p0 mbarrier.inval.shared.b64 [bar];\n");
  EXPECT_TRUE(silent(run(ended)));
  EXPECT_TRUE(has(run(ended, nullptr, "warp_reversed"), FindingKind::deadlock));
}

TEST(Mbarrier, has_no_arrivals_before_it_is_made) {
  const auto text = kernel(".param .u64 in, .param .u64 out", arrive + "ret;", variables);
  EXPECT_TRUE(only(run(text), FindingKind::poison_mask));
}

TEST(Mbarrier, takes_as_many_arrivals_as_its_phase_waits_for) {
  const auto times = [&](int count) {
    return run(program(fmt::format("@!%p0 mbarrier.arrive.shared.b64 %d3, [bar], {};\n", count)));
  };
  EXPECT_TRUE(silent(times(1)));
  EXPECT_TRUE(silent(times(64)));
  EXPECT_TRUE(only(times(65), FindingKind::divergent_barrier));
  EXPECT_TRUE(only(times(0), FindingKind::divergent_barrier));
}

TEST(Mbarrier, waits_for_one_arrival_at_least) {
  const auto makes = [](int count) {
    return run(kernel(".param .u64 in, .param .u64 out",
                      fmt::format("mbarrier.init.shared.b64 [bar], {}; ret;", count), variables),
               nullptr, "lockstep", 1);
  };
  EXPECT_TRUE(only(makes(0), FindingKind::divergent_barrier));
  EXPECT_TRUE(silent(makes(1)));
  EXPECT_TRUE(silent(makes((1 << 20) - 1)));
}

TEST(Mbarrier, is_no_memory_between_its_init_and_its_inval) {
  for (const char* const access :
       {"ld.shared.u64 %d4, [bar]", "ld.volatile.shared.u32 %r6, [bar+4]",
        "st.shared.u64 [bar], %d0", "st.shared.u8 [bar+3], %r0", "st.shared.u16 [bar+6], %r0",
        "atom.shared.add.u32 %r6, [bar], 0"}) {
    const std::string one = fmt::format("@!%p0 {};\n", access);
    const std::string ended = "bar.sync 0; @!%p0 mbarrier.inval.shared.b64 [bar];\n";
    EXPECT_TRUE(only(run(program(one)), FindingKind::poison_mask)) << access;
    EXPECT_TRUE(only(run(program(arrive + "bar.sync 0;\n" + one)), FindingKind::poison_mask))
        << access;
    EXPECT_TRUE(silent(run(program(ended + one)))) << access;
    EXPECT_TRUE(silent(run(program(arrive + wait("W") + ended + one)))) << access;
  }
  // The word beside it.
  EXPECT_TRUE(silent(run(program("@!%p0 st.shared.u32 [s], %r0;\n" + arrive + wait("W")))));
}

TEST(Mbarrier, is_to_be_made_anew_once_it_was_ended) {
  const std::string rest = "bar.sync 0; @!%p0 mbarrier.inval.shared.b64 [bar]; bar.sync 0;\n";
  const std::string again = "@!%p0 mbarrier.init.shared.b64 [bar], %r9; bar.sync 0;\n";
  EXPECT_TRUE(only(run(program(rest + arrive)), FindingKind::poison_mask));
  EXPECT_TRUE(silent(run(program(rest + again + arrive))));
  EXPECT_TRUE(silent(run(program(arrive + rest))));
  // A wait with a token of before, and one by parity.
  for (const char* const how : {"test_wait", "try_wait"}) {
    const std::string looks[] = {
        fmt::format("mbarrier.{}.shared.b64 %p1, [bar], %d3;\n", how),
        fmt::format("mbarrier.{}.parity.shared.b64 %p1, [bar], 0;\n", how)};
    for (const std::string& look : looks) {
      EXPECT_TRUE(only(run(program(arrive + rest + look)), FindingKind::poison_mask)) << look;
      EXPECT_TRUE(silent(run(program(arrive + rest + again + look)))) << look;
      EXPECT_TRUE(silent(run(program(arrive + look + rest)))) << look;
    }
  }
}

TEST(Mbarrier, tracks_the_copies_before_it) {
  const std::string copy = "cp.async.ca.shared.global [%r1], [%d0], 4;\n";
  const std::string tracked = copy + "cp.async.mbarrier.arrive.shared.b64 [bar];\n" + arrive;
  const std::string counted =
      copy + "mov.b64 %d3, -1; cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n";
  for (const char* schedule : {"lockstep", "warp_reversed", "random:9"}) {
    std::vector<std::uint32_t> out;
    const auto report = run(program(tracked + wait("W") + read), &out, schedule);
    EXPECT_TRUE(silent(report)) << schedule;
    for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 100 + (t ^ 32));
    const std::string parity =
        "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;\n";
    EXPECT_TRUE(silent(run(program(counted + parity + read), &out, schedule))) << schedule;
    for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], 100 + (t ^ 32));
  }
  // Read before the wait, also by the thread that copied; and not tracked at all.
  const std::string own = "ld.shared.u32 %r5, [%r1];\n";
  EXPECT_TRUE(has(run(program(tracked + own + wait("W"))), FindingKind::poison_output));
  EXPECT_TRUE(has(run(program(copy + arrive + wait("W") + own)), FindingKind::poison_output));
  EXPECT_TRUE(silent(run(program(tracked + wait("W") + own))));
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_mbarrier
