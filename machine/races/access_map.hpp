// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which bytes of which arrays a launch has accessed, and how: what says whether two launches that
// nothing orders get in each other's way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/state/memory.hpp"

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
[[nodiscard]] std::uint8_t access_ways(const MemoryOp& op);

/// What ways conflict with, a bit for each kind of access. Two accesses of a byte get in each
/// other's way if (conflicts(a) & kinds(b)) != 0: one writes, and not both are strong and of one
/// size.
[[nodiscard]] std::uint16_t conflicts(std::uint8_t ways);
[[nodiscard]] std::uint16_t kinds(std::uint8_t ways);

/// Bytes from `begin` to before `end`, all accessed in the same ways.
struct AccessRange {
  Address begin = 0, end = 0;
  std::uint8_t ways = 0;  ///< AccessBits
};

class AccessMap {
 public:
  /// Lanes of `mask` have accessed `width` bytes each, all inside the allocation.
  void note(const Allocation& allocation, const MemoryOp& op, const std::uint64_t* address,
            std::uint32_t width, std::uint32_t mask);

  /// Whether no byte that one of `beside` has written was accessed by another of them, or by
  /// `before`, nor one that `before` has written by one of them. Strong writes, which are to be
  /// atomic operations here, get in the way of other accesses only, and then also of the same
  /// one's, and of atomic operations of another size.
  [[nodiscard]] static bool independent(const AccessMap& before, std::span<const AccessMap> beside);
  /// Whether a byte of the allocation with this base was written.
  [[nodiscard]] bool wrote(Address base, std::uint64_t offset) const;
  /// What `other` has noted, too.
  void add(const AccessMap& other);

  /// Whether the host may wait for an access: one was strong, of a scope that includes it.
  [[nodiscard]] bool tells_host() const { return tells_host_; }

  /// By base address of the allocation: ranges, ascending. What was noted is forgotten.
  [[nodiscard]] std::vector<std::pair<Address, std::vector<AccessRange>>> take();

 private:
  struct Free {
    void operator()(std::uint8_t* ways) const;
  };
  struct Noted {
    std::unique_ptr<std::uint8_t[], Free> ways;  // per byte of the allocation
    std::uint64_t bytes = 0;
    std::uint64_t first = ~0ULL, end = 0;  // those before and behind are 0
    void grow(std::uint64_t to);
  };
  std::unordered_map<Address, Noted> noted_;  // by base
  Address last_base_ = 0;
  Noted* last_ = nullptr;
  bool tells_host_ = false;
};

}  // namespace gauntlet::simt
