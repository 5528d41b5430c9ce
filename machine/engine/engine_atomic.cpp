// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations (PTX ISA 9.0, 9.7.13.5-6). Lanes of one instruction act in ascending order.
#include <bit>
#include <cstring>
#include <vector>

#include "machine/engine/atomic_update.hpp"
#include "machine/engine/engine.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/isa/operations.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

/// What is undefined of a cell behind an operation on it. exch forgets what was there, and what is
/// logic is so bit by bit; every other operation mixes all bits.
std::uint64_t undefined_after(AtomicOp op, Bits old, Bits x, std::uint64_t compare) {
  if ((old.undefined | x.undefined | compare) == 0) return 0;
  switch (op) {
    case AtomicOp::exch:
      return x.undefined;
    case AtomicOp::and_:
      return undefined_of_table(ops::And::table, old, x);
    case AtomicOp::or_:
      return undefined_of_table(ops::Or::table, old, x);
    case AtomicOp::xor_:
      return undefined_of_table(ops::Xor::table, old, x);
    default:
      return all_bits;
  }
}
/// The bits of the bytes that the operation may change: a mask of flags leaves the others alone.
std::uint64_t touched(AtomicOp op, Bits x) {
  std::uint64_t changed = all_bits;
  if (op == AtomicOp::and_) changed = ~x.value | x.undefined;
  if (op == AtomicOp::or_ || op == AtomicOp::xor_) changed = x.value | x.undefined;
  std::uint64_t bytes = 0;
  for (auto byte = bits_of(1); byte != 0; byte <<= 8) bytes |= (changed & byte) != 0 ? byte : 0;
  return bytes;
}

/// Operations on integers, one behind the other. Returns how many have changed their cell.
template <class T>
std::uint32_t operate(Warp& w, const MemoryOp& op, const std::uint64_t* address, const Region& r,
                      std::uint32_t mask) {
  std::uint32_t changed = 0;
  const T* const x = w.source<T>(op.operand);
  T* const result = op.has_result ? w.destination<T>(op.values[0]) : nullptr;
  const auto each = [&](auto next) {
    for (const int l : lanes_of(mask)) {
      std::byte* const at = r.data + (address[l] - r.base);
      T old;
      std::memcpy(&old, at, sizeof old);
      const T now = next(old, x[l], l);
      std::memcpy(at, &now, sizeof now);
      if (result != nullptr) result[l] = old;
      changed += now != old ? 1 : 0;
    }
  };
  if (op.atomic == AtomicOp::add) {
    each([](T old, T operand, int) { return ops::Add{}(old, operand); });
  } else {
    const T* const compare = op.atomic == AtomicOp::cas ? w.source<T>(op.compare) : x;
    each([&](T old, T operand, int l) {
      return integer_update<T>(op.atomic, old, operand, compare[l]);
    });
  }
  return changed;
}

/// All that lies between the words of a whole warp is known to be defined.
bool all_between_known(const std::uint64_t* address, const Region& r, std::uint32_t size,
                       const WarpCode& code) {
  if (r.defined == nullptr) return false;
  const Reach all = code.reach64(address, r.base, r.bytes - size, size);
  const std::uint64_t bytes = all.highest - all.lowest + size;
  return bytes <= DefinedPages::page_bytes && r.defined->has(all.lowest, bytes);
}

/// Operations of 4 or 8 bytes on integers of which nothing is undefined. False: nothing was done.
bool operate_at_once(Warp& w, const MemoryOp& op, const std::uint64_t* address, const Region& r,
                     std::uint32_t mask, std::uint64_t& changes, const WarpCode& code) {
  if (op.mbarrier || (op.size != 4 && op.size != 8)) return false;
  if (w.poison_live) {
    std::uint32_t undefined = w.poison[op.operand.id];
    if (op.atomic == AtomicOp::cas) undefined |= w.poison[op.compare.id];
    if ((undefined & mask) != 0) return false;
  }
  if (mask != all_lanes || !all_between_known(address, r, op.size, code)) {
    bool defined = true;
    with_size(op.size, [&](auto size) {
      for (const int l : lanes_of(mask)) {
        defined &= element_defined(r.state + (address[l] - r.base), size);
      }
    });
    if (!defined) return false;
  }
  switch (op.cell) {
    case ptx::ScalarType::u32:
      changes += operate<std::uint32_t>(w, op, address, r, mask);
      break;
    case ptx::ScalarType::s32:
      changes += operate<std::int32_t>(w, op, address, r, mask);
      break;
    case ptx::ScalarType::u64:
      changes += operate<std::uint64_t>(w, op, address, r, mask);
      break;
    case ptx::ScalarType::s64:
      changes += operate<std::int64_t>(w, op, address, r, mask);
      break;
    default:
      return false;
  }
  if (op.has_result && w.poison_live) clear_poison(w, op.values[0], mask);
  return true;
}

}  // namespace

