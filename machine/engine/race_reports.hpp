// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is said of two accesses that race. Which of them came first depends on the schedule: they
// are named in program order, a read-only load behind the write.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "machine/engine/access_path.hpp"
#include "machine/races/race.hpp"
#include "machine/races/told_races.hpp"

namespace gauntlet::simt {

class RaceReports : EnginePart {
 public:
  explicit RaceReports(const EnginePart& part) : EnginePart(part) {}
  /// `by`: the access that the detector met the pair at, at this address.
  void tell(const Access& by, const Race& race, std::uint64_t address,
            const Allocation* allocation);
  [[nodiscard]] ToldRaces& told() { return told_; }

 private:
  struct Pair;
  ToldRaces told_{reports_.recorder()};
  [[nodiscard]] bool is_told(const Pair& p, std::string_view array) const;
  [[nodiscard]] std::string detail(const Pair& p, bool of_array) const;
  [[nodiscard]] std::string unordered(const Pair& p, bool of_array) const;
  [[nodiscard]] const MemoryOp& op_of(const CellAccess& access) const {
    return kernel_.memory_ops[kernel_.code[access.inst].extra];
  }
};

}  // namespace gauntlet::simt
