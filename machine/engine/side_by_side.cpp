// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/side_by_side.hpp"

#include <algorithm>
#include <cstring>

#include "base/numbers.hpp"
#include "base/os/parallel_for.hpp"
#include "machine/engine/atomic_update.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/races/launch_order.hpp"
#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {
namespace {

bool is_atomic(const MemoryOp& op) {
  return op.what == MemoryOp::What::atomic || op.what == MemoryOp::What::reduction;
}
bool is_strong(const MemoryOp& op) { return op.is_volatile || op.order != Order::weak; }

/// By instruction: an atomic operation whose result no instruction reads.
std::vector<bool> unread_results(const Kernel& kernel) {
  std::vector<bool> read(kernel.poison_slots, false);
  for (const Meaning& meaning : kernel.meanings) {
    for (const std::uint32_t slot : meaning.reads) read[slot] = true;
  }
  std::vector<bool> unread(kernel.code.size(), false);
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    if (kernel.code[pc].kind != Kind::memory) continue;
    const MemoryOp& op = kernel.memory_ops[kernel.code[pc].extra];
    unread[pc] = is_atomic(op) && (!op.has_result || !read[op.values[0].id]);
  }
  return unread;
}

/// Of the instructions whose operations are deferred one, if all are like it and operate on
/// integers in a way in which order makes no difference.
std::optional<std::uint32_t> combining(const Kernel& kernel, const std::vector<bool>& unread) {
  using A = AtomicOp;
  using S = ptx::ScalarType;
  std::optional<std::uint32_t> like;
  for (std::uint32_t pc = 0; pc < kernel.code.size(); ++pc) {
    if (!unread[pc]) continue;
    const MemoryOp& op = kernel.memory_ops[kernel.code[pc].extra];
    if (op.space == MemorySpace::shared) continue;
    const bool commutes = op.atomic == A::add || op.atomic == A::min || op.atomic == A::max ||
                          op.atomic == A::and_ || op.atomic == A::or_ || op.atomic == A::xor_;
    const bool integer =
        op.cell == S::u32 || op.cell == S::s32 || op.cell == S::u64 || op.cell == S::s64;
    if (!commutes || !integer || op.mbarrier) return std::nullopt;
    if (!like) {
      like = pc;
      continue;
    }
    const MemoryOp& first = kernel.memory_ops[kernel.code[*like].extra];
    if (op.atomic != first.atomic || op.cell != first.cell) return std::nullopt;
  }
  return like;
}

/// False where an instruction is meant to tell blocks of each other, or has an effect outside of
/// arrays.
bool may_split(const Kernel& kernel) {
  if (!kernel.bulk_ops.empty()) return false;
  const std::vector<bool> unread = unread_results(kernel);
  for (std::size_t pc = 0; pc < kernel.code.size(); ++pc) {
    const Inst& i = kernel.code[pc];
    if (i.kind == Kind::system_call) return false;
    if (i.kind == Kind::fence && i.fence.scope != Scope::cta) return false;
    if (i.kind != Kind::memory) continue;
    const MemoryOp& op = kernel.memory_ops[i.extra];
    if (op.space != MemorySpace::global && op.space != MemorySpace::generic) continue;
    if (op.order >= Order::acquire || (is_atomic(op) && op.scope < Scope::gpu)) return false;
    if (op.space == MemorySpace::generic) continue;  // maybe of shared memory
    if (is_atomic(op) ? !unread[pc] : is_strong(op)) return false;
  }
  return true;
}

/// Whether blocks of the launch may be tried side by side.
bool splits(const Kernel& kernel, ModuleState& state, const LaunchConfig& config) {
  if (config.jobs < 2 || config.schedule != "lockstep" || config.scheduler != nullptr ||
      config.cooperative || config.record || config.log != nullptr || config.profile != nullptr ||
      config.shadow != nullptr || config.ordering != nullptr || config.launch_before ||
      config.grid.count() < 3) {
    return false;
  }
  const auto known = state.splits.find(kernel.name);
  if (known != state.splits.end()) return known->second;
  return state.splits[kernel.name] = may_split(kernel);
}

}  // namespace

Split::Split(const Kernel& kernel, MemoryLimit* limit)
    : unread(unread_results(kernel)), combines(combining(kernel, unread)), written(limit) {}

SideBySide::SideBySide(const Kernel& kernel, ModuleState& state, const LaunchConfig& config,
                       bool alone)
    : kernel_(kernel),
      state_(state),
      config_(config),
      possible_(!alone && splits(kernel, state, config)) {}

void SideBySide::fail() {
  if (joined())
    split_->failed = true;
  else
    possible_ = false;
}

void SideBySide::before(const MemoryOp& op, const Allocation& array, std::uint64_t offset,
                        std::uint64_t bytes) {
  if (is_strong(op)) fail();  // what it stores until the threads stop is undone, too
  if (joined() && op.what != MemoryOp::What::load) thread_->pages.keep(array, offset, bytes);
}

