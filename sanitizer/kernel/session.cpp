// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/host_memory.hpp"
#include "base/scalar.hpp"
#include "base/schedule.hpp"
#include "base/usage_error.hpp"
#include "machine/engine/device.hpp"
#include "properties/launch/case_run.hpp"

namespace gauntlet::sanitize {
namespace {

/// One schedule: memory of its own, one or two launches.
class Run {
 public:
  /// `prints`: what the kernel prints is kept.
  Run(const std::shared_ptr<const simt::Module>& module, const SanitizeOptions& options,
      std::string schedule, bool prints, const std::atomic<bool>& interrupted)
      : options_(options), device_([module](const std::string&) { return module; }) {
    run_.schedule = std::move(schedule);
    device_.options.schedule = run_.schedule;
    device_.options.step_limit = options.step_limit;
    device_.options.jobs = options.jobs;
    device_.options.races = options.races;
    device_.options.interrupted = &interrupted;
    if (prints) device_.options.printed = &run_.printed;
    allocate();
  }

  ScheduleRun& launches() {
    launch(1);
    if (!run_.completed || !options_.repeat) return run_;
    const auto before = arrays();
    launch(2);
    if (run_.completed) compare_with_first(before);
    return run_;
  }

  [[nodiscard]] std::vector<ArrayState> arrays() {
    std::vector<ArrayState> states;
    for (std::size_t k = 0; k < options_.arguments.size(); ++k) {
      const Argument& a = options_.arguments[k];
      if (!a.array) continue;
      ArrayState state;
      state.argument = k;
      const auto size = size_of(a.type);
      state.bytes.resize(a.count * size);
      if (a.count != 0) device_.read(addresses_[k], state.bytes);
      state.defined.reserve(a.count);
      for (const CellState cell : device_.states(addresses_[k], size, state.bytes)) {
        state.defined.push_back(cell == CellState::defined);
      }
      states.push_back(std::move(state));
    }
    return states;
  }

 private:
  void allocate() {
    const std::vector<Argument>& arguments = options_.arguments;
    launch_ = options_.launch;
    addresses_.assign(arguments.size(), 0);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Argument& a = arguments[k];
      if (!a.array || a.role == Role::variable) continue;
      Array array;
      array.name = a.name;
      array.bytes = a.array_bytes();
      array.element_bytes = static_cast<std::uint32_t>(size_of(a.type));
      array.offset = a.offset;
      array.read_only = a.read_only;
      array.output = !a.scratch;
      array.floats = a.type == Type::f32;
      addresses_[k] = device_.allocate(array);
    }
    // The module's variables come behind all arrays.
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      if (arguments[k].role == Role::variable) {
        addresses_[k] = device_.symbol(launch_.module, arguments[k].symbol);
      }
    }
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Argument& a = arguments[k];
      if (!a.array) {
        launch_.args.emplace_back().bytes = content(a);
        continue;
      }
      if (a.role == Role::parameter) {
        launch_.args.push_back(Arg::of_array(static_cast<std::uint32_t>(k)));
      }
      if (a.content) device_.write(addresses_[k], content(a));
      if (a.pad_bits) {
        device_.write(addresses_[k] + a.count * size_of(a.type),
                      repeated(a.type, *a.pad_bits, a.pad * size_of(a.type)));
      }
    }
  }

  /// With the addresses that its pointers are.
  [[nodiscard]] std::vector<std::byte> content(const Argument& a) const {
    std::vector<std::byte> bytes = a.content->make(a.type, a.count);
    for (const Pointer& p : a.pointers) {
      const Address address =
          addresses_[p.argument] + p.element * size_of(options_.arguments[p.argument].type);
      store_bits(Type::u64, bytes.data() + p.at, address);
    }
    return bytes;
  }

  void launch(std::uint32_t number) {
    LaunchReport report;
    try {
      report = device_.launch(launch_, addresses_);
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
    for (const auto& expected : options_.expected) compare(expected, number);
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

  void compare(const ExpectedContent& expected, std::uint32_t number) {
    const Argument& a = options_.arguments[expected.argument];
    const auto size = size_of(a.type);
    Finding wrong, unwritten;
    for (Finding* f : {&wrong, &unwritten}) {
      f->array = a.name;
      f->size = static_cast<std::uint32_t>(size);
      f->count = 0;
    }
    wrong.kind = FindingKind::wrong_result;
    unwritten.kind = FindingKind::unwritten_output;
    const Address from = addresses_[expected.argument];
    std::vector<std::byte> content(expected.count * size);
    device_.read(from, content);
    const std::vector<CellState> states = device_.states(from, size, content);
    for (std::uint64_t i = 0; i < expected.count; ++i) {
      const auto want = expected.content.element(a.type, i);
      const auto got = load_bits(a.type, content.data() + i * size);
      const CellState state = states[i];
      const bool written = state != CellState::unwritten;
      if (state == CellState::defined && close(a.type, got, want)) continue;
      Finding& f = written ? wrong : unwritten;
      if (f.count++ != 0) continue;
      f.index = static_cast<std::int64_t>(i);
      const std::string value = format_bits(a.type, want);
      f.detail = !written ? fmt::format("no thread wrote this element; {} is expected", value)
                 : state == CellState::defined
                     ? fmt::format("holds {}; {} is expected", format_bits(a.type, got), value)
                     : fmt::format("holds an uninitialised value; {} is expected", value);
    }
    for (Finding* f : {&unwritten, &wrong}) {
      if (f->count != 0) add(std::move(*f), number);
    }
  }

  void compare_with_first(const std::vector<ArrayState>& before) {
    const auto after = arrays();
    for (std::size_t k = 0; k < after.size(); ++k) {
      const Argument& a = options_.arguments[after[k].argument];
      if (a.scratch || a.read_only) continue;
      Finding f;
      f.kind = FindingKind::wrong_result;
      f.array = a.name;
      f.size = static_cast<std::uint32_t>(size_of(a.type));
      f.count = 0;
      for (std::uint64_t i = 0; i < a.count; ++i) {
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

  [[nodiscard]] std::string value(const ArrayState& state, std::uint64_t i) const {
    const Type type = options_.arguments[state.argument].type;
    return format_cell(type, state.bytes.data(), i, state.defined[i]);
  }

  const SanitizeOptions& options_;
  simt::MachineDevice device_;
  Launch launch_;
  std::vector<Address> addresses_;  // by argument; 0 for a value
  ScheduleRun run_;
};

/// What makes two findings one and the same.
auto identity(const Found& found) {
  const Finding& f = found.finding;
  const auto place = [](const Party& p) { return std::tuple(p.file, p.line); };
  return std::tuple(f.kind, f.severity, place(f.at), place(f.other.value_or(Party{})), f.array,
                    f.kind == FindingKind::wrong_result ? found.launch : 0);
}

/// The first element that differs between two runs.
std::optional<Dependence> difference(const Argument& a, const ArrayState& first,
                                     const ArrayState& other) {
  if (a.read_only || a.scratch) return std::nullopt;
  const auto size = size_of(a.type);
  for (std::uint64_t i = 0; i < a.count; ++i) {
    const std::byte *x = first.bytes.data() + i * size, *y = other.bytes.data() + i * size;
    const bool same =
        first.defined[i] == other.defined[i] &&
        (!first.defined[i] || std::memcmp(x, y, size) == 0 ||
         (is_nan(a.type, load_bits(a.type, x)) && is_nan(a.type, load_bits(a.type, y))));
    if (same) continue;
    Dependence d;
    d.index = i;
    d.value = format_cell(a.type, first.bytes.data(), i, first.defined[i]);
    d.other_value = format_cell(a.type, other.bytes.data(), i, other.defined[i]);
    return d;
  }
  return std::nullopt;
}

}  // namespace

std::size_t SanitizeResult::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Found& f) { return f.finding.severity == severity; }));
}

