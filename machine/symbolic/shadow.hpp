// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the machine keeps beside concrete values while it proves: a term for each register lane and
// each byte of memory, and what every value that steers the run depends on. The run has one of
// many data and one of many schedules; where something that it did could differ under others, and
// no rule covers it, the shadow has a Cause, and nothing is proved. The rules:
//   accumulate: atomics of one commutative operation whose results nobody reads;
//   retry: a loop around one compare-and-swap that is left only when that succeeded;
//   wait: a loop without effects around strong loads, left when their one writer has written;
//   ticket: one atomic of each block, compared with the number of the last one;
//   grid: an atomic of each block and a wait until all have made it.
// docs/prove.md has the theorem. shadow.cpp has registers and control, shadow_memory.cpp memory,
// collectives.cpp what lanes exchange, products.cpp what tensor cores make of it, unsure.cpp what
// may be undefined, transfer.cpp arithmetic, transfer_bytes.cpp what puts bytes together,
// whole_warp.cpp what most of it comes to, schedule.cpp the order of strong accesses,
// kernel_view.cpp what is read off the code.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "machine/state/block.hpp"
#include "machine/state/memory.hpp"
#include "machine/symbolic/barriers.hpp"
#include "machine/symbolic/kernel_view.hpp"
#include "machine/symbolic/origins.hpp"
#include "machine/symbolic/tables.hpp"
#include "machine/symbolic/term_memory.hpp"
#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt {
class LaunchAccesses;
class Module;
}  // namespace gauntlet::simt

namespace gauntlet::simt::symbolic {

class Strides;

class Shadow {
 public:
  Shadow();
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  Terms terms;
  /// Set where the run need not go on: it has a cause, and more terms than there is memory for.
  std::atomic<bool> enough = false;
  /// Not null: where each operation was made is noted here.
  Origins* origins = nullptr;

  /// Element `k` of the input lies at `first` + k; those from `elements` on are its tail.
  void set_input(const std::byte* first, std::uint64_t elements, std::uint64_t mapped, Type type);
  /// One of several inputs: its elements are leaves of their own. Returns the first one's number.
  std::uint64_t add_input(const std::string& name, const std::byte* first, std::uint64_t elements,
                          Type type);
  /// `module`: of the kernel; what is read off its code is then kept for later runs. `launches`:
  /// where launches overlap, all of the stream up to this one.
  void begin_launch(const Kernel& kernel, std::uint64_t blocks,
                    const std::shared_ptr<const Module>& module = {},
                    std::span<const LaunchAccesses> launches = {});
  /// Before the one launch of a run: whether its block stands for others is looked at, too.
  void watch(Strides& strides) { strides_ = &strides; }
  /// Source line of an instruction of the latest launch, or line of the PTX.
  [[nodiscard]] std::string place(std::uint32_t inst) const;
  void end_launch();
  /// What `size` bytes of memory hold.
  Value read(const std::byte* at, std::uint8_t size);
  /// After the last read: what memory holds is known no more. The terms stay.
  void forget_memory() { memory_.clear(); }

  [[nodiscard]] const std::optional<Cause>& cause() const { return cause_; }
  /// RaceDetector::kinder_rules of all launches.
  [[nodiscard]] std::uint64_t kinder_rules() const { return kinder_rules_; }
  /// Some launch had arithmetic that takes subnormals for zero.
  [[nodiscard]] bool flushes() const { return flushes_; }
  /// By kernel and line of the PTX, with their places: what has a guard that depends on data.
  using Steered = std::map<std::string, std::map<std::uint32_t, std::string>>;
  [[nodiscard]] const Steered& steered() const { return steered_; }
  /// By kernel and line of the PTX: where an atomic whose result nobody reads may find its cell,
  /// whatever the data; no address: that is not known.
  struct Addresses {
    std::string at;  ///< its place
    std::set<std::uint64_t> all;
  };
  using Spread = std::map<std::string, std::map<std::uint32_t, Addresses>>;
  [[nodiscard]] const Spread& spread() const { return spread_; }
  /// Some element of data was multiplied by tensor cores, as floats.
  [[nodiscard]] bool matrices() const { return matrices_; }
  /// How often each rule was needed, by its name and place.
  [[nodiscard]] const std::map<std::pair<std::string, std::string>, std::uint64_t>& rules() const {
    return rules_;
  }
  /// Where atomics have rounded sums or products in the order in which threads came, which is the
  /// schedule's; empty: nowhere.
  [[nodiscard]] const std::string& any_order() const { return any_order_; }
  /// Of tickets that were taken: blocks of that launch; 0: none were.
  [[nodiscard]] std::uint64_t ticket_blocks() const { return ticket_blocks_; }
  /// Of the last launch that took any: the block that came last; -1: no launch did.
  [[nodiscard]] std::int64_t last_ticket() const { return last_ticket_; }