void SideBySide::before(const Access& a, const Allocation& array, std::uint32_t mask) {
  if (is_atomic(a.op)) return;  // see defer
  if (is_strong(a.op)) fail();  // what it stores until the threads stop is undone, too
  if (!joined() || a.op.what == MemoryOp::What::load) return;
  WrittenPages::Writer& pages = thread_->pages;
  std::uint64_t first = ~0ULL, last = 0;
  for (const unsigned l : lanes_of(mask)) {
    first = std::min(first, a.address[l] - array.base);
    last = std::max(last, a.address[l] - array.base);
  }
  if (last - first <= 2 * warp_size * a.width) {
    return pages.keep(array, first, last - first + a.width);
  }
  for (const unsigned l : lanes_of(mask)) pages.keep(array, a.address[l] - array.base, a.width);
}

bool SideBySide::pays(std::uint32_t done, std::uint32_t left, std::uint64_t spent) const {
  if (!possible_ || joined() || left < 2) return false;
  constexpr std::uint64_t many = 16, few = 1'000, part = 8;
  if (done == 0) {  // all of them, where even short ones make a long launch
    const auto warps = left * ceil_div(config_.block.count(), warp_size);
    return warps * kernel_.code.size() >= many * std::max(config_.alone, few);
  }
  // The first ones say how long the others are.
  return spent >= config_.alone / part && spent * left / done >= 2 * config_.alone;
}

void SideBySide::join(Split& split, Split::Thread& thread) {
  possible_ = true;
  split_ = &split;
  thread_ = &thread;
}

const Split::Piece* SideBySide::next_piece() {
  if (config_.memory != nullptr && config_.memory->full()) split_->failed = true;
  if (split_->failed) return nullptr;
  const std::uint32_t next = split_->next++;
  if (next >= split_->pieces.size()) return nullptr;
  return piece_ = &split_->pieces[next];
}

bool SideBySide::run(std::uint32_t first, std::uint32_t blocks, AccessMap& before,
                     Counters& counters, Origins& origins, const Help& help) {
  possible_ = false;
  const GlobalMemory& memory = state_.memory();
  for (std::size_t k = 0; k < memory.size(); ++k) {
    if (memory.at(k).make_page && !memory.at(k).freed) return false;  // pages are made one by one
  }
  std::vector<const Allocation*> made;
  for (const Allocation* wanted = nullptr;; made.push_back(wanted)) {
    if (run_once(first, blocks, before, counters, origins, help, wanted)) return true;
    if (wanted == nullptr) break;
    make_origins(*wanted);
  }
  for (const Allocation* const array : made) array->origin->clear();
  return false;
}

bool SideBySide::run_once(std::uint32_t first, std::uint32_t blocks, AccessMap& before,
                          Counters& counters, Origins& origins, const Help& help,
                          const Allocation*& wanted) {
  Split split(kernel_, config_.memory);
  const std::uint32_t threads = std::min(config_.jobs, blocks);
  // Ever smaller ones, so that all threads end at about the same time.
  for (std::uint32_t left = blocks; left != 0; left -= split.pieces.back().blocks) {
    split.pieces.push_back({first + blocks - left, std::max(1U, left / (4 * threads)), {}});
  }
  std::vector<AccessMap> accesses(threads), early(threads);
  std::vector<LaunchSteps> steps(threads);
  for (AccessMap& of_thread : accesses) of_thread.limit(config_.memory);
  for (AccessMap& of_thread : early) of_thread.limit(config_.memory);
  // Made here, where they end: the next launch finds what held their pages.
  split.threads.reserve(threads);
  for (std::uint32_t k = 0; k < threads; ++k) {
    split.threads.emplace_back(split.written, config_.memory);
  }
  os::parallel_for(threads, threads, [&](std::uint64_t k) {
    if (split.next >= split.pieces.size()) return true;  // others were quicker
    try {
      LaunchConfig config = config_;
      config.jobs = 1;
      config.accesses = &accesses[k];
      if (config.early_accesses != nullptr) config.early_accesses = &early[k];
      if (config.steps != nullptr) config.steps = &steps[k];
      help(config, split, split.threads[k]);
    } catch (...) {  // what it was comes again on one thread
      split.failed = true;
    }
    return true;
  });
  // Several detectors may want more room than the one of a single thread.
  const bool full = config_.memory != nullptr && config_.memory->full();
  const bool done = !full && independent(split, before, accesses, origins);
  if (config_.memory != nullptr) {
    for (const Split::Piece& piece : split.pieces) {
      config_.memory->give_back(piece.deferred.capacity() * sizeof(Split::Atomic));
    }
  }
  const bool interrupted = config_.interrupted != nullptr && *config_.interrupted;
  if (!done) {
    split.written.restore(accesses);
    if (full) config_.memory->reopen();
    wanted = full || interrupted ? nullptr : split.without_origins.load();
    if (wanted != nullptr) return false;
    if (!interrupted) {
      state_.splits[kernel_.name] = false;
      return false;
    }
  }
  // Nothing comes again where it was interrupted: how far the launch came is how far they came.
  for (const Split::Thread& thread : split.threads) counters += thread.counters;
  if (!done) return false;
  if (config_.accesses != nullptr) {
    for (AccessMap& of_thread : accesses) before.add(of_thread);
  }
  for (std::size_t k = 0; k < threads; ++k) {
    if (config_.early_accesses != nullptr) config_.early_accesses->add(early[k]);
    if (config_.steps != nullptr) config_.steps->add(steps[k]);
  }
  blocks_ = blocks;
  return true;
}

