// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/statistics.hpp"
#include "gpu/timing/report/lists.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::string_view without_figure = "fixed-";

bool belongs(const Measurement& m, const DocumentedTable& table) {
  return (m.kind == Kind::kernel || m.kind == Kind::document) && m.form == "fixed" &&
         m.in == table.type && m.acc == table.type && m.n == table.n;
}

/// Speed-ups are over the first of the rows.
void add(std::vector<SpeedUp>& rows, const DocumentedTime& row, const Measurement& m, bool own) {
  const double us = m.median_us(), documented_us = row.milliseconds * 1000;
  const double first = rows.empty() ? us : rows.front().median_us,
               documented_first = rows.empty() ? documented_us : rows.front().documented_us;
  rows.push_back({row.statement, row.document, std::string(row.variant), m.in, m.n, m.block, us,
                  m.gb_per_s(), first / us, documented_us, documented_first / documented_us, own});
}

/// A table's rows in blocks of this size, with as many of them as n needs: a document's own launch
/// may have more. None where the first was not measured.
std::vector<SpeedUp> rows_at(const Report& report, const DocumentedTable& table,
                             std::uint32_t block) {
  std::vector<SpeedUp> rows;
  for (const DocumentedTime& row : documented_times()) {
    if (row.statement != table.statement) continue;
    const Measurement* found = nullptr;
    for (const Measurement& m : report.measurements) {
      if (!belongs(m, table) || m.block != block || m.variant != row.variant) continue;
      if (found == nullptr || m.grid < found->grid) found = &m;
    }
    if (found != nullptr && found->median_us() != 0) {
      add(rows, row, *found, false);
    } else if (rows.empty()) {
      break;
    }
  }
  return rows;
}

/// The same in the document's own launches; none where one of them was not measured.
std::vector<SpeedUp> own_launches(const Report& report, const DocumentedTable& table) {
  std::vector<SpeedUp> rows;
  for (const DocumentedTime& row : documented_times()) {
    if (row.statement != table.statement) continue;
    const auto found = std::ranges::find_if(report.measurements, [&](const Measurement& m) {
      return belongs(m, table) && m.variant == row.variant && m.block == row.block &&
             m.grid == row.grid && row.block != 0;
    });
    if (found == report.measurements.end() || found->median_us() == 0) return {};
    add(rows, row, *found, true);
  }
  return rows;
}

}  // namespace

const Measurement* find(const Report& report, Kind kind, Type in, Type acc, std::uint64_t n,
                        std::string_view variant) {
  const auto found = std::ranges::find_if(report.measurements, [&](const Measurement& m) {
    return m.kind == kind && m.in == in && m.acc == acc && m.n == n &&
           (variant.empty() || (m.variant == variant && m.form == "fixed"));
  });
  return found == report.measurements.end() ? nullptr : &*found;
}

std::optional<double> percent_of_limit(const Report& report, const Measurement& of) {
  const Measurement* const limit = find(report, Kind::limit, of.in, of.acc, of.n);
  if (limit == nullptr || limit->gb_per_s() == 0) return std::nullopt;
  return 100 * of.gb_per_s() / limit->gb_per_s();
}

std::optional<double> ratio_to_cub(const Report& report, const Measurement& of) {
  const Measurement* const cub = find(report, Kind::cub, of.in, of.acc, of.n);
  if (cub == nullptr || of.median_us() == 0) return std::nullopt;
  return cub->median_us() / of.median_us();
}

std::vector<FixCost> fix_costs(const Report& report) {
  std::vector<FixCost> costs;
  for (const Measurement& without : report.measurements) {
    if (without.kind != Kind::fix || !without.form.starts_with(without_figure)) continue;
    const Measurement* const fixed =
        find(report, Kind::kernel, without.in, without.acc, without.n, without.variant);
    if (fixed == nullptr || fixed->block != without.block || without.median_us() == 0) continue;
    costs.push_back({without.variant, without.form.substr(without_figure.size()), without.in,
                     without.acc, without.n, fixed->median_us(), without.median_us(),
                     100 * (fixed->median_us() / without.median_us() - 1),
                     spread_percent(fixed->samples_us) + spread_percent(without.samples_us)});
  }
  return costs;
}

std::vector<SpeedUp> speed_ups(const Report& report) {
  std::vector<SpeedUp> all;
  const auto take = [&](const std::vector<SpeedUp>& rows) {
    all.insert(all.end(), rows.begin(), rows.end());
  };
  for (const DocumentedTable& table : documented_tables()) {
    std::set<std::uint32_t, std::greater<>> blocks;
    for (const Measurement& m : report.measurements) {
      if (belongs(m, table)) blocks.insert(m.block);
    }
    for (const std::uint32_t block : blocks) take(rows_at(report, table, block));
    take(own_launches(report, table));
  }
  return all;
}

