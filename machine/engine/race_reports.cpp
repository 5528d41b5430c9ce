// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/race_reports.hpp"

#include <fmt/format.h>

#include <bit>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/scalar.hpp"
#include "machine/code/narrow_float.hpp"
#include "machine/isa/decode.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

std::string_view verb(AccessKind t) {
  return t == AccessKind::read ? "read" : t == AccessKind::write ? "write" : "atomic";
}

/// The bytes that were accessed, as a value; empty where they say nothing.
std::string written(const CellAccess& t, ptx::ScalarType cell) {
  if (t.kind == AccessKind::read) return {};
  if (t.undefined) return std::string(undefined_value);
  const std::uint32_t x = t.value >> 8 * std::countr_zero(unsigned{t.bytes});
  switch (cell) {
    case ptx::ScalarType::f32:
      return fmt::format("{}", std::bit_cast<float>(x));
    case ptx::ScalarType::s32:
      return fmt::format("{}", static_cast<std::int32_t>(x));
    case ptx::ScalarType::f16:
      return fmt::format("{}", Half{static_cast<std::uint16_t>(x)}.widened());
    case ptx::ScalarType::bf16:
      return fmt::format("{}", Bfloat{static_cast<std::uint16_t>(x)}.widened());
    case ptx::ScalarType::s8:
      return fmt::format("{}", static_cast<std::int8_t>(x));
    case ptx::ScalarType::s16:
      return fmt::format("{}", static_cast<std::int16_t>(x));
    case ptx::ScalarType::f16x2:
    case ptx::ScalarType::bf16x2:
      return fmt::format("0x{:08x}", x);
    case ptx::ScalarType::u64:
    case ptx::ScalarType::s64:
    case ptx::ScalarType::f64:
      return {};  // half of the value says nothing
    default:
      return fmt::format("{}", x);
  }
}

std::string short_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Why two strong accesses race although atomics would not.
std::string not_atomic(const CellAccess& a, unsigned a_bytes, const CellAccess& b,
                       unsigned b_bytes) {
  if (a.is_volatile || b.is_volatile) return "; volatile orders nothing";
  if (a_bytes == b_bytes) return "; an access of block scope is not atomic to other blocks";
  return fmt::format("; accesses of {} and of {} bytes are not atomic to each other", a_bytes,
                     b_bytes);
}

/// What to write where, for the half of the order that is missing; "; missing is the ...".
std::string missing_half(const Race& race, Lacks lacks, bool same_block) {
  const auto [e, a] = std::pair(race.earlier.kind, race.later.kind);
  const auto access = [&](std::string_view when, AccessKind t) {
    return e == a ? fmt::format("the {} {}", when, verb(t)) : fmt::format("the {}", verb(t));
  };
  const std::string before = access("earlier", e), after = access("later", a);
  const std::string_view fence = same_block ? "__threadfence_block()" : "__threadfence()";
  // Within a block a barrier is the usual order: a flag is spoken of where one was read.
  if (lacks == Lacks::acquire) {
    return fmt::format("; missing is the acquire: {} between reading the flag or ticket and {}",
                       fence, after);
  }
  if (same_block || lacks == Lacks::unknown) return {};
  if (lacks == Lacks::reading) {
    return fmt::format(
        "; missing is the acquire: the thread of {} has not read the flag or ticket that "
        "publishes {}",
        after, before);
  }
  return fmt::format(
      "; missing is the release: {} behind {}, then the flag or ticket (an atomic or volatile "
      "write)",
      fence, before);
}

FindingKind kind_of(const Race& race, const CellAccess& first, const CellAccess& second) {
  if (first.read_only || second.read_only) return FindingKind::race_read_only;
  if (race.same_value) return FindingKind::race_same_value;
  if (first.kind == AccessKind::atomic || second.kind == AccessKind::atomic) {
    return FindingKind::race_atomic;
  }
  return first.kind == AccessKind::read    ? FindingKind::race_read_write
         : second.kind == AccessKind::read ? FindingKind::race_write_read
                                           : FindingKind::race_write_write;
}

}  // namespace

