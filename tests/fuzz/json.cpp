// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// JSON that is read back: by `time --render`, `time --passed`, `detect --from`, and from the
// process that runs under compute-sanitizer. What is read is shown as well.

#include "gpu/timing/configurations.hpp"
#include "gpu/timing/report/report.hpp"
#include "sanitizer/vendor/expectation.hpp"
#include "sanitizer/vendor/measurement.hpp"
#include "sanitizer/vendor/transcript.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using gauntlet::Json;

void times(const Json& document) {
  try {
    const auto report = gauntlet::timing::report_from_json(document);
    (void)gauntlet::timing::markdown(report);
    (void)gauntlet::timing::text_of(gauntlet::timing::to_json(report));
  } catch (const gauntlet::JsonShapeError&) {
  }
}

void passed(const Json& document) {
  try {
    (void)gauntlet::timing::Passed::from_json(document).refusal("sequential", "fixed");
  } catch (const gauntlet::JsonShapeError&) {
  }
}

void detection(const Json& document) {
  try {
    const auto measurement = gauntlet::sanitizer::measurement_from_json(document);
    (void)gauntlet::sanitizer::calibration_failures(measurement);
    (void)gauntlet::sanitizer::disagreements(measurement);
    (void)gauntlet::sanitizer::detection_page(measurement, "fuzz.json", "/nonexistent");
    (void)gauntlet::sanitizer::to_json(measurement).dump();
  } catch (const std::exception&) {
  }
}

}  // namespace

GAUNTLET_FUZZ_TARGET(json) {
  const auto text = gauntlet::fuzz::text_of(data, size);
  (void)gauntlet::sanitizer::parse_transcript(text, 4);
  const Json document = Json::parse(text, nullptr, false);
  if (document.is_discarded()) return 0;
  times(document);
  passed(document);
  detection(document);
  return 0;
}
