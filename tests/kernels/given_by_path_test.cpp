// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A documents' kernel whose spec is named by its path, as a user names one, is planned, drawn and
// judged as by its name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/language/source.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::kernels {
namespace {

const std::atomic<bool> interrupted{false};

std::string path_of(const std::string& variant) {
  return fmt::format("{}/{}.gauntlet", GAUNTLET_KERNELS, variant);
}

/// What a plan says but the names of modules, entries and variables, which the build shortens.
std::string text(const Plan& plan) {
  if (!plan.refusal.empty()) return plan.refusal;
  std::string text = fmt::format("{} {} {} {} {} {} {} {}", plan.grid, plan.takes_input,
                                 plan.padded, plan.rehearsals, plan.capability, plan.height,
                                 plan.input_may_change, plan.float_atomics);
  for (const Buffer& b : plan.buffers) {
    text +=
        fmt::format("\n{} {} {} {}", b.name, b.bytes, b.element_bytes, static_cast<int>(b.fill));
  }
  for (const Launch& l : plan.launches) {
    text += fmt::format("\n{},{},{} {},{},{} {} {} {}", l.grid.x, l.grid.y, l.grid.z, l.block.x,
                        l.block.y, l.block.z, l.shared_bytes, l.cooperative, l.programmatic);
    for (const Arg& arg : l.args) {
      text += fmt::format(" ({} {} {} ", static_cast<int>(arg.kind), arg.array, arg.byte_offset);
      for (const std::byte byte : arg.bytes) text += fmt::format("{:02x}", static_cast<int>(byte));
      text += ")";
    }
  }
  for (const Observed& o : plan.observed) {
    text += fmt::format("\n{} {} {} {} {}", o.buffer, o.cells, static_cast<int>(o.coverage.kind),
                        o.coverage.tile, o.coverage.first);
  }
  return text;
}

class GivenByPath : public ::testing::TestWithParam<const char*> {};

TEST_P(GivenByPath, every_form_is_drawn_planned_and_judged_as_by_its_name) {
  const spec::Specs specs({path_of(GetParam())}, interrupted);
  const Catalogue& catalogue = compiled_kernels();
  const auto by_path = simt::make_executor(),
             by_name = simt::make_executor();  // plans have modules
  const Variant& variant = *find_variant(GetParam());
  unsigned windows = 0, found = 0;
  for (const Form& form : variant.forms) {
    ASSERT_EQ(specs.instances(path_of(variant.id), form.name).size(),
              instances(variant.id, form.name).size());
    for (unsigned k = 0; k < 60; ++k) {
      const auto& all = instances(variant.id, form.name);
      properties::Population of{variant.id, form.name, all[k % all.size()], form.expect_schedules,
                                true};
      const Case c = catalogue.draw(of, k, static_cast<int>(k));
      of.variant = path_of(variant.id);
      Case own = specs.draw(of, k, static_cast<int>(k));
      EXPECT_EQ(specs.completed(parse_case(to_string(own))), own);
      const Plan plan = catalogue.plan(c), own_plan = specs.plan(own);
      EXPECT_EQ(text(own_plan), text(plan)) << to_string(c);
      EXPECT_EQ(specs.claim(own, own_plan), nullptr);  // that of any reduction
      windows += c.block_count != 0 ? 1 : 0;
      if (!plan.refusal.empty() || k % 4 != 0) continue;
      const Observation a = by_name->run(c, plan), b = by_path->run(own, own_plan);
      const Verdict x = catalogue.judge(c, plan, a), y = specs.judge(own, own_plan, b);
      ASSERT_EQ(b.findings.size(), a.findings.size()) << to_string(c);
      for (std::size_t f = 0; f < a.findings.size(); ++f) {
        EXPECT_EQ(b.findings[f].kind, a.findings[f].kind);
        EXPECT_EQ(b.findings[f].array, a.findings[f].array);
        EXPECT_EQ(b.findings[f].at.line, a.findings[f].at.line);
      }
      EXPECT_EQ(y.findings.size(), x.findings.size()) << to_string(c);
      found += a.findings.empty() && x.findings.empty() ? 0 : 1;
      own.variant = c.variant;
      EXPECT_EQ(own, c);
    }
  }
  EXPECT_GT(windows, 0U);
  EXPECT_GT(found, 0U);
}

INSTANTIATE_TEST_SUITE_P(Kernels, GivenByPath,
                         ::testing::Values("sequential", "static_partials", "shuffle_rows"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gauntlet::kernels
