// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 36, 39, 63 and 65: the figures that A and C print, compared with themselves and with
// the committed times of a GPU.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"

namespace gauntlet::claims {
namespace {

using enum Verdict;

struct Row {
  double gb_per_s, milliseconds;
};
/// A's table.
constexpr std::array<Row, 7> ladder{{{166.72, 3.23},
                                     {232.72, 2.32},
                                     {239.72, 2.25},
                                     {463.91, 1.16},
                                     {802.78, 0.67},
                                     {798.22, 0.672},
                                     {863.39, 0.619}}};
/// C's last table: the four kernels.
constexpr std::array<double, 4> dram_percent{10.69, 32.71, 98.05, 98.04};
constexpr std::array<double, 4> to_device_milliseconds{206, 45, 81, 43};
constexpr std::array<double, 4> allocation_milliseconds{168, 199, 162, 167};

}  // namespace

Evidence table_of_the_ladder(const Claim& claim) {
  constexpr double byte_count = 4.0 * double(std::uint64_t{1} << 27);
  double worst = 0;
  std::vector<std::string> products;
  for (const Row& row : ladder) {
    const double bytes = row.gb_per_s * row.milliseconds * 1e6;
    worst = std::max(worst, std::abs(bytes / byte_count - 1));
    products.push_back(fmt::format("{:.1f}", bytes / 1e6));
  }
  return judged_from("A's table", claim, {{worst <= 0.01, is_true}, {true, is_false}},
                     fmt::join(products, ", "), byte_count / 1e6, 100 * worst);
}

Evidence judge_memory_bound(const Report& timing) {
  const std::uint64_t n = std::uint64_t{1} << 27;
  const auto* limit = limit_of(timing, Type::f32, n);
  const auto* last = time_of(timing, "shuffle_two_stage", Type::f32, n);
  const Measurement* best = nullptr;
  for (const auto& m : timing.measurements) {
    const bool kernel =
        m.kind == timing::Kind::kernel && m.in == Type::f32 && m.n == n && m.form == "fixed";
    if (kernel && (best == nullptr || m.median_us() < best->median_us())) best = &m;
  }
  Evidence evidence{std::nullopt, "", source_of(timing)};
  if (limit == nullptr || last == nullptr || best == nullptr) return evidence;
  const double of_last = limit->median_us() / last->median_us(),
               of_best = limit->median_us() / best->median_us();
  return judged_by(
      fmt::format("2^27 floats: A's last kernel reaches {:.0f} % of the speed at which "
                  "they can be read, {} {:.0f} %",
                  100 * of_last, best->variant, 100 * of_best),
      {{of_last >= 0.9, is_true}, {of_best >= 0.9, true_if}, {true, is_false}}, source_of(timing));
}

Evidence judge_dram_throughput(const Report& timing) {
  Evidence evidence{std::nullopt, "", source_of(timing)};
  const auto rows = launches_of_c(timing);
  const auto* limit = limit_of(timing, Type::i32, 100'000'000);
  if (rows.size() != dram_percent.size() || limit == nullptr) return evidence;
  bool near = true;
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double percent = 100 * rows[k].gb_per_s / limit->gb_per_s();
    near = near && std::abs(percent / dram_percent[k] - 1) <= 0.2;
    text += fmt::format("{}{} {:.1f} % (documented {:.2f})", k == 0 ? "" : ", ", rows[k].variant,
                        percent, dram_percent[k]);
  }
  return judged_by(fmt::format("of the speed of reading alone: {}", text),
                   {{near, is_true}, {true, not_reproduced}}, source_of(timing));
}

Evidence memory_bound(const Claim&) { return from_committed(judge_memory_bound); }
Evidence dram_throughput(const Claim&) { return from_committed(judge_dram_throughput); }

Evidence copies_and_allocations(const Claim& claim) {
  const auto spread = [](const std::array<double, 4>& row) {
    const auto [least, most] = std::ranges::minmax(row);
    return most / least;
  };
  return judged_from("C's table", claim,
                     {{spread(to_device_milliseconds) <= 1.1, is_true}, {true, not_reproduced}},
                     fmt::join(to_device_milliseconds, ", "), spread(to_device_milliseconds),
                     fmt::join(allocation_milliseconds, ", "), spread(allocation_milliseconds));
}

}  // namespace gauntlet::claims
