// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/undefined_watch.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <initializer_list>
#include <utility>

#include "base/numbers.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

constexpr greg_t single_step = 0x100;  // of the flags

/// What the kernel asks before each system call of the program; not in all headers yet.
constexpr char allow = 0, block = 1;
constexpr int set_dispatch = 59, dispatch_on = 1;
volatile char dispatch = allow;

/// Ascending pages, those that lie behind each other at once.
void protect(const std::vector<Address>& pages, int how) {
  for (std::size_t k = 0; k < pages.size();) {
    const Address begin = pages[k];
    Address end = begin;
    for (; k < pages.size() && pages[k] == end; ++k) end += page_bytes();
    mprotect(reinterpret_cast<void*>(begin), end - begin, how);
  }
}

/// The words of an array that hold one of these bytes.
Pages words_of(const Array& array, Address begin, Address end) {
  constexpr Address word = 4;
  return {std::max(begin / word * word, array.base),
          std::min(round_up(end, word), array.base + array.bytes)};
}

/// A signal is ours, or nobody's so far.
bool take(int signal, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction now {};
  if (sigaction(signal, nullptr, &now) != 0) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0) return now.sa_sigaction == handler;
  if (now.sa_handler != SIG_DFL) return false;
  now.sa_sigaction = handler;
  now.sa_flags = SA_SIGINFO | SA_NODEFER;
  return sigaction(signal, &now, nullptr) == 0;
}

/// System calls go by SIGSYS where `dispatch` says so, but for that by which handlers return.
bool dispatch_system_calls() {
  struct {
    void* handler;
    unsigned long flags;
    Address restorer;
    std::uint64_t mask;
  } action{};
  constexpr unsigned long bytes_of_return = 16;
  return syscall(SYS_rt_sigaction, SIGSYS, nullptr, &action, sizeof action.mask) == 0 &&
         prctl(set_dispatch, dispatch_on, action.restorer, bytes_of_return, &dispatch) == 0;
}

/// Threads that have ended may be counted for a moment.
bool one_thread() {
  static unsigned tries = 1000;
  for (;; --tries) {
    struct stat of {};
    constexpr nlink_t of_one = 3;
    if (stat("/proc/self/task", &of) != 0) return false;
    if (of.st_nlink == of_one || tries == 0) return of.st_nlink == of_one;
    usleep(50);
  }
}

}  // namespace

