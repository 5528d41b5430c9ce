// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the properties get variants, compiled instances, plans and verdicts from. A test puts its
// own small catalogue in the place of the compiled one, or a judge that sees nothing in the place
// of the oracle.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/plan.hpp"
#include "properties/case/executor.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/oracle/oracle.hpp"

namespace gauntlet::simt {
class Module;
}

namespace gauntlet::properties {

struct Source {
  const std::vector<kernels::Variant>* variants = nullptr;
  std::function<std::vector<kernels::Instance>(std::string_view variant, std::string_view form)>
      instances;
  std::function<Plan(const Case&)> plan;  ///< as kernels::plan
  /// The case with the grid that its plan has; a spec's has none of its own.
  [[nodiscard]] Case resolved(Case c) const {
    return c.grid != 0 || is_spec(c.variant) ? c : gauntlet::resolved(c, plan(c));
  }
  /// What is wrong with the outputs of a run (findings of kind wrong_result), and the references.
  std::function<Verdict(const Case&, const Plan&, const Observation&)> judge;
  /// The block sizes that the case's kernel has as a constant and is compiled for, sorted; empty,
  /// as where this is not set: any.
  std::function<std::vector<std::uint32_t>(const Case&)> blocks = {};
  /// Draws a case in place of draw_case (properties/hunt/generate.hpp); a case that is refused is
  /// drawn again.
  std::function<Case(std::string_view variant, std::uint64_t seed, int size)> draw = {};
  /// Is this property of a case asked? Not set: every one.
  std::function<bool(const Case&, std::string_view property)> asks = {};
  /// Cases known to fail, replayed first.
  std::function<std::vector<Regression>(std::string_view variant)> regressions = {};
  /// Those that are left out since they cannot be run any more: why, and what to do, a line each.
  std::function<std::vector<std::string>(std::string_view variant)> stale_regressions = {};
  /// Into how many parts the cases of one form are cut, so that several threads share them.
  unsigned parts = 1;
  /// The decoded kernels of a module that a launch names; not set, or null from it: the compiled
  /// ones.
  std::function<std::shared_ptr<const simt::Module>(const std::string& module)> module = {};
  /// A kernel as findings are to name it, of its PTX name. Not set: that.
  std::function<std::string(const std::string& entry)> kernel_name = {};
  /// May two right executors leave other bits? Not set: where atomics add floats whose sum is
  /// rounded.
  std::function<bool(const Case&)> inexact = {};
};

/// "VARIANT@FORM", as people are told; a spec has one form, which is not told.
[[nodiscard]] std::string spelling(std::string_view variant, std::string_view form);

/// What the seeds of a variant's cases are made of: its name; of a spec that of the file, wherever
/// it lies.
[[nodiscard]] std::string_view seed_name(std::string_view variant);

/// The compiled kernels and the exact oracle.
[[nodiscard]] const Source& compiled_kernels();

/// One thing to generate cases for.
struct Subject {
  std::string variant;
  std::string form;
  kernels::Instance instance;
  std::vector<std::string> schedules;  ///< drawn more often than others; may be empty
  bool wide_indices = false;  ///< n near 2^32 is drawn more often: the form's defect is there
};

}  // namespace gauntlet::properties
