// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A host that follows a device pointer ends by SIGSEGV, as with a GPU; here it is told why.
#include <fmt/format.h>
#include <sched.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>

#include "sanitizer/program/ending.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {

Trace fault_trace(const ucontext_t& context) {
  const auto at = context.uc_mcontext.gregs[REG_RIP];
  Trace from = trace();
  const auto fault = std::ranges::find(from, reinterpret_cast<void*>(at));
  from.erase(from.begin(), fault);
  // The others are addresses that are returned to.
  if (!from.empty()) from.front() = static_cast<char*>(from.front()) + 1;
  return from;
}

namespace {

void tell(int, siginfo_t* info, void* data) {
  auto& context = *static_cast<ucontext_t*>(data);
  const auto address = reinterpret_cast<Address>(info->si_addr);
  State& s = state();
  UndefinedWatch::pause();
  if (s.host_watch.may_be_closed(address)) {
    // Who holds the lock is in a call, for which the page is opened: the access is tried again.
    if (!s.mutex.try_lock()) {
      sched_yield();
      return;
    }
    const bool again = s.host_watch.fault(context, address);
    s.mutex.unlock();
    if (again) {
      s.host_watch.undefined.resume();
      return;
    }
  }
  // Behind this the instruction faults again, and the program ends as it would have.
  std::signal(SIGSEGV, SIG_DFL);
  if (!s.mutex.try_lock()) return;
  if (const Array* const array = s.heap.find(address)) {
    s.report.add(
        {.kind = array->freed ? MistakeKind::use_after_free : MistakeKind::wrong_space,
         .call = StreamOrder::host_itself,
         .detail = fmt::format("the host follows a pointer to byte {} of {}, which {}",
                               address - array->base, array->name,
                               array->freed ? "was freed" : "is device memory: copy it first"),
         .stack = frames(fault_trace(context)),
         .notes = s.heap.story(*array)});
  }
  s.mutex.unlock();
  write_as_dying(SIGSEGV);
}

}  // namespace

bool watches_device_pointers() {
  struct sigaction now {};
  return sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
         now.sa_sigaction == tell;
}

void watch_device_pointers() {
  struct sigaction old {};
  if (sigaction(SIGSEGV, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_sigaction = tell;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &ours, nullptr);
}

}  // namespace gauntlet::runtime
