// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statement 21: what cub::DeviceReduce launches.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "claims/case_run.hpp"
#include "claims/statements.hpp"
#include "claims/text.hpp"

namespace gauntlet::claims {
namespace {

std::size_t launches(std::uint64_t n) {
  return kernels::plan(parse_case(fmt::format("cub_device@fixed i32->i32 sum n={}", n)))
      .launches.size();
}

/// The largest n that one launch reduces; launches never become fewer as n grows.
std::uint64_t largest_of_one_launch() {
  std::uint64_t one = 1, more = std::uint64_t{1} << 24;
  while (more - one > 1) {
    const std::uint64_t middle = one + (more - one) / 2;
    (launches(middle) == 1 ? one : more) = middle;
  }
  return one;
}

}  // namespace

Evidence one_tile_or_two_passes() {
  const std::uint64_t tile = largest_of_one_launch();
  // Many tiles and a piece of one: what each block of the first pass reads.
  const std::uint64_t n = 40 * tile + 1000;
  const CaseRun run = run_case(fmt::format("cub_device@fixed i32->i32 sum n={}", n), true);
  std::map<std::uint32_t, std::uint64_t> bytes;
  for (const Access& access : run.accesses.at(0)) {
    if (!access.shared && !access.write) bytes[access.block] += access.width;
  }
  std::uint64_t most = 0, least = ~std::uint64_t{0}, all = 0;
  for (const auto& [block, read] : bytes) {
    most = std::max(most, read / 4);
    least = std::min(least, read / 4);
    all += read / 4;
  }
  const bool passes = launches(tile) == 1 && launches(tile + 1) == 2 && run.accesses.size() == 2;
  const bool even = all == n && most - least <= tile;
  Evidence evidence;
  evidence.source = on_machine;
  evidence.number = fmt::format(
      "ints: 1 launch up to n = {}, 2 from {} on; of n = {} the {} blocks of the first pass read "
      "{} to {} elements each, {} in all",
      grouped(tile), grouped(tile + 1), grouped(n), bytes.size(), grouped(least), grouped(most),
      grouped(all));
  if (passes && even && run.verdict.ok) evidence.verdict = Verdict::confirmed;
  return evidence;
}

}  // namespace gauntlet::claims
