// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a measurement: first the calibration, then every case of the selected forms.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/subject.hpp"
#include "sanitizer/vendor/bench.hpp"
#include "sanitizer/vendor/measurement.hpp"

namespace gauntlet::sanitizer {

struct MeasureOptions {
  const properties::Subject* subject = &kernels::compiled_kernels();
  std::vector<std::string> selectors;  ///< as properties::CheckOptions
  unsigned shard = 0, shards = 1;
  std::string regressions;  ///< folder; empty: the source tree's
  std::vector<Tool> tools;
  BenchOptions bench;  ///< but for its progress
  /// Also measured where they are there: the plain output, what the fences of `gpu` show, what
  /// `simt` finds.
  bool plain = false;
  Executor* gpu = nullptr;
  Executor* simt = nullptr;
  /// Told what is being run, and how many of how many cases have their result.
  std::function<void(const std::string& what, std::size_t done, std::size_t all)> progress =
      [](const std::string&, std::size_t, std::size_t) {};
};

/// A tool whose calibration fails is shown no cases: compare.hpp says what failed. Throws CaseError
/// for a selector that names nothing, std::runtime_error where a process cannot be started.
[[nodiscard]] Measurement measure(const MeasureOptions& options);

/// "2025.3.1.0": what `compute-sanitizer --version` says; empty where it says nothing like it.
[[nodiscard]] std::string tool_version(const std::string& compute_sanitizer);

/// The driver's version as the kernel module tells it: "580.159.04"; empty where it does not.
[[nodiscard]] std::string driver_version();

// Which cases of a form the tools are shown: few, since racecheck runs 162 launches a second. The
// committed counterexamples show each defect in its smallest form on the SIMT machine; the border
// cases are what a user would launch.

struct Shown {
  Case c;
  bool regression = false;
};

/// `regressions`: folder, empty for the source tree's; a spec has its own, and drawn cases. Windows
/// of blocks, which no GPU runs, and cases that the launch contract refuses are left out.
[[nodiscard]] std::vector<Shown> cases_of(
    const Variant& variant, const Form& form, const std::string& regressions,
    const properties::Subject& subject = kernels::compiled_kernels());

[[nodiscard]] Job job_of(const Case& c,
                         const properties::Subject& subject = kernels::compiled_kernels());

/// Jobs of the calibration kernels that concern a tool.
[[nodiscard]] std::vector<Job> calibration_jobs(Tool tool);

}  // namespace gauntlet::sanitizer
