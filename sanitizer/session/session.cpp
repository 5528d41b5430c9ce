// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/session/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/host_memory.hpp"
#include "base/scalar.hpp"
#include "base/schedule.hpp"
#include "base/usage_error.hpp"
#include "machine/engine/device.hpp"
#include "properties/launch/case_run.hpp"
#include "sanitizer/kernel/told.hpp"

namespace gauntlet::sanitize {
namespace {

/// What all schedules of a launch have in common.
struct Prepared {
  const SanitizeOptions& options;
  const spec::Spec& spec;
  Plan plan;
  std::vector<std::vector<std::byte>> expected;  ///< contents, of each of the options'
};

/// The values of scratch arrays and inputs are of no account.
bool is_output(const spec::Array& a) {
  return a.role != spec::Role::scratch && a.role != spec::Role::in;
}

std::string value(const ObservedBuffer& array, std::uint64_t i) {
  return format_cell(array.type, array.bytes.data(), i, array.defined[i]);
}

/// One schedule: memory of its own, one or two launches.
class Run {
 public:
  /// `prints`: what the kernel prints is kept.
  Run(const Prepared& prepared, std::string schedule, bool prints,
      const std::atomic<bool>& interrupted)
      : prepared_(prepared),
        options_(prepared.options),
        device_([this](const std::string&) { return options_.loaded->module; }) {
    run_.schedule = std::move(schedule);
    device_.options.schedule = run_.schedule;
    device_.options.step_limit = options_.step_limit;
    device_.options.jobs = options_.jobs;
    device_.options.races = options_.races;
    device_.options.interrupted = &interrupted;
    if (prints) device_.options.printed = &run_.printed;
    addresses_ = prepare(device_, {}, prepared_.plan);
  }

  ScheduleRun& launches() {
    launch(1);
    if (!run_.completed || !options_.repeat) return run_;
    const auto before = arrays();
    launch(2);
    if (run_.completed) compare_with_first(before);
    return run_;
  }

  [[nodiscard]] std::vector<ObservedBuffer> arrays() {
    std::vector<ObservedBuffer> all;
    std::vector<CellState> states;
    for (std::size_t k = 0; k < prepared_.spec.arrays.size(); ++k) all.push_back(array(k, states));
    return all;
  }

 private:
  ObservedBuffer array(std::size_t k, std::vector<CellState>& states) {
    const spec::Array& a = prepared_.spec.arrays[k];
    const Address from = a.symbol ? device_.symbol({}, a.mangled) : addresses_[k + 1];
    const std::uint64_t count = spec::Evaluator(options_.loaded->program, {}).elements(k);
    return read_cells(device_, a.name, a.type, count, from, states);
  }

  void launch(std::uint32_t number) {
    LaunchReport report;
    try {
      report = device_.launch(prepared_.plan.launches.front(), addresses_);
    } catch (const std::invalid_argument& error) {
      throw UsageError(options_.combination.empty()
                           ? error.what()
                           : fmt::format("{}: {}", options_.combination, error.what()));
    }
    run_.completed = report.completed;
    run_.interrupted = report.interrupted;
    run_.counters += report.counters;
    for (Finding& f : report.findings) {
      f.kernel = options_.kernel;
      add(std::move(f), number);
    }
    // What an aborted launch left says nothing beyond why it was aborted.
    if (!run_.completed) return;
    for (std::size_t k = 0; k < prepared_.expected.size(); ++k) compare(k, number);
  }

  void add(Finding finding, std::uint32_t number) {
    run_.findings.push_back({std::move(finding), run_.schedule, number});
  }

  [[nodiscard]] bool close(Type type, std::uint64_t got, std::uint64_t expected) const {
    if (!is_float(type)) return got == expected;
    const double x = float_value(type, got), y = float_value(type, expected);
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
    return x == y || std::fabs(x - y) <= options_.tolerance * std::max(1.0, std::fabs(y));
  }

  void compare(std::size_t which, std::uint32_t number) {
    const ExpectedContent& expected = options_.expected[which];
    std::vector<CellState> states;
    const ObservedBuffer got = array(expected.array, states);
    const auto size = size_of(got.type);
    Finding wrong = difference_in(got), unwritten = difference_in(got);
    unwritten.kind = FindingKind::unwritten_output;
    for (std::uint64_t i = 0; i < expected.count; ++i) {
      const auto want = load_bits(got.type, prepared_.expected[which].data() + i * size);
      const bool written = states[i] != CellState::unwritten;
      if (got.defined[i] && close(got.type, load_bits(got.type, got.bytes.data() + i * size), want))
        continue;
      Finding& f = written ? wrong : unwritten;
      if (f.count++ != 0) continue;
      f.index = static_cast<std::int64_t>(i);
      f.detail = fmt::format("{}; {} is expected",
                             !written         ? "no thread wrote this element"
                             : got.defined[i] ? "holds " + value(got, i)
                                              : "holds an uninitialised value",
                             format_bits(got.type, want));
    }
    for (Finding* f : {&unwritten, &wrong}) {
      if (f->count != 0) add(std::move(*f), number);
    }
  }

  /// Of no element yet.
  static Finding difference_in(const ObservedBuffer& array) {
    Finding f;
    f.kind = FindingKind::wrong_result;
    f.array = array.name;
    f.size = static_cast<std::uint32_t>(size_of(array.type));
    f.count = 0;
    return f;
  }

