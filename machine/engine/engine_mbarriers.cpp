// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said of mbarriers that are used as PTX forbids it (PTX ISA 9.0, 9.7.13.15): one that was
// never made, arrivals that nobody waits for, and other operations on the word of one.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

#include "machine/engine/engine.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {

void Engine::tell_no_mbarrier(const Access& a, const Region& r, std::uint32_t lane,
                              std::uint64_t word) {
  const bool waits = a.op.what == MemoryOp::What::load;
  const bool made = undefined_in_memory(r.state + (a.address[lane] - r.base), a.op.size) == 0;
  if (made ? (word & mbarrier::valid) != 0 : waits) return;  // a wait's result is undefined, too
  if (auto* f = recorder_.add(FindingKind::poison_mask, a.inst, coordinates(a.block), a.warp.index,
                              lane)) {
    f->detail = fmt::format(
        "{} an mbarrier that {}", waits ? "waits for" : "arrives at",
        made ? "mbarrier.inval has ended: it is to be made anew" : "no mbarrier.init has made");
  }
}

void Engine::tell_arrivals(const Access& a, std::uint32_t lane, std::uint64_t word,
                           std::uint64_t operand) {
  const auto [count, bytes] = mbarrier::brought(operand);
  const auto left = mbarrier::pending(word);
  if ((word & mbarrier::valid) == 0) return;
  constexpr auto most = static_cast<std::int64_t>(mbarrier::most);
  if (const auto all = mbarrier::bytes(word) + bytes; all > most || all < -most) {
    if (auto* f = recorder_.add(FindingKind::divergent_barrier, a.inst, coordinates(a.block),
                                a.warp.index, lane)) {
      f->detail = fmt::format("the mbarrier would wait for {} bytes: {} are the most", all, most);
    }
  }
  if (a.op.atomic == AtomicOp::expect || (count != 0 && count <= left)) return;
  if (auto* f = recorder_.add(FindingKind::divergent_barrier, a.inst, coordinates(a.block),
                              a.warp.index, lane)) {
    f->detail =
        fmt::format("arrives {} times at an mbarrier whose phase waits for {} more", count, left);
  }
}

void Engine::make_mbarriers(const Access& a, const Region& r, std::uint32_t mask) {
  for (const int l : lanes_of(mask)) {
    const auto at = a.address[l] - r.base;
    if (undefined_in_memory(r.state + at, a.op.size) != 0) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, r.data + at, sizeof word);
    if ((word & mbarrier::valid) == 0) continue;  // mbarrier.inval
    std::memset(r.state + at, ByteState::in_mbarrier, sizeof word);
    if (mbarrier::expected(word) != 0) continue;
    if (auto* f = recorder_.add(FindingKind::divergent_barrier, a.inst, coordinates(a.block),
                                a.warp.index, static_cast<std::uint32_t>(l))) {
      f->detail = fmt::format("makes an mbarrier that waits for 0 arrivals: 1 to {} are allowed",
                              mbarrier::most);
    }
  }
}

bool Engine::meets_mbarrier(const Access& a, const Region& r, std::uint32_t lane) {
  const std::span states(r.state + (a.address[lane] - r.base), a.width);
  if (std::ranges::find(states, ByteState::unmapped) != states.end()) return false;
  if (a.op.mbarrier || a.op.makes_mbarrier) return true;
  if (auto* f = recorder_.add(FindingKind::poison_mask, a.inst, coordinates(a.block), a.warp.index,
                              lane)) {
    f->detail = fmt::format(
        "{} the word of an mbarrier: between mbarrier.init and mbarrier.inval only operations on "
        "mbarriers may access it",
        a.op.what == MemoryOp::What::load    ? "reads"
        : a.op.what == MemoryOp::What::store ? "writes"
                                             : "updates");
  }
  return true;
}

}  // namespace gauntlet::simt
