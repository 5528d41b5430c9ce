// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's virtual memory (CUDA Driver API, virtual memory management): addresses are reserved,
// memory is created, mapped there, and may be accessed once the device was allowed to. What lies
// behind each other and may be accessed is one array of the heap. Memory that is mapped in two
// places has one content, and is two arrays to the race detector.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/device.hpp"
#include "sanitizer/program/heap.hpp"
#include "sanitizer/program/stream_order.hpp"

namespace gauntlet::runtime {

// Memory of the device that can be seen in several places, and by other processes: bytes, and what
// is known of each, in a file without a name.

class SharedMemory {
 public:
  /// Zeros that nobody wrote. Throws std::bad_alloc, as all that follows.
  explicit SharedMemory(std::uint64_t bytes);
  /// What such a file holds, which stays the caller's; nullptr: it is none.
  static std::shared_ptr<SharedMemory> of_file(int file);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  void show_data(void* at, std::uint64_t bytes) const { show(at, bytes, 0); }
  void show_states(void* at, std::uint64_t bytes) const { show(at, bytes, bytes_); }
  /// Both, in addresses that are found for them, with a page behind each.
  struct Shown {
    std::byte* data = nullptr;
    std::uint8_t* state = nullptr;
  };
  [[nodiscard]] Shown show() const;
  void hide(Shown shown) const;
  [[nodiscard]] int file() const { return file_; }
  /// Whole pages.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  SharedMemory(int file, std::uint64_t bytes) : file_(file), bytes_(bytes) {}
  void show(void* at, std::uint64_t bytes, std::uint64_t from) const;
  int file_;
  std::uint64_t bytes_;
};

/// Pages of this process that have no content: zeros, which as states are `unmapped`. At `at`, or
/// where there is room.
void* empty_pages(void* at, std::uint64_t bytes);

/// Arrays that this process has given to others (cudaIpcGetMemHandle), and those that it has of
/// others, by base.
struct SharedArrays {
  std::map<Address, std::shared_ptr<SharedMemory>> given;
  struct Taken {
    std::pair<int, int> from;  ///< process and file there
    std::shared_ptr<SharedMemory> memory;
    SharedMemory::Shown shown;
    unsigned times = 0;
  };
  std::map<Address, Taken> taken;
};

class VirtualMemory {
 public:
  /// Sizes, addresses and alignments are multiples of it, as on an H100.
  static constexpr std::uint64_t granularity = 2 << 20;
  using Handle = CUmemGenericAllocationHandle;

  VirtualMemory(Heap& heap, StreamOrder& order);
  VirtualMemory(const VirtualMemory&) = delete;
  VirtualMemory& operator=(const VirtualMemory&) = delete;

  // What CUDA refuses ends the entry (Refusal). Throw std::bad_alloc.
  Address reserve(std::uint64_t bytes, std::uint64_t align);
  /// Gives addresses back; a mistake is told where something is mapped there.
  void free(Address at, std::uint64_t bytes);
  Handle create(std::uint64_t bytes, const CUmemAllocationProp& properties);
  /// The memory lives on as long as it is mapped.
  void release(Handle handle);
  void map(Address at, std::uint64_t bytes, Handle handle);
  /// A mistake is told where a part of what was mapped would stay, and for work that accesses it
  /// and that nobody has waited for.
  void unmap(Address at, std::uint64_t bytes);
  void allow(Address at, std::uint64_t bytes, CUmemAccess_flags access);
  /// Of what is mapped at an address.
  [[nodiscard]] CUmemAccess_flags access(Address at) const { return mapped(at).access; }
  Handle retain(Address at);
  [[nodiscard]] const CUmemAllocationProp& properties(Handle handle) const;
  /// A file of the memory for other processes, which is the caller's, and the other way round.
  [[nodiscard]] int give(Handle handle) const;
  Handle take(int file);
  /// Nothing is left of all that.
  void clear();

 private:
  struct Memory;
  struct Mapping {
    std::uint64_t bytes = 0;
    std::shared_ptr<Memory> memory;
    CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  };
  /// A part of a reservation whose mappings may be accessed alike.
  struct Part {
    std::uint64_t bytes = 0;
    bool read_only = false;
    bool operator==(const Part&) const = default;
  };
  struct Reservation {
    std::string name;
    std::uint64_t bytes = 0;
    std::byte* data = nullptr;      ///< where the memory appears in this process
    std::uint8_t* state = nullptr;  ///< ByteState of each byte
    std::map<Address, Mapping> mappings;
    std::map<Address, Part> arrays;  ///< of the heap
  };
  using Reservations = std::map<Address, Reservation>;
  [[nodiscard]] Reservations::iterator around(Address at, std::uint64_t bytes);
  [[nodiscard]] Reservations::iterator known(Address at, std::uint64_t bytes);  ///< not end()
  /// Those that make up [at, at + bytes) exactly; empty: they do not.
  static std::vector<Address> whole(const Reservation& of, Address at, std::uint64_t bytes);
  /// What may be accessed has changed: the heap's arrays follow.
  void follow(Reservation& of, Address base);
  void drop(Reservations::iterator of);
  Handle add(const CUmemAllocationProp& properties, std::shared_ptr<SharedMemory> pages);
  [[nodiscard]] const Mapping& mapped(Address at) const;

  Heap& heap_;
  StreamOrder& order_;
  Reservations reservations_;
  std::map<Handle, std::shared_ptr<Memory>> handles_;
  std::uint64_t number_ = 0;
};

}  // namespace gauntlet::runtime
