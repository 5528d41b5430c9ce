// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

#include "machine/isa/decode.hpp"
#include "machine/ptx/source_names.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/lanes.hpp"
#include "machine/state/undefined_bits.hpp"

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

Reports::Reports(const Kernel& kernel, const LaunchConfig& config, GlobalMemory& memory)
    : kernel_(kernel),
      config_(config),
      memory_(memory),
      recorder_(kernel, config.checks),
      of_cub_(kernel.name.starts_with("_ZN3cub") || kernel.name.starts_with("_ZN6thrust")) {}

Element Reports::element_at(std::uint64_t full, const MemoryOp& op,
                            const Allocation* allocation) const {
  const NamedArray array = array_at(full, op, allocation);
  return {array.name, floor_div(static_cast<std::int64_t>(full - array.first),
                                static_cast<std::int64_t>(array.element_bytes))};
}

NamedArray Reports::array_at(std::uint64_t full, const MemoryOp& op,
                             const Allocation* allocation) const {
  if (allocation != nullptr) {
    return {allocation->name, allocation->base + static_cast<Address>(allocation->index_base),
            element_bytes(*allocation, op), allocation->base, allocation->base + allocation->bytes};
  }
  // A generic address is still whole (misaligned), or its window was taken away (in_space).
  if (op.space == MemorySpace::local || full - local_window < window_bytes) {
    return {"local", full - static_cast<Address>(std::int64_t{static_cast<std::int32_t>(full)}),
            op.size};
  }
  // Shared: the array that the address is in, or the nearest one.
  if (op.space != MemorySpace::shared && full >= window_bytes &&
      full - shared_window >= window_bytes) {
    return {.name = {}, .first = full};
  }
  const auto address = static_cast<std::int64_t>(full % window_bytes);
  const Address window = full - static_cast<Address>(address);
  if (address >= dynamic_shared_base - std::int64_t{shared_gap} &&
      (!kernel_.dynamic_shared_name.empty() || config_.shared_bytes != 0)) {
    return {kernel_.dynamic_shared_name, window + dynamic_shared_base, op.size,
            window + dynamic_shared_base - shared_gap, window + window_bytes};
  }
  std::int64_t best = -1;
  NamedArray nearest{.name = {}, .first = full};
  for (const auto& s : kernel_.shared) {
    const std::int64_t begin = s.offset, end = begin + s.bytes;
    const std::int64_t distance = address < begin  ? begin - address
                                  : address >= end ? address - end
                                                   : 0;
    if (best < 0 || distance < best) {
      best = distance;
      const Address first = window + static_cast<Address>(begin);
      const bool inside = begin <= address && address < end;
      nearest = {s.name, first, op.size, first, inside ? first + s.bytes : first};
    }
  }
  return nearest;
}

void Reports::outside_of_arrays(const Access& a, std::uint32_t lane) {
  const bool read = a.op.what == MemoryOp::What::load;
  const auto x = a.address[lane];
  const Allocation* near = memory_.find(x);
  const std::string what = near == nullptr && memory_.foreign ? memory_.foreign(x) : std::string{};
  if (near == nullptr && what.empty()) near = memory_.nearest(x);
  if (near == nullptr) {
    what.empty()
        ? fault(a, FindingKind::unallocated, lane, {}, "no array was ever at address 0x{:x}", x)
        : fault(a, FindingKind::unallocated, lane, {}, "address 0x{:x} is {}", x, what);
    // A GPU ends the launch at the first such access. The machine goes on, to find more; but a loop
    // whose index has gone astray would do nothing else until the step limit.
    if (++a.warp.astray != most_astray) return;
    tell(FindingKind::step_limit, a, lane,
         "the warp made {} accesses to addresses that no array was ever at; the launch is ended "
         "there",
         most_astray);
    return stop();
  }
  const Element at = element_of(a, lane, near);
  const auto kind = near->freed ? FindingKind::use_after_free
                    : read      ? FindingKind::out_of_bounds_read
                                : FindingKind::out_of_bounds_write;
  const auto elements =
      (near->bytes - static_cast<std::uint64_t>(near->index_base)) / element_bytes(*near, a.op);
  near->freed
      ? fault(a, kind, lane, at, "{} was freed", at.array)
      : fault(a, kind, lane, at, "{} has {} elements that may be accessed", at.array, elements);
}

