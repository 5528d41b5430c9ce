// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What two accesses of an event log are to each other, whatever orders them: for the checker.
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine/state/event_log.hpp"

namespace gauntlet::simt::test::checker {

using What = Event::What;

struct Access {
  const Event* event;
  std::uint32_t thread;    ///< of the launch
  std::uint32_t stamp;     ///< the thread's event count
  bool publishes = false;  ///< a strong write behind a release of its thread
  bool on_device = false;  ///< ... that reaches other blocks
  bool first = false;      ///< ... with no other strong write between
};

inline bool is_volatile(const Event& e) { return e.strong && e.order == Order::weak; }
inline bool device_wide(const Event& e) { return !e.strong || e.scope >= Scope::gpu; }
inline bool releases(Order o) { return o == Order::release || o >= Order::acq_rel; }
inline bool acquires(Order o) { return o == Order::acquire || o >= Order::acq_rel; }

/// A thread that polls, by a read or by an atomic: what follows the last time follows the others
/// too, and is as much of an exchange with it, where all publish alike. Both are of one thread.
inline bool polls_again(const Access& before, const Access& now) {
  const Event &x = *before.event, &y = *now.event;
  return x.inst == y.inst && x.address == y.address && y.what != What::write &&
         before.publishes == now.publishes && before.on_device == now.on_device &&
         before.first == now.first;
}

inline bool signals(const Access& flag, const Access& waiter) {
  const Event &x = *flag.event, &y = *waiter.event;
  if (x.what == What::read) return false;
  if (y.decides == MemoryOp::Decides::arrival) return true;
  if (y.decides == MemoryOp::Decides::loop && x.what == What::atomic) return true;
  if (!flag.publishes) return false;
  if (x.block != y.block && !flag.on_device) return false;
  if (releases(x.order) || y.decides == MemoryOp::Decides::loop) return true;
  const bool same_warp = x.block == y.block && x.thread / 32 == y.thread / 32;
  return flag.first && !same_warp && (y.decides == MemoryOp::Decides::acquire || acquires(y.order));
}

/// A strong pair that is made to be unordered: of atomics of C++, or of a flag and who waits.
inline bool exchange(const Access& a, const Access& b) {
  const Event &x = *a.event, &y = *b.event;
  const bool inclusive = x.block == y.block || (device_wide(x) && device_wide(y));
  const bool complete = x.element == y.element && (x.address - y.address) % x.element == 0;
  if (!x.strong || !y.strong || !inclusive || !complete) return false;
  if (!is_volatile(x) && !is_volatile(y)) return true;
  if (x.what == What::write && y.what == What::write) return false;
  return signals(a, b) || signals(b, a);
}

/// A write, and a load that no order reaches.
inline bool of_read_only(const Access& a, const Access& b) {
  const Event &x = *a.event, &y = *b.event;
  return (x.read_only && y.what != What::read) || (y.read_only && x.what != What::read);
}

/// Both wrote the same into the bytes that they share, of the first eight of each.
inline bool same_bytes(const Event& x, const Event& y) {
  const auto end = [](const Event& e) { return e.address + std::min(e.width, 8U); };
  for (auto at = std::max(x.address, y.address); at < std::min(end(x), end(y)); ++at) {
    const auto byte = [at](const Event& e) { return e.value >> 8 * (at - e.address) & 0xFF; };
    if (byte(x) != byte(y)) return false;
  }
  return true;
}

}  // namespace gauntlet::simt::test::checker
