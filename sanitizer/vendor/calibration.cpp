// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/calibration.hpp"

#include <fmt/format.h>

namespace gauntlet::sanitizer {

const std::vector<Planted>& planted() {
  using enum Symptom;
  static const std::vector<Planted> all{
      {"global_read_out_of_bounds", Tool::memcheck, {global_bounds}},
      {"global_write_out_of_bounds", Tool::memcheck, {global_bounds}},
      {"shared_read_out_of_bounds", Tool::memcheck, {shared_bounds}},
      {"shared_write_out_of_bounds", Tool::memcheck, {shared_bounds}},
      {"global_misaligned", Tool::memcheck, {misaligned}},
      {"shared_race_between_warps", Tool::racecheck, {race}},
      {"shared_race_inside_warp", Tool::racecheck, {race}},
      {"global_uninitialised", Tool::initcheck, {uninitialised}},
      {"copy_uninitialised", Tool::initcheck, {unwritten}},
      {"shared_uninitialised", Tool::initcheck, {}},
      {"divergent_barrier", Tool::synccheck, {barrier}},
      {"invalid_mask", Tool::synccheck, {barrier}},
      {"shuffle_from_absent_lane", Tool::synccheck, {}, 48},
  };
  return all;
}

std::string calibration_entry(std::string_view defect, bool clean) {
  return fmt::format("calibration__{}__{}", defect, clean ? "clean" : "planted");
}

std::uint32_t calibration_threads(std::string_view entry) {
  for (const Planted& p : planted()) {
    for (const bool clean : {false, true}) {
      if (entry == calibration_entry(p.defect, clean)) return p.threads;
    }
  }
  return 0;
}

}  // namespace gauntlet::sanitizer
