// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/transcript.hpp"

#include <sstream>
#include <tuple>

#include "base/text/json_fields.hpp"

namespace gauntlet::sanitizer {
constexpr auto fields(const Event*) {
  using T = Event;
  const auto said = [](const char* name, auto member) {
    return field(name, member, Empty::left_out);
  };
  return std::tuple{said("device", &T::device), said("unusable", &T::unusable),
                    said("job", &T::job),       said("begins", &T::begins),
                    said("output", &T::output), said("detail", &T::detail)};
}

std::string line(const Event& event) { return compact_json(Json(event)) + "\n"; }

namespace {

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
