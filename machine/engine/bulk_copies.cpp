// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/bulk_copies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "machine/engine/atomic_update.hpp"
#include "machine/engine/tensor_pieces.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/isa/mbarrier.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint32_t alignment = 16, tile_alignment = 128;

}  // namespace

void BulkCopies::access(const Executed& by, const MemoryOp& op) {
  if (op.what == MemoryOp::What::load) return;  // the store behind it does both
  const BulkOp& of = kernel_.bulk_ops[op.bulk - 1];
  std::uint32_t mask = by.mask;
  if (by.warp.poison_live) {
    const auto defined = [&](Operand o) {
      mask &= ~reports_.report_undefined(FindingKind::poison_address,
                                         {by.block, by.warp, by.inst, mask}, o);
    };
    for (const Operand& o : of.coordinates) defined(o);
    for (const Operand& o : of.offsets) defined(o);
    for (const Operand& o : {op.address, of.barrier.address, of.bytes, of.blocks}) defined(o);
    if (!op.sent) defined(kernel_.memory_ops[kernel_.code[by.inst - 1].extra].address);
  }
  for (const unsigned l : lanes_of(mask)) {
    if (op.sent)
      send(by, op, of, l);
    else
      begin(by, op, of, l);
  }
}

std::optional<TensorMap> BulkCopies::tensor_map(Access& a, std::uint32_t lane) {
  const auto address = a.address[lane];
  std::optional<TensorMap> map;
  const std::byte* from = nullptr;
  const Allocation* array = nullptr;
  if (address - param_window < window_bytes) {
    const auto at = address - param_window;
    if (at + TensorMap::bytes <= config_.params.size()) from = config_.params.data() + at;
  } else if (Allocation* const found = memory_.find(address);
             found != nullptr && !found->freed &&
             found->bytes - (address - found->base) >= TensorMap::bytes) {
    array = found;
    if (found->make_page) found->touch(address - found->base, TensorMap::bytes);
    from = found->data + (address - found->base);
  }
  if (array != nullptr && !told_map(a, lane)) return std::nullopt;
  if (from != nullptr) map = TensorMap::read(from);
  if (!map) {
    reports_.fault(a, FindingKind::unallocated, lane, {},
                   "there is no tensor map at address 0x{:x}: cuTensorMapEncodeTiled makes one",
                   address);
  }
  return map;
}

bool BulkCopies::told_map(const Access& by, std::uint32_t lane) {
  constexpr std::uint32_t width = 16;
  MemoryOp op;
  op.space = MemorySpace::global;
  op.count = width / op.size;
  op.of_map = true;
  Access a{by.block, by.warp, by.inst, op, width, {}};
  for (std::uint32_t k = 0; k < TensorMap::bytes; k += width) {
    a.address[lane] = by.address[lane] + k;
    const auto at = path_.stretch(a, lane, nullptr, true);
    if (!at) return false;
    if (!all_defined(at->region.state + (a.address[lane] - at->region.base), width)) {
      reports_.fault(a, FindingKind::poison_address, lane, {},
                     "of the tensor map at address 0x{:x} some bytes were never written",
                     by.address[lane]);
      return false;
    }
    path_.watch(a, at->region, 1U << lane, at->array, false, CopyStep::none, 0);
    path_.note(a, *at->array, 1U << lane);
  }
  return true;
}

