// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A .npy file: the first byte of the input chooses the type that is asked for, the rest is the
// file. What is read is written and read once more.
#include "sanitizer/kernel/npy.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/usage_error.hpp"
#include "tests/fuzz/target.hpp"

namespace {

/// A file in memory, the same one for all inputs.
std::string file_of(const void* bytes, std::size_t size) {
  static const int file = memfd_create("fuzz.npy", 0);
  const bool written = file >= 0 && ftruncate(file, 0) == 0 &&
                       pwrite(file, bytes, size, 0) == static_cast<ssize_t>(size);
  gauntlet::fuzz::require(written, "a file in memory can be written");
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace

GAUNTLET_FUZZ_TARGET(npy) {
  using namespace gauntlet;
  if (size == 0) return 0;
  const auto& types = all<Type>();
  const Type type = types[data[0] % types.size()];
  try {
    const std::string path = file_of(data + 1, size - 1);
    const std::uint64_t count = sanitize::npy_count(path, type);
    const auto bytes = sanitize::read_npy(path, type, count);
    fuzz::require(bytes.size() == count * size_of(type), "all elements were read");
    sanitize::write_npy(path, type, bytes);
    fuzz::require(sanitize::read_npy(path, type, count) == bytes, "what was written is read");
  } catch (const gauntlet::UsageError&) {
  }
  return 0;
}
