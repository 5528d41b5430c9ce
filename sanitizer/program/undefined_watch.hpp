// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The host's own reads of undefined values that kernels stored in managed, pinned or registered
// memory. Between two calls of the runtime the pages that hold such words are closed to the host;
// an instruction that accesses one is judged by the bytes that it accesses, runs with the page
// open, and then the page is closed again. So what the host writes meanwhile is known, too.
//
// System calls would fail on a closed page: they are dispatched to this process (Linux 5.11), made
// with the pages closed, and where they fail for that, made again with all pages open for good. Of
// a program with several threads nothing is watched: what one of them does while a page is open for
// another would not be seen.
#pragma once

#include <ucontext.h>

#include <csignal>
#include <functional>
#include <vector>

#include "sanitizer/program/heap.hpp"

namespace gauntlet::runtime {

/// What is known of the bytes that an instruction accesses, by its code.
struct Reach {
  unsigned least = 1, most = 64;
  bool updates = false;  ///< it reads the bytes that it writes
};
[[nodiscard]] Reach reach_of(const std::uint8_t* instruction);

class UndefinedWatch {
 public:
  explicit UndefinedWatch(Heap& heap) : heap_(heap) {}

  /// A call of the runtime ends: the host goes on.
  void close();
  /// A call begins: it may touch all pages. Where the host was not watched it may have written all.
  void open();
  /// Pages were opened for another reason.
  void close_again() const;
  /// Whether a page there may be closed. For signal handlers.
  [[nodiscard]] bool may_be_closed(Address address) const;
  /// The host was stopped at an address. True: it may go on.
  bool fault(ucontext_t& at, Address address, const std::function<Trace()>& where);
  /// From here to there system calls are those of this library.
  static void pause();
  void resume() const;

 private:
  struct Watched {
    Address base = 0, end = 0;
    std::vector<Address> pages;  ///< of its own that hold undefined words, ascending
  };
  static void on_trap(int signal, siginfo_t* info, void* context);
  static void on_system_call(int signal, siginfo_t* info, void* context);
  /// Signals, system calls and threads are as they have to be.
  [[nodiscard]] static bool possible();
  /// All pages may have such words; what is on no page of its own is not watched, and defined.
  void look_at(const Array& array, Watched& one) const;
  [[nodiscard]] bool undefined_in(const Array& array, Address begin, Address end) const;
  /// Whether the page still has such words; if not, nothing of it is watched any more.
  [[nodiscard]] bool still(const Array& array, Address page) const;
  /// The host may do with these what it likes, until a kernel stores such values again.
  void give_up(Watched& one) const;
  void give_up();

  Heap& heap_;
  std::vector<Watched> arrays_;
  std::vector<Address> opened_;  // pages, for one instruction
  std::uint32_t seen_ = 0;       // of GlobalMemory::origins
  unsigned steps_ = 0;           // since the last call
  bool watching_ = false;
};

}  // namespace gauntlet::runtime
