// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A warp: its register file, and its lanes grouped into subwarps. Lanes are scheduled
// independently (Volta and later): a subwarp is a set of lanes that currently share a pc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/state/lanes.hpp"
#include "machine/state/register_files.hpp"
#include "machine/state/undefined_bits.hpp"

namespace gauntlet::simt {

inline constexpr std::uint32_t all_lanes = 0xFFFF'FFFF;
inline constexpr int warp_size = 32;
inline constexpr std::uint32_t no_instruction = ~0U;

struct Subwarp {
  enum class State : std::uint8_t {
    runnable,
    at_barrier,
    at_warp_sync,
    at_cluster,
    at_launch_wait
  } state = State::runnable;
  std::uint32_t pc = 0;
  std::uint32_t lanes = 0;
  std::uint32_t members = 0;  ///< at_warp_sync: the membermask
  std::uint32_t barrier = 0;  ///< at_barrier: its number
  std::uint32_t last = 0;     ///< at_barrier: of lanes that came one by one, the last; 0: together
  std::uint64_t spent = 0;    ///< warp instructions since it was last passed over

  /// At a barrier: how often somebody came, and whom findings name.
  [[nodiscard]] std::uint32_t arrivals() const { return last != 0 ? lane_count(lanes) : 1; }
  [[nodiscard]] int shown_lane() const { return std::countr_zero(last != 0 ? last : lanes); }
};

/// An asynchronous copy that is under way, of the lanes that still have to wait for it.
struct PendingCopy {
  std::uint32_t inst = 0;  ///< its store
  std::uint32_t lanes = 0;
  std::uint32_t committed = 0;                 ///< lanes of which it belongs to a group
  std::array<std::uint32_t, warp_size> group;  ///< of those
  struct Tracker {
    std::uint64_t mbarrier;
    std::uint32_t lanes;
  };
  std::vector<Tracker> trackers;  ///< it has ended with the first phase that does of these
  std::array<std::uint32_t, warp_size> number{};  ///< of a tracked one: RaceDetector::track
  std::array<std::uint64_t, warp_size> address, source;
  /// Lanes whose element lies behind that of the lane before, which has one, too.
  std::uint32_t behind = 0, source_behind = 0;
  std::array<std::uint32_t, 2> inside{};  ///< lanes that store to static, to dynamic shared memory
  std::array<std::uint8_t, warp_size> source_bytes;  ///< that are read; zeros fill the others
  std::array<std::uint32_t, warp_size * 4> content;  ///< lane by lane
  std::vector<UndefinedLanes> undefined;  ///< lanes whose source is, by value; empty: none
  [[nodiscard]] std::uint32_t undefined_lanes() const {
    std::uint32_t lanes = 0;
    for (const UndefinedLanes& of : undefined) lanes |= of.lanes;
    return lanes;
  }
};

/// Asynchronous copies that have ended by an mbarrier, of the lanes that have not waited for their
/// groups since.
struct LandedCopies {
  std::uint32_t lanes = 0, committed = 0;
  std::array<std::uint32_t, warp_size> number, group;  ///< as PendingCopy's
};

/// What every instruction, barrier and scheduler looks at comes first, in two lines of the cache.
struct alignas(64) Warp {
  std::byte* registers = nullptr;  ///< of `file`
  const std::byte* pool = nullptr;
  std::uint32_t* poison = nullptr;  ///< lane mask per poison slot
  std::uint32_t* origin =
      nullptr;               ///< Origin number per poison slot and lane; valid where poisoned
  bool poison_live = false;  ///< some slot may be poisoned
  bool has_partly_undefined = false;
  bool asynchronous = false;  ///< it has, or had, copies, groups of them or products

  std::uint32_t index = 0;     ///< in its block
  std::uint32_t block = 0;     ///< linear block index
  std::uint32_t existing = 0;  ///< lanes that the launch created
  std::uint32_t exited = 0;
  std::uint32_t waiting = 0;  ///< lanes of subwarps that are not runnable
  std::uint32_t subwarp_count = 0;
  std::uint64_t instructions = 0;
  std::uint32_t astray = 0;  ///< accesses of its lanes to addresses that no array was ever at
  std::uint32_t last_access = no_instruction;  ///< to memory, since the last block barrier
  std::uint64_t turn = 0;        ///< `instructions` when every ready subwarp last had its turn
  RegisterFile* file = nullptr;  ///< nullptr: its first instruction is still to come
  std::array<Subwarp, warp_size> subwarps;

