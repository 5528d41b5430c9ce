// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The documents' kernels as a subject (properties/hunt/subject.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::kernels {

/// The documents' kernels and the exact oracle.
class Catalogue : public properties::Subject {
 public:
  [[nodiscard]] const std::vector<Variant>& variants() const override;
  [[nodiscard]] std::vector<Instance> instances(std::string_view variant,
                                                std::string_view form) const override;
  [[nodiscard]] std::string kernel_name(const std::string& entry) const override;
  [[nodiscard]] Plan plan(const Case& c) const override;
  [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                              const Observation& seen) const override;
  [[nodiscard]] std::vector<std::uint32_t> blocks(const Case& c) const override;
  [[nodiscard]] std::vector<std::string> texts() const override;
};

[[nodiscard]] const Catalogue& compiled_kernels();

/// As Catalogue::plan.
[[nodiscard]] inline Plan plan(const Case& c) { return compiled_kernels().plan(c); }

/// Plans the case and runs it, where its plan is not needed beside.
[[nodiscard]] inline Observation run(Executor& executor, const Case& c) {
  return executor.run(c, plan(c));
}

}  // namespace gauntlet::kernels