const std::vector<DocumentedTime>& documented_times() {
  static const std::vector<DocumentedTime> times{
      {16, 'A', "interleaved_bitmask", 3.23},
      {16, 'A', "interleaved_compacted", 2.32},
      {16, 'A', "sequential", 2.25},
      {16, 'A', "first_add_on_load", 1.16},
      {16, 'A', "volatile_warp_tail", 0.67},
      {16, 'A', "full_unroll", 0.672},
      {16, 'A', "shuffle_two_stage", 0.619},
      // C tells the threads: 10^8, 10^8, 25,000,000 and 25,000,064, the last so many only of 128.
      {17, 'C', "wide_active", 14.39, 32, 3'125'000},
      {17, 'C', "int4_through_shared", 4.59, 32, 3'125'000},
      {17, 'C', "int4_coarsened", 1.46, 32, 781'250},
      {17, 'C', "int4_shuffle", 1.52, 128, 195'313},
  };
  return times;
}

const std::vector<DocumentedTable>& documented_tables() {
  static const std::vector<DocumentedTable> tables{
      {16, Type::f32, std::uint64_t{1} << 27},
      {17, Type::i32, 100'000'000},
  };
  return tables;
}

namespace {

constexpr std::uint64_t small_size = std::uint64_t{1} << 20;
constexpr std::uint64_t largest = std::uint64_t{1} << 30;

struct Rule {
  std::string what;
  double wanted;
  std::function<bool(std::uint64_t n)> sizes;
  std::function<std::optional<double>(const Report&, const Measurement&)> value;
  bool percent;
  double or_percent = 0;  ///< of the read limit, which will do as well; 0: none
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all{
      {"at least as fast as CUB at every size and type", 1, [](std::uint64_t) { return true; },
       ratio_to_cub, false},
      {"at least 1.2 times as fast as CUB up to 2^20, or 95 % of the read limit", 1.2,
       [](std::uint64_t n) { return n <= small_size; }, ratio_to_cub, false, 95},
      {"at least 97 % of the read limit at 2^30", 97, [](std::uint64_t n) { return n == largest; },
       percent_of_limit, true},
  };
  return all;
}

/// "0.93", and what reading alone would reach where that is no more than wanted either.
std::string value_text(const Report& report, const Rule& rule, const Measurement& m, double value) {
  if (rule.percent) return fmt::format("{:.1f} %", value);
  std::string text = fmt::format("{:.2f}", value);
  if (rule.or_percent != 0) {
    if (const auto percent = percent_of_limit(report, m))
      text += fmt::format(", {:.1f} %", *percent);
  }
  const Measurement* const limit = find(report, Kind::limit, m.in, m.acc, m.n);
  const std::optional<double> most = limit == nullptr ? std::nullopt : rule.value(report, *limit);
  if (most && *most < rule.wanted) text += fmt::format(" (reading alone: {:.2f})", *most);
  return text;
}

/// The fastest of the variants for each types and size.
std::vector<const Measurement*> fastest(const Report& report,
                                        const std::vector<std::string>& variants) {
  std::map<std::tuple<Type, Type, std::uint64_t>, const Measurement*> best;
  for (const Measurement& m : report.measurements) {
    if (m.kind != Kind::kernel || std::ranges::count(variants, m.variant) == 0) continue;
    const Measurement*& kept = best[{m.in, m.acc, m.n}];
    if (kept == nullptr || m.median_us() < kept->median_us()) kept = &m;
  }
  std::vector<const Measurement*> result;
  for (const auto& [key, m] : best) result.push_back(m);
  return result;
}

Goal judge(const Report& report, const Rule& rule, const std::string& who,
           const std::vector<std::string>& variants) {
  Goal goal;
  goal.goal = who + ": " + rule.what;
  goal.wanted = rule.wanted;
  const double enough = rule.wanted * (1 - tolerance);
  bool by_worst_limit = false;
  for (const Measurement* const m : fastest(report, variants)) {
    if (!rule.sizes(m->n)) continue;
    const std::optional<double> value = rule.value(report, *m);
    if (!value) continue;
    const std::string where =
        fmt::format("{} {} by {}", pair_text({m->in, m->acc}), size_text(m->n), m->variant);
    const bool by_limit = rule.or_percent != 0 && percent_of_limit(report, *m).value_or(0) >=
                                                      rule.or_percent * (1 - tolerance);
    ++goal.judged;
    // What reading alone excuses is no worst case, unless there is nothing else.
    const bool first = goal.where.empty() || (by_worst_limit && !by_limit);
    if (first || (by_limit == by_worst_limit && *value < goal.worst)) {
      goal.worst = *value;
      goal.where = where;
      by_worst_limit = by_limit;
    }
    if (*value < enough && !by_limit) {
      goal.missed.push_back(where + ": " + value_text(report, rule, *m, *value));
    }
  }
  goal.met = goal.judged != 0 && goal.missed.empty();
  return goal;
}

}  // namespace

std::vector<Goal> judge_goals(const Report& report, const std::vector<std::string>& own) {
  std::vector<Goal> goals;
  for (const Rule& rule : rules()) goals.push_back(judge(report, rule, "the best of them", own));
  for (const std::string& variant : own) {
    if (std::ranges::count(report.measurements, variant, &Measurement::variant) == 0) continue;
    for (const Rule& rule : rules()) goals.push_back(judge(report, rule, variant, {variant}));
  }
  return goals;
}

std::vector<std::string> own_variants() {
  std::vector<std::string> own;
  for (const Variant& variant : kernels::catalogue()) {
    if (variant.row >= first_own_row) own.push_back(variant.id);
  }
  return own;
}

}  // namespace gauntlet::timing