Reach reach_of(const std::uint8_t* at) {
  enum Prefix : std::uint8_t { none, x66, xF3, xF2 } prefix = none;
  bool half = false, wide = false, two_bytes = false;
  unsigned vector = 16;
  for (;; ++at) {
    const std::uint8_t byte = *at;
    half |= byte == 0x66;
    if (byte == 0xF2 || byte == 0xF3) prefix = byte == 0xF2 ? xF2 : xF3;
    if (byte != 0x66 && byte != 0xF2 && byte != 0xF3 && byte != 0xF0 && (byte & 0xFC) != 0x64 &&
        (byte & 0xE7) != 0x26) {
      break;
    }
  }
  if (half && prefix == none) prefix = x66;
  if ((*at & 0xF0) == 0x40) wide = (*at++ & 8) != 0;
  if (*at == 0xC5 || *at == 0xC4 || *at == 0x62) {
    const bool shortest = *at == 0xC5, evex = *at == 0x62;
    if (!shortest && (at[1] & (evex ? 7 : 31)) != 1) return {};
    if (evex && (at[3] & 0x17) != 0) return {};  // some elements, or one for all
    const std::uint8_t last = at[shortest ? 1 : 2];
    prefix = static_cast<Prefix>(last & 3);
    vector = 16U << (evex ? at[3] >> 5 & 3 : last >> 2 & 1);
    two_bytes = true;
    at += shortest ? 2 : evex ? 4 : 3;
  } else if (*at == 0x0F) {
    two_bytes = true;
    ++at;
  }
  const unsigned op = *at, scalar = wide ? 8 : half ? 2 : 4;
  const auto exactly = [](unsigned bytes) { return Reach{bytes, bytes}; };
  if (!two_bytes) {
    if (op == 0x88 || op == 0x8A || op == 0xC6) return exactly(1);
    if (op == 0x89 || op == 0x8B || op == 0xC7) return exactly(scalar);
    if (op == 0x63) return exactly(4);
    if (op >= 0xA4 && op <= 0xAF && (op & 0xFE) != 0xA8) return exactly((op & 1) != 0 ? scalar : 1);
    const bool updates = (op < 0x40 && (op & 7) < 2) || (op >= 0x80 && op <= 0x83) || op == 0xC0 ||
                         op == 0xC1 || (op >= 0xD0 && op <= 0xD3) || (op & 0xFE) == 0xF6 ||
                         (op & 0xFE) == 0xFE || (op & 0xFE) == 0x86;
    const unsigned bytes = (op & 1) != 0 || op == 0x82 ? scalar : 1;
    return updates ? Reach{bytes, bytes, true} : Reach{};
  }
  const auto is = [&](std::initializer_list<unsigned> of) {
    return std::ranges::count(of, op) != 0;
  };
  if (is({0xB0, 0xB1, 0xC0, 0xC1})) return {1, 8, true};  // cmpxchg, xadd
  if (is({0xB6, 0xBE})) return exactly(1);
  if (is({0xB7, 0xBF})) return exactly(2);
  // Whole vectors; those, or one number; halves.
  if (is({0x28, 0x29, 0x2B, 0x6F, 0x7F, 0xD4, 0xE7, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE})) {
    return exactly(prefix == none && op > 0x2B ? 8 : vector);  // MMX
  }
  if (is({0x10, 0x11, 0x58, 0x59, 0x5C, 0x5D, 0x5E, 0x5F})) {
    return exactly(prefix == xF3 ? 4 : prefix == xF2 ? 8 : vector);
  }
  if (is({0x12, 0x13, 0x16, 0x17, 0xD6})) return exactly(prefix == xF3 ? vector : 8);
  return {};
}

bool UndefinedWatch::possible() {
  if (!watches_device_pointers() || !take(SIGTRAP, on_trap) || !take(SIGSYS, on_system_call) ||
      !one_thread()) {
    return false;
  }
  static pid_t told = 0;
  if (told != gettid() && dispatch_system_calls()) told = gettid();
  return told == gettid();
}

bool UndefinedWatch::undefined_in(const Array& array, Address begin, Address end) const {
  const auto [from, to] = words_of(array, begin, end);
  return from < to && heap_.poisoned(array, from, to - from);
}

bool UndefinedWatch::still(const Array& array, Address page) const {
  if (undefined_in(array, page, page + page_bytes())) return true;
  heap_.define(array, page, page + page_bytes());
  return false;
}

void UndefinedWatch::look_at(const Array& array, Watched& one) const {
  const Pages own = own_pages(array);
  one.end = array.base + array.bytes;
  one.pages.clear();
  for (Address page = own.begin; page < own.end; page += page_bytes()) one.pages.push_back(page);
  heap_.define(array, one.base, own.begin);
  heap_.define(array, own.end, one.end);
}

void UndefinedWatch::close() {
  const bool fresh = std::exchange(seen_, heap_.memory.origins) != heap_.memory.origins;
  if (fresh) {
    arrays_.clear();
    for (const Address base : heap_.shared()) {
      if (heap_.may_be_undefined(heap_.live(base))) arrays_.push_back({base, 0, {}});
    }
  }
  if (arrays_.empty()) return;
  watching_ = possible();
  steps_ = 0;
  if (!watching_) return;
  for (Watched& one : arrays_) {
    const Array* const array = heap_.live(one.base);
    // A page that has no such words any more is known as such when the host comes to it.
    const bool known = array != nullptr && one.end == array->base + array->bytes;
    if (array == nullptr || !array->closable || known) continue;
    look_at(*array, one);
    std::erase_if(one.pages, [&](Address page) { return !still(*array, page); });
  }
  close_again();
  resume();
}

void UndefinedWatch::close_again() const {
  if (!watching_) return;
  for (const Watched& one : arrays_) {
    protect(one.pages, PROT_NONE);
  }
}

