// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "base/statistics.hpp"
#include "base/text/table.hpp"
#include "gpu/timing/report/derive.hpp"
#include "gpu/timing/report/lists.hpp"
#include "gpu/timing/report/report.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::timing {
namespace {

/// Three digits that say something.
std::string number(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

std::string form_name(const Measurement& m) {
  if (m.form.empty()) return m.kind == Kind::cub ? "*cub::DeviceReduce*" : "*read limit*";
  return m.form == "fixed" ? m.variant : m.variant + "@" + m.form;
}

std::vector<TypePair> pairs_of(const Report& report) {
  std::vector<TypePair> pairs;
  for (const Measurement& m : report.measurements) {
    const TypePair types{m.in, m.acc};
    if (std::ranges::count(pairs, types) == 0) pairs.push_back(types);
  }
  return pairs;
}

bool is_plain(const Measurement& m) {
  return m.kind == Kind::kernel || m.kind == Kind::cub || m.kind == Kind::limit;
}

std::string facts(const Report& report) {
  const DeviceFacts& device = report.device;
  Table table({"what", "value"});
  table.row({"date", report.date});
  table.row({"device", fmt::format("{}, compute capability {}, {} multiprocessors, L2 {} MiB, "
                                   "nominal {:.0f} GB/s",
                                   device.name, device.compute_capability, device.multiprocessors,
                                   device.l2_bytes >> 20, device.peak_gb_per_s)});
  table.row({"driver", fmt::format("{}, for CUDA {}",
                                   device.driver_version.empty() ? "?" : device.driver_version,
                                   device.driver)});
  table.row({"toolkit", "CUDA " + device.runtime});
  table.row({"correctness first", report.options.passed.empty() ? "the properties, just before"
                                                                : "by " + report.options.passed});
  table.row({"repetitions", std::to_string(report.options.repetitions)});
  for (const auto& [when, state] :
       {std::pair{"before", report.state.before}, {"after", report.state.after}}) {
    if (!state) continue;
    table.row({fmt::format("clocks {}", when),
               fmt::format("SM {} MHz, memory {} MHz, {} C, {:.0f} W", state->sm_mhz,
                           state->memory_mhz, state->temperature_c, state->power_w)});
  }
  std::optional<unsigned> slowest, fastest;
  std::map<std::string, unsigned> reasons;
  std::vector<double> spreads;
  for (const Measurement& m : report.measurements) {
    spreads.push_back(spread_percent(m.samples_us));
    for (const std::string& reason : m.throttle) ++reasons[reason];
    if (!m.sm_mhz) continue;
    slowest = std::min(slowest.value_or(*m.sm_mhz), *m.sm_mhz);
    fastest = std::max(fastest.value_or(*m.sm_mhz), *m.sm_mhz);
  }
  if (slowest) {
    table.row({"SM clock after each measurement", fmt::format("{} to {} MHz", *slowest, *fastest)});
    std::string throttle = reasons.empty() ? "none" : "";
    for (const auto& [reason, times] : reasons) {
      throttle += fmt::format("{}{} ({} of {})", throttle.empty() ? "" : ", ", reason, times,
                              report.measurements.size());
    }
    table.row({"throttled", throttle});
  }
  table.row({"measurements", fmt::format("{}, median spread {:.1f} %", report.measurements.size(),
                                         median(spreads))});
  if (report.interrupted) table.row({"interrupted", "yes: what was measured until then"});
  return fmt::format("# Timing on {}\n\n", device.name) + table.markdown() +
         "\nTimes are of a form's launches alone, one reduction after another in a graph, each "
         "from "
         "memory: what must be zero before is set to zero, and partial results are added up, "
         "outside (docs/timing.md).\n\n";
}

std::string goals(const Report& report) {
  const std::vector<Goal> all = judge_goals(report, own_variants());
  Table table({"goal", "verdict", "judged", "worst", "where"}, 2);
  for (const Goal& goal : all) {
    table.row({goal.goal,
               goal.judged == 0 ? "not judged"
               : goal.met       ? "met"
                          : fmt::format("**not met** ({} of {})", goal.missed.size(), goal.judged),
               std::to_string(goal.judged), goal.judged == 0 ? "" : number(goal.worst),
               goal.where});
  }
  std::string text =
      "## Goals\n\nOf the variants beyond the documents, judged to half a percent.\n\n" +
      table.markdown() + "\n";
  for (const Goal& goal : all) {
    if (!goal.goal.starts_with("the best") || goal.missed.empty()) continue;
    text += fmt::format("Missed, {}: {}.\n\n", goal.goal, fmt::join(goal.missed, "; "));
  }
  return text;
}

/// A table whose rows and columns are what its cells were put under: rows as they came, columns
/// ascending.
class Crossed {
 public:
  using Row = std::vector<std::string>;

  void put(const Row& row, std::uint64_t column, std::string cell) {
    if (std::ranges::count(rows_, row) == 0) rows_.push_back(row);
    columns_.insert(column);
    cells_[{row, column}] = std::move(cell);
  }
  [[nodiscard]] bool empty() const { return rows_.empty(); }

  /// `head`: what a row's words are called; `called`: a column.
  [[nodiscard]] std::string markdown(
      Row head, const std::function<std::string(std::uint64_t)>& called = size_text) {
    const std::size_t left = head.size();
    for (const std::uint64_t column : columns_) head.push_back(called(column));
    Table table(head, left);
    for (Row line : rows_) {
      const Row row = line;
      for (const std::uint64_t column : columns_) line.push_back(cells_[{row, column}]);
      table.row(line);
    }
    return table.markdown() + "\n";
  }

 private:
  std::vector<Row> rows_;
  std::set<std::uint64_t> columns_;
  std::map<std::pair<Row, std::uint64_t>, std::string> cells_;
};

/// One row for each form, one column for each size.
std::string by_size(const Report& report, TypePair types, const std::string& what,
                    const std::function<std::optional<double>(const Measurement&)>& value) {
  Crossed table;
  for (const Measurement& m : report.measurements) {
    if (!is_plain(m) || TypePair{m.in, m.acc} != types) continue;
    if (const auto shown = value(m)) table.put({form_name(m)}, m.n, number(*shown));
  }
  return table.markdown({what});
}

std::string bandwidths(const Report& report) {
  std::string text;
  for (const TypePair types : pairs_of(report)) {
    text += fmt::format("## Sums of {}\n\n", pair_text(types));
    text += by_size(report, types, "GB/s", [](const Measurement& m) { return m.gb_per_s(); });
    text += by_size(report, types, "% of the limit",
                    [&](const Measurement& m) { return percent_of_limit(report, m); });
    text += by_size(report, types, "time of CUB / time",
                    [&](const Measurement& m) { return ratio_to_cub(report, m); });
  }
  return text;
}

std::string cub_twice(const Report& report) {
  double most = 0;
  unsigned compared = 0;
  for (const Measurement& m : report.measurements) {
    const kernels::Row* const row = kernels::find_row(m.variant);
    if (m.kind != Kind::kernel || row == nullptr || !row->by_host()) continue;
    const std::optional<double> ratio = ratio_to_cub(report, m);
    if (!ratio) continue;
    ++compared;
    most = std::max(most, std::abs(*ratio - 1));
  }
  if (compared == 0) return {};
  return fmt::format(
      "cub_device makes CUB's recorded launches; cub::DeviceReduce is called by its own interface. "
      "In "
      "{} comparisons they differ by at most {:.1f} %.\n\n",
      compared, 100 * most);
}

std::string beside_documents(const Report& report) {
  const std::vector<SpeedUp> rows = speed_ups(report);
  if (rows.empty()) return {};
  Table table({"statement", "variant", "elements", "block", "time, us", "GB/s", "speed-up",
               "documented time, us", "documented speed-up"},
              3);
  for (const SpeedUp& r : rows) {
    table.row({fmt::format("{} ({})", r.statement, r.document), r.variant,
               fmt::format("{} {}", size_text(r.n), name(r.in)),
               fmt::format("{}{}", r.block, r.own_launch ? ", as launched there" : ""),
               number(r.median_us), number(r.gb_per_s), number(r.speedup), number(r.documented_us),
               number(r.documented_speedup)});
  }
  return "## Beside the documents\n\nThe repaired forms here; the documents' own figures, of "
         "another "
         "GPU. Speed-ups are over the first row of the same block.\n\n" +
         table.markdown() + "\n";
}

std::string cost_of_fixes(const Report& report) {
  Crossed table;
  for (const FixCost& cost : fix_costs(report)) {
    const bool noise = std::abs(cost.cost_percent) <= cost.noise_percent;
    table.put({cost.variant, cost.fix, pair_text({cost.in, cost.acc})}, cost.n,
              fmt::format(fmt::runtime(noise ? "({:+.1f})" : "{:+.1f}"), cost.cost_percent));
  }
  if (table.empty()) return {};
  return "## Cost of each fix\n\nTime of `fixed` over that of `fixed-NAME`, in percent more, where "
         "the "
         "latter still gave the right result on this GPU. In brackets: less than the spread of the "
         "two.\n\n" +
         table.markdown({"variant", "fix", "types"});
}

std::string sweep(const Report& report) {
  using Shape = std::pair<std::uint32_t, std::uint32_t>;  // grid and block
  std::map<std::pair<std::string, std::uint64_t>, std::map<Shape, double>> subjects;
  for (const Measurement& m : report.measurements) {
    if (m.kind == Kind::sweep) subjects[{m.variant, m.n}][{m.grid, m.block}] = m.gb_per_s();
  }
  if (subjects.empty()) return {};
  std::string text = "## Blocks and grids\n\n";
  for (const auto& [subject, cells] : subjects) {
    const double best = std::ranges::max(cells | std::views::values);
    Crossed table;
    for (const auto& [shape, value] : cells) {
      table.put({std::to_string(shape.first)}, shape.second,
                value == best ? fmt::format("**{}**", number(value)) : number(value));
    }
    text +=
        fmt::format("{}, f32, {} elements, GB/s:\n\n", subject.first, size_text(subject.second));
    text += table.markdown({"blocks"}, [](auto block) { return fmt::format("{} threads", block); });
  }
  return text;
}

std::string calls_and_accuracy(const Report& report) {
  std::string text;
  if (!report.allocation.empty()) {
    Table table({"what", "us"}, 1);
    for (const HostCost& cost : report.allocation) {
      table.row({cost.what, number(cost.median_us())});
    }
    text += "## Scratch memory for each call\n\nHost time of getting room for 10240 floats.\n\n" +
            table.markdown() + "\n";
  }
  if (report.accuracy.empty()) return text;
  std::map<std::string, std::vector<double>> errors;
  for (const Accuracy& one : report.accuracy) errors[one.variant].push_back(one.relative_error);
  Table table({"variant", "seeds", "median", "worst"}, 1);
  for (const auto& [variant, values] : errors) {
    table.row({variant, std::to_string(values.size()), fmt::format("{:.2e}", median(values)),
               fmt::format("{:.2e}", std::ranges::max(values))});
  }
  return text +
         "## Accuracy\n\nSums of 10^8 real f32 elements, relative error against the exact sum "
         "rounded once.\n\n" +
         table.markdown() + "\n";
}

std::string not_timed(const Report& report) {
  if (report.not_timed.empty()) return {};
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> sizes;
  for (const NotTimed& one : report.not_timed) {
    std::string where = one.n == 0 ? "all" : size_text(one.n);
    if (!one.in.empty()) where = one.in + " " + where;
    // A wrong result differs from size to size.
    sizes[{one.what, one.why.substr(0, one.why.find(": "))}].push_back(where);
  }
  Table table({"what", "why", "sizes"});
  for (const auto& [what, where] : sizes) {
    table.row({what.first, what.second, fmt::format("{}", fmt::join(where, ", "))});
  }
  return "## Not timed\n\n" + table.markdown() + "\n";
}

}  // namespace

std::string markdown(const Report& report) {
  std::string text = facts(report) + goals(report) + cub_twice(report) + beside_documents(report) +
                     cost_of_fixes(report) + sweep(report) + calls_and_accuracy(report) +
                     bandwidths(report) + not_timed(report);
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

std::string goals_text(const Report& report) {
  std::string text;
  for (const Goal& goal : judge_goals(report, own_variants())) {
    text += fmt::format("{:<11}{}",
                        goal.judged == 0 ? "not judged"
                        : goal.met       ? "met"
                                         : "not met",
                        goal.goal);
    if (goal.judged != 0) text += fmt::format(" (worst {}: {})", number(goal.worst), goal.where);
    text += "\n";
  }
  return text;
}

}  // namespace gauntlet::timing
