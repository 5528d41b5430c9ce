// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Lanes that arrive at one mbarrier, or wait for it, where nothing is wrong: its word is looked at
// once. What engine_memory.cpp, engine_spaces.cpp and engine_atomic.cpp do of all others, with
// their faults.
#include <bit>
#include <cstring>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t word_bytes = 8;

/// Where all of the lanes are; not aligned: they are at several places.
std::uint64_t one_address(const Warp& w, const MemoryOp& op, std::uint32_t mask,
                          const WarpCode& code) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
  const std::uint64_t address = address_of(w, op, lane);
  if (op.address_is_constant) return address;
  const auto* const wide = w.source<std::uint64_t>(op.address);
  const auto* const narrow = w.source<std::uint32_t>(op.address);
  const bool one = op.address_wide ? code.same64(wide, mask, wide[lane])
                                   : code.same32(narrow, mask, narrow[lane]);
  return one ? address : 1;
}

/// The word of the mbarrier there; 0: there is none.
std::uint64_t word_at(const Region& r, std::uint64_t address) {
  const std::uint64_t at = address - r.base;
  if (r.bytes < word_bytes || at > r.bytes - word_bytes) return 0;
  constexpr std::uint64_t made = 0x0101'0101'0101'0101 * ByteState::in_mbarrier;
  std::uint64_t states = 0, word = 0;
  std::memcpy(&states, r.state + at, sizeof states);
  std::memcpy(&word, r.data + at, sizeof word);
  return states == made && (word & mbarrier::valid) != 0 ? word : 0;
}

/// Arrivals, one by each lane, of which none is too many, and the last one at most ends the phase.
bool arrive_once(const Warp& w, const MemoryOp& op, std::uint32_t mask, std::uint64_t word,
                 const WarpCode& code) {
  if (op.atomic != AtomicOp::arrive || mbarrier::pending(word) < lane_count(mask)) return false;
  if (w.poison_live && (w.poison[op.operand.id] & mask) != 0) return false;
  return code.same64(w.source<std::uint64_t>(op.operand), mask, 1);
}

}  // namespace

bool Engine::mbarrier_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                              std::uint32_t mask) {
  if (shadow_ != nullptr || config_.log != nullptr) return false;
  if (w.poison_live && (w.poison[op.address.id] & mask) != 0) return false;
  std::uint64_t address = one_address(w, op, mask, warp_code_);
  if (address % word_bytes != 0) return false;
  if (op.space == MemorySpace::generic) address -= shared_window;
  if (address >= window_bytes) return false;
  const std::uint64_t named = address;  // with the block that it names
  Block* const of = kernel_.uses_cluster ? clusters_.block_at_address(b, address) : &b;
  if (of == nullptr) return false;
  const std::size_t half = word_at(of->shared[0], address) != 0 ? 0 : 1;
  const Region& region = of->shared[half];
  const std::uint64_t word = word_at(region, address);
  if (word == 0) return false;
  const bool waits = op.what == MemoryOp::What::load;
  if (!waits && !arrive_once(w, op, mask, word, warp_code_)) return false;
  if (table_ != nullptr) {
    alignas(64) std::uint64_t all[warp_size];
    warp_code_.fill64(all, all_lanes, named);
    table_->shared(b.interval, inst, all, mask);
  }
  if (waits) {
    warp_code_.fill64(w.destination<std::uint64_t>(op.values[0]), mask, word);
    clear_poison(w, op.values[0], mask);
  } else {
    const std::uint32_t count = lane_count(mask);
    if (op.has_result) {
      auto* const old = w.destination<std::uint64_t>(op.values[0]);
      std::uint64_t now = word;
      for (const int l : lanes_of(mask)) old[l] = now--;
      if (w.poison_live) clear_poison(w, op.values[0], mask);
    }
    const std::uint64_t next = mbarrier::after(word, {count, 0});
    std::memcpy(region.data + (address - region.base), &next, sizeof next);
    counters_.atomics += count;
    standstill_.changes += count;
    warp_code_.fill64(mbarriers_.variables, all_lanes,
                      mbarriers_.variable(of->linear, address, word, true));
    if (mbarrier::phase(next) != mbarrier::phase(word)) phase_ended(*of, address);
  }
  if (!watching()) return true;
  Access a{b, w, inst, op, word_bytes, {}};
  warp_code_.fill64(a.address, all_lanes, address);
  watch(a, region, mask, kernel_.uses_cluster ? clusters_.array(*of, half) : nullptr);
  return true;
}

}  // namespace gauntlet::simt
