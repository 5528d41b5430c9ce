// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

namespace gauntlet::simt::symbolic {

/// Plain values, millions of them, appended a warp's at a time: unlike a vector it does not write
/// zeros first, grows by a quarter once it is large, and in place where the system can.
template <class T>
class Arena {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  Arena() = default;
  ~Arena() { std::free(data_); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&& other) noexcept { swap(other); }
  Arena& operator=(Arena&& other) noexcept {
    swap(other);
    return *this;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] T& operator[](std::size_t k) { return data_[k]; }
  [[nodiscard]] const T& operator[](std::size_t k) const { return data_[k]; }

  /// `count` more, whose content is that of the memory: the first of them. Earlier pointers end.
  T* grow(std::size_t count) {
    if (capacity_ - size_ < count) {
      constexpr std::size_t large = 1 << 18;
      reserve(std::max(size_ + count, capacity_ < large ? 2 * capacity_ + 64 : capacity_ / 4 * 5));
    }
    T* first = data_ + size_;
    size_ += count;
    return first;
  }
  void push_back(T value) { *grow(1) = value; }
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    void* larger = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (larger == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(larger);
    capacity_ = capacity;
  }
  /// Keeps the memory.
  void clear() { size_ = 0; }

 private:
  void swap(Arena& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }
  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace gauntlet::simt::symbolic
