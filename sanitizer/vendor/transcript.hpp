// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a worker under a tool is told, and what it answers: one line for each job on its standard
// input, JSON lines on its standard output, between which the tool may write its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"
#include "base/names.hpp"
#include "base/types.hpp"

namespace gauntlet::sanitizer {

/// A job is a case line, or this word with a kernel of sanitizer/vendor/calibration.cu behind it.
inline constexpr std::string_view calibration_word = "calibration";

/// Memory of the device that a job uses. Never freed, so that an address means one job.
struct Allocation {
  std::string array;
  std::uint64_t address = 0, bytes = 0;
  std::uint32_t element_bytes = 1;
  std::uint64_t element0 = 0;  ///< bytes in front of element 0
};
GAUNTLET_FIELDS(Allocation, array, address, bytes, element_bytes, element0)

enum class Output : std::uint8_t {
  none,   ///< the job did not come to its end
  right,  ///< as the oracle says
  wrong,
  unwritten,  ///< a cell that must be written holds what was there before
  fault,      ///< a CUDA error that ends the process
  rejected,   ///< CUDA refuses the launch
  refused,    ///< by the launch contract
  hang,
  crash
};
constexpr auto names(const Output*) {
  return names_of("none", "right", "wrong", "unwritten", "fault", "rejected", "refused", "hang",
                  "crash");
}

/// One job of a worker.
struct JobLog {
  bool began = false;
  bool ended = false;  ///< with an answer; a fault is one
  Output output = Output::none;
  std::string detail;  ///< "got 3, expected 4", or the CUDA error's name
  std::vector<Allocation> allocations;
};

struct Transcript {
  std::string device;    ///< "NVIDIA H100 80GB HBM3"; empty where the worker has not said it
  std::string unusable;  ///< why there is no GPU
  std::vector<JobLog> jobs;
  /// For each race that the tool printed, in order, the job that ran then. The records of racecheck
  /// name the function that the code was inlined from, not the kernel; their order is the same.
  std::vector<std::size_t> races;
};

/// A line of a worker: what it says of itself, or that a job begins or ends.
struct Event {
  std::optional<std::string> device{}, unusable{};
  std::optional<std::uint64_t> job{};
  std::optional<std::vector<Allocation>> begins{};
  std::optional<Output> output{};
  std::optional<std::string> detail{};
};
[[nodiscard]] std::string line(const Event& event);

/// `jobs`: how many there were. Lines that are not the worker's are skipped.
[[nodiscard]] Transcript parse_transcript(std::string_view text, std::size_t jobs);

}  // namespace gauntlet::sanitizer
