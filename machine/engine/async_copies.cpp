// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/async_copies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/set_poison.hpp"
#include "machine/state/undefined_bits.hpp"

namespace gauntlet::simt {

void AsyncCopies::begin(Access& a, std::uint32_t mask) {
  Warp& w = a.warp;
  PendingCopy& copy = w.copies.emplace_back();
  copy.inst = a.inst;
  copy.lanes = mask;
  std::ranges::copy(a.address, copy.address.begin());
  const MemoryOp& load = kernel_.memory_ops[kernel_.code[a.inst - 1].extra];
  std::ranges::copy(access_of(a.block, w, a.inst - 1, load).address, copy.source.begin());
  copy.source_bytes.fill(static_cast<std::uint8_t>(a.width));
  for (const unsigned l : lanes_of(load.shortened ? mask : 0)) {
    const auto bytes = w.source<std::uint32_t>(load.source_bytes)[l];
    copy.source_bytes[l] = static_cast<std::uint8_t>(std::min(bytes, a.width));
  }
  for (unsigned k = 0; k < a.op.count; ++k) {
    const Operand v = a.op.values[k];
    if (w.poison_live) copy.undefined.push_back(undefined_lanes(w, v, mask));
    std::copy_n(w.source<std::uint32_t>(v), warp_size, copy.value[k].begin());
  }
  const auto defined = [](const UndefinedLanes& of) { return of.lanes == 0; };
  if (std::ranges::all_of(copy.undefined, defined)) copy.undefined.clear();
  w.asynchronous = true;
}

void AsyncCopies::hide(Block& b, Warp& w) {
  const PendingCopy& copy = w.copies.back();
  const Access a = access_to(b, w, copy);
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(copy.lanes));
  const auto pending = reports_.origins().add(Origin::What::copy_pending, copy.inst, w, lane);
  for (const Region& region : b.shared) {
    std::uint32_t left = inside_of(a, region, copy.lanes);
    while (left != 0) {  // lanes side by side at once
      const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
      std::uint64_t end = a.address[first];
      for (std::uint32_t l = first; l < warp_size && (left >> l & 1) != 0 && a.address[l] == end;
           ++l) {
        left &= ~(1U << l);
        end += a.width;
      }
      const std::uint64_t at = a.address[first] - region.base, bytes = end - a.address[first];
      std::memset(region.state + at, ByteState::uninitialised, bytes);
      reports_.keep_origin(region, at, bytes, pending, nullptr);
    }
  }
}

Access AsyncCopies::access_to(Block& b, Warp& w, const PendingCopy& copy) const {
  const auto& op = kernel_.memory_ops[kernel_.code[copy.inst].extra];
  Access a{b, w, copy.inst, op, op.width(), {}};
  std::ranges::copy(copy.address, a.address);
  return a;
}

/// What lay elsewhere was reported when the copy began.
std::uint32_t AsyncCopies::inside_of(const Access& a, const Region& region, std::uint32_t mask) {
  std::uint32_t inside = 0;
  for (const int l : lanes_of(region.bytes < a.width ? 0 : mask)) {
    const auto at = a.address[l] - region.base;
    if (at > region.bytes - a.width) continue;
    if (region.state[at] != ByteState::unmapped) inside |= 1U << l;
  }
  return inside;
}

void AsyncCopies::end(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask,
                      CopyStep how) {
  Access a = access_to(b, w, copy);
  const auto& op = a.op;
  const std::uint32_t number = copy.number[static_cast<std::size_t>(std::countr_zero(mask))];
  // The registers may already hold what the next copy of this instruction is to store.
  std::array<std::array<std::uint32_t, warp_size>, 4> held;
  std::array<UndefinedLanes, 4> held_undefined;
  const bool undefined = w.poison_live || !copy.undefined.empty();
  for (unsigned k = 0; k < op.count; ++k) {
    auto* value = w.destination<std::uint32_t>(op.values[k]);
    std::copy_n(value, warp_size, held[k].begin());
    std::ranges::copy(copy.value[k], value);
    if (!undefined) continue;
    held_undefined[k] = undefined_lanes(w, op.values[k], all_lanes);
    if (copy.undefined.empty()) {
      clear_poison(w, op.values[k], mask);
    } else {
      set_undefined(w, op.values[k], mask, copy.undefined[k], 4);
    }
  }
  for (std::size_t half = 0; half < 2; ++half) {
    const Region& region = b.shared[half];
    const std::uint32_t inside = inside_of(a, region, mask);
    if (inside == 0) continue;
    path_.transfer(a, region, inside, nullptr);
    const Allocation* const several = kernel_.uses_cluster ? clusters_.array(b, half) : nullptr;
    path_.watch(a, region, inside, several, true, how, number);
  }
  if (races_ != nullptr || config_.log != nullptr) {
    end_source(b, w, copy, mask, how, number);
  }
  for (unsigned k = 0; k < op.count; ++k) {
    std::ranges::copy(held[k], w.destination<std::uint32_t>(op.values[k]));
    if (undefined) set_undefined(w, op.values[k], mask, held_undefined[k], 4);
  }
}

