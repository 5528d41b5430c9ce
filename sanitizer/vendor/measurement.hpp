// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What was measured on one machine: every case of every form under the tools, plainly, behind
// fences and on the SIMT machine. It holds no judgement: comparing it with the expectations can be
// done anywhere, any time, from its JSON.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sanitizer/vendor/tool.hpp"
#include "sanitizer/vendor/transcript.hpp"

namespace gauntlet::sanitizer {

struct Seen {
  std::vector<Said> findings;               ///< folded
  std::string problem;                      ///< why there is no result
  [[nodiscard]] Symptoms symptoms() const;  ///< of warnings and errors
};

struct CaseMeasure {
  std::string line;              ///< the case
  bool regression = false;       ///< a committed counterexample, else a border case
  std::optional<Output> output;  ///< of the plain run, where it came to its end
  std::string detail;
  std::map<Tool, Seen> tools;
  std::optional<std::vector<std::string>> fence;  ///< "race_read_write s", sorted
  std::optional<std::vector<std::string>> simt;
};

struct FormMeasure {
  std::string variant, form;
  std::vector<CaseMeasure> cases;
};

struct CalibrationMeasure {
  Tool tool{};
  std::string entry;
  Seen seen;
};

struct Measurement {
  std::string date;          ///< "2026-11-21"
  std::string device;        ///< "NVIDIA H100 80GB HBM3"
  std::string driver;        ///< "580.159.04"
  std::string tool_version;  ///< of compute-sanitizer: "2025.3.1.0"
  std::vector<Tool> tools;
  std::vector<CalibrationMeasure> calibration;
  std::vector<FormMeasure> forms;  ///< in catalogue order
  bool interrupted = false;
};

/// Throws std::runtime_error, in one line, for a document of another kind or version.
[[nodiscard]] Measurement measurement_from_json(const nlohmann::ordered_json& json);
[[nodiscard]] nlohmann::ordered_json to_json(const Measurement& measurement);

/// What a tool said of a form in any of its cases.
[[nodiscard]] Symptoms reported(const FormMeasure& form, Tool tool);
/// The highest severity of those findings; none where it said nothing.
[[nodiscard]] std::optional<Severity> severity(const FormMeasure& form, Tool tool);

}  // namespace gauntlet::sanitizer
