// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/shrink.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/schedule.hpp"
#include "properties/hunt/generate.hpp"

namespace gauntlet::properties {
namespace {

/// From the plainest to the most peculiar.
constexpr auto data_by_simplicity = [] {
  auto data = gauntlet::all<Data>();
  std::ranges::sort(data, {}, [](Data one) { return facts(one).peculiar; });
  return data;
}();

std::size_t rank(Data data) {
  return static_cast<std::size_t>(
      std::find(data_by_simplicity.begin(), data_by_simplicity.end(), data) -
      data_by_simplicity.begin());
}

/// Fixed schedules in their own order, then random by seed, then those that a run recorded.
std::tuple<int, std::uint64_t, std::size_t, std::string> rank(const std::string& schedule) {
  try {
    const Schedule s = parse_schedule(schedule);
    return {static_cast<int>(s.kind), s.depth + s.seed, s.recorded.size(), schedule};
  } catch (const CaseError&) {
    return {1000, 0, schedule.size(), schedule};
  }
}

auto size_key(const Case& c) {
  const auto by = static_cast<std::uint64_t>(c.map_by < 0 ? -c.map_by : c.map_by);
  std::vector<std::uint64_t> sizes;
  for (const NamedSize& size : c.sizes) sizes.push_back(size.value);
  return std::tuple{std::move(sizes),
                    c.n,
                    c.block,
                    c.grid,
                    rank(c.data),
                    c.offset,
                    static_cast<int>(c.tail),
                    rank(c.schedule),
                    c.seed,
                    static_cast<int>(c.map),
                    by,
                    c.block_count,
                    c.first_block};
}

std::vector<std::uint64_t> smaller_numbers(std::uint64_t n, std::uint64_t block) {
  std::set<std::uint64_t> numbers;
  const auto add = [&](std::uint64_t m) {
    if (m < n) numbers.insert(m);
  };
  for (std::uint64_t m = 0; m < 10; ++m) add(m);
  for (const std::uint64_t border :
       {std::uint64_t{32}, std::uint64_t{64}, block, 2 * block, 4 * block}) {
    for (std::uint64_t m = border - 1; m <= border + 1; ++m) add(m);
  }
  for (std::uint64_t step = n / 2; step > 0; step /= 2) add(n - step);
  for (const std::uint64_t step : {std::uint64_t{4}, std::uint64_t{32}, block, 2 * block}) {
    if (n > step) add(n - step);
  }
  return {numbers.begin(), numbers.end()};
}

void add_sizes(const Case& c, std::vector<Case>& out) {
  const auto with = [&](std::uint64_t n, std::uint32_t block, std::uint32_t grid) {
    Case next = c;
    next.n = n;
    next.block = block;
    next.grid = grid;
    if (next.map == Map::pad && static_cast<std::uint64_t>(next.map_by) > n) return;
    out.push_back(std::move(next));
  };
  if (c.block_count != 0) {  // a window far out does not fit a smaller grid
    for (const std::uint64_t n : smaller_numbers(std::min<std::uint64_t>(c.n, 4096), c.block)) {
      Case next = c;
      next.n = n;
      next.grid = next.first_block = next.block_count = 0;
      out.push_back(std::move(next));
    }
  }
  // Small enough that it may have been asked for, not derived from n; then it may matter.
  const bool chosen_grid = c.grid != 0 && c.grid <= 8;
  for (const std::uint64_t n : smaller_numbers(c.n, c.block)) {
    with(n, c.block, 0);
    if (chosen_grid) with(n, c.block, c.grid);
  }
  // A failure may hang on the ratio of n to the block: then neither can shrink alone. Tried only
  // when no smaller n with this block fails, since these are new cases for every n.
  std::vector<std::uint32_t> blocks{1, 2, 4};
  blocks.insert(blocks.end(), border_blocks().begin(), border_blocks().end());
  for (const std::uint32_t block : blocks) {
    if (block >= c.block) break;
    const std::uint64_t scaled = c.n * block / c.block;
    for (const std::uint64_t n : {scaled - 1, scaled, scaled + 1}) {
      if (n < c.n) with(n, block, 0);
    }
    with(c.n, block, 0);
    if (chosen_grid) with(c.n, block, c.grid);
  }
  if (c.block > 1) with(c.n, c.block - 1, 0);
  if (c.grid > 1) {
    for (const std::uint32_t grid : {0U, 1U, 2U, c.grid / 2, c.grid - 1}) {
      if (grid < c.grid) with(c.n, c.block, grid);
    }
  } else if (c.grid == 1) {
    with(c.n, c.block, 0);
  }
}

/// Smaller sizes of a spec, one by one, then all in proportion: a failure may hang on their ratio.
void add_named_sizes(const Case& c, std::vector<Case>& out) {
  for (std::size_t k = 0; k < c.sizes.size(); ++k) {
    const std::uint64_t value = c.sizes[k].value;
    const auto smaller = smaller_numbers(value, c.sizes.back().value);
    for (const std::uint64_t size : smaller) {
      out.push_back(c);
      out.back().sizes[k].value = size;
    }
    for (const std::uint64_t size : smaller) {
      out.push_back(c);
      for (std::size_t other = 0; other < c.sizes.size(); ++other) {
        out.back().sizes[other].value = c.sizes[other].value * size / value;
      }
      // A block of whole warps is what many kernels ask for.
      for (NamedSize& named : out.back().sizes) {
        if (named.name == "block") named.value = (named.value + 31) / 32 * 32;
      }
    }
  }
}

/// `element`: what an offset is a multiple of.
void add_content(const Case& c, std::uint32_t element, std::vector<Case>& out) {
  const auto with = [&](auto change) {
    Case next = c;
    change(next);
    out.push_back(std::move(next));
  };
  for (std::size_t i = 0; i < rank(c.data); ++i) {
    with([&](Case& next) { next.data = data_by_simplicity[i]; });
  }
  for (std::uint32_t offset = 0; offset < c.offset; offset += element) {
    with([&](Case& next) { next.offset = offset; });
  }
  for (int tail = 0; tail < static_cast<int>(c.tail); ++tail) {
    with([&](Case& next) { next.tail = static_cast<Tail>(tail); });
  }
  for (const std::string_view schedule : fixed_schedules()) {
    if (rank(std::string(schedule)) >= rank(c.schedule)) break;
    with([&](Case& next) { next.schedule = schedule; });
  }
  for (std::uint64_t seed = 1; seed < std::min<std::uint64_t>(c.seed, 4); ++seed) {
    with([&](Case& next) { next.seed = seed; });
  }
  if (c.map != Map::none) {
    with([](Case& next) {
      next.map = Map::none;
      next.map_by = 0;
    });
    if (c.map_by > 1) with([&](Case& next) { next.map_by = c.map_by / 2; });
  }
  if (c.block_count > 1) {
    with([](Case& next) { next.block_count = 1; });
    with([](Case& next) {
      next.first_block += next.block_count - 1;
      next.block_count = 1;
    });
  }
  // Without its window a huge n would run in full.
  if (c.block_count != 0 && c.n <= 1U << 16) {
    with([](Case& next) { next.first_block = next.block_count = 0; });
  }
}

/// Those that are smaller, and no wider windows.
std::vector<Case> worth_trying(const Case& c, std::vector<Case> candidates) {
  // A window of a smaller grid holds more elements, and all have to be made and added exactly.
  const auto in_window = [](const Case& of) {
    return of.block_count == 0 || of.grid == 0 ? 0 : of.n / of.grid * of.block_count;
  };
  const auto most = std::max<std::uint64_t>(in_window(c), 1U << 20U);
  std::erase_if(candidates,
                [&](const Case& next) { return !simpler(next, c) || in_window(next) > most; });
  return candidates;
}

}  // namespace

bool simpler(const Case& a, const Case& b) { return size_key(a) < size_key(b); }

std::vector<Case> shrink_candidates(const Case& c) {
  const bool named = is_spec(c.variant) && c.n == 0 && c.grid == 0;  // its shape is its sizes
  std::vector<Case> candidates;
  named ? add_named_sizes(c, candidates) : add_sizes(c, candidates);
  add_content(c, named ? 1 : static_cast<std::uint32_t>(size_of(c.in)), candidates);
  return worth_trying(c, std::move(candidates));
}

Shrunk shrink(const Case& c, const std::function<bool(const Case&)>& fails,
              const ShrinkLimits& limits, const std::function<void(Case&)>& complete,
              const std::function<std::vector<Case>(const Case&)>& smaller) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(limits.seconds);
  Shrunk result{.c = c};
  std::set<std::string> holds;  // every restart begins with the same small cases
  for (bool progress = true; progress;) {
    progress = false;
    for (Case candidate : smaller(result.c)) {
      if (complete) complete(candidate);
      if (!simpler(candidate, result.c) || holds.contains(to_string(candidate))) continue;
      if (result.steps == limits.steps || Clock::now() >= end) {
        result.limited = true;
        return result;
      }
      ++result.steps;
      if (fails(candidate)) {
        result.c = candidate;
        progress = true;
        break;
      }
      holds.insert(to_string(candidate));
    }
  }
  return result;
}

bool is_documented_launch(const Subject& subject, const Case& c) {
  if (c.n == 0 || c.offset != 0) return false;
  const Variant* const variant = subject.find(c.variant);
  if (variant == nullptr) return false;
  if (std::ranges::count(variant->documented_blocks, c.block) == 0) return false;
  Case needed = c;
  needed.grid = 0;
  return c.grid == 0 || c.grid == subject.plan(needed).grid;
}

}  // namespace gauntlet::properties
