// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/uniform_bytes.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "base/numbers.hpp"

namespace gauntlet::simt {
namespace {

/// What is mapped at once: so few mappings that a process may have them.
constexpr std::uint64_t piece_bytes = 8 << 20;
constexpr std::uint64_t page_bytes = 4096;
constexpr int readable = PROT_READ | PROT_WRITE;
constexpr int unshared = MAP_PRIVATE | MAP_NORESERVE;

/// Files of so many bytes of one value each.
class Files {
 public:
  /// -1: there can be none.
  int of(std::uint8_t value) {
    const std::lock_guard lock(mutex_);
    File& file = files_[value];
    // The program that is run here may close what it has not opened.
    struct stat now;
    const bool is_ours = file.number >= 0 && fstat(file.number, &now) == 0 &&
                         now.st_ino == file.inode && now.st_dev == file.device;
    if (!is_ours) file = make(value);
    return file.number;
  }

 private:
  struct File {
    int number = -1;
    ino_t inode = 0;
    dev_t device = 0;
  };
  static File make(std::uint8_t value) {
    const int number = memfd_create("gauntlet", MFD_CLOEXEC);
    struct stat made;
    if (number < 0 || fstat(number, &made) != 0) return {};
    void* const at = ftruncate(number, piece_bytes) == 0
                         ? mmap(nullptr, piece_bytes, readable, MAP_SHARED, number, 0)
                         : MAP_FAILED;
    if (at == MAP_FAILED) {
      close(number);
      return {};
    }
    std::memset(at, value, piece_bytes);
    munmap(at, piece_bytes);
    return {number, made.st_ino, made.st_dev};
  }
  std::mutex mutex_;
  std::array<File, 256> files_;
};

/// Whole pages. False: some of them hold what they held.
bool map(std::uint8_t* at, std::uint64_t bytes, std::uint8_t value) {
  if (value == 0) {
    return mmap(at, bytes, readable, unshared | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
  }
  static Files files;
  const int file = files.of(value);
  while (file >= 0 && bytes != 0) {
    const std::uint64_t piece = std::min(bytes, piece_bytes);
    if (mmap(at, piece, readable, unshared | MAP_FIXED, file, 0) == MAP_FAILED) return false;
    at += piece;
    bytes -= piece;
  }
  return bytes == 0;
}

}  // namespace

UniformBytes::UniformBytes(std::uint64_t bytes, std::uint8_t value) : bytes_(bytes) {
  if (bytes_ < many) {
    data_ = static_cast<std::uint8_t*>(std::malloc(std::max<std::uint64_t>(bytes_, 1)));
    if (data_ == nullptr) throw std::bad_alloc();
    std::memset(data_, value, bytes_);
    return;
  }
  void* const at = mmap(nullptr, bytes_, readable, unshared | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::uint8_t*>(at);
  madvise(at, bytes_, MADV_HUGEPAGE);
  if (value != 0) fill(0, bytes_, value);
}

UniformBytes::~UniformBytes() {
  if (bytes_ < many)
    std::free(data_);
  else
    munmap(data_, bytes_);
}

void UniformBytes::fill(std::uint64_t at, std::uint64_t bytes, std::uint8_t value) {
  const std::uint64_t end = at + bytes;
  const std::uint64_t first = round_up(at, page_bytes), last = end / page_bytes * page_bytes;
  if (bytes < many || !map(data_ + first, last - first, value)) {
    std::memset(data_ + at, value, bytes);
    return;
  }
  std::memset(data_ + at, value, first - at);
  std::memset(data_ + last, value, end - last);
}

}  // namespace gauntlet::simt
