// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/claims/demonstration.hpp"

#include <algorithm>

namespace gauntlet::claims {
namespace {

std::vector<std::int32_t> from_lane(auto value) {
  std::vector<std::int32_t> result(32);
  for (int t = 0; t < 32; ++t) result[static_cast<std::size_t>(t)] = value(t);
  return result;
}

std::vector<std::int32_t> iota() {
  return from_lane([](int t) { return t; });
}

std::vector<std::int32_t> mirrored() {
  return from_lane([](int t) { return 31 - t; });
}

std::vector<Demonstration> make_demonstrations() {
  using enum FindingKind;
  std::vector<Demonstration> all;
  all.push_back({2,
                 "",
                 {{"shuffles",
                   "leaders_of_six",
                   "lockstep",
                   "every lane asks lane 0 of its group of width 6; groups of six would have the "
                   "leaders 0, 6, 12, 18, 24, 30",
                   {},
                   from_lane([](int t) { return t - t % 6; }),
                   true}}});
  all.push_back({3,
                 "",
                 {{"warp_barrier",
                   "mirror_seven_fs",
                   "lockstep",
                   "s[t] = in[t]; __syncwarp(0xfffffff); out[t] = s[31 - t]: lane 28 executes a "
                   "barrier that does not name it",
                   {not_in_own_mask},
                   mirrored(),
                   false},
                  {"warp_barrier",
                   "mirror_28_lanes",
                   "high_lane_first",
                   "the same, with only the 28 named lanes at the barrier: the other four read "
                   "cells before they are written",
                   {race_write_read, poison_output},
                   mirrored(),
                   true}}});
  all.push_back({4,
                 "",
                 {{"warp_barrier",
                   "mirror_shuffle_only",
                   "lockstep",
                   "s[t] = in[t]; __shfl_down_sync(...); out[t] = s[31 - t]: the shuffle orders "
                   "its own values, not s",
                   {race_write_read},
                   mirrored(),
                   false},
                  {"warp_barrier",
                   "mirror_shuffle_and_barrier",
                   "lockstep",
                   "the same with a __syncwarp after the shuffle",
                   {},
                   mirrored(),
                   false}}});
  all.push_back({5,
                 "volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 "
                 "schedule=high_lane_first",
                 {}});
  all.push_back({14, "half_shared@documented i32->i32 sum n=4 block=2 grid=1", {}});
  return all;
}

}  // namespace

const std::vector<Demonstration>& demonstrations() {
  static const auto all = make_demonstrations();
  return all;
}

const Demonstration* find_demonstration(int claim) {
  const auto& all = demonstrations();
  const auto it =
      std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.claim == claim; });
  return it == all.end() ? nullptr : &*it;
}

std::set<FindingKind> Demonstrated::kinds() const {
  std::set<FindingKind> result;
  for (const Finding& finding : findings) result.insert(finding.kind);
  return result;
}

std::size_t Demonstrated::wrong() const {
  std::size_t count = 0;
  for (std::size_t t = 0; t < out.size(); ++t) {
    count += defined[t] && out[t] == launch->right[t] ? 0 : 1;
  }
  return count;
}

bool Demonstrated::as_expected() const {
  return kinds() == launch->shows && (wrong() > 0) == launch->differs;
}

Demonstrated demonstrate(const DemonstratedLaunch& launch) {
  Call call(launch.module, launch.entry, {1}, {32});
  call.schedule = launch.schedule;
  if (launch.module == "warp_barrier") call.in("in", iota());
  call.out<std::int32_t>("out", 32);
  if (launch.entry.starts_with("mirror_shuffle")) call.out<std::int32_t>("next", 32);
  const Outcome outcome = simt_runner()->run(call);
  Demonstrated result;
  result.launch = &launch;
  result.findings = outcome.findings;
  result.out = outcome.array<std::int32_t>("out");
  for (const ArrayContent& array : outcome.arrays) {
    if (array.name == "out") result.defined = array.defined;
  }
  return result;
}

std::vector<Demonstrated> demonstrate(const Demonstration& demonstration) {
  std::vector<Demonstrated> shown;
  for (const auto& launch : demonstration.launches) shown.push_back(demonstrate(launch));
  return shown;
}

}  // namespace gauntlet::claims
