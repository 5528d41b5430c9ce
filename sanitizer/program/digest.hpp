// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace gauntlet::runtime {

/// Of a stream of words, in four lanes side by side; each step can be undone, so that two streams
/// that differ in one word have different digests.
class Digest {
 public:
  void add(const void* from, std::uint64_t bytes) {
    const auto* at = static_cast<const std::byte*>(from);
    for (; bytes >= sizeof lanes_; bytes -= sizeof lanes_, at += sizeof lanes_) {
      std::array<std::uint64_t, 4> words;
      std::memcpy(&words, at, sizeof words);
      for (std::size_t k = 0; k < lanes_.size(); ++k) lanes_[k] = mixed(lanes_[k], words[k]);
    }
    std::array<std::uint64_t, 4> rest{};
    std::memcpy(&rest, at, bytes);
    for (std::size_t k = 0; k < lanes_.size(); ++k) lanes_[k] = mixed(lanes_[k], rest[k]);
  }
  [[nodiscard]] std::uint64_t value() const {
    std::uint64_t all = 0;
    for (const std::uint64_t lane : lanes_) all = mixed(all, lane);
    return all;
  }

 private:
  static std::uint64_t mixed(std::uint64_t lane, std::uint64_t word) {
    constexpr std::uint64_t odd = 0x9E37'79B9'7F4A'7C15, other = 0xD1B5'4A32'D192'ED03;
    return std::rotl(lane + word * odd, 31) * other;
  }
  std::array<std::uint64_t, 4> lanes_{1, 2, 3, 4};
};

}  // namespace gauntlet::runtime
