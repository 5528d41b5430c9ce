// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Hands accesses to the race detector and words what it finds.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/scalar.hpp"
#include "machine/code/narrow_float.hpp"
#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/state/byte_states.hpp"
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

std::string short_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

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

}  // namespace

void Engine::log_sync(Event::What what, const Block& b, const Warp& w, std::uint32_t lanes,
                      std::uint32_t inst, std::uint64_t group) {
  if (config_.log == nullptr) return;
  Event e;
  e.what = what;
  e.block = b.linear;
  e.inst = inst;
  e.group = group;
  if (what == Event::What::fence) {
    e.scope = kernel_.code[inst].fence.scope;
    e.order = kernel_.code[inst].fence.order;
  }
  for (const unsigned l : lanes_of(lanes)) {
    e.thread = w.index * warp_size + l;
    if (what == Event::What::copies_arrive) e.variable = mbarriers_.variables[l];
    config_.log->push_back(e);
  }
}

void Engine::watch(const Access& a, const Region& r, std::uint32_t mask,
                   const Allocation* allocation, bool by_runs, CopyStep copy,
                   std::uint32_t number) {
  if (copy == CopyStep::none && (a.op.async || a.op.copied)) copy = CopyStep::begins;
  const bool of_cluster = allocation != nullptr && allocation->name.empty();
  const bool phases = a.op.mbarrier && (allocation == nullptr || of_cluster);
  const auto owner = of_cluster ? static_cast<std::uint64_t>(allocation->index_base) : 0;
  if (of_cluster && !phases) {  // whose addresses are not those of another block
    for (const unsigned l : lanes_of(mask))
      mbarriers_.variables[l] = a.address[l] | Mbarriers::of_block(owner);
  }
  if (phases && a.op.what == MemoryOp::What::load) {
    for (const int l : lanes_of(mask)) {
      std::uint64_t word = 0;
      std::memcpy(&word, r.data + (a.address[l] - r.base), sizeof word);
      // Under the address alone nobody publishes.
      mbarriers_.variables[l] = a.address[l] | (of_cluster ? Mbarriers::of_block(owner) : 0);
      if (a.op.unheeded) continue;
      const bool ended =
          a.op.by_parity
              ? mbarrier::parity_ended(word, a.warp.source<std::uint32_t>(a.op.operand)[l])
              : mbarrier::ended(word, a.warp.source<std::uint64_t>(a.op.operand)[l]);
      if (ended) mbarriers_.variables[l] = mbarriers_.variable(owner, a.address[l], word, false);
    }
  }
  const std::uint64_t* variable = phases || of_cluster ? mbarriers_.variables : a.address;
  const bool told = a.op.copied && copy != CopyStep::begins;  // by the end of the store
  if (config_.log != nullptr && !told) {
    Event e;
    const auto what = a.op.what;
    e.what = what == MemoryOp::What::load    ? Event::What::read
             : what == MemoryOp::What::store ? Event::What::write
                                             : Event::What::atomic;
    e.block = a.block.linear;
    e.inst = a.inst;
    e.shared = allocation == nullptr || of_cluster;
    e.width = a.width;
    e.element = a.op.atom();
    e.decides = a.op.decides;
    e.read_only = a.op.read_only;
    e.copy = copy;
    e.strong = a.op.is_volatile || a.op.order != Order::weak;
    e.order = a.op.order;
    e.scope = a.op.is_volatile ? Scope::sys : a.op.scope;
    for (const unsigned lane : lanes_of(mask)) {
      e.thread = a.warp.index * warp_size + lane;
      e.address = a.address[lane];
      e.variable = variable[lane];
      e.value = e.undefined = 0;
      if (what == MemoryOp::What::store) {
        // Other lanes of the instruction may have written the cell after this one.
        const auto size = a.op.size;
        for (unsigned k = 0; k < a.op.count && (k + 1) * size <= 8; ++k) {
          const auto* from =
              a.warp.source<std::byte>(a.op.values[k]) + lane * (size == 8 ? 8U : 4U);
          std::memcpy(reinterpret_cast<std::byte*>(&e.value) + k * size, from, size);
          if (!a.warp.poison_live) continue;
          const auto bits = undefined_bits(a.warp, a.op.values[k], static_cast<int>(lane));
          e.undefined |= (bits & bits_of(size)) << 8 * k * size;
        }
      } else {
        const auto at = e.address - r.base;
        const auto bytes = std::min(a.width, 8U);
        std::memcpy(&e.value, r.data + at, bytes);
        e.undefined = undefined_in_memory(r.state + at, bytes);
      }
      config_.log->push_back(e);
    }
  }
  if (races_ == nullptr) return;
  found_.clear();
  const RaceDetector::Batch batch{&a.block, &a.warp, a.inst, &a.op,      a.width, a.address,
                                  variable, mask,    &r,     allocation, copy,    number};
  const auto what = a.op.what;
  by_runs &= config_.log == nullptr;  // which each lane and cell by itself is compared with
  by_runs &= (what == MemoryOp::What::load || what == MemoryOp::What::store) && !a.op.mbarrier;
  if (by_runs && copy == CopyStep::none && races_->put_off(batch)) return;
  by_runs ? races_->access_by_runs(batch, found_) : races_->access(batch, found_);
  for (const auto& [race, address] : found_) {
    report_race(a, race, address, of_cluster ? nullptr : allocation);
  }
}

