// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Global memory of the SIMT machine: every allocation is a span of its own with unmapped space
// around it, and a state per byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gauntlet::simt {

using Address = std::uint64_t;

/// Per byte: was it ever given a defined value?
enum class ByteState : std::uint8_t { uninitialised = 0, initialised = 1 };

struct Allocation {
  std::string name;                 ///< as findings print it: "in"
  Address base = 0;
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 4;  ///< for array[index]
  std::int64_t index_base = 0;      ///< bytes from `base` to element 0 (an input's offset)
  bool read_only = false;           ///< a store is the finding write_to_input
  bool output = false;              ///< storing poison here is the finding poison_output
  bool freed = false;
  bool fully_initialised = false;   ///< then `state` may be empty
  std::vector<std::byte> data;
  std::vector<std::uint8_t> state;  ///< ByteState per byte
  std::vector<std::uint32_t> origin;  ///< per 4-byte word: where its poison came from; empty: none
};

class GlobalMemory {
 public:
  GlobalMemory();

  /// Options of an allocation; the base is 256-byte aligned, never reused, and at least 1 MiB of
  /// unmapped space lies between any two allocations.
  struct Options {
    std::string name;
    std::uint64_t bytes = 0;
    std::uint32_t element_bytes = 4;
    std::int64_t index_base = 0;
    bool read_only = false;
    bool output = false;
  };
  Address allocate(const Options& options);
  void free(Address base);

  /// Host writes initialise; host reads see raw bytes. Ranges must lie inside one allocation
  /// (std::out_of_range otherwise).
  void write(Address to, std::span<const std::byte> bytes);
  void read(Address from, std::span<std::byte> bytes) const;
  void fill(Address to, std::byte value, std::uint64_t bytes);
  [[nodiscard]] bool initialised(Address from, std::uint64_t bytes) const;

  /// The live or freed allocation that holds `address`, else nullptr.
  [[nodiscard]] Allocation* find(Address address);
  [[nodiscard]] const Allocation* find(Address address) const;
  /// The allocation with the greatest base <= address (also one that ends before it), else nullptr.
  [[nodiscard]] const Allocation* nearest(Address address) const;
  [[nodiscard]] Allocation* named(std::string_view name);
  [[nodiscard]] std::size_t size() const { return allocations_.size(); }
  [[nodiscard]] const Allocation& at(std::size_t i) const { return *allocations_[i]; }

 private:
  std::vector<std::unique_ptr<Allocation>> allocations_;  // ascending base
  Address next_;
};

}  // namespace gauntlet::simt