void BulkCopies::take_content(Access& a, std::uint32_t lane, Block* from, const TensorMap* map,
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
      if (const auto source = path_.stretch(a, lane, from, true)) {
        const auto offset = piece.source - source->region.base;
        std::memcpy(bytes, source->region.data + offset, piece.bytes);
        std::memcpy(state, source->region.state + offset, piece.bytes);
        MemoryOp word = a.op;
        word.size = static_cast<std::uint8_t>(std::min(4U, piece.bytes & (~piece.bytes + 1)));
        Access words{a.block, a.warp, a.inst, word, word.size, {}};
        words.address[lane] = piece.source;
        for (std::uint32_t k = 0; k < piece.bytes; k += word.size) {
          if (all_defined(state + k, word.size)) continue;
          copy.origins.emplace_back(at + k,
                                    reports_.uninitialised_origin(
                                        words, source->region, lane,
                                        source->shared != nullptr ? nullptr : source->array, k));
        }
        path_.tell_bulk(a, lane, *source, CopyStep::begins, 0);
      } else {
        const auto fault = reports_.fault_origin(a.inst, a.warp, lane);
        for (std::uint32_t k = 0; k < piece.bytes; k += 4) copy.origins.emplace_back(at + k, fault);
      }
    }
    at += piece.bytes;
  }
}

void BulkCopies::put_content(const BulkCopy& copy, Access& a, CopyStep how) {
  const bool ends = how != CopyStep::begins;
  const std::uint32_t lane = copy.lane;
  const std::uint32_t pending =
      ends || !config_.checks
          ? 0
          : reports_.origins().add(Origin::What::copy_pending, a.inst, a.warp, lane);
  std::uint32_t at = 0;
  for (const BulkPiece& piece : copy.pieces) {
    const std::uint32_t first = std::exchange(at, at + piece.bytes);
    a.address[lane] = piece.destination;
    a.width = piece.bytes;
    const auto to = path_.stretch(a, lane, copy.to, !ends);
    if (!to) continue;
    const Allocation* const array = to->shared != nullptr ? nullptr : to->array;
    const auto offset = piece.destination - to->region.base;
    auto* const state = to->region.state + offset;
    if (to->region.defined != nullptr) to->region.defined->forget(offset, piece.bytes);
    if (a.op.what == MemoryOp::What::reduction) {
      if (!ends) reduce(a, copy, first, piece.bytes, to->region.data + offset, state);
    } else {
      std::memcpy(to->region.data + offset, copy.content.data() + first, piece.bytes);
      const bool defined = ends || !config_.checks;
      if (defined)
        std::memcpy(state, copy.state.data() + first, piece.bytes);
      else
        std::memset(state, ByteState::uninitialised, piece.bytes);
      const auto note = [&](std::uint32_t k, std::uint32_t origin) {
        reports_.keep_origin(to->region, offset + k, 1, origin, array);
      };
      for (std::uint32_t k = 0; !defined && k < piece.bytes; k += 4) note(k, pending);
      for (const auto& [k, origin] : copy.origins) {
        if (defined && k - first < piece.bytes) note(k - first, origin);
      }
    }
    path_.tell_bulk(a, lane, *to, how, copy.number);
  }
}

void BulkCopies::reduce(const Access& a, const BulkCopy& copy, std::uint32_t first,
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

void BulkCopies::begin(const Executed& by, const MemoryOp& op, const BulkOp& of,
                       std::uint32_t lane) {
  auto& [b, w, inst, mask] = by;
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
  const auto no_block = [&](std::string_view which) {
    reports_.fault(to, FindingKind::unallocated, lane, {},
                   "the cluster has no block of {}, or it has ended", which);
  };
  if (of_shared == nullptr || of_source == nullptr) return no_block("that rank");
  if (of.to_shared) copy.to = of_shared;
  const auto aligned = [&](Access& a, std::uint64_t x, std::uint64_t to_what,
                           std::string_view what) {
    if (x % to_what == 0) return true;
    reports_.fault(
        a, FindingKind::misaligned, lane, {}, "the {} of a bulk copy, {}, is not a multiple of {}",
        what, what == "size" ? fmt::format("{}", x) : fmt::format("address 0x{:x}", x), to_what);
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
    if (const std::string why =
            pieces_of_tensor(w, lane, of, *map, shared.address[lane], copy.pieces);
        !why.empty()) {
      reports_.fault(shared, FindingKind::illegal_instruction, lane, {}, "{}", why);
      return reports_.stop();
    }
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
        no_block(fmt::format("rank {}", rank));
        continue;
      }
      copy.to = one;
      put(copy, to, one, barrier, bytes);
      copy.read = true;  // the source is told of once
    }
    return;
  }
  if (of.by_mbarrier && barrier_of == nullptr) return no_block("that rank");
  put(std::move(copy), to, barrier_of, barrier, bytes);
}

