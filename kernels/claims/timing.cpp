// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/claims/timing.hpp"

#include "kernels/claims/embedded.hpp"

namespace gauntlet::claims {

const std::optional<timing::Report>& committed_timing() {
  static const std::optional<timing::Report> committed = []() -> std::optional<timing::Report> {
    const auto text = embedded_file("timing.json");
    if (text.empty()) return std::nullopt;
    return timing::report_from_json(parse_json(text));
  }();
  return committed;
}

std::string source_of(const timing::Report& report) {
  return report.device.name + ", " + report.date.substr(0, 10);
}

const timing::Measurement* time_of(const timing::Report& report, std::string_view variant,
                                   Type type, std::uint64_t n) {
  return timing::find(report, timing::Kind::kernel, type, type, n, variant);
}

const timing::Measurement* limit_of(const timing::Report& report, Type type, std::uint64_t n) {
  return timing::find(report, timing::Kind::limit, type, type, n);
}

std::vector<timing::SpeedUp> rows_of(const timing::Report& report, int statement) {
  auto rows = timing::speed_ups(report);
  std::erase_if(rows, [&](const timing::SpeedUp& row) { return row.statement != statement; });
  return rows;
}

}  // namespace gauntlet::claims
