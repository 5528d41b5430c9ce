// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/stream_order.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.hpp"
#include "machine/ptx/source_names.hpp"

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

/// Behind the bytes from `at` on that the range has; `at`: it has not that one.
Address covered_to(const AccessRange& range, Address at) {
  if (at < range.begin) return at;
  if (range.step == 0) return range.end;
  const Address past = (at - range.begin) % range.step;
  return past < range.bytes ? at + (range.bytes - past) : at;
}

/// Whatever conflicts with `a` conflicts with `b`.
bool stands_for(const std::vector<AccessRange>& b, const std::vector<AccessRange>& a) {
  const auto as_strong = [](const AccessRange& by, const AccessRange& range) {
    return (simt::conflicts(range.ways) & ~simt::conflicts(by.ways)) == 0;
  };
  return std::ranges::all_of(a, [&](const AccessRange& range) {
    auto it = from(b, range.begin);
    if (it != b.end() && it->begin == range.begin && it->end == range.end &&
        it->bytes == range.bytes && it->step == range.step) {
      return as_strong(*it, range);
    }
    bool all = true;
    each_piece(range, [&](Address at, Address end) {
      for (it = from(b, at); all && at < end; ++it) {
        if (it == b.end()) return void(all = false);
        const Address to = covered_to(*it, at);
        all = to != at && as_strong(*it, range);
        at = to;
      }
    });
    return all;
  });
}

/// Bytes that both have.
SharedBytes shared_by(const AccessRange& a, const AccessRange& b) {
  SharedBytes shared;
  each_piece(a, b.begin, b.end, [&](Address begin, Address end) {
    each_piece(b, begin, end,
               [&](Address at, Address to) { shared.add(std::max(begin, at), std::min(end, to)); });
  });
  return shared;
}

/// The last operation of the party that the clock knows of; 0: none.
std::uint32_t last_known(const SharedClock& clock, Party party) {
  const auto* const known = clock == nullptr ? nullptr : clock->find(party);
  return known == nullptr ? 0 : known->sequence;
}

bool ordered(const Operation& earlier, const SharedClock& before) {
  return last_known(before, earlier.party) >= earlier.number;
}

bool ordered(const Operation& earlier, const Operation& later) {
  if (earlier.party != later.party) return ordered(earlier, later.before);
  return earlier.number < later.number &&
         std::ranges::none_of(later.unfinished, [&](const auto& numbers) {
           return numbers.first <= earlier.number && earlier.number <= numbers.second;
         });
}

/// Without those up to `ended`, and with `number`, which is larger than all of them, unless 0.
Operation::Numbers still(const Operation::Numbers& numbers, std::uint32_t ended,
                         std::uint32_t number) {
  // So many pieces come of launches that wait and launches that do not by turns; the oldest are
  // forgotten.
  constexpr std::size_t most = 64;
  Operation::Numbers left;
  for (const auto& [first, last] : numbers) {
    if (last > ended) left.emplace_back(std::max(first, ended + 1), last);
  }
  if (number > ended) {
    if (left.empty() || left.back().second + 1 != number) left.emplace_back(number, number);
    left.back().second = number;
  }
  if (left.size() > most) left.erase(left.begin());
  return left;
}

std::string shown(const Operation& operation) {
  const std::string name = kernel_of(operation.call);
  return name == operation.call ? name : ptx::short_name(name) + operation.call.substr(name.size());
}

std::string_view verb(const Operation& operation, std::uint8_t ways) {
  const std::string_view call = operation.call;
  const auto begins = [&](auto... names) { return (call.starts_with(names) || ...); };
  return begins("cudaMalloc", "cuMemAlloc", "cudaGraphAddMemAlloc", "cuGraphAddMemAlloc")
             ? "allocates"
         : begins("cudaFree", "cuMemFree", "cudaGraphAddMemFree", "cuGraphAddMemFree") ? "frees"
         : !writes(ways)                                                               ? "reads"
         : strong(ways)                                                                ? "updates"
                                                                                       : "writes";
}

/// A call that mostly has done its work when it returns.
bool done_soon(const Operation& operation) {
  return operation.call.starts_with("cuda") && !operation.call.starts_with("cudaGraph") &&
         operation.call.find("Async") == std::string::npos &&
         operation.call.find('<') == std::string::npos;
}

}  // namespace

void SharedBytes::add(Address begin, Address end) {
  if (begin >= end) return;
  if (bytes == 0) first = begin;
  bytes += end - begin;
}

SharedBytes unite(std::vector<AccessRange>& ranges) {
  std::ranges::sort(ranges, {}, &AccessRange::begin);
  SharedBytes shared;
  std::vector<AccessRange> united;
  for (const AccessRange& range : ranges) {
    if (!united.empty() && range.begin <= united.back().end) {
      shared.add(range.begin, std::min(range.end, united.back().end));
      united.back().end = std::max(united.back().end, range.end);
    } else {
      united.push_back(range);
    }
  }
  ranges = std::move(united);
  return shared;
}

