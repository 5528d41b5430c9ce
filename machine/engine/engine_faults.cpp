// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the engine says of an access that went wrong, and of values that nobody defined.
#include <fmt/format.h>

#include <bit>
#include <cstdlib>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/ptx/source_names.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {
namespace {
constexpr std::uint32_t most_astray = 1U << 17U;  // of all lanes of a warp

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((-a + b - 1) / b);
}
std::uint32_t element_bytes(const Allocation& a, const MemoryOp& op) {
  return a.element_bytes != 0 ? a.element_bytes : op.size;
}
}  // namespace

void Engine::element_of(const Access& a, std::uint32_t lane, const Allocation* allocation,
                        std::string& array, std::int64_t& index, std::uint32_t offset) const {
  const auto full = a.address[lane] + offset;
  if (allocation != nullptr) {
    array = allocation->name;
    index = floor_div(static_cast<std::int64_t>(full - allocation->base) - allocation->index_base,
                      element_bytes(*allocation, a.op));
    return;
  }
  // A generic address is still whole (misaligned), or its window was taken away (in_space).
  if (a.op.space == MemorySpace::local || full - local_window < window_bytes) {
    array = "local";
    index = floor_div(static_cast<std::int32_t>(full), a.op.size);
    return;
  }
  // Shared: the array that the address is in, or the nearest one.
  if (a.op.space != MemorySpace::shared && full >= window_bytes &&
      full - shared_window >= window_bytes) {
    return;
  }
  const auto address = static_cast<std::int64_t>(full % window_bytes);
  if (address >= dynamic_shared_base - std::int64_t{shared_gap} &&
      (!kernel_.dynamic_shared_name.empty() || config_.shared_bytes != 0)) {
    array = kernel_.dynamic_shared_name;
    index = floor_div(address - dynamic_shared_base, a.op.size);
    return;
  }
  std::int64_t best = -1;
  for (const auto& s : kernel_.shared) {
    const std::int64_t begin = s.offset, end = begin + s.bytes;
    const std::int64_t distance = address < begin  ? begin - address
                                  : address >= end ? address - end
                                                   : 0;
    if (best < 0 || distance < best) {
      best = distance;
      array = s.name;
      index = floor_div(address - begin, a.op.size);
    }
  }
}

void Engine::fault(Access& a, FindingKind kind, std::uint32_t lane, std::string_view array,
                   std::int64_t index, std::string detail) {
  auto* f = recorder_.add(kind, a.inst, coordinates(a.block), a.warp.index, lane,
                          {array, index, a.width});
  if (f != nullptr) f->detail = std::move(detail);
}

void Engine::global_fault(Access& a, std::uint32_t lane) {
  if (split_ != nullptr) return cannot_split();
  const bool read = a.op.what == MemoryOp::What::load;
  const auto x = a.address[lane];
  const Allocation* near = memory_.find(x);
  const std::string what = near == nullptr && memory_.foreign ? memory_.foreign(x) : std::string{};
  if (near == nullptr && what.empty()) near = memory_.nearest(x);
  if (near == nullptr) {
    auto* f = recorder_.add(FindingKind::unallocated, a.inst, coordinates(a.block), a.warp.index,
                            lane, {"", 0, a.width});
    if (f != nullptr) {
      f->detail = what.empty() ? fmt::format("no array was ever at address 0x{:x}", x)
                               : fmt::format("address 0x{:x} is {}", x, what);
    }
    if (++a.warp.astray == most_astray) give_up(a, lane);
    return;
  }
  std::string array;
  std::int64_t index = 0;
  element_of(a, lane, near, array, index);
  const auto kind = near->freed ? FindingKind::use_after_free
                    : read      ? FindingKind::out_of_bounds_read
                                : FindingKind::out_of_bounds_write;
  const auto elements =
      (near->bytes - static_cast<std::uint64_t>(near->index_base)) / element_bytes(*near, a.op);
  fault(a, kind, lane, array, index,
        near->freed ? fmt::format("{} was freed", array)
                    : fmt::format("{} has {} elements that may be accessed", array, elements));
}

/// A GPU ends the launch at the first such access. The machine goes on, to find more; but a loop
/// whose index has gone astray would do nothing else until the step limit.
void Engine::give_up(const Access& a, std::uint32_t lane) {
  auto* f =
      recorder_.add(FindingKind::step_limit, a.inst, coordinates(a.block), a.warp.index, lane);
  if (f != nullptr) {
    f->detail = fmt::format(
        "the warp made {} accesses to addresses that no array was ever at; the launch is ended "
        "there",
        most_astray);
  }
  stopped_ = true;
}

