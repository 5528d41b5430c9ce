// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Data races by happens-before. Two accesses of one cell by different threads race when at least
// one writes, not both are atomic, and no synchronisation orders them. What orders:
//   program order; block barriers (for the threads that take part); bar.warp.sync (for the lanes
//   that take part); a release (fence and strong write, or a release/acq_rel operation) that an
//   acquire reads from, at a scope that includes both threads; launch boundaries.
// A shuffle or a vote exchanges values and orders nothing (PTX ISA 9.0, 9.7.9.6 and 8). Nothing at
// all, program order included, orders a write and a read-only load, by ld.global.nc or ldu (8.1:
// the memory consistency model does not apply to texture accesses). What else is no race, or kinder
// than PTX, says race_rules.cpp; of copies, race_copies.cpp.
//
// Does what is found depend on the schedule? Not between instructions that were executed in a
// kernel that synchronises by launches, barriers and warp barriers alone. Where threads synchronise
// through memory - flags, locks, tickets - the order in which they came is part of what orders: if
// the party of a lock that lacks its acquire comes first, the pair is ordered in that run. Such
// kernels are to be run under several schedules (schedules_for).
//
// The method: every thread's clock is (block epoch, warp epoch, own sequence). A full block barrier
// advances the block epoch, a full bar.warp.sync the warp epoch, so that nearly every question is
// one comparison of an access's clock, as in FastTrack (PLDI 2009) and hierarchical detectors
// (HiRace, SC'24). What partial barriers and release/acquire add is kept as a graph (causes.hpp):
// "of thread u, everything up to clock C". Each cell keeps all accesses that are not ordered before
// a later one - none, one or many threads for each instruction - so that the set of reported pairs
// does not depend on the schedule. Where epochs say it all (no fence, named barrier or partial
// mask), an entry stands for many threads; if a lane exits before a barrier of its warp's others,
// that of the warp counts as not ordered by it. Else it is of one, or of lanes with one clock.
// tests/machine/races/happens_before.hpp says the same with full vector clocks, and judges this.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "machine/code/code.hpp"
#include "machine/races/batch.hpp"
#include "machine/races/block_clock.hpp"
#include "machine/races/causes.hpp"
#include "machine/races/cells.hpp"
#include "machine/races/pair.hpp"
#include "machine/races/rows.hpp"
#include "machine/races/told_races.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/recent_arrays.hpp"
#include "machine/state/spares.hpp"

namespace gauntlet::simt {

class RaceDetector {
 public:
  /// `exact` keeps every thread apart; needed where vector clocks can arise (see needs_exact).
  /// `limit`: of what all detectors of the launch take for arrays; nullptr: none.
  RaceDetector(const Kernel& kernel, std::uint32_t threads_per_block, MemoryLimit* limit = nullptr);
  /// True where it has fences, ordered atomics, named or partial barriers, or asynchronous copies.
  [[nodiscard]] static bool needs_exact(const Kernel& kernel);
  [[nodiscard]] bool exact() const { return exact_; }

  void start_block(Block& block);
  void end_block(const Block& block);
  using Batch = races::Batch;
  using Run = races::Run;
  /// Races are appended to `found`, but for those that are counted where others are told.
  using Found = std::vector<std::pair<Race, std::uint64_t>>;
  void count_as(ToldRaces& told) { told_races_ = &told; }
  /// together: else each lane is kept by itself, as what it is compared with (a log) wants it.
  void access(const Batch& batch, Found& found, bool together = true);
  /// The same of loads and stores, several lanes at once where that is possible.
  void access_by_runs(const Batch& batch, Found& found);
  /// The same, but not looked at unless that may matter. False: nothing was done.
  bool put_off(const Batch& batch);
  /// The same of loads of whole warps, the batch's and those behind it, in which each four lanes'
  /// elements lie one behind the other, where `fours` says: eight of them to a load, 64 at most.
  bool put_off_tile(const Batch& batch, std::span<const std::uint32_t> fours);
  /// The same of lanes whose elements, or vectors of them, of 4, 8 or 16 bytes lie one behind the
  /// other, in which nothing is found but by the lanes returned: `access` is to look at these.
  [[nodiscard]] std::uint32_t access_run(const Run& run);
  /// The same of a whole warp whose lanes' elements lie one behind the other in an array that may
  /// be written. `undefined`: all that they store is; else nothing. False: nothing was done.
  bool access_rows(const Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint64_t at,
                   const Allocation& allocation, bool undefined);
  /// The same as `access`, of a load by which all lanes read one address.
  bool access_broadcast(const Batch& batch);
  /// Of a race that `access` has just appended: whether Lacks::acquire is all that it lacks, and
  /// what it lacks, which takes a look at every flag and ticket.
  [[nodiscard]] bool lacks_only_acquire(const Race& race) const;
  [[nodiscard]] Lacks lacks(const Race& race) const;
  /// Of a pair that `access` has reported: whether the two are no race to PTX, since they are
  /// morally strong, and one reads what only decides branches.
  [[nodiscard]] bool only_decides(const CellAccess& e, const CellAccess& a) const;

