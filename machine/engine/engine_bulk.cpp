// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bulk copies and reductions (PTX ISA 9.0, 9.7.9.25.4). As with any asynchronous copy the
// destination is written twice (engine_copies.cpp). The bytes count at the mbarrier at once, and
// the content is there when its phase ends; or when the thread waits for the group. What nobody has
// waited for when the block ends is told, where shared memory ends with it.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/races/access_map.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/tensor_map.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t alignment = 16, tile_alignment = 128;
const MemoryOp word_of_any;

}  // namespace

void Engine::tell_bulk(Access& a, std::uint32_t lane, const Stretch& at, CopyStep how,
                       std::uint32_t number) {
  const std::uint32_t mask = 1U << lane;
  const bool global = at.shared == nullptr;
  if (watching() && how != CopyStep::none) {
    watch(a, global ? at.region : *at.shared, mask, at.array, false, how, number);
  }
  if (!global || how != CopyStep::begins) return;
  if (accesses_ != nullptr) accesses_->note(*at.array, a.op, a.address, a.width, mask);
  if (overlaps_) note_for_order(a, *at.array, mask);
}

void Engine::bulk(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, std::uint32_t mask) {
  if (op.what == MemoryOp::What::load) return;  // the store behind it does both
  const BulkOp& of = kernel_.bulk_ops[op.bulk - 1];
  if (w.poison_live) {
    const auto defined = [&](Operand o) {
      const std::uint32_t undefined = w.poison[o.id] & mask;
      if (undefined != 0) {
        report_poison(FindingKind::poison_address, b, w, inst, undefined, o);
      }
      mask &= ~undefined;
    };
    for (const Operand& o : of.coordinates) defined(o);
    for (const Operand& o : of.offsets) defined(o);
    for (const Operand& o : {op.address, of.barrier.address, of.bytes, of.blocks}) defined(o);
    if (!op.sent) defined(kernel_.memory_ops[kernel_.code[inst - 1].extra].address);
  }
  for (const unsigned l : lanes_of(mask)) {
    if (op.sent)
      send(b, w, inst, op, of, l);
    else
      begin_bulk(b, w, inst, op, of, l);
  }
}

void Engine::take_content(Access& a, std::uint32_t lane, Block* from, const TensorMap* map,
                          BulkCopy& copy) {
  std::uint32_t at = 0;
  for (const BulkPiece& piece : copy.pieces) {
    auto* const bytes = copy.content.data() + at;
    auto* const state = copy.state.data() + at;
    if (piece.outside) {
      const bool nan = map != nullptr && map->nan_outside != 0;
      const std::uint32_t size = map != nullptr ? size_of(map->number) : 1;
      std::memset(bytes, nan ? 0xFF : 0, piece.bytes);
      for (std::uint32_t k = size - 1; nan && k < piece.bytes; k += size)
        bytes[k] = std::byte{0x7F};
      std::memset(state, ByteState::initialised, piece.bytes);
    } else {
      a.address[lane] = piece.source;
      a.width = piece.bytes;
      if (const auto source = stretch(a, lane, from)) {
        const auto offset = piece.source - source->region.base;
        std::memcpy(bytes, source->region.data + offset, piece.bytes);
        std::memcpy(state, source->region.state + offset, piece.bytes);
        MemoryOp word = a.op;
        word.size = static_cast<std::uint8_t>(std::min(4U, piece.bytes & (~piece.bytes + 1)));
        Access words{a.block, a.warp, a.inst, word, word.size, {}};
        words.address[lane] = piece.source;
        for (std::uint32_t k = 0; k < piece.bytes; k += word.size) {
          if (all_defined(state + k, word.size)) continue;
          copy.origins.emplace_back(
              at + k, uninitialised_origin(words, source->region, lane,
                                           source->shared != nullptr ? nullptr : source->array, k));
        }
        tell_bulk(a, lane, *source, CopyStep::begins, 0);
      } else {
        const auto fault = origins_.add(Origin::What::fault, a.inst, a.warp, lane);
        for (std::uint32_t k = 0; k < piece.bytes; k += 4) copy.origins.emplace_back(at + k, fault);
      }
    }
    at += piece.bytes;
  }
}

