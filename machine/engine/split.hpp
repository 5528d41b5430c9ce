// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What threads leave behind that run blocks of one launch (side_by_side.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/host_memory.hpp"
#include "machine/races/access_map.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/recent_arrays.hpp"

namespace gauntlet::simt {

/// The pages of arrays that are written, as they were before.
class WrittenPages {
  struct Kept;
  struct Pages;

 public:
  /// One thread's access.
  class Writer {
   public:
    Writer() = default;
    explicit Writer(WrittenPages& pages);
    /// To be called before [offset, offset + bytes) of an array is written.
    void keep(const Allocation& array, std::uint64_t offset, std::uint64_t bytes);

   private:
    WrittenPages* pages_ = nullptr;
    Kept* kept_ = nullptr;  ///< by this thread
    RecentArrays<Pages> recent_;
  };
  /// `limit`: of what is taken for them; nullptr: none.
  explicit WrittenPages(MemoryLimit* limit = nullptr);
  WrittenPages(const WrittenPages&) = delete;
  WrittenPages& operator=(const WrittenPages&) = delete;
  ~WrittenPages();
  /// Puts back what was there. No thread writes any more; but where an array lies in the host's
  /// memory (GlobalMemory::adopt), which the host may write meanwhile, that is left to the bytes
  /// which `accesses` say were written.
  void restore(std::span<AccessMap> accesses);

 private:
  Pages& of(const Allocation& array);
  MemoryLimit* limit_;
  std::mutex mutex_;
  std::list<Pages> arrays_;
  std::vector<std::unique_ptr<Kept>> kept_;
};

/// Atomic operations of one thread, where all of the launch are of one kind and leave the same in
/// whatever order they come: for each cell one that does what all of them do.
class CombinedAtomics {
 public:
  struct One {
    Address address = 0;  ///< 0: none
    std::uint64_t operand = 0;
  };
  /// `limit`: nullptr: none.
  explicit CombinedAtomics(MemoryLimit* limit) : limit_(limit) {}
  CombinedAtomics(CombinedAtomics&& other) noexcept;
  CombinedAtomics& operator=(CombinedAtomics&&) = delete;
  ~CombinedAtomics();
  /// What they all bring to a cell; nullptr: none has come to it.
  [[nodiscard]] std::uint64_t* of(Address address) {
    if (table_.empty()) return nullptr;
    One& one = place(address);
    return one.address == address ? &one.operand : nullptr;
  }
  /// The first one of its cell.
  void add(Address address, std::uint64_t operand);
  /// Some of them are none.
  [[nodiscard]] std::span<const One> all() const { return table_; }
  [[nodiscard]] bool empty() const { return used_ == 0; }

 private:
  [[nodiscard]] One& place(Address address) {
    const std::size_t last = table_.size() - 1;  // a power of two
    for (std::size_t k = (address / 4 * 0x9E3779B97F4A7C15) >> 32;; ++k) {
      One& one = table_[k & last];
      if (one.address == address || one.address == 0) return one;
    }
  }
  MemoryLimit* limit_;
  std::size_t used_ = 0;
  std::vector<One> table_;
};

}  // namespace gauntlet::simt
