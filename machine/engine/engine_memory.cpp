// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores: address, alignment, definedness, transfer.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "machine/engine/engine.hpp"
#include "machine/engine/launch_log.hpp"
#include "machine/engine/special_registers.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/races/access_map.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {

/// Whether what the loop reads are arrays which the host does not change meanwhile.
bool Engine::reads_arrays(const Warp& w, std::uint32_t first, std::uint32_t last,
                          std::uint32_t lanes) {
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(lanes));
  return std::all_of(
      kernel_.code.begin() + first, kernel_.code.begin() + last + 1, [&](const Inst& i) {
        if (i.kind != Kind::memory) return true;
        const MemoryOp& op = kernel_.memory_ops[i.extra];
        if (op.space == MemorySpace::shared || op.space == MemorySpace::param) return true;
        const Address address = address_of(w, op, lane);
        if (address - shared_window < window_bytes) return true;
        const Allocation* const array = array_at(address);
        return array != nullptr && reinterpret_cast<Address>(array->data) != array->base;
      });
}

void Engine::memory(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask) {
  if (op.plain && runs_ && memory_at_once(b, w, inst, op, mask)) return;
  if (op.texture != 0) return textures_.access({b, w, inst, mask}, op);
  if (op.bulk != 0) return bulk_copies_.access({b, w, inst, mask}, op);
  if (op.mbarrier && mbarrier_at_once(b, w, inst, op, mask)) return;
  memory_by_lane(b, w, inst, op, mask);
}

bool Engine::at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                     std::uint32_t mask) {
  if (op.space == MemorySpace::param) return parameters_.load(w, kernel_.code[inst].extra, mask);
  return op.plain && memory_at_once(b, w, inst, op, mask);
}

void Engine::memory_by_lane(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                            std::uint32_t mask) {
  Access a = access_of(b, w, inst, op);
  if (op.shortened && (mask = async_copies_.zeros(a, mask)) == 0) return;
  const auto undefined =
      report_undefined(FindingKind::poison_address, {b, w, inst, mask}, op.address);
  load_nothing(a, undefined);
  if ((mask &= ~undefined) == 0) return;
  std::uint64_t low = 0;
  for (int l = 0; l < warp_size; ++l) {
    low |= mask == all_lanes || (mask & lane_bits.v[l]) != 0 ? a.address[l] : 0;
  }
  const auto alignment = std::max<std::uint32_t>(a.width, op.alignment);
  if ((low & (alignment - 1)) != 0) {
    std::uint32_t bad = 0;
    for (const unsigned l : lanes_of(mask)) {
      if ((a.address[l] & (alignment - 1)) == 0) continue;
      bad |= 1U << l;
      const Allocation* allocation = memory_.nearest(a.address[l]);
      fault(a, FindingKind::misaligned, l, element_of(a, l, allocation),
            "address 0x{:x} is not a multiple of {}", a.address[l], alignment);
    }
    load_nothing(a, bad);
    mask &= ~bad;
    if (mask == 0) return;
  }
  if (op.shortened && (mask = async_copies_.shortened(a, mask)) == 0) return;
  if (!op.async || !config_.checks) return in_space(a, op.space, mask);
  const Region* const all = async_copies_.begin(a, mask);
  if (all != nullptr && runs_ && shadow_ == nullptr && !kernel_.uses_cluster) {
    async_copies_.store(a, *all);
  } else {
    in_space(a, op.space, mask);
  }
  async_copies_.hide(b, w);
}

