// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Races between launches of one stream. A programmatic dependent launch (PTX ISA 9.0, 9.7.13.13:
// griddepcontrol; CUDA C++ Programming Guide, programmatic dependent launch and synchronization)
// may begin once all blocks of the launch before it have ended or executed .launch_dependents. That
// says nothing of memory: what a thread does is ordered behind the launch before by .wait alone,
// which waits until that launch has ended and all its accesses are performed and visible. Whoever a
// barrier, or a release and an acquire, orders behind a thread's .wait has waited too.
//
// Does the launch k behind the launch i, i < k, say that i has ended?
//   k is no programmatic one: it begins when all before have ended.
//   k is the next one: to whom has waited.
//   Otherwise: to all of k, where the launch before k has itself begun behind i, or where a block
//   of it let k begin, or ended, behind its own wait for i; to whom has waited in k, where the
//   launch before k ends behind i, since it has begun behind it or a thread of it has waited for
//   it.
// Two accesses of a byte that nothing orders, one of them a write and not both strong at device
// scope or wider, and of one size, race.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/finding.hpp"
#include "machine/code/code.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// What a launch that ran says of the launches beside it.
struct LaunchSteps {
  bool waits = false;               ///< a thread has executed .wait
  bool triggers = false;            ///< a thread has executed .launch_dependents
  bool begins_next_at_once = true;  ///< no block let the next launch begin behind its own .wait
  /// What other blocks of the same launch say, too.
  void add(const LaunchSteps& other) {
    waits |= other.waits;
    triggers |= other.triggers;
    begins_next_at_once &= other.begins_next_at_once;
  }
};

/// The same, and what it accesses, word by word.
class LaunchAccesses : public LaunchSteps {
 public:
  bool programmatic = false;  ///< it may begin before the launch before it has ended

  /// Of which launch, before anything is noted.
  void begin(const Kernel& kernel, Dim3 grid) {
    kernel_ = &kernel;
    grid_ = grid;
  }
  /// An access by lanes of a warp, all inside the allocation: those of `waited` come behind the
  /// launch's wait.
  struct Batch {
    std::uint32_t block = 0;  ///< linear
    std::uint32_t warp = 0;
    std::uint32_t inst = 0;
    std::uint32_t width = 0;  ///< bytes of each lane
    const std::uint64_t* address = nullptr;
    std::uint32_t mask = 0, waited = 0;
  };
  void note(const Allocation& allocation, const MemoryOp& op, const Batch& batch);

 private:
  friend class LaunchOrder;
  struct Who {
    std::uint32_t inst = 0, block = 0, thread = 0;
  };
  /// The bits of AccessBits, of each the bytes; the first thread to read and to write.
  struct Word {
    std::array<std::uint8_t, 8> bytes{};
    Who reads, writes;
  };
  static constexpr std::uint64_t page_words = 256;
  /// Of one allocation: pages that something was noted of.
  using Pages = std::vector<std::unique_ptr<std::array<Word, page_words>>>;
  using Part = std::unordered_map<Address, Pages>;  // by base

  const Kernel* kernel_ = nullptr;
  Dim3 grid_;
  Part before_, behind_;  // the wait
};

/// Whether launch `k` says that launch `i`, i < k, has ended: to all of it, since it begins then,
/// and to whom has waited in it. Of the launches before `k` everything must have been noted.
[[nodiscard]] bool begins_behind(std::span<const LaunchAccesses> launches, std::size_t k,
                                 std::size_t i);
[[nodiscard]] bool wait_says_ended(std::span<const LaunchAccesses> launches, std::size_t k,
                                   std::size_t i);

/// The races between launches that followed one another in a stream: one finding for each kind,
/// pair of source lines and array, of the launches that are nearest to each other. `memory`: where
/// they ran, unchanged since.
[[nodiscard]] std::vector<Finding> launch_races(std::span<const LaunchAccesses> launches,
                                                const GlobalMemory& memory);

}  // namespace gauntlet::simt