  // Called by the engine.
  struct Site {
    Block& block;
    Warp& warp;
    std::uint32_t inst;
    const MemoryOp& op;
    std::uint32_t waited = 0;  ///< lanes that come behind the launch's wait for the one before
  };
  void start_block(Block& b);
  /// By instruction, and of a warp: an instruction whose bits meet none of the warp's need not be
  /// shown. The warp's change while the shadow looks at it.
  [[nodiscard]] const std::uint64_t* touches() const { return view_->touches.data(); }
  [[nodiscard]] const std::uint64_t& touched(const Warp& w) { return state(w).live; }
  /// Lanes in which a predicate may be another one in a run or a block that this one stands for.
  [[nodiscard]] std::uint32_t undecided(const Warp& w, Operand predicate);
  void exit(const Block& b, const Warp& w, std::uint32_t lanes);
  /// Before an instruction is executed: `lanes` come to it, its guard lets `m` through.
  void instruction(const Block& b, Warp& w, std::uint32_t pc, std::uint32_t lanes, std::uint32_t m);
  /// After a load, before a store, and for each lane of an atomic before it writes.
  void load(const Site& site, const Region& r, const std::uint64_t* address, std::uint32_t mask);
  void store(const Site& site, const Region& r, const std::uint64_t* address, std::uint32_t mask);
  /// `changes`: the cell's bits.
  void atomic(const Site& site, int lane, const std::byte* at, bool changes);
  /// The same as load and store of lanes whose elements of op.size bytes, 4 or 8, lie one behind
  /// the other; `at` is that of lane `first`. For accesses that `takes_runs` is true of.
  struct RunSite {
    Warp& warp;
    std::uint32_t inst;
    const MemoryOp& op;
  };
  void load_run(const RunSite& site, const std::byte* at, unsigned first, std::uint32_t mask);
  void store_run(const RunSite& site, const std::byte* at, unsigned first, std::uint32_t mask);
  [[nodiscard]] bool takes_runs(const MemoryOp& op) const {
    return origins == nullptr && !op.is_volatile && op.order == Order::weak;
  }
  /// Before the lanes of a warp exchange what they bring.
  void collective(const Block& b, Warp& w, std::span<const std::uint32_t> subwarps,
                  std::uint32_t lanes);

  /// Lanes come to a block barrier, where `count` threads are waited for (0: all); lanes that have
  /// waited are let go.
  void arrive(const Block& b, const Warp& w, std::uint32_t pc, std::uint32_t lanes,
              std::uint32_t id, std::uint32_t count);
  void let_go(const Block& b, std::uint32_t id,
              std::span<const std::pair<const Warp*, std::uint32_t>> leaving);

  /// The race detector met a pair at this instruction that it does not tell (inside cooperative
  /// groups): what was read there may be another value in another run.
  void untold_race(std::uint32_t inst);
  /// At the end of a launch: how often it needed the detector to be kinder than PTX.
  void note_kinder_rules(std::uint64_t times) { kinder_rules_ += times; }

 private:
  static constexpr int lanes_per_warp = 32;
  /// The operations that the prover itself applies.
  static Operation not_pred() {
    using S = ptx::ScalarType;
    return {Opcode::not_, S::pred, S::pred, 1, 1, {}, "not.pred"};
  }
  static Operation ballot_of() {
    using S = ptx::ScalarType;
    return {Opcode::vote, S::pred, S::pred, 0, lanes_per_warp, {}, "vote.ballot"};
  }
  static Operation select_of() {
    using S = ptx::ScalarType;
    return {Opcode::selp, S::u32, S::u32, 1, 3, {}, "selp.u32"};
  }
  struct Poll {  // a lane in a wait loop
    std::uint32_t loop = 0;
    std::uint32_t turn = 0;  ///< which words show what was written, the others the launch's content
    bool waited = false;     ///< behind the launch's wait for the one before
    std::array<std::byte*, WaitLoop::most_words> word{};
  };
  struct WarpState {
    std::vector<std::uint32_t> mask;  ///< by slot: lanes that have a term
    std::vector<TermId> term;         ///< by slot and lane
    /// By slot: size of all terms there, of which none is opaque; 0: that is not known.
    std::vector<std::uint8_t> bytes;
    std::vector<Via> via;  ///< the same: how it came; empty without origins
    /// KernelView::bit_of the slots that had a term since the block began, and more: see touches().
    std::uint64_t live = 0;
    std::uint32_t generation = 0;  ///< warp barriers of all live lanes so far
    std::array<std::uint32_t, lanes_per_warp> exit_interval{}, exit_generation{};
    std::uint32_t polling = 0;  ///< lanes in a wait loop
    std::array<Poll, lanes_per_warp> poll{};

