// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/launch/case_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/host_memory.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {
namespace {

constexpr double race_bytes_per_byte = 52;  // the accesses of every four bytes
constexpr double little = 16 << 20;         // not worth asking the host

}  // namespace

std::uint64_t sparse_from(const Case& c) { return c.block_count != 0 ? 1 << 20 : 64 << 20; }

double input_elements(const Case& c, const Plan& plan) {
  const auto n = static_cast<double>(c.n);
  return c.tail == Tail::unmapped ? n : std::max(n, static_cast<double>(plan.padded));
}

double memory_needed(const Case& c, const Plan& plan, bool races) {
  const double shadow = races ? race_bytes_per_byte : 0;
  const auto size = static_cast<double>(size_of(c.in));
  const double bytes = c.offset + input_elements(c, plan) * size;
  // Data and a state per byte; of a small input also the image that it is copied from.
  double input = bytes * 3;
  if (bytes > static_cast<double>(sparse_from(c))) {
    constexpr auto page = static_cast<double>(Allocation::page_bytes);
    double touched = bytes;
    if (c.block_count != 0 && !plan.observed.empty() && plan.observed.front().coverage.tile != 0) {
      const auto& coverage = plan.observed.front().coverage;
      const auto tile = static_cast<double>(coverage.tile);
      // A block that steps through the input touches a tile in each of its rounds.
      const double rounds = coverage.kind == Coverage::Kind::grid_stride
                                ? std::ceil(input_elements(c, plan) / (tile * plan.grid))
                                : 1;
      touched = std::min(touched, c.block_count * rounds * (tile * size + 2 * page));
    }
    input = touched * 2 + bytes / page / 8;  // and a bit for each page
  }
  if (plan.input_may_change) input += bytes * shadow;
  double buffers = 0;
  for (const auto& buffer : plan.buffers) {
    // Beside data and state, what is written to it first and what is read from it at the end.
    buffers += static_cast<double>(buffer.bytes) * (4 + shadow);
  }
  return input + buffers;
}

void check_memory(const Case& c, const Plan& plan, bool races) {
  const double needed = memory_needed(c, plan, races);
  if (needed < little) return;
  const bool of_spec = c.n == 0 && plan.grid == 0;  // its sizes have names of their own
  const std::string line = too_large(
      of_spec ? "a case of these sizes" : fmt::format("n={} with grid={}", c.n, plan.grid),
      of_spec && races ? "needs, with what looks for races," : "needs", needed, memory_available());
  if (!line.empty()) {
    throw CaseError(line + (of_spec ? "; take smaller ones" : "; take a smaller n or grid"));
  }
}

}  // namespace gauntlet::simt