void Reports::shared_fault(const Access& a, std::uint32_t lane) {
  const bool read = a.op.what == MemoryOp::What::load;
  const Element at = element_of(a, lane, nullptr);
  std::uint64_t bytes = config_.shared_bytes;
  for (const auto& s : kernel_.shared) {
    if (s.name == at.array && a.address[lane] % window_bytes < dynamic_shared_base - shared_gap) {
      bytes = s.bytes;
    }
  }
  fault(a, read ? FindingKind::out_of_bounds_read : FindingKind::out_of_bounds_write, lane, at,
        "shared array {} has {} bytes, {} elements of this size", at.array, bytes,
        bytes / a.op.size);
}

std::uint32_t Reports::uninitialised_origin(const Access& a, const Region& r, std::uint32_t lane,
                                            const Allocation* allocation, std::uint32_t offset) {
  auto at = a.address[lane] - r.base + offset;
  const auto undefined = undefined_in_memory(r.state + at, a.op.size);
  const auto first = static_cast<unsigned>(std::countr_zero(undefined)) / 8;  // is to blame
  at += first;
  offset += first;
  const bool local = r.data == a.warp.local;
  const auto add = [&](Origin::What what, bool in_part) {
    const std::size_t known = origins_.size();
    const std::uint32_t number = origins_.add(what, a.inst, a.warp, lane, 0, in_part);
    if (origins_.size() != known && !local) {
      Origin& fresh = origins_.at(number);
      const auto [array, index] = element_of(a, lane, allocation, offset);
      fresh.array = array;
      fresh.index = index;
    }
    return number;
  };
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
      if (is_fault != 0) return fault_origin(a.inst, a.warp, lane);
      const auto added = add(Origin::What::earlier_launch, false);
      if (origins_.at(added).earlier == 0) origins_.at(added).earlier = o;
      return added;
    }
  }
  return add(what, undefined != bits_of(a.op.size));
}

void Reports::keep_origin(const Region& r, std::uint64_t at, std::uint64_t bytes,
                          std::uint32_t origin, const Allocation* allocation) {
  make_origins(r);
  // Global memory outlives the launch and its numbers.
  if (allocation != nullptr) {
    origins_.at(origin & ~origin_is_fault).stored = true;
    origin += memory_.origins;
  }
  const std::uint64_t first = at / 4, last = (at + bytes - 1) / 4;
  std::fill_n(r.origin->data() + first, last - first + 1, origin);
}

void Reports::keep_stories() {
  auto& stories = memory_.stories;
  for (std::uint32_t k = 1; k < origins_.size(); ++k) {
    Origin& o = origins_.at(k);
    if (!std::exchange(o.stored, false)) continue;
    const std::uint32_t number = k + memory_.origins;
    if (stories.size() >= GlobalMemory::most_stories || stories.contains(number)) continue;
    if (const auto root = stories.find(o.earlier); root != stories.end()) {
      stories.emplace(number, GlobalMemory::Story(root->second));
      continue;
    }
    constexpr std::string_view subject = "the value ";
    stories.emplace(number,
                    GlobalMemory::Story{origins_.describe(o).substr(subject.size()), kernel_.name});
  }
}

void Reports::report_poison(FindingKind kind, const Block& b, const Warp& w, std::uint32_t inst,
                            std::uint32_t lanes, Operand value) {
  const int l = Origins::to_blame(w, value, lanes);
  if (l < 0) return;
  // Thrust's set operations compare, in threads with nothing left, what they never loaded, and drop
  // the result.
  const auto what = origins_.at(w.origin_of(value, l)).what;
  const bool its_own =
      what == Origin::What::register_unwritten || what == Origin::What::shared_uninitialised;
  if (of_cub_ && its_own && ptx::in_toolkit(recorder_.where(inst))) return;
  report_origin(kind, b, w, inst, static_cast<std::uint32_t>(l), w.origin_of(value, l));
}

