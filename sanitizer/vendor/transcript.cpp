// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/transcript.hpp"

#include <optional>
#include <sstream>

#include "base/text/json_fields.hpp"

namespace gauntlet::sanitizer {
namespace {

/// A line of a worker: what it says of itself, or that a job begins or ends.
struct Event {
  std::optional<std::string> device{}, unusable{};
  std::optional<std::uint64_t> job{};
  std::optional<std::vector<Allocation>> begins{};
  std::optional<Output> output{};
  std::optional<std::string> detail{};
};
constexpr auto fields(const Event*) {
  using T = Event;
  return std::tuple{field("device", &T::device, Empty::left_out),
                    field("unusable", &T::unusable, Empty::left_out),
                    field("job", &T::job, Empty::left_out),
                    field("begins", &T::begins, Empty::left_out),
                    field("output", &T::output, Empty::left_out),
                    field("detail", &T::detail, Empty::left_out)};
}

std::string line(const Event& event) { return compact_json(Json(event)) + "\n"; }

/// Returns the job that has begun, else `running`.
std::size_t take(const Event& event, Transcript& transcript, std::size_t running) {
  if (event.device) transcript.device = *event.device;
  if (event.unusable) transcript.unusable = *event.unusable;
  if (!event.job) return running;
  JobLog& job = transcript.jobs.at(*event.job);
  if (event.begins) {
    job.began = true;
    job.allocations = *event.begins;
    return *event.job;
  }
  job.output = event.output.value();
  job.detail = event.detail.value();
  job.ended = true;
  return running;
}

}  // namespace

std::string device_line(const std::string& device) { return line({.device = device}); }

std::string unusable_line(const std::string& why) { return line({.unusable = why}); }

std::string begin_line(std::size_t job, const std::vector<Allocation>& allocations) {
  return line({.job = job, .begins = allocations});
}

std::string end_line(std::size_t job, Output output, const std::string& detail) {
  return line({.job = job, .output = output, .detail = detail});
}

Transcript parse_transcript(std::string_view text, std::size_t jobs) {
  Transcript transcript;
  transcript.jobs.resize(jobs);
  std::istringstream lines{std::string(text)};
  std::size_t running = 0;
  for (std::string one; std::getline(lines, one);) {
    if (one.find("Race reported between") != std::string::npos) transcript.races.push_back(running);
    if (!one.starts_with('{')) continue;
    const Json event = parse_json(one);
    if (!event.is_object()) continue;  // cut short by the process's end
    try {
      running = take(from_json<Event>(event), transcript, running);
    } catch (const std::exception&) {
      continue;  // something else that looks like ours
    }
  }
  return transcript;
}

}  // namespace gauntlet::sanitizer
