// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of which arrays a launch has accessed, and how: what says whether two launches that
// nothing orders get in each other's way.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"
#include "machine/code/code.hpp"
#include "machine/races/access_range.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/recent_arrays.hpp"

namespace gauntlet::simt {

/// Bits. Strong accesses (PTX ISA 9.0, 8.2: atomics, volatile, relaxed and stronger) count as such
/// where their scope includes other launches. With them stands the size of what they access as one:
/// accesses of different sizes are not atomic to each other.
enum AccessBits : std::uint8_t {
  weak_read = 1,
  weak_write = 2,
  strong_read = 4,
  strong_write = 8,
  of_one_byte = 16,
  of_two_bytes = 32,
  of_four_bytes = 64,
  of_eight_bytes = 128
};

/// Of the accesses of an instruction.
[[nodiscard]] inline std::uint8_t access_ways(const MemoryOp& op) {
  const bool atomic = op.what == MemoryOp::What::atomic || op.what == MemoryOp::What::reduction;
  const bool strong =
      op.is_volatile || ((op.order != Order::weak || atomic) && op.scope >= Scope::gpu);
  const bool load = op.what == MemoryOp::What::load;
  if (!strong) return load ? weak_read : weak_write;
  const unsigned size = of_one_byte << std::countr_zero(op.atom());
  return static_cast<std::uint8_t>((load ? strong_read : strong_write) | size);
}

/// What ways conflict with, a bit for each kind of access. Two accesses of a byte get in each
/// other's way if (conflicts(a) & kinds(b)) != 0: one writes, and not both are strong and of one
/// size.
[[nodiscard]] std::uint16_t conflicts(std::uint8_t ways);
[[nodiscard]] std::uint16_t kinds(std::uint8_t ways);

/// Kept by pages. A page of which one run of bytes was accessed, all in the same ways, as blocks do
/// that stream through an array, is that run; any other one has the ways of each byte.
class AccessMap {
 public:
  AccessMap() = default;
  AccessMap(const AccessMap&) = delete;
  AccessMap& operator=(const AccessMap&) = delete;
  ~AccessMap() { limit(nullptr); }
  /// Counts what is taken for the ways of single bytes until the next call; nullptr: nobody does.
  void limit(MemoryLimit* limit);
  /// While it lives the map counts what it takes.
  class Counted {
   public:
    Counted(AccessMap& map, MemoryLimit& limit) : map_(map) { map_.limit(&limit); }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { map_.limit(nullptr); }

   private:
    AccessMap& map_;
  };
  /// Lanes of `mask` have accessed `width` bytes each, all inside the allocation.
  void note(const Allocation& allocation, const MemoryOp& op, const std::uint64_t* address,
            std::uint32_t width, std::uint32_t mask);
  /// These bytes are accessed by this instruction, whose `op` is known again by its address, as the
  /// array is, until end_runs. Returns the array in which they all lie; nullptr: it does not go on
  /// in the page in which it was, and nothing was noted.
  [[nodiscard, gnu::always_inline]] const Allocation* goes_on(std::uint32_t inst,
                                                              const MemoryOp& op, Address address,
                                                              std::uint64_t bytes) {
    Run& run = runs_[inst % runs_.size()];
    if (run.end != address || run.op != &op || address + bytes > run.until) return nullptr;
    run.end += bytes;
    return run.array;
  }
  /// The same of [offset, offset + bytes) of the array where it does not.
  void note_run(const Allocation& allocation, std::uint32_t inst, const MemoryOp& op,
                std::uint64_t offset, std::uint64_t bytes);
  void end_runs();

  /// Whether no byte that one of `beside` has written was accessed by another of them, or by
  /// `before`, nor one that `before` has written by one of them. Strong writes, which are to be
  /// atomic operations here, get in the way of other accesses only, and then also of the same
  /// one's, and of atomic operations of another size.
  [[nodiscard]] static bool independent(AccessMap& before, std::span<AccessMap> beside);
  /// Whether a byte of the allocation with this base was written.
  [[nodiscard]] bool wrote(Address base, std::uint64_t offset);
  /// What `other` has noted, too.
  void add(AccessMap& other);

  /// Whether the host may wait for an access: one was strong, of a scope that includes it.
  [[nodiscard]] bool tells_host() const { return tells_host_; }

  /// By base address of the allocation: ranges, ascending. What was noted is forgotten.
  [[nodiscard]] std::vector<std::pair<Address, std::vector<AccessRange>>> take();

 private:
  static constexpr std::uint32_t page_bytes = 4096;
  struct Page {
    std::uint8_t* each;        ///< ways of each byte; nullptr: those of [first, end) are `any`
    std::uint16_t first, end;  ///< 0, 0: none
    std::uint8_t any;          ///< of all of its bytes together
    [[nodiscard]] std::uint8_t at(std::uint64_t byte) const {
      return each != nullptr ? each[byte] : byte >= first && byte < end ? any : std::uint8_t{0};
    }
    /// Returns what was taken for it.
    std::uint32_t note(std::uint32_t from, std::uint32_t to, std::uint8_t ways);
    /// Gives each byte its ways.
    void spread();
    void spread(std::uint8_t* to) const;
  };
  /// The pages of an array, those before `first` and from `end` on untouched.
  class Noted {
   public:
    Noted() = default;
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted();
    void grow(std::uint64_t bytes);
    /// Returns what was taken for it.
    std::uint64_t note(std::uint64_t from, std::uint64_t bytes, std::uint8_t ways);
    /// nullptr: untouched.
    [[nodiscard]] const Page* page(std::uint64_t k) const {
      return k >= first && k < end && pages_[k].any != 0 ? &pages_[k] : nullptr;
    }
    /// Returns what was taken for it.
    std::uint64_t add(const Noted& other);
    [[nodiscard]] std::vector<AccessRange> take(Address base);
    std::uint64_t first = ~0ULL, end = 0;
    std::uint8_t any = 0;  ///< ways of all pages

   private:
    Page* pages_ = nullptr;
    std::uint64_t count_ = 0;
  };
  /// What an instruction has accessed so far, as long as that is one run: not noted yet.
  struct alignas(64) Run {
    const MemoryOp* op = nullptr;  ///< nullptr: it does not go on
    const Allocation* array = nullptr;
    Noted* noted = nullptr;
    Address begin = 0, end = 0, until = 0;  ///< `until`: of the page, or of the array
    std::uint8_t ways = 0;
  };
  [[nodiscard]] static bool tells_host(const MemoryOp& op) {
    return op.is_volatile || (op.scope == Scope::sys && op.order != Order::weak);
  }
  void end_run(Run& run);
  void take_room(std::uint64_t bytes) {
    if (bytes == 0 || limit_ == nullptr) return;
    taken_ += bytes;
    limit_->take(bytes);
  }
  [[nodiscard]] Noted& noted(const Allocation& allocation);
  [[nodiscard]] static bool independent(std::span<const Page* const> pages);

  using ByBase = std::unordered_map<Address, Noted>;
  ByBase noted_;
  RecentArrays<ByBase::value_type> recent_;
  std::array<Run, 16> runs_;       ///< by instruction
  std::uint32_t runs_in_use_ = 0;  ///< a bit each
  bool tells_host_ = false;
  MemoryLimit* limit_ = nullptr;
  std::uint64_t taken_ = 0;  ///< of it
};

}  // namespace gauntlet::simt