  void compare_with_first(const std::vector<ObservedBuffer>& before) {
    const auto after = arrays();
    for (std::size_t k = 0; k < after.size(); ++k) {
      if (!is_output(prepared_.spec.arrays[k])) continue;
      Finding f = difference_in(after[k]);
      for (std::uint64_t i = 0; i < after[k].defined.size(); ++i) {
        const auto old = value(before[k], i), now = value(after[k], i);
        if (old == now || f.count++ != 0) continue;
        f.index = static_cast<std::int64_t>(i);
        f.detail = fmt::format(
            "the second launch left {} where the first left {}; the first leaves state behind", now,
            old);
      }
      if (f.count != 0) add(std::move(f), 2);
    }
  }

  const Prepared& prepared_;
  const SanitizeOptions& options_;
  simt::MachineDevice device_;
  std::vector<Address> addresses_;
  ScheduleRun run_;
};

/// What makes two findings one and the same.
auto identity(const Found& found) {
  const Finding& f = found.finding;
  return std::pair(sanitize::identity(f, f.array),
                   f.kind == FindingKind::wrong_result ? found.launch : 0);
}

/// The first element that differs between two runs.
std::optional<Dependence> difference(const ObservedBuffer& first, const ObservedBuffer& other) {
  if (first.bytes == other.bytes && first.defined == other.defined) return std::nullopt;
  std::uint64_t i = 0;
  while (i < first.defined.size() && value(first, i) == value(other, i)) ++i;
  if (i == first.defined.size()) return std::nullopt;
  return Dependence{first.name, i, {}, value(first, i), {}, value(other, i)};
}

}  // namespace

bool SanitizeResult::clean(bool strict) const {
  if (strict) return findings.empty() && dependences.empty();
  return std::ranges::all_of(findings,
                             [](const Found& f) { return f.finding.severity == Severity::note; });
}

std::vector<std::string> usual_schedules(std::uint64_t count) {
  std::vector<std::string> schedules;
  for (const auto name : fixed_schedules()) schedules.emplace_back(name);
  for (std::uint64_t seed = 1; schedules.size() < count; ++seed) {
    schedules.push_back(fmt::format("random:{}", seed));
  }
  schedules.resize(count);
  return schedules;
}

std::uint64_t memory_needed(const SanitizeOptions& options) {
  // Data, a state per byte, and a copy each of content and result; the race detector keeps the
  // accesses of every four bytes that a kernel may write.
  constexpr std::uint64_t copies = 4, race_bytes_per_byte = 52;
  std::uint64_t bytes = options.variable_bytes * (2 + (options.races ? race_bytes_per_byte : 0));
  const spec::Spec& spec = options.loaded->program.spec;
  spec::Evaluator evaluator(options.loaded->program, {});
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const spec::Array& a = spec.arrays[k];
    if (a.symbol) continue;
    const bool watched = options.races && a.role != spec::Role::in;
    bytes += (evaluator.elements(k) + evaluator.pad(k)) * size_of(a.type) *
             (copies + (watched ? race_bytes_per_byte : 0));
  }
  for (const ExpectedContent& e : options.expected) {
    bytes += e.count * size_of(spec.arrays[e.array].type);
  }
  return bytes;
}

void check_memory(const SanitizeOptions& options, std::uint64_t available) {
  const std::string line =
      too_large("the arrays", "need", static_cast<double>(memory_needed(options)), available);
  if (line.empty()) return;
  std::string advice = "make the arrays smaller";
  if (options.races) advice += ", mark inputs const, or leave races out with --no-races";
  throw UsageError(fmt::format("{}; {}", line, advice));
}

bool same(const Found& a, const Found& b) { return identity(a) == identity(b); }

SanitizeResult sanitize(
    const SanitizeOptions& options,
    const std::function<void(const ScheduleRun&, const std::vector<Found>&)>& after_run,
    const std::atomic<bool>& interrupted) {
  Prepared prepared{options, options.loaded->program.spec, spec::plan(*options.loaded, {}), {}};
  for (const ExpectedContent& e : options.expected) {
    prepared.expected.push_back(spec::plan(*e.content, {}).buffers.front().content);
  }
  SanitizeResult result;
  result.accesses_arrays = simt::accesses_arrays(*options.loaded->module, options.launch.entry);
  std::set<decltype(identity(Found{}))> known;
  bool comparable = true;
  for (const auto& schedule : options.schedules) {
    if (interrupted) break;
    Run run(prepared, schedule, result.runs.empty(), interrupted);
    result.runs.push_back(run.launches());
    const ScheduleRun& done = result.runs.back();
    std::vector<Found> fresh;
    for (const Found& found : done.findings) {
      if (known.insert(identity(found)).second) fresh.push_back(found);
    }
    result.findings.insert(result.findings.end(), fresh.begin(), fresh.end());
    const bool first = result.runs.size() == 1;
    const auto arrays = run.arrays();
    comparable &= done.completed;
    for (std::size_t k = 0; !first && comparable && k < arrays.size(); ++k) {
      const bool seen =
          std::ranges::count(result.dependences, arrays[k].name, &Dependence::array) != 0;
      if (seen || !is_output(prepared.spec.arrays[k])) continue;
      auto d = difference(result.arrays[k], arrays[k]);
      if (!d) continue;
      d->schedule = options.schedules.front();
      d->other_schedule = schedule;
      result.dependences.push_back(std::move(*d));
    }
    if (first) result.arrays = arrays;
    after_run(done, fresh);
  }
  result.interrupted = result.runs.size() < options.schedules.size() ||
                       std::any_of(result.runs.begin(), result.runs.end(),
                                   [](const auto& r) { return r.interrupted; });
  return result;
}

}  // namespace gauntlet::sanitize
