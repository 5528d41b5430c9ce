// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where threads meet, each by itself: barriers of a block, what lanes of a warp exchange, and what
// is said of accesses that race.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/counters.hpp"
#include "machine/engine/barriers.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/engine/collectives.hpp"
#include "machine/engine/race_reports.hpp"
#include "machine/engine/reports.hpp"
#include "machine/races/race.hpp"
#include "machine/schedules/scheduler.hpp"
#include "tests/machine/engine/decoded.hpp"
#include "tests/machine/engine/noted_path.hpp"

namespace gauntlet::simt {
namespace {

using State = Subwarp::State;

/// A block of two warps that are at the first instruction which is not straight code.
struct Meeting : Decoded {
  GlobalMemory memory;
  LaunchConfig config;
  Block block;
  std::vector<std::byte> others = std::vector<std::byte>(kernel.register_bytes);
  Reports reports{kernel, config, memory};
  NotedPath path{memory};
  RaceDetector races{kernel, 2 * warp_size};
  EnginePart part{kernel, config, memory, reports, path};
  ResidentBlocks residents;
  Counters counters;
  Clusters clusters{kernel, config};
  Barriers barriers{part, clusters, residents, counters};
  std::uint32_t multiplied = 0;  ///< lanes
  Collectives collectives{
      part, residents,
      [this](Block&, Warp&, std::uint32_t, std::uint32_t lanes) { multiplied = lanes; }};
  RaceReports race_reports{{kernel, config, memory, reports, path, &races}};

  explicit Meeting(const std::string& body) : Decoded(body) {
    residents.quantum = 100;
    block.threads = 2 * warp_size;
    block.warps.resize(2);
    for (std::uint32_t k = 0; k < 2; ++k) {
      Warp& w = block.warps[k];
      w.index = k;
      w.registers = k == 0 ? registers.data() : others.data();
      w.pool = kernel.pool.data();
      w.poison = poison.data();
      w.origin = origin.data();
      w.existing = all_lanes;
      w.begin(0);
      while (kernel.code[w.subwarps[0].pc].kind == Kind::data) ++w.subwarps[0].pc;
    }
  }
  Warp& lanes() { return block.warps[0]; }
  Subwarp& at(std::uint32_t warp, std::uint32_t subwarp = 0) {
    return block.warps[warp].subwarps[subwarp];
  }
  void exit(std::uint32_t warp, std::uint32_t which) {
    Warp& w = block.warps[warp];
    w.exited |= which;
    w.subwarps[0].lanes &= ~which;
    block.exited_threads += lane_count(which);
  }
  std::vector<Finding> found() { return reports.recorder().take(); }
};

TEST(Barriers, let_all_go_on_once_the_last_warp_has_come) {
  Meeting k("bar.sync 0;\n");
  const std::uint32_t pc = k.at(0).pc;
  k.barriers.arrive(k.block, k.block.warps[0], 0);
  EXPECT_EQ(k.at(0).state, State::at_barrier);
  EXPECT_EQ(k.block.interval, 0U);
  k.barriers.arrive(k.block, k.block.warps[1], 0);
  for (std::uint32_t warp : {0U, 1U}) {
    EXPECT_EQ(k.at(warp).state, State::runnable);
    EXPECT_EQ(k.at(warp).pc, pc + 1);
    EXPECT_EQ(k.block.warps[warp].last_barrier, pc);
  }
  EXPECT_EQ(k.block.interval, 1U);
  EXPECT_EQ(k.counters.barriers, 1U);
  EXPECT_EQ(k.residents.wakes, 1U);
  EXPECT_TRUE(k.found().empty());
}

TEST(Barriers, with_a_count_wait_for_as_many_threads_in_whole_warps) {
  Meeting one("bar.sync 1, 32;\n");
  one.barriers.arrive(one.block, one.block.warps[1], 0);
  EXPECT_EQ(one.at(1).state, State::runnable);
  EXPECT_TRUE(one.found().empty());
  Meeting odd("bar.sync 1, 48;\n");
  odd.barriers.arrive(odd.block, odd.block.warps[1], 0);
  EXPECT_EQ(odd.at(1).state, State::at_barrier);
  const auto found = odd.found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::divergent_barrier);
  EXPECT_NE(found[0].detail.find("no multiple of 32"), std::string::npos);
}

TEST(Barriers, count_threads_that_have_exited_as_arrived_and_say_so) {
  Meeting k("bar.sync 0;\n");
  k.barriers.arrive(k.block, k.block.warps[0], 0);
  k.exit(1, all_lanes);
  EXPECT_EQ(k.at(0).state, State::at_barrier);
  k.barriers.check(k.block);
  EXPECT_EQ(k.at(0).state, State::runnable);
  const auto found = k.found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::partial_barrier);
  EXPECT_EQ(found[0].severity, Severity::warning);
  EXPECT_NE(found[0].detail.find("32 of 64 threads of the block exited before this barrier"),
            std::string::npos);
}