    TermId* row(std::uint32_t slot) { return &term[std::size_t{slot} * lanes_per_warp]; }
    [[nodiscard]] const TermId* row(std::uint32_t slot) const {
      return &term[std::size_t{slot} * lanes_per_warp];
    }
  };
  struct Spare;  // memory of the thread's earlier shadows
  static Spare& spare();
  enum class Use : std::uint8_t { read, write, accumulate, both };
  struct How {  // what a strong access does
    Use use = Use::read;
    std::uint32_t operation = 0;  ///< of an atomic: equal ones commute
    bool rounds = false;          ///< ... but for what they round
    bool changes = false;         ///< the bits of what it rounds, for some data
    bool alike = false;           ///< of what it rounds: all add the same number,
    std::uint64_t addend = 0;     ///< this one, so that they may come in any order
  };
  struct Strong : How {  // one strong access of a byte
    std::uint32_t launch = 0, block = 0, thread = 0, interval = 0, generation = 0, inst = 0;
    bool many = false;         ///< of several threads that nothing orders
    std::uint64_t waiter = 0;  ///< the thread + 1 that has waited for this write
  };
  struct StrongByte {
    std::uint32_t launch = 0, block = 0;  ///< of what is below; block: of shared memory
    std::vector<Strong> all;              ///< of the launches that this one may overlap, too
    bool kept = false;                    ///< `before` is what the launch found
    std::byte before{};
    bool before_symbolic = false;
  };
  struct Met {             // what an access has met of others that nothing orders
    bool read = false;     ///< what it reads depends on the schedule
    bool rounded = false;  ///< and so does what it rounds, and all make a number of the cell
  };
  struct Ticket {
    std::vector<std::uint32_t> blocks;  ///< in the order in which they came
    std::uint64_t first = 0;
    AtomicOp op = AtomicOp::add;
    std::uint64_t operand = 0;
    std::uint32_t inst = 0;
    std::uint64_t compared = 0;  ///< with this number; valid where `tests` is not 0
    std::uint64_t tests = 0;
    std::uint8_t size = 4;
  };

  /// No data change it.
  [[nodiscard]] bool settled(const WarpState& s, std::uint32_t slot, std::uint32_t lanes);
  bool note_spread(const Warp& w, const WarpState& s, std::uint32_t pc, std::uint32_t lanes);
  // shadow.cpp, collectives.cpp
  WarpState& state(const Warp& w) {
    auto& [warp, state] = recent_[w.index % recent_.size()];
    if (warp != &w) {
      warp = &w;
      state = &states_[&w];
    }
    return *state;
  }
  void fail(std::string what, std::uint32_t inst, const Block* b, const Warp* w,
            std::uint32_t lanes, TermId term = 0);
  void depends(std::string_view what, std::uint32_t inst, const Block& b, const Warp& w,
               std::uint32_t lanes, std::uint32_t slot);
  /// 0: it has none.
  [[nodiscard]] static TermId term_of(const WarpState& s, std::uint32_t slot, int lane) {
    return (s.mask[slot] >> lane & 1) != 0 ? s.row(slot)[lane] : 0;
  }
  /// What the machine has there, for these data.
  static std::uint64_t concrete(const Warp& w, Operand o, int lane, unsigned size);
  static Value value(const Warp& w, const WarpState& s, Operand o, int lane, unsigned size);
  static Value predicate_value(const Warp& w, const WarpState& s, Operand o, int lane);
  void set(WarpState& s, Operand d, int lane, TermId term) const;
  static void clear(WarpState& s, std::uint32_t slot, std::uint32_t mask);
  /// The terms of `lanes` of `m` are in the slot's row, the others have none. `size`: as in
  /// WarpState::bytes.
  static void has(WarpState& s, std::uint32_t slot, std::uint32_t m, std::uint32_t lanes,
                  unsigned size);
  void polls(WarpState& s, std::uint32_t lanes);
  void clear_writes(WarpState& s, std::uint32_t pc, std::uint32_t mask);
  TermId vote(const Warp& w, const WarpState& s, std::span<const std::uint32_t> subwarps,
              std::uint32_t lanes);
  Value negation(std::uint32_t pc, Value p);
  TermId joined(std::uint32_t pc, std::span<const Value> predicates, Opcode by);
  std::optional<TermId> ballot_is(std::uint32_t pc, Value v, std::uint64_t number);
  TermId count_votes(std::uint32_t pc, const Application& votes);
  void shuffle(Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t own, std::uint32_t symbolic,
               const std::array<TermId, lanes_per_warp>& term, unsigned size);
  void reduce(const WarpOp& op, WarpState& s, std::uint32_t pc, std::uint32_t own,
              std::uint32_t lanes, const std::array<Value, lanes_per_warp>& brought);

