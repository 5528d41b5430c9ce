// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Schedules that run the lanes of a warp one behind the other, each up to where it has to wait.
// Mostly none of them meets what another one has left: then all lanes may as well run at once, and
// are counted, and told to the race detector, as if they had run one by one. Whether that is so is
// seen while they run: if not, all is put back as it was, and they do run one by one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/engine/race_reports.hpp"
#include "machine/engine/together.hpp"
#include "machine/races/race.hpp"

namespace gauntlet::simt {

class Trials : EnginePart {
 public:
  Trials(const EnginePart& part, RaceReports& race_reports)
      : EnginePart(part), race_reports_(race_reports) {}

  /// How lanes have come to where they wait, or exit.
  struct Came {
    std::span<const Together::Group> groups;  ///< one for each place
    std::uint64_t steps = 0;                  ///< warp instructions of all lanes together
    bool exits = false;                       ///< all of them, and at once; else none
    /// They wait at one place, where each would wait for the next: they may as well arrive at once.
    bool arrives = false;
  };
  /// Runs lanes of the warp that are at `start`, at most so many warp instructions each. nullopt:
  /// nothing was done, they are to run one by one. What the result names is there until the next.
  [[nodiscard]] std::optional<Came> run(Block& b, Warp& w, std::uint32_t start, std::uint32_t lanes,
                                        bool descending, std::uint64_t most);
  [[nodiscard]] bool under_way() const { return trial_ != nullptr; }
  /// An access is about to be made: in a trial, whether it may be; without one it always may.
  /// `shared`: its region.
  [[nodiscard]] bool admits(const Access& a, const Region& r, const Region* shared,
                            std::uint32_t mask, const Allocation* allocation, bool run,
                            bool one_address) {
    return trial_ == nullptr || admits_one(a, r, shared, mask, allocation, run, one_address);
  }

 private:
  [[nodiscard]] bool admits_one(const Access& a, const Region& r, const Region* shared,
                                std::uint32_t mask, const Allocation* allocation, bool run,
                                bool one_address);
  [[nodiscard]] bool try_groups(Block& b, Warp& w, std::uint32_t lanes, std::uint64_t most);
  [[nodiscard]] bool waits_for_all(const Warp& w, const Inst& i, std::uint32_t lanes,
                                   std::uint32_t everybody) const;
  [[nodiscard]] bool arrives_at_once(const Warp& w, const Inst& i, std::uint32_t lanes) const;
  void tell_accesses(Block& b, Warp& w, std::uint32_t lanes, Together& trial, bool descending);

  RaceReports& race_reports_;
  RaceDetector::Found found_;
  Together* trial_ = nullptr;        ///< under way
  std::vector<std::uint8_t> alone_;  ///< instructions from which trials have failed
};

}  // namespace gauntlet::simt
