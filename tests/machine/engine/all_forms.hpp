// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Small cases of every form of the catalogue, and whether two runs of one are the same.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::simt {

/// One type pair each, of some blocks' elements and five more.
inline std::vector<Case> cases_of_all_forms(const std::vector<std::uint32_t>& block_sizes,
                                            std::uint32_t blocks) {
  std::vector<Case> cases;
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& form : variant.forms) {
      const auto instances = kernels::instances(variant.id, form.name);
      if (instances.empty()) continue;
      for (const std::uint32_t block : block_sizes) {
        Case c{.variant = variant.id,
               .form = form.name,
               .in = instances[0].in,
               .acc = instances[0].acc,
               .op = instances[0].op,
               .n = blocks * block + 5,
               .block = block,
               .grid = 0,
               .data = Data::iota};
        const auto plan = kernels::plan(c);
        if (!plan.refusal.empty()) continue;
        c.grid = plan.grid;
        cases.push_back(c);
      }
    }
  }
  return cases;
}

inline void expect_same(const Observation& a, const Observation& b, const std::string& what) {
  EXPECT_EQ(a.completed, b.completed) << what;
  EXPECT_EQ(a.findings, b.findings) << what;
  EXPECT_EQ(a.counters, b.counters) << what;
  ASSERT_EQ(a.buffers.size(), b.buffers.size()) << what;
  for (std::size_t k = 0; k < a.buffers.size(); ++k) {
    EXPECT_EQ(a.buffers[k].bytes, b.buffers[k].bytes) << what;
    EXPECT_EQ(a.buffers[k].defined, b.buffers[k].defined) << what;
  }
}

}  // namespace gauntlet::simt
