// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A host that follows a device pointer ends by SIGSEGV, as with a GPU; here it is told why.
#include <fmt/format.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>

#include "runtime/state.hpp"

namespace gauntlet::runtime {
namespace {

void tell(int, siginfo_t* info, void* context) {
  // Behind this the instruction faults again, and the program ends as it would have.
  std::signal(SIGSEGV, SIG_DFL);
  State& s = state();
  if (!s.mutex.try_lock()) return;
  const auto address = reinterpret_cast<Address>(info->si_addr);
  if (const Array* const array = s.heap.find(address)) {
    Mistake mistake;
    mistake.kind = array->freed ? MistakeKind::use_after_free : MistakeKind::wrong_space;
    mistake.call = "access to memory";
    mistake.detail =
        fmt::format("the host follows a pointer to byte {} of {}, which {}", address - array->base,
                    array->name, array->freed ? "was freed" : "is device memory: copy it first");
    const auto at = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
    Trace from = trace();
    const auto fault = std::ranges::find(from, reinterpret_cast<void*>(at));
    from.erase(from.begin(), fault);
    // The others are addresses that are returned to.
    if (!from.empty()) from.front() = static_cast<char*>(from.front()) + 1;
    mistake.stack = frames(from);
    mistake.notes = s.heap.story(*array);
    s.report.add(std::move(mistake));
  }
  s.mutex.unlock();
}

}  // namespace

void watch_device_pointers() {
  struct sigaction old {};
  if (sigaction(SIGSEGV, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_sigaction = tell;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &ours, nullptr);
}

}  // namespace gauntlet::runtime
