// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// One launch. engine.cpp steps subwarps through the code, engine_memory.cpp reads and writes,
// engine_spaces.cpp finds the array, engine_runs.cpp does all that at once where lanes access
// elements side by side, engine_gather.cpp where they load from one array, engine_textures.cpp
// reads textures, engine_copies.cpp and engine_bulk.cpp copy asynchronously, engine_print.cpp
// prints, engine_atomic.cpp has the atomic operations, engine_barriers.cpp block barriers,
// engine_warp_ops.cpp warp instructions, engine_matrix.cpp and engine_warpgroup.cpp tensor cores,
// engine_launch_order.cpp waits for the launch before, engine_blocks.cpp starts and retires blocks,
// engine_split.cpp runs them on several threads, engine_waiting.cpp, engine_faults.cpp and
// engine_races.cpp word what went wrong. What stands for itself is a class beside it:
// parameters.hpp, origins.hpp, waiting_rounds.hpp, ways_around.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/code/poison.hpp"
#include "machine/code/target.hpp"
#include "machine/counters/counter_table.hpp"
#include "machine/engine/access.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/engine/machine.hpp"
#include "machine/engine/matrix_product.hpp"
#include "machine/engine/origins.hpp"
#include "machine/engine/parameters.hpp"
#include "machine/engine/split.hpp"
#include "machine/engine/together.hpp"
#include "machine/engine/waiting_rounds.hpp"
#include "machine/engine/ways_around.hpp"
#include "machine/races/access_map.hpp"
#include "machine/races/launch_order.hpp"
#include "machine/races/race.hpp"
#include "machine/schedules/recording.hpp"
#include "machine/schedules/scheduler.hpp"
#include "machine/state/block.hpp"
#include "machine/state/bulk_copy.hpp"
#include "machine/state/group_product.hpp"
#include "machine/state/recent_arrays.hpp"
#include "machine/state/recorder.hpp"
#include "machine/state/tensor_map.hpp"

namespace gauntlet::simt {

/// What arrays are called that kernels allocate: "malloc#3".
inline constexpr std::string_view kernel_heap_prefix = "malloc#";

namespace symbolic {
class Shadow;
}

/// Throws std::invalid_argument where the blocks that must be resident at once are too many or too
/// large: a cooperative launch beyond what a GPU holds, or more host memory than the machine takes.
void check_residents(const Kernel& kernel, const LaunchConfig& config);

/// Whether blocks of the launch may be tried side by side (engine_split.cpp).
[[nodiscard]] bool splits(const Kernel& kernel, ModuleState& state, const LaunchConfig& config);

class Engine {
 public:
  Engine(const Kernel& kernel, ModuleState& state, const LaunchConfig& config);
  LaunchReport run();

 private:
  // engine_blocks.cpp
  void start_block(std::uint32_t linear);
  /// A warp gets its registers, and hands them on.
  void begin_warp(Block& b, Warp& w);
  void end_warp(Block& b, Warp& w);
  void retire_finished();
  /// Runs the blocks that are left, until all have ended or the launch is stopped.
  void run_blocks();
  /// In lock step: the block's last choice has ended its warp, and this one is the next.
  [[nodiscard]] bool next_warp(const Block& b, Choice& choice) const;
  void tell_progress();
  [[nodiscard]] bool interrupted() const {
    return config_.interrupted != nullptr && config_.interrupted->load(std::memory_order_relaxed);
  }

  // engine_waiting.cpp
  void report_deadlock();
  /// Every thread that is left waits at a grid barrier that no other can come to: reported, true.
  /// To be asked when every ready subwarp has had its turn.
  bool grid_barrier_is_stuck();

