// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Global memory of the SIMT machine: every allocation is a span of its own with unmapped space
// around it, and a state per byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/device.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/defined_pages.hpp"
#include "machine/state/region.hpp"
#include "machine/state/texture.hpp"
#include "machine/state/uniform_bytes.hpp"

namespace gauntlet::simt {

using gauntlet::Address;

/// Address space of a sparse allocation, for its data and its states: two anonymous mappings, which
/// the thread's next one may take over.
struct SparseSpace {
  std::byte* data = nullptr;
  std::uint8_t* state = nullptr;
  std::uint64_t bytes = 0;  ///< of each
  std::vector<bool> used;   ///< by page: this allocation or an earlier one has touched it
  std::uint64_t pages_used = 0;
};

/// An array. Its origins are numbered over all launches: see GlobalMemory::origins.
struct Allocation : Region {
  std::string name;                 ///< as findings print it: "in"
  std::uint32_t element_bytes = 4;  ///< for array[index]; 0: of each access's own size
  std::int64_t index_base = 0;      ///< bytes from `base` to element 0 (an input's offset)
  bool read_only = false;           ///< a store is the finding write_to_input
  bool output = false;              ///< storing poison here is the finding poison_output
  bool floats = false;              ///< words stored as bits are printed as floats
  bool freed = false;
  /// Sparse allocations make their content page by page, on the first touch.
  std::function<void(std::uint64_t offset, std::span<std::byte>)> make_page;
  std::uint64_t initialised_begin = 0, initialised_end = 0;  ///< of that content
  std::vector<bool> page_made;

  static constexpr std::uint64_t page_bytes = 1 << 12;
  /// Makes the pages of [offset, offset + size) of a sparse allocation.
  void touch(std::uint64_t offset, std::uint64_t size);
  /// By the host: [at, at + size), of which no state is written that is known to be the same.
  void define(std::uint64_t at, std::uint64_t size);

  Allocation() {
    origin = &origins_;
    defined = &defined_;
  }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;
  ~Allocation();

 private:
  friend class GlobalMemory;
  void fill_storage();  ///< for `bytes` that nobody has written
  void set_states(std::uint64_t at, std::uint64_t size, ByteState to);
  std::vector<std::uint32_t> origins_;
  DefinedPages defined_;
  UniformBytes storage_, state_storage_;
  SparseSpace sparse_;
};

class GlobalMemory {
 public:
  GlobalMemory();

  /// The base is never reused, and at least 1 MiB of unmapped space lies between any two
  /// allocations.
  using Options = Array;
  Address allocate(const Options& options);
  /// An array that lies in memory of this process, at `data`, under that very address: the host
  /// writes it as it likes, so that all of it counts as initialised until a kernel stores poison
  /// there. Throws std::out_of_range where it would overlap another array.
  Address adopt(const Options& options, std::byte* data);
  /// Addresses of which no other array will be given any: the first, a multiple of `align`. Bytes
  /// count as an allocation's do.
  Address reserve(std::uint64_t bytes, std::uint64_t align);
  /// An array at `base`, whose content and states are the caller's, and stay as they are; behind
  /// each lie bytes that can be read, of states `unmapped`. Throws std::out_of_range where it would
  /// overlap another array.
  void map(const Options& options, Address base, std::byte* data, std::uint8_t* state);
  /// The content goes; what was there is remembered, for use_after_free.
  void free(Address base);
  /// An array that was freed is there again, at its address, as one that nobody wrote.
  void revive(Address base);
  /// An array whose content is the caller's, as if it had never been.
  void forget(Address base);

  /// Host writes initialise; host reads see raw bytes. Ranges must lie inside one allocation
  /// (std::out_of_range otherwise).
  void write(Address to, std::span<const std::byte> bytes);
  void read(Address from, std::span<std::byte> bytes) const;
  void fill(Address to, std::byte value, std::uint64_t bytes);
  [[nodiscard]] bool initialised(Address from, std::uint64_t bytes) const;
  /// Bytes whose content stays but counts as never written.
  void undefine(Address from, std::uint64_t bytes);
  /// Between two ranges that may overlap: content, and what is known of each byte.
  void copy(Address to, Address from, std::uint64_t bytes);
  /// True where a kernel stored a value that nobody defined (not: where nothing was stored).
  [[nodiscard]] bool poisoned(Address from, std::uint64_t bytes) const;

  /// How many origins of poison the launches so far have numbered. A launch numbers its own from
  /// here, so that what an earlier one left in Allocation::origin is known as such.
  std::uint32_t origins = 0;
  /// What is known of an origin when its launch has ended.
  struct Story {
    std::string text;    ///< of the value: "comes from s[4], read at sum.cu:9, which ..."
    std::string kernel;  ///< its symbol
  };
  static constexpr std::size_t most_stories = 4096;
  std::map<std::uint32_t, Story> stories;  ///< of stored ones, the first in a long program
  /// Of the poison at this address; null where none is known.
  [[nodiscard]] const Story* story(Address at) const;
  /// By the numbers that kernels name them by.
  std::unordered_map<std::uint64_t, Texture> textures;
  /// Not empty: what is at an address that no array ever held, "host memory: the stack"; empty
  /// where that says nothing. Asked for a finding.
  std::function<std::string(Address)> foreign = {};

  /// The live or freed allocation that holds `address`, else nullptr.
  [[nodiscard]] Allocation* find(Address address);
  [[nodiscard]] const Allocation* find(Address address) const;
  /// The allocation whose span is nearest to `address`, at most 1 MiB away, else nullptr.
  [[nodiscard]] const Allocation* nearest(Address address) const;
  [[nodiscard]] Allocation* named(std::string_view name);
  [[nodiscard]] std::size_t size() const { return allocations_.size(); }
  [[nodiscard]] const Allocation& at(std::size_t i) const { return *allocations_[i]; }

 private:
  Allocation& containing(Address address, std::uint64_t bytes) const;
  Address insert(std::unique_ptr<Allocation> made);       // throws where it overlaps another one
  std::vector<std::unique_ptr<Allocation>> allocations_;  // ascending base
  Address next_;
};

}  // namespace gauntlet::simt