void UndefinedWatch::open() {
  pause();
  const bool watched = std::exchange(watching_, false);
  std::erase_if(arrays_, [&](const Watched& one) {
    const Array* const array = heap_.live(one.base);
    if (array == nullptr) return true;
    protect(one.pages, PROT_READ | PROT_WRITE);
    if (watched && array->closable && !one.pages.empty()) return false;
    heap_.define(*array, array->base, array->base + array->bytes);
    return true;
  });
}

bool UndefinedWatch::may_be_closed(Address address) const {
  return std::ranges::any_of(arrays_, [&](const Watched& one) {
    return !one.pages.empty() && address >= one.pages.front() &&
           address < one.pages.back() + page_bytes();
  });
}

void UndefinedWatch::pause() { dispatch = allow; }

void UndefinedWatch::resume() const {
  const bool closed = watching_ && std::ranges::any_of(arrays_, [](const Watched& one) {
                        return !one.pages.empty();
                      });
  if (closed) dispatch = block;
}

void UndefinedWatch::give_up(Watched& one) const {
  protect(one.pages, PROT_READ | PROT_WRITE);
  heap_.define(*heap_.live(one.base), one.base, one.end);
  one.pages.clear();
}

void UndefinedWatch::give_up() {
  for (Watched& one : arrays_) give_up(one);
}

bool UndefinedWatch::fault(ucontext_t& at, Address address, const std::function<Trace()>& where) {
  const Address page = address / page_bytes() * page_bytes();
  const auto found = std::ranges::find_if(
      arrays_, [&](const Watched& one) { return std::ranges::binary_search(one.pages, page); });
  if (!watching_ || found == arrays_.end()) return false;
  const Array& array = *heap_.live(found->base);
  greg_t* const registers = at.uc_mcontext.gregs;
  const bool writes = writes_memory(at);
  const Reach reach = reach_of(reinterpret_cast<const std::uint8_t*>(registers[REG_RIP]));
  constexpr unsigned most_steps = 10'000;
  if ((!writes || reach.updates) && undefined_in(array, address, address + reach.least)) {
    const auto [from, to] = words_of(array, address, address + reach.least);
    heap_.tell_undefined_read(StreamOrder::host_itself, array, from, to - from, where());
    give_up(*found);
  } else if (++steps_ > most_steps) {
    give_up();
  } else {
    if (writes) heap_.define(array, address, address + reach.most);
    protect({page}, PROT_READ | PROT_WRITE);
    opened_.push_back(page);
    registers[REG_EFL] |= single_step;
  }
  return true;
}

void UndefinedWatch::on_trap(int, siginfo_t*, void* context) {
  pause();
  UndefinedWatch& watch = state().host_watch.undefined;
  const std::vector<Address> opened = std::exchange(watch.opened_, {});
  if (opened.empty()) {  // the program's own
    std::signal(SIGTRAP, SIG_DFL);
    std::raise(SIGTRAP);
    return;
  }
  static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~single_step;
  for (Watched& one : watch.arrays_) {
    std::erase_if(one.pages, [&](Address page) {
      if (std::ranges::count(opened, page) == 0) return false;
      const bool closed = watch.still(*watch.heap_.live(one.base), page);
      if (closed) protect({page}, PROT_NONE);
      return !closed;
    });
  }
  watch.resume();
}

void UndefinedWatch::on_system_call(int, siginfo_t* info, void* context) {
  pause();
  UndefinedWatch& watch = state().host_watch.undefined;
  greg_t* const r = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long number = info->si_syscall;
  // What changes the signals, the stack or the threads of its caller cannot be done in its place.
  constexpr long own[] = {SYS_clone,  SYS_clone3,         SYS_fork,         SYS_vfork,
                          SYS_execve, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack};
  if (std::ranges::count(own, number) == 0) {
    const int before = errno;
    const long result =
        syscall(number, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
    const int error = std::exchange(errno, before);
    if (result != -1 || error != EFAULT) {
      r[REG_RAX] = result == -1 ? -error : result;
      watch.resume();
      return;
    }
  }
  watch.give_up();
  constexpr greg_t bytes_of_instruction = 2;
  r[REG_RIP] -= bytes_of_instruction;
  r[REG_RAX] = number;
}

}  // namespace gauntlet::runtime