  // engine.cpp
  /// What watches each instruction: counters by instruction, or a shadow of symbolic values. A
  /// launch that asks for neither pays nothing for them.
  enum class Watch : std::uint8_t { none, counters, shadow };
  template <Watch watch>
  void step(const Choice& choice);
  void exit_lanes(Block& b, Warp& w, std::uint32_t lanes);
  [[nodiscard]] static std::uint64_t read_clock(Warp& w, std::uint64_t steps);
  static void merge(Warp& w);
  static void remove(Warp& w, std::uint32_t subwarp);
  /// A subwarp whose wait has ended goes on behind its instruction.
  void release(Warp& w, Subwarp& f) const;
  Subwarp& split(Warp& w, std::uint32_t subwarp, std::uint32_t lanes);

  // engine_memory.cpp
  [[nodiscard]] bool reads_arrays(const Warp& w, std::uint32_t first, std::uint32_t last,
                                  std::uint32_t lanes);
  /// A memory instruction: of the ways below the first that does it.
  [[gnu::always_inline]] void access(Block& b, Warp& w, std::uint32_t pc, const MemoryOp& op,
                                     std::uint32_t number, std::uint32_t mask) {
    w.last_access = pc;
    if (op.streams != 0 && streams_ && mask == all_lanes && whole_warp(b, w, pc, op)) return;
    if (op.space == MemorySpace::param) {
      if ((w.file->held & op.held) != 0) return;
      if (parameters_.load(w, number, mask)) {
        if (mask == all_lanes) w.file->held |= op.held;
        return;
      }
    }
    memory(b, w, pc, op, mask);
  }
  void memory(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask);
  void memory_by_lane(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                      std::uint32_t mask);
  void in_space(Access& a, MemorySpace space, std::uint32_t mask);
  /// `mask` lanes lie inside the region.
  void transfer(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation);
  void shadow_transfer(const Access& a, const Region& r, std::uint32_t mask);
  void load(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation);
  void store(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation);
  void load_nothing(Access& a, std::uint32_t mask, std::uint32_t origin);

  // engine_atomic.cpp
  void atomic(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation);
  [[nodiscard]] static std::uint64_t updated(const MemoryOp& op, std::uint64_t old,
                                             std::uint64_t x);

  // engine_mbarriers.cpp
  /// If the word that the lane has found is what mbarrier.inval has left, or was never made.
  void tell_no_mbarrier(const Access& a, const Region& r, std::uint32_t lane, std::uint64_t word);
  /// If it arrives more often than the phase waits for, or not at all, or for too many bytes.
  void tell_arrivals(const Access& a, std::uint32_t lane, std::uint64_t word,
                     std::uint64_t operand);
  /// The lanes have stored what mbarrier.init or .inval does.
  void make_mbarriers(const Access& a, const Region& r, std::uint32_t mask);
  /// Whether what the lane accesses is mapped; tells if it may not access it so.
  bool meets_mbarrier(const Access& a, const Region& r, std::uint32_t lane);

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
  void in_shared(Access& a, std::uint32_t mask);
  void in_shared_of(Access& a, Block& of, std::uint32_t mask);
  void in_local(Access& a, std::uint32_t mask);
  void in_params(Access& a, std::uint32_t mask);
  /// Of a lane's access of Access::width bytes to the block's shared memory (nullptr: to global
  /// memory); nullopt: not all of it is anywhere, which is told if `tells`.
  std::optional<Stretch> stretch(Access& a, std::uint32_t lane, Block* of, bool tells = true);

  // engine_gather.cpp
  /// A load from one array, each lane from where it likes.
  bool gather(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask);
  bool gather_shared(Access& a, std::uint32_t mask);
  bool gather_global(Access& a, std::uint32_t mask);
  /// All lanes are inside, and what they read is defined: then they have it.
  bool gather_from(const Access& a, const Region& r, std::uint32_t mask, bool one_address);
  /// As `watch`, at once where all lanes read one address.
  void watch_gathered(const Access& a, const Region& r, std::uint32_t mask,
                      const Allocation* allocation, bool one_address);

