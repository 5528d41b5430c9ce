// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/issue.hpp"

#include <fmt/format.h>

#include "gpu/profile/ncu.hpp"
#include "kernels/plan.hpp"

namespace gauntlet::profile {

std::vector<Case> issue_cases() {
  std::vector<Case> cases;
  for (const char* variant : {"interleaved_atomic", "wide_active", "int4_through_shared"}) {
    for (const int block : {8, 32, 256}) {
      cases.push_back(kernels::resolved(
          parse_case(fmt::format("{}@fixed i32->i32 sum n=100000000 block={}", variant, block))));
    }
  }
  return cases;
}

std::string source_of_folder(std::string_view folder) {
  constexpr std::size_t date = 10;  // YYYY-MM-DD
  if (folder.size() <= date + 1) return std::string(folder);
  std::string device(folder.substr(date + 1));
  std::replace(device.begin(), device.end(), '-', ' ');
  return fmt::format("{}, {}", device, folder.substr(0, date));
}

std::vector<IssueCount> read_issue(std::string_view csv) {
  const auto launches = parse_ncu(csv, "issue.csv");
  const auto cases = issue_cases();
  if (launches.size() != cases.size()) {
    throw NcuError(fmt::format("issue.csv: {} launches instead of {}; record it with ci/gpu-issue",
                               launches.size(), cases.size()));
  }
  std::vector<IssueCount> counts;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const auto sum = [&](std::string_view pattern) {
      std::uint64_t total = 0;
      for (const char* op : {"ld", "st"}) {
        const std::string metric = fmt::format(fmt::runtime(pattern), op);
        const auto found = launches[k].metrics.find(metric);
        if (found == launches[k].metrics.end()) {
          throw NcuError(fmt::format("issue.csv: launch {} has no {}", k, metric));
        }
        total += found->second;
      }
      return total;
    };
    counts.push_back({cases[k], sum("smsp__inst_executed_op_shared_{}_pred_on_any.sum"),
                      sum("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"),
                      sum("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"),
                      sum("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum")});
  }
  return counts;
}

}  // namespace gauntlet::profile