void Engine::shared_fault(Access& a, std::uint32_t lane) {
  const bool read = a.op.what == MemoryOp::What::load;
  std::string array;
  std::int64_t index = 0;
  element_of(a, lane, nullptr, array, index);
  std::uint64_t bytes = config_.shared_bytes;
  for (const auto& s : kernel_.shared) {
    if (s.name == array && a.address[lane] % window_bytes < dynamic_shared_base - shared_gap) {
      bytes = s.bytes;
    }
  }
  fault(a, read ? FindingKind::out_of_bounds_read : FindingKind::out_of_bounds_write, lane, array,
        index,
        fmt::format("shared array {} has {} bytes, {} elements of this size", array, bytes,
                    bytes / a.op.size));
}

std::uint32_t Engine::uninitialised_origin(const Access& a, const Region& r, std::uint32_t lane,
                                           const Allocation* allocation, std::uint32_t offset) {
  auto at = a.address[lane] - r.base + offset;
  const auto undefined = undefined_in_memory(r.state + at, a.op.size);
  const auto first = static_cast<unsigned>(std::countr_zero(undefined)) / 8;  // is to blame
  at += first;
  offset += first;
  std::string array;
  std::int64_t index = 0;
  const bool local = r.data == a.warp.local;
  if (!local) element_of(a, lane, allocation, array, index, offset);
  const auto what = local                   ? Origin::What::local_uninitialised
                    : allocation != nullptr ? Origin::What::global_uninitialised
                                            : Origin::What::shared_uninitialised;
  if (!r.origin->empty()) {
    // Poison that was stored keeps the origin it came with.
    const auto o = (*r.origin)[at / 4] & ~origin_is_fault;
    const auto is_fault = (*r.origin)[at / 4] & origin_is_fault;
    if (o != 0 && allocation == nullptr) return o | is_fault;
    if (o > memory_.origins) return (o - memory_.origins) | is_fault;
    if (o != 0) {
      if (is_fault != 0) return origins_.add(Origin::What::fault, a.inst, a.warp, lane);
      const auto added =
          origins_.add(Origin::What::earlier_launch, a.inst, a.warp, lane, std::move(array), index);
      if (origins_.at(added).earlier == 0) origins_.at(added).earlier = o;
      return added;
    }
  }
  return origins_.add(what, a.inst, a.warp, lane, std::move(array), index,
                      undefined != bits_of(a.op.size));
}

void Engine::note_origin(const Access& a, const Region& r, std::uint64_t at, std::uint32_t origin,
                         const Allocation* allocation) {
  if (splitting_ && allocation != nullptr) {
    cannot_split();
    if (split_ != nullptr) return;
  }
  if (r.origin->empty()) r.origin->resize((r.bytes + 3) / 4 + 1);
  // Global memory outlives the launch and its numbers.
  if (allocation != nullptr) {
    origin += memory_.origins;
    keep_story(origin & ~origin_is_fault);
  }
  for (auto word = at / 4; word <= (at + a.op.size - 1) / 4; ++word) (*r.origin)[word] = origin;
}

void Engine::keep_story(std::uint32_t number) {
  auto& stories = memory_.stories;
  if (stories.size() >= GlobalMemory::most_stories || stories.contains(number)) return;
  const Origin& o = origins_.at(number - memory_.origins);
  if (const auto root = stories.find(o.earlier); root != stories.end()) {
    stories.emplace(number, GlobalMemory::Story(root->second));
    return;
  }
  constexpr std::string_view subject = "the value ";
  stories.emplace(number,
                  GlobalMemory::Story{origins_.describe(o).substr(subject.size()), kernel_.name});
}

void Engine::report_poison(FindingKind kind, Block& b, Warp& w, std::uint32_t inst,
                           std::uint32_t lanes, Operand value, Place place) {
  const int l = Origins::to_blame(w, value, lanes);
  if (l < 0) return;
  // Thrust's set operations compare, in threads with nothing left, what they never loaded, and drop
  // the result.
  const auto what = origins_.at(w.origin_of(value, l)).what;
  const bool its_own =
      what == Origin::What::register_unwritten || what == Origin::What::shared_uninitialised;
  if (of_cub_ && its_own && ptx::in_toolkit(recorder_.where(inst))) return;
  report_origin(kind, b, w, inst, static_cast<std::uint32_t>(l), w.origin_of(value, l), place);
}

void Engine::report_origin(FindingKind kind, Block& b, Warp& w, std::uint32_t inst,
                           std::uint32_t lane, std::uint32_t origin, Place place) {
  if ((origin & origin_is_fault) != 0) return;  // the fault itself was reported
  const auto& o = origins_.at(origin);
  auto* f = recorder_.add(kind, inst, coordinates(b), w.index, lane, place);
  if (f == nullptr) return;
  f->detail = origins_.describe(o);
  if (o.what != Origin::What::register_unwritten) {
    const auto& d = config_.grid;
    f->other = recorder_.party(o.inst, {o.block % d.x, o.block / d.x % d.y, o.block / d.x / d.y},
                               o.warp, o.lane);
  }
}

}  // namespace gauntlet::simt
