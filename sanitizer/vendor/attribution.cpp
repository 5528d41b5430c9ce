// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/vendor/attribution.hpp"

#include <algorithm>

namespace gauntlet::sanitizer {
namespace {

const Job::Kernel* kernel_of(const Job& job, const std::string& entry) {
  const auto found = std::find_if(job.kernels.begin(), job.kernels.end(),
                                  [&](const Job::Kernel& kernel) { return kernel.entry == entry; });
  return found == job.kernels.end() ? nullptr : &*found;
}

bool holds(const Allocation& a, std::uint64_t address) {
  return address >= a.address && address < a.address + a.bytes;
}

std::uint64_t distance(const Allocation& a, std::uint64_t address) {
  if (holds(a, address)) return 0;
  return address < a.address ? a.address - address : address - (a.address + a.bytes) + 1;
}

/// An access outside belongs to the nearest allocation.
const Allocation* nearest(const JobLog& log, std::uint64_t address) {
  const auto found = std::min_element(log.allocations.begin(), log.allocations.end(),
                                      [&](const Allocation& a, const Allocation& b) {
                                        return distance(a, address) < distance(b, address);
                                      });
  return found == log.allocations.end() ? nullptr : &*found;
}

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
  return value >= 0 ? value / by : -((-value + by - 1) / by);
}

std::optional<std::size_t> by_name_or_address(const Record& record,
                                              std::span<const Job* const> batch,
                                              std::span<const JobLog> logs) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (record.entry.empty()) {
      const auto& all = logs[i].allocations;
      if (std::any_of(all.begin(), all.end(),
                      [&](const Allocation& a) { return holds(a, record.address); })) {
        return i;
      }
    } else if (kernel_of(*batch[i], record.entry) != nullptr) {
      return i;
    }
  }
  return std::nullopt;
}

void set_thread(Finding& finding, const Record& record, const Job::Kernel* kernel) {
  if (record.block) finding.at.block = *record.block;
  if (!record.thread || kernel == nullptr) return;
  const Dim3& extent = kernel->block;
  const std::uint32_t thread =
      record.thread->x + extent.x * (record.thread->y + extent.y * record.thread->z);
  finding.at.warp = thread / 32;
  finding.at.lane = thread % 32;
}

}  // namespace

std::optional<std::vector<std::size_t>> owners(std::span<const Record> records,
                                               std::span<const Job* const> batch,
                                               const Transcript& transcript) {
  if (batch.size() == 1) return std::vector<std::size_t>(records.size(), 0);
  const auto races = static_cast<std::size_t>(std::count_if(
      records.begin(), records.end(), [](const Record& r) { return is_race(r.kind); }));
  std::vector<std::size_t> positions;
  std::size_t race = 0;
  for (const Record& record : records) {
    std::optional<std::size_t> position = by_name_or_address(record, batch, transcript.jobs);
    if (is_race(record.kind)) {
      const std::size_t number = race++;
      if (!position && races == transcript.races.size()) position = transcript.races[number];
    }
    if (!position) return std::nullopt;
    positions.push_back(*position);
  }
  return positions;
}

Finding to_finding(const Record& record, const Job& job, const JobLog& log) {
  Finding finding;
  finding.kind = record.kind;
  finding.severity = record.severity;
  finding.kernel = record.entry;
  if (kernel_of(job, record.entry) == nullptr && job.kernels.size() == 1) {
    finding.kernel = job.kernels.front().entry;
  }
  finding.at.file = record.at.file;
  finding.at.line = record.at.line;
  finding.size = record.size;
  finding.detail = record.text;
  finding.count = record.count;
  set_thread(finding, record, kernel_of(job, record.entry));
  if (record.other) {
    finding.other.emplace();
    finding.other->file = record.other->file;
    finding.other->line = record.other->line;
  }
  if (record.space == "shared") {
    finding.array = "s";
  } else if (record.space == "global") {
    if (const Allocation* a = nearest(log, record.address)) {
      finding.array = a->array;
      const auto bytes = static_cast<std::int64_t>(record.address - (a->address + a->element0));
      finding.index = floor_divide(bytes, a->element_bytes);
    }
  }
  return finding;
}

void fold(std::vector<Finding>& findings, const Finding& finding) {
  const auto same = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
    return f.kind == finding.kind && f.severity == finding.severity && f.kernel == finding.kernel &&
           f.at.file == finding.at.file && f.at.line == finding.at.line &&
           f.array == finding.array && f.other.has_value() == finding.other.has_value() &&
           (!f.other ||
            (f.other->file == finding.other->file && f.other->line == finding.other->line));
  });
  if (same == findings.end()) {
    findings.push_back(finding);
  } else {
    same->count += finding.count;
  }
}

}  // namespace gauntlet::sanitizer
