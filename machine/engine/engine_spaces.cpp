// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// State spaces (PTX ISA 9.0, 5.1): which lanes lie inside an array, and what is said of the others.
#include <algorithm>
#include <bit>
#include <span>

#include "machine/engine/engine.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/races/access_map.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {

void Engine::in_global(Access& a, std::uint32_t mask) {
  if (table_ != nullptr && a.op.space != MemorySpace::constant) {
    table_->global(a.block.interval, a.inst, a.address, mask);
  }
  std::uint32_t faults = 0;
  while (mask != 0) {
    const auto l = static_cast<unsigned>(std::countr_zero(mask));
    Allocation* allocation = array_at(a.address[l]);
    if (allocation == nullptr || allocation->freed ||
        a.address[l] - allocation->base + a.width > allocation->bytes) {
      global_fault(a, l);
      faults |= 1U << l;
      mask &= mask - 1;
      continue;
    }
    // All lanes that lie in the same allocation.
    const std::uint64_t last = allocation->bytes - a.width;
    std::uint32_t same = mask;
    if (mask != all_lanes ||
        !warp_code_.reach64(a.address, allocation->base, last, a.width).inside) {
      same &= lane_mask([&](int k) { return a.address[k] - allocation->base <= last; });
    }
    before(a, *allocation, same);
    transfer(a, *allocation, same, allocation);
    if (watching()) watch(a, *allocation, same, allocation);
    note(a, *allocation, same);
    mask &= ~same;
  }
  load_nothing(a, faults);
}

void Engine::before(const Access& a, Allocation& array, std::uint32_t mask, bool tells) {
  for (const int l : lanes_of(array.make_page ? mask : 0)) {
    array.touch(a.address[l] - array.base, a.width);
  }
  if (array.read_only && a.op.what != MemoryOp::What::load && tells) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
    fault(a, FindingKind::write_to_input, first, element_of(a, first, &array),
          "the kernel writes to its input");
  }
  if (beside_.possible()) beside_.before(a, array, mask);
}

void Engine::in_shared(Access& a, std::uint32_t mask) {
  if (table_ != nullptr) table_->shared(a.block.interval, a.inst, a.address, mask);
  if (kernel_.uses_cluster) mask = in_cluster(a, mask);
  if (mask != 0) in_shared_of(a, a.block, mask);
}

void Engine::in_shared_of(Access& a, Block& of, std::uint32_t mask) {
  std::uint32_t faults = 0;
  for (int half = 0; half < 2 && mask != 0; ++half) {
    const Region& region = of.shared[half];
    std::uint32_t inside = 0;
    if (region.bytes >= a.width) {
      const std::uint64_t last = region.bytes - a.width;
      for (int k = 0; k < warp_size; ++k) {
        inside |= std::uint32_t{a.address[k] - region.base <= last} << k;
      }
    }
    inside &= mask;
    if (inside == 0) continue;
    mask &= ~inside;
    // A whole warp inside one array is the usual case; gaps are unmapped bytes.
    unsigned first = 0, count = 0;
    if (!(unit_stride(a.address, inside, a.width, first, count) &&
          all_mapped(region.state + (a.address[first] - region.base),
                     std::uint64_t{count} * a.width))) {
      for (const unsigned l : lanes_of(inside)) {
        const std::uint8_t* const state = region.state + (a.address[l] - region.base);
        if (a.width == 16 ? all_mapped(state, 16) : element_mapped(state, a.width)) continue;
        if (mbarriers_.meets(a, region, l)) continue;
        shared_fault(a, l);
        faults |= 1U << l;
      }
      inside &= ~faults;
    }
    if (inside == 0) continue;
    transfer(a, region, inside, nullptr);
    if (watching()) {
      watch(a, region, inside,
            kernel_.uses_cluster ? clusters_.array(of, static_cast<std::size_t>(half)) : nullptr);
    }
  }
  for (const unsigned l : lanes_of(mask)) {
    shared_fault(a, l);
    faults |= 1U << l;
  }
  load_nothing(a, faults);
}

