// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/measurement.hpp"

#include "base/members.hpp"
#include "base/text/json_fields.hpp"

namespace gauntlet::sanitizer {

/// An array of findings, or why there is none.
void to_json(Json& json, const Seen& seen) {
  json = seen.problem.empty() ? Json(seen.findings) : Json{{"problem", seen.problem}};
}
Seen read_json(const Json& json, const Seen*) {
  if (!json.is_array()) return {{}, json.at("problem")};
  return {from_json<std::vector<Said>>(json), {}};
}

constexpr auto fields(const CaseMeasure*) {
  using T = CaseMeasure;
  return std::tuple{field("case", &T::line),
                    GAUNTLET_MEMBERS(T, regression),
                    field("output", &T::output, Empty::left_out),
                    field("detail", &T::detail, Empty::left_out),
                    GAUNTLET_MEMBERS(T, tools),
                    field("fence", &T::fence, Empty::left_out),
                    field("simt", &T::simt, Empty::left_out)};
}
GAUNTLET_FIELDS(CalibrationMeasure, tool, entry, seen)
GAUNTLET_FIELDS(FormMeasure, variant, form, cases)
GAUNTLET_FIELDS(Measurement, date, device, driver, tool_version, interrupted, tools, calibration,
                forms)

Json to_json(const Measurement& measurement) { return json_of("detection", measurement); }

Measurement measurement_from_json(const Json& json) {
  return read_document(json, "detection", from_json<Measurement>);
}

Symptoms Seen::symptoms() const {
  Symptoms all;
  for (const Said& said : findings) {
    if (said.severity != Severity::note) all.insert(symptom_of(said));
  }
  return all;
}

Symptoms reported(const FormMeasure& form, Tool tool) {
  Symptoms all;
  for (const CaseMeasure& c : form.cases) {
    const auto seen = c.tools.find(tool);
    if (seen != c.tools.end()) all.merge(seen->second.symptoms());
  }
  return all;
}

std::optional<Severity> severity(const FormMeasure& form, Tool tool) {
  std::optional<Severity> highest;
  for (const CaseMeasure& c : form.cases) {
    const auto seen = c.tools.find(tool);
    if (seen == c.tools.end()) continue;
    for (const Said& said : seen->second.findings) {
      if (!highest || said.severity > *highest) highest = said.severity;
    }
  }
  return highest;
}

}  // namespace gauntlet::sanitizer
