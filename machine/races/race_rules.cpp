// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Unordered pairs that are no race: atomics of C++, and flags with who waits for them. Values that
// are equal to no other, and words whose value is the same in every order.
//
// Strong accesses whose scopes include both threads and that overlap completely are no race where
// neither is volatile: they are atomics of C++ (morally strong, PTX ISA 9.0, 8.7.1). To PTX the
// same goes for volatile ones. Here they do race, since most volatile accesses are a computation
// without its barriers, unless one is a flag: a strong write behind a release (the thread has not
// read the cell since) and a load that is made to wait for it. That is one whose value decides
// whether its loop is left; or one outside the warp whose value decides a branch that begins with
// an acquiring fence, and then only the first strong write behind the release. For the former an
// atomic need not publish anything: its word may be all that is waited for. The others are found; a
// pair is told as a warning where the value that is read goes nowhere but to branches, as that of a
// flag to stop: no barrier is missed there, and a race on what it was to publish is told by itself.
//
// Two rules are kinder than the letter of the PTX memory model, since published kernels rely on
// them and hardware keeps them:
//   what a thread has fenced, or what its strong read has brought, goes through a barrier to all
//   who take part (every thread fences, then a barrier, then thread 0 takes the ticket); a volatile
//   read needs no acquire fence after the strong read that saw the release, since it bypasses the
//   caches that the fence would invalidate (the last block of threadFenceReduction).
#include <algorithm>
#include <cstring>
#include <memory>

#include "machine/races/race.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {

bool RaceDetector::needs_exact(const Kernel& kernel) {
  // Of copies that nobody waits for, too, those of one thread are told from those of several.
  const auto needs = [](const MemoryOp& op) {
    return op.order >= Order::acquire || op.async || op.bulk != 0 || op.by_launched;
  };
  if (kernel.uses_cluster) return true;
  if (std::any_of(kernel.memory_ops.begin(), kernel.memory_ops.end(), needs)) return true;
  for (const auto& b : kernel.barrier_ops) {
    if (b.has_count || b.what == BarrierOp::What::arrive) return true;
  }
  for (const auto& i : kernel.code) {
    if (i.kind == Kind::fence || i.kind == Kind::copy_group) return true;
    if (i.kind != Kind::warp_sync) continue;
    const auto& w = kernel.warp_ops[i.extra];
    if (w.what != WarpOp::What::sync) continue;
    if ((w.mask.offset & Operand::constant_bit) == 0) return true;
    std::uint32_t mask = 0;
    std::memcpy(&mask, &kernel.pool[w.mask.offset & ~Operand::constant_bit], 4);
    if (mask != all_lanes) return true;
  }
  return false;
}

/// Both are of one element size, and begin at one element (PTX ISA 9.0, 8.7.1; a vector, or packed
/// pair, is as many scalar accesses as it has elements, 8.2.2-3).
bool RaceDetector::overlap_completely(const CellAccess& e, const CellAccess& a) const {
  if (e.by_launch || a.by_launch) return e.begin == a.begin && e.bytes == a.bytes;
  const auto size = static_cast<int>(op_of(a).atom());
  return static_cast<int>(op_of(e).atom()) == size && (e.begin - a.begin) % size == 0;
}

/// A volatile pair of which one publishes, or is itself what is waited for, and the other one is
/// made to wait for it.
bool RaceDetector::is_flag(const CellAccess& writer, const CellAccess& waiter) const {
  using Decides = MemoryOp::Decides;
  const bool same_block = writer.block == waiter.block;
  const auto& wait = op_of(waiter);
  // What is waited for is the word itself (a decoupled look-back's partial sum with its status).
  if (wait.decides == Decides::arrival) return true;
  // An atomic of a word that is polled: a status that is exchanged, with nothing else behind it.
  if (wait.decides == Decides::loop && writer.kind == AccessKind::atomic) return true;
  if (!writer.released || (!same_block && !writer.released_widely)) return false;
  const auto order = op_of(writer).order;
  if (order == Order::release || order >= Order::acq_rel) return true;
  if (wait.decides == Decides::loop) return true;
  const bool acquires = wait.decides == Decides::acquire || wait.order == Order::acquire ||
                        wait.order >= Order::acq_rel;
  const bool same_warp = same_block && writer.thread / warp_size == waiter.thread / warp_size;
  return acquires && writer.first && !same_warp;
}

