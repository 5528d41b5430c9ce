// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which pages of an array are known to be defined, byte for byte, so that nobody has to look at
// their states; who may change the states may change what is known. Threads of a launch share it:
// what one of them makes undefined stays unknown until the host says otherwise. The memory of
// states that were written is given back where all pages around are known.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>

#include "machine/state/byte_states.hpp"
#include "machine/state/uniform_bytes.hpp"

namespace gauntlet::simt {

class DefinedPages {
 public:
  /// Of an array of so many bytes, whose states these are; 0: none is ever known.
  void begin(std::uint64_t bytes, UniformBytes* states = nullptr);
  /// All of [at, at + bytes), at most a page's length, is known to be defined.
  [[nodiscard, gnu::always_inline]] bool has(std::uint64_t at, std::uint64_t bytes) const {
    if (pages_ == nullptr) return false;
    const std::uint64_t first = at / page_bytes, last = (at + bytes - 1) / page_bytes;
    return is(first, known) && (first == last || is(last, known));
  }
  /// The same of as many as there are.
  [[nodiscard]] bool has_all(std::uint64_t at, std::uint64_t bytes) const {
    if (pages_ == nullptr) return false;
    for (std::uint64_t page = at / page_bytes; page * page_bytes < at + bytes; ++page) {
      if (!is(page, known)) return false;
    }
    return true;
  }
  /// After the byte at `at` was seen to be defined: whether its page is.
  void look(const std::uint8_t* state, std::uint64_t at) const {
    if (pages_ == nullptr) return;
    const std::uint8_t tries = pages_[at / page_bytes].load(std::memory_order_relaxed);
    if (tries > most_tries) return;
    const std::uint64_t begin = at / page_bytes * page_bytes;
    const std::uint64_t length = std::min(page_bytes, bytes_ - begin);
    state += begin;
    // Most arrays are written from one end to the other.
    if (state[0] != ByteState::initialised || state[length - 1] != ByteState::initialised) return;
    // Where they are not, ever more seldom.
    const bool looks = tries < all_tries || std::has_single_bit(tries);
    note(at / page_bytes, tries, looks && all_defined(state, length));
  }
  /// Before states of [at, at + bytes) become something else.
  void undefine(std::uint64_t at, std::uint64_t bytes) const { put(at, bytes, given_up); }
  /// The host has defined these bytes.
  void define(std::uint64_t at, std::uint64_t bytes) const;
  /// What the host, or who takes back what a launch has done, has put there may be anything.
  void forget(std::uint64_t at, std::uint64_t bytes) const { put(at, bytes, 0); }
  void forget() const { forget(0, bytes_); }

  static constexpr std::uint64_t page_bytes = 4096;

 private:
  /// How often it was asked for in vain, or:
  using Page = std::atomic<std::uint8_t>;
  static constexpr std::uint8_t all_tries = 16, most_tries = 128, given_up = 254, known = 255;
  /// Pages whose states are given back together.
  struct Piece {
    std::atomic<std::uint32_t> became_known{0};  ///< since it was last counted
    std::atomic<bool> busy{false};               ///< a thread gives it back
  };
  static constexpr std::uint64_t piece_pages = UniformBytes::many / page_bytes;
  [[nodiscard]] bool is(std::uint64_t page, std::uint8_t what) const {
    return pages_[page].load(std::memory_order_relaxed) == what;
  }
  void put(std::uint64_t at, std::uint64_t bytes, std::uint8_t what) const;
  /// After a look at a page that had been looked at so often.
  void note(std::uint64_t page, std::uint8_t tries, bool defined) const;
  /// Of pages of one piece.
  void more_known(std::uint64_t piece, std::uint32_t pages) const;
  std::unique_ptr<Page[]> pages_;
  std::unique_ptr<Piece[]> pieces_;  ///< nullptr: none is given back
  UniformBytes* states_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace gauntlet::simt