void Engine::put_content(const BulkCopy& copy, Access& a, CopyStep how) {
  const bool ends = how != CopyStep::begins;
  const std::uint32_t lane = copy.lane;
  const std::uint32_t pending =
      ends || !config_.checks ? 0 : origins_.add(Origin::What::copy_pending, a.inst, a.warp, lane);
  std::uint32_t at = 0;
  for (const BulkPiece& piece : copy.pieces) {
    const std::uint32_t first = std::exchange(at, at + piece.bytes);
    a.address[lane] = piece.destination;
    a.width = piece.bytes;
    const auto to = stretch(a, lane, copy.to, !ends);
    if (!to) continue;
    const Allocation* const array = to->shared != nullptr ? nullptr : to->array;
    const auto offset = piece.destination - to->region.base;
    auto* const state = to->region.state + offset;
    if (to->region.defined != nullptr) to->region.defined->forget(offset, piece.bytes);
    if (a.op.what == MemoryOp::What::reduction) {
      if (!ends) reduce_bulk(a, copy, first, piece.bytes, to->region.data + offset, state);
    } else {
      std::memcpy(to->region.data + offset, copy.content.data() + first, piece.bytes);
      const bool defined = ends || !config_.checks;
      if (defined)
        std::memcpy(state, copy.state.data() + first, piece.bytes);
      else
        std::memset(state, ByteState::uninitialised, piece.bytes);
      const Access word{a.block, a.warp, a.inst, word_of_any, word_of_any.size, {}};
      const auto note = [&](std::uint32_t k, std::uint32_t origin) {
        note_origin(word, to->region, (offset + k) / 4 * 4, origin, array);
      };
      for (std::uint32_t k = 0; !defined && k < piece.bytes; k += 4) note(k, pending);
      for (const auto& [k, origin] : copy.origins) {
        if (defined && k - first < piece.bytes) note(k - first, origin);
      }
    }
    tell_bulk(a, lane, *to, how, copy.number);
  }
}

void Engine::reduce_bulk(const Access& a, const BulkCopy& copy, std::uint32_t first,
                         std::uint32_t bytes, std::byte* to, std::uint8_t* state) {
  const unsigned size = a.op.size;
  for (std::uint32_t k = 0; k + size <= bytes; k += size) {
    std::uint64_t old = 0, x = 0;
    std::memcpy(&old, to + k, size);
    std::memcpy(&x, copy.content.data() + first + k, size);
    const std::uint64_t next = updated(a.op, old, x);
    std::memcpy(to + k, &next, size);
    for (unsigned byte = 0; byte < size; ++byte) {
      state[k + byte] = std::min(state[k + byte], copy.state[first + k + byte]);
    }
  }
}

