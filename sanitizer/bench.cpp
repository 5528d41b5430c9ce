// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "sanitizer/attribution.hpp"
#include "sanitizer/process.hpp"
#include "sanitizer/record.hpp"

namespace gauntlet::sanitizer {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The last line that says something, for a message.
std::string last_line(const ProcessResult& ended) {
  std::string last;
  std::istringstream lines(ended.out + "\n" + ended.err);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with('{')) last = line;
  }
  return last;
}

/// What a process left behind.
struct Left {
  Transcript transcript;
  std::optional<std::vector<Record>> records;  ///< none: the tool did not come to its end
  std::string why;                             ///< then, in one line
  bool silent = false;
};

}  // namespace

std::vector<std::vector<std::size_t>> batches(std::span<const Job> jobs) {
  std::vector<std::vector<std::size_t>> result;
  std::vector<std::set<std::string>> used;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::size_t at = 0;
    const auto clashes = [&](const Job::Kernel& k) { return used[at].contains(k.entry); };
    while (at < used.size() &&
           std::any_of(jobs[i].kernels.begin(), jobs[i].kernels.end(), clashes)) {
      ++at;
    }
    if (at == used.size()) {
      used.emplace_back();
      result.emplace_back();
    }
    for (const Job::Kernel& kernel : jobs[i].kernels) used[at].insert(kernel.entry);
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
  const ScratchFolder folder;
  const std::string xml = folder.path() + "/records.xml";
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
  std::vector<const Job*> members;
  for (const std::size_t i : batch) {
    members.push_back(&jobs[i]);
    input += jobs[i].line + "\n";
  }
  ++processes_;
  const ProcessResult ended = run_process(argv, input, folder.path(), options_.silence_seconds);

  Left left{parse_transcript(ended.out, batch.size()), std::nullopt, {}, ended.silent};
  if (!left.transcript.device.empty()) device_ = left.transcript.device;
  std::vector<JobLog>& logs = left.transcript.jobs;
  if (!tool) {
    left.records.emplace();
  } else {
    try {
      left.records = parse_records(read(xml));
    } catch (const RecordError& error) {
      left.why = fmt::format("{} left no records ({}; exit code {}): {}", name(*tool), error.what(),
                             ended.code, last_line(ended));
    }
  }
  const auto unfinished = [](const JobLog& log) { return !log.ended; };
  const auto first =
      static_cast<std::size_t>(std::find_if(logs.begin(), logs.end(), unfinished) - logs.begin());
  const auto alone = [&](std::size_t position) { return Batch{batch[position]}; };
  const auto rest = [&](std::size_t from) {
    return Batch(batch.begin() + static_cast<std::ptrdiff_t>(from), batch.end());
  };

  if (left.transcript.device.empty() && !logs.front().began) {
    // The worker never came up; it would not for the others either.
    if (left.why.empty() || !left.transcript.unusable.empty()) {
      left.why = fmt::format(
          "the worker did not start (exit code {}): {}", ended.code,
          left.transcript.unusable.empty() ? last_line(ended) : left.transcript.unusable);
    }
    for (const std::size_t i : batch) results[i] = {Output::crash, {}, {}, left.why};
    return {};
  }
  if (!left.records) {
    // What the jobs before the culprit showed is lost with the file.
    if (batch.size() == 1) {
      JobResult& result = results[batch[0]];
      result.output = ended.silent ? Output::hang : Output::crash;
      result.problem = left.why;
      return {};
    }
    std::vector<Batch> again;
    const std::size_t culprit = std::min(first, batch.size() - 1);
    if (culprit != 0) again.emplace_back(batch.begin(), batch.begin() + static_cast<long>(culprit));
    again.push_back(alone(culprit));
    if (culprit + 1 < batch.size()) again.push_back(rest(culprit + 1));
    return again;
  }

  std::vector<std::vector<Finding>> findings(batch.size());
  const auto positions = owners(*left.records, members, left.transcript);
  if (!positions) {  // by itself a job's records cannot be another's
    std::vector<Batch> again;
    for (std::size_t i = 0; i < batch.size(); ++i) again.push_back(alone(i));
    return again;
  }
  for (std::size_t r = 0; r < positions->size(); ++r) {
    const std::size_t i = (*positions)[r];
    fold(findings[i], to_finding((*left.records)[r], *members[i], logs[i]));
  }
  for (std::size_t i = 0; i < first; ++i) {
    results[batch[i]] = {logs[i].output, logs[i].detail, std::move(findings[i]), {}};
  }
  if (first == batch.size()) return {};
  // The process ended early. After a fault the next job has not begun; else the one that has is to
  // blame.
  if (!logs[first].began && first != 0 && !ended.silent) return {rest(first)};
  JobResult& result = results[batch[first]];
  result = {ended.silent ? Output::hang : Output::crash, {}, std::move(findings[first]), {}};
  result.problem =
      ended.silent ? fmt::format("hangs: nothing was heard for {:.0f} s", options_.silence_seconds)
                   : fmt::format("the worker ended with code {}: {}", ended.code,
                                 left.transcript.unusable.empty() ? last_line(ended)
                                                                  : left.transcript.unusable);
  if (first + 1 == batch.size()) return {};
  return {rest(first + 1)};
}

}  // namespace gauntlet::sanitizer
