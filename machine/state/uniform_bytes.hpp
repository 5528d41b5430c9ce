// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes of which long stretches often hold one value: the states of an array, and its content while
// nobody has written it or cudaMemset has.
#pragma once

#include <cstdint>
#include <utility>

namespace gauntlet::simt {

/// Where these are many, a stretch that was filled takes no memory of its own: its pages are those
/// of one file, mapped again and again, until somebody writes them.
class UniformBytes {
 public:
  UniformBytes() = default;
  /// Each is `value`. Throws std::bad_alloc.
  UniformBytes(std::uint64_t bytes, std::uint8_t value);
  UniformBytes(UniformBytes&& other) noexcept { swap(other); }
  UniformBytes& operator=(UniformBytes&& other) noexcept {
    UniformBytes taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~UniformBytes();

  [[nodiscard]] std::uint8_t* data() const { return data_; }
  /// Those of [at, at + bytes), which lie inside, become `value`.
  void fill(std::uint64_t at, std::uint64_t bytes, std::uint8_t value);

  /// Fewer are filled one by one, and are plain memory if there are no more of them.
  static constexpr std::uint64_t many = 8 << 20;

 private:
  void swap(UniformBytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  std::uint8_t* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace gauntlet::simt
