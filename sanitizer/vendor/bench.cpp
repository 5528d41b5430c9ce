// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <sstream>

#include "base/os/file.hpp"
#include "base/os/temporary_folder.hpp"
#include "sanitizer/vendor/record.hpp"

namespace gauntlet::sanitizer {
namespace {

/// The last line that says something, for a message.
std::string last_line(const os::Ran& ended) {
  std::string last;
  std::istringstream lines(ended.out + "\n" + ended.err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with('{')) last = line;
  }
  return last;
}

/// What a process left behind.
struct Left {
  os::Ran ended;
  Transcript transcript;

  /// The worker came up and took its first job.
  [[nodiscard]] bool started() const {
    return !transcript.device.empty() || transcript.jobs.front().began;
  }
  /// The first job without an answer; the number of jobs where all have one.
  [[nodiscard]] std::size_t unfinished() const {
    const auto& logs = transcript.jobs;
    const auto first =
        std::find_if(logs.begin(), logs.end(), [](const auto& l) { return !l.ended; });
    return static_cast<std::size_t>(first - logs.begin());
  }
  [[nodiscard]] Output how() const { return ended.silent ? Output::hang : Output::crash; }
  /// Why the worker is no more, for a message.
  [[nodiscard]] std::string last_words() const {
    return transcript.unusable.empty() ? last_line(ended) : transcript.unusable;
  }
};

using Batch = std::vector<std::size_t>;

Batch part(const Batch& batch, std::size_t from, std::size_t to) {
  return {batch.begin() + static_cast<std::ptrdiff_t>(from),
          batch.begin() + static_cast<std::ptrdiff_t>(to)};
}

/// What is run again where a process left no records: what the jobs before the culprit showed is
/// lost with them.
std::vector<Batch> around(const Batch& batch, std::size_t culprit) {
  std::vector<Batch> again;
  if (culprit != 0) again.push_back(part(batch, 0, culprit));
  again.push_back({batch[culprit]});
  if (culprit + 1 < batch.size()) again.push_back(part(batch, culprit + 1, batch.size()));
  return again;
}

}  // namespace

std::vector<std::vector<std::size_t>> batches(std::span<const Job> jobs) {
  std::vector<std::vector<std::size_t>> result;
  std::vector<std::set<std::string>> used;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::size_t at = 0;
    const auto clashes = [&](const std::string& kernel) { return used[at].contains(kernel); };
    while (at < used.size() && std::ranges::any_of(jobs[i].kernels, clashes)) ++at;
    if (at == used.size()) {
      used.emplace_back();
      result.emplace_back();
    }
    used[at].insert(jobs[i].kernels.begin(), jobs[i].kernels.end());
    result[at].push_back(i);
  }
  return result;
}

std::vector<JobResult> Bench::run(std::optional<Tool> tool, std::span<const Job> jobs) {
  std::vector<JobResult> results(jobs.size());
  std::vector<bool> done(jobs.size());
  std::deque<Batch> waiting;
  if (tool) {
    const auto all = batches(jobs);
    waiting.assign(all.begin(), all.end());
  } else if (!jobs.empty()) {
    waiting.emplace_back();
    for (std::size_t i = 0; i < jobs.size(); ++i) waiting.front().push_back(i);
  }
  std::size_t left = jobs.size();
  while (!waiting.empty()) {
    const Batch batch = waiting.front();
    waiting.pop_front();
    if (options_.cancel != nullptr && *options_.cancel) {
      for (const std::size_t i : batch) results[i].problem = "interrupted";
      continue;
    }
    const std::vector<Batch> again = run_batch(tool, jobs, batch, results);
    left -= batch.size();
    for (const Batch& b : again) left += b.size();
    options_.progress(jobs.size() - left);
    waiting.insert(waiting.begin(), again.begin(), again.end());
  }
  return results;
}

std::vector<Bench::Batch> Bench::run_batch(std::optional<Tool> tool, std::span<const Job> jobs,
                                           const Batch& batch, std::vector<JobResult>& results) {
  std::vector<const Job*> members;
  for (const std::size_t i : batch) members.push_back(&jobs[i]);
  const os::TemporaryFolder folder;
  const std::string xml = (folder.path() / "records.xml").string();
  ++processes_;
  Left left{start(tool, members, xml), {}};
  left.transcript = parse_transcript(left.ended.out, batch.size());
  if (!left.transcript.device.empty()) device_ = left.transcript.device;
  if (!left.started()) {  // nor would it for any of these jobs alone
    const std::string why = fmt::format("the worker did not start (exit code {}): {}",
                                        left.ended.end.code(), left.last_words());
    for (const std::size_t i : batch) results[i] = {Output::crash, {}, {}, why};
    return {};
  }
  const std::size_t first = left.unfinished();
  std::vector<Record> records;
  try {
    if (tool) records = parse_records(os::read_file(xml).value_or(""));
  } catch (const RecordError& error) {
    if (batch.size() > 1) return around(batch, std::min(first, batch.size() - 1));
    results[batch[0]] = {left.how(),
                         {},
                         {},
                         fmt::format("{} left no records ({}; exit code {}): {}", name(*tool),
                                     error.what(), left.ended.end.code(), last_line(left.ended))};
    return {};
  }
  const auto positions = owners(records, members, left.transcript);
  if (!positions) {  // by itself a job's records cannot be another's
    std::vector<Batch> again;
    for (const std::size_t i : batch) again.push_back({i});
    return again;
  }
  const std::vector<JobLog>& logs = left.transcript.jobs;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (i <= first) results[batch[i]] = {logs[i].output, logs[i].detail, {}, {}};
  }
  for (std::size_t r = 0; r < records.size(); ++r) {
    const std::size_t i = (*positions)[r];
    if (i <= first) fold(results[batch[i]].findings, said_of(records[r], *members[i], logs[i]));
  }
  if (first == batch.size()) return {};
  // The process ended early. After a fault the next job has not begun; else the one that has is to
  // blame.
  const bool blameless = !logs[first].began && first != 0 && !left.ended.silent;
  if (!blameless) {
    JobResult& culprit = results[batch[first]];
    culprit.output = left.how();
    culprit.problem = left.ended.silent
                          ? fmt::format("hangs: silent for {:.0f} s", options_.silence_seconds)
                          : fmt::format("the worker ended with code {}: {}", left.ended.end.code(),
                                        left.last_words());
  }
  const std::size_t next = first + (blameless ? 0 : 1);
  if (next == batch.size()) return {};
  return {part(batch, next, batch.size())};
}

os::Ran Bench::start(std::optional<Tool> tool, std::span<const Job* const> members,
                     const std::string& xml) const {
  std::vector<std::string> argv;
  if (tool) {
    argv.push_back(options_.compute_sanitizer);
    const auto options = tool_options(*tool, xml);
    argv.insert(argv.end(), options.begin(), options.end());
  }
  argv.insert(argv.end(), options_.worker.begin(), options_.worker.end());
  if (tool == Tool::initcheck) argv.emplace_back("--no-fill");
  if (tool == Tool::racecheck) argv.emplace_back("--settle");
  std::string input;
  for (const Job* job : members) input += job->line + "\n";
  return os::run(argv, input, options_.silence_seconds);
}

}  // namespace gauntlet::sanitizer
