// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch: its blocks, its subwarps' way through the code, where they wait for each other, and
// the usual ways of memory. What stands for itself is a class beside it, of the headers below.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/code/target.hpp"
#include "machine/counters/counter_table.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/async_copies.hpp"
#include "machine/engine/barriers.hpp"
#include "machine/engine/bulk_copies.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/engine/collectives.hpp"
#include "machine/engine/deadlocks.hpp"
#include "machine/engine/dependent_launch.hpp"
#include "machine/engine/machine.hpp"
#include "machine/engine/mbarriers.hpp"
#include "machine/engine/parameters.hpp"
#include "machine/engine/prologue_runs.hpp"
#include "machine/engine/race_reports.hpp"
#include "machine/engine/reports.hpp"
#include "machine/engine/side_by_side.hpp"
#include "machine/engine/step_limit.hpp"
#include "machine/engine/system_calls.hpp"
#include "machine/engine/textures.hpp"
#include "machine/engine/trials.hpp"
#include "machine/engine/waiting_rounds.hpp"
#include "machine/engine/warpgroup_products.hpp"
#include "machine/races/access_map.hpp"
#include "machine/races/race.hpp"
#include "machine/schedules/recording.hpp"
#include "machine/schedules/scheduler.hpp"
#include "machine/state/block.hpp"
#include "machine/state/recent_arrays.hpp"

namespace gauntlet::simt {

/// How far a launch has come, for who wants to be told now and then.
class Progress {
 public:
  void block_ended() { ++blocks_; }
  /// A subwarp has had a turn, of a few instructions to 65,536.
  void turn(LaunchProgress& to, std::uint64_t warp_instructions) {
    constexpr std::uint32_t turns = 1024;
    if (++turns_ % turns != 0) return;
    to.blocks += std::exchange(blocks_, 0);
    to.warp_instructions += warp_instructions - std::exchange(told_, warp_instructions);
    to.tell();
  }

 private:
  std::uint32_t turns_ = 0, blocks_ = 0;
  std::uint64_t told_ = 0;
};

class Engine final : Reports, AccessPath {
 public:
  Engine(const Kernel& kernel, ModuleState& state, const LaunchConfig& config);
  LaunchReport run();

 private:
  // engine_blocks.cpp
  void start_block(std::uint32_t linear);
  void retire_finished();
  /// Runs the blocks that are left, until all have ended or the launch is stopped.
  void run_blocks();
  /// Of several threads, with engines of their own, or one behind the other.
  void run_beside_others();
  void run_pieces(Split& split, Split::Thread& thread);
  [[nodiscard]] bool interrupted() const {
    return config_.interrupted != nullptr && config_.interrupted->load(std::memory_order_relaxed);
  }

  // engine.cpp
  /// What watches each instruction: counters by instruction, or a shadow of symbolic values. A
  /// launch that asks for neither pays nothing for them.
  enum class Watch : std::uint8_t { none, counters, shadow };
  template <Watch watch>
  void step(const Choice& choice);
  /// A call, a group of copies; a trap or a false assertion, which ends the launch.
  [[gnu::noinline]] void call(Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes);
  [[gnu::noinline]] void end_at_limit(Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes);
  /// What this launch waits for runs; who waits goes on.
  void run_launch_before();

  // engine_warps.cpp
  /// A warp gets its registers, and hands them on.
  void begin_warp(Block& b, Warp& w, bool reads_specials = true);
  void end_warp(Block& b, Warp& w);
  std::uint32_t run_prologue(Block& b, Warp& w);
  /// In lock step: the block's last choice has ended its warp, and this one is the next.
  [[nodiscard]] bool next_warp(const Block& b, Choice& choice) const;
  /// Instead of `step`: lanes that are to run one behind the other. False: nothing was done.
  bool run_together(const Choice& choice);
  void exit_lanes(Block& b, Warp& w, std::uint32_t lanes);

