// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The usual load or store: the lanes' elements lie one behind the other, in one array, and nothing
// is wrong. What engine_memory.cpp asks of each lane is asked of all of them at once.
#include <bit>
#include <cstring>
#include <optional>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t full4 = warp_size * 4, full8 = warp_size * 8;

/// Whole warps are copied without a call. Not inline: in its callers it was a fifth slower.
[[gnu::noinline]] void copy_bytes(std::byte* to, const std::byte* from, std::uint32_t bytes) {
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

/// The addresses of these lanes are those of elements of `size` bytes side by side.
template <class A>
bool side_by_side(const A* address, unsigned first, unsigned size, std::uint32_t mask) {
  const std::uint32_t others = mask & (mask - 1);
  if (others == 0) return true;
  const A start = address[first] - A{first} * size;
  const auto second = static_cast<unsigned>(std::countr_zero(others));
  if (address[second] != start + A{second} * size) return false;
  A differs = 0;
  for (A l = 0; l < warp_size; ++l) {
    const A other = address[l] - (start + l * size);
    differs |= (mask & lane_bits.v[l]) != 0 ? other : A{0};
  }
  return differs == 0;
}

/// Of 4 or 8 bytes.
void copy_element(std::byte* to, const std::byte* from, unsigned size) {
  if (size == 4)
    std::memcpy(to, from, 4);
  else
    std::memcpy(to, from, 8);
}
/// Of 1, 2, 4 or 8 bytes.
void store_element(std::byte* to, std::uint8_t* state, const std::byte* from, unsigned size) {
  with_size(size, [&](auto bytes) {
    std::memcpy(to, from, bytes);
    define_element(state, bytes);
  });
}

/// What read_cell gives of elements side by side.
template <class Cell, class Slot>
void widen(Slot* to, const std::byte* from, std::uint32_t lanes, Slot kept) {
  for (std::uint32_t l = 0; l < lanes; ++l) {
    Cell x;
    std::memcpy(&x, from + l * sizeof x, sizeof x);
    to[l] = static_cast<Slot>(x) & kept;
  }
}
template <class Slot>
void widen(Slot* to, const std::byte* from, std::uint32_t lanes, const MemoryOp& op) {
  const Slot kept = op.value_bytes[0] == 2 ? Slot{0xFFFF} : static_cast<Slot>(~Slot{0});
  using S = ptx::ScalarType;
  if (op.size == 1)
    op.cell == S::s8 ? widen<std::int8_t>(to, from, lanes, kept)
                     : widen<std::uint8_t>(to, from, lanes, kept);
  else if (op.size == 2)
    op.cell == S::s16 ? widen<std::int16_t>(to, from, lanes, kept)
                      : widen<std::uint16_t>(to, from, lanes, kept);
  else if (op.size == 4)
    op.cell == S::s32 ? widen<std::int32_t>(to, from, lanes, kept)
                      : widen<std::uint32_t>(to, from, lanes, kept);
  else
    widen<std::uint64_t>(to, from, lanes, kept);
}
/// Vectors side by side, from this lane's on, whose elements are whole registers or the first bytes
/// of them: between memory and the registers.
void copy_vectors(Warp& w, const MemoryOp& op, std::byte* memory, std::uint32_t first,
                  std::uint32_t lanes) {
  with_size(op.size, [&](auto size) {
    constexpr std::size_t slot = size == 8 ? 8 : 4;
    const auto copy = [&](std::byte * to, std::size_t to_step, const std::byte* from,
                          std::size_t from_step) __attribute__((always_inline)) {
      for (std::uint32_t l = 0; l < lanes; ++l) {
        std::memcpy(to + l * to_step, from + l * from_step, size);
      }
    };
    for (unsigned k = 0; k < op.count; ++k, memory += size) {
      if (op.what == MemoryOp::What::load)
        copy(w.destination<std::byte>(op.values[k]) + first * slot, slot, memory, op.width());
      else if (op.count == 1)
        copy(memory, size, w.source<std::byte>(op.values[k]) + first * slot, slot);
      else
        copy(memory, op.width(), w.source<std::byte>(op.values[k]) + first * slot, slot);
    }
  });
}

}  // namespace