struct RaceReports::Pair {
  const Race& race;
  CellAccess first, second;  ///< in program order
  bool swapped;              ///< `second` came first
  bool of_read_only = first.read_only || second.read_only;
  bool of_copy = first.by_copy || second.by_copy;
  bool same_block = first.block == second.block;
  bool same_warp = same_block && first.thread / warp_size == second.thread / warp_size;
  bool one_value = false, only_decides = false;
};

void RaceReports::tell(const Access& by, const Race& race, std::uint64_t address,
                       const Allocation* allocation) {
  const CellAccess& now = race.later;
  CellAccess before = race.earlier;
  if (before.who != CellAccess::Who::one && before.block == now.block &&
      before.thread == now.thread) {
    before.block = before.other_block;
    before.thread = before.other_thread;
  }
  before.who = CellAccess::Who::one;
  const bool swap = now.read_only || before.read_only ? before.read_only : before.inst > now.inst;
  Pair p{race, swap ? now : before, swap ? before : now, swap};
  const auto& [first, second] = std::tie(p.first, p.second);
  const FindingKind kind = kind_of(race, first, second);
  const std::uint32_t lane = second.thread % warp_size;
  // Of `second`, whichever came first; what copies move says the one that has met the other.
  const MemoryOp& op = swap && op_of(second).bulk == 0 ? op_of(second) : by.op;
  const ToldRaces::Place at{allocation, address, address + 1};
  if (const auto* const seen = told_.find(before, now, race.same_value, at); seen != nullptr) {
    return told_.count(*seen, 1);
  }
  const auto [array, index] = reports_.element_at(address, op, allocation);
  if (!is_told(p, array)) {
    if (config_.shadow != nullptr) config_.shadow->untold_race(second.inst);
    return;
  }
  // Where only the acquire is missing a GPU goes wrong if its cache holds an old copy, else not.
  const bool seldom_shows = !p.of_read_only && !p.of_copy && !race.proxies &&
                            (p.same_warp || (!p.same_block && races_->lacks_only_acquire(race)));
  // A proof is to hold for other data, too.
  p.one_value = race.one_value && config_.shadow == nullptr;
  p.only_decides = !p.of_read_only && !p.of_copy && races_->only_decides(first, second);
  const std::uint32_t weight = p.of_read_only || p.of_copy     ? 4
                               : p.one_value || p.only_decides ? 0
                               : p.same_warp                   ? 1
                               : p.same_block                  ? 2
                               : seldom_shows                  ? 3
                                                               : 4;
  Recorder& recorder = reports_.recorder();
  auto* const f =
      recorder.add(kind, second.inst, reports_.coordinates(second.block), second.thread / warp_size,
                   lane, {array, index, &op == &by.op ? by.width : op.width()}, first.inst, weight);
  const NamedArray around = reports_.array_at(address, op, allocation);
  if (recorder.latest() != nullptr) {
    told_.add(before, now, race.same_value, {allocation, around.begin, around.end},
              *recorder.latest());
  }
  if (f == nullptr) return;
  // nvcc stores a float constant by st.u32.
  const auto cell_of = [&](const CellAccess& access) {
    const ptx::ScalarType type = op_of(access).cell;
    const bool bits = type == ptx::ScalarType::u32 || type == ptx::ScalarType::b32;
    return bits && allocation != nullptr && allocation->floats ? ptx::ScalarType::f32 : type;
  };
  f->at.value = written(second, cell_of(second));
  f->other = recorder.party(first.inst, reports_.coordinates(first.block), first.thread / warp_size,
                            first.thread % warp_size);
  f->other->value = written(first, cell_of(first));
  f->severity = race.same_value || p.one_value   ? Severity::note
                : seldom_shows || p.only_decides ? Severity::warning
                                                 : Severity::error;
  f->detail = detail(p, allocation != nullptr);
}

/// Among themselves cooperative groups rely on more than PTX promises: threads write one value at
/// once, and shfl.sync hands an acquire of one lane on to its warp.
bool RaceReports::is_told(const Pair& p, std::string_view array) const {
  const auto of_groups = [&](const CellAccess& access) {
    const auto loc = kernel_.code[access.inst].loc;
    return loc >= 0 && kernel_.lines[static_cast<std::size_t>(loc)].of_groups;
  };
  return array != reserved_shared_name && !(of_groups(p.first) && of_groups(p.second));
}

