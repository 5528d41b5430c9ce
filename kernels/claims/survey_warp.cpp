// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Votes, shuffles, and what orders the lanes of a warp.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/numbers.hpp"
#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

std::uint32_t bit(unsigned lane) { return std::uint32_t{1} << lane; }

/// Lanes a to b, both included.
std::uint32_t lanes(unsigned a, unsigned b) { return full << a & full >> (31 - b); }

std::vector<std::uint32_t> vote_masks() {
  std::vector<std::uint32_t> masks;
  for (unsigned a = 0; a < 32; ++a) {
    for (unsigned b = a; b < 32; ++b) {
      masks.push_back(lanes(a, b));
      if (b > a + 1) masks.push_back(bit(a) | bit(b));
    }
  }
  for (const std::uint32_t pattern : {0x5555'5555U, 0x3333'3333U, 0x8000'8001U, 0xdead'beefU}) {
    masks.push_back(pattern);
    masks.push_back(~pattern);
  }
  return masks;
}

/// Nobody, everybody, exactly the mask, everybody else, and the two ways in which a single lane
/// decides.
std::vector<std::uint32_t> vote_predicates(std::uint32_t mask) {
  const std::uint32_t lowest = mask & (~mask + 1);
  return {0, full, mask, ~mask, lowest, mask & ~lowest, full & ~lowest, 0x6d5a'39c7};
}

constexpr int silent = -1;

/// The full mask, and masks that name whole groups only. A group has to be lanes in a row for that.
std::vector<std::uint32_t> shuffle_masks(int width) {
  std::vector<std::uint32_t> masks{full};
  if (width >= 32 || (width & (width - 1)) != 0) return masks;
  const auto groups = static_cast<unsigned>(32 / width);
  const std::uint32_t one = (std::uint32_t{1} << width) - 1;
  for (const std::uint32_t chosen : {0x1U, 0x2U, 0x5555'5555U, 0x8000'0001U, 0x0f1e'2d3cU}) {
    std::uint32_t mask = 0;
    for (unsigned g = 0; g < groups; ++g) {
      if (chosen >> g & 1) mask |= one << (g * static_cast<unsigned>(width));
    }
    if (mask != 0) masks.push_back(mask);
  }
  return masks;
}

}  // namespace

Survey survey_votes(const Runner& runner) {
  std::vector<std::uint32_t> masks, predicates;
  for (const std::uint32_t mask : vote_masks()) {
    for (const std::uint32_t predicate : vote_predicates(mask)) {
      masks.push_back(mask);
      predicates.push_back(predicate);
    }
  }
  const auto cases = static_cast<std::uint32_t>(masks.size());
  Call call("votes", "votes", {cases}, {32});
  call.in("masks", masks).in("predicates", predicates);
  for (const char* name : {"ballots", "alls", "anys"}) {
    call.out<std::uint32_t>(name, std::size_t{cases} * 32);
  }
  const Outcome outcome = runner(call);
  const auto ballots = outcome.array<std::uint32_t>("ballots");
  const auto alls = outcome.array<std::uint32_t>("alls");
  const auto anys = outcome.array<std::uint32_t>("anys");
  Survey survey;
  for (std::uint32_t c = 0; c < cases; ++c) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const std::uint32_t group = masks[c] >> lane & 1 ? masks[c] : ~masks[c];
      const std::uint32_t ballot = group & predicates[c];
      const std::size_t at = std::size_t{c} * 32 + lane;
      const auto compare = [&](const char* vote, std::uint32_t got, std::uint32_t expected) {
        survey.add(got == expected, [&] {
          return fmt::format("{}({:#010x}) over predicate {:#010x}, lane {}: {:#x}, not {:#x}",
                             vote, group, predicates[c], lane, got, expected);
        });
      };
      compare("__ballot_sync", ballots[at], ballot);
      compare("__all_sync", alls[at] != 0, ballot == group);
      compare("__any_sync", anys[at] != 0, ballot != 0);
    }
  }
  return survey;
}