  std::uint32_t last_barrier = no_instruction;  ///< of the block, that it has left
  std::uint64_t clock_reads = 0;
  std::uint64_t clock_ahead = 0;  ///< of `instructions`: see read_clock (engine.cpp)
  /// Of a handler whose mask is not full: its result, before that goes to the active lanes.
  alignas(64) std::byte some_lanes[warp_size * 8];

  std::byte* local = nullptr;  ///< local_bytes per lane
  std::uint8_t* local_state = nullptr;
  std::vector<std::uint32_t> local_origin;
  std::list<PendingCopy> copies;        ///< large, and mostly the first ones end first
  std::list<PendingCopy> ended_copies;  ///< places for others
  std::vector<LandedCopies> landed_copies;
  /// By poison slot: the undefined bits of each lane (machine/state/undefined_bits.hpp). A slot
  /// that is not there has none but lanes that are undefined altogether.
  std::unordered_map<std::uint32_t, std::array<std::uint64_t, warp_size>> partly_undefined;
  std::array<std::uint32_t, warp_size> copy_groups{};  ///< committed so far
  std::array<std::uint32_t, warp_size> bulk_groups{};  ///< the same of bulk copies
  /// Of wgmma: instructions so far, groups committed, and whether a wgmma.fence has come.
  struct Products {
    std::uint32_t begun = 0, groups = 0;
    bool fenced = false;
  } products;

  // Inline in code for any processor.
  [[nodiscard, gnu::always_inline]] std::uint32_t origin_of(Operand o, int lane) const {
    return origin[o.id * warp_size + static_cast<std::uint32_t>(lane)];
  }
  /// As one of this block that has executed nothing.
  void begin(std::uint32_t linear) {
    file = nullptr;
    if (has_partly_undefined) partly_undefined.clear();
    poison_live = has_partly_undefined = false;
    block = linear;
    exited = waiting = 0;
    instructions = turn = clock_reads = clock_ahead = 0;
    astray = 0;
    last_access = last_barrier = no_instruction;
    subwarp_count = 1;
    subwarps[0] = {};
    subwarps[0].lanes = existing;
    local_origin.clear();
    if (!asynchronous) return;
    asynchronous = false;
    ended_copies.splice(ended_copies.end(), copies);
    landed_copies.clear();
    copy_groups.fill(0);
    bulk_groups.fill(0);
    products = {};
  }
  [[nodiscard]] std::uint32_t live() const { return existing & ~exited; }
  /// Lanes of runnable subwarps.
  [[nodiscard]] std::uint32_t runnable() const { return live() & ~waiting; }
  /// The subwarp is not runnable any more, until it is released.
  void wait(Subwarp& f, Subwarp::State state) {
    f.state = state;
    waiting |= f.lanes;
  }
  /// A subwarp whose wait has ended goes on behind its instruction. `quantum`: of its turns.
  void release(Subwarp& f, std::uint64_t quantum);
  /// These lanes of the subwarp become one of their own.
  Subwarp& split(std::uint32_t subwarp, std::uint32_t of_lanes);
  void remove(std::uint32_t subwarp) {
    if (subwarp != --subwarp_count) subwarps[subwarp] = subwarps[subwarp_count];
  }
  /// Runnable subwarps at the same pc become one.
  void merge() {
    if (subwarp_count > 1) merge_subwarps();
  }
  void merge_subwarps();

  template <class T>
  [[nodiscard, gnu::always_inline]] T* destination(Operand o) {
    return reinterpret_cast<T*>(registers + o.offset);
  }
  template <class T>
  [[nodiscard, gnu::always_inline]] const T* source(Operand o) const {
    const std::byte* base = (o.offset & Operand::constant_bit) != 0 ? pool : registers;
    return reinterpret_cast<const T*>(base + (o.offset & ~Operand::constant_bit));
  }
};

/// Of a lane's access.
[[nodiscard]] inline std::uint64_t address_of(const Warp& w, const MemoryOp& op,
                                              std::uint32_t lane) {
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (op.address_is_constant) return offset;
  if (op.address_wide) return w.source<std::uint64_t>(op.address)[lane] + offset;
  return static_cast<std::uint32_t>(w.source<std::uint32_t>(op.address)[lane] + offset);
}

}  // namespace gauntlet::simt