void BulkCopies::put(BulkCopy copy, Access& to, Block* barrier_of, std::uint64_t barrier,
                     std::size_t bytes) {
  copy.barrier_of = barrier_of;
  copy.barrier = barrier;
  put_content(copy, to, CopyStep::begins);
  if (barrier_of == nullptr) {
    copies_.push_back(std::move(copy));
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
    mbarriers_.tell_absent(arrival, region, copy.lane, word);
    const mbarrier::Brought come{0, -static_cast<std::int64_t>(bytes)};
    mbarriers_.tell_arrivals(arrival, copy.lane, word, mbarrier::operand_of(come));
    if (RaceDetector* const races = races_; races != nullptr) {
      copy.number =
          races->track_bulk(to.block, mbarriers_.variable(barrier_of->linear, barrier, word, true),
                            *barrier_of, barrier);
    }
    const std::uint64_t next = mbarrier::after(word, come);
    std::memcpy(region.data + offset, &next, sizeof next);
    copies_.push_back(std::move(copy));
    if (mbarrier::phase(next) != mbarrier::phase(word)) path_.phase_ended(*barrier_of, barrier);
    return;
  }
  reports_.shared_fault(at, copy.lane);
}

void BulkCopies::end(BulkCopy& copy, bool destination, CopyStep how) {
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
    if (const auto at = path_.stretch(from, copy.lane, source, false)) {
      path_.tell_bulk(from, copy.lane, *at, how, copy.number);
    }
  }
  copy.read = true;
  if (destination) put_content(copy, to, how);
}

void BulkCopies::group(const Executed& by, CopyGroup what, std::uint32_t left) {
  Warp& w = by.warp;
  for (const unsigned l : lanes_of(what == CopyGroup::bulk_commit ? by.mask : 0)) {
    ++w.bulk_groups[l];
  }
  std::erase_if(copies_, [&](BulkCopy& copy) {
    if (copy.block != &by.block || copy.warp != w.index || (by.mask >> copy.lane & 1) == 0) {
      return false;
    }
    if (copy.barrier_of != nullptr) return false;
    const std::uint32_t committed = w.bulk_groups[copy.lane];
    if (what == CopyGroup::bulk_commit) {
      if (copy.group == 0) copy.group = committed;
      return false;
    }
    const bool waited = copy.group != 0 && std::uint64_t{copy.group} + left <= committed;
    if (!waited) return false;
    const bool all = what == CopyGroup::bulk_wait;
    end(copy, all, CopyStep::waited);
    return all;
  });
}

void BulkCopies::end_at(const Block& of, std::uint64_t barrier) {
  // What ends here may make nothing else end.
  std::erase_if(copies_, [&](BulkCopy& copy) {
    if (copy.barrier_of != &of || copy.barrier != barrier) return false;
    end(copy, true, CopyStep::landed);
    return true;
  });
}

void BulkCopies::end_of(const Block& b) {
  std::erase_if(copies_, [&](BulkCopy& copy) {
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
      reports_.fault(
          named, FindingKind::use_after_free, copy.lane,
          reports_.element_of(named, copy.lane, nullptr), "{}",
          copy.to != nullptr
              ? "the block ends, and with it the shared memory that the copy writes: nobody has "
                "waited for the phase of its mbarrier"
              : "the block ends, and with it the shared memory that the copy reads: missing is "
                "cp.async.bulk.wait_group.read");
    }
    end(copy, copy.to == nullptr, CopyStep::none);
    return true;
  });
}

}  // namespace gauntlet::simt
