// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an engine leaves to others, each by itself: lanes that run at once, warps that are led by
// another one, blocks that run beside others, products of warpgroups.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "machine/engine/prologue_runs.hpp"
#include "machine/engine/race_reports.hpp"
#include "machine/engine/reports.hpp"
#include "machine/engine/side_by_side.hpp"
#include "machine/engine/trials.hpp"
#include "machine/engine/warpgroup_products.hpp"
#include "tests/machine/engine/decoded.hpp"
#include "tests/machine/engine/noted_path.hpp"

namespace gauntlet::simt {
namespace {

/// A block of one warp, and an array of 64 words that count up.
struct OneWarp : Decoded {
  GlobalMemory memory;
  LaunchConfig config{.entry = "k", .grid = {4}, .block = {64}};
  Block block;
  RegisterFile file;
  NotedPath path{memory};
  Reports reports{kernel, config, memory};
  RaceDetector races{kernel, 64};
  EnginePart part{kernel, config, memory, reports, path, &races};
  Address array = memory.allocate({.name = "a", .bytes = 256});

  explicit OneWarp(const std::string& body, const std::string& target = "sm_80")
      : Decoded(body, target) {
    for (std::uint32_t k = 0; k < 64; ++k) set(k, k);
    block.threads = 64;
    block.warps.resize(2);
    for (Warp& w : block.warps) {
      w.index = static_cast<std::uint32_t>(&w - block.warps.data());
      w.registers = registers.data();
      w.pool = kernel.pool.data();
      w.poison = poison.data();
      w.origin = origin.data();
      w.existing = all_lanes;
      w.begin(0);
      w.file = &file;
    }
    races.start_block(block);
  }
  [[nodiscard]] Warp& lanes() { return block.warps[0]; }
  void set(std::size_t cell, std::uint32_t value) {
    memory.write(array + 4 * cell, std::as_bytes(std::span(&value, 1)));
  }
  [[nodiscard]] std::uint32_t at(std::size_t cell) const {
    std::uint32_t value = 0;
    memory.read(array + 4 * cell, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
};

/// Each lane loads a word, adds 100 and stores the sum.
struct Trying : OneWarp {
  struct Path : NotedPath {
    using NotedPath::NotedPath;
    Trials* trials = nullptr;
    bool at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                 std::uint32_t mask) override {
      Access a = access_of(b, w, inst, op);
      const Allocation& array = *memory_.find(a.address[0]);
      if (!trials->admits(a, array, nullptr, mask, &array, true, false)) return false;
      transfer(a, array, mask, &array);
      return true;
    }
  } path{memory};
  RaceReports race_reports{part};
  Trials trials{{kernel, config, memory, reports, path, &races}, race_reports};

  Trying()
      : OneWarp(
            "ld.global.u32 %r1, [%rd1];\nadd.u32 %r1, %r1, 100;\n"
            "st.global.u32 [%rd2], %r1;\nbar.sync 0;\n") {
    path.trials = &trials;
    addresses(0, 0);
  }
  /// What the access's lanes access: their own word, or that of another one.
  void addresses(std::uint32_t loads, std::uint32_t stores) {
    for (const auto& [op, first] : {std::pair(0U, loads), {1U, stores}}) {
      auto* const to = lanes().destination<std::uint64_t>(kernel.memory_ops[op].address);
      for (std::uint32_t l = 0; l < warp_size; ++l) to[l] = array + 4 * (first + l);
    }
  }
  [[nodiscard]] auto run() { return trials.run(block, lanes(), 0, all_lanes, false, 1000); }
};

TEST(Trials, run_lanes_that_do_not_meet_to_where_they_wait) {
  Trying k;
  const auto came = k.run();
  ASSERT_TRUE(came.has_value());
  EXPECT_TRUE(came->arrives);
  EXPECT_FALSE(came->exits);
  ASSERT_EQ(came->groups.size(), 1U);
  EXPECT_EQ(came->groups[0].pc, k.first(Kind::barrier));
  EXPECT_EQ(came->steps, 3U * warp_size);
  EXPECT_EQ(k.at(31), 131U);
  EXPECT_TRUE(k.reports.recorder().empty());
}

TEST(Trials, take_back_what_lanes_did_that_meet_another_ones_and_do_not_try_again) {
  Trying k;
  k.addresses(0, 1);  // each stores what the next one loads
  const auto before = k.registers;
  EXPECT_FALSE(k.run().has_value());
  EXPECT_EQ(k.registers, before);
  for (std::uint32_t cell : {1U, 31U, 32U}) EXPECT_EQ(k.at(cell), cell);
  k.addresses(0, 0);
  EXPECT_FALSE(k.run().has_value());
}

TEST(Trials, are_not_made_near_the_end_of_a_turn) {
  Trying k;
  EXPECT_FALSE(k.trials.run(k.block, k.lanes(), 0, all_lanes, false, 5).has_value());
  EXPECT_TRUE(k.run().has_value());
}

/// c[i] += 1 for i < n, by a block of two warps. What warp 1 accesses, where warp 0 leads.
struct Led : OneWarp {
  Address workspace = 0;
  PrologueRuns runs{kernel, config, workspace};
  std::vector<std::uint64_t> first;     ///< of accesses that follow
  std::vector<std::uint32_t> executed;  ///< the others
  std::uint32_t n;