bool SideBySide::independent(Split& split, AccessMap& before, std::vector<AccessMap>& accesses,
                             Origins& origins) const {
  const bool deferred = std::ranges::any_of(
      split.pieces, [](const Split::Piece& piece) { return !piece.deferred.empty(); });
  if (split.failed || (deferred && split.turns) || !AccessMap::independent(before, accesses)) {
    return false;
  }
  std::vector<std::vector<Origin>> of_threads;
  for (Split::Thread& thread : split.threads) {
    if (split.turns && thread.origins.size() > origins.size()) return false;
    of_threads.push_back(std::move(thread.origins));
  }
  WrittenPages::Writer pages(split.written);
  for (const Split::Piece& piece : split.pieces) {
    for (const Split::Atomic& atomic : piece.deferred) {
      if (!perform(atomic, pages)) return false;
    }
  }
  for (const Split::Thread& thread : split.threads) {
    for (const CombinedAtomics::One& one : thread.combined.all()) {
      if (one.address != 0 && !perform({one.address, one.operand, 0, *split.combines}, pages)) {
        return false;
      }
    }
  }
  return origins.join(of_threads);
}

bool SideBySide::keeps_origin(const Allocation& array, std::uint64_t& at, std::uint64_t& bytes,
                              std::uint32_t origin) {
  if (array.origin->empty()) {
    split_->without_origins = &array;
    fail();
    return false;
  }
  // Other threads may load or store the rest of a word: what they find of its origin must not
  // depend on who comes first.
  constexpr std::uint64_t word = 4;
  const auto& words = *array.origin;
  const std::uint64_t end = at + bytes, first = round_up(at, word);
  const std::uint64_t last = end == array.bytes ? end : end / word * word;
  if ((first != at && words[at / word] != origin) || (last < end && words[last / word] != origin)) {
    fail();
    return false;
  }
  at = first;
  bytes = last > first ? last - first : 0;
  return bytes != 0;
}

void SideBySide::defer(const Access& a, std::uint32_t mask) {
  const MemoryOp& op = a.op;
  const Warp& w = a.warp;
  const bool cas = op.atomic == AtomicOp::cas;
  std::uint32_t undefined = 0;
  if (w.poison_live) undefined = w.poison[op.operand.id] | (cas ? w.poison[op.compare.id] : 0);
  if ((undefined & mask) != 0 || (op.has_result && !split_->unread[a.inst])) return fail();
  const auto value = [&](Operand o, int l) { return value_of(w, op, o, l); };
  if (split_->combines) {
    for (const int l : lanes_of(mask)) {
      std::uint64_t* const known = thread_->combined.of(a.address[l]);
      if (known == nullptr) {
        thread_->combined.add(a.address[l], value(op.operand, l));
      } else if (op.atomic == AtomicOp::add) {
        *known += value(op.operand, l);
      } else {
        *known = updated(op, *known, value(op.operand, l));
      }
    }
    return;
  }
  auto& deferred = piece_->deferred;
  const std::size_t room = deferred.capacity();
  for (const int l : lanes_of(mask)) {
    deferred.push_back(
        {a.address[l], value(op.operand, l), cas ? value(op.compare, l) : 0, a.inst});
  }
  if (room == deferred.capacity() || config_.memory == nullptr) return;
  config_.memory->take((deferred.capacity() - room) * sizeof(Split::Atomic));
  if (config_.memory->full()) fail();
}

bool SideBySide::perform(const Split::Atomic& deferred, WrittenPages::Writer& pages) const {
  const MemoryOp& op = kernel_.memory_ops[kernel_.code[deferred.inst].extra];
  const Allocation& array = *state_.memory().find(deferred.address);
  const std::uint64_t at = deferred.address - array.base;
  for (unsigned k = 0; k < op.size; ++k) {
    if (array.state[at + k] != ByteState::initialised) return false;
  }
  pages.keep(array, at, op.size);
  std::uint64_t old = 0;
  std::memcpy(&old, array.data + at, op.size);
  const auto next = updated_in_array(op, old, deferred.operand, deferred.compare);
  std::memcpy(array.data + at, &next, op.size);
  return true;
}

}  // namespace gauntlet::simt
