// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <new>

#include "base/numbers.hpp"
#include "machine/state/byte_states.hpp"
#include "sanitizer/program/heap.hpp"

namespace gauntlet::runtime {

void* empty_pages(void* at, std::uint64_t bytes) {
  const int fixed = at == nullptr ? 0 : MAP_FIXED;
  void* const pages = mmap(at, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  return pages;
}

SharedMemory::SharedMemory(std::uint64_t bytes)
    : file_(memfd_create("gauntlet", MFD_CLOEXEC)), bytes_(round_up(bytes, page_bytes())) {
  if (file_ < 0 || ftruncate(file_, static_cast<off_t>(2 * bytes_)) != 0) throw std::bad_alloc();
  void* const states =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(bytes_));
  if (states == MAP_FAILED) throw std::bad_alloc();
  std::memset(states, simt::uninitialised, bytes);
  munmap(states, bytes_);
}

std::shared_ptr<SharedMemory> SharedMemory::of_file(int file) {
  struct stat is {};
  if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_size <= 0) return nullptr;
  const auto bytes = static_cast<std::uint64_t>(is.st_size) / 2;
  const int own = bytes % page_bytes() == 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
  return own < 0 ? nullptr : std::shared_ptr<SharedMemory>(new SharedMemory(own, bytes));
}

SharedMemory::~SharedMemory() {
  if (file_ >= 0) close(file_);
}

void SharedMemory::show(void* at, std::uint64_t bytes, std::uint64_t from) const {
  if (mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_,
           static_cast<off_t>(from)) == MAP_FAILED) {
    throw std::bad_alloc();
  }
}

SharedMemory::Shown SharedMemory::show() const {
  const std::uint64_t room = bytes_ + page_bytes();
  const Shown shown{static_cast<std::byte*>(empty_pages(nullptr, room)),
                    static_cast<std::uint8_t*>(empty_pages(nullptr, room))};
  show_data(shown.data, bytes_);
  show_states(shown.state, bytes_);
  return shown;
}

void SharedMemory::hide(Shown shown) const {
  munmap(shown.data, bytes_ + page_bytes());
  munmap(shown.state, bytes_ + page_bytes());
}

}  // namespace gauntlet::runtime
