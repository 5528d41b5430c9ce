// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which steps of a wrong run decide: the accesses of one cell whose order differs from a right run,
// and what they then read.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/members.hpp"
#include "properties/witness/run.hpp"

namespace gauntlet::witness {

struct Step {
  std::uint32_t launch = 0;
  std::uint32_t block = 0, warp = 0, lane = 0;
  std::uint32_t thread = 0;
  std::string path;  ///< of the source, as findings name it
  std::string file;  ///< the same without its folders
  std::uint32_t line = 0;
  std::string verb;   ///< "stores", "loads", "adds to" (an atomic)
  std::string cell;   ///< "s[16]"
  std::string value;  ///< read, written, or left by the atomic
  std::string other;  ///< in the right run, where it differs
};
constexpr auto fields(const Step*) {
  using T = Step;
  return std::tuple{GAUNTLET_MEMBERS(T, launch, block, warp, lane), field("does", &T::verb),
                    GAUNTLET_MEMBERS(T, cell, value), field("value_in_base", &T::other),
                    GAUNTLET_MEMBERS(T, file, line)};
}

struct Decision {
  std::vector<Step> steps;  ///< in the order of the wrong run; pairs on one cell
  std::uint64_t more = 0;   ///< reordered pairs that are not shown
};

/// How words of memory are printed: as floats where a launch takes them for such; else where it
/// takes none, and where their size fits, as elements of the case.
struct WordTypes {
  WordTypes(const LaunchLog& log, Type in_type, Type acc_type);
  Type in, acc;
  std::set<std::pair<bool, std::uint64_t>> floats;  ///< shared?, address of 4 bytes
};

/// Both runs were logged, of the same case, with these types.
[[nodiscard]] Decision deciding_steps(const Outcome& wrong, const Outcome& right, Type in, Type acc,
                                      std::size_t most = 3);

/// "lane 16 stores s[16] before lane 0 loads it": the first pair in words.
[[nodiscard]] std::string in_words(const Decision& decision);

/// An access in words.
[[nodiscard]] Step step_of(const LaunchLog& log, const simt::Event& event, std::uint32_t launch,
                           const WordTypes& types);

/// "s[16]"; as findings name it.
[[nodiscard]] std::string cell_name(const LaunchLog& log, const simt::Event& event);

}  // namespace gauntlet::witness