  // engine_memory.cpp
  [[nodiscard]] bool reads_arrays(const Warp& w, std::uint32_t first, std::uint32_t last,
                                  std::uint32_t lanes);
  /// A memory instruction: of the ways below the first that does it. Whichever it is, `before`
  /// comes before the bytes of an array move, `watch` and `note` behind that: who else wants to
  /// know of accesses is told there, or in the shapes of them that engine_runs.cpp has.
  [[gnu::always_inline]] void access(Block& b, Warp& w, std::uint32_t pc, const MemoryOp& op,
                                     std::uint32_t number, std::uint32_t mask) {
    w.last_access = pc;
    standstill_.changes += op.what == MemoryOp::What::store ? 1 : 0;
    if (op.streams != 0 && streams_ && mask == all_lanes && whole_warp(b, w, pc, op)) return;
    if (op.space == MemorySpace::param && parameters_.load(w, number, mask)) return;
    memory(b, w, pc, op, mask);
  }
  void memory(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask);
  void memory_by_lane(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                      std::uint32_t mask);
  void in_space(Access& a, MemorySpace space, std::uint32_t mask) override;
  bool at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
               std::uint32_t mask) override;
  void transfer(Access& a, const Region& r, std::uint32_t mask,
                const Allocation* allocation) override;
  void shadow_transfer(const Access& a, const Region& r, std::uint32_t mask);
  void load(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation);
  /// Of these lanes, this value of a vector.
  void load_undefined(Access& a, const Region& r, std::uint32_t mask, std::uint32_t lanes,
                      unsigned value, const Allocation* allocation);
  void store(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation);
  void atomic(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation);
  void load_nothing(Access& a, std::uint32_t mask, std::uint32_t lane = 0) override;
  void global_fault(const Access& a, std::uint32_t lane);
  /// Accesses shared memory of other blocks of the cluster; the lanes that are left.
  std::uint32_t in_cluster(Access& a, std::uint32_t mask);
  void note_origin(const Region& r, std::uint64_t at, std::uint64_t bytes, std::uint32_t origin,
                   const Allocation* allocation);
  [[nodiscard]] bool watching() const { return races_ != nullptr || config_.log != nullptr; }
  void log_sync(Event::What what, const Block& b, const Warp& w, std::uint32_t lanes,
                std::uint32_t inst, std::uint64_t group) override;
  [[nodiscard]] std::uint32_t dropped(const Access& a) const;
  void watch(const Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation,
             bool by_runs = true, CopyStep copy = CopyStep::none,
             std::uint32_t number = 0) override;

  // engine_spaces.cpp
  /// GlobalMemory::find, which mostly gives what it gave before.
  Allocation* array_at(std::uint64_t address) {
    Allocation*& recent = recent_.at(address);
    if (recent == nullptr || address - recent->base >= recent->bytes) {
      recent = memory_.find(address);
    }
    return recent;
  }
  void in_global(Access& a, std::uint32_t mask);
  /// Lanes are about to access elements of the array. `tells`: if they may not write them.
  void before(const Access& a, Allocation& array, std::uint32_t mask, bool tells = true);
  void in_shared(Access& a, std::uint32_t mask);
  void in_shared_of(Access& a, Block& of, std::uint32_t mask);
  void in_local(Access& a, std::uint32_t mask);
  void in_params(Access& a, std::uint32_t mask);
  std::optional<Stretch> stretch(Access& a, std::uint32_t lane, Block* of,
                                 bool tells = true) override;
  void tell_bulk(const Access& a, std::uint32_t lane, const Stretch& at, CopyStep how,
                 std::uint32_t number) override;
  /// Before all of these bytes are accessed, by an access that does not go on where the one before
  /// ended: who keeps account of them is told.
  void account(std::uint32_t inst, const MemoryOp& op, const Allocation& array,
               std::uint64_t offset, std::uint64_t bytes);
  void note(const Access& a, const Allocation& array, std::uint32_t mask) override;
  void phase_ended(Block& b, std::uint64_t address) override;

