// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

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

Survey survey_shuffles(Runner& runner, Shuffle kind, int width,
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
  const auto sources = runner.run(call).array<std::int32_t>("sources");
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

}  // namespace gauntlet::claims