SharedBytes common(const std::vector<AccessRange>& a, const std::vector<AccessRange>& b) {
  SharedBytes shared;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    shared.add(std::max(x->begin, y->begin), std::min(x->end, y->end));
    x->end < y->end ? ++x : ++y;
  }
  return shared;
}

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
                                const SharedClock& behind, LaunchOverlap overlap) {
  Stream& stream = streams_[party];
  const auto comes_behind = [&](SharedClock& clock) {
    join(clock, host_);
    join(clock, behind);
    if (party == legacy_stream) {
      for (Party other = 1; other < streams_.size(); ++other) {
        if (streams_[other].kind == Kind::blocking) join(clock, this->clock(other));
      }
    } else if (stream.kind == Kind::blocking) {
      join(clock, this->clock(legacy_stream));
    }
  };
  comes_behind(stream.clock);
  auto operation = std::make_shared<Operation>();
  operation->party = party;
  operation->number = ++stream.count;
  operation->call = std::move(call);
  operation->where = std::move(where);
  operation->before = stream.clock;
  operation->overlaps = overlap.programmatic && stream.last_triggers;
  if (operation->overlaps) {
    SharedClock others;
    comes_behind(others);
    const std::uint32_t ended = last_known(others, party);
    const Operation& last = *stream.last;
    operation->unfinished_early =
        still(last.steps.begins_next_at_once ? last.unfinished_early : last.unfinished, ended,
              last.number);
    operation->unfinished =
        still(last.steps.waits ? last.unfinished : last.unfinished_early, ended, 0);
  }
  stream.last_triggers = overlap.triggers;
  stream.last = operation;
  return operation;
}

SharedClock StreamOrder::clock(Party party) {
  Stream& stream = streams_[party];
  if (std::exchange(stream.told, stream.count) != stream.count) {
    auto all = stream.clock == nullptr ? simt::VectorClock{} : *stream.clock;
    all.raise(party, {0, 0, stream.count});
    stream.clock = simt::share(std::move(all));
  }
  return stream.clock;
}

SharedClock StreamOrder::before(const Operation& operation) {
  if (operation.number == 1) return operation.before;
  auto all = operation.before == nullptr ? simt::VectorClock{} : *operation.before;
  all.raise(operation.party, {0, 0, operation.number - 1});
  return simt::share(std::move(all));
}

void StreamOrder::early_access(const OperationPtr& operation, Address array,
                               const std::vector<AccessRange>& ranges) {
  if (ranges.empty() || heap_.find(array) == nullptr) return;
  Operation early = *operation;
  early.unfinished = operation->unfinished_early;
  check(early, array, ranges);
}

void StreamOrder::host_waits() {
  for (Party party = 0; party < streams_.size(); ++party) join(host_, clock(party));
}

void StreamOrder::check(const Operation& later, Address array,
                        const std::vector<AccessRange>& ranges) {
  const auto found = pending_.find(array);
  if (found == pending_.end()) return;
  for (Pending& earlier : found->second) {
    if (earlier.operation.get() == &later || ordered(*earlier.operation, later)) continue;
    // What comes before the launch's wait was looked at first.
    const bool overlap = later.overlaps && earlier.operation->party == later.party;
    if (overlap && earlier.told == later.number) continue;
    Address first = 0;
    std::uint64_t bytes = 0;
    std::uint8_t theirs = 0, ours = 0;
    for (const AccessRange& range : ranges) {
      for (auto it = from(earlier.ranges, range.begin);
           it != earlier.ranges.end() && it->begin < range.end; ++it) {
        if ((simt::conflicts(it->ways) & simt::kinds(range.ways)) == 0) continue;
        const SharedBytes shared = shared_by(*it, range);
        if (shared.bytes == 0) continue;
        if (bytes == 0) first = shared.first;
        bytes += shared.bytes;
        theirs |= it->ways;
        ours |= range.ways;
      }
    }
    if (bytes == 0) continue;
    tell(earlier, later, array, first, bytes, theirs, ours);
    if (overlap) earlier.told = later.number;
  }
}

void StreamOrder::access(const OperationPtr& operation, Address array,
                         std::vector<AccessRange> ranges) {
  if (ranges.empty() || heap_.find(array) == nullptr) return;
  check(*operation, array, ranges);
  std::vector<Pending>& pending = pending_[array];
  // What the host waited for comes before all that is to come; what comes before an operation that
  // accesses the same needs no memory of its own, unless that ends without having waited.
  const bool waits = !operation->overlaps || operation->steps.waits;
  std::erase_if(pending, [&](const Pending& one) {
    return ordered(*one.operation, host_) ||
           (waits && ordered(*one.operation, *operation) && stands_for(ranges, one.ranges));
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

std::string StreamOrder::placed(const Operation& operation) const {
  return operation.call == host_itself  ? "the host"
         : operation.party == ~Party{0} ? operation.call
                                        : shown(operation) + " in " + name(operation.party);
}

void StreamOrder::overlap(const OperationPtr& operation, Address array, Address first,
                          std::uint64_t bytes, MistakeKind kind, std::string_view what) {
  const Array& of = *heap_.find(array);
  tell_({.kind = kind,
         .call = operation->call,
         .detail = fmt::format(
             "{} {} {} of {} from byte {} on, in no order: {} may not overlap", placed(*operation),
             kind == MistakeKind::race_write_write ? "writes twice" : "reads and writes",
             counted(bytes, "byte"), of.name, first - of.base, what),
         .stack = frames(operation->where),
         .notes = heap_.story(of)});
}

void StreamOrder::tell(const Pending& earlier, const Operation& later, Address array, Address first,
                       std::uint64_t bytes, std::uint8_t earlier_ways,
                       std::uint8_t later_ways) const {
  const Operation& before = *earlier.operation;
  const Array& of = *heap_.find(array);
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
  const bool next = before.number + 1 == later.number;
  mistake.detail = fmt::format(
      "{} {} {}, which {} {}; {}", placed(later), verb(later, later_ways), what, placed(before),
      verb(before, earlier_ways),
      overlap && next ? "a programmatic dependent launch has to wait for that first: "
                        "cudaGridDependencySynchronize"
      : overlap ? "a programmatic dependent launch waits for the launch before it alone, and for "
                  "what that has waited for: cudaGridDependencySynchronize in each"
                : "nothing orders the two: wait for the first, or for an event behind it");
  mistake.stack = frames(later.where, kernel_of(later.call));
  const std::vector<Frame> stack = frames(before.where, kernel_of(before.call));
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
