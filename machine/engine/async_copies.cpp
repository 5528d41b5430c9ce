// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/async_copies.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "machine/code/target.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/set_poison.hpp"
#include "machine/state/undefined_bits.hpp"

namespace gauntlet::simt {

namespace {

/// Those of the mask whose element lies behind that of the lane before, which is one, too.
std::uint32_t behind_others(const std::uint64_t* address, std::uint32_t mask, std::uint64_t width) {
  return warp_code().steps64(address, width) & mask & mask << 1;
}

}  // namespace

const Region* AsyncCopies::begin(const Access& a, std::uint32_t mask) {
  Warp& w = a.warp;
  if (w.ended_copies.empty()) w.ended_copies.emplace_back();
  w.copies.splice(w.copies.end(), w.ended_copies, w.ended_copies.begin());
  PendingCopy& copy = w.copies.back();
  copy.inst = a.inst;
  copy.lanes = mask;
  copy.committed = 0;
  copy.group.fill(0);
  copy.trackers.clear();
  std::ranges::copy(a.address, copy.address.begin());
  const MemoryOp& load = kernel_.memory_ops[kernel_.code[a.inst - 1].extra];
  std::ranges::copy(access_of(a.block, w, a.inst - 1, load).address, copy.source.begin());
  copy.behind = behind_others(copy.address.data(), mask, a.width);
  copy.source_behind = behind_others(copy.source.data(), mask, a.width);
  copy.source_bytes.fill(static_cast<std::uint8_t>(a.width));
  for (const unsigned l : lanes_of(load.shortened ? mask : 0)) {
    const auto bytes = w.source<std::uint32_t>(load.source_bytes)[l];
    copy.source_bytes[l] = static_cast<std::uint8_t>(std::min(bytes, a.width));
  }
  copy.undefined.clear();
  for (unsigned k = 0; k < a.op.count; ++k) {
    const Operand v = a.op.values[k];
    if (w.poison_live) copy.undefined.push_back(undefined_lanes(w, v, mask));
    const auto* const value = w.source<std::uint32_t>(v);
    const auto put = [&](auto count) {
      for (unsigned l = 0; l < warp_size; ++l) copy.content[l * count + k] = value[l];
    };
    if (a.op.count == 4)
      put(std::integral_constant<unsigned, 4>{});
    else
      put(unsigned{a.op.count});
  }
  const auto defined = [](const UndefinedLanes& of) { return of.lanes == 0; };
  if (std::ranges::all_of(copy.undefined, defined)) copy.undefined.clear();
  w.asynchronous = true;
  copy.inside = {};
  for (std::size_t half = 0; half < 2; ++half) {
    const Region& r = a.block.shared[half];
    bool all = true;
    for_runs(mask, copy.behind, [&](std::uint32_t first, std::uint32_t lanes) {
      const std::uint64_t at = a.address[first] - r.base, bytes = std::uint64_t{lanes} * a.width;
      all = all && r.bytes >= bytes && at <= r.bytes - bytes && all_mapped(r.state + at, bytes);
    });
    if (!all) continue;
    copy.inside[half] = mask;
    return &r;
  }
  for (std::size_t half = 0; half < 2; ++half) {
    copy.inside[half] = inside_of(a, a.block.shared[half], mask);
  }
  return nullptr;
}

void AsyncCopies::store(Access& a, const Region& r) {
  const PendingCopy& copy = a.warp.copies.back();
  put_content(copy, a, r, copy.lanes);
  a.held = &copy;
  a.behind = copy.behind;
  path_.watch(a, r, copy.lanes, nullptr, true, CopyStep::begins, 0);
}

void AsyncCopies::put_content(const PendingCopy& copy, const Access& a, const Region& r,
                              std::uint32_t mask) {
  for_runs(mask, copy.behind, [&](std::uint32_t first, std::uint32_t lanes) {
    const std::uint64_t at = a.address[first] - r.base;
    std::memcpy(r.data + at, &copy.content[std::size_t{first} * a.op.count],
                std::size_t{lanes} * a.width);
  });
}

void AsyncCopies::hide(Block& b, Warp& w) {
  const PendingCopy& copy = w.copies.back();
  const Access a = access_to(b, w, copy);
  const auto lane = static_cast<std::uint32_t>(std::countr_zero(copy.lanes));
  const auto pending = reports_.origins().add(Origin::What::copy_pending, copy.inst, w, lane);
  for (std::size_t half = 0; half < 2; ++half) {
    const Region& region = b.shared[half];
    for_runs(copy.inside[half], copy.behind, [&](std::uint32_t first, std::uint32_t lanes) {
      const std::uint64_t at = a.address[first] - region.base,
                          bytes = std::uint64_t{lanes} * a.width;
      std::memset(region.state + at, ByteState::uninitialised, bytes);
      reports_.keep_origin(region, at, bytes, pending, nullptr);
    });
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
  a.held = &copy;
  a.behind = copy.behind;
  const std::uint32_t number = copy.number[static_cast<std::size_t>(std::countr_zero(mask))];
  for (std::size_t half = 0; half < 2; ++half) {
    const Region& region = b.shared[half];
    const std::uint32_t inside = copy.inside[half] & mask;
    if (inside == 0) continue;
    put_content(copy, a, region, inside);
    for_runs(inside, copy.behind, [&](std::uint32_t first, std::uint32_t lanes) {
      std::memset(region.state + (a.address[first] - region.base), ByteState::initialised,
                  std::size_t{lanes} * a.width);
    });
    for (std::size_t k = 0; k < copy.undefined.size(); ++k) {
      const UndefinedLanes& of = copy.undefined[k];
      for (const unsigned l : lanes_of(of.lanes & inside)) {
        const std::uint64_t at = a.address[l] - region.base + 4 * k;
        set_states(region.state + at, 4, of.bits[l] & bits_of(4));
        reports_.keep_origin(region, at, 4, of.origin[l], nullptr);
      }
    }
    const Allocation* const several = kernel_.uses_cluster ? clusters_.array(b, half) : nullptr;
    path_.watch(a, region, inside, several, true, how, number);
  }
  if (races_ != nullptr || config_.log != nullptr) {
    end_source(b, w, copy, mask, how, number);
  }
}

void AsyncCopies::end_source(Block& b, Warp& w, const PendingCopy& copy, std::uint32_t mask,
                             CopyStep how, std::uint32_t number) {
  const auto& op = kernel_.memory_ops[kernel_.code[copy.inst - 1].extra];
  const auto width = op.width();
  const auto tell = [&](const MemoryOp& part, std::uint32_t bytes, std::uint32_t offset,
                        std::uint32_t lanes) {
    Access a{b, w, copy.inst - 1, part, bytes, {}};
    for (int l = 0; l < warp_size; ++l) {
      a.address[l] = copy.source[static_cast<std::size_t>(l)] + offset;
    }
    a.behind = bytes == width ? copy.source_behind : 0;
    while (lanes != 0) {
      const Allocation* const array = memory_.find(a.address[std::countr_zero(lanes)]);
      std::uint32_t inside = 0;
      const bool is_there = array != nullptr && !array->freed;
      for_runs(is_there ? lanes : 0, a.behind, [&](std::uint32_t first, std::uint32_t count) {
        const std::uint64_t at = a.address[first] - array->base;
        if (at < array->bytes && array->bytes - at >= std::uint64_t{count} * bytes) {
          inside |= static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
          return;
        }
        for (std::uint32_t l = 0; l < count; ++l) {
          const std::uint64_t end = at + std::uint64_t{l + 1} * bytes;
          if (at < array->bytes && end <= array->bytes) inside |= 1U << (first + l);
        }
      });
      if (inside != 0) path_.watch(a, *array, inside, array, true, how, number);
      lanes &= ~(inside | (lanes & (~lanes + 1)));  // what lay elsewhere was reported
    }
  };
  std::uint32_t whole = mask, some = 0;
  if (op.shortened) {
    whole = mask & lane_mask([&](int l) {
              return copy.source_bytes[static_cast<std::size_t>(l)] == width;
            });
    some = mask & ~whole;
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

}  // namespace gauntlet::simt
