// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "machine/engine/module.hpp"
#include "tests/machine/races/happens_before.hpp"

namespace gauntlet::simt::test {
namespace {

std::string line_of(const Kernel& kernel, std::uint32_t inst) {
  const auto& i = kernel.code[inst];
  if (i.loc < 0) return fmt::format(":{}", 0);
  const auto& l = kernel.lines[static_cast<std::size_t>(i.loc)];
  return fmt::format("{}:{}", l.file < kernel.files.size() ? kernel.files[l.file] : "", l.line);
}

bool about_order(FindingKind kind) { return facts(kind).of_class == FindingClass::race_free; }

}  // namespace

std::string text(const RacingLines& race) {
  return fmt::format("{} {} {}", name(race.kind), race.first, race.second);
}

std::ostream& operator<<(std::ostream& out, const RacingLines& race) { return out << text(race); }

std::set<RacingLines> racing_lines(const EventLog& log, const Module& module,
                                   const LaunchConfig& config) {
  const Kernel& kernel = *module.find(config.entry);
  std::map<RacingLines, bool> all;
  for (const auto& [pair, same] :
       racing_pairs(log, static_cast<std::uint32_t>(config.block.count()))) {
    const RacingLines lines{pair.kind, line_of(kernel, pair.first), line_of(kernel, pair.second)};
    const auto [it, fresh] = all.try_emplace(lines, same);
    it->second = it->second && same;
  }
  std::set<RacingLines> result;
  for (const auto& [pair, same] : all) {
    auto lines = pair;
    if (same) lines.kind = FindingKind::race_same_value;
    result.insert(lines);
  }
  return result;
}

std::set<RacingLines> racing_lines(const LaunchReport& report) {
  std::set<RacingLines> result;
  for (const auto& f : report.findings) {
    if (!about_order(f.kind) || !f.other.has_value()) continue;
    result.insert({f.kind, fmt::format("{}:{}", f.other->file, f.other->line),
                   fmt::format("{}:{}", f.at.file, f.at.line)});
  }
  std::erase_if(result, [&](RacingLines r) {
    if (r.kind != FindingKind::race_same_value) return false;
    r.kind = FindingKind::race_write_write;
    return result.count(r) != 0;
  });
  return result;
}

}  // namespace gauntlet::simt::test