std::string RaceReports::detail(const Pair& p, bool of_array) const {
  const auto& [race, first, second] = std::tie(p.race, p.first, p.second);
  const Recorder& recorder = reports_.recorder();
  const auto from = short_name(recorder.where(first.inst)),
             to = short_name(recorder.where(second.inst));
  const auto colon = from.find(':');
  const bool same_file = colon != from.npos && from.substr(0, colon) == to.substr(0, to.find(':'));
  const auto there = same_file ? to.substr(colon) : to;
  if (p.of_read_only) {
    return fmt::format(
        "nothing orders the {} at {} and the read-only load (ld.global.nc: __ldg, const "
        "__restrict__) at {}, no barrier and not the order within a thread: what the launch writes "
        "has to be read by a plain load",
        verb(first.kind), from, there);
  }
  if (first.by_launch || second.by_launch) {
    const auto who = [](const CellAccess& access) {
      return access.by_launch ? " of the kernel launched" : "";
    };
    return fmt::format("nothing orders the {}{} at {} and the {}{} at {}", verb(first.kind),
                       who(first), from, verb(second.kind), who(second), there);
  }
  const auto asynchronous = [&](const CellAccess& access) {
    const auto bulk = op_of(access).bulk;
    return bulk != 0 && kernel_.bulk_ops[bulk - 1].product ? "wgmma" : "asynchronous copy";
  };
  if (race.proxies) {
    const bool of_map = race.later.proxy == Proxy::maps;
    return fmt::format(
        "the {} at {} comes before the {} at {}, which goes through another proxy: "
        "missing is a fence.proxy.{} between the two, {}",
        verb(race.earlier.kind), p.swapped ? to : from, asynchronous(race.later),
        p.swapped ? from : to, of_map ? "tensormap::generic.acquire" : "async",
        of_map ? "by who copies" : "best before the barrier");
  }
  if (first.by_copy && second.by_copy) {
    const std::string_view what = asynchronous(first), other = asynchronous(second);
    return what == other
               ? fmt::format("no wait orders the asynchronous copies at {} and at {}", from, there)
               : fmt::format("no wait orders the {} at {} and the {} at {}", what, from, other,
                             there);
  }
  if (p.of_copy) {
    const auto& [copy, other] = first.by_copy ? std::tie(first, second) : std::tie(second, first);
    return fmt::format(
        "no wait for the {} at {} orders its {} and the {} at {}; until then it may "
        "be made at any time",
        asynchronous(copy), first.by_copy ? from : to, verb(copy.kind), verb(other.kind),
        first.by_copy ? there : from);
  }
  if (p.same_warp && first.kind == AccessKind::write && first.inst == second.inst &&
      !race.same_value) {
    return fmt::format("nothing orders the writes of two lanes at {}: either value may stay", from);
  }
  const std::string_view missing = p.same_warp    ? "__syncwarp"
                                   : p.same_block ? "barrier"
                                   : of_array     ? "device-scope release and acquire"
                                                  : "barrier of the cluster";
  return fmt::format("no {} orders the {} at {} and the {} at {}", missing, verb(first.kind), from,
                     verb(second.kind), there) +
         unordered(p, of_array);
}

/// What else there is to say of a pair that nothing orders.
std::string RaceReports::unordered(const Pair& p, bool of_array) const {
  const auto& [race, first, second] = std::tie(p.race, p.first, p.second);
  if (p.one_value) return "; all write one value, and who reads it has written it before";
  if (p.only_decides) {
    return "; to PTX volatile accesses are relaxed atomics, and what is read here only decides a "
           "branch, but to C++ they race: cuda::atomic_ref says what is meant";
  }
  if (race.same_value) return "; both write one value";
  std::string more;
  if (first.strong && second.strong) {
    more = not_atomic(first, op_of(first).atom(), second, op_of(second).atom());
  }
  const bool of_cluster = !of_array && !p.same_block;
  if (!p.same_warp && !of_cluster) more += missing_half(race, races_->lacks(race), p.same_block);
  return more;
}

}  // namespace gauntlet::simt
