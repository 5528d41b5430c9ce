// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

namespace gauntlet::sanitize {
namespace {

using Line = std::pair<std::string, std::uint32_t>;

bool ordered_by_one_thing(const Finding& finding) {
  return is_race(finding.kind) && finding.kind != FindingKind::race_read_only && finding.other;
}

/// How near the parties are to each other: what order is missing follows from it.
int distance(const Finding& finding) {
  if (finding.at.block != finding.other->block) return 2;
  return finding.at.warp != finding.other->warp ? 1 : 0;
}

class Components {
 public:
  explicit Components(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// The smaller number stays: the first finding stands for its component.
  void join(std::size_t a, std::size_t b) {
    a = of(a);
    b = of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

std::string Cause::other_kinds() const {
  std::set<FindingKind> kinds;
  for (const Finding* finding : findings) kinds.insert(finding->kind);
  kinds.erase(shown().kind);
  std::vector<std::string_view> words;
  for (const FindingKind kind : kinds) words.push_back(name(kind));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string Cause::other_lines() const {
  std::set<std::uint32_t> lines;
  for (const Finding* finding : findings) {
    const auto insert = [&](const Party& party) {
      if (party.file == shown().at.file && party.line != 0) lines.insert(party.line);
    };
    insert(finding->at);
    if (finding->other) insert(*finding->other);
  }
  lines.erase(shown().at.line);
  if (shown().other) lines.erase(shown().other->line);
  std::vector<std::string> words;
  for (auto it = lines.begin(); it != lines.end();) {
    const std::uint32_t first = *it;
    std::uint32_t last = first;
    while (++it != lines.end() && *it == last + 1) ++last;
    if (last == first + 1) {
      words.push_back(fmt::format("{}", first));
      words.push_back(fmt::format("{}", last));
    } else {
      words.push_back(last == first ? fmt::format("{}", first)
                                    : fmt::format("{} to {}", first, last));
    }
  }
  if (words.size() < 2) return words.empty() ? std::string{} : words.front();
  const std::string end = words.back();
  words.pop_back();
  return fmt::format("{} and {}", fmt::join(words, ", "), end);
}

std::vector<Cause> causes(const std::vector<const Finding*>& findings) {
  Components components(findings.size());
  // The first finding at a line of a kernel, array and distance.
  std::map<std::tuple<std::string, std::string, int, Line>, std::size_t> first;
  // The first barrier of a kernel that so many threads never reach.
  std::map<std::pair<std::string, std::string>, std::size_t> barrier;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& f = *findings[i];
    if (f.kind == FindingKind::partial_barrier) {
      components.join(barrier.try_emplace({f.kernel, f.detail}, i).first->second, i);
    }
    if (!ordered_by_one_thing(f)) continue;
    for (const Party* party : {&f.at, &*f.other}) {
      const auto [it, fresh] =
          first.try_emplace({f.kernel, f.array, distance(f), {party->file, party->line}}, i);
      if (!fresh) components.join(it->second, i);
    }
  }
  std::map<std::size_t, Cause> by_first;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Cause& cause = by_first[components.of(i)];
    cause.findings.push_back(findings[i]);
    cause.count += findings[i]->count;
  }
  std::vector<Cause> all;
  for (auto& [unused, cause] : by_first) all.push_back(std::move(cause));
  std::ranges::stable_sort(all, std::greater{},
                           [](const Cause& cause) { return cause.shown().severity; });
  return all;
}

}  // namespace gauntlet::sanitize