template <bool accounted>
bool Engine::whole_warp(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                        const std::uint64_t* first) {
  const std::uint32_t bytes = op.streams, width = bytes / warp_size;
  if (w.poison_live && w.poison[op.address.id] != 0) return false;
  if (first == nullptr) {
    first = w.source<std::uint64_t>(op.address);
    if (first[1] - first[0] != width || !warp_code_.side_by_side64(first, width)) return false;
  }
  const std::uint64_t address = *first + static_cast<std::uint64_t>(op.offset);
  const bool load = op.what == MemoryOp::What::load;
  const Allocation* a = nullptr;
  if constexpr (accounted) a = accesses_->goes_on(inst, op, address, bytes);
  const bool goes_on = a != nullptr;
  if (!goes_on && (a = array_at(address)) == nullptr) return false;
  const std::uint64_t at = address - a->base;
  if (!goes_on &&
      (a->bytes - at < bytes || (address & (width - 1U)) != 0 || (a->read_only && !load))) {
    return false;
  }
  // Of an array that was freed, or whose pages are made one by one, nothing is known.
  std::uint32_t origin = 0;
  if (w.poison_live || !a->defined->has(at, bytes)) {
    const auto found = origin_of_warp(b, w, inst, op, *a, at);
    if (!found) return false;
    origin = *found;
  }
  if (goes_on) {  // the page that comes next is fetched meanwhile
    const std::byte* const ahead = a->data + at + DefinedPages::page_bytes;
    __builtin_prefetch(ahead);
    __builtin_prefetch(ahead + bytes / 2);
  } else if constexpr (accounted) {
    account(inst, op, *a, at, bytes);
  }
  if (op.count != 1)
    copy_vectors(w, op, a->data + at, 0, warp_size);
  else if (load)
    copy_bytes(w.destination<std::byte>(op.values[0]), a->data + at, bytes);
  else
    copy_bytes(a->data + at, w.source<std::byte>(op.values[0]), bytes);
  if (origin != 0 || w.poison_live) spread_origin(w, op, *a, at, origin);
  if (races_ != nullptr && !a->read_only &&
      !races_->access_rows(w, inst, op, at, *a, !load && origin != 0)) {
    race_run(b, w, inst, op, {inst, address, all_lanes, 0, warp_size, bytes}, *a, a);
  }
  return true;
}

template bool Engine::whole_warp<false>(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                        const std::uint64_t* first);
template bool Engine::whole_warp<true>(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                       const std::uint64_t* first);

inline void Engine::race_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                             const MemoryRun& run, const Region& r, const Allocation* a) {
  const auto copy = op.copied ? CopyStep::begins : CopyStep::none;
  const std::uint32_t left = races_->access_run(
      {&b, &w, inst, &op, run.mask, run.first, &r, run.address - r.base, a, copy});
  if (left != 0) race_by_lane(b, w, op, run, r, a, left);
}

inline bool Engine::shared_run(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                               const MemoryRun& run) {
  for (const Region& r : b.shared) {
    if (r.bytes < run.bytes || run.address - r.base > r.bytes - run.bytes) continue;
    if (trials_.under_way()) return admitted_run(b, w, op, run, r, nullptr);
    if (!transfer_run(b, w, op, run, r, nullptr)) return false;
    if (races_ != nullptr) race_run(b, w, inst, op, run, r, nullptr);
    return true;
  }
  return false;
}

[[gnu::always_inline]] inline bool Engine::global_run(Block& b, Warp& w, std::uint32_t inst,
                                                      const MemoryOp& op, const MemoryRun& run) {
  Allocation* const a = array_at(run.address);
  if (a == nullptr || a->freed || a->bytes < run.bytes ||
      run.address - a->base > a->bytes - run.bytes) {
    return false;
  }
  if (a->make_page) a->touch(run.address - a->base, run.bytes);
  if (a->read_only && op.what != MemoryOp::What::load) return false;
  if (trials_.under_way() && !a->read_only) return admitted_run(b, w, op, run, *a, a);
  if (!trials_.under_way() &&
      (beside_.possible() || accesses_ != nullptr || launch_before_.overlaps())) {
    return watched_run(b, w, inst, op, run, *a);
  }
  if (!transfer_run(b, w, op, run, *a, a)) return false;
  // Nobody writes a read-only input, so nobody races on it.
  if (!trials_.under_way() && races_ != nullptr && !a->read_only) {
    race_run(b, w, inst, op, run, *a, a);
  }
  return true;
}

