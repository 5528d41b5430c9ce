// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The host's own accesses to managed, pinned and registered memory. Between two calls of the
// runtime the pages are closed to it that are wholly written by what the host has not waited for,
// and those that are read can only be read; an access to one is a mistake that is told, and goes
// on.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include "sanitizer/program/stream_order.hpp"
#include "sanitizer/program/undefined_watch.hpp"

namespace gauntlet::runtime {

/// Where managed and pinned arrays lie, and nothing else.
inline constexpr Address first_shared_page = 0x6800'0000'0000, last_shared_page = 0x7000'0000'0000;

class HostWatch {
 public:
  HostWatch(Heap& heap, StreamOrder& order) : undefined(heap), heap_(heap), order_(order) {}

  /// A call of the runtime begins: it may touch all pages.
  void open();
  /// It ends.
  void close();
  /// Whether a page there may be closed. For signal handlers.
  [[nodiscard]] bool may_be_closed(Address address) const {
    return (address >= first_shared_page && address < last_shared_page) ||
           std::ranges::any_of(
               own_, [&](const Own& own) { return address >= own.begin && address < own.end; }) ||
           undefined.may_be_closed(address);
  }
  /// The host was stopped at an address. True: it may try again, and was told why.
  bool fault(ucontext_t& at, Address address);

  UndefinedWatch undefined;

 private:
  static void open(const Array& array);
  void close(const Array& array);
  /// Pages of registered memory that are closed now and then. False: there are too many of them.
  bool remember(Pages pages);

  const Heap& heap_;
  StreamOrder& order_;
  std::vector<Address> closed_;  // arrays with such pages
  struct Own {
    std::atomic<Address> begin{0}, end{0};
  };
  std::array<Own, 64> own_;  // an end of 0: none
  Address last_ = 0;
  unsigned again_ = 0;  // times that the last one was open already
};

/// The call stack of a fault, and whether it was a write.
[[nodiscard]] Trace fault_trace(const ucontext_t& context);
[[nodiscard]] inline bool writes_memory(const ucontext_t& context) {
  constexpr greg_t write_bit = 2;  // of the page fault's error code
  return (context.uc_mcontext.gregs[REG_ERR] & write_bit) != 0;
}

}  // namespace gauntlet::runtime