  /// How often one of the two rules that are kinder than the letter of PTX was needed: for a pair
  /// of accesses, or for a fence or strong write that hands on what a barrier brought.
  [[nodiscard]] std::uint64_t kinder_rules() const { return kinder_rules_; }

  void fence(const Block& block, const Warp& warp, std::uint32_t lanes, Scope scope, Order order);
  /// fence.proxy; `spaces`: shared memory (1), global memory (2), tensor maps (4).
  void proxy_fence(const Block& block, const Warp& warp, std::uint32_t lanes, unsigned spaces);
  /// bar.warp.sync completed by `lanes`.
  void warp_barrier(const Block& block, const Warp& warp, std::uint32_t lanes);
  /// Lanes arrive at a block barrier with a thread count (bar.arrive among them).
  void barrier_arrive(const Block& block, std::uint32_t id, const Warp& warp, std::uint32_t lanes);
  /// Those who waited leave. `full`: all live threads of the block are among them.
  using Lanes = std::pair<const Warp*, std::uint32_t>;
  void barrier_leave(const Block& block, std::uint32_t id, bool full,
                     std::span<const Lanes> leaving);
  /// Lanes come to the barrier of a cluster; it is complete; lanes leave it.
  /// releases: else it publishes what a fence has made ready (barrier.cluster.arrive.relaxed).
  void cluster_arrive(std::uint32_t cluster, const Block& block, const Warp& warp,
                      std::uint32_t lanes, bool releases);
  void cluster_complete(std::uint32_t cluster);
  void cluster_leave(std::uint32_t cluster, const Block& b, const Warp& w, std::uint32_t lanes);
  void cluster_ends(std::uint32_t cluster) { clusters_.erase(cluster); }
  /// What was noted of the shared memory of a block of a cluster, which is gone.
  void forget(const Allocation& allocation);
  void exit(const Block& block, const Warp& warp, std::uint32_t lanes);
  /// cp.async.mbarrier.arrive: all copies that the lanes have begun end with a phase of an
  /// mbarrier, under which they synchronise (`variable`, by lane). Returns their number.
  std::uint32_t track(const Block& block, const Warp& warp, std::uint32_t lanes,
                      const std::uint64_t* variable);
  /// The lanes wait for their copies up to this number (by lane), which have landed before.
  void copies_wait(const Block& b, const Warp& w, std::uint32_t lanes, const std::uint32_t* number);
  /// The same of a bulk copy by one thread, at the mbarrier of a block of the cluster.
  std::uint32_t track_bulk(const Block& block, std::uint64_t variable, const Block& of,
                           std::uint64_t mbarrier);
  /// Of the wgmma that each warp of a warpgroup begins as its `number`th: what Batch::number is to
  /// be. The lanes have waited for those up to this one, which all of the group have ended then.
  [[nodiscard]] static std::uint32_t number_of_product(std::uint32_t group, std::uint32_t number);
  void product_wait(const Block& block, const Warp& warp, std::uint32_t group,
                    std::uint32_t number);
  /// griddepcontrol.wait: the launch before has ended, which comes before what the lanes do next.
  void launch_wait(const Block& block, const Warp& warp, std::uint32_t lanes);
  /// Those of the lanes whose next instruction comes behind a launch_wait, whoever has made it.
  [[nodiscard]] std::uint32_t behind_launch_wait(const Block& b, const Warp& w,
                                                 std::uint32_t lanes);