  // engine_textures.cpp
  void texture(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask);
  void fetch(Access& a, const TextureOp& op, const Texture& from, std::uint32_t mask);
  void surface(Access& a, const TextureOp& op, const Texture& at, std::uint32_t mask);

  // engine_runs.cpp
  /// A whole warp's load or store of elements side by side in one array, all defined. False:
  /// nothing was done.
  bool whole_warp(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op);
  /// A load or store in which nothing is wrong and nothing unusual: true where it is done. False:
  /// nothing was done, and `memory` is to look at each lane.
  bool memory_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                      std::uint32_t mask);
  template <bool whole>
  inline bool access_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                             std::uint32_t mask);
  /// Accesses by lanes whose elements lie one behind the other, all mapped and defined.
  inline bool memory_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, MemoryRun& run);
  inline bool shared_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                         const MemoryRun& run);
  inline bool global_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                         const MemoryRun& run);
  /// Beside the transfer to or from global memory, all who want to know are told.
  bool watched_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, const MemoryRun& run,
                   Allocation& a);
  /// In a trial (engine_together.cpp).
  bool admitted_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, const MemoryRun& run,
                    const Region& r, const Allocation* a);
  inline void race_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                       const MemoryRun& run, const Region& r, const Allocation* a);
  void race_by_lane(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, const MemoryRun& run,
                    const Region& r, const Allocation* a);
  bool transfer_run(Warp& w, const MemoryOp& op, const MemoryRun& run, const Region& r);
  /// The same as an access of each lane.
  [[nodiscard]] static Access lane_by_lane(Block& b, Warp& w, std::uint32_t inst,
                                           const MemoryOp& op, const MemoryRun& run);

  // engine_together.cpp
  /// Instead of `step`: lanes that are to run one behind the other. False: nothing was done.
  bool run_together(const Choice& choice);
  [[nodiscard]] bool waits_for_all(const Warp& w, const Inst& i, std::uint32_t lanes,
                                   std::uint32_t everybody) const;
  bool try_together(Block& b, Warp& w, std::uint32_t lanes, std::uint64_t most_steps);
  [[nodiscard]] bool arrives_at_once(const Warp& w, const Inst& i, std::uint32_t lanes) const;
  void tell_accesses(Block& b, Warp& w, std::uint32_t lanes, Together& trial, bool descending);
  /// In a trial, of an access that is about to be made; without one always true. `shared`: its
  /// region.
  bool admitted(const Access& a, const Region& r, const Region* shared, std::uint32_t mask,
                const Allocation* allocation, bool run, bool one_address);

  // engine_faults.cpp
  void fault(Access& a, FindingKind kind, std::uint32_t lane, std::string_view array,
             std::int64_t index, std::string detail);
  void global_fault(Access& a, std::uint32_t lane);
  void give_up(const Access& a, std::uint32_t lane);
  void shared_fault(Access& a, std::uint32_t lane);
  void element_of(const Access& a, std::uint32_t lane, const Allocation* allocation,
                  std::string& array, std::int64_t& index, std::uint32_t offset = 0) const;
  /// Where the poison of the lane's cell comes from that lies `offset` bytes into its access.
  std::uint32_t uninitialised_origin(const Access& a, const Region& r, std::uint32_t lane,
                                     const Allocation* allocation, std::uint32_t offset = 0);
  /// Poison with this origin was stored at `at`.
  /// For what reads it when the launch has ended.
  void keep_story(std::uint32_t number);
  void note_origin(const Access& a, const Region& r, std::uint64_t at, std::uint32_t origin,
                   const Allocation* allocation);

  // engine_split.cpp
  [[nodiscard]] bool worth_splitting() const;
  /// Runs the blocks that are left on several threads. False: all is as before, and they have to
  /// run one behind the other.
  bool run_split();
  /// Runs pieces of the launch beside others, until there are none or one of all has failed.
  void run_pieces(Split& split, const WrittenPages::Writer& pages, std::uint32_t first_block);
  /// Something was met that depends on the order of blocks.
  void cannot_split();
  /// An access to an array while blocks run side by side, or before.
  void beside_others(const Access& a, const Allocation& allocation, std::uint32_t mask);
  /// The same of a load or store of all bytes of a run, or of some.
  void beside_others(const MemoryOp& op, const Allocation& allocation, std::uint64_t offset,
                     std::uint64_t bytes);
  void defer(const Access& a, std::uint32_t mask);
  [[nodiscard]] bool perform(const DeferredAtomic& deferred, WrittenPages::Writer& pages);

  // engine_launch_order.cpp
  /// The instruction waits for the launch before, which has not run yet.
  [[nodiscard]] bool waits_for_launch(const Inst& i) const {
    return i.wait == Wait::launch && launch_before_is_due();
  }
  [[nodiscard]] bool launch_before_is_due() const {
    return config_.launch_before && !launch_before_ran_;
  }
  /// Runs the launch before, and lets go on who waits for it.
  void run_launch_before();
  /// griddepcontrol by lanes that need not wait any more.
  void grid_control(Block& b, const Warp& w, const Inst& i, std::uint32_t lanes);
  void note_end(const Block& b);
  /// Those of the lanes that come behind the launch's wait; 0 where it overlaps no other.
  [[nodiscard]] std::uint32_t behind_wait(const Access& a, std::uint32_t mask) const;
  void note_for_order(const Access& a, const Allocation& allocation, std::uint32_t mask);

  // engine_copies.cpp
  void begin_copy(Access& a, std::uint32_t mask);
  void end_copy(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask, CopyStep how);
  /// What the copy has read is told, as `begin_copy` has noted it.
  void end_source(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask, CopyStep how,
                  std::uint32_t number);
  void copy_group(Block& b, Warp& w, const Inst& i, std::uint32_t mask);
  /// Copies of no byte of the source: the other lanes.
  std::uint32_t copy_zeros(Access& a, std::uint32_t mask);
  /// Copies of some of the source's bytes: the lanes that copy all of them.
  std::uint32_t copy_shortened(Access& a, std::uint32_t mask);
  void track_copies(Block& b, Warp& w, const Inst& i, std::uint32_t mask);
  /// A phase of the mbarrier at this shared address is complete, and with it what it tracks.
  void end_tracked_copies(Block& b, std::uint64_t address);

  // engine_bulk.cpp
  void bulk(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask);
  void begin_bulk(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, const BulkOp& of,
                  std::uint32_t lane);
  /// st.async or red.async (engine_send.cpp).
  void send(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, const BulkOp& of,
            std::uint32_t lane);
  /// The tensor map at the lane's address; nullopt: told.
  std::optional<TensorMap> tensor_map(Access& a, std::uint32_t lane);
  /// The lane reads the map that is there, in global memory; false: it has undefined bytes.
  bool told_map(const Access& by, std::uint32_t lane);
  /// Pieces of the box, row by row, or of pixels, as shared memory and the tensor have them; false:
  /// told.
  bool pieces_of_tensor(Access& a, std::uint32_t lane, const BulkOp& of, const TensorMap& map,
                        std::uint64_t shared, BulkCopy& copy);
  /// From global memory (nullptr) or the block's.
  void take_content(Access& a, std::uint32_t lane, Block* from, const TensorMap* map,
                    BulkCopy& copy);
  /// Where it goes, undefined when the copy begins.
  void put_content(const BulkCopy& copy, Access& a, CopyStep how);
  static void reduce_bulk(const Access& a, const BulkCopy& copy, std::uint32_t first,
                          std::uint32_t bytes, std::byte* to, std::uint8_t* state);
  /// The copy is under way; its bytes count at an mbarrier.
  void put_bulk(BulkCopy copy, Access& to, Block* barrier_of, std::uint64_t barrier,
                std::size_t bytes);
  void tell_bulk(Access& a, std::uint32_t lane, const Stretch& at, CopyStep how,
                 std::uint32_t number);
  /// Of the source, unless that has ended before, and of the destination.
  void end_bulk(BulkCopy& copy, bool destination, CopyStep how);
  void end_bulk_group(const Block& b, const Warp& w, CopyGroup what, std::uint32_t left,
                      std::uint32_t mask);
  void end_bulk_at(const Block& of, std::uint64_t barrier);
  void end_bulk_of(const Block& b);
  /// Under what an operation on the mbarrier of a block synchronises, which has found this word.
  [[nodiscard]] std::uint64_t mbarrier_variable(std::uint64_t block, std::uint64_t address,
                                                std::uint64_t word, bool arrives) const;
  [[nodiscard]] static std::uint64_t variable_of_block(std::uint64_t block) {
    constexpr unsigned block_bit = 48;
    return (block + 1) << block_bit;
  }

  // engine_print.cpp
  void print(const Block& b, const Warp& w, const SystemCall& op, std::uint32_t mask);
  /// With the expression that is false, where it can be read.
  [[nodiscard]] std::string assertion_detail(const Block& b, const Warp& w, const Inst& i,
                                             std::uint32_t lane);

  // engine_heap.cpp
  void system_call(Block& b, Warp& w, std::uint32_t pc, std::uint32_t mask);
  void allocate(Warp& w, const SystemCall& op, std::uint32_t mask);
  void release(const Block& b, Warp& w, std::uint32_t pc, const SystemCall& op, std::uint32_t mask);

  // engine_runtime.cpp
  void ask_runtime(Block& b, Warp& w, const SystemCall& op, std::uint32_t mask);
  struct LaunchInside {
    std::uint64_t kernel = 0;
    Dim3 grid, block;
    std::uint32_t shared_bytes = 0;
  };
  std::uint64_t parameter_buffer(const LaunchInside& launch);
  void launch_inside(Block& b, Warp& w, const SystemCall& op, std::uint32_t lane,
                     std::uint64_t buffer, std::uint64_t stream);

  // engine_cluster.cpp
  void cluster_step(Block& b, Warp& w, std::uint32_t subwarp);
  void check_cluster(Cluster& cluster);
  void end_cluster(const std::optional<Cluster>& cluster);
  /// Accesses shared memory of other blocks of the cluster; the lanes that are left.
  std::uint32_t in_cluster(Access& a, std::uint32_t mask);

  // engine_barriers.cpp
  /// `last`: of lanes that count as having come one by one, the last (Subwarp::last).
  void arrive_barrier(Block& b, Warp& w, std::uint32_t subwarp, std::uint32_t last = 0);
  /// That the barrier waits for no whole warps.
  void tell_count(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lane,
                  std::uint32_t id);
  void complete_barrier(Block& b, std::uint32_t id);
  void check_barrier(Block& b, std::uint32_t id);
  void check_barriers(Block& b);  ///< after exits: fewer threads are waited for

  // engine_warp_ops.cpp
  /// True when the subwarp needed nobody else and may go on; its pc is then still at the
  /// instruction. Otherwise it waits, or it was released together with others.
  bool arrive_warp_op(Block& b, Warp& w, std::uint32_t subwarp);
  bool arrive_by_mask(Block& b, Warp& w, std::uint32_t subwarp);
  bool sync_at_once(const Block& b, const Warp& w, const Subwarp& f, const WarpOp& op);
  void recheck_warp_ops(Block& b, Warp& w);
  bool complete_warp_op(Block& b, Warp& w, std::uint32_t members, const WarpOp& like);
  /// __syncwarp of lanes that are all there.
  void warp_barrier(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes);
  void collective(Block& b, Warp& w, std::span<const std::uint32_t> subwarps);
  struct Contributions;
  static void give(Warp& w, const WarpOp& op, std::uint32_t to, const Given& given,
                   const Contributions& brought);
  void shuffle(const Block& b, Warp& w, std::uint32_t inst, std::uint32_t to,
               const Contributions& brought);
  /// A shuffle of lanes that all read from one of `lanes`, and nothing undefined. False: nothing
  /// was done.
  static bool shuffle_defined(Warp& w, const WarpOp& op, std::uint32_t lanes);

  // engine_matrix.cpp
  void matrix(Block& b, Warp& w, std::uint32_t inst, std::uint32_t lanes);
  void matrix_addresses(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op,
                        std::uint32_t lanes);

  // engine_warpgroup.cpp
  void warpgroup(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op, std::uint32_t fault);
  void begin_product(Block& b, Warp& w, std::uint32_t inst, const MatrixOp& op,
                     std::uint32_t fault);
  void tell_unfenced(const Block& b, const Warp& w, std::uint32_t inst, const MatrixOp& op);
  [[nodiscard]] std::uint32_t told_operands(Block& b, Warp& w, std::uint32_t inst,
                                            const MatrixOp& op);
  [[nodiscard]] std::uint32_t told_places(Block& b, Warp& w, std::uint32_t inst,
                                          const MatrixOp& op);
  /// Tells it; an origin, as above.
  std::uint32_t breaks_contract(const Block& b, const Warp& w, std::uint32_t inst,
                                std::uint32_t lane, std::string text);
  /// In the shared window, of the 18 bits that a descriptor has. Dynamic memory goes first.
  [[nodiscard]] std::uint64_t address_of_tile(const Block& b, std::uint64_t start) const;
  void read_tile(Block& b, Warp& w, const MatrixOp& op, MatrixPart part, Fragments& to,
                 GroupProduct& product);
  void tell_tiles(Block& b, const GroupProduct& product, CopyStep how);
  /// What D holds, or will hold when what is under way has ended.
  [[nodiscard]] Fragments addends(const Block& b, Warp& w, const MatrixOp& op);
  void wait_for_products(Block& b, Warp& w, const MatrixOp& op);
  void end_product(const Block& b, Warp& w, const GroupProduct& product);
  void end_products_of(Block& b);

  // engine_races.cpp
  [[nodiscard]] bool watching() const { return races_ != nullptr || config_.log != nullptr; }
  void log_sync(Event::What what, const Block& b, const Warp& w, std::uint32_t lanes,
                std::uint32_t inst, std::uint64_t group);
  /// The lanes of `mask` have accessed the region; allocation nullptr: shared memory. by_runs: some
  /// of them may be looked at together.
  void watch(const Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation,
             bool by_runs = true, CopyStep copy = CopyStep::none, std::uint32_t number = 0);
  void report_race(const Access& a, const Race& race, std::uint64_t address,
                   const Allocation* allocation);

  // Reporting
  /// The instructions of the innermost loop that holds `pc`: first and last; last < first: none.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> loop_around(std::uint32_t pc) const;
  [[nodiscard]] std::string step_limit_detail(const Block& b, const Warp& w, std::uint32_t pc,
                                              std::uint32_t lanes) const;
  /// At the step limit: whether the loop around `pc` reads other addresses than when the warp was
  /// here before, so that it does not wait. Then the limit is raised, for a while.
  bool moves_on(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes);
  [[nodiscard]] std::string trap_detail() const;
  void report_poison(FindingKind kind, Block& b, Warp& w, std::uint32_t inst, std::uint32_t lanes,
                     Operand value, Place place = {});
  void report_origin(FindingKind kind, Block& b, Warp& w, std::uint32_t inst, std::uint32_t lane,
                     std::uint32_t origin, Place place = {});
  [[nodiscard]] Dim3 coordinates(const Block& b) const { return {b.x, b.y, b.z}; }

  const Kernel& kernel_;
  const LaunchConfig& config_;
  ModuleState& state_;
  GlobalMemory& memory_;
  Recorder recorder_;
  std::unique_ptr<Scheduler> own_scheduler_;
  std::unique_ptr<Recording> recording_;
  Scheduler* scheduler_;
  std::unique_ptr<RaceDetector> races_;  ///< null: not asked for
  std::unique_ptr<CounterTable> table_;  ///< null: counters by line are not asked for
  symbolic::Shadow* shadow_;             ///< null: nothing is to be proved
  RaceDetector::Found found_;
  std::vector<std::pair<const Warp*, std::uint32_t>> leaving_;  ///< of the barrier that ends
  std::uint64_t variables_[warp_size] = {};  ///< of the latest access to mbarriers, by lane
  std::vector<std::byte> pool_;
  Parameters parameters_;
  ResidentBlocks residents_;
  std::vector<std::unique_ptr<Block>> blocks_;
  const WarpCode& warp_code_ = warp_code();
  const bool of_cub_;  ///< the kernel is CUB's or Thrust's own
  Origins origins_{recorder_};
  Counters counters_;
  Address workspace_ = 0;                  ///< of a cooperative launch
  WaitingRounds rounds_;                   ///< of the step that runs
  std::vector<std::byte> seen_workspace_;  ///< when every ready subwarp last had its turn
  std::uint64_t launch_ = 0;               ///< a number that no other engine has
  std::uint64_t groups_ = 0;               ///< barrier generations, for the event log
  std::uint32_t next_block_ = 0, first_block_ = 0, block_count_ = 0;
  std::uint64_t step_limit_;
  /// The addresses that a warp, by block and index, has read at the step limit, and how many times
  /// one after the other they were the same (moves_on).
  struct AtLimit {
    std::vector<std::uint64_t> reads;
    unsigned same = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, AtLimit> read_at_limit_;
  bool stopped_ = false, interrupted_ = false;
  /// Of what LaunchConfig::progress is told.
  struct Progress {
    std::uint32_t turns = 0, blocks = 0;
    std::uint64_t told = 0;  ///< warp instructions
  } progress_;
  WaysAround ways_around_;
  bool launch_before_ran_ = false;
  bool overlaps_ = false;            ///< it is asked which accesses come before the wait
  LaunchSteps* steps_ = nullptr;     ///< what that says of the launches beside it, if asked
  bool warps_in_order_ = false;      ///< in lock step, and nobody keeps account of that
  bool runs_ = false;                ///< nobody asks for each lane of an access to shared memory
  bool streams_ = false;             ///< ... nor of one to an array, but for the race detector
  bool tries_together_ = false;      ///< nobody asks for each lane that runs alone
  Together* trial_ = nullptr;        ///< under way
  std::vector<std::uint8_t> alone_;  ///< instructions from which trials have failed
  Clusters clusters_;
  RecentArrays<Allocation> recent_;
  AccessMap own_accesses_;
  AccessMap* accesses_;         ///< null: nobody asks which bytes are accessed
  bool splitting_ = false;      ///< blocks may still run side by side, or do: then split_ is set
  std::uint32_t beside_ = 0;    ///< blocks that ran beside others
  Split* split_ = nullptr;      ///< of the pieces that this engine runs
  WrittenPages::Writer pages_;  ///< of split_
  std::vector<DeferredAtomic>* deferred_ = nullptr;  ///< of the piece that runs
  CombinedAtomics* combined_ = nullptr;              ///< of the pieces that this engine runs
  std::vector<BulkCopy> bulk_copies_;                ///< likewise
  std::vector<GroupProduct> products_;               ///< of each warp the earlier ones first
  std::map<Address, LaunchInside> launches_inside_;  ///< by the buffers of their parameters
  std::uint64_t streams_inside_ = 0;                 ///< that were made
  int runtime_error_ = 0;                            ///< the last one
};

}  // namespace gauntlet::simt
