// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/timing/report/derive.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/statistics.hpp"

namespace gauntlet::timing {
namespace {

constexpr std::string_view without_figure = "fixed-";

/// A table's rows in the document's own launches; none where one of them was not measured.
std::vector<SpeedUp> own_launches(const Report& report, const DocumentedTable& table) {
  std::vector<SpeedUp> rows;
  for (const DocumentedTime& row : documented_times()) {
    if (row.statement != table.statement) continue;
    const auto found = std::ranges::find_if(report.measurements, [&](const Measurement& m) {
      return (m.kind == Kind::kernel || m.kind == Kind::document) && m.form == "fixed" &&
             m.variant == row.variant && m.in == table.type && m.acc == table.type &&
             m.n == table.n && m.block == row.block && m.grid == row.grid && row.block != 0;
    });
    if (found == report.measurements.end() || found->median_us() == 0) return {};
    const double first_us = rows.empty() ? found->median_us() : rows.front().median_us,
                 documented_us = row.milliseconds * 1000,
                 documented_first = rows.empty() ? documented_us : rows.front().documented_us;
    rows.push_back({row.statement, row.document, std::string(row.variant), table.type, table.n,
                    row.block, found->median_us(), found->gb_per_s(), first_us / found->median_us(),
                    documented_us, documented_first / documented_us, true});
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
  std::vector<SpeedUp> rows;
  for (const DocumentedTable& table : documented_tables()) {
    const auto belongs = [&](const Measurement& m) {
      return (m.kind == Kind::kernel || m.kind == Kind::document) && m.form == "fixed" &&
             m.in == table.type && m.acc == table.type && m.n == table.n;
    };
    std::set<std::uint32_t, std::greater<>> blocks;
    for (const Measurement& m : report.measurements) {
      if (belongs(m)) blocks.insert(m.block);
    }
    for (const std::uint32_t block : blocks) {
      const Measurement* baseline = nullptr;
      const DocumentedTime* documented_baseline = nullptr;
      for (const DocumentedTime& row : documented_times()) {
        if (row.statement != table.statement) continue;
        // As many blocks as n needs; a document's own launch may have more.
        const Measurement* found = nullptr;
        for (const Measurement& m : report.measurements) {
          const bool other = !belongs(m) || m.block != block || m.variant != row.variant;
          if (!other && (found == nullptr || m.grid < found->grid)) found = &m;
        }
        if (found == nullptr || found->median_us() == 0) {
          if (baseline == nullptr) break;  // nothing to compare with
          continue;
        }
        if (baseline == nullptr) {
          baseline = found;
          documented_baseline = &row;
        }
        rows.push_back({row.statement, row.document, std::string(row.variant), table.type, table.n,
                        block, found->median_us(), found->gb_per_s(),
                        baseline->median_us() / found->median_us(), row.milliseconds * 1000,
                        documented_baseline->milliseconds / row.milliseconds});
      }
    }
    const auto own = own_launches(report, table);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  return rows;
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

}  // namespace gauntlet::timing