  // products.cpp
  struct Held;  // a matrix that the lanes of a warp hold together
  void matrix(const Block& b, Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t lanes);
  void multiply(const Warp& w, WarpState& s, std::uint32_t pc, const MatrixOp& op);
  void transpose(const Warp& w, WarpState& s, std::uint32_t pc, const MatrixOp& op);
  [[nodiscard]] Value element(Value word, unsigned at, ptx::ScalarType number, Type as,
                              std::uint32_t pc);
  [[nodiscard]] Value product(Type type, Value a, Value b);

  // origins.cpp: only where origins are asked for
  void came(WarpState& s, Operand d, int lane, Via via);
  [[nodiscard]] Via way_of(const WarpState& s, Operand o, int lane) const;
  void note(const Block& b, const Warp& w, std::uint32_t pc, int lane, TermId from, TermId end,
            Via via);
  void note_data(const Block& b, const Warp& w, WarpState& s, std::uint32_t pc, int lane,
                 TermId from);

  // unsure.cpp
  std::uint32_t unsure(const Warp& w, const WarpState& s, std::uint32_t pc, std::uint32_t symbolic);

  // transfer.cpp
  void data(const Block& b, Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t m);
  bool whole_warp(const Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t m,
                  std::uint32_t symbolic);
  TermId transfer(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane);
  TermId applied(const Warp& w, const WarpState& s, std::uint32_t pc, int lane, TermId opaque);
  TermId compare(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane);
  TermId select(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane);
  TermId bits(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane);

  // shadow_memory.cpp
  void put_leaves(const std::byte* at, std::uint64_t first, std::uint64_t count, Type type);
  TermId loaded(const std::byte* at, unsigned size);
  void store(const RunSite& site, Operand from, int lane, const std::byte* at);
  TermId swap(const Site& site, WarpState& s, int lane, Value old, Value x, bool& succeeds);

  // schedule.cpp
  StrongByte& strong(const Block& b, const std::byte* at, bool shared);
  [[nodiscard]] Strong strong_of(const Block& b, const Warp& w, int lane, std::uint32_t inst);
  /// Whether a launch that this one may overlap has; `waited`: to whom has waited for it.
  [[nodiscard]] bool ended(std::uint32_t launch, bool waited) const;
  [[nodiscard]] bool ordered(const Strong& e, const Site& site, int lane);
  /// Notes a strong access.
  Met access(const Site& site, int lane, const std::byte* at, unsigned size, const How& how,
             bool shared);
  void poll(const Site& site, WarpState& s, int lane, std::byte* at, bool shared);
  void leave_wait(const Block& b, const Warp& w, WarpState& s, int lane);
  [[nodiscard]] bool is_shared(const Block& b, const std::byte* at) const;
  TermId take_ticket(const Site& site, int lane, const std::byte* at, Value old, Value operand);
  void grid_barrier(const Site& site, int lane, const std::byte* at, Value operand = {});

  const Kernel* kernel_ = nullptr;
  std::shared_ptr<const KernelView> view_;
  Strides* strides_ = nullptr;
  std::unordered_map<const Warp*, WarpState> states_;
  std::array<std::pair<const Warp*, WarpState*>, 64> recent_{};  ///< of states_
  TermMemory memory_{terms};
  Samples tables_ = tables_of(terms);
  std::unordered_map<const std::byte*, StrongByte> strong_;
  std::unordered_map<const std::byte*, Ticket> tickets_;
  GridBarriers grid_barriers_;
  std::unordered_map<const Block*, NamedBarriers> barriers_;
  std::unordered_map<TermId, const std::byte*> ticket_of_;
  std::vector<std::uint64_t> bounds_;  ///< of atom.inc and atom.dec in this launch
  std::uint32_t launch_ = 0;
  std::span<const LaunchAccesses> launches_;  ///< up to this one; empty: it overlaps none
  std::uint64_t blocks_ = 0, elements_ = 0, ticket_blocks_ = 0;
  std::uint64_t kinder_rules_ = 0;
  bool flushes_ = false, matrices_ = false;
  std::string any_order_;
  std::int64_t last_ticket_ = -1;
  std::optional<Cause> cause_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> rules_;
  Steered steered_;
  Spread spread_;
};

}  // namespace gauntlet::simt::symbolic