 private:
  using Cell = races::Cell;
  using Crowd = races::Crowd;
  using PutOff = races::PutOff;
  using Row = races::Row;
  using Rows = races::Rows;
  using Known = races::Known;
  /// Nothing is noted any more, and nothing found.
  [[nodiscard]] bool full() const { return limit_ != nullptr && limit_->full(); }
  static constexpr std::size_t most_words = 16;  ///< of a lane's access: v8.b64
  using ReleaseSet = races::ReleaseSet;
  using ThreadState = races::ThreadState;
  using Variable = races::Variable;
  using Observed = races::Observed;
  using At = races::At;
  using BlockClock = races::BlockClock;
  static Spares<BlockClock>& spare_clocks();
  [[nodiscard]] BlockClock& find_clock(std::uint32_t block);
  [[nodiscard]] BlockClock& clock(std::uint32_t block) {
    return block == last_block_ ? *last_ : find_clock(block);
  }
  [[nodiscard]] BlockClock& clock(const Block& b) { return clock(b.linear); }
  [[nodiscard]] Clock now(const BlockClock& c, std::uint32_t thread) const;
  // race_put_off.cpp
  [[nodiscard]] static bool may_put_off(const Kernel& kernel);
  [[nodiscard]] bool looked_at(Row& row, std::uint32_t cells, const BlockClock& c,
                               std::uint32_t warp, std::uint32_t lanes, const Batch* load);
  void look_at_loads(BlockClock& c);
  void forget_loads(BlockClock& c);
  /// Before bytes of shared memory are accessed, those that were put off.
  void look_at_loads_of(BlockClock& c, const Block& b, const Region* r, std::uint64_t at,
                        std::uint32_t bytes, bool by_lane = false);
  [[nodiscard]] static unsigned half_of(const Block& b, const Region* r) {
    return r == &b.shared[0] ? 0 : 1;
  }

  // race_mbarriers.cpp
  /// An arrival or wait, if no access that its cells hold can race with it. False: nothing is done.
  [[nodiscard]] bool put_off_operation(const Batch& batch, BlockClock& c);
  /// Those that were put off come to their cells: of the word with that cell, or all.
  void look_at_operations(BlockClock& c, unsigned half, std::uint64_t cell);
  void look_at_operations(BlockClock& c);

  // race_runs.cpp
  [[nodiscard]] bool fits(const Row& row, const Row::Entry& like, std::uint32_t cells, const Run& r,
                          const BlockClock& c, std::uint64_t at);
  void describe(CellAccess& a, const BlockClock& c, const Warp& warp, std::uint32_t inst,
                const MemoryOp& op, CopyStep copy = CopyStep::none) const;
  void describe(CellAccess& a, std::uint32_t inst, const MemoryOp& op, CopyStep copy) const;

  // race_repeats.cpp
  [[nodiscard]] bool repeats(const Row::Entry& e, const Row::Entry& like, std::uint32_t both,
                             const Run& r, std::uint64_t row);
  [[nodiscard]] bool meets(const Row::Entry& copy, const Row& row, const Batch& load,
                           const BlockClock& c);
  void count_met(const Batch& load);
  [[nodiscard]] bool comes_again(const Batch& b, const CellAccess& like, const Rows& rows,
                                 std::uint32_t lane, const std::byte* stored);

  // race_rows.cpp
  void begin_epoch(Row& row, const BlockClock& c) const;
  [[nodiscard]] Cell& apart(Row& row, std::uint32_t cell) const;
  [[nodiscard]] Cell& apart(Row& row, const BlockClock& c, std::uint32_t cell) const;
  /// Of rows that are not accessed as those before them. False: nothing was done.
  [[nodiscard]] bool begin_rows(Rows& rows, const Rows::Whole& like, const Warp& w,
                                const MemoryOp& op, std::uint64_t at, const BlockClock& c) const;

