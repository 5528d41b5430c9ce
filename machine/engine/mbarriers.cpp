// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/mbarriers.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {

void Mbarriers::tell_absent(const Access& a, const Region& r, std::uint32_t lane,
                            std::uint64_t word) {
  const bool waits = a.op.what == MemoryOp::What::load;
  const bool made = undefined_in_memory(r.state + (a.address[lane] - r.base), a.op.size) == 0;
  if (made ? (word & mbarrier::valid) != 0 : waits) return;  // a wait's result is undefined, too
  reports_.tell(
      FindingKind::poison_mask, a, lane, "{} an mbarrier that {}",
      waits ? "waits for" : "arrives at",
      made ? "mbarrier.inval has ended: it is to be made anew" : "no mbarrier.init has made");
}

void Mbarriers::tell_arrivals(const Access& a, std::uint32_t lane, std::uint64_t word,
                              std::uint64_t operand) {
  const auto [count, bytes] = mbarrier::brought(operand);
  const auto left = mbarrier::pending(word);
  if ((word & mbarrier::valid) == 0) return;
  constexpr auto most = static_cast<std::int64_t>(mbarrier::most);
  if (const auto all = mbarrier::bytes(word) + bytes; all > most || all < -most) {
    reports_.tell(FindingKind::divergent_barrier, a, lane,
                  "the mbarrier would wait for {} bytes: {} are the most", all, most);
  }
  if (a.op.atomic == AtomicOp::expect || (count != 0 && count <= left)) return;
  reports_.tell(FindingKind::divergent_barrier, a, lane,
                "arrives {} times at an mbarrier whose phase waits for {} more", count, left);
}

void Mbarriers::make(const Access& a, const Region& r, std::uint32_t mask) {
  for (const unsigned l : lanes_of(mask)) {
    const auto at = a.address[l] - r.base;
    if (undefined_in_memory(r.state + at, a.op.size) != 0) continue;
    std::uint64_t word = 0;
    std::memcpy(&word, r.data + at, sizeof word);
    if ((word & mbarrier::valid) == 0) continue;  // mbarrier.inval
    std::memset(r.state + at, ByteState::in_mbarrier, sizeof word);
    if (mbarrier::expected(word) != 0) continue;
    reports_.tell(FindingKind::divergent_barrier, a, l,
                  "makes an mbarrier that waits for 0 arrivals: 1 to {} are allowed",
                  mbarrier::most);
  }
}

bool Mbarriers::meets(const Access& a, const Region& r, std::uint32_t lane) {
  const std::span states(r.state + (a.address[lane] - r.base), a.width);
  if (std::ranges::find(states, ByteState::unmapped) != states.end()) return false;
  if (a.op.mbarrier || a.op.makes_mbarrier) return true;
  reports_.tell(
      FindingKind::poison_mask, a, lane,
      "{} the word of an mbarrier: between mbarrier.init and mbarrier.inval only operations on "
      "mbarriers may access it",
      a.op.what == MemoryOp::What::load    ? "reads"
      : a.op.what == MemoryOp::What::store ? "writes"
                                           : "updates");
  return true;
}

std::uint64_t Mbarriers::variable(std::uint64_t block, std::uint64_t address, std::uint64_t word,
                                  bool arrives) const {
  return (kernel_.uses_cluster ? of_block(block) : 0) |
         (arrives ? mbarrier::arrival_variable(address, word)
                  : mbarrier::wait_variable(address, word));
}

const std::uint64_t* Mbarriers::variables_of(const Access& a, const Region& r, std::uint32_t mask,
                                             const Allocation* of) {
  const MemoryOp& op = a.op;
  if (!op.mbarrier && of == nullptr) return a.address;
  const bool waits = op.what == MemoryOp::What::load;
  if (op.mbarrier && !waits) return variables;
  // The addresses of one block are not those of another; under the address alone nobody publishes.
  const auto owner = of != nullptr ? static_cast<std::uint64_t>(of->index_base) : 0;
  const std::uint64_t block = of != nullptr ? of_block(owner) : 0;
  for (int l = 0; l < warp_size; ++l) others_[l] = a.address[l] | block;
  if (!op.mbarrier || op.unheeded) return others_;
  const auto* const parity = a.warp.source<std::uint32_t>(op.operand);
  const auto* const token = a.warp.source<std::uint64_t>(op.operand);
  const auto variable_for = [&](unsigned l) {
    std::uint64_t word = 0;
    std::memcpy(&word, r.data + (a.address[l] - r.base), sizeof word);
    const bool ended =
        op.by_parity ? mbarrier::parity_ended(word, parity[l]) : mbarrier::ended(word, token[l]);
    return ended ? variable(owner, a.address[l], word, false) : others_[l];
  };
  const auto one = static_cast<unsigned>(std::countr_zero(mask));
  const bool alike = warp_code_.same64(a.address, mask, a.address[one]) &&
                     (op.by_parity ? warp_code_.same32(parity, mask, parity[one])
                                   : warp_code_.same64(token, mask, token[one]));
  if (alike) {
    warp_code_.fill64(others_, all_lanes, variable_for(one));
  } else {
    for (const unsigned l : lanes_of(mask)) others_[l] = variable_for(l);
  }
  return others_;
}

}  // namespace gauntlet::simt