Mirror run_mirror(const Runner& runner, const std::string& entry, const std::string& schedule) {
  std::vector<std::int32_t> in(32);
  for (int t = 0; t < 32; ++t) in[t] = 100 + t * t;
  const bool exchanges = entry.starts_with("mirror_shuffle") || entry.starts_with("mirror_vote");
  Call call("warp_barrier", entry, {1}, {32});
  call.schedule = schedule;
  call.in("in", in).out<std::int32_t>("out", 32);
  if (exchanges) call.out<std::int32_t>("next", 32);
  const Outcome outcome = runner(call);
  Mirror mirror;
  mirror.findings = outcome.findings;
  const auto out = outcome.array<std::int32_t>("out");
  for (int t = 0; t < 32; ++t) {
    mirror.mirrored.add(out[t] == in[31 - t], [&] {
      return fmt::format("lane {} got {}, not {}", t, out[t], in[31 - t]);
    });
  }
  if (!exchanges) return mirror;
  const auto next = outcome.array<std::int32_t>("next");
  std::uint32_t odd = 0;
  for (unsigned t = 0; t < 32; ++t) odd |= (in[t] & 1) != 0 ? bit(t) : 0;
  for (int t = 0; t < 32; ++t) {
    const std::int32_t expected = entry.starts_with("mirror_vote") ? static_cast<std::int32_t>(odd)
                                  : t == 31                        ? in[t]
                                                                   : in[t + 1];
    mirror.exchanged.add(next[t] == expected, [&] {
      return fmt::format("lane {} received {}, not {}", t, next[t], expected);
    });
  }
  return mirror;
}

int guide_source(Shuffle kind, int width, unsigned delta, int lane) {
  const int d = static_cast<int>(delta);
  const int rank = lane % width, group = lane - rank;
  switch (kind) {
    case Shuffle::idx:
      return group + d % width;
    case Shuffle::up:
      return rank >= d ? lane - d : lane;
    case Shuffle::down:
      return rank + d < width ? lane + d : lane;
    default: {
      const int other = lane ^ d % 32;
      return other < group + width ? other : lane;
    }
  }
}

int ptx_source(Shuffle kind, int width, unsigned delta, int lane) {
  const int segment = (32 - width) & 31, b = static_cast<int>(delta & 31);
  const int first = lane & segment, last = first | (31 & ~segment);
  const auto within = [&](int j, bool inside) { return inside ? j : lane; };
  switch (kind) {
    case Shuffle::idx: {
      const int j = first | (b & ~segment);
      return within(j, j <= last);
    }
    case Shuffle::up:
      return within(lane - b, lane - b >= first);
    case Shuffle::down:
      return within(lane + b, lane + b <= last);
    default:
      return within(lane ^ b, (lane ^ b) <= last);
  }
}

int document_source(Shuffle kind, int width, unsigned delta, int lane) {
  const int rank = lane % width, group = lane - rank, d = static_cast<int>(delta);
  const int wanted = kind == Shuffle::idx    ? d
                     : kind == Shuffle::up   ? rank - d
                     : kind == Shuffle::down ? rank + d
                                             : rank ^ d;
  return wanted >= 0 && wanted < width && group + wanted < 32 ? group + wanted : lane;
}

Survey survey_shuffles(const Runner& runner, Shuffle kind, int width,
                       int (*expected)(Shuffle, int, unsigned, int)) {
  std::vector<ShuffleCase> cases;
  for (const std::uint32_t mask : shuffle_masks(width)) {
    for (std::uint32_t delta = 0; delta <= 32; ++delta) {
      // An xor beyond the width leaves the group, so that a lane nobody names might be asked.
      if (mask != full && kind == Shuffle::exclusive_or && delta >= unsigned(width)) continue;
      cases.push_back({static_cast<std::uint32_t>(kind), width, delta, mask});
    }
  }
  Call call("shuffles", "shuffles", {static_cast<std::uint32_t>(cases.size())}, {32});
  call.in("cases", cases).value(silent).out<std::int32_t>("sources", cases.size() * 32);
  const auto sources = runner(call).array<std::int32_t>("sources");
  Survey survey;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    for (int lane = 0; lane < 32; ++lane) {
      const bool named = cases[c].mask >> lane & 1;
      const int got = sources[c * 32 + static_cast<std::size_t>(lane)];
      const int wanted = named ? expected(kind, width, cases[c].delta, lane) : silent;
      survey.add(got == wanted, [&] {
        return fmt::format("{} by {} of width {}: lane {} read lane {}, not {}", name(kind),
                           cases[c].delta, width, lane, got, wanted);
      });
    }
  }
  return survey;
}