  // race_crowds.cpp
  /// `global`: the array's; nullptr: in `shared`.
  [[nodiscard]] std::uint32_t new_atomics(const Batch& batch, const BlockClock& c,
                                          const CellAccess& like, const Rows* global,
                                          const Row* shared) const;
  [[nodiscard]] bool has_atomic(const Cell& cell, const CellAccess& a) const;
  [[nodiscard]] bool comes_behind(const CellAccess& e, const CellAccess& a,
                                  const BlockClock& c) const;
  [[nodiscard]] bool comes_behind(Crowd& crowd, const CellAccess& a, const BlockClock& c) const;
  [[nodiscard]] bool precedes(Crowd& crowd, std::uint32_t block, const BlockClock& c) const;

  // race_readers.cpp
  [[nodiscard]] static bool keeps_blocks_apart(const Kernel& kernel, Scope wide);
  [[nodiscard]] bool may_join(const CellAccess& e) const;
  void join_readers(Row& row) const;
  void join_readers(Cell& cell) const;
  void join_readers(Crowd& crowd) const;
  [[nodiscard]] std::uint32_t read_row(Row& row, const Row::Entry& like, std::uint32_t cells,
                                       const Run& r, const BlockClock& c, std::uint64_t at);

  // race_copies.cpp
  void keep_copy(Cell& cell, const CellAccess& like, CellAccess a, const BlockClock& c) const;
  void keep_copies(Cell& cell, const BlockClock& c) const;
  [[nodiscard]] bool knows_copy(const CellAccess& e, Known known) const;
  [[nodiscard]] bool knows_copies(const Row::Entry& e, Known known) const;
  [[nodiscard]] bool know_copies(const BlockClock& c, std::uint32_t warp, std::uint32_t lanes,
                                 const Row::Entry& e) const;
  [[nodiscard]] races::Tracked tracked(std::uint32_t number) const;
  void note_landed(const Warp& warp, std::uint32_t number);

  // race_rules.cpp
  [[nodiscard]] static const races::OneValue* one_value(Cell& cell, const CellAccess& a,
                                                        CopyStep copy);

  // race_broadcast.cpp
  [[nodiscard]] bool harmless(const CellAccess& e, const CellAccess& a, const BlockClock& c,
                              std::uint64_t key) const;
  [[nodiscard]] bool harmless(Cell& cell, const CellAccess& a, const BlockClock& c,
                              std::uint64_t key) const;
  void read(Cell& cell, CellAccess a, std::uint32_t lanes, const BlockClock& c, std::uint64_t key,
            Found& found, std::uint64_t address, const At& at);
  void hold(Cell& cell, CellAccess a, std::uint32_t lanes, const BlockClock* now, bool together);
  void read_by_all(Cell& cell, CellAccess& a, const BlockClock& c, std::uint32_t mask) const;

  // race.cpp
  [[nodiscard]] static bool nobody_writes(const Allocation* allocation, const MemoryOp& op);
  [[nodiscard]] Rows& rows_of(const Allocation& allocation) {
    Global::value_type* const recent = recent_.at(allocation.base);
    const bool known = recent != nullptr && recent->first == &allocation;
    return known ? recent->second : find_rows(allocation);
  }
  [[nodiscard]] Rows& find_rows(const Allocation& allocation);
  [[nodiscard]] Cell& apart(Rows& rows, std::uint64_t cell) const;
  [[nodiscard]] static CellAccess* read_before(Cell& cell, const CellAccess& a);
  struct Compared {
    CellAccess* mine;  ///< the entry of the access's thread and instruction
    Crowd* behind;     ///< its crowd, all of which it comes behind
  };
  Compared compare(Cell& cell, const CellAccess& a, const BlockClock& c, std::uint64_t key,
                   Found& found, std::uint64_t address, const At& at);
  void add_access(Cell& cell, const CellAccess& like, const CellAccess& a, const BlockClock& c,
                  std::uint64_t key, Found& found, std::uint64_t address, const At& at);
  static void empty(Cell& cell);
  void insert(Cell& cell, const CellAccess& a) const;
  void add_to_crowd(Cell& cell, const CellAccess& a) const;
  [[nodiscard]] static CellAccess& renew(Cell& cell, std::uint32_t epoch, std::uint8_t bytes);
  void keep(Cell& cell, CellAccess* mine, const CellAccess& like, const CellAccess& a) const;
  CellAccess* take_turn(Cell& cell, const CellAccess& like, const CellAccess& a,
                        std::uint32_t since) const;
  static void put(CellAccess& to, const CellAccess& like, const CellAccess& a);
  [[nodiscard]] static bool reread(Cell& cell, const CellAccess& a, const BlockClock& c);