void Engine::begin_bulk(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op, const BulkOp& of,
                        std::uint32_t lane) {
  const MemoryOp& load = kernel_.memory_ops[kernel_.code[inst - 1].extra];
  Access from{b, w, inst - 1, load, 0, {}};
  MemoryOp into = op;
  Access to{b, w, inst, into, 0, {}};
  from.address[lane] = address_of(w, load, lane);
  to.address[lane] = address_of(w, op, lane);
  BulkCopy copy;
  copy.block = &b;
  copy.warp = w.index;
  copy.lane = lane;
  copy.inst = inst;
  Access& shared = of.to_shared ? to : from;
  Block* const of_shared = clusters_.block_at_address(b, shared.address[lane]);
  Block* const of_source = of.from_shared && of.to_shared
                               ? clusters_.block_at_address(b, from.address[lane])
                               : of_shared;
  if (of_shared == nullptr || of_source == nullptr) {
    fault(to, FindingKind::unallocated, lane, {}, 0,
          "the cluster has no block of that rank, or it has ended");
    return;
  }
  if (of.to_shared) copy.to = of_shared;
  const auto aligned = [&](Access& a, std::uint64_t x, std::uint64_t to_what,
                           std::string_view what) {
    if (x % to_what == 0) return true;
    fault(a, FindingKind::misaligned, lane, {}, 0,
          fmt::format("the {} of a bulk copy, {}, is not a multiple of {}", what,
                      what == "size" ? fmt::format("{}", x) : fmt::format("address 0x{:x}", x),
                      to_what));
    return false;
  };
  std::optional<TensorMap> map;
  if (of.dimensions == 0) {
    const std::uint32_t bytes = w.source<std::uint32_t>(of.bytes)[lane];
    if (!aligned(to, to.address[lane], alignment, "destination") ||
        !aligned(from, from.address[lane], alignment, "source") ||
        !aligned(to, bytes, alignment, "size")) {
      return;
    }
    if (bytes != 0) copy.pieces.push_back({from.address[lane], to.address[lane], bytes, false});
  } else {
    map = tensor_map(of.to_shared ? from : to, lane);
    if (!map || !aligned(shared, shared.address[lane], tile_alignment,
                         of.to_shared ? "destination" : "source")) {
      return;
    }
    into.cell = map->number;
    into.size = static_cast<std::uint8_t>(size_of(map->number));
    if (!pieces_of_tensor(shared, lane, of, *map, shared.address[lane], copy)) return;
  }
  std::size_t bytes = 0;
  for (const BulkPiece& piece : copy.pieces) bytes += piece.bytes;
  copy.content.resize(bytes, std::byte{0xDB});
  copy.state.resize(bytes, ByteState::uninitialised);
  take_content(from, lane, of.from_shared ? of_source : nullptr, map ? &*map : nullptr, copy);

  std::uint64_t barrier = of.by_mbarrier ? address_of(w, of.barrier, lane) : 0;
  Block* barrier_of = of.by_mbarrier ? clusters_.block_at_address(b, barrier) : nullptr;
  if (of.multicast) {
    const std::uint32_t ranks = w.source<std::uint32_t>(of.blocks)[lane] & 0xFFFF;
    const auto& blocks = clusters_.around(b).blocks;
    for (const unsigned rank : lanes_of(ranks)) {
      Block* const one = rank < blocks.size() ? blocks[rank] : nullptr;
      if (one == nullptr || one->exited_threads == one->threads) {
        fault(to, FindingKind::unallocated, lane, {}, 0,
              fmt::format("the cluster has no block of rank {}, or it has ended", rank));
        continue;
      }
      copy.to = one;
      put_bulk(copy, to, one, barrier, bytes);
      copy.read = true;  // the source is told of once
    }
    return;
  }
  if (of.by_mbarrier && barrier_of == nullptr) {
    fault(to, FindingKind::unallocated, lane, {}, 0,
          "the cluster has no block of that rank, or it has ended");
    return;
  }
  put_bulk(std::move(copy), to, barrier_of, barrier, bytes);
}

void Engine::put_bulk(BulkCopy copy, Access& to, Block* barrier_of, std::uint64_t barrier,
                      std::size_t bytes) {
  copy.barrier_of = barrier_of;
  copy.barrier = barrier;
  put_content(copy, to, CopyStep::begins);
  if (barrier_of == nullptr) {
    bulk_copies_.push_back(std::move(copy));
    return;
  }
  const MemoryOp& op = kernel_.bulk_ops[to.op.bulk - 1].barrier;
  Access at{to.block, to.warp, to.inst, op, op.size, {}};
  at.address[copy.lane] = barrier;
  for (const Region& region : barrier_of->shared) {
    const auto offset = barrier - region.base;
    if (region.bytes < op.size || offset > region.bytes - op.size) continue;
    if (region.state[offset] == ByteState::unmapped) break;
    std::uint64_t word = 0;
    std::memcpy(&word, region.data + offset, sizeof word);
    MemoryOp arrives = op;
    arrives.what = MemoryOp::What::atomic;
    arrives.atomic = AtomicOp::expect;
    Access arrival{to.block, to.warp, to.inst, arrives, op.size, {}};
    arrival.address[copy.lane] = barrier;
    tell_no_mbarrier(arrival, region, copy.lane, word);
    const mbarrier::Brought come{0, -static_cast<std::int64_t>(bytes)};
    tell_arrivals(arrival, copy.lane, word, mbarrier::operand_of(come));
    if (races_ != nullptr) {
      copy.number =
          races_->track_bulk(to.block, mbarrier_variable(barrier_of->linear, barrier, word, true),
                             *barrier_of, barrier);
    }
    const std::uint64_t next = mbarrier::after(word, come);
    std::memcpy(region.data + offset, &next, sizeof next);
    bulk_copies_.push_back(std::move(copy));
    if (mbarrier::phase(next) != mbarrier::phase(word)) end_tracked_copies(*barrier_of, barrier);
    return;
  }
  shared_fault(at, copy.lane);
}