void Engine::atomic(Access& a, const Region& r, std::uint32_t mask, const Allocation* allocation) {
  a.leaves_defined = false;
  if (beside_.joined() && allocation != nullptr) {
    ++standstill_.changes;
    counters_.atomics += lane_count(mask);
    return beside_.defer(a, mask);
  }
  Warp& w = a.warp;
  const auto& op = a.op;
  if (shadow_ == nullptr &&
      operate_at_once(w, op, a.address, r, mask, standstill_.changes, warp_code_)) {
    counters_.atomics += lane_count(mask);
    a.leaves_defined = true;
    return;
  }
  const auto value = [&](Operand o, int l) { return value_of(w, op, o, l); };
  const bool cas = op.atomic == AtomicOp::cas;
  std::vector<std::uint64_t> ended;  // phases of mbarriers
  UndefinedLanes undefined_old;
  for (const int l : lanes_of(mask)) {
    const std::uint32_t bit = 1U << l;
    const auto at = a.address[l] - r.base;
    std::uint64_t old = 0;
    std::memcpy(&old, r.data + at, op.size);
    const auto x = value(op.operand, l);
    const auto compare = cas ? value(op.compare, l) : 0;
    const auto next = allocation != nullptr ? updated_in_array(op, old, x, compare)
                                            : updated(op, old, x, compare);
    if (shadow_ != nullptr) {
      shadow_->atomic({a.block, w, a.inst, op, launch_before_.behind_wait(a, bit)}, l, r.data + at,
                      next != old);
    }
    std::memcpy(r.data + at, &next, op.size);
    standstill_.changes += next != old ? 1 : 0;
    if (op.mbarrier) {
      mbarriers_.tell_absent(a, r, static_cast<std::uint32_t>(l), old);
      mbarriers_.tell_arrivals(a, static_cast<std::uint32_t>(l), old, x);
      mbarriers_.variables[l] =
          mbarriers_.variable(clusters_.owner_of(a.block, r).linear, a.address[l], old, true);
      if (mbarrier::phase(next) != mbarrier::phase(old)) ended.push_back(a.address[l]);
    }
    ++counters_.atomics;
    if (op.has_result) {
      if (op.size == 8)
        w.destination<std::uint64_t>(op.values[0])[l] = old;
      else
        w.destination<std::uint32_t>(op.values[0])[l] = static_cast<std::uint32_t>(old);
    }
    std::uint32_t origin = 0;
    const Bits before{old, undefined_in_memory(r.state + at, op.size)};
    if (before.undefined != 0) {
      origin = uninitialised_origin(a, r, static_cast<std::uint32_t>(l), allocation);
      undefined_old.lanes |= bit;
      undefined_old.origin[static_cast<std::size_t>(l)] = origin;
      undefined_old.bits[static_cast<std::size_t>(l)] = before.undefined;
    }
    Bits operand{x, 0};
    std::uint64_t undefined_compare = 0;
    if (w.poison_live) {
      operand.undefined = undefined_bits(w, op.operand, l) & bits_of(op.size);
      if (operand.undefined != 0) origin = std::max(origin, w.origin_of(op.operand, l));
      if (cas) undefined_compare = undefined_bits(w, op.compare, l) & bits_of(op.size);
      if (undefined_compare != 0) origin = std::max(origin, w.origin_of(op.compare, l));
    }
    const auto after = undefined_after(op.atomic, before, operand, undefined_compare);
    const bool stays = op.mbarrier && after == 0 && r.state[at] == ByteState::in_mbarrier;
    if (after != 0 && r.defined != nullptr) r.defined->undefine(at, op.size);
    if (!stays) set_states(r.state + at, op.size, after);
    if (after == 0 || (after & touched(op.atomic, operand)) == 0) continue;
    note_origin(r, at, op.size, origin, allocation);
    if (allocation != nullptr && allocation->output) {
      const Element cell = element_of(a, static_cast<std::uint32_t>(l), allocation);
      report_origin(FindingKind::poison_output, a.block, w, a.inst, static_cast<std::uint32_t>(l),
                    origin, {cell.array, cell.index, op.size});
    }
  }
  if (op.has_result && (undefined_old.lanes != 0 || w.poison_live)) {
    set_undefined(w, op.values[0], mask, undefined_old, op.size);
  }
  for (const auto address : ended) phase_ended(clusters_.owner_of(a.block, r), address);
}

}  // namespace gauntlet::simt