  // race_rules.cpp
  [[nodiscard]] const MemoryOp& op_of(const CellAccess& t) const {
    return kernel_.memory_ops[kernel_.code[t.inst].extra];
  }
  /// A write and a read-only load of what it writes race whoever makes them, and whenever.
  [[nodiscard]] static bool never_ordered(const CellAccess& e, const CellAccess& a) {
    return (e.read_only && a.kind != AccessKind::read) ||
           (a.read_only && e.kind != AccessKind::read);
  }
  [[nodiscard]] bool overlap_completely(const CellAccess& e, const CellAccess& a) const;
  [[nodiscard]] bool morally_strong(const CellAccess& e, const CellAccess& a,
                                    bool same_block) const;
  [[nodiscard]] bool is_flag(const CellAccess& writer, const CellAccess& waiter) const;
  [[nodiscard]] bool excused(const CellAccess& e, const CellAccess& a, bool same_block) const;
  [[nodiscard]] bool all_excused(const Crowd& crowd, const CellAccess& a) const;

  // race_order.cpp
  [[nodiscard]] static std::uint64_t key_of(std::uint32_t block) {
    return std::uint64_t{block} << 16;
  }
  [[nodiscard]] bool ordered(const CellAccess& e, const CellAccess& a, const BlockClock& c,
                             std::uint64_t cell) const;
  [[nodiscard]] bool covers(Known known, const CellAccess& e, std::uint64_t cell,
                            std::uint64_t parties = 0) const;
  /// A copy of the asynchronous proxy comes behind a plain write, and no fence is between the two.
  [[nodiscard]] bool lacks_proxy_fence(const CellAccess& e, const CellAccess& a,
                                       const BlockClock& c, bool shared) const;
  struct Left {
    bool block = false, warp = false;
  };
  [[nodiscard]] Left exited_early(const CellAccess& e) const;
  void settle_causes();
  // race_acquires.cpp
  /// Something that the lane's strong read is to take.
  [[nodiscard]] bool is_published(const Batch& b, const BlockClock& c, std::uint32_t lane) const;
  [[nodiscard]] bool may_synchronise(const Batch& batch, const BlockClock& c,
                                     std::uint32_t thread) const;
  /// `common`: what all lanes of the batch publish; nothing: each its own past.
  void synchronise(const Batch& batch, BlockClock& c, ThreadState& state, std::uint32_t lane,
                   CellAccess& a, Observed& seen, Known common);
  void synchronise(const Batch& batch, BlockClock& c, std::uint32_t lanes, CellAccess& a,
                   Observed& seen);
  void publish_together(const Batch& batch, BlockClock& c, CellAccess& a, Known common);
  /// The past of all lanes that release to one variable of the block and know the same; nothing:
  /// they do not.
  [[nodiscard]] Known common_past(const Batch& batch, const BlockClock& c, const CellAccess& like);
  /// Some of its strong accesses and fences are of a smaller scope.
  [[nodiscard]] static bool leaves_blocks_out(const Kernel& kernel, Scope wide);
  /// Read-modify-writes that threads make in turn. Returns the lanes from the first other one on.
  [[nodiscard]] std::uint32_t take_turns(const Batch& batch, BlockClock& c, const CellAccess& like,
                                         const Rows& rows);
  [[nodiscard]] bool begin_turns(Variable& v, std::uint64_t at, const CellAccess& like,
                                 std::uint32_t width, const Rows& rows);
  void end_turns(const Rows& rows, std::uint64_t base, std::uint64_t cell);
  void end_turns(const Batch& batch, std::uint32_t lanes, const Rows& rows);
  void end_turns();
  void observe(ThreadState& state, const Observed& seen);
  [[nodiscard]] Known with(Known known, const Observed& seen);
  [[nodiscard]] static std::uint64_t variable_key(const Batch& batch, std::uint64_t address);
  void join(Known& known, Known other) { known = causes_.join(known, other); }
  /// Of lanes of a warp that know the same and have come as far.
  [[nodiscard]] Known past_of(const BlockClock& c, std::uint32_t block, Known known,
                              std::uint32_t warp, std::uint32_t lanes);
  [[nodiscard]] Known published(const ReleaseSet& release, std::uint32_t block, std::uint32_t warp,
                                std::uint32_t lanes);
  /// The states of these lanes, each with the lanes whose it is, which have come as far.
  template <class Visit>
  void change(BlockClock& c, const Warp& warp, std::uint32_t lanes, Visit visit);
  // race_barriers.cpp
  static void note_lanes(BlockClock& c, std::uint32_t warp, std::uint32_t lanes);
  static void align_lanes(BlockClock& c, std::uint32_t warp);
  void note_early_exits(BlockClock& c, std::uint32_t block, std::uint32_t warp);
  void note_early_exits(BlockClock& c, std::uint32_t block, std::span<const Lanes> staying);
  static void hand_on_wait(BlockClock& c, std::span<const Lanes> all);
  static void hand_on(ThreadState& to, const ThreadState& joined);
  template <class Visit>
  void look_at(const BlockClock& c, std::uint32_t warp, std::uint32_t lanes, Visit visit) const;
  void join_pending(ThreadState& into, const ThreadState& from, std::uint32_t block,
                    std::uint32_t warp, std::uint32_t lanes);
  void hand_on(BlockClock& c, const Warp& warp, std::uint32_t lanes, const ThreadState& joined);