std::uint64_t Engine::mbarrier_variable(std::uint64_t block, std::uint64_t address,
                                        std::uint64_t word, bool arrives) const {
  return (kernel_.uses_cluster ? variable_of_block(block) : 0) |
         (arrives ? mbarrier::arrival_variable(address, word)
                  : mbarrier::wait_variable(address, word));
}

void Engine::end_bulk(BulkCopy& copy, bool destination, CopyStep how) {
  Block& b = *copy.block;
  const auto access = [&](std::uint32_t inst) {
    const MemoryOp& op = kernel_.memory_ops[kernel_.code[inst].extra];
    return Access{b, b.warps[copy.warp], inst, op, 0, {}};
  };
  Access to = access(copy.inst), from = access(to.op.sent ? copy.inst : copy.inst - 1);
  Block* const source = kernel_.bulk_ops[to.op.bulk - 1].from_shared ? &b : nullptr;
  for (const BulkPiece& piece : copy.pieces) {
    if (copy.read || piece.outside) continue;
    from.address[copy.lane] = piece.source;
    from.width = piece.bytes;
    if (const auto at = stretch(from, copy.lane, source, false)) {
      tell_bulk(from, copy.lane, *at, how, copy.number);
    }
  }
  copy.read = true;
  if (destination) put_content(copy, to, how);
}

void Engine::end_bulk_group(const Block& b, const Warp& w, CopyGroup what, std::uint32_t left,
                            std::uint32_t mask) {
  std::erase_if(bulk_copies_, [&](BulkCopy& copy) {
    if (copy.block != &b || copy.warp != w.index || (mask >> copy.lane & 1) == 0) return false;
    if (copy.barrier_of != nullptr) return false;
    const std::uint32_t committed = w.bulk_groups[copy.lane];
    if (what == CopyGroup::bulk_commit) {
      if (copy.group == 0) copy.group = committed;
      return false;
    }
    const bool waited = copy.group != 0 && std::uint64_t{copy.group} + left <= committed;
    if (!waited) return false;
    const bool all = what == CopyGroup::bulk_wait;
    end_bulk(copy, all, CopyStep::waited);
    return all;
  });
}

void Engine::end_bulk_at(const Block& of, std::uint64_t barrier) {
  // What ends here may make nothing else end.
  std::erase_if(bulk_copies_, [&](BulkCopy& copy) {
    if (copy.barrier_of != &of || copy.barrier != barrier) return false;
    end_bulk(copy, true, CopyStep::landed);
    return true;
  });
}

void Engine::end_bulk_of(const Block& b) {
  std::erase_if(bulk_copies_, [&](BulkCopy& copy) {
    if (copy.block != &b && copy.to != &b && copy.barrier_of != &b) return false;
    const MemoryOp& op = kernel_.memory_ops[kernel_.code[copy.inst].extra];
    const bool reads = kernel_.bulk_ops[op.bulk - 1].from_shared && !copy.read;
    if ((copy.to != nullptr || reads) && !copy.pieces.empty()) {
      Block& of = *copy.block;
      MemoryOp shared;
      shared.space = MemorySpace::shared;
      Access named{of, of.warps[copy.warp], copy.inst, shared, 4, {}};
      named.address[copy.lane] =
          copy.to != nullptr ? copy.pieces[0].destination : copy.pieces[0].source;
      std::string array;
      std::int64_t index = 0;
      element_of(named, copy.lane, nullptr, array, index);
      fault(named, FindingKind::use_after_free, copy.lane, array, index,
            copy.to != nullptr
                ? "the block ends, and with it the shared memory that the copy writes: nobody has "
                  "waited for the phase of its mbarrier"
                : "the block ends, and with it the shared memory that the copy reads: missing is "
                  "cp.async.bulk.wait_group.read");
    }
    end_bulk(copy, copy.to == nullptr, CopyStep::none);
    return true;
  });
}

}  // namespace gauntlet::simt
