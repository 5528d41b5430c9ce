// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the race detector keeps of past accesses: for each 4-byte cell of memory the accesses that
// are not ordered before a later one; for 32 cells side by side, which a warp mostly accesses
// together, one entry for all of them.
#pragma once

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/races/reads.hpp"
#include "machine/races/room.hpp"
#include "machine/races/vector_clock.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

enum class AccessKind : std::uint8_t { read, write, atomic };

/// One access, or many equal ones, of a cell. Small: each 4-byte word of an array has several.
struct CellAccess {
  enum class Who : std::uint8_t { one, lanes_of_warp, threads_of_block, many_blocks };
  std::uint32_t inst = 0;
  AccessKind kind = AccessKind::read;
  std::uint8_t bytes = 0;  ///< of the 4-byte cell: a bit each
  Who who = Who::one;
  bool strong : 1 = false;           ///< volatile or relaxed and stronger
  bool is_volatile : 1 = false;      ///< strong by .volatile alone
  bool narrow : 1 = false;           ///< strong at a scope that leaves other blocks out
  bool released : 1 = false;         ///< a strong write that publishes: a synchronisation variable
  bool released_widely : 1 = false;  ///< published beyond its block
  bool first : 1 = false;      ///< ... and the first strong write or atomic behind its release
  bool undefined : 1 = false;  ///< what it wrote is, in part at least: it equals no other value
  bool read_only : 1 = false;  ///< a load that no order reaches
  bool under_way : 1 = false;  ///< by a copy that has not ended: concurrent with all that comes
  bool by_copy : 1 = false;    ///< ... that its issuer has not waited for: a thread of its own
  Proxy proxy : 2 = Proxy::generic;  ///< another one is told of writes by its fence
  bool by_launch : 1 = false;        ///< by a kernel that its thread has launched; under_way, too
  bool replaced : 1 = false;         ///< it stands for earlier ones, too, whose place it has taken
  std::int8_t begin = 0;             ///< bytes from the cell to the first one of the access
  std::uint16_t thread = 0, other_thread = 0;  ///< within their blocks; other: unless Who::one
  std::uint16_t block_step = 0;  ///< not 0: the same read by each block from `block` to
                                 ///< `other_block`, so far apart (race_readers.cpp)
  std::uint32_t block = 0, other_block = 0;
  Clock clock;
  std::uint32_t value = 0;      ///< written: the cell's bytes that were accessed, the others 0
  std::uint32_t differing = 0;  ///< bits in which the writes that this stands for differ
  union {
    std::uint32_t members = 0;  ///< lanes (lanes_of_warp) or warps (threads_of_block)
    std::uint32_t number;  ///< Who::one: a strong write of a synchronisation variable: its place;
                           ///< by_copy: as RaceDetector::track gives it; under_way: how many
                           ///< more of its thread and instruction are
  };
  /// Of a read where each thread is kept apart: the lanes of its warp that it stands for, all of
  /// one clock; none: the place of lanes that have left it.
  [[nodiscard]] std::uint32_t lanes() const {
    return who == Who::one ? 1U << thread % warp_size : members;
  }
  void set_lanes(std::uint32_t lanes) {
    const bool single = std::has_single_bit(lanes);
    who = single ? Who::one : Who::lanes_of_warp;
    members = single ? 0 : lanes;
    if (lanes == 0) return;
    const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
    thread = static_cast<std::uint16_t>(thread / warp_size * warp_size + first);
  }
  [[nodiscard]] std::uint32_t last_block() const { return block_step == 0 ? block : other_block; }
};
static_assert(sizeof(CellAccess) == 48);

namespace races {

/// A bit per byte of a cell, spread over the bits of the bytes.
constexpr std::uint32_t byte_mask(unsigned bytes) {
  return (bytes & 1) * 0xFFU | (bytes >> 1 & 1) * 0xFF00U | (bytes >> 2 & 1) * 0xFF0000U |
         (bytes >> 3 & 1) * 0xFF000000U;
}

/// The accesses of one cell by one instruction, each thread apart, found by thread; reads that are
/// kept for lanes of one clock, by warp.
struct Crowd {
  std::uint32_t inst;
  std::pmr::vector<CellAccess> all;
  std::pmr::vector<std::uint32_t> places;  ///< a table by whose they are, and bytes; ~0: free
  std::uint32_t next = 0;  ///< where the lane after the last one looked for is expected
  /// The access that all others come before, as those of threads do that take turns; `nobody`: it
  /// is not known that there is one.
  std::uint32_t latest = nobody;
  static constexpr std::uint32_t nobody = ~0U;
  bool one_block = true;  ///< all are of one
  /// Whether all come before what a block does that knows so much (BlockClock::known_number) was
  /// asked for last.
  std::uint64_t asked_by = 0;
  bool comes_before = false;
  /// Where threads do not take turns that is asked ever more seldom: accesses since it was, and how
  /// many there are to be.
  std::uint8_t unasked = 0, to_leave = 0;