void Engine::in_local(Access& a, std::uint32_t mask) {
  Warp& w = a.warp;
  for (const unsigned l : lanes_of(mask)) {
    if (kernel_.local_bytes < a.width || a.address[l] > kernel_.local_bytes - a.width) {
      const bool read = a.op.what == MemoryOp::What::load;
      fault(a, read ? FindingKind::out_of_bounds_read : FindingKind::out_of_bounds_write, l,
            {"local", static_cast<std::int32_t>(a.address[l]) / static_cast<std::int32_t>(a.width)},
            "outside the thread's local memory");
      load_nothing(a, 1U << l, l);
      mask &= ~(1U << l);
      continue;
    }
    a.address[l] += std::uint64_t{l} * kernel_.local_bytes;
  }
  if (mask == 0) return;
  // The lanes' pieces lie one after the other.
  const Region region{w.local, w.local_state, &w.local_origin, 0,
                      std::uint64_t{warp_size} * kernel_.local_bytes};
  transfer(a, region, mask, nullptr);
}

void Engine::in_params(Access& a, std::uint32_t mask) {
  const auto& params = config_.params;
  const bool uniform =
      (a.op.address.offset & Operand::constant_bit) != 0 || a.op.address_is_constant;
  const std::uint32_t to_check = uniform ? mask & (~mask + 1) : mask;
  for (const unsigned l : lanes_of(to_check)) {
    if (a.op.what != MemoryOp::What::load || params.size() < a.width ||
        a.address[l] > params.size() - a.width) {
      const bool read = a.op.what == MemoryOp::What::load;
      fault(a, read ? FindingKind::out_of_bounds_read : FindingKind::out_of_bounds_write, l,
            {"param", static_cast<std::int64_t>(a.address[l])}, "{}",
            read ? "outside the kernel's parameters" : "a kernel cannot write its parameters");
      const std::uint32_t bad = uniform ? mask : 1U << l;
      load_nothing(a, bad, l);
      mask &= ~bad;
    }
  }
  if (mask != 0) parameters_.load(a.warp, a.op, a.address, mask);
}

std::optional<Stretch> Engine::stretch(Access& a, std::uint32_t lane, Block* of, bool tells) {
  auto& address = a.address[lane];
  if (of == nullptr) {
    Allocation* const array = array_at(address);
    if (array == nullptr || array->freed || array->bytes - (address - array->base) < a.width) {
      if (!tells) return std::nullopt;
      if (array != nullptr && !array->freed) address = array->base + array->bytes;
      global_fault(a, lane);
      return std::nullopt;
    }
    before(a, *array, 1U << lane, tells);
    return Stretch{*array, nullptr, array};
  }
  for (std::size_t half = 0; half < 2; ++half) {
    const Region& region = of->shared[half];
    const auto at = address - region.base;
    if (region.bytes <= at) continue;
    const auto inside = std::min<std::uint64_t>(a.width, region.bytes - at);
    if (inside == a.width && all_mapped(region.state + at, a.width)) {
      return Stretch{region, &of->shared[half],
                     kernel_.uses_cluster ? clusters_.array(*of, half) : nullptr};
    }
    if (!tells) return std::nullopt;
    if (inside == a.width && mbarriers_.meets(a, region, lane)) {
      return Stretch{region, &of->shared[half],
                     kernel_.uses_cluster ? clusters_.array(*of, half) : nullptr};
    }
    const std::span states(region.state + at, inside);
    address += std::ranges::find(states, ByteState::unmapped) - states.begin();
    break;
  }
  if (tells) shared_fault(a, lane);
  return std::nullopt;
}

void Engine::tell_bulk(const Access& a, std::uint32_t lane, const Stretch& at, CopyStep how,
                       std::uint32_t number) {
  const std::uint32_t mask = 1U << lane;
  const bool global = at.shared == nullptr;
  if (watching() && how != CopyStep::none) {
    watch(a, global ? at.region : *at.shared, mask, at.array, false, how, number);
  }
  if (!global || how != CopyStep::begins) return;
  note(a, *at.array, mask);
}

void Engine::account(std::uint32_t inst, const MemoryOp& op, const Allocation& array,
                     std::uint64_t offset, std::uint64_t bytes) {
  if (beside_.possible()) beside_.before(op, array, offset, bytes);
  accesses_->note_run(array, inst, op, offset, bytes);
}

void Engine::note(const Access& a, const Allocation& array, std::uint32_t mask) {
  if ((mask &= ~dropped(a)) == 0) return;
  if (accesses_ != nullptr) accesses_->note(array, a.op, a.address, a.width, mask);
  if (launch_before_.overlaps()) launch_before_.note(a, array, mask);
}

void Engine::phase_ended(Block& b, std::uint64_t address) {
  bulk_copies_.end_at(b, address);
  async_copies_.end_tracked(b, address);
}

}  // namespace gauntlet::simt
