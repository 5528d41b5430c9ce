// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Clusters of blocks: shared memory of other blocks, barriers of a cluster, and what is missing
// without them.
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_cluster {
namespace {

constexpr const char* schedules[] = {"lockstep",       "high_lane_first", "warp_reversed",
                                     "block_reversed", "random:0",        "random:7"};
constexpr const char* barrier = "barrier.cluster.arrive; barrier.cluster.wait;";

/// Clusters of two: each thread leaves 100 * rank + thread in shared memory, then stores what the
/// same thread of the other block has left, and that block's rank.
std::string exchange(std::string_view before, std::string_view behind,
                     std::string_view rank = "xor.b32 %r7, %r5, 1;") {
  std::string text =
      kernel(".param .u64 out",
             "ld.param.u64 %d0, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, s;"
             "add.u32 %r4, %r3, %r2; mov.u32 %r5, %cluster_ctarank; mad.lo.u32 %r6, %r5, 100, %r1;"
             "st.shared.u32 [%r4], %r6;\n" +
                 std::string(before) + "\n" + std::string(rank) +
                 "mapa.shared::cluster.u32 %r8, %r4, %r7;\n"
                 "ld.shared::cluster.u32 %r9, [%r8];\n"
                 "getctarank.shared::cluster.u32 %r10, %r8; mad.lo.u32 %r9, %r10, 1000, %r9;"
                 "mov.u32 %r11, %ctaid.x; mov.u32 %r12, %ntid.x; mad.lo.u32 %r11, %r11, %r12, %r1;"
                 "mad.wide.u32 %d1, %r11, 4, %d0; st.global.u32 [%d1], %r9;\n" +
                 std::string(behind),
             ".shared .align 4 .b8 s[256];");
  const std::string head = ".param .u64 out) {";
  text.replace(text.find(head), head.size(),
               ".param .u64 out) .explicitcluster .reqnctapercluster 2, 1, 1 {");
  return text;
}
LaunchReport run(const std::string& text, const std::string& schedule, std::uint32_t blocks = 4,
                 std::vector<std::uint32_t>* values = nullptr) {
  Device device(text);
  const auto out = device.output<std::uint32_t>("out", blocks * 64);
  Launch launch{.grid = {blocks}, .block = {64}};
  launch.schedule = schedule;
  launch.races = true;
  const LaunchReport report = device.launch(launch, out);
  if (values != nullptr) *values = device.read<std::uint32_t>(out, blocks * 64);
  return report;
}

TEST(Cluster, blocks_read_each_others_shared_memory) {
  std::vector<std::uint32_t> expected;
  for (std::uint32_t k = 0; k < 300 * 64; ++k) {
    const std::uint32_t other = k / 64 % 2 == 0 ? 1 : 0;
    expected.push_back(1100 * other + k % 64);
  }
  for (const std::string schedule : schedules) {
    const std::uint32_t blocks = schedule == std::string("lockstep") ? 300 : 6;
    std::vector<std::uint32_t> values;
    EXPECT_TRUE(silent(run(exchange(barrier, barrier), schedule, blocks, &values))) << schedule;
    EXPECT_TRUE(std::equal(values.begin(), values.end(), expected.begin())) << schedule;
  }
}

TEST(Cluster, a_read_that_no_barrier_of_the_cluster_orders_is_a_race) {
  for (const char* const missing :
       {"bar.sync 0;", "barrier.cluster.arrive.relaxed; barrier.cluster.wait;"}) {
    for (const std::string schedule : schedules) {
      const LaunchReport report = run(exchange(missing, barrier), schedule);
      EXPECT_TRUE(has(report, FindingKind::race_write_read)) << missing << text(report);
    }
  }
}

TEST(Cluster, an_arrival_that_ends_a_phase_and_its_copies_publishes_all_the_same) {
  std::string text = kernel(
      ".param .u64 in",
      std::string("ld.param.u64 %d0, [in]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2;"
                  "mov.u32 %r3, s; add.u32 %r4, %r3, %r2; xor.b32 %r5, %r2, 128;"
                  "add.u32 %r5, %r3, %r5; mad.wide.u32 %d1, %r1, 4, %d0; setp.eq.u32 %p0, %r1, 0;"
                  "mov.u32 %r6, 64; @%p0 mbarrier.init.shared.b64 [bar], %r6;\n") +
          barrier +
          "st.shared.u32 [%r4], %r1; cp.async.ca.shared.global [%r4+256], [%d1], 4;"
          "cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];\n"
          "W: mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0; @!%p1 bra W;\n"
          "ld.shared.u32 %r7, [%r5]; ld.shared.u32 %r8, [%r5+256];\n" +
          barrier + "ret;",
      ".shared .align 4 .b8 s[512]; .shared .align 8 .b64 bar;");
  const std::string head = ".param .u64 in) {";
  text.replace(text.find(head), head.size(),
               ".param .u64 in) .explicitcluster .reqnctapercluster 2, 1, 1 {");
  for (const std::string schedule : schedules) {
    Device device(text);
    const auto in = device.input("in", std::vector<std::uint32_t>(64, 1));
    const Launch launch{.grid = {2}, .block = {64}, .schedule = schedule, .races = true};
    EXPECT_TRUE(silent(device.launch(launch, in))) << schedule;
  }
}

TEST(Cluster, a_relaxed_arrival_publishes_what_a_fence_before_it_releases) {
  const std::string arrive = "barrier.cluster.arrive.relaxed;", wait = "barrier.cluster.wait;";
  for (const std::string fence :
       {"fence.acq_rel.cluster;", "fence.mbarrier_init.release.cluster;"}) {
    for (const std::string schedule : schedules) {
      EXPECT_TRUE(silent(run(exchange(fence + arrive + wait, barrier), schedule))) << fence;
      EXPECT_TRUE(has(run(exchange(arrive + fence + wait, barrier), schedule),
                      FindingKind::race_write_read))
          << fence << schedule;
    }
  }
}

TEST(Cluster, shared_memory_ends_with_its_block) {
  const LaunchReport report = run(exchange(barrier, ""), "lockstep");
  EXPECT_TRUE(only(report, FindingKind::use_after_free));
}

TEST(Cluster, a_rank_that_is_not_there_is_no_memory) {
  const LaunchReport report = run(exchange(barrier, barrier, "mov.u32 %r7, 2;"), "lockstep");
  EXPECT_TRUE(only(report, FindingKind::unallocated));
}

TEST(Cluster, threads_that_have_exited_are_not_waited_for_and_others_are) {
  const std::string leave = "setp.ge.u32 %p1, %r1, 32; @%p1 exit;";
  EXPECT_TRUE(run(exchange(leave + barrier, barrier), "lockstep").completed);
  const std::string stay = "setp.ge.u32 %p1, %r1, 32; @%p1 bar.sync 0;";
  const LaunchReport report = run(exchange(stay + barrier, barrier), "lockstep");
  EXPECT_FALSE(report.completed);
  EXPECT_TRUE(has(report, FindingKind::deadlock)) << text(report);
}

TEST(Cluster, a_grid_that_is_not_made_of_clusters_is_refused) {
  EXPECT_THROW((void)run(exchange(barrier, barrier), "lockstep", 3), std::invalid_argument);
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_cluster
