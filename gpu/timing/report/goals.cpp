// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/goals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "gpu/timing/report/derive.hpp"
#include "gpu/timing/report/lists.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::timing {
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
