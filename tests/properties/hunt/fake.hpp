// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A small catalogue of reductions that the host itself computes, some with planted defects: what
// the engine of the properties is tested against.
//
//   plain         right (fixed); `documented` drops the last element when n > 4 and n % 4 == 1
//   leaks_tail    `documented` adds the cell past the end when the tail is dirty
//   overruns      `documented` reads past the end: a finding per kind of tail
//   by_schedule   `documented` is off by one under high_lane_first, right under all others
//   hidden        `fixed` is expected to hold and is off by one for n > 100, as is `documented`
//   missing       `documented` is expected to show a trap and shows nothing
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/case/executor.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::properties::fake {

class HostExecutor : public Executor {
 public:
  [[nodiscard]] std::string_view name() const override { return "host"; }
  [[nodiscard]] Observation run(const Case& c, const Plan& plan) override;
};

/// With a plain judge of its own. Blocks above 512 are refused. Instances: f32 (documented)
/// and i32 sums, minima and maxima of both. A test overrides what it needs otherwise.
class Kernels : public Subject {
 public:
  [[nodiscard]] const std::vector<Variant>& variants() const override;
  [[nodiscard]] std::vector<Instance> instances(std::string_view variant,
                                                std::string_view form) const override;
  [[nodiscard]] Plan plan(const Case& c) const override;
  [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                              const Observation& seen) const override;
};

/// With a judge that sees nothing.
class Blind : public Kernels {
 public:
  [[nodiscard]] Verdict judge(const Case&, const Plan&, const Observation&) const override {
    return {};
  }
};

[[nodiscard]] const Kernels& source();
[[nodiscard]] const Blind& blind();

/// Of a check of that catalogue: on one thread, without committed counterexamples.
[[nodiscard]] CheckOptions options(std::vector<std::string> selectors = {});
[[nodiscard]] CheckReport check(const CheckOptions& options);

}  // namespace gauntlet::properties::fake