  explicit Led(std::uint32_t number)
      : OneWarp(
            "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nmov.u32 %r2, %tid.x;\n"
            "setp.ge.s32 %p1, %r2, %r1;\n@%p1 bra END;\nmul.wide.s32 %rd2, %r2, 4;\n"
            "add.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\nadd.u32 %r3, %r3, 1;\n"
            "st.global.u32 [%rd3], %r3;\nEND:\n"),
        n(number) {}
  std::uint32_t run(std::uint32_t warp, bool goes_on = true) {
    Warp& w = block.warps[warp];
    set_specials(kernel, config, workspace, block, w);
    const auto access = [&](std::uint32_t pc, const MemoryOp& op, std::uint32_t) {
      executed.push_back(pc);
      if (op.space != MemorySpace::param) return;
      for (int l = 0; l < warp_size; ++l) {
        if (op.size == 8)
          w.destination<std::uint64_t>(op.values[0])[l] = array;
        else
          w.destination<std::uint32_t>(op.values[0])[l] = n;
      }
    };
    if (warp == 0) return runs.lead(block, w, access);
    executed.clear();
    return runs.follow(block, w, access, [&](std::uint32_t, const MemoryOp&, std::uint64_t at) {
      first.push_back(at);
      return goes_on;
    });
  }
};

TEST(PrologueRuns, of_the_other_warps_are_their_accesses_where_the_first_one_led) {
  Led k(64);
  ASSERT_TRUE(k.runs.possible(1000));
  EXPECT_FALSE(k.runs.possible(k.kernel.prologue.end));
  EXPECT_EQ(k.run(0), k.kernel.prologue.end);
  ASSERT_TRUE(k.block.leads);
  EXPECT_EQ(k.run(1), k.kernel.prologue.end);
  EXPECT_EQ(k.first, (std::vector<std::uint64_t>{k.array + 128, k.array + 128}));
  EXPECT_TRUE(k.executed.empty());
}

TEST(PrologueRuns, catch_up_with_what_was_left_out_where_an_access_is_an_unusual_one) {
  Led k(64);
  k.run(0);
  const std::uint32_t pc = k.run(1, false);
  EXPECT_EQ(k.kernel.code[pc - 1].kind, Kind::memory);
  EXPECT_EQ(k.executed.size(), 3U);  // both parameters, and the access
  EXPECT_EQ(k.executed.back(), pc - 1);
}

TEST(PrologueRuns, lead_nobody_where_the_last_warp_goes_another_way) {
  Led k(40);
  EXPECT_EQ(k.run(0), k.kernel.prologue.end);
  EXPECT_FALSE(k.block.leads);
}

/// A launch of four blocks, each of which adds its number and 1 to cell 0, and stores it to
/// another.
struct Beside : OneWarp {
  ModuleState state{module, memory};
  AccessMap before;
  Counters counters;
  std::mutex mutex;
  std::map<std::uint32_t, int> ran;  ///< blocks
  std::uint32_t failing = 4;
  static constexpr std::uint32_t add = 0, store = 1;

