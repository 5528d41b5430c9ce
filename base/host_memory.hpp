// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory the host has left, asked before something large is allocated.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace gauntlet {

/// Bytes that can be had without swapping (Linux's MemAvailable), that are left to the control
/// group of the process (cgroups(7), memory), or to its addresses (ulimit -v), whichever are
/// fewest; 0 where that is not known.
[[nodiscard]] std::uint64_t memory_available();

/// How much may be taken of the host's memory, by several threads, for what one can do without.
class MemoryLimit {
 public:
  /// Half of what is free, without what was taken: asked again and again while more is taken, for
  /// others take, too. Of several processes none takes what is left.
  MemoryLimit() : MemoryLimit(little) { asks_ = true; }
  /// So many bytes.
  explicit MemoryLimit(std::uint64_t bytes) : until_(bytes) {}
  void take(std::uint64_t bytes) {
    if ((taken_ += bytes) > until_) look();
  }
  void give_back(std::uint64_t bytes) { taken_ -= bytes; }
  /// More was taken; nothing else is to be.
  [[nodiscard]] bool full() const { return full_.load(std::memory_order_relaxed); }
  /// Those who have filled it have given back what they took.
  void reopen() { full_ = false; }

 private:
  static constexpr std::uint64_t little = 64 << 20;  // not worth asking the host
  void look();
  std::atomic<std::uint64_t> taken_{0}, until_;
  std::atomic<bool> full_{false};
  bool asks_ = false;
};

/// "12 MiB", from 10,000 MiB on "17 GiB". Bytes are a floating-point number here and below, because
/// what a case asks for may be more than 64 bits count.
[[nodiscard]] std::string memory_text(double bytes);

/// "SUBJECT needs about 128 GiB of host memory and 22 GiB are free", or nothing where `needed`
/// bytes fit in `available` ones. Where 0, unknown, are available, everything fits that an address
/// space of 2^46 bytes holds. `needs` is the verb: "needs" or "need".
[[nodiscard]] std::string too_large(const std::string& subject, const std::string& needs,
                                    double needed, std::uint64_t available);

}  // namespace gauntlet
