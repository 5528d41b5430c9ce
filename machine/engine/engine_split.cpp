// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Blocks of one launch on several threads.
//
// A launch begins on one thread, block by block, unless it has so many that it is long for sure.
// Has it taken a while, and nothing was found, then the blocks that are left are cut into pieces,
// and threads run them side by side, each with an engine and a race detector of its own. That this
// makes no difference is not assumed, but seen afterwards: no byte that a thread wrote was accessed
// by another, or by the blocks before. Then each block has read what it reads when blocks run one
// behind the other, and no two of different threads race. Otherwise, or if anything at all was
// found, what was written is taken back, and the blocks run one behind the other. So findings are
// always those of one thread.
//
// Atomic operations whose results nobody reads (sums, histograms) are kept, and performed at the
// end in the order of one thread: floating-point sums have its bits. Those of integers, which have
// the same in any order, are added up by each thread.
#include <algorithm>

#include "base/numbers.hpp"
#include "base/os/parallel_for.hpp"
#include "machine/engine/engine.hpp"

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

}  // namespace

bool splits(const Kernel& kernel, ModuleState& state, const LaunchConfig& config) {
  if (config.jobs < 2 || config.schedule != "lockstep" || config.scheduler != nullptr ||
      config.cooperative || config.record || config.log != nullptr || config.profile != nullptr ||
      config.shadow != nullptr || config.ordering != nullptr || config.early_accesses != nullptr ||
      config.launch_before || config.grid.count() < 3) {
    return false;
  }
  const auto known = state.splits.find(kernel.name);
  if (known != state.splits.end()) return known->second;
  return state.splits[kernel.name] = may_split(kernel);
}

void Engine::cannot_split() {
  if (split_ != nullptr)
    split_->failed = true;
  else
    splitting_ = false;
}

void Engine::beside_others(const MemoryOp& op, const Allocation& allocation, std::uint64_t offset,
                           std::uint64_t bytes) {
  if (is_strong(op)) cannot_split();  // what it stores until the threads stop is undone, too
  if (split_ != nullptr && op.what != MemoryOp::What::load) pages_.keep(allocation, offset, bytes);
}

void Engine::account(std::uint32_t inst, const MemoryOp& op, const Allocation& array,
                     std::uint64_t offset, std::uint64_t bytes) {
  if (splitting_) beside_others(op, array, offset, bytes);
  accesses_->note_run(array, inst, op, offset, bytes);
}

void Engine::beside_others(const Access& a, const Allocation& allocation, std::uint32_t mask) {
  if (is_atomic(a.op)) return;          // see defer
  if (is_strong(a.op)) cannot_split();  // what it stores until the threads stop is undone, too
  if (split_ == nullptr || a.op.what == MemoryOp::What::load) return;
  std::uint64_t first = ~0ULL, last = 0;
  for (const unsigned l : lanes_of(mask)) {
    first = std::min(first, a.address[l] - allocation.base);
    last = std::max(last, a.address[l] - allocation.base);
  }
  if (last - first <= 2 * warp_size * a.width) {
    pages_.keep(allocation, first, last - first + a.width);
    return;
  }
  for (const unsigned l : lanes_of(mask)) {
    pages_.keep(allocation, a.address[l] - allocation.base, a.width);
  }
}

bool Engine::worth_splitting() const {
  if (!splitting_ || split_ != nullptr || !recorder_.empty()) return false;
  const std::uint64_t spent = counters_.warp_instructions, left = block_count_ - next_block_;
  if (left < 2) return false;
  if (next_block_ == 0) {  // all of them, where even short ones make a long launch
    constexpr std::uint64_t many = 16, few = 1'000;
    const auto warps = left * ceil_div(config_.block.count(), warp_size);
    return warps * kernel_.code.size() >= many * std::max(config_.alone, few);
  }
  // The first ones say how long the others are.
  constexpr std::uint64_t few = 8;
  return spent >= config_.alone / few && spent * left / next_block_ >= 2 * config_.alone;
}