/// Two strong accesses are morally strong: no scope leaves one of them out, and they overlap
/// completely.
bool RaceDetector::morally_strong(const CellAccess& e, const CellAccess& a, bool same_block) const {
  return (same_block || (!e.narrow && !a.narrow)) && overlap_completely(e, a);
}

bool RaceDetector::only_decides(const CellAccess& e, const CellAccess& a) const {
  const bool one_reads = (e.kind == AccessKind::read) != (a.kind == AccessKind::read);
  return one_reads && e.strong && a.strong && morally_strong(e, a, e.block == a.block) &&
         op_of(e.kind == AccessKind::read ? e : a).only_branches;
}

/// Two strong accesses, one of them a write or atomic, that are no race although nothing orders
/// them.
bool RaceDetector::excused(const CellAccess& e, const CellAccess& a, bool same_block) const {
  if (!morally_strong(e, a, same_block)) return false;
  if (!e.is_volatile && !a.is_volatile) return true;
  // A flag is made to be polled, not to be written by two.
  if (e.kind == AccessKind::write && a.kind == AccessKind::write) return false;
  return (e.kind != AccessKind::read && is_flag(e, a)) ||
         (a.kind != AccessKind::read && is_flag(a, e));
}

/// True where no access of the crowd can race with `a`, whoever made it.
bool RaceDetector::all_excused(const Crowd& crowd, const CellAccess& a) const {
  const CellAccess& e = crowd.all[0];
  if (e.kind == AccessKind::read && a.kind == AccessKind::read) return true;
  return e.strong && a.strong && !e.is_volatile && !a.is_volatile &&
         morally_strong(e, a, crowd.one_block && e.block == a.block);
}

/// What is known of a cell of shared memory, since the last barrier of its block, once this access
/// has come to it; nullptr: nothing. Who reads the one value that is written, and has written it
/// before, reads it in whatever order the others write.
const races::OneValue* RaceDetector::one_value(Cell& cell, const CellAccess& a, CopyStep copy) {
  const bool writes = a.kind != AccessKind::read;
  races::OneValue* known = cell.more == nullptr ? nullptr : cell.more->one_value.get();
  if (known == nullptr || known->epoch != a.clock.block_epoch) {
    // It begins with the second thread that writes, and the first one's accesses alone before that.
    const std::span<const CellAccess> all = cell.accesses();
    if (!writes || all.empty()) return nullptr;
    const CellAccess& first = all[0];
    if (first.thread == a.thread) return nullptr;
    if (first.kind == AccessKind::read || first.value != a.value) return nullptr;
    races::OneValue begun;
    begun.epoch = a.clock.block_epoch;
    begun.holds = true;
    begun.bytes = a.bytes;
    begun.value = a.value;
    begun.writers.set(first.thread);
    const auto of_first = [&](const CellAccess& e) {
      return e.who == CellAccess::Who::one && e.thread == first.thread && !e.by_copy &&
             e.clock.block_epoch == begun.epoch &&
             (e.kind == AccessKind::read || (!e.replaced && begun.is_written_by(e)));
    };
    if (!begun.is_written_by(a) || !std::ranges::all_of(all, of_first) || cell.crowded) {
      return nullptr;
    }
    if (cell.more == nullptr) cell.more = cell.room().make<races::Overflow>(cell.room());
    cell.more->one_value = cell.room().make<races::OneValue>(begun);
    known = cell.more->one_value.get();
  }
  if (known->holds && (a.bytes & known->bytes) != 0) {
    known->holds = copy == CopyStep::none &&
                   (writes ? known->is_written_by(a) : known->writers.test(a.thread));
    if (writes) known->writers.set(a.thread);
  }
  return known->holds ? known : nullptr;
}

}  // namespace gauntlet::simt