void Engine::report_race(const Access& a, const Race& race, std::uint64_t address,
                         const Allocation* allocation) {
  const CellAccess& now = race.later;
  CellAccess before = race.earlier;
  if (before.who != CellAccess::Who::one && before.block == now.block &&
      before.thread == now.thread) {
    before.block = before.other_block;
    before.thread = before.other_thread;
  }
  // Which of the two came first depends on the schedule: the pair is named in program order, a
  // read-only load behind the write.
  const bool of_read_only = now.read_only || before.read_only;
  const bool of_copy = before.by_copy || now.by_copy;
  const bool swap = of_read_only ? before.read_only : before.inst > now.inst;
  const CellAccess &first = swap ? now : before, &second = swap ? before : now;
  FindingKind kind = FindingKind::race_write_write;
  if (of_read_only)
    kind = FindingKind::race_read_only;
  else if (race.same_value)
    kind = FindingKind::race_same_value;
  else if (first.kind == AccessKind::atomic || second.kind == AccessKind::atomic)
    kind = FindingKind::race_atomic;
  else if (first.kind == AccessKind::read)
    kind = FindingKind::race_read_write;
  else if (second.kind == AccessKind::read)
    kind = FindingKind::race_write_read;

  Access cell = a;
  cell.address[now.thread % warp_size] = address;
  const auto [array, index] = element_of(cell, now.thread % warp_size, allocation);
  // Among themselves cooperative groups rely on more than PTX promises: threads write one value at
  // once, and shfl.sync hands an acquire of one lane on to its warp.
  const auto of_groups = [&](const CellAccess& access) {
    const auto loc = kernel_.code[access.inst].loc;
    return loc >= 0 && kernel_.lines[static_cast<std::size_t>(loc)].of_groups;
  };
  if (array == reserved_shared_name || (of_groups(first) && of_groups(second))) {
    if (shadow_ != nullptr) shadow_->untold_race(second.inst);
    return;
  }
  const auto grid = config_.grid;
  const auto at = [&](std::uint32_t linear) {
    return Dim3{linear % grid.x, linear / grid.x % grid.y, linear / grid.x / grid.y};
  };
  const bool same_block = first.block == second.block;
  const bool same_warp = same_block && first.thread / warp_size == second.thread / warp_size;
  // Where only the acquire is missing a GPU goes wrong if its cache holds an old copy, else not.
  const bool seldom_shows = !of_read_only && !of_copy && !race.proxies &&
                            (same_warp || (!same_block && races_->lacks_only_acquire(race)));
  // A proof is to hold for other data, too.
  const bool one_value = race.one_value && shadow_ == nullptr;
  const bool only_decides = !of_read_only && !of_copy && races_->only_decides(first, second);
  auto* f = recorder_.add(kind, second.inst, at(second.block), second.thread / warp_size,
                          second.thread % warp_size, {array, index, a.width}, first.inst,
                          of_read_only || of_copy ? 4
                          : one_value             ? 0
                          : only_decides          ? 0
                          : same_warp             ? 1
                          : same_block            ? 2
                          : seldom_shows          ? 3
                                                  : 4);
  if (f == nullptr) return;
  const auto op_of = [&](std::uint32_t inst) -> const MemoryOp& {
    return kernel_.memory_ops[kernel_.code[inst].extra];
  };
  // nvcc stores a float constant by st.u32.
  const auto cell_of = [&](const CellAccess& access) {
    const ptx::ScalarType type = op_of(access.inst).cell;
    const bool bits = type == ptx::ScalarType::u32 || type == ptx::ScalarType::b32;
    return bits && allocation != nullptr && allocation->floats ? ptx::ScalarType::f32 : type;
  };
  f->at.value = written(second, cell_of(second));
  f->other = recorder_.party(first.inst, at(first.block), first.thread / warp_size,
                             first.thread % warp_size);
  f->other->value = written(first, cell_of(first));
  f->severity = race.same_value || one_value   ? Severity::note
                : seldom_shows || only_decides ? Severity::warning
                                               : Severity::error;
  const std::string_view missing = same_warp               ? "__syncwarp"
                                   : same_block            ? "barrier"
                                   : allocation == nullptr ? "barrier of the cluster"
                                                           : "device-scope release and acquire";
  const auto from = short_name(recorder_.where(first.inst)),
             to = short_name(recorder_.where(second.inst));
  const auto colon = from.find(':');
  const bool same_file = colon != from.npos && from.substr(0, colon) == to.substr(0, to.find(':'));
  const auto there = same_file ? to.substr(colon) : to;
  if (of_read_only) {
    f->detail = fmt::format(
        "nothing orders the {} at {} and the read-only load (ld.global.nc: __ldg, const "
        "__restrict__) at {}, no barrier and not the order within a thread: what the launch writes "
        "has to be read by a plain load",
        verb(first.kind), from, there);
    return;
  }
  if (first.by_launch || second.by_launch) {
    const auto who = [](const CellAccess& access) {
      return access.by_launch ? " of the kernel launched" : "";
    };
    f->detail = fmt::format("nothing orders the {}{} at {} and the {}{} at {}", verb(first.kind),
                            who(first), from, verb(second.kind), who(second), there);
    return;
  }
  const auto asynchronous = [&](const CellAccess& access) {
    const auto bulk = op_of(access.inst).bulk;
    return bulk != 0 && kernel_.bulk_ops[bulk - 1].product ? "wgmma" : "asynchronous copy";
  };
  if (race.proxies) {
    const bool of_map = race.later.proxy == Proxy::maps;
    f->detail = fmt::format(
        "the {} at {} comes before the {} at {}, which goes through another proxy: "
        "missing is a fence.proxy.{} between the two, {}",
        verb(race.earlier.kind), swap ? to : from, asynchronous(race.later), swap ? from : to,
        of_map ? "tensormap::generic.acquire" : "async",
        of_map ? "by who copies" : "best before the barrier");
    return;
  }
  if (first.by_copy && second.by_copy) {
    const auto what = asynchronous(first), other = asynchronous(second);
    f->detail =
        what == other
            ? fmt::format("no wait orders the asynchronous copies at {} and at {}", from, there)
            : fmt::format("no wait orders the {} at {} and the {} at {}", what, from, other, there);
    return;
  }
  if (of_copy) {
    const auto& [copy, other] = first.by_copy ? std::tie(first, second) : std::tie(second, first);
    f->detail = fmt::format(
        "no wait for the {} at {} orders its {} and the {} at {}; until then it may "
        "be made at any time",
        asynchronous(copy), first.by_copy ? from : to, verb(copy.kind), verb(other.kind),
        !first.by_copy ? from
        : same_file    ? there
                       : to);
    return;
  }
  if (same_warp && kind == FindingKind::race_write_write && first.inst == second.inst) {
    f->detail =
        fmt::format("nothing orders the writes of two lanes at {}: either value may stay", from);
    return;
  }
  f->detail = fmt::format("no {} orders the {} at {} and the {} at {}", missing, verb(first.kind),
                          from, verb(second.kind), there);
  if (one_value) {
    f->detail += "; all write one value, and who reads it has written it before";
    return;
  }
  if (only_decides) {
    f->detail +=
        "; to PTX volatile accesses are relaxed atomics, and what is read here only decides a "
        "branch, but to C++ they race: cuda::atomic_ref says what is meant";
    return;
  }
  if (race.same_value) {
    f->detail += "; both write one value";
  } else if (first.strong && second.strong) {
    f->detail += not_atomic(first, op_of(first.inst).atom(), second, op_of(second.inst).atom());
  }
  const bool of_cluster = allocation == nullptr && !same_block;
  if (!same_warp && !race.same_value && !of_cluster)
    f->detail += missing_half(race, races_->lacks(race), same_block);
}

}  // namespace gauntlet::simt