bool SanitizeResult::clean(bool strict) const {
  return count(Severity::error) == 0 && count(Severity::warning) == 0 &&
         (!strict || (count(Severity::note) == 0 && dependences.empty()));
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
  for (const Argument& a : options.arguments) {
    if (!a.array || a.role == Role::variable) continue;
    bytes += a.array_bytes() * (copies + (options.races && !a.read_only ? race_bytes_per_byte : 0));
  }
  for (const ExpectedContent& e : options.expected) {
    if (e.content.kind == Content::Kind::file) {
      bytes += e.count * size_of(options.arguments[e.argument].type);
    }
  }
  return bytes;
}

void load_files(SanitizeOptions& options) {
  for (Argument& a : options.arguments) {
    if (a.content) a.content->load(a.type);
  }
  for (ExpectedContent& e : options.expected) {
    e.content.load(options.arguments[e.argument].type);
  }
}

void check_memory(const SanitizeOptions& options, std::uint64_t available) {
  const std::string line =
      too_large("the arrays", "need", static_cast<double>(memory_needed(options)), available);
  if (line.empty()) return;
  std::string advice = "make the arrays smaller";
  if (options.races) advice += ", mark inputs const, or leave races out with --no-races";
  throw UsageError(fmt::format("{}; {}", line, advice));
}

bool same(const Found& a, const Found& b) {
  return a.finding.kernel == b.finding.kernel && identity(a) == identity(b);
}

SanitizeResult sanitize(
    const std::shared_ptr<const simt::Module>& module, const SanitizeOptions& options,
    const std::function<void(const ScheduleRun&, const std::vector<Found>&)>& after_run,
    const std::atomic<bool>& interrupted) {
  SanitizeResult result;
  result.accesses_arrays = simt::accesses_arrays(*module, options.launch.entry);
  std::set<decltype(identity(Found{}))> known;
  bool comparable = true;
  for (const auto& schedule : options.schedules) {
    if (interrupted) break;
    Run run(module, options, schedule, result.runs.empty(), interrupted);
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
      const auto argument = arrays[k].argument;
      const bool seen = std::any_of(result.dependences.begin(), result.dependences.end(),
                                    [&](const auto& d) { return d.argument == argument; });
      if (seen) continue;
      auto d = difference(options.arguments[argument], result.arrays[k], arrays[k]);
      if (!d) continue;
      d->argument = argument;
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
