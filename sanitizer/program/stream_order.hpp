// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What happens before what, over streams, events and the host, by vector clocks with a component
// for each stream (CUDA C++ Programming Guide, asynchronous concurrent execution; CUDA Runtime API,
// API synchronization behavior and stream synchronization behavior). Two operations that access one
// byte, one of them to write it, and that nothing orders, are a mistake of the host's code.
//
// An operation comes behind what is in its stream, behind what the host had waited for when it was
// put there, behind events that its stream waits for, and, unless the stream is a non-blocking one,
// behind and before operations of the legacy default stream. A programmatic dependent launch comes
// behind the launch before it for those of its threads alone that have waited for it, and behind
// older ones as machine/races/launch_order.hpp says. What the host did in any of its threads counts
// as known to all of them, in the order of the calls.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/races/access_map.hpp"
#include "machine/races/launch_order.hpp"
#include "machine/races/vector_clock.hpp"
#include "sanitizer/program/heap.hpp"

namespace gauntlet::runtime {

using simt::SharedClock;

/// Index of a stream, or of a node of a graph that was instantiated.
using Party = std::uint32_t;
inline constexpr Party legacy_stream = 0;

/// What was put into a stream.
struct Operation {
  Party party = legacy_stream;
  std::uint32_t number = 0;  ///< in its stream, from 1
  std::string call;          ///< "cudaMemcpyAsync", "sum(int*) <<<1, 64>>>"
  Trace where;
  /// What comes before it, of other streams, and at least what those know of its own: of that all
  /// operations with smaller numbers do, but for `unfinished`.
  SharedClock before;
  /// A programmatic dependent launch behind another launch.
  bool overlaps = false;
  /// Operations of its stream, by number, ascending, that may not have ended when it begins, and
  /// those that may not even when it has executed griddepcontrol.wait.
  using Numbers = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // first, last
  Numbers unfinished_early, unfinished;
  mutable simt::LaunchSteps steps;  ///< once it has run
  mutable bool tells_host = false;  ///< it has accesses that the host may wait for
};
using OperationPtr = std::shared_ptr<const Operation>;

/// Of a launch: what it and its neighbours in the stream do before their ends.
struct LaunchOverlap {
  bool programmatic = false;  ///< it may overlap the one before it
  bool triggers = false;      ///< it may let the one behind it begin early
};

/// Bytes that are in several ranges, and the first of them.
struct SharedBytes {
  Address first = 0;
  std::uint64_t bytes = 0;
  void add(Address begin, Address end);
};
/// Sorts and unites ranges.
SharedBytes unite(std::vector<simt::AccessRange>& ranges);
/// Of two lists that are united.
[[nodiscard]] SharedBytes common(const std::vector<simt::AccessRange>& a,
                                 const std::vector<simt::AccessRange>& b);

class StreamOrder {
 public:
  StreamOrder(const Heap& heap, std::function<void(Mistake)> tell);

  enum class Kind : std::uint8_t { blocking, non_blocking, node };
  /// `name`: as findings print it, "cudaStreamCreate#2".
  Party add(std::string name, Kind kind);
  [[nodiscard]] const std::string& name(Party party) const { return streams_[party].name; }

  /// A new operation, behind all that orders it. `behind`: what else does (edges of a graph).
  OperationPtr begin(Party party, std::string call, Trace where, const SharedClock& behind = {},
                     LaunchOverlap overlap = {});
  /// Of an operation that overlaps: accesses of threads that have not waited, before those of all.
  void early_access(const OperationPtr& operation, Address array,
                    const std::vector<simt::AccessRange>& ranges);
  /// Of an operation: mistakes are told for what nothing orders before it.
  void access(const OperationPtr& operation, Address array, std::vector<simt::AccessRange> ranges);
  /// One operation accesses the same bytes twice, in no order, `bytes` of them from `first` on:
  /// race_read_write or race_write_write. `what`: that may not overlap, as findings name it.
  void overlap(const OperationPtr& operation, Address array, Address first, std::uint64_t bytes,
               MistakeKind kind, std::string_view what);
  /// The same as `access` of a call of the host, or of its own code (`host_itself`), which comes
  /// behind all that the host has waited for.
  void host_access(std::string call, Address array, std::vector<simt::AccessRange> ranges,
                   Trace where);
  static constexpr char host_itself[] = "access to memory";
  /// Whether there is an access that something may have to be ordered behind.
  [[nodiscard]] bool any(Address array) const { return pending_.contains(array); }
  /// What operations access that the host has not waited for, but for those that tell it by
  /// themselves how far they are: with strong accesses of system scope.
  template <class F>
  void each_unknown_to_host(Address array, F&& visit) {
    const auto found = pending_.find(array);
    if (found == pending_.end()) return;
    forget_known(found->second);
    for (const Pending& one : found->second) {
      if (one.operation->tells_host) continue;
      for (const simt::AccessRange& range : one.ranges) visit(range);
    }
    if (found->second.empty()) pending_.erase(found);
  }
  /// The array is freed.
  void forget(Address array) { pending_.erase(array); }
  void forget_all() { pending_.clear(); }

  /// All that was put into the stream so far, and what comes before that: what an event records.
  [[nodiscard]] SharedClock clock(Party party);
  /// All that comes before an operation that does not overlap.
  [[nodiscard]] static SharedClock before(const Operation& operation);
  /// What is put into the stream from now on comes behind `clock`.
  void wait(Party party, const SharedClock& clock) {
    join(streams_[party].clock, clock);
    streams_[party].last_triggers = false;
  }
  /// The host has waited for what `clock` says; without: for all that was put into any stream.
  void host_waits(const SharedClock& clock) { join(host_, clock); }
  void host_waits();

 private:
  struct Stream {
    std::string name;
    Kind kind = Kind::blocking;
    std::uint32_t count = 0;
    /// All that was put into it, of itself up to the operation `told` only, until somebody asks.
    SharedClock clock;
    std::uint32_t told = 0;
    bool last_triggers = false;
    OperationPtr last;
  };
  struct Pending {
    OperationPtr operation;
    std::vector<simt::AccessRange> ranges;
    std::uint32_t told = 0;  ///< with that later operation of its stream; 0: none
  };
  [[nodiscard]] std::string placed(const Operation& operation) const;
  void tell(const Pending& earlier, const Operation& later, Address array, Address first,
            std::uint64_t bytes, std::uint8_t earlier_ways, std::uint8_t later_ways) const;
  void forget_known(std::vector<Pending>& pending) const;
  void check(const Operation& later, Address array, const std::vector<simt::AccessRange>& ranges);

  const Heap& heap_;
  std::function<void(Mistake)> tell_;
  std::vector<Stream> streams_;
  SharedClock host_;
  /// By array: accesses that something may come to which they are not ordered before.
  std::unordered_map<Address, std::vector<Pending>> pending_;
};

}  // namespace gauntlet::runtime
