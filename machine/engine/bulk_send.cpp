// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// st.async and red.async (PTX ISA 9.0, 9.7.9.12 and 9.7.13.7): a bulk copy of what the lane's
// registers hold to another block of the cluster, with the mbarrier there, by the generic proxy.
#include <cstring>
#include <utility>

#include "machine/engine/bulk_copies.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/undefined_bits.hpp"

namespace gauntlet::simt {

void BulkCopies::send(const Executed& by, const MemoryOp& op, const BulkOp& of,
                      std::uint32_t lane) {
  auto& [b, w, inst, mask] = by;
  Access to{b, w, inst, op, op.width(), {}};
  auto& address = to.address[lane] = address_of(w, op, lane);
  std::uint64_t barrier = address_of(w, of.barrier, lane);
  if (op.space == MemorySpace::generic) {
    if (address - shared_window >= window_bytes || barrier - shared_window >= window_bytes) {
      reports_.fault(
          to, FindingKind::unallocated, lane, {},
          "an asynchronous store or reduction, and its mbarrier, have to be in shared memory");
      return;
    }
    address -= shared_window;
    barrier -= shared_window;
  }
  Block *const target = clusters_.block_at_address(b, address), *const counts =
                                                                    clusters_.block_at_address(
                                                                        b, barrier);
  if (target == nullptr || counts == nullptr) {
    reports_.fault(to, FindingKind::unallocated, lane, {},
                   "the cluster has no block of that rank, or it has ended");
    return;
  }
  if (address % to.width != 0) {
    reports_.fault(to, FindingKind::misaligned, lane, {}, "address 0x{:x} is not a multiple of {}",
                   address, to.width);
    return;
  }
  if (target == &b || target != counts) {
    reports_.tell(FindingKind::divergent_barrier, by, lane, "{}",
                  target == &b
                      ? "sends to its own block: st.async and red.async are for another one of the "
                        "cluster"
                      : "sends to one block, and counts at an mbarrier of another: both have to be "
                        "in one");
  }
  BulkCopy copy;
  copy.block = &b;
  copy.warp = w.index;
  copy.lane = lane;
  copy.inst = inst;
  copy.to = target;
  copy.read = true;
  copy.pieces.push_back({0, address, to.width, true});
  copy.content.resize(to.width);
  copy.state.resize(to.width, ByteState::initialised);
  for (unsigned k = 0; k < op.count; ++k) {
    const Operand value = op.what == MemoryOp::What::store ? op.values[k] : op.operand;
    const std::size_t at = k * op.size;
    const auto* const from = op.size == 8
                                 ? static_cast<const void*>(w.source<std::uint64_t>(value) + lane)
                                 : w.source<std::uint32_t>(value) + lane;
    std::memcpy(copy.content.data() + at, from, op.size);
    const std::uint64_t undefined =
        w.poison_live ? undefined_bits(w, value, static_cast<int>(lane)) & bits_of(op.size) : 0;
    if (undefined == 0) continue;
    set_states(copy.state.data() + at, op.size, undefined);
    copy.origins.emplace_back(at, w.origin_of(value, static_cast<int>(lane)));
  }
  put(std::move(copy), to, counts, barrier, to.width);
}

}  // namespace gauntlet::simt
