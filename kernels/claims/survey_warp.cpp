// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Votes, and what orders the lanes of a warp.
#include <fmt/format.h>

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

}  // namespace

Survey survey_votes(Runner& runner) {
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
  const Outcome outcome = runner.run(call);
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

Mirror run_mirror(Runner& runner, const std::string& entry, const std::string& schedule) {
  std::vector<std::int32_t> in(32);
  for (int t = 0; t < 32; ++t) in[t] = 100 + t * t;
  const bool exchanges = entry.starts_with("mirror_shuffle") || entry.starts_with("mirror_vote");
  Call call("warp_barrier", entry, {1}, {32});
  call.schedule = schedule;
  call.in("in", in).out<std::int32_t>("out", 32);
  if (exchanges) call.out<std::int32_t>("next", 32);
  const Outcome outcome = runner.run(call);
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

}  // namespace gauntlet::claims