TEST(Barriers, are_one_instruction_for_all_lanes_of_a_warp_that_are_aligned) {
  for (const bool aligned : {true, false}) {
    Meeting k(aligned ? "bar.sync 0;\nbar.sync 0;\n" : "barrier.sync 0;\nbarrier.sync 0;\n");
    Warp& w = k.lanes();
    w.split(0, 0xFFFF'0000).pc = k.at(0).pc + 1;
    k.barriers.arrive(k.block, w, 0);
    k.barriers.arrive(k.block, w, 1);
    k.barriers.arrive(k.block, k.block.warps[1], 0);
    EXPECT_EQ(w.subwarp_count, 2U);  // behind two instructions
    const auto found = k.found();
    ASSERT_EQ(found.size(), aligned ? 1U : 0U);
    if (aligned) {
      EXPECT_EQ(found[0].at.lane, 16U);
    }
  }
}

TEST(Barriers, give_those_who_leave_what_all_have_brought) {
  Meeting k("bar.red.popc.u32 %r1, 0, %p1;\n");
  const BarrierOp& op = k.kernel.barrier_ops[0];
  k.block.warps[0].destination<std::uint32_t>(op.predicate)[0] = 0b1011;
  k.block.warps[1].destination<std::uint32_t>(op.predicate)[0] = 0b1;
  k.barriers.arrive(k.block, k.block.warps[0], 0);
  k.barriers.arrive(k.block, k.block.warps[1], 0);
  const Operand d = k.kernel.code[k.first(Kind::barrier)].d;
  EXPECT_EQ(k.block.warps[0].source<std::uint32_t>(d)[31], 4U);
  EXPECT_EQ(k.block.warps[1].source<std::uint32_t>(d)[0], 4U);
}

TEST(Barriers, of_a_block_have_numbers_up_to_15) {
  Meeting k("barrier.sync %r1;\n");
  const Operand id = k.kernel.barrier_ops[0].id;
  k.lanes().destination<std::uint32_t>(id)[0] = 15;
  k.barriers.arrive(k.block, k.lanes(), 0);
  EXPECT_FALSE(k.reports.stopped());
  k.block.warps[1].destination<std::uint32_t>(id)[0] = 16;
  k.barriers.arrive(k.block, k.block.warps[1], 0);
  EXPECT_TRUE(k.reports.stopped());
  EXPECT_EQ(k.found().at(0).detail, "barrier 16 does not exist: a block has 0 to 15");
}

const char* const neighbours = "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;\n";

/// The lanes bring their numbers.
struct Exchange : Meeting {
  explicit Exchange(const std::string& body) : Meeting(body) {
    for (std::uint32_t l = 0; l < warp_size; ++l) {
      lanes().destination<std::uint32_t>(op().a)[l] = l;
    }
  }
  [[nodiscard]] const WarpOp& op() const { return kernel.warp_ops[0]; }
  std::uint32_t given(unsigned lane) {
    return lanes().source<std::uint32_t>(op().destination)[lane];
  }
  bool arrive(std::uint32_t subwarp = 0) { return collectives.arrive(block, lanes(), subwarp); }
};

TEST(Collectives, of_a_whole_warp_are_done_at_once) {
  Exchange k(neighbours);
  EXPECT_TRUE(k.arrive());
  EXPECT_EQ(k.given(0), 1U);
  EXPECT_EQ(k.given(31), 30U);
  EXPECT_TRUE(k.found().empty());
}

TEST(Collectives, wait_for_all_lanes_of_the_mask) {
  Exchange k(neighbours);
  const std::uint32_t pc = k.at(0).pc;
  k.lanes().split(0, 2);
  EXPECT_FALSE(k.arrive(0));
  EXPECT_EQ(k.at(0).state, State::at_warp_sync);
  k.collectives.check(k.block, k.lanes());
  EXPECT_EQ(k.at(0).state, State::at_warp_sync);  // lane 1 has not come
  EXPECT_FALSE(k.arrive(1));
  EXPECT_EQ(k.lanes().subwarp_count, 1U);
  EXPECT_EQ(k.at(0).pc, pc + 1);
  EXPECT_EQ(k.given(1), 0U);
  EXPECT_EQ(k.given(0), 1U);
}

TEST(Collectives, wait_no_more_for_lanes_that_exit) {
  Exchange k("bar.warp.sync -1;\n");
  k.lanes().split(0, 2);
  EXPECT_FALSE(k.arrive(0));
  k.lanes().exited = 2;
  k.lanes().remove(1);
  k.collectives.check(k.block, k.lanes());
  EXPECT_EQ(k.at(0).state, State::runnable);
  EXPECT_TRUE(k.found().empty());  // those of a shuffle would be named
}

TEST(Collectives, name_a_lane_that_its_mask_leaves_out_or_that_has_exited) {
  Exchange own("bar.warp.sync 0xfffffffe;\n");
  EXPECT_TRUE(own.arrive());
  auto found = own.found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::not_in_own_mask);
  EXPECT_EQ(found[0].at.lane, 0U);
  Exchange gone(neighbours);
  gone.exit(0, 1U << 31);
  EXPECT_TRUE(gone.arrive());
  found = gone.found();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::named_lane_exited);
  EXPECT_EQ(found[0].severity, Severity::note);
}

