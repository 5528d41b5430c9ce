// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/properties/hunt/fake.hpp"

#include <algorithm>
#include <cmath>

#include "base/scalar.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties::fake {
namespace {

Variant variant(std::string id, std::vector<Expected> documented,
                std::vector<std::string> schedules = {}) {
  Variant v;
  v.id = std::move(id);
  v.documents = "T";
  v.completion = "partials";
  v.defects = {{"repair", "planted"}};
  v.forms = {Form{"documented", {"repair"}, std::move(documented), std::move(schedules)},
             Form{"fixed", {}, {}, {}}};
  v.documented_types = {{Type::f32, Type::f32}};
  return v;
}

const std::vector<Variant>& all_variants() {
  static const std::vector<Variant> list{
      variant("plain", {{FindingKind::wrong_result, "out"}}),
      variant("leaks_tail", {{FindingKind::wrong_result, "out"}}),
      variant("overruns",
              {{FindingKind::out_of_bounds_read, "in"}, {FindingKind::poison_output, "out"}}),
      variant("by_schedule", {{FindingKind::wrong_result, "out"}}, {"high_lane_first"}),
      variant("hidden", {{FindingKind::wrong_result, "out"}}),
      variant("missing", {{FindingKind::trap, ""}}),
  };
  return list;
}

Plan plan_of(const Case& c) {
  Plan plan;
  if (c.block > 512) {
    plan.refusal = "at most 512 threads";
    return plan;
  }
  if (c.block_count != 0) {
    plan.refusal = "no windows of blocks";
    return plan;
  }
  plan.grid =
      c.grid != 0
          ? c.grid
          : static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (c.n + c.block - 1) / c.block));
  plan.padded = c.n + 4;
  plan.buffers = {
      {"out", size_of(c.acc), static_cast<std::uint32_t>(size_of(c.acc)), Fill::poison}};
  Launch launch;
  launch.entry = c.variant;
  launch.grid = {plan.grid, 1, 1};
  launch.block = {c.block, 1, 1};
  plan.launches = {launch};
  plan.observed = {{"out", 1, {Coverage::Kind::whole, 0}}};
  plan.height = c.n + 1;
  return plan;
}

Finding finding(FindingKind kind, std::string array, std::uint32_t line) {
  Finding f;
  f.kind = kind;
  f.array = std::move(array);
  f.at.file = "fake.cu";
  f.at.line = line;
  f.detail = "planted";
  return f;
}

/// Rounds as the accumulator would after every step.
Value step(Op op, const Value& a, const Value& b) {
  const Value next = combine(op, a, b);
  if (!is_float(next.type)) return next;
  return from_bits(next.type, float_bits(next.type, next.real));
}

/// A plain judge: the elements added in long double, against n roundings.
std::vector<Finding> wrong_in(const Case& c, const Observation& observation) {
  Value want = identity(c.acc, c.op);
  long double sum = 0, magnitude = 0;
  for (const Value& value : elements(c)) {
    want = combine(c.op, want, converted(value, c.acc));
    sum += value.real;
    magnitude += std::fabs(static_cast<long double>(value.real));
  }
  const Value got = total(observation, c.op);
  bool right = same_number(want, got);
  if (is_float(c.acc) && c.op == Op::sum && std::isfinite(static_cast<double>(magnitude))) {
    right = std::fabs(sum - got.real) <= static_cast<long double>(c.n) * 0x1p-24L * magnitude;
    if (exact(c)) right = sum == got.real;
  }
  if (right) return {};
  Finding f = finding(FindingKind::wrong_result, "out", 0);
  f.detail = "expected " + to_string(want) + ", got " + to_string(got);
  return {f};
}

bool defect(const Case& c, std::string_view variant) {
  return c.variant == variant && c.form == "documented";
}

}  // namespace

Observation HostExecutor::run(const Case& c, const Plan&) {
  std::vector<Value> values = elements(c);
  Observation observation;
  if (defect(c, "plain") && c.n > 4 && c.n % 4 == 1) values.pop_back();
  const Value one = converted(from_bits(c.in, is_float(c.in) ? float_bits(c.in, 1) : 1), c.acc);
  Value sum = identity(c.acc, c.op);
  for (const Value& value : values) sum = step(c.op, sum, converted(value, c.acc));
  const bool off = (c.variant == "hidden" && c.n > 100) ||
                   (defect(c, "by_schedule") && c.schedule == "high_lane_first") ||
                   (defect(c, "leaks_tail") && c.tail == Tail::dirty);
  if (off) sum = combine(Op::sum, sum, one);
  if (defect(c, "overruns") && c.n % c.block != 0) {
    if (c.tail == Tail::unmapped) {
      observation.findings.push_back(finding(FindingKind::out_of_bounds_read, "in", 7));
    }
    if (c.tail == Tail::poison) {
      observation.findings.push_back(finding(FindingKind::poison_output, "out", 9));
    }
  }
  ObservedBuffer out;
  out.name = "out";
  out.type = c.acc;
  out.bytes.resize(size_of(c.acc));
  store_bits(c.acc, out.bytes.data(),
             is_float(c.acc) ? float_bits(c.acc, sum.real) : truncate(c.acc, sum.bits));
  out.defined = {true};
  observation.buffers = {out};
  observation.completed = true;
  observation.counters.launches = 1;
  observation.counters.warp_instructions = 1 + c.n / 32;
  observation.schedule = c.schedule;
  return observation;
}

const std::vector<Variant>& Kernels::variants() const { return all_variants(); }

std::vector<Instance> Kernels::instances(std::string_view, std::string_view form) const {
  std::vector<Instance> list{{Type::f32, Type::f32, Op::sum}};
  if (form == "fixed") {
    list.push_back({Type::i32, Type::i32, Op::sum});
    list.push_back({Type::i32, Type::i32, Op::minimum});
    list.push_back({Type::i32, Type::i32, Op::maximum});
    list.push_back({Type::f32, Type::f32, Op::minimum});
    list.push_back({Type::f32, Type::f32, Op::maximum});
  }
  return list;
}

Plan Kernels::plan(const Case& c) const { return plan_of(c); }

Verdict Kernels::judge(const Case& c, const Plan&, const Observation& seen) const {
  Verdict verdict;
  verdict.cells_judged = 1;
  verdict.findings = wrong_in(c, seen);
  // Kahan's sum is the exact one here.
  if (c.op == Op::sum && is_float(c.acc)) verdict.reference.emplace();
  return verdict;
}

const Kernels& source() {
  static const Kernels fake;
  return fake;
}

const Blind& blind() {
  static const Blind blind;
  return blind;
}

CheckOptions options(std::vector<std::string> selectors) {
  CheckOptions options;
  options.selectors = std::move(selectors);
  options.replay_regressions = false;
  options.jobs = 1;
  return options;
}

CheckReport check(const CheckOptions& options) {
  HostExecutor executor;
  return run_check(executor, options, source());
}

}  // namespace gauntlet::properties::fake