void AsyncCopies::end_source(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask,
                             CopyStep how, std::uint32_t number) {
  const auto& op = kernel_.memory_ops[kernel_.code[copy.inst - 1].extra];
  const auto width = op.width();
  const auto tell = [&](const MemoryOp& part, std::uint32_t bytes, std::uint32_t offset,
                        std::uint32_t lanes) {
    Access a{b, w, copy.inst - 1, part, bytes, {}};
    for (const int l : lanes_of(lanes)) {
      a.address[l] = copy.source[static_cast<std::size_t>(l)] + offset;
    }
    while (lanes != 0) {
      const Allocation* const array = memory_.find(a.address[std::countr_zero(lanes)]);
      const auto is_inside = [&](int l) {
        return array != nullptr && !array->freed && array->bytes >= bytes &&
               a.address[l] - array->base <= array->bytes - bytes;
      };
      const std::uint32_t inside = lane_mask(is_inside) & lanes;
      if (inside != 0) path_.watch(a, *array, inside, array, true, how, number);
      lanes &= ~(inside | (lanes & (~lanes + 1)));  // what lay elsewhere was reported
    }
  };
  std::uint32_t whole = 0, some = 0;
  for (const unsigned l : lanes_of(mask)) {
    (copy.source_bytes[l] == width ? whole : some) |= 1U << l;
  }
  if (whole != 0) tell(op, width, 0, whole);
  MemoryOp one = op;
  one.cell = ptx::ScalarType::u8;
  one.size = one.count = 1;
  for (std::uint32_t byte = 0; some != 0 && byte < width; ++byte) {
    const auto here = some & lane_mask([&](int l) {
                        return byte < copy.source_bytes[static_cast<std::size_t>(l)];
                      });
    if (here != 0) tell(one, 1, byte, here);
  }
}

std::uint32_t AsyncCopies::zeros(Access& a, std::uint32_t mask) {
  Warp& w = a.warp;
  const auto* bytes = w.source<std::uint32_t>(a.op.source_bytes);
  const std::uint32_t none = lane_mask([=](int l) { return bytes[l] == 0; }) & mask;
  for (unsigned k = 0; k < a.op.count; ++k) {
    for_lanes(w.destination<std::uint32_t>(a.op.values[k]), none, [](int) { return 0U; });
    clear_poison(w, a.op.values[k], none);
  }
  reports_.report_undefined(FindingKind::poison_address, {a.block, w, a.inst, mask},
                            a.op.source_bytes);
  return mask & ~none;
}

std::uint32_t AsyncCopies::shortened(Access& a, std::uint32_t mask) {
  Warp& w = a.warp;
  const auto* bytes = w.source<std::uint32_t>(a.op.source_bytes);
  const std::uint32_t some = lane_mask([&](int l) { return bytes[l] < a.width; }) & mask;
  MemoryOp one = a.op;
  one.cell = ptx::ScalarType::u8;
  one.size = one.count = 1;
  for (unsigned k = 0; k < a.op.count; ++k) {
    const Operand value = one.values[0] = a.op.values[k];
    std::array<std::uint32_t, warp_size> word{};
    UndefinedLanes undefined;
    undefined.bits.fill(0);
    for (unsigned byte = 0; byte < 4; ++byte) {
      const auto here = some & lane_mask([&](int l) { return 4 * k + byte < bytes[l]; });
      if (here == 0) break;
      Access part{a.block, w, a.inst, one, 1, {}};
      for (const int l : lanes_of(here)) part.address[l] = a.address[l] + 4 * k + byte;
      path_.in_space(part, one.space, here);
      for (const unsigned l : lanes_of(here)) {
        word[l] |= (w.source<std::uint32_t>(value)[l] & 0xFF) << 8 * byte;
        if ((w.poison[value.id] >> l & 1) == 0) continue;
        undefined.lanes |= 1U << l;
        undefined.origin[l] = w.origin_of(value, static_cast<int>(l));
        undefined.bits[l] |= std::uint64_t{0xFF} << 8 * byte;
      }
    }
    for_lanes(w.destination<std::uint32_t>(value), some,
              [&](int l) { return word[static_cast<std::size_t>(l)]; });
    set_undefined(w, value, some, undefined, 4);
  }
  return mask & ~some;
}

