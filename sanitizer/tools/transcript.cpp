// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/tools/transcript.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <sstream>

#include "text/json_fields.hpp"

namespace gauntlet::sanitizer {
namespace {

std::string line(const Json& json) { return json.dump() + "\n"; }

/// Returns the job that has begun, else `running`.
std::size_t read_event(const Json& event, Transcript& transcript, std::size_t running) {
  if (event.contains("device")) transcript.device = event.at("device");
  if (event.contains("unusable")) transcript.unusable = event.at("unusable");
  if (!event.contains("job")) return running;
  const std::size_t number = Whole(event.at("job"));
  JobLog& job = transcript.jobs.at(number);
  if (event.contains("begins")) {
    running = number;
    job.began = true;
    job.allocations = from_json<std::vector<Allocation>>(event.at("begins"));
  } else {
    job.ended = true;
    job.output = from_json<Output>(event.at("output"));
    job.detail = event.at("detail");
  }
  return running;
}

}  // namespace

std::string device_line(const std::string& device) { return line(Json{{"device", device}}); }

std::string unusable_line(const std::string& why) { return line(Json{{"unusable", why}}); }

std::string begin_line(std::size_t job, const std::vector<Allocation>& allocations) {
  return line(Json{{"job", job}, {"begins", allocations}});
}

std::string end_line(std::size_t job, Output output, const std::string& detail) {
  return line(Json{{"job", job}, {"output", output}, {"detail", detail}});
}

Transcript parse_transcript(std::string_view text, std::size_t jobs) {
  Transcript transcript;
  transcript.jobs.resize(jobs);
  std::istringstream lines{std::string(text)};
  std::size_t running = 0;
  for (std::string one; std::getline(lines, one);) {
    if (one.find("Race reported between") != std::string::npos) transcript.races.push_back(running);
    if (!one.starts_with('{')) continue;
    const Json event = Json::parse(one, nullptr, false);
    if (!event.is_object()) continue;  // cut short by the process's end
    try {
      running = read_event(event, transcript, running);
    } catch (const std::exception&) {
      continue;  // something else that looks like ours
    }
  }
  return transcript;
}

}  // namespace gauntlet::sanitizer