void Engine::in_space(Access& a, MemorySpace space, std::uint32_t mask) {
  switch (space) {
    case MemorySpace::global:
    case MemorySpace::constant:
      in_global(a, mask);
      return;
    case MemorySpace::shared:
      in_shared(a, mask);
      return;
    case MemorySpace::local:
      in_local(a, mask);
      return;
    case MemorySpace::param:
      in_params(a, mask);
      return;
    case MemorySpace::generic:
      break;
  }
  std::uint32_t shared = 0, local = 0, param = 0;
  for (const unsigned l : lanes_of(mask)) {
    auto& x = a.address[l];
    if (x - shared_window < window_bytes) {
      shared |= 1U << l;
      x -= shared_window;
    } else if (x - local_window < window_bytes) {
      local |= 1U << l;
      x -= local_window;
    } else if (x - param_window < window_bytes) {
      param |= 1U << l;
      x -= param_window;
    }
  }
  if (shared != 0) in_shared(a, shared);
  if (local != 0) in_local(a, local);
  if (param != 0) in_params(a, param);
  mask &= ~(shared | local | param);
  if (mask != 0) in_global(a, mask);
}

void Engine::transfer(Access& a, const Region& r, std::uint32_t mask,
                      const Allocation* allocation) {
  switch (a.op.what) {
    case MemoryOp::What::load:
      load(a, r, mask, allocation);
      if (shadow_ != nullptr) shadow_transfer(a, r, mask);
      break;
    case MemoryOp::What::store:
      if (shadow_ != nullptr) shadow_transfer(a, r, mask);
      store(a, r, mask, allocation);
      if (a.op.makes_mbarrier && allocation == nullptr) mbarriers_.make(a, r, mask);
      break;
    default:
      atomic(a, r, mask, allocation);
      break;
  }
}

[[gnu::noinline]] void Engine::shadow_transfer(const Access& a, const Region& r,
                                               std::uint32_t mask) {
  const symbolic::Shadow::Site site{a.block, a.warp, a.inst, a.op,
                                    launch_before_.behind_wait(a, mask)};
  if (a.op.what == MemoryOp::What::load)
    shadow_->load(site, r, a.address, mask);
  else
    shadow_->store(site, r, a.address, mask);
}

void Engine::load(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation) {
  Warp& w = a.warp;
  const auto& op = a.op;
  for (unsigned k = 0; k < op.count; ++k) {
    const auto d = op.values[k];
    const unsigned bytes = op.value_bytes[k];
    const std::uint64_t base = r.base - k * op.size;
    std::uint32_t undefined = 0;
    with_size(op.size, [&](auto size) {
      const auto give = [&]<class Slot>(Slot* to) {
        for (const int l : lanes_of(mask)) {
          const auto at = a.address[l] - base;
          if constexpr (sizeof(Slot) == size) {
            std::memcpy(to + l, r.data + at, size);
          } else {
            to[l] = static_cast<Slot>(read_cell(r.data + at, op.cell, size, bytes));
          }
          undefined |= std::uint32_t{!element_defined(r.state + at, size)} << l;
        }
      };
      bytes == 8 ? give(w.destination<std::uint64_t>(d)) : give(w.destination<std::uint32_t>(d));
    });
    for (const unsigned l : lanes_of(op.mbarrier ? mask : 0)) {
      mbarriers_.tell_absent(a, r, l,
                             read_cell(r.data + (a.address[l] - base), op.cell, op.size, bytes));
    }
    if (undefined != 0 || w.poison_live) load_undefined(a, r, mask, undefined, k, allocation);
  }
}

