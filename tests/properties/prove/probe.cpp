// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/properties/prove/probe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "kernels/subject.hpp"
#include "properties/oracle/cells.hpp"

namespace gauntlet::prove::test {
namespace {

/// The plan with an input of these values.
Plan with_input(Plan plan, std::uint64_t padded, std::span<const float> values) {
  Buffer in{"given", padded * sizeof(float), sizeof(float)};
  in.content.resize(in.bytes);
  std::memcpy(in.content.data(), values.data(), values.size_bytes());
  in.read_only = true;
  const auto number = Plan::buffer(static_cast<std::uint32_t>(plan.buffers.size()));
  plan.buffers.push_back(std::move(in));
  plan.takes_input = false;
  for (auto& launch : plan.launches) {
    for (auto& arg : launch.args) {
      if (arg.kind == Arg::Kind::array && arg.array == Plan::input) arg.array = number;
    }
  }
  return plan;
}

}  // namespace

Subtrees probed(Executor& on, const Case& c, std::string& wrong) {
  const Plan plan = kernels::plan(c);
  Subtrees sizes(c.n * c.n);
  const auto padded = std::max(c.n, plan.padded);
  const float huge = std::ldexp(1.0F, 100);
  for (std::uint64_t i = 0; i < c.n; ++i) {
    for (std::uint64_t j = i + 1; j < c.n; ++j) {
      std::vector<float> values(c.n, 1.0F);
      values[i] = huge;
      values[j] = -huge;
      const auto seen = on.run(c, with_input(plan, padded, values));
      if (!seen.completed || !seen.findings.empty() ||
          seen.buffers.size() != plan.observed.size()) {
        wrong = "the run did not end without a finding";
        return sizes;
      }
      // The total comes first; partial sums have no more to say.
      for (std::size_t b = 0; b < plan.observed.size() && sizes[i * c.n + j] == 0; ++b) {
        const Cells cells(c, plan.observed[b], plan.grid);
        for (std::uint64_t k = 0; k < cells.size(); ++k) {
          std::uint64_t elements = 0;
          int both = 0;
          cells.for_each_run(k, [&](Run run) {
            elements += run.count;
            for (const auto e : {i, j}) both += e >= run.first && e - run.first < run.count ? 1 : 0;
          });
          if (both != 2) continue;
          float sum = 0;
          std::memcpy(&sum, seen.buffers[b].bytes.data() + k * sizeof sum, sizeof sum);
          const auto most = static_cast<float>(elements - 2);
          if (!(sum >= 0 && sum <= most && sum == std::floor(sum))) {
            wrong = fmt::format("M at {}, -M at {}: {}[{}] is {}", i, j, plan.observed[b].buffer, k,
                                sum);
            return sizes;
          }
          sizes[i * c.n + j] = elements - static_cast<std::uint64_t>(sum);
        }
      }
    }
  }
  return sizes;
}

Subtrees drawn(const std::vector<Tree>& trees, std::uint64_t n) {
  Subtrees sizes(n * n);
  for (const auto& tree : trees) {
    std::vector<std::vector<std::uint64_t>> below(tree.nodes.size());
    Subtrees own(n * n);
    for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
      const auto& node = tree.nodes[k];
      if (node.kind == TreeNode::Kind::element) below[k] = {node.element};
      if (node.kind != TreeNode::Kind::operation) continue;
      for (const auto x : below[node.a]) {
        for (const auto y : below[node.b]) own[std::min(x, y) * n + std::max(x, y)] = node.elements;
      }
      below[k] = below[node.a];
      below[k].insert(below[k].end(), below[node.b].begin(), below[node.b].end());
    }
    // The cells come in the order of Plan::observed: the total is the first.
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      if (sizes[k] == 0) sizes[k] = own[k];
    }
  }
  return sizes;
}

}  // namespace gauntlet::prove::test
