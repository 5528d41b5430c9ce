// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The usual load or store: the lanes' elements lie one behind the other, in one array, and nothing
// is wrong. What engine_memory.cpp asks of each lane is asked of all of them at once.
#include <bit>
#include <cstring>

#include "simt/decode/handlers.hpp"
#include "simt/machine/byte_states.hpp"
#include "simt/machine/engine.hpp"
#include "simt/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

/// Lane l: l elements of this size.
template <class A, unsigned size>
inline constexpr auto steps = [] {
  struct {
    alignas(64) A v[warp_size];
  } s{};
  for (unsigned l = 0; l < warp_size; ++l) s.v[l] = l * size;
  return s;
}();

/// The addresses of the lanes of `mask` are those of elements side by side, lane 0's at `start`.
template <class A>
bool side_by_side(const A* address, A start, const A* step, std::uint32_t mask) {
  A differs = 0;
  if (mask == all_lanes) {
    for (int l = 0; l < warp_size; ++l) differs |= (address[l] - start) ^ step[l];
  } else {
    for (int l = 0; l < warp_size; ++l) {
      const A other = (address[l] - start) ^ step[l];
      differs |= (mask & lane_bits.v[l]) != 0 ? other : A{0};
    }
  }
  return differs == 0;
}
template <class A>
bool side_by_side(const A* address, unsigned first, unsigned size, std::uint32_t mask) {
  if ((mask & (mask - 1)) == 0) return true;
  return side_by_side<A>(address, address[first] - A{first} * size,
                         size == 4 ? steps<A, 4>.v : steps<A, 8>.v, mask);
}

constexpr std::uint32_t full4 = warp_size * 4, full8 = warp_size * 8;

/// Whole warps are copied without a call.
void copy_bytes(std::byte* to, const std::byte* from, std::uint32_t bytes) {
  if (bytes == full4)
    std::memcpy(to, from, full4);
  else if (bytes == full8)
    std::memcpy(to, from, full8);
  else
    std::memcpy(to, from, bytes);
}
void initialise(std::uint8_t* state, std::uint32_t bytes) {
  if (bytes == full4)
    std::memset(state, ByteState::initialised, full4);
  else
    std::memset(state, ByteState::initialised, bytes);
}

}  // namespace

bool Engine::memory_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                        std::uint32_t mask) {
  if (w.poison_live && (w.poison[op.address.id] & mask) != 0) return false;
  if (shadow_ != nullptr && !shadow_->takes_runs(op)) return false;
  MemoryRun run;
  run.inst = inst;
  run.mask = mask;
  run.first = static_cast<std::uint32_t>(std::countr_zero(mask));
  run.lanes = warp_size - static_cast<std::uint32_t>(std::countl_zero(mask)) - run.first;
  run.bytes = run.lanes * op.size;
  const auto offset = static_cast<std::uint64_t>(op.offset);
  if (op.address_wide) {
    const auto* address = w.source<std::uint64_t>(op.address);
    if (!side_by_side(address, run.first, op.size, mask)) return false;
    run.address = address[run.first] + offset;
  } else {
    const auto* address = w.source<std::uint32_t>(op.address);
    if (!side_by_side(address, run.first, op.size, mask)) return false;
    run.address = static_cast<std::uint32_t>(address[run.first] + offset);
  }
  if ((run.address & (op.size - 1U)) != 0) return false;
  return op.space == MemorySpace::shared ? shared_run(b, w, inst, op, run)
                                         : global_run(b, w, inst, op, run);
}

bool Engine::shared_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                        const MemoryRun& run) {
  for (const Region& r : b.shared) {
    if (r.bytes < run.bytes || run.address - r.base > r.bytes - run.bytes) continue;
    if (!transfer_run(w, op, run, r)) return false;
    if (races_ != nullptr &&
        !races_->access_run({&b, &w, inst, &op, run.mask, run.first, &r, run.address - r.base})) {
      watch(lane_by_lane(b, w, inst, op, run), r, run.mask, nullptr);
    }
    return true;
  }
  return false;
}

bool Engine::global_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                        const MemoryRun& run) {
  Allocation* a = last_allocation_;
  if (a == nullptr || run.address - a->base >= a->bytes) {
    a = last_allocation_ = memory_.find(run.address);
    if (a == nullptr) return false;
  }
  if (a->freed || a->bytes < run.bytes || run.address - a->base > a->bytes - run.bytes) {
    return false;
  }
  if (a->make_page) a->touch(run.address - a->base, run.bytes);
  const bool load = op.what == MemoryOp::What::load;
  if (a->read_only && !load) return false;
  const Region r{a->data, a->state, &a->origin, a->base, a->bytes};
  // Nobody writes a read-only input, so nobody races on it.
  const bool watched = races_ != nullptr && !(a->read_only && load);
  if (!watched && !splitting_ && accesses_ == nullptr && !overlaps_)
    return transfer_run(w, op, run, r);
  const Access access = lane_by_lane(b, w, inst, op, run);
  if (splitting_) beside_others(access, *a, run.mask);
  if (!transfer_run(w, op, run, r)) return false;
  if (watched) watch(access, r, run.mask, a);
  if (accesses_ != nullptr) accesses_->note(*a, op, access.address, access.width, run.mask);
  if (overlaps_) note_for_order(access, *a, run.mask);
  return true;
}

bool Engine::transfer_run(Warp& w, const MemoryOp& op, const MemoryRun& run, const Region& r) {
  const auto at = run.address - r.base;
  const Operand value = op.values[0];
  const bool gaps = run.gaps();
  const auto each = [&](auto&& visit) {
    for (const unsigned l : lanes_of(run.mask)) visit(l * op.size, at + (l - run.first) * op.size);
  };
  if (op.what == MemoryOp::What::load) {
    if (!all_defined(r.state + at, run.bytes)) return false;
    auto* to = w.destination<std::byte>(value);
    if (gaps) {
      each([&](unsigned lane, std::uint64_t from) {
        std::memcpy(to + lane, r.data + from, op.size);
      });
    } else {
      copy_bytes(to + run.first * op.size, r.data + at, run.bytes);
    }
    if (w.poison_live) clear_poison(w, value, run.mask);
    if (shadow_ != nullptr) {
      shadow_->load_run({w, run.inst, op}, r.data + at, run.first, run.mask);
    }
    return true;
  }
  if (w.poison_live && (w.poison[value.id] & run.mask) != 0) return false;
  if (!all_mapped(r.state + at, run.bytes)) return false;
  const auto* from = w.source<std::byte>(value);
  if (gaps) {
    each([&](unsigned lane, std::uint64_t to) {
      std::memcpy(r.data + to, from + lane, op.size);
      std::memset(r.state + to, ByteState::initialised, op.size);
    });
  } else {
    copy_bytes(r.data + at, from + run.first * op.size, run.bytes);
    initialise(r.state + at, run.bytes);
  }
  if (shadow_ != nullptr) {
    shadow_->store_run({w, run.inst, op}, r.data + at, run.first, run.mask);
  }
  return true;
}

Engine::Access Engine::lane_by_lane(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                    const MemoryRun& run) {
  Access a{b, w, inst, op, op.size, {}};
  for (const unsigned l : lanes_of(run.mask)) {
    a.address[l] = run.address + std::uint64_t{l - run.first} * op.size;
  }
  return a;
}

}  // namespace gauntlet::simt