void Engine::store(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation) {
  Warp& w = a.warp;
  const auto& op = a.op;
  std::uint32_t undefined = 0;
  if (w.poison_live) {
    for (unsigned k = 0; k < op.count; ++k) undefined |= w.poison[op.values[k].id] & mask;
  }
  // Of lanes far from each other some others' pages stay unknown until they are read.
  const auto look = [&] {
    if (r.defined == nullptr || trials_.under_way()) return;
    r.defined->look(r.state, a.address[std::countr_zero(mask)] - r.base);
    r.defined->look(r.state, a.address[warp_size - 1 - std::countl_zero(mask)] - r.base);
  };
  if (undefined == 0 && op.count != 1) {  // each lane's vector at once
    const std::byte* from[std::extent_v<decltype(MemoryOp::values)>];
    for (unsigned k = 0; k < op.count; ++k) from[k] = w.source<std::byte>(op.values[k]);
    const auto put = [&](auto size, auto count) __attribute__((always_inline)) {
      for (const int l : lanes_of(mask)) {
        const auto at = a.address[l] - r.base;
        std::byte* const to = r.data + at;
        for (unsigned k = 0; k < count; ++k) {
          std::memcpy(to + k * size, from[k] + l * (size == 8 ? 8 : 4), size);
        }
        define(r.state + at, size * count);
      }
    };
    with_size(op.size, [&](auto size) {
      op.count == 4 ? put(size, std::integral_constant<unsigned, 4>{})
                    : put(size, unsigned{op.count});
    });
    return look();
  }
  for (unsigned k = 0; k < op.count; ++k) {
    const auto v = op.values[k];
    std::uint32_t bad = 0;
    std::uint64_t bits[warp_size];
    for (const int l : lanes_of(w.poison_live ? w.poison[v.id] & mask : 0)) {
      bits[l] = undefined_bits(w, v, l) & bits_of(op.size);
      bad |= std::uint32_t{bits[l] != 0} << l;
    }
    std::uint64_t page = ~0ULL;
    for (const int l : lanes_of(r.defined != nullptr ? bad : 0)) {
      const std::uint64_t at = a.address[l] - r.base + k * op.size;
      if (at / DefinedPages::page_bytes == page) continue;
      page = at / DefinedPages::page_bytes;
      r.defined->undefine(at, op.size);
    }
    if (bad != 0 && allocation != nullptr && allocation->output) {
      if (const int l = Origins::to_blame(w, v, bad); l >= 0) {
        const Element cell = element_of(a, static_cast<std::uint32_t>(l), allocation, k * op.size);
        report_origin(FindingKind::poison_output, a.block, w, a.inst, static_cast<std::uint32_t>(l),
                      w.origin_of(v, l), {cell.array, cell.index, op.size});
      }
    }
    const auto* const from = w.source<std::byte>(v);
    with_size(op.size, [&](auto size) {
      for (const int l : lanes_of(mask)) {
        const auto at = a.address[l] - r.base + k * size;
        std::memcpy(r.data + at, from + l * (size == 8 ? 8 : 4), size);
        define_element(r.state + at, size);
        if ((bad >> l & 1) == 0) continue;
        set_states(r.state + at, size, bits[l]);
        note_origin(r, at, size, w.origin_of(v, l), allocation);
      }
    });
  }
  look();
}

void Engine::global_fault(const Access& a, std::uint32_t lane) {
  beside_.joined() ? beside_.fail() : outside_of_arrays(a, lane);
}

void Engine::load_nothing(Access& a, std::uint32_t mask, std::uint32_t lane) {
  if (mask == 0) return;
  const std::uint32_t origin = fault_origin(a.inst, a.warp, lane);
  const bool loads = a.op.what == MemoryOp::What::load;
  if (!loads && !a.op.has_result) return;
  for (unsigned k = 0; k < (loads ? a.op.count : 1U); ++k) {
    const auto d = a.op.values[k];
    for (const int l : lanes_of(mask)) {
      // A fixed pattern: what a faulting access gives must not depend on the host.
      if (a.op.value_bytes[k] == 8)
        a.warp.destination<std::uint64_t>(d)[l] = 0xDBDBDBDBDBDBDBDB;
      else
        a.warp.destination<std::uint32_t>(d)[l] = a.op.value_bytes[k] == 2 ? 0xDBDB : 0xDBDBDBDB;
    }
    set_poison(a.warp, d, mask, mask, origin);
  }
}