void Engine::run_pieces(Split& split, const WrittenPages::Writer& pages) {
  splitting_ = true;
  split_ = &split;
  pages_ = pages;
  while (!split.failed) {
    const std::uint32_t next = split.next++;
    if (next >= split.pieces.size()) return;
    Split::Piece& piece = split.pieces[next];
    first_block_ = piece.first_block;
    block_count_ = piece.blocks;
    next_block_ = 0;
    deferred_ = &piece.deferred;
    run_blocks();
    const bool full = config_.memory != nullptr && config_.memory->full();
    if (stopped_ || full || !recorder_.empty()) split.failed = true;
  }
}

bool Engine::run_split() {
  splitting_ = false;
  for (std::size_t k = 0; k < memory_.size(); ++k) {
    if (memory_.at(k).make_page && !memory_.at(k).freed) return false;  // pages are made one by one
  }
  Split split(config_.memory);
  const std::uint32_t blocks = block_count_ - next_block_;
  const std::uint32_t threads = std::min(config_.jobs, blocks);
  // Ever smaller ones, so that all threads end at about the same time.
  for (std::uint32_t left = blocks; left != 0; left -= split.pieces.back().blocks) {
    const std::uint32_t first = first_block_ + block_count_ - left;
    split.pieces.push_back({first, std::max(1U, left / (4 * threads)), {}});
  }
  split.unread = unread_results(kernel_);
  split.combines = combining(kernel_, split.unread);
  for (std::uint32_t k = 0; k < threads; ++k) split.combined.emplace_back(config_.memory);

  std::vector<AccessMap> accesses(threads);
  for (AccessMap& of_thread : accesses) of_thread.limit(config_.memory);
  // Made here, where they end: the next launch finds what held their pages.
  std::vector<WrittenPages::Writer> writers;
  for (std::uint32_t k = 0; k < threads; ++k) writers.emplace_back(split.written);
  std::vector<Counters> counters(threads);
  const auto work = [&](std::uint64_t k) {
    if (split.next >= split.pieces.size()) return true;  // others were quicker
    try {
      LaunchConfig config = config_;
      config.jobs = 1;
      config.accesses = &accesses[k];
      Engine engine(kernel_, state_, config);
      engine.combined_ = &split.combined[k];
      engine.run_pieces(split, writers[k]);
      counters[k] = engine.counters_;
    } catch (...) {  // what it was comes again on one thread
      split.failed = true;
    }
    return true;
  };
  os::parallel_for(threads, threads, work);

  const bool deferred = std::ranges::any_of(
      split.pieces, [](const Split::Piece& piece) { return !piece.deferred.empty(); });
  // Several detectors may want more room than the one of a single thread.
  const bool full = config_.memory != nullptr && config_.memory->full();
  bool independent = !split.failed && !full && !(deferred && split.turns) &&
                     AccessMap::independent(*accesses_, accesses);
  WrittenPages::Writer pages(split.written);
  for (const Split::Piece& piece : split.pieces) {
    if (!independent) break;
    independent = std::ranges::all_of(
        piece.deferred, [&](const DeferredAtomic& atomic) { return perform(atomic, pages); });
  }
  for (const auto& of_thread : split.combined) {
    if (!independent) break;
    independent = std::ranges::all_of(of_thread.all(), [&](const CombinedAtomics::One& one) {
      return one.address == 0 || perform({one.address, one.operand, 0, *split.combines}, pages);
    });
  }
  if (config_.memory != nullptr) {
    for (const Split::Piece& piece : split.pieces) {
      config_.memory->give_back(piece.deferred.capacity() * sizeof(DeferredAtomic));
    }
  }
  if (!independent) {
    split.written.restore(accesses);
    if (full) config_.memory->reopen();
    if (!interrupted()) {
      state_.splits[kernel_.name] = false;
    } else {  // nothing comes again: how far the launch came is how far they came
      for (const Counters& of_thread : counters) counters_ += of_thread;
    }
    return false;
  }
  for (unsigned k = 0; k < threads; ++k) {
    counters_ += counters[k];
    if (config_.accesses != nullptr) accesses_->add(accesses[k]);
  }
  beside_ = blocks;
  next_block_ = block_count_;
  return true;
}

}  // namespace gauntlet::simt