  const Kernel& kernel_;
  ToldRaces* told_races_ = nullptr;  ///< nullptr: each race is to be found
  std::vector<std::pair<const Recorder::Seen*, std::uint64_t>> repeats_;  ///< of the run at hand
  races::MetCopies met_;                                                  ///< by the load at hand
  std::uint32_t threads_;
  MemoryLimit* limit_;
  bool exact_;
  races::LentRoom own_room_;
  std::pmr::unordered_map<std::uint32_t, std::unique_ptr<BlockClock>> clocks_{
      &*own_room_};  // by linear block
  std::unordered_map<std::uint32_t, races::ClusterClock> clusters_;
  /// Strong accesses of this scope and wider count as of the device: where a launch may have
  /// clusters, those of a cluster.
  Scope wide_ = Scope::gpu;
  bool has_sync_variables_ = false;
  bool any_turns_ = false;      ///< some word's cells are not told of the latest access
  bool unordered_ops_ = false;  ///< the kernel has read-only loads or asynchronous copies
  bool has_proxies_ = false;    ///< ... of the asynchronous proxy
  races::PutsOff puts_off_;
  bool acquires_later_ = false;  ///< ... fences or volatile reads, which what was read counts for
  bool scopes_differ_ = false;   ///< some of its strong accesses and fences leave other blocks out
  bool blocks_apart_ = false;    ///< nothing orders what one block does and what another one does
  bool crowded_rows_ = false;    ///< of shared memory: a load did not fit among the others
  bool has_barriers_ = false;    ///< of a block, of lanes of a warp, or of a cluster
  std::uint32_t tracked_ = 0;    ///< by track(), the last ones of which are here
  std::vector<races::Tracked> last_tracked_;
  mutable std::uint64_t kinder_rules_ = 0;
  BlockClock* last_ = nullptr;
  std::uint32_t last_block_ = ~0U;
  using Global = std::unordered_map<const Allocation*, Rows>;
  Global global_;
  RecentArrays<Global::value_type> recent_;
  races::ClockRoom clock_room_{limit_};
  mutable races::Causes causes_{*own_room_};
  races::Variables sync_global_;
  std::unordered_map<std::uint64_t, races::EarlyExit> early_exits_;
};

}  // namespace gauntlet::simt
