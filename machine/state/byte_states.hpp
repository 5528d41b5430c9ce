// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is known of each byte, and questions about many of them, eight at a time.
#pragma once

#include <cstdint>
#include <cstring>

namespace gauntlet::simt {

/// Per byte. The values are chosen so that one comparison of a word of states answers "mapped and
/// defined" for all its bytes.
enum ByteState : std::uint8_t {
  unmapped = 0,
  uninitialised = 1,
  initialised = 2,
  /// Of a word that mbarrier.init has made and mbarrier.inval has not ended: for operations on
  /// mbarriers alone, and to all others neither mapped nor defined.
  in_mbarrier = 4
};

template <ByteState what>
inline bool all_are(const std::uint8_t* state, std::uint64_t bytes) {
  constexpr std::uint64_t eight = 0x0101'0101'0101'0101 * what;
  std::uint64_t differs = 0;
  std::uint64_t k = 0;
  for (; k + 8 <= bytes; k += 8) {
    std::uint64_t x;
    std::memcpy(&x, state + k, 8);
    differs |= x ^ eight;
  }
  for (; k < bytes; ++k) differs |= state[k] ^ unsigned { what };
  return differs == 0;
}
/// Every byte is mapped and has a value.
inline bool all_defined(const std::uint8_t* state, std::uint64_t bytes) {
  return all_are<initialised>(state, bytes);
}
/// Every byte is mapped and none has a value.
inline bool all_undefined(const std::uint8_t* state, std::uint64_t bytes) {
  return all_are<uninitialised>(state, bytes);
}

/// all_defined of an element of 1, 2, 4 or 8 bytes.
inline bool element_defined(const std::uint8_t* state, unsigned size) {
  const auto is = [&]<class Word>(Word all) {
    Word x;
    std::memcpy(&x, state, sizeof x);
    return x == all;
  };
  constexpr std::uint64_t eight = 0x0101'0101'0101'0101 * ByteState::initialised;
  switch (size) {
    case 8:
      return is(eight);
    case 4:
      return is(static_cast<std::uint32_t>(eight));
    case 2:
      return is(static_cast<std::uint16_t>(eight));
    default:
      return all_defined(state, size);
  }
}

/// Every byte is mapped, and of no mbarrier: its state is 1 or 2.
[[gnu::always_inline]] inline bool all_mapped(const std::uint8_t* state, std::uint64_t bytes) {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
  std::uint64_t mapped = ones;
  std::uint64_t k = 0;
  for (; k + 8 <= bytes; k += 8) {
    std::uint64_t x;
    std::memcpy(&x, state + k, 8);
    mapped &= x | x >> 1;
  }
  bool rest = true;
  for (; k < bytes; ++k) rest &= state[k] - 1U < 2;
  return mapped == ones && rest;
}

/// Every byte has a value from now on. Nothing is written where that is so already: such states may
/// be mapped from a file of many readers (UniformBytes).
inline void define(std::uint8_t* state, std::uint64_t bytes) {
  if (!all_defined(state, bytes)) std::memset(state, ByteState::initialised, bytes);
}
inline void define_element(std::uint8_t* state, unsigned size) {
  if (!element_defined(state, size)) std::memset(state, ByteState::initialised, size);
}

/// all_mapped of an element of 1, 2, 4 or 8 bytes.
inline bool element_mapped(const std::uint8_t* state, unsigned size) {
  if (size != 4) return all_mapped(state, size);
  constexpr std::uint32_t ones = 0x0101'0101;
  std::uint32_t x;
  std::memcpy(&x, state, sizeof x);
  return ((x | x >> 1) & ones) == ones;
}

/// The undefined bits of an element of up to 8 bytes: of each byte all or none.
inline std::uint64_t undefined_in_memory(const std::uint8_t* state, unsigned size) {
  constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
  std::uint64_t x = 0;
  std::memcpy(&x, state, size);
  const std::uint64_t defined = (x >> 1 | x >> 2) & ones;
  const std::uint64_t bits = (defined ^ ones) * 0xFF;
  return size >= 8 ? bits : bits & ((std::uint64_t{1} << 8 * size) - 1);
}
/// Of an element that is stored: a byte with an undefined bit is undefined.
inline void set_states(std::uint8_t* state, unsigned size, std::uint64_t undefined_bits) {
  define_element(state, size);
  for (unsigned k = 0; undefined_bits != 0 && k < size; ++k) {
    const bool defined = (undefined_bits >> 8 * k & 0xFF) == 0;
    state[k] = defined ? ByteState::initialised : ByteState::uninitialised;
  }
}

}  // namespace gauntlet::simt