  Beside() : OneWarp("red.global.add.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r1;\n") {
    config.jobs = 2;
    config.alone = 0;
  }
  [[nodiscard]] SideBySide engine() { return {kernel, state, config, false}; }
  bool run() {
    SideBySide all = engine();
    const bool done = all.run(0, 4, before, counters, reports.origins(),
                              [this](const LaunchConfig& of, Split& split, Split::Thread& thread) {
                                help(*of.accesses, split, thread);
                              });
    EXPECT_EQ(all.blocks(), done ? 4U : 0U);
    return done;
  }
  void help(AccessMap& accesses, Split& split, Split::Thread& thread) {
    SideBySide beside = engine();
    beside.join(split, thread);
    Warp w;
    auto file = registers;
    w.registers = file.data();
    while (const Split::Piece* const piece = beside.next_piece()) {
      for (std::uint32_t b = piece->first_block; b < piece->first_block + piece->blocks; ++b) {
        const MemoryOp& adds = kernel.memory_ops[add];
        w.destination<std::uint32_t>(adds.operand)[0] = b + 1;
        Access a{block, w, add, adds, 4, {}};
        a.address[0] = array;
        beside.defer(a, 1);
        const MemoryOp& stores = kernel.memory_ops[store];
        Access to{block, w, store, stores, 4, {}};
        const Allocation& cells = *memory.find(array);
        to.address[0] = array + 4 * (b + 1);
        beside.before(to, cells, 1);
        std::memcpy(cells.data + 4 * (b + 1), &b, 4);
        accesses.note(cells, stores, to.address, 4, 1);
        if (b == failing) beside.fail();
        const std::lock_guard lock(mutex);
        ++ran[b];
      }
      ++thread.counters.barriers;
    }
  }
};

TEST(SideBySide, runs_each_block_once_and_then_what_was_put_off) {
  Beside k;
  ASSERT_TRUE(k.engine().possible());
  EXPECT_TRUE(k.engine().pays(1, 3, 10));
  EXPECT_FALSE(k.engine().pays(3, 1, 10));
  EXPECT_TRUE(k.run());
  EXPECT_EQ(k.ran, (std::map<std::uint32_t, int>{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  EXPECT_EQ(k.at(0), 10U);
  EXPECT_EQ(k.at(4), 3U);
  EXPECT_NE(k.counters.barriers, 0U);
}

TEST(SideBySide, leaves_all_as_it_was_where_a_block_may_depend_on_others) {
  Beside k;
  k.failing = 2;
  EXPECT_FALSE(k.run());
  for (std::uint32_t cell = 0; cell < 5; ++cell) EXPECT_EQ(k.at(cell), cell);
  EXPECT_EQ(k.counters.barriers, 0U);
  EXPECT_FALSE(k.engine().possible());
}

TEST(SideBySide, leaves_all_as_it_was_where_a_block_wrote_what_one_before_has_accessed) {
  Beside k;
  const Address at[warp_size] = {k.array + 12};
  MemoryOp load;
  k.before.note(*k.memory.find(k.array), load, at, 4, 1);
  EXPECT_FALSE(k.run());
  EXPECT_EQ(k.at(0), 0U);
  EXPECT_EQ(k.at(3), 3U);
}

TEST(WrittenPages, of_the_hosts_memory_keep_what_the_host_wrote_meanwhile) {
  GlobalMemory memory;
  std::vector<std::uint32_t> shared(2000, 7);
  GlobalMemory::Options options;
  options.bytes = shared.size() * sizeof(std::uint32_t);
  const Address adopted = memory.adopt(options, reinterpret_cast<std::byte*>(shared.data()));
  const Address own = memory.allocate(options);
  memory.fill(own, std::byte{7}, options.bytes);
  WrittenPages pages;
  std::vector<AccessMap> accesses(2);
  MemoryOp store;
  store.what = MemoryOp::What::store;
  for (const Address base : {adopted, own}) {
    const Allocation& array = *memory.find(base);
    WrittenPages::Writer writer(pages);
    writer.keep(array, 4092, 8);  // over the border of two pages
    const std::uint64_t at[] = {base + 4092, base + 4096};
    accesses[1].note(array, store, at, 4, 0b11);
    for (const unsigned k : {4092U, 4096U, 4100U}) {
      const std::uint32_t word = 9;
      std::memcpy(array.data + k, &word, sizeof word);
    }
  }
  pages.restore(accesses);
  EXPECT_EQ(shared[4092 / 4], 7U);
  EXPECT_EQ(shared[4096 / 4], 7U);
  EXPECT_EQ(shared[4100 / 4], 9U);  // by the host
  std::uint32_t words[3] = {};
  memory.read(own + 4092, std::as_writable_bytes(std::span(words)));
  for (const std::uint32_t word : words) EXPECT_EQ(word, 0x07070707U);
}

TEST(WarpgroupProducts, are_of_four_warps_ordered_by_a_fence_and_waited_for) {
  OneWarp k(
      ".reg .f32 %f<4>;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
      "{%f0, %f1, %f2, %f3}, %rd1, %rd2, 1, 1, 1, 0, 0;\n",
      "sm_90a");
  WarpgroupProducts products(k.part);
  const std::uint32_t pc = k.first(Kind::warp_sync);
  const MatrixOp& op = k.kernel.matrix_ops[k.kernel.warp_ops[k.kernel.code[pc].extra].matrix];
  EXPECT_FALSE(products.any());
  products.run({k.block, k.lanes(), pc, all_lanes}, op, 0);
  EXPECT_TRUE(products.any());
  products.end_of(k.block);
  EXPECT_FALSE(products.any());
  std::vector<FindingKind> kinds;
  for (const Finding& f : k.reports.recorder().take()) kinds.push_back(f.kind);
  EXPECT_EQ(kinds, (std::vector{FindingKind::race_write_read, FindingKind::divergent_barrier,
                                FindingKind::use_after_free}));
}

}  // namespace
}  // namespace gauntlet::simt
