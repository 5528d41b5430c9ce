// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simt/ptx/source_names.hpp"
#include "text/text.hpp"

namespace gauntlet::runtime {
namespace {

using simt::AccessRange;

/// Ranges that are kept of one array; beyond, the oldest operation is forgotten.
constexpr std::size_t most_ranges = 1 << 22;

bool writes(std::uint8_t ways) { return (ways & (simt::weak_write | simt::strong_write)) != 0; }
bool strong(std::uint8_t ways) { return (ways & (simt::strong_read | simt::strong_write)) != 0; }

/// The first range of `ranges` that ends behind `address`.
auto from(const std::vector<AccessRange>& ranges, Address address) {
  return std::ranges::upper_bound(ranges, address, {}, &AccessRange::end);
}

/// Whatever conflicts with `a` conflicts with `b`.
bool stands_for(const std::vector<AccessRange>& b, const std::vector<AccessRange>& a) {
  return std::ranges::all_of(a, [&](const AccessRange& range) {
    Address at = range.begin;
    for (auto it = from(b, at); it != b.end() && it->begin <= at; ++it) {
      if ((simt::conflicts(range.ways) & ~simt::conflicts(it->ways)) != 0) return false;
      at = it->end;
      if (at >= range.end) return true;
    }
    return false;
  });
}

bool ordered(const Operation& earlier, const SharedClock& before) {
  const auto* const known = before == nullptr ? nullptr : before->find(earlier.party);
  return known != nullptr && known->sequence >= earlier.number;
}

std::string_view verb(const Operation& operation, std::uint8_t ways) {
  const std::string_view call = operation.call;
  return call.starts_with("cudaMalloc") || call.starts_with("cuMemAlloc") ? "allocates"
         : call.starts_with("cudaFree") || call.starts_with("cuMemFree")  ? "frees"
         : !writes(ways)                                                  ? "reads"
         : strong(ways)                                                   ? "updates"
                                                                          : "writes";
}

/// A call that mostly has done its work when it returns.
bool done_soon(const Operation& operation) {
  return operation.call.starts_with("cuda") && operation.call.find("Async") == std::string::npos &&
         operation.call.find('<') == std::string::npos;
}

}  // namespace

StreamOrder::StreamOrder(const Heap& heap, std::function<void(Mistake)> tell)
    : heap_(heap), tell_(std::move(tell)) {
  add("the default stream", Kind::blocking);
}

Party StreamOrder::add(std::string name, Kind kind) {
  Stream stream;
  stream.name = std::move(name);
  stream.kind = kind;
  streams_.push_back(std::move(stream));
  return static_cast<Party>(streams_.size() - 1);
}

OperationPtr StreamOrder::begin(Party party, std::string call, Trace where,
                                const SharedClock& behind, Begins begins) {
  Stream& stream = streams_[party];
  const auto comes_behind = [&](SharedClock& clock) {
    join(clock, host_);
    join(clock, behind);
    if (party == legacy_stream) {
      for (const Stream& other : streams_) {
        if (other.kind == Kind::blocking && &other != &stream) join(clock, other.clock);
      }
    } else if (stream.kind == Kind::blocking) {
      join(clock, streams_[legacy_stream].clock);
    }
  };
  comes_behind(stream.clock);
  auto operation = std::make_shared<Operation>();
  operation->party = party;
  operation->number = ++stream.count;
  operation->call = std::move(call);
  operation->where = std::move(where);
  operation->before = stream.clock;
  operation->overlaps = begins.programmatic && stream.last_triggers;
  if (operation->overlaps) {
    operation->early = stream.before_last;
    comes_behind(operation->early);
  }
  stream.last_triggers = begins.triggers;
  stream.before_last = stream.clock;
  auto next = stream.clock == nullptr ? simt::VectorClock{} : *stream.clock;
  next.raise(party, {0, 0, operation->number});
  stream.clock = simt::share(std::move(next));
  return operation;
}

void StreamOrder::early_access(const OperationPtr& operation, Address array,
                               const std::vector<AccessRange>& ranges) {
  if (ranges.empty() || heap_.find(array) == nullptr) return;
  Operation early = *operation;
  early.before = operation->early;
  check(early, array, ranges);
}

void StreamOrder::host_waits() {
  for (const Stream& stream : streams_) join(host_, stream.clock);
}

void StreamOrder::check(const Operation& later, Address array,
                        const std::vector<AccessRange>& ranges) {
  const auto found = pending_.find(array);
  if (found == pending_.end()) return;
  for (const Pending& earlier : found->second) {
    if (earlier.operation.get() == &later || ordered(*earlier.operation, later.before)) continue;
    Address first = 0;
    std::uint64_t bytes = 0;
    std::uint8_t theirs = 0, ours = 0;
    for (const AccessRange& range : ranges) {
      for (auto it = from(earlier.ranges, range.begin);
           it != earlier.ranges.end() && it->begin < range.end; ++it) {
        if ((simt::conflicts(it->ways) & simt::kinds(range.ways)) == 0) continue;
        const Address begin = std::max(it->begin, range.begin);
        if (bytes == 0) first = begin;
        bytes += std::min(it->end, range.end) - begin;
        theirs |= it->ways;
        ours |= range.ways;
      }
    }
    if (bytes != 0) tell(earlier, later, array, first, bytes, theirs, ours);
  }
}

void StreamOrder::access(const OperationPtr& operation, Address array,
                         std::vector<AccessRange> ranges) {
  if (ranges.empty() || heap_.find(array) == nullptr) return;
  check(*operation, array, ranges);
  std::vector<Pending>& pending = pending_[array];
  // What the host waited for comes before all that is to come; what comes before an operation that
  // accesses the same needs no memory of its own.
  std::erase_if(pending, [&](const Pending& one) {
    return ordered(*one.operation, host_) ||
           (ordered(*one.operation, operation->before) && stands_for(ranges, one.ranges));
  });
  pending.push_back({operation, std::move(ranges)});
  std::size_t kept = 0;
  for (const Pending& one : pending) kept += one.ranges.size();
  if (kept > most_ranges && pending.size() > 1) pending.erase(pending.begin());
}

void StreamOrder::forget_known(std::vector<Pending>& pending) const {
  std::erase_if(pending, [&](const Pending& one) { return ordered(*one.operation, host_); });
}

void StreamOrder::host_access(std::string call, Address array, std::vector<AccessRange> ranges,
                              Trace where) {
  Operation operation;
  operation.party = ~Party{0};
  operation.call = std::move(call);
  operation.where = std::move(where);
  operation.before = host_;
  check(operation, array, ranges);
}

void StreamOrder::tell(const Pending& earlier, const Operation& later, Address array, Address first,
                       std::uint64_t bytes, std::uint8_t earlier_ways,
                       std::uint8_t later_ways) const {
  const Operation& before = *earlier.operation;
  const Array& of = *heap_.find(array);
  // "sum(int*) <<<1, 64>>>": the launch's shape is no part of the kernel's name.
  const auto kernel = [](const Operation& operation) {
    return operation.call.substr(0, operation.call.find(" <<<"));
  };
  const auto shown = [&](const Operation& operation) {
    const std::string name = kernel(operation);
    return name == operation.call ? name
                                  : ptx::short_name(name) + operation.call.substr(name.size());
  };
  const auto placed = [&](const Operation& operation) {
    return operation.call == host_itself  ? "the host"
           : operation.party == ~Party{0} ? operation.call
                                          : shown(operation) + " in " + name(operation.party);
  };
  Mistake mistake;
  mistake.kind = strong(earlier_ways | later_ways) ? MistakeKind::race_atomic
                 : !writes(earlier_ways)           ? MistakeKind::race_read_write
                 : !writes(later_ways)             ? MistakeKind::race_write_read
                                                   : MistakeKind::race_write_write;
  mistake.severity = done_soon(before) ? Severity::warning : Severity::error;
  mistake.call = later.call;
  if (before.call != host_itself) mistake.other_call = before.call;
  const Address at = first - of.base;
  const std::string what =
      later.call == host_itself
          ? fmt::format("byte {} of {}", at, of.name)
          : fmt::format("{} of {} from byte {} on", counted(bytes, "byte"), of.name, at);
  const bool overlap = later.overlaps && before.party == later.party;
  mistake.detail = fmt::format(
      "{} {} {}, which {} {}; {}", placed(later), verb(later, later_ways), what, placed(before),
      verb(before, earlier_ways),
      overlap ? "a programmatic dependent launch has to wait for that first: "
                "cudaGridDependencySynchronize"
              : "nothing orders the two: wait for the first, or for an event behind it");
  mistake.stack = frames(later.where, kernel(later));
  const std::vector<Frame> stack = frames(before.where, kernel(before));
  if (!stack.empty()) {
    const Frame& frame = stack.front();
    mistake.notes.push_back(fmt::format(
        "the first: {}{}", shown(before),
        frame.line != 0 ? fmt::format(" at {}:{} in {}", frame.file, frame.line, frame.function)
                        : fmt::format(" in {} of {}", frame.function, frame.module)));
  }
  for (std::string& line : heap_.story(of)) mistake.notes.push_back(std::move(line));
  tell_(std::move(mistake));
}

}  // namespace gauntlet::runtime