TEST(Collectives, hand_on_what_is_undefined_to_who_is_given_it) {
  Exchange k(neighbours);
  k.lanes().poison_live = true;
  k.poison[k.op().a.id] = 1U << 4;
  EXPECT_TRUE(k.arrive());
  EXPECT_EQ(k.poison[k.op().destination.id], 1U << 5);
  Exchange all("vote.sync.ballot.b32 %r1, %p1, -1;\n");
  all.lanes().poison_live = true;
  EXPECT_TRUE(all.arrive());
  EXPECT_EQ(all.poison[all.op().destination.id], 0U);
  all.poison[all.op().a.id] = 1;
  EXPECT_TRUE(all.arrive());
  EXPECT_EQ(all.poison[all.op().destination.id], all_lanes);
}

TEST(Collectives, of_tensor_cores_are_done_by_all_lanes_together) {
  Meeting k(
      "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%rd1, %rd2}, {%rd3}, {%rd4}, {%rd1, "
      "%rd2};\n");
  k.lanes().split(0, 1);
  EXPECT_FALSE(k.collectives.arrive(k.block, k.lanes(), 0));
  EXPECT_EQ(k.multiplied, 0U);
  EXPECT_FALSE(k.collectives.arrive(k.block, k.lanes(), 1));
  EXPECT_EQ(k.multiplied, all_lanes);
}

/// A store of four bytes to shared memory, and a load of the first of them.
struct Racing : Meeting {
  std::uint32_t store = 0, load = 0;

  Racing()
      : Meeting(
            ".shared .align 4 .b8 s[128];\nmov.u32 %r2, s;\nst.shared.u32 [%r2], %r1;\n"
            "ld.shared.u8 %r3, [%r2];\n") {
    while (kernel.code[store].kind != Kind::memory) ++store;
    load = store + 1;
    while (kernel.code[load].kind != Kind::memory) ++load;
  }
  [[nodiscard]] const MemoryOp& op(std::uint32_t inst) const {
    return kernel.memory_ops[kernel.code[inst].extra];
  }
  [[nodiscard]] CellAccess by(std::uint32_t inst, std::uint16_t thread) const {
    CellAccess a;
    a.inst = inst;
    a.kind = inst == store ? AccessKind::write : AccessKind::read;
    a.bytes = inst == store ? 0xF : 1;
    a.thread = thread;
    return a;
  }
  Finding told(const CellAccess& earlier, const CellAccess& later, bool same_value = false) {
    Race race{.earlier = earlier, .later = later, .same_value = same_value};
    race.lane = later.thread % warp_size;
    const Access a{block, lanes(), later.inst, op(later.inst), op(later.inst).width(), {}};
    race_reports.tell(a, race, kernel.shared[0].offset, nullptr);
    const auto all = found();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? Finding{} : all[0];
  }
};

TEST(RaceReports, name_a_pair_in_program_order_whatever_came_first) {
  Racing in_order, reversed;
  const Finding one = in_order.told(in_order.by(in_order.store, 0), in_order.by(in_order.load, 40));
  EXPECT_EQ(one, reversed.told(reversed.by(reversed.load, 40), reversed.by(reversed.store, 0)));
  EXPECT_EQ(one.kind, FindingKind::race_write_read);
  EXPECT_EQ(one.array, "s");
  EXPECT_EQ(one.size, 1U);  // bytes of the load, which is at `at`
  EXPECT_EQ(one.at.warp, 1U);
  EXPECT_EQ(one.other->value, "0");
  EXPECT_EQ(one.severity, Severity::error);
  EXPECT_NE(one.detail.find("no barrier orders the write at ptx line "), std::string::npos);
}

TEST(RaceReports, say_what_would_order_the_two) {
  Racing warp, apart;
  EXPECT_NE(warp.told(warp.by(warp.store, 0), warp.by(warp.load, 1)).detail.find("no __syncwarp "),
            std::string::npos);
  CellAccess other = apart.by(apart.load, 1);
  other.block = 1;
  apart.config.grid = {2};
  const Finding found = apart.told(apart.by(apart.store, 0), other);
  EXPECT_NE(found.detail.find("no barrier of the cluster "), std::string::npos);
  EXPECT_EQ(found.at.block.x, 1U);
}

TEST(RaceReports, of_one_value_are_notes_and_of_two_are_errors) {
  Racing same, differ;
  const Finding note = same.told(same.by(same.store, 0), same.by(same.store, 40), true);
  EXPECT_EQ(note.kind, FindingKind::race_same_value);
  EXPECT_EQ(note.severity, Severity::note);
  EXPECT_NE(note.detail.find("; both write one value"), std::string::npos);
  const Finding error = differ.told(differ.by(differ.store, 0), differ.by(differ.store, 40));
  EXPECT_EQ(error.kind, FindingKind::race_write_write);
  EXPECT_EQ(error.severity, Severity::error);
}

}  // namespace
}  // namespace gauntlet::simt
