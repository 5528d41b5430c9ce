// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/scalar.hpp"
#include "kernels/images.hpp"
#include "properties/oracle/data.hpp"

namespace gauntlet::cuda {
namespace {

std::string elements(std::uint64_t count) {
  return fmt::format("{} element{}", count, count == 1 ? "" : "s");
}

}  // namespace

std::uint64_t Job::bytes() const {
  std::uint64_t sum = allocated * static_cast<std::uint64_t>(recipe.width / 8);
  for (const Buffer& buffer : buffers) sum += buffer.bytes;
  return sum;
}

bool Job::exclusive() const {
  const auto names_symbol = [](const Arg& arg) { return arg.kind == Arg::Kind::symbol; };
  return std::any_of(launches.begin(), launches.end(), [&](const Launch& launch) {
    return is_ptx_file(launch.module) ||
           std::any_of(launch.args.begin(), launch.args.end(), names_symbol);
  });
}

std::uint64_t build_id() {
  constexpr std::uint64_t protocol = 5;
  static const std::uint64_t id = [] {
    std::uint64_t hash = mix64(protocol + sizeof(Job) + 131 * sizeof(Recipe));
    for (const kernels::Image& image : kernels::images()) hash = mix64(hash + image.ptx.size());
    return hash;
  }();
  return id;
}

Job make_job(const Case& c, const Plan& plan) {
  require_arrays_and_numbers(plan);
  Job job;
  job.recipe = make_recipe(c);
  job.zero_tail = c.tail == Tail::zero;
  job.input_may_change = plan.input_may_change;
  job.offset = plan.takes_input ? c.offset : 0;
  job.allocated = c.tail == Tail::unmapped ? c.n : std::max(c.n, plan.padded);
  job.identity = identity_bits(c.acc, c.op);
  if (plan.host) job.host = JobHost{plan.host.which, plan.host.stream};
  job.buffers = plan.buffers;
  for (Buffer& buffer : job.buffers) buffer.element_bytes = std::max(1U, buffer.element_bytes);
  job.launches = plan.launches;
  for (const Observed& observed : plan.observed) {
    JobObserved seen;
    seen.cells = observed.cells;
    seen.cell_bytes = static_cast<std::uint32_t>(size_of(observed.type.value_or(c.acc)));
    if (observed.symbol.empty()) {
      const auto found = std::ranges::find(plan.buffers, observed.buffer, &Buffer::name);
      seen.buffer = static_cast<std::uint32_t>(found - plan.buffers.begin());
    } else {
      seen.symbol = observed.symbol;
    }
    job.observed.push_back(std::move(seen));
  }
  return job;
}

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
