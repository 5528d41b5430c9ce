// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/numbers.hpp"
#include "gpu/profile/micro_cases.hpp"
#include "kernels/claims/survey.hpp"

namespace gauntlet::claims {
namespace {

constexpr std::uint32_t bank_count = 32;
const char* const loads[] = {"load_b8", "load_b16", "load_b32", "load_b64", "load_b128"};
const char* const store_count[] = {"store_b8", "store_b16", "store_b32", "store_b64", "store_b128"};

/// A stride whose wavefronts the formula tells: any number of words, or what divides one.
bool has_formula(std::uint32_t width, std::uint32_t stride) {
  return width >= 4 || stride * width % 4 == 0 || 4 % (stride * width) == 0;
}

Call call_of(const BankAccess& access) {
  const BankPattern pattern{"", {access.index.begin(), access.index.end()}, access.mask};
  return bank_call(access.entry, access.width(), pattern);
}

}  // namespace

std::uint32_t BankAccess::width() const {
  const auto bits = std::string_view(entry).substr(entry.find_last_of('b') + 1);
  return parse_number<std::uint32_t>(bits).value_or(0) / 8;
}

BankAccess strided(const std::string& entry, std::uint32_t stride, std::uint32_t lanes) {
  BankAccess access;
  access.entry = entry;
  access.mask = 0xffff'ffff >> (32 - lanes);
  for (std::uint32_t lane = 0; lane < 32; ++lane) access.index[lane] = lane * stride;
  return access;
}

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

simt::SharedCounters count_banks(Runner& machine, const BankAccess& access) {
  const Outcome outcome = machine.run(call_of(access));
  // Interval 0 fills the array, with stores of its own.
  return access.stores() ? outcome.profile.intervals.at(1).total.shared_store
                         : outcome.profile.total.shared_load;
}

simt::SharedCounters count_column(Runner& machine, unsigned columns) {
  Call call("banks", columns == 32 ? "column_of_32" : "column_of_33", {1}, {32});
  call.value(std::uint32_t{7}).out<std::uint32_t>("out", 32);
  return machine.run(call).profile.total.shared_load;
}

Survey survey_banks(Runner& machine) {
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
  for (const auto* entries : {&loads, &store_count}) {
    for (const std::string entry : *entries) {
      for (std::uint32_t stride = 0; stride <= 33; ++stride) {
        for (const std::uint32_t lanes : {32U, 31U, 24U, 16U, 8U, 1U}) {
          const BankAccess access = strided(entry, stride, lanes);
          // Stores of several lanes to one place are a race.
          if (stride == 0 ? access.stores() : !has_formula(access.width(), stride)) continue;
          // Of less than a warp only what fills whole groups: how the rest is served is not told.
          if (access.width() > 4 && lanes % (128 / access.width()) != 0) continue;
          const std::uint32_t expected = strided_wavefronts(access.width(), stride, lanes);
          const std::uint32_t ideal = strided_wavefronts(access.width(), 1, lanes);
          compare(fmt::format("{} stride {}, {} lanes", entry, stride, lanes),
                  count_banks(machine, access), expected, ideal);
        }
      }
    }
  }
  compare("a column of [32][32]", count_column(machine, 32), 32, 1);
  compare("a column of [32][33]", count_column(machine, 33), 1, 1);
  return survey;
}

Survey survey_bank_values(Runner& runner) {
  Survey survey;
  for (const std::string entry : loads) {
    for (std::uint32_t stride = 0; stride <= 33; ++stride) {
      const BankAccess access = strided(entry, stride);
      const std::uint32_t width = access.width();
      const auto out = runner.run(call_of(access)).array<std::uint8_t>("out");
      for (std::uint32_t lane = 0; lane < 32; ++lane) {
        for (std::uint32_t k = 0; k < width; ++k) {
          // Word i of shared memory holds i, lowest byte first.
          const std::uint32_t at = access.index[lane] * width + k;
          const auto expected = static_cast<std::uint8_t>(at / 4 >> (8 * (at % 4)));
          const std::uint8_t got = out[lane * width + k];
          survey.add(got == expected, [&] {
            return fmt::format("{} stride {}: byte {} of lane {} is {}, not {}", entry, stride, k,
                               lane, got, expected);
          });
        }
      }
    }
  }
  return survey;
}

}  // namespace gauntlet::claims