std::uint32_t Engine::in_cluster(Access& a, std::uint32_t mask) {
  constexpr std::uint64_t place = (std::uint64_t{1} << rank_bit) - 1;
  const std::uint32_t own = rank_in(clusters_.shape(), a.block);
  std::uint32_t others = 0;
  std::array<std::uint32_t, warp_size> rank{};
  for (const unsigned l : lanes_of(mask)) {
    const auto named = static_cast<std::uint32_t>(a.address[l] >> rank_bit & 0xFF);
    a.address[l] &= place;
    if (named == 0 || named - 1 == own) continue;
    rank[l] = named - 1;
    others |= 1U << l;
  }
  const std::uint32_t left = mask & ~others;
  std::uint32_t faults = 0;
  while (others != 0) {
    const std::uint32_t next = rank[static_cast<std::size_t>(std::countr_zero(others))];
    const std::uint32_t same =
        others & lane_mask([&](int l) { return rank[static_cast<std::size_t>(l)] == next; });
    others &= ~same;
    Block* const of =
        next < clusters_.shape().count() ? clusters_.around(a.block).blocks[next] : nullptr;
    const bool ended = of != nullptr && of->exited_threads == of->threads;
    if (of != nullptr && !ended) {
      in_shared_of(a, *of, same);
      continue;
    }
    for (const unsigned l : lanes_of(same)) {
      const Element at = element_of(a, l, nullptr);
      ended ? fault(a, FindingKind::use_after_free, l, at,
                    "block {} of the cluster has ended, and with it its shared memory; missing is "
                    "a barrier of the cluster behind the last access",
                    next)
            : fault(a, FindingKind::unallocated, l, at,
                    "the cluster has {} blocks, and none of rank {}", clusters_.shape().count(),
                    next);
    }
    faults |= same;
  }
  load_nothing(a, faults);
  return left;
}

void Engine::log_sync(Event::What what, const Block& b, const Warp& w, std::uint32_t lanes,
                      std::uint32_t inst, std::uint64_t group) {
  if (config_.log == nullptr) return;
  simt::log_sync(*config_.log, kernel_, what, b, w, lanes, inst, group, mbarriers_.variables);
}

/// Lanes that make nothing of what they load, whatever the data and the schedule.
std::uint32_t Engine::dropped(const Access& a) const {
  if (a.op.drops == MemoryOp::Drops::nowhere) return 0;
  const Operand by = a.op.dropped_by;
  const std::uint32_t set = *a.warp.source<std::uint32_t>(by);
  std::uint32_t unknown = a.warp.poison[by.id];
  if (shadow_ != nullptr) unknown |= shadow_->undecided(a.warp, by);
  return (a.op.drops == MemoryOp::Drops::where_set ? set : ~set) & ~unknown;
}

void Engine::watch(const Access& a, const Region& r, std::uint32_t mask,
                   const Allocation* allocation, bool by_runs, CopyStep copy,
                   std::uint32_t number) {
  if ((mask &= ~dropped(a)) == 0) return;
  if (copy == CopyStep::none && (a.op.async || a.op.copied)) copy = CopyStep::begins;
  const bool of_cluster = allocation != nullptr && allocation->name.empty();
  const bool shared = allocation == nullptr || of_cluster;
  const std::uint64_t* const variable =
      shared ? mbarriers_.variables_of(a, r, mask, allocation) : a.address;
  const bool told = a.op.copied && copy != CopyStep::begins;  // by the end of the store
  if (config_.log != nullptr && !told) {
    log_access(*config_.log, a, r, mask, shared, copy, variable);
  }
  if (races_ == nullptr) return;
  found_.clear();
  RaceDetector::Batch batch{
      &a.block,   &a.warp, a.inst, &a.op,   a.width, a.address,        variable, mask,     &r,
      allocation, copy,    number, nullptr, 0,       a.leaves_defined, a.behind, a.follows};
  if (a.held != nullptr) {
    batch.stored = a.held->content.data();
    if (copy != CopyStep::begins) batch.undefined = a.held->undefined_lanes() & mask;
  }
  const auto what = a.op.what;
  const bool together = config_.log == nullptr;  // which each lane by itself is compared with
  by_runs &= together;
  by_runs &= (what == MemoryOp::What::load || what == MemoryOp::What::store) && !a.op.mbarrier;
  if (by_runs && copy == CopyStep::none && races_->put_off(batch)) return;
  by_runs ? races_->access_by_runs(batch, found_) : races_->access(batch, found_, together);
  for (const auto& [race, address] : found_) {
    race_reports_.tell(a, race, address, of_cluster ? nullptr : allocation);
  }
}

}  // namespace gauntlet::simt
