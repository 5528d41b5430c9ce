// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/session/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/host_memory.hpp"
#include "base/os/parallel_for.hpp"
#include "sanitizer/kernel/npy.hpp"
#include "sanitizer/session/report.hpp"

namespace gauntlet::sanitize {

Sweep::Sweep(std::string file, std::vector<Combination> combinations, const Style& style)
    : file_(std::move(file)), combinations_(std::move(combinations)), style_(style) {
  for (const Combination& one : combinations_) check_memory(one.options, memory_available());
}

void Sweep::dump(const SanitizeOptions& options, const SanitizeResult& result,
                 const std::function<void(const std::string&)>& print) const {
  if (result.arrays.empty()) return;  // interrupted before the first schedule
  for (const Dump& dump : options.dumps) {
    const ObservedBuffer& array =
        *std::ranges::find(result.arrays, dump.array, &ObservedBuffer::name);
    if (dump.path.empty()) {
      print(values(array));
    } else {
      write_npy(dump.path, array.type, array.bytes);
    }
  }
}

void Sweep::run(const std::function<void(const std::string&)>& print,
                const std::atomic<bool>& interrupted) {
  for (const Combination& one : combinations_) {
    if (interrupted && !results_.empty()) break;
    SanitizeOptions options = one.options;
    // Each thread may need as much for races as one alone.
    const std::uint64_t room =
        memory_available() / std::max<std::uint64_t>(1, memory_needed(options));
    options.jobs =
        static_cast<unsigned>(std::clamp<std::uint64_t>(room, 1, os::thread_count(options.jobs)));
    std::vector<Found> earlier;  // of this combination
    const std::size_t told = findings_.size();
    const auto told_before = [&](const Found& found) {
      return std::any_of(findings_.begin(), findings_.begin() + static_cast<std::ptrdiff_t>(told),
                         [&](const Found& other) { return same(found, other); });
    };
    const auto tell = [&](const ScheduleRun& run, std::vector<Found> fresh) {
      std::erase_if(fresh, told_before);
      print(new_findings(run, fresh, earlier, options, style_));
      earlier.insert(earlier.end(), fresh.begin(), fresh.end());
      findings_.insert(findings_.end(), fresh.begin(), fresh.end());
    };
    results_.push_back(sanitize(options, tell, interrupted));
    SanitizeResult& result = results_.back();
    dump(options, result, print);
    print(sanitize::summary(result, options, style_));
    // Large, and told; the JSON shows those that --dump names.
    std::erase_if(result.arrays, [&](const ObservedBuffer& array) {
      return std::ranges::count(options.dumps, array.name, &Dump::array) == 0;
    });
  }
}

bool Sweep::clean() const {
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (!results_[k].clean(combinations_[k].options.strict)) return false;
  }
  return true;
}

std::string Sweep::summary() const {
  if (combinations_.size() == 1) return {};
  std::size_t found = 0;
  const Combination* first = nullptr;
  for (std::size_t k = 0; k < results_.size(); ++k) {
    if (results_[k].clean(combinations_[k].options.strict)) continue;
    if (found++ == 0) first = &combinations_[k];
  }
  std::string text = counted(combinations_.size(), "combination");
  if (results_.size() < combinations_.size()) {
    text = fmt::format("{} of {}", results_.size(), text);
  }
  if (first == nullptr) return fmt::format("{}: {}\n", text, style_.good("clean"));
  return fmt::format("{}: {}; the first of these again:\n{}", text,
                     style_.bad(fmt::format("{} with findings", found)), first->command);
}

Json Sweep::json() const {
  Json json = json_head("sanitize");
  json["file"] = file_;
  if (combinations_.size() == 1) {
    json.update(to_json(results_.at(0), combinations_[0].options));
    return json;
  }
  json["clean"] = clean();
  json["interrupted"] = results_.size() < combinations_.size() ||
                        std::ranges::any_of(results_, &SanitizeResult::interrupted);
  json["combinations"] = Json::array();
  for (std::size_t k = 0; k < results_.size(); ++k) {
    Json one{{"combination", combinations_[k].options.combination}};
    one.update(to_json(results_[k], combinations_[k].options));
    json["combinations"].push_back(std::move(one));
  }
  return json;
}

}  // namespace gauntlet::sanitize
