// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for what the race detector keeps, which is many small pieces of few sizes: cut off large
// chunks one behind the other, and given back to lists by size. The chunks are handed on from one
// launch to the next of the same thread, so that a launch like the one before asks the system for
// nothing; what is in them is forgotten without being looked at.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "base/host_memory.hpp"

namespace gauntlet::simt::races {

class Room : public std::pmr::memory_resource {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() override { limit(nullptr); }

  /// Counts what is taken, until it is forgotten; nullptr: nobody does.
  void limit(MemoryLimit* limit);
  /// Bytes of the chunks of which something was taken.
  [[nodiscard]] std::uint64_t taken() const;
  /// All that was taken is free again, and nobody's. Keeps so many bytes, for the next launch.
  void forget(std::size_t most_kept);

  /// Destroys one that `make` has made, and keeps its place for the next.
  template <class T>
  struct Return {
    Room* room = nullptr;
    void operator()(T* made) const {
      std::destroy_at(made);
      room->deallocate(made, sizeof(T), alignof(T));
    }
  };
  template <class T>
  using Made = std::unique_ptr<T, Return<T>>;
  /// So many of them, which nobody destroys.
  template <class T>
  [[nodiscard]] T* array(std::size_t count) {
    return static_cast<T*>(allocate(count * sizeof(T), alignof(T)));
  }
  /// Its members have no value unless they say so.
  template <class T, class... Args>
  [[nodiscard]] Made<T> make(Args&&... args) {
    void* const at = allocate(sizeof(T), alignof(T));
    if constexpr (sizeof...(Args) == 0) {
      return Made<T>(::new (at) T, {this});
    } else {
      return Made<T>(::new (at) T(std::forward<Args>(args)...), {this});
    }
  }

 private:
  // Beyond `most_stepped` sizes are powers of two: what grows leaves pieces that others take.
  static constexpr std::size_t step = 16, most_stepped = 2048;
  static constexpr std::size_t first_chunk = std::size_t{1} << 18, largest_chunk = first_chunk << 7;
  struct Free {
    Free* next;
  };
  struct Chunk {
    std::unique_ptr<std::byte[]> data;
    std::size_t bytes = 0;
  };
  struct Size {
    std::size_t bytes, list;
  };
  static Size size_of(std::size_t bytes) {
    constexpr std::size_t stepped = most_stepped / step;
    if (bytes <= most_stepped) {
      const std::size_t steps = (bytes + step - 1) / step;
      return {steps * step, steps};
    }
    const std::size_t whole = std::bit_ceil(bytes);
    return {whole, stepped + std::bit_width(whole / most_stepped) - 1};
  }
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* at, std::size_t bytes, std::size_t alignment) override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
  /// The next chunk, of at least so many bytes.
  std::span<std::byte> next_chunk(std::size_t bytes);

  std::vector<Chunk> chunks_;
  std::size_t next_chunk_ = 0;  // of which nothing is taken yet
  std::byte* begin_ = nullptr;  // of what is left of the one before
  std::byte* end_ = nullptr;
  std::array<Free*, most_stepped / step + 1 + 40> free_{};  // by size
  MemoryLimit* limit_ = nullptr;
};

/// The room of a launch: that of an earlier one where it has ended, otherwise a new one.
class LentRoom {
 public:
  explicit LentRoom(MemoryLimit* limit);
  LentRoom(const LentRoom&) = delete;
  LentRoom& operator=(const LentRoom&) = delete;
  ~LentRoom();
  [[nodiscard]] Room& operator*() const { return *room_; }

 private:
  std::unique_ptr<Room> room_;
};

}  // namespace gauntlet::simt::races