void Reports::report_origin(FindingKind kind, const Block& b, const Warp& w, std::uint32_t inst,
                            std::uint32_t lane, std::uint32_t origin, Place place) {
  if ((origin & origin_is_fault) != 0) return;  // the fault itself was reported
  const auto& o = origins_.at(origin);
  auto* f = recorder_.add(kind, inst, coordinates(b), w.index, lane, place);
  if (f == nullptr) return;
  f->detail = origins_.describe(o);
  if (o.what != Origin::What::register_unwritten) {
    f->other = recorder_.party(o.inst, coordinates(o.block), o.warp, o.lane);
  }
}

std::uint32_t Origins::add(Origin::What what, std::uint32_t inst, const Warp& w, std::uint32_t lane,
                           std::int64_t index, bool in_part) {
  const std::uint64_t key = key_of(what, inst, in_part);
  auto& recent = recent_[inst % recent_.size()];
  if (key != recent.first) {
    const auto next = static_cast<std::uint32_t>(all_.size());
    const auto [it, fresh] = numbers_.try_emplace(key, next);
    if (fresh) all_.push_back({what, inst, w.block, w.index, lane, {}, index, in_part});
    recent = {key, it->second};
  }
  return recent.second | (what == Origin::What::fault ? origin_is_fault : 0);
}

bool Origins::join(std::span<const std::vector<Origin>> of_threads) {
  struct Met {
    const Origin* origin;
    std::size_t number;  ///< on its thread
  };
  std::vector<Met> met;
  for (const auto& of_thread : of_threads) {
    for (std::size_t k = size(); k < of_thread.size(); ++k) met.push_back({&of_thread[k], k});
  }
  // One thread runs a block, and meets what is new in it in this order.
  std::ranges::sort(met, {}, [](const Met& m) { return std::pair(m.origin->block, m.number); });
  auto all = all_;
  auto numbers = numbers_;
  for (const auto& [origin, number] : met) {
    const auto key = key_of(origin->what, origin->inst, origin->in_part);
    const auto next = static_cast<std::uint32_t>(all.size());
    if (numbers.try_emplace(key, next).second) all.push_back(*origin);
    if (numbers.at(key) != number) return false;
  }
  for (const auto& of_thread : of_threads) {
    for (std::size_t k = 1; k < of_thread.size(); ++k) all[k].stored |= of_thread[k].stored;
  }
  all_ = std::move(all);
  numbers_ = std::move(numbers);
  return true;
}

std::string Origins::describe(const Origin& o) const {
  // A register that was never written has no instruction; its slot stands in for one.
  auto at = o.what == Origin::What::register_unwritten ? std::string{} : recorder_.where(o.inst);
  // The finding has the line itself, and a program's paths are long.
  if (at.starts_with('/')) at.erase(0, at.rfind('/') + 1);
  switch (o.what) {
    case Origin::What::shared_uninitialised:
      return fmt::format("the value comes from {}[{}], read at {}, {} no thread wrote", o.array,
                         o.index, at, o.in_part ? "parts of which" : "which");
    case Origin::What::global_uninitialised:
      return fmt::format("the value comes from {}[{}], read at {}, {} never initialised", o.array,
                         o.index, at, o.in_part ? "parts of which were" : "which was");
    case Origin::What::local_uninitialised:
      return fmt::format("the value comes from local memory read at {} before it was written", at);
    case Origin::What::copy_pending:
      return fmt::format("the value is that of the asynchronous copy at {} before the wait for it",
                         at);
    case Origin::What::product_pending:
      return fmt::format("the value is that of the wgmma at {} before the wait for it", at);
    case Origin::What::shuffle_absent:
      return fmt::format("the value comes from a shuffle at {} out of lane {}, which takes no part",
                         at, o.index);
    case Origin::What::register_unwritten:
      return "the value comes from a variable that was never assigned";
    case Origin::What::earlier_launch:
      return fmt::format(
          "the value comes from {}[{}], read at {}, where an earlier launch stored a "
          "value that nobody defined",
          o.array, o.index, at);
    case Origin::What::fault:
      break;
  }
  return fmt::format("the value follows from the fault at {}", at);
}

int Origins::to_blame(const Warp& w, Operand value, std::uint32_t lanes) {
  for (const int l : lanes_of(w.poison[value.id] & lanes)) {
    if ((w.origin_of(value, l) & origin_is_fault) == 0) return l;
  }
  return -1;
}

}  // namespace gauntlet::simt