  Crowd(std::uint32_t of, Room& room) : inst(of), all(&room), places(&room) {}
  [[nodiscard]] CellAccess* of(const CellAccess& a) {
    if (next >= all.size()) return look_up(a);
    CellAccess& e = all[next];
    if (e.thread != a.thread || e.block != a.block || e.bytes != a.bytes) return look_up(a);
    ++next;
    return &e;
  }
  [[nodiscard]] CellAccess* look_up(const CellAccess& a);
  /// The first one of its thread, or of its lanes at that clock.
  void add(const CellAccess& a);
  /// Some have gone, or stand elsewhere.
  void make_places();
  /// This one has taken the place of another thread's, of that block.
  void has_replaced(const CellAccess& a, std::uint32_t block);
  /// Another access is about to be among them.
  void has_changed() {
    latest = nobody;
    asked_by = 0;
  }
  /// All that stand where the access does, or behind.
  template <class Visit>
  void each_beside(const CellAccess& a, Visit visit) {
    for (std::size_t k = place_of(a); !places.empty(); ++k) {
      const std::uint32_t place = places[k & (places.size() - 1)];
      if (place == nobody) return;
      visit(all[place]);
    }
  }

 private:
  /// Where the access stands in the table at the earliest.
  [[nodiscard]] static std::size_t place_of(const CellAccess& a);
  void put(std::uint32_t number);
  void note(std::uint32_t number);
  std::size_t noted = 0;  // places in use
};

/// What is known of a word of shared memory that several threads have written with one value.
struct OneValue {
  std::uint32_t epoch = 0;  ///< block epoch that this is said of
  bool holds = false;  ///< it was written first of all, with this value only, and read by none but
                       ///< who had written it
  std::uint8_t bytes = 0;  ///< as CellAccess's
  std::uint32_t value = 0;
  std::bitset<1024> writers;  ///< threads of the block
  /// The access, or all that it stands for.
  [[nodiscard]] bool is_written_by(const CellAccess& a) const {
    return a.kind == AccessKind::write && !a.strong && !a.undefined && !a.by_copy &&
           a.bytes == bytes && a.value == value && a.differing == 0;
  }
};

/// What few cells have.
struct Overflow {
  std::pmr::vector<Crowd> crowds;  ///< what there is no room for among the accesses
  Room::Made<OneValue> one_value;
  explicit Overflow(Room& room) : crowds(&room) {}
};

/// In a room, whose memory its accesses lie in.
struct Cell {
  static constexpr std::uint8_t few = 3, most = 19;  ///< accesses; beyond, crowds
  std::uint32_t epoch = 0;                           ///< block epoch of the entries (shared memory)
  std::uint8_t count = 0;
  bool crowded = false;      ///< `more` has crowds
  bool copies : 1 = false;   ///< entries may be by_copy, or written and of another proxy's concern:
                             ///< no barrier of the block ends those
  bool put_off : 1 = false;  ///< not all that came to it is there: operations on an mbarrier
                             ///< (MbarrierOperations), or who came in turn (Variable::in_turn)
 private:
  std::uint8_t room_for_ = 0;

 public:
  Room::Made<Overflow> more;

  explicit Cell(Room& room) : more(nullptr, {&room}) {}
  [[nodiscard]] Room& room() const { return *more.get_deleter().room; }
  [[nodiscard]] std::span<CellAccess> accesses() { return {accesses_, count}; }
  [[nodiscard]] std::span<const CellAccess> accesses() const { return {accesses_, count}; }
  /// One more takes more memory.
  [[nodiscard]] bool is_full() const { return count == room_for_; }
  /// One more, of these bytes, which has no value yet. At most `most`.
  [[nodiscard]] CellAccess& add(std::uint8_t bytes) {
    if (count == room_for_) grow(bytes);
    return accesses_[count++];
  }
  /// This one of them, or of the crowds', goes.
  void remove(const CellAccess& a);