[[gnu::always_inline]] inline bool Engine::memory_run(Block& b, Warp& w, std::uint32_t inst,
                                                      const MemoryOp& op, MemoryRun& run) {
  if ((run.address & (op.width() - 1U)) != 0) return false;
  bool shared = op.space == MemorySpace::shared;
  if (op.space == MemorySpace::generic) {
    const auto in = [&](std::uint64_t window) { return run.address - window < window_bytes; };
    if (in(local_window) || in(param_window)) return false;
    shared = in(shared_window);
    if (shared) run.address -= shared_window;
  }
  return shared ? shared_run(b, w, inst, op, run) : global_run(b, w, inst, op, run);
}

/// The lanes of `mask`, all of them if `whole`, access elements side by side.
template <bool whole>
inline bool Engine::access_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                   std::uint32_t mask) {
  if (whole) mask = all_lanes;
  MemoryRun run;
  run.inst = inst;
  run.mask = mask;
  run.first = static_cast<std::uint32_t>(std::countr_zero(mask));
  run.lanes = warp_size - static_cast<std::uint32_t>(std::countl_zero(mask)) - run.first;
  const std::uint32_t width = op.width();
  run.bytes = run.lanes * width;
  const auto offset = static_cast<std::uint64_t>(op.offset);
  bool is_run = false, one_address = false;
  const std::uint32_t others = mask & (mask - 1);
  const auto second = others == 0 ? run.first : static_cast<unsigned>(std::countr_zero(others));
  if (op.address_wide) {
    const auto* address = w.source<std::uint64_t>(op.address);
    is_run = whole ? address[1] - address[0] == width && warp_code_.side_by_side64(address, width)
                   : side_by_side(address, run.first, width, mask);
    one_address = others != 0 && address[second] == address[run.first] &&
                  (whole ? warp_code_.side_by_side64(address, 0)
                         : warp_code_.same64(address, mask, address[run.first]));
    run.address = address[run.first] + offset;
  } else {
    const auto* address = w.source<std::uint32_t>(op.address);
    is_run = whole ? address[1] - address[0] == width && warp_code_.side_by_side32(address, width)
                   : side_by_side(address, run.first, width, mask);
    one_address = others != 0 && address[second] == address[run.first] &&
                  (whole ? warp_code_.side_by_side32(address, 0)
                         : warp_code_.same32(address, mask, address[run.first]));
    run.address = static_cast<std::uint32_t>(address[run.first] + offset);
  }
  if (one_address && load_for_all(b, w, inst, op, mask, run.address)) return true;
  return is_run ? memory_run(b, w, inst, op, run) : gather(b, w, inst, op, mask);
}

bool Engine::memory_at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                            std::uint32_t mask) {
  if (w.poison_live && (w.poison[op.address.id] & mask) != 0) return false;
  if (shadow_ != nullptr &&
      (!op.whole() || op.space == MemorySpace::generic || !shadow_->takes_runs(op))) {
    return false;
  }
  if (op.count != 1 && trials_.under_way()) return gather(b, w, inst, op, mask);
  return mask == all_lanes ? access_at_once<true>(b, w, inst, op, mask)
                           : access_at_once<false>(b, w, inst, op, mask);
}

// Not inline: an Access takes much of the stack.

[[gnu::noinline]] bool Engine::watched_run(Block& b, Warp& w, std::uint32_t inst,
                                           const MemoryOp& op, const MemoryRun& run,
                                           Allocation& a) {
  const bool at_once = !run.gaps() && accesses_ != nullptr && !launch_before_.notes(b, w, run.mask);
  std::optional<Access> access;
  if (!at_once)
    before(access.emplace(access_of(b, w, op, run)), a, run.mask);
  else if (accesses_->goes_on(inst, op, run.address, run.bytes) == nullptr)
    account(inst, op, a, run.address - a.base, run.bytes);
  if (!transfer_run(b, w, op, run, a, &a)) return false;
  if (races_ != nullptr && !a.read_only) race_run(b, w, inst, op, run, a, &a);
  if (!at_once) note(*access, a, run.mask);
  return true;
}

[[gnu::noinline]] bool Engine::admitted_run(Block& b, Warp& w, const MemoryOp& op,
                                            const MemoryRun& run, const Region& r,
                                            const Allocation* a) {
  const Access access = access_of(b, w, op, run);
  return trials_.admits(access, r, a == nullptr ? &r : nullptr, run.mask, a, true, false) &&
         transfer_run(b, w, op, run, r, a);
}

[[gnu::noinline]] void Engine::race_by_lane(Block& b, Warp& w, const MemoryOp& op,
                                            const MemoryRun& run, const Region& r,
                                            const Allocation* a, std::uint32_t lanes) {
  watch(access_of(b, w, op, run), r, lanes, a, false);
}

