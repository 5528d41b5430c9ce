// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The smallest runs that show why a statement is refuted, or holds only if: `gauntlet repro
// claim:N`.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "gpu/profile/runner.hpp"

namespace gauntlet::claims {

using namespace profile;

/// A launch of a micro-kernel.
struct DemonstratedLaunch {
  std::string module, entry;
  std::string schedule;
  std::string what;                 ///< what the kernel does, and what to look at
  std::set<FindingKind> shows;      ///< kinds of findings
  std::vector<std::int32_t> right;  ///< of "out": as the document has it
  bool differs = false;             ///< "out" shows something else
};

/// A demonstration is a case of the catalogue or one launch or more.
struct Demonstration {
  int claim = 0;
  std::string case_line;  ///< for `gauntlet repro`; empty: launches
  std::vector<DemonstratedLaunch> launches;
};
[[nodiscard]] const std::vector<Demonstration>& demonstrations();
/// nullptr: the statement has none.
[[nodiscard]] const Demonstration* find_demonstration(int claim);

struct Demonstrated {
  const DemonstratedLaunch* launch = nullptr;
  std::vector<Finding> findings;
  std::vector<std::int32_t> out;
  std::vector<bool> defined;
  [[nodiscard]] std::set<FindingKind> kinds() const;
  /// How many elements of "out" are not what the document has.
  [[nodiscard]] std::size_t wrong() const;
  /// No finding, and "out" as the document has it.
  [[nodiscard]] bool clean() const { return findings.empty() && wrong() == 0; }
  /// It showed what it is there to show, and nothing else.
  [[nodiscard]] bool as_expected() const;
};
/// On the SIMT machine.
[[nodiscard]] Demonstrated demonstrate(const DemonstratedLaunch& launch);
/// Its launches, in order.
[[nodiscard]] std::vector<Demonstrated> demonstrate(const Demonstration& demonstration);

}  // namespace gauntlet::claims