namespace {

constexpr std::uint32_t bank_count = 32;

/// A stride whose wavefronts the formula tells: any number of words, or what divides one.
bool has_formula(std::uint32_t width, std::uint32_t stride) {
  return width >= 4 || stride * width % 4 == 0 || 4 % (stride * width) == 0;
}

}  // namespace

std::uint32_t strided_wavefronts(std::uint32_t width, std::uint32_t stride, std::uint32_t lanes) {
  // One piece for everybody; quarters of a warp go two by two then.
  if (stride == 0) return width == 16 ? (lanes + 15) / 16 : 1;
  if (width < 4) {
    if (stride * width < 4) return 1;  // 32 lanes share less than 32 words in a row
    stride = stride * width / 4;
    width = 4;
  }
  // A group of lanes has one access of this width for each bank that the group can use.
  const std::uint32_t groups = width / 4, group = bank_count / groups;
  const std::uint32_t banks = group / std::gcd(stride, group);  // that a group's accesses meet
  std::uint32_t wavefronts = 0;
  for (std::uint32_t first = 0; first < lanes; first += group) {
    wavefronts += ceil_div(std::min(group, lanes - first), banks);
  }
  return wavefronts;
}

simt::SharedCounters count_banks(const Runner& machine, const std::string& entry,
                                 const BankPattern& pattern) {
  const Outcome outcome = machine(bank_call(entry, pattern));
  // Interval 0 fills the array, with stores of its own.
  return entry.starts_with("store") ? outcome.profile.intervals.at(1).total.shared_store
                                    : outcome.profile.total.shared_load;
}

simt::SharedCounters count_column(const Runner& machine, unsigned columns) {
  Call call("banks", columns == 32 ? "column_of_32" : "column_of_33", {1}, {32});
  call.value(std::uint32_t{7}).out<std::uint32_t>("out", 32);
  return machine(call).profile.total.shared_load;
}

Survey survey_banks(const Runner& machine) {
  Survey survey;
  const auto compare = [&](const std::string& what, const simt::SharedCounters& got,
                           std::uint32_t expected, std::uint32_t ideal) {
    survey.add(got.requests == 1 && got.wavefronts == expected &&
                   got.conflicts == expected - std::min(expected, ideal),
               [&] {
                 return fmt::format("{}: {} wavefronts and {} conflicts in {} requests, not {}",
                                    what, got.wavefronts, got.conflicts, got.requests, expected);
               });
  };
  for (const auto* what : {"load", "store"}) {
    for (const std::uint32_t width : {1U, 2U, 4U, 8U, 16U}) {
      const std::string entry = fmt::format("{}_b{}", what, 8 * width);
      for (std::uint32_t stride = 0; stride <= 33; ++stride) {
        for (const std::uint32_t lanes : {32U, 31U, 24U, 16U, 8U, 1U}) {
          // Stores of several lanes to one place are a race.
          if (stride == 0 ? entry.starts_with("store") : !has_formula(width, stride)) continue;
          // Of less than a warp only what fills whole groups: how the rest is served is not told.
          if (width > 4 && lanes % (128 / width) != 0) continue;
          const std::uint32_t expected = strided_wavefronts(width, stride, lanes);
          const std::uint32_t ideal = strided_wavefronts(width, 1, lanes);
          compare(fmt::format("{} stride {}, {} lanes", entry, stride, lanes),
                  count_banks(machine, entry, bank_stride(stride, full >> (32 - lanes))), expected,
                  ideal);
        }
      }
    }
  }
  compare("a column of [32][32]", count_column(machine, 32), 32, 1);
  compare("a column of [32][33]", count_column(machine, 33), 1, 1);
  return survey;
}

}  // namespace gauntlet::claims
