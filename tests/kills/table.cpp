// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/kills/table.hpp"

#include <fmt/format.h>

#include <string_view>

namespace gauntlet::kills {
namespace {

constexpr std::string_view introduction =
    R"(# What each barrier, fence, wait, volatile and bounds check is needed for

Every fixed kernel, in its documented type, has each of its block barriers, warp barriers, fences,
waits for the launch before, volatile and relaxed qualifiers, halves of an atomic's order and bounds
checks deleted, one at a time, in the PTX that nvcc made of it.
What is left runs on the SIMT machine with the race detector on: blocks of 1 to 256 threads,
several n, an input that ends at unmapped memory or at garbage, four schedules. Each
deletion must show, by a finding or by a wrong result, or it is on a short list of those proved
harmless, each with its reason (tests/kills/harmless.cpp).

A bounds check is a comparison of an index with the number of elements or with the block's size;
it is deleted in both ways, as one that is always true and one that never is. `× k`: the compiler
unrolled or duplicated the line, and each copy was deleted by itself. CUB's own code is left as
it is; the calls of it are tried. No kernel of the catalogue needs a fence (a ticket's order is part of
its atomic); near misses and planted defects with fences are in tests/machine/races/race_device.cu.

This page is written by `kills_test`, which fails when it is no longer true; `ci/approve` rewrites
it.
)";

std::string outcome_of(const Row& row) {
  std::string text;
  for (const auto& [what, count] : row.outcome) {
    if (!text.empty()) text += "<br>";
    text += count == 1 && row.outcome.size() == 1 ? what : fmt::format("{} × {}", what, count);
  }
  if (row.survivors != 0) text += fmt::format("<br>**nobody noticed** × {}", row.survivors);
  return text;
}

}  // namespace

std::string table(const std::vector<std::vector<Row>>& variants) {
  std::string text(introduction);
  int killed = 0, harmless = 0, noticed = 0, survivors = 0;
  std::string body;
  for (const auto& rows : variants) {
    if (rows.empty()) continue;
    body += fmt::format("\n## {}\n\n| line | deleted | who noticed |\n| --- | --- | --- |\n",
                        rows.front().variant);
    for (const auto& row : rows) {
      body += fmt::format("| {} | `{}` | {} |\n", row.source, row.text, outcome_of(row));
      survivors += row.survivors;
      for (const auto& [what, count] : row.outcome) {
        if (what.starts_with("harmless")) {
          harmless += count;
          continue;
        }
        killed += count;
        // A wrong result alone is what any test of the output sees.
        if (what != "wrong_result") noticed += count;
      }
    }
  }
  text += fmt::format(
      "\n{} deletions: {} noticed, {} of them by a finding and not by the result alone; {} proved "
      "harmless{}.\n",
      killed + harmless + survivors, killed, noticed, harmless,
      survivors == 0 ? "" : fmt::format("; **{} unnoticed**", survivors));
  return text + body;
}

}  // namespace gauntlet::kills
