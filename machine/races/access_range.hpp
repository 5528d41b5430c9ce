// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Bytes of an array that a launch has accessed in the same ways.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/device.hpp"

namespace gauntlet::simt {

/// Bytes from `begin` to before `end`, all accessed in the same ways: or pieces of them, of one
/// length and in one distance, as of a picture each third element is.
struct AccessRange {
  Address begin = 0, end = 0;
  std::uint8_t ways = 0;              ///< AccessBits
  std::uint32_t bytes = 0, step = 0;  ///< of each `step` bytes the first so many; 0: all are
  bool operator==(const AccessRange&) const = default;
};
/// Calls visit(begin, end) for each piece of the range that has a byte of [from, to).
template <class Visit>
void each_piece(const AccessRange& range, Address from, Address to, Visit visit) {
  if (range.step == 0) return visit(range.begin, range.end);
  const Address before = from > range.begin ? (from - range.begin) / range.step : 0;
  to = std::min(to, range.end);
  for (Address at = range.begin + before * range.step; at < to; at += range.step) {
    if (at + range.bytes > from) visit(at, at + range.bytes);
  }
}
template <class Visit>
void each_piece(const AccessRange& range, Visit visit) {
  each_piece(range, range.begin, range.end, visit);
}
/// Adds a run of bytes, behind all that is there.
inline void append(std::vector<AccessRange>& ranges, const AccessRange& run) {
  if (ranges.empty() || ranges.back().ways != run.ways) return ranges.push_back(run);
  AccessRange& last = ranges.back();
  if (last.end == run.begin) {  // they are one run
    if (last.step == 0) {
      last.end = run.end;
      return;
    }
    const Address begin = last.end - last.bytes;
    last.end -= last.step;
    if (last.end - last.begin == last.bytes) last.bytes = last.step = 0;
    return append(ranges, {begin, run.end, run.ways});
  }
  const bool alone = last.step == 0;
  const Address bytes = alone ? last.end - last.begin : last.bytes;
  const Address step = run.begin - (last.end - bytes);
  constexpr Address most = ~std::uint32_t{0};
  if (run.end - run.begin != bytes || step > most || (!alone && step != last.step)) {
    return ranges.push_back(run);
  }
  last.end = run.end;
  last.bytes = static_cast<std::uint32_t>(bytes);
  last.step = static_cast<std::uint32_t>(step);
}

}  // namespace gauntlet::simt
