// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The documents' kernels as a subject (properties/hunt/subject.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace gauntlet::kernels
