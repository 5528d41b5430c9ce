// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/host_watch.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/numbers.hpp"
#include "sanitizer/program/ending.hpp"
#include "sanitizer/program/state.hpp"

namespace gauntlet::runtime {
namespace {

using Pieces = std::vector<std::pair<Address, Address>>;

void protect(Address begin, Address end, int how) {
  if (begin < end) mprotect(reinterpret_cast<void*>(begin), end - begin, how);
}

/// The array's own pages that the pieces cover together.
void protect(Pieces pieces, const Array& array, int how) {
  std::ranges::sort(pieces);
  const Address end_of_array = array.base + array.bytes;
  const Pages own = own_pages(array);
  for (std::size_t k = 0; k < pieces.size();) {
    auto [begin, end] = pieces[k];
    for (++k; k < pieces.size() && pieces[k].first <= end; ++k)
      end = std::max(end, pieces[k].second);
    protect(round_up(begin, page_bytes()),
            end == end_of_array ? own.end : end / page_bytes() * page_bytes(), how);
  }
}

}  // namespace

void HostWatch::open() {
  undefined.open();
  for (const Address base : closed_) {
    const Array* const array = heap_.live(base);
    if (array == nullptr) continue;
    open(*array);
  }
  closed_.clear();
}

void HostWatch::open(const Array& array) {
  const Pages own = own_pages(array);
  protect(own.begin, own.end, PROT_READ | PROT_WRITE);
}

bool HostWatch::remember(Pages pages) {
  for (Own& own : own_) {
    if (own.begin == pages.begin && own.end == pages.end) return true;
    if (own.end != 0) continue;
    own.begin = pages.begin;
    own.end = pages.end;
    return true;
  }
  return false;
}

void HostWatch::close() {
  for (const Address base : heap_.shared()) {
    if (!order_.any(base)) continue;
    const Array& array = *heap_.find(base);
    if (array.closable) close(array);
  }
  undefined.close();
}

void HostWatch::close(const Array& array) {
  Pieces written, touched;
  order_.each_unknown_to_host(array.base, [&](const simt::AccessRange& range) {
    const bool writes = (range.ways & (simt::weak_write | simt::strong_write)) != 0;
    (writes ? written : touched).emplace_back(range.begin, range.end);
  });
  if (written.empty() && touched.empty()) return;
  if (!watches_device_pointers()) return;
  touched.insert(touched.end(), written.begin(), written.end());
  if (array.space == Space::registered && !remember(own_pages(array))) return;
  protect(std::move(touched), array, PROT_READ);
  protect(std::move(written), array, PROT_NONE);
  closed_.push_back(array.base);
}

bool HostWatch::fault(ucontext_t& at, Address address) {
  const Array* const array = heap_.live(address);
  if (array == nullptr) return false;
  const auto closed = std::ranges::find(closed_, array->base);
  if (closed == closed_.end()) {
    if (undefined.fault(at, address, [&] { return fault_trace(at); })) return true;
    // Another thread's call has opened it meanwhile; or something else is wrong with it.
    constexpr unsigned most = 1000;
    again_ = address == last_ ? again_ + 1 : 0;
    last_ = address;
    return again_ < most;
  }
  open(*array);
  closed_.erase(closed);
  undefined.close_again();
  const std::uint8_t way = writes_memory(at) ? simt::weak_write : simt::weak_read;
  order_.host_access(StreamOrder::host_itself, array->base, {{address, address + 1, way}},
                     fault_trace(at));
  return true;
}

// A host that follows a device pointer ends by SIGSEGV, as with a GPU; here it is told why.

Trace fault_trace(const ucontext_t& context) {
  const auto at = context.uc_mcontext.gregs[REG_RIP];
  Addresses from = *trace();
  const auto fault = std::ranges::find(from, reinterpret_cast<void*>(at));
  from.erase(from.begin(), fault);
  // The others are addresses that are returned to.
  if (!from.empty()) from.front() = static_cast<char*>(from.front()) + 1;
  return std::make_shared<const Addresses>(std::move(from));
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
