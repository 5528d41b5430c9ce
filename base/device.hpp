// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels are launched on: memory, launches, and what is known of each byte afterwards. Two
// implementations: the SIMT machine (machine/engine/device.hpp) and a GPU without fences
// (gpu/executor/plain.hpp). The fenced GPU of the executor works in batches and is not one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/counters.hpp"
#include "base/finding.hpp"
#include "base/launch.hpp"

namespace gauntlet {

using Address = std::uint64_t;

/// An array to be allocated. The address is aligned to 256 bytes (or `align`, if that is more)
/// unless `offset` says otherwise.
struct Array {
  std::string name;  ///< as findings print it: "in"
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 4;  ///< for array[index]; 0: of each access's own size
  std::int64_t index_base = 0;      ///< bytes from the address to element 0
  std::uint64_t offset = 0;         ///< bytes between the aligned address and the array's
  bool read_only = false;           ///< a store is the finding write_to_input
  bool output = false;              ///< storing poison here is the finding poison_output
  bool unwritten = false;           ///< the host gives it no content
  bool floats = false;  ///< elements are floats: a word stored as bits is printed as one
  /// Not empty: content is made on first touch, so that an array of many gigabytes costs only what
  /// a kernel touches. For the SIMT machine only.
  std::function<void(std::uint64_t offset, std::span<std::byte>)> make_page = {};
  /// Of that content the bytes that count as initialised.
  std::uint64_t initialised_begin = 0;
  std::uint64_t initialised_end = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t align = 1;  ///< a power of two
};

/// Writes the addresses that `pointers` are over the bytes that hold them; `symbol` gives that of a
/// variable.
template <class Symbol>
void put_addresses(const std::vector<Pointer>& pointers, std::span<const Address> arrays,
                   std::span<std::byte> bytes, Symbol&& symbol) {
  for (const Pointer& p : pointers) {
    const Address address = (p.symbol.empty() ? arrays[p.array] : symbol(p.symbol)) + p.byte_offset;
    std::memcpy(bytes.data() + p.at, &address, sizeof address);
  }
}

enum class CellState : std::uint8_t {
  unwritten,
  undefined,  ///< a kernel stored a value that nobody defined
  defined
};

struct LaunchReport {
  bool completed = false;         ///< every thread exited normally
  bool interrupted = false;       ///< ended from outside; the findings are those so far
  std::vector<Finding> findings;  ///< a GPU has none
  Counters counters;
  std::string schedule;      ///< on the SIMT machine: the one asked for, or what was recorded
  std::uint32_t beside = 0;  ///< blocks that ran beside others, on several threads
};

class Device {
 public:
  virtual ~Device() = default;
  [[nodiscard]] virtual Address allocate(const Array& array) = 0;
  /// A host write. With `defined` false the bytes count as never written where the device can tell.
  virtual void write(Address to, std::span<const std::byte> bytes, bool defined = true) = 0;
  virtual void read(Address from, std::span<std::byte> bytes) = 0;
  /// What is known of each cell of `cell_bytes` in a range whose `content` was read; `defined`
  /// where the device cannot tell.
  [[nodiscard]] virtual std::vector<CellState> states(Address from, std::uint32_t cell_bytes,
                                                      std::span<const std::byte> content) = 0;
  /// Runs it to its end. Arg::array is an index into `arrays`. Throws where the device refuses the
  /// launch, in one line.
  virtual LaunchReport launch(const Launch& launch, std::span<const Address> arrays) = 0;
  /// The address of a __device__ variable; 0 where the module has none of that name.
  [[nodiscard]] virtual Address symbol(const std::string& module, std::string_view name) = 0;
};

}  // namespace gauntlet
