// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which pages of an array are known to be defined, byte for byte, so that nobody has to look at
// their states; who may change the states may change what is known. Threads of a launch share it:
// what one of them makes undefined stays unknown until the host says otherwise.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "machine/state/byte_states.hpp"

namespace gauntlet::simt {

class DefinedPages {
 public:
  /// Of an array of so many bytes; 0: none is ever known.
  void begin(std::uint64_t bytes) {
    bytes_ = bytes;
    pages_ = bytes == 0 ? nullptr : std::make_unique<Page[]>((bytes - 1) / page_bytes + 1);
  }
  /// All of [at, at + bytes), at most a page's length, is known to be defined.
  [[nodiscard, gnu::always_inline]] bool has(std::uint64_t at, std::uint64_t bytes) const {
    if (pages_ == nullptr) return false;
    const std::uint64_t first = at / page_bytes, last = (at + bytes - 1) / page_bytes;
    return is(first, known) && (first == last || is(last, known));
  }
  /// After the byte at `at` was seen to be defined: whether its page is.
  void look(const std::uint8_t* state, std::uint64_t at) const {
    if (pages_ == nullptr) return;
    Page& page = pages_[at / page_bytes];
    std::uint8_t tries = page.load(std::memory_order_relaxed);
    if (tries >= most_tries) return;
    const std::uint64_t begin = at / page_bytes * page_bytes;
    const std::uint64_t length = std::min(page_bytes, bytes_ - begin);
    state += begin;
    // Most arrays are written from one end to the other.
    if (state[0] != ByteState::initialised || state[length - 1] != ByteState::initialised) return;
    const bool defined = all_defined(state, length);
    const auto next = static_cast<std::uint8_t>(defined ? std::uint8_t{known} : tries + 1);
    page.compare_exchange_strong(tries, next);  // unless it was made undefined meanwhile
  }
  /// Before states of [at, at + bytes) become something else.
  void undefine(std::uint64_t at, std::uint64_t bytes) const { put(at, bytes, given_up); }
  /// The host has defined these bytes.
  void define(std::uint64_t at, std::uint64_t bytes) const {
    if (pages_ == nullptr) return;
    std::uint64_t begin = (at + page_bytes - 1) / page_bytes, end = (at + bytes) / page_bytes;
    if (at + bytes == bytes_) end = (bytes_ - 1) / page_bytes + 1;
    for (; begin < end; ++begin) pages_[begin] = known;
  }
  /// What the host, or who takes back what a launch has done, has put there may be anything.
  void forget(std::uint64_t at, std::uint64_t bytes) const { put(at, bytes, 0); }
  void forget() const { forget(0, bytes_); }

  static constexpr std::uint64_t page_bytes = 4096;

 private:
  /// How often it was looked at in vain, or:
  using Page = std::atomic<std::uint8_t>;
  static constexpr std::uint8_t most_tries = 16, given_up = 254, known = 255;
  [[nodiscard]] bool is(std::uint64_t page, std::uint8_t what) const {
    return pages_[page].load(std::memory_order_relaxed) == what;
  }
  void put(std::uint64_t at, std::uint64_t bytes, std::uint8_t what) const {
    if (pages_ == nullptr || bytes == 0) return;
    for (std::uint64_t k = at / page_bytes; k <= (at + bytes - 1) / page_bytes; ++k) {
      pages_[k] = what;
    }
  }
  std::unique_ptr<Page[]> pages_;
  std::uint64_t bytes_ = 0;
};

}  // namespace gauntlet::simt