  // engine_gather.cpp
  /// A load from one array, each lane from where it likes.
  bool gather(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask);
  /// A load of one element by several lanes, all at one address.
  bool load_for_all(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask,
                    std::uint64_t address);
  bool gather_shared(Access& a, std::uint32_t mask);
  /// Where some values are undefined. False: something else is unusual, nothing was done.
  bool gather_undefined(Access& a, const Region& r, std::uint32_t mask, const Allocation* array);
  bool gather_global(Access& a, std::uint32_t mask);
  /// As `watch`, at once where all lanes read one address.
  void watch_gathered(const Access& a, const Region& r, std::uint32_t mask,
                      const Allocation* allocation, bool one_address);

  // engine_mbarrier.cpp
  /// An arrival or wait by lanes at one mbarrier. False: something is unusual, nothing was done.
  [[gnu::noinline]] bool mbarrier_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                          std::uint32_t mask);

  // engine_runs.cpp
  /// A whole warp's load or store of elements side by side in one array, all defined or none.
  /// False: nothing was done.
  /// `first`: of the lanes' addresses, which are known to lie side by side; nullptr: that is seen.
  [[gnu::always_inline]] bool whole_warp(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                         const std::uint64_t* first = nullptr) {
    return accesses_ == nullptr ? whole_warp<false>(b, w, inst, op, first)
                                : whole_warp<true>(b, w, inst, op, first);
  }
  /// `accounted`: somebody keeps account of accesses.
  template <bool accounted>
  bool whole_warp(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                  const std::uint64_t* first);
  /// A load or store in which nothing is wrong and nothing unusual: true where it is done. False:
  /// nothing was done, and `memory` is to look at each lane.
  bool memory_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                      std::uint32_t mask);
  template <bool whole>
  inline bool access_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                             std::uint32_t mask);
  /// Accesses by lanes whose elements lie one behind the other, all mapped.
  inline bool memory_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, MemoryRun& run);
  inline bool shared_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                         const MemoryRun& run);
  inline bool global_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                         const MemoryRun& run);
  /// Beside the transfer to or from global memory, all who want to know are told.
  bool watched_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, const MemoryRun& run,
                   Allocation& a);
  /// In a trial.
  bool admitted_run(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run, const Region& r,
                    const Allocation* a);
  inline void race_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                       const MemoryRun& run, const Region& r, const Allocation* a);
  void race_by_lane(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run, const Region& r,
                    const Allocation* a, std::uint32_t lanes);
  bool transfer_run(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run, const Region& r,
                    const Allocation* a);
  /// Undefined values of all lanes at once: nobody asks for each of them.
  [[nodiscard]] bool takes_rows(const MemoryOp& op) const;
  /// Of a run of bytes of which none is defined, all from one origin: that; 0: it is no such run.
  std::uint32_t origin_of_row(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run,
                              const Region& r, const Allocation* a);
  /// The same of what a run stores.
  std::uint32_t origin_of_values(const Warp& w, const MemoryOp& op, const MemoryRun& run,
                                 const Allocation* a) const;
  /// Either of a whole warp's access to bytes of an array; 0: all are defined; nullopt: some are.
  std::optional<std::uint32_t> origin_of_warp(Block& b, Warp& w, std::uint32_t inst,
                                              const MemoryOp& op, const Allocation& a,
                                              std::uint64_t at);
  /// When its values are where they belong, what is undefined follows.
  void spread_origin(Warp& w, const MemoryOp& op, const Allocation& a, std::uint64_t at,
                     std::uint32_t origin);
  /// The same of what these lanes have loaded.
  static void spread_loaded(Warp& w, const MemoryOp& op, std::uint32_t mask, std::uint32_t origin);
  /// One value of a vector, of all lanes, is undefined as its bytes in memory are.
  static void set_undefined_row(Warp& w, const MemoryOp& op, unsigned value, std::uint32_t mask,
                                std::uint32_t undefined, std::uint32_t origin);
  /// Undefined values are stored in these bytes.
  void store_undefined_row(const Region& r, std::uint64_t at, std::uint64_t bytes,
                           std::uint32_t origin, const Allocation* a);
  /// Where some values are undefined. False: something else is unusual, nothing was done.
  bool undefined_run(Block& b, Warp& w, const MemoryOp& op, const MemoryRun& run, const Region& r,
                     const Allocation* a);

  // engine_matrix.cpp
  void matrix(Block& b, Warp& w, std::uint32_t inst, std::uint32_t lanes);
  void matrix_addresses(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op,
                        std::uint32_t lanes);
  /// An instruction of the warp that all lanes have come to: how many were done, this one and
  /// those that follow; 0: nothing was done, and it is done as others are.
  [[gnu::noinline]] std::uint32_t matrix_at_once(Block& b, Warp& w, std::uint32_t inst);
  /// Of a tile in shared memory in which nothing is wrong: all of its loads.
  bool load_tile(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op);

  ModuleState& state_;
  std::unique_ptr<Scheduler> own_scheduler_;
  std::unique_ptr<Recording> recording_;
  Scheduler* scheduler_;
  std::unique_ptr<RaceDetector> races_;  ///< null: not asked for
  std::unique_ptr<CounterTable> table_;  ///< null: counters by line are not asked for
  symbolic::Shadow* shadow_;             ///< null: nothing is to be proved
  RaceDetector::Found found_;
  Mbarriers mbarriers_{kernel_, *this};
  std::vector<std::byte> pool_;
  Parameters parameters_;
  ResidentBlocks residents_;
  std::vector<std::unique_ptr<Block>> blocks_;
  const WarpCode& warp_code_ = warp_code();
  Counters counters_;
  Address workspace_ = 0;  ///< of a cooperative launch
  Standstill standstill_;
  WaitingRounds rounds_;      ///< of the step that runs
  std::uint64_t launch_ = 0;  ///< a number that no other engine has
  std::uint32_t next_block_ = 0, first_block_ = 0, block_count_ = 0;
  StepLimit step_limit_{kernel_, config_};
  Progress progress_;  ///< of what LaunchConfig::progress is told
  DependentLaunch launch_before_{config_, races_.get()};
  bool warps_in_order_ = false;  ///< in lock step, and nobody keeps account of that
  bool runs_ = false;            ///< nobody asks for each lane of an access to shared memory
  bool streams_ = false;         ///< ... nor of one to an array, but for the race detector
  bool leads_ = false;           ///< warps may know by others what they begin with
  bool tries_together_ = false;  ///< nobody asks for each lane that runs alone
  Clusters clusters_;
  RecentArrays<Allocation> recent_;
  AccessMap own_accesses_;
  AccessMap* accesses_;  ///< null: nobody asks which bytes are accessed
  bool interrupted_ = false;
  SideBySide beside_;
  EnginePart part_{kernel_, config_, memory_, *this, *this, races_.get()};
  RaceReports race_reports_{part_};
  Trials trials_{part_, race_reports_};
  PrologueRuns prologue_runs_{kernel_, config_, workspace_};
  Barriers barriers_{part_, clusters_, residents_, counters_};
  Collectives collectives_{part_, residents_,
                           [this](Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes) {
                             matrix(b, w, pc, lanes);
                           }};
  Deadlocks deadlocks_{part_};
  SystemCalls system_calls_{part_};
  Textures textures_{part_};
  BulkCopies bulk_copies_{part_, clusters_, mbarriers_};
  AsyncCopies async_copies_{part_, clusters_, mbarriers_};
  WarpgroupProducts warpgroup_products_{part_};
};

}  // namespace gauntlet::simt