[[gnu::noinline]] bool Engine::transfer_run(Block& b, Warp& w, const MemoryOp& op,
                                            const MemoryRun& run, const Region& r,
                                            const Allocation* a) {
  const auto at = run.address - r.base;
  const Operand value = op.values[0];
  const std::uint32_t width = op.width();
  const bool alone = run.lanes == 1;
  const bool known = r.defined != nullptr && r.defined->has(at, run.bytes);
  const auto* const state = r.state + at;
  std::uint32_t origin = 0;  // of all, where nothing is defined
  const auto look = [&] {
    if (!known && origin == 0 && r.defined != nullptr && !trials_.under_way())
      r.defined->look(r.state, at);
  };
  if (op.what == MemoryOp::What::load) {
    const bool defined = known                ? true
                         : alone              ? element_defined(state, width)
                         : run.bytes == full4 ? all_defined(state, full4)
                                              : all_defined(state, run.bytes);
    if (!defined && (origin = origin_of_row(b, w, op, run, r, a)) == 0) {
      return undefined_run(b, w, op, run, r, a);
    }
    look();
    if (op.count != 1 && op.whole_elements() && !run.gaps()) {
      copy_vectors(w, op, r.data + at, run.first, run.lanes);
    } else if (op.whole() && alone) {
      copy_element(w.destination<std::byte>(value) + run.first * op.size, r.data + at, op.size);
    } else if (op.whole() && !run.gaps()) {
      copy_bytes(w.destination<std::byte>(value) + run.first * op.size, r.data + at, run.bytes);
    } else if (op.count == 1 && !run.gaps()) {
      if (op.value_bytes[0] == 8)
        widen(w.destination<std::uint64_t>(value) + run.first, r.data + at, run.lanes, op);
      else
        widen(w.destination<std::uint32_t>(value) + run.first, r.data + at, run.lanes, op);
    } else {
      for (unsigned k = 0; k < op.count; ++k) {
        const unsigned bytes = op.value_bytes[k];
        const std::byte* const from = r.data + at + k * op.size;
        const auto give = [&]<class Slot>(Slot* to) {
          for (const unsigned l : lanes_of(run.mask)) {
            to[l] = static_cast<Slot>(
                read_cell(from + (l - run.first) * width, op.cell, op.size, bytes));
          }
        };
        if (bytes == 8)
          give(w.destination<std::uint64_t>(op.values[k]));
        else
          give(w.destination<std::uint32_t>(op.values[k]));
      }
    }
    if (origin != 0 || w.poison_live) spread_loaded(w, op, run.mask, origin);
    if (shadow_ != nullptr) {
      shadow_->load_run({w, run.inst, op}, r.data + at, run.first, run.mask);
    }
    return true;
  }
  std::uint32_t undefined = 0;
  for (unsigned k = 0; w.poison_live && k < op.count; ++k) undefined |= w.poison[op.values[k].id];
  if ((undefined & run.mask) != 0 && (origin = origin_of_values(w, op, run, a)) == 0) {
    return undefined_run(b, w, op, run, r, a);
  }
  const bool mapped = known                ? true
                      : alone              ? element_mapped(state, width)
                      : run.bytes == full4 ? all_mapped(state, full4)
                                           : all_mapped(state, run.bytes);
  if (!mapped) return false;
  const unsigned slot = op.size == 8 ? 8 : 4;
  const bool each = run.gaps() || (alone && op.count == 1 && origin == 0);
  if (each) {
    for (const unsigned l : lanes_of(run.mask)) {
      auto to = at + (l - run.first) * width;
      for (unsigned k = 0; k < op.count; ++k, to += op.size) {
        store_element(r.data + to, r.state + to, w.source<std::byte>(op.values[k]) + l * slot,
                      op.size);
      }
    }
  } else if (!op.whole()) {
    copy_vectors(w, op, r.data + at, run.first, run.lanes);
  } else {
    copy_bytes(r.data + at, w.source<std::byte>(value) + run.first * op.size, run.bytes);
  }
  if (origin != 0)
    store_undefined_row(r, at, run.bytes, origin, a);
  else if (!each && !known)
    initialise(r.state + at, run.bytes);
  look();
  if (shadow_ != nullptr) {
    shadow_->store_run({w, run.inst, op}, r.data + at, run.first, run.mask);
  }
  return true;
}

}  // namespace gauntlet::simt
