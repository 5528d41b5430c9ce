// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/damage.hpp"

#include <fmt/format.h>

namespace gauntlet::cuda {
namespace {

std::string elements(std::uint64_t count) {
  return fmt::format("{} element{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::string first_kernel(const Plan& plan) {
  return plan.launches.empty() ? std::string{} : plan.launches.front().entry;
}

void add_damage(const Damage& damage, const std::string& array, const Plan& plan,
                std::vector<Finding>& findings) {
  if (damage.inside == 0 && damage.outside == 0) return;
  Finding finding;
  finding.kernel = first_kernel(plan);
  finding.array = array;
  finding.size = damage.unit;
  if (damage.inside != 0) {
    finding.kind = FindingKind::write_to_input;
    finding.index = damage.first_inside;
    finding.count = damage.inside;
    finding.detail = fmt::format("{} differed after the run", elements(damage.inside));
    findings.push_back(finding);
  }
  if (damage.outside != 0) {
    finding.kind = FindingKind::out_of_bounds_write;
    finding.index = damage.first_outside;
    finding.count = damage.outside;
    finding.detail =
        fmt::format("guard cells around the buffer changed, {} in all", elements(damage.outside));
    findings.push_back(finding);
  }
}

}  // namespace gauntlet::cuda
