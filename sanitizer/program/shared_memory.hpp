// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory of the device that can be seen in several places, and by other processes: bytes, and what
// is known of each, in a file without a name.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "base/device.hpp"

namespace gauntlet::runtime {

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

}  // namespace gauntlet::runtime
