// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The host's own accesses to managed and pinned memory. Between two calls of the runtime the pages
// are closed to it that are wholly written by what the host has not waited for, and those that are
// read can only be read; an access to one is a mistake that is told, and goes on.
#pragma once

#include <vector>

#include "sanitizer/program/stream_order.hpp"

namespace gauntlet::runtime {

class HostWatch {
 public:
  HostWatch(const Heap& heap, StreamOrder& order) : heap_(heap), order_(order) {}

  /// A call of the runtime begins: it may touch all pages.
  void open();
  /// It ends.
  void close();
  /// The host was stopped at an address. True: it may try again, and was told why.
  bool fault(Address address, bool writes, Trace where);

 private:
  void close(const Array& array);

  const Heap& heap_;
  StreamOrder& order_;
  std::vector<Address> closed_;  // arrays with such pages
  Address last_ = 0;
  unsigned again_ = 0;  // times that the last one was open already
};

/// Where managed and pinned arrays lie, and nothing else.
inline constexpr Address first_shared_page = 0x6800'0000'0000, last_shared_page = 0x7000'0000'0000;

}  // namespace gauntlet::runtime