 private:
  void grow(std::uint8_t bytes);
  CellAccess* accesses_ = nullptr;
};
static_assert(sizeof(Cell) == 32);

/// 32 cells side by side. A warp mostly accesses such cells together, lane by lane: then one entry
/// stands for one access in each of them, and is compared but once. Whatever does not fit is kept,
/// and compared, cell by cell.
struct Row {
  static constexpr std::uint32_t width = 32;  ///< cells
  struct Entry {
    CellAccess access;    ///< Who::one; what differs between cells is below
    std::int32_t thread;  ///< of cell 0, if the run began that far to the left
    std::uint32_t warp;   ///< of the block
    std::int8_t shift;    ///< log2 of the cells that each lane's access covers; -1, -2: a half, a
                          ///< quarter of one, and each cell has the accesses of 2, of 4 lanes
    std::uint32_t cells;  ///< a bit each
    struct Stored {
      std::array<std::uint32_t, width> value, differing;  ///< as CellAccess's
    };
    Room::Made<Stored> stored;  ///< nullptr: a load
    /// Accesses of each cell, by as many lanes side by side.
    [[nodiscard]] std::uint32_t parts() const { return shift < 0 ? 1U << -shift : 1U; }
    /// An access of one of the cells: that of its first lane, or of one behind it.
    [[nodiscard]] CellAccess of(std::uint32_t cell, std::uint32_t part = 0) const;
    /// Those that access these cells.
    [[nodiscard]] std::uint32_t lanes(std::uint32_t in) const;
    /// Each cell is accessed by the thread that accesses it there.
    [[nodiscard]] bool is_of_thread(const Entry& other) const {
      return thread == other.thread && access.block == other.access.block;
    }
    /// These of its cells have values which nobody has written before. `values`: by cell.
    void put(std::uint32_t in, const std::uint32_t* values);
    /// It becomes another access of the same instruction to its cells, or one more of the copies
    /// that are under way. nullptr: a load.
    void renew(const Entry& like, const std::uint32_t* values);
    /// The same of the end of the copy that it is, which had the values when it began.
    void end(const Entry& like);
  };
  std::uint32_t epoch =
      0;  ///< shared memory: block epoch of the `fresh` cells; the others' is older
  std::uint32_t fresh = 0;
  std::uint32_t apart = 0;          ///< those of `cells` that count
  std::pmr::vector<Entry> entries;  // a cell's own in the order of Cell's
  Cell** cells = nullptr;           ///< a row of them; null: not made yet
  /// Of global memory: reads that there are too many of for entries; nullptr: none. A cell that
  /// they have is neither apart nor any entry's.
  Room::Made<Reads> reads;

  explicit Row(Room& room) : entries(&room) {}
  /// The cell, if it is one of those apart.
  [[nodiscard]] Cell* own(std::uint64_t cell) const {
    return (apart >> cell & 1) != 0 ? cells[cell] : nullptr;
  }
  /// The entry that goes on in these cells, by lanes that run one by one, where nothing that came
  /// after it is in them; nullptr: there is none.
  [[nodiscard]] Entry* extended(const Entry& like, std::uint32_t in);
  /// The entry that an earlier step of a copy has left in these cells, and in them alone, if this
  /// step has to do with nothing else: where it ends, that of its begin; where it begins, that of
  /// the copy before. nullptr: there may be others.
  [[nodiscard]] Entry* step_before(const Entry& like, std::uint32_t in, CopyStep step);
  /// An access of these cells is added, or takes the place of one of the same instruction: of the
  /// same thread, where each is kept apart (`exact`). `values`: by cell; nullptr: a load.
  void add(const Entry& like, std::uint32_t in, const std::uint32_t* values, bool exact);
  /// The first one of the copies that are this entry has ended.
  void end(Entry& under_way, const Entry& like, std::uint32_t in, const std::uint32_t* values);
  /// The cell, which is one of those apart from here on.
  Cell& take_apart(std::uint32_t cell);
  /// Where its entries are, and what these store.
  [[nodiscard]] Room& room() const {
    return static_cast<Room&>(*entries.get_allocator().resource());
  }

 private:
  /// Of the copies by an instruction and threads, in these cells alone.
  struct OwnCopies {
    Entry* under_way = nullptr;  ///< nullptr: there are none
    Entry* waited = nullptr;
    bool others = false;  ///< some are kept otherwise
  };
  [[nodiscard]] OwnCopies own_copies(const Entry& like, std::uint32_t in);
  void append(const Entry& like, std::uint32_t in, const std::uint32_t* values);
};

}  // namespace races
}  // namespace gauntlet::simt