void AsyncCopies::track(const Executed& by) {
  auto& [b, w, inst, mask] = by;
  const auto& op = kernel_.memory_ops[kernel_.code[inst].extra];
  std::uint64_t tracker[warp_size] = {};
  for (const unsigned l : lanes_of(mask)) {
    tracker[l] = mbarriers_.variables[l] =
        address_of(w, op, l) % window_bytes;  // generic or shared
    for (const Region& r : b.shared) {
      const auto at = tracker[l] - r.base;
      if (r.bytes < op.size || at > r.bytes - op.size) continue;
      std::uint64_t word = 0;
      std::memcpy(&word, r.data + at, sizeof word);
      mbarriers_.variables[l] = mbarriers_.variable(b.linear, tracker[l], word, true);
    }
  }
  path_.log_sync(Event::What::copies_arrive, b, w, mask, inst, 0);
  RaceDetector* const races = races_;
  const std::uint32_t number =
      races != nullptr ? races->track(b, w, mask, mbarriers_.variables) : 0;
  for (auto& copy : w.copies) {
    for (const unsigned l : lanes_of(mask & copy.lanes)) {
      if (copy.tracker[l] != 0) continue;
      copy.tracker[l] = tracker[l];
      copy.number[l] = number;
    }
  }
}

void AsyncCopies::end_tracked(Block& b, std::uint64_t address) {
  for (auto& w : b.warps) {
    for (auto& copy : w.copies) {
      std::uint32_t done = 0;
      for (const unsigned l : lanes_of(copy.lanes)) {
        done |= std::uint32_t{copy.tracker[l] == address} << l;
      }
      copy.lanes &= ~done;
      while (done != 0) {
        const auto number = copy.number[static_cast<std::size_t>(std::countr_zero(done))];
        const auto same = done & lane_mask([&](int l) {
                            return copy.number[static_cast<std::size_t>(l)] == number;
                          });
        end(b, w, copy, same, CopyStep::landed);
        done &= ~same;
      }
    }
    std::erase_if(w.copies, [](const PendingCopy& copy) { return copy.lanes == 0; });
  }
}

void AsyncCopies::group(const Executed& by, CopyGroup what, std::uint32_t left) {
  auto& [b, w, inst, mask] = by;
  if (what == CopyGroup::commit) {
    for (const unsigned l : lanes_of(mask)) ++w.copy_groups[l];
    // Those before a lane's latest group are in earlier ones.
    std::uint32_t rest = mask;
    for (auto copy = w.copies.rbegin(); rest != 0 && copy != w.copies.rend(); ++copy) {
      const auto is_new = [&](int l) { return copy->group[static_cast<std::size_t>(l)] == 0; };
      const std::uint32_t those = rest & copy->lanes, fresh = those & lane_mask(is_new);
      for (const unsigned l : lanes_of(fresh)) copy->group[l] = w.copy_groups[l];
      rest &= ~(those & ~fresh);
    }
    return;
  }
  for (auto& copy : w.copies) {
    const auto waited = lane_mask([&](int lane) {
      const auto l = static_cast<std::size_t>(lane);
      return copy.group[l] != 0 && w.copy_groups[l] - copy.group[l] >= left;
    });
    const auto done = (what == CopyGroup::wait_all ? all_lanes : waited) & mask & copy.lanes;
    if (done == 0) continue;
    end(b, w, copy, done, CopyStep::waited);
    copy.lanes &= ~done;
  }
  std::erase_if(w.copies, [](const PendingCopy& copy) { return copy.lanes == 0; });
}

}  // namespace gauntlet::simt
