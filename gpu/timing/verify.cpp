// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/verify.hpp"

#include <fmt/format.h>

#include "base/scalar.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::uint64_t every_cell = std::uint64_t{1} << 20;

std::string first_line(const Verdict& verdict) {
  if (verdict.cells_judged == 0) return "nothing could be judged";
  if (verdict.ok) return {};
  const Finding& finding = verdict.findings.front();
  return fmt::format("{}[{}]: {}", finding.array, finding.index, finding.detail);
}

/// All cells of the buffer that decides the total as one.
Observation combined(const Case& c, const ObservedBuffer& cells) {
  SliceReference sum(c.acc, c.acc, c.op);
  sum.add(cells.bytes.data(), cells.bytes.size() / size_of(c.acc));
  sum.finish();
  Observation total;
  total.completed = true;
  ObservedBuffer one;
  one.name = "out";
  one.type = c.acc;
  one.bytes.resize(size_of(c.acc));
  store_bits(c.acc, one.bytes.data(), sum.bits());
  one.defined = {true};
  total.buffers.push_back(std::move(one));
  return total;
}

}  // namespace

Plan total_only(const Plan& plan) {
  Plan total = plan;
  total.observed = {{"out", 1, {Coverage::Kind::whole, 0}}};
  return total;
}

std::string wrong(const Case& c, const Plan& plan, const Observation& seen) {
  if (seen.buffers.empty()) return "it has no output";
  if (c.n <= every_cell) return first_line(judge_shared(c, plan, seen));
  return first_line(judge_shared(c, total_only(plan), combined(c, seen.buffers.front())));
}

}  // namespace gauntlet::timing
