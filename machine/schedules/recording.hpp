// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Any scheduler, with what it did written down as preemptions of a base (schedule_string.hpp).
// Replaying the result makes the same choices, and so the same values and findings.
#pragma once

#include <memory>

#include "machine/schedules/schedule_string.hpp"
#include "machine/schedules/scheduler.hpp"

namespace gauntlet::simt {

class Recording final : public Scheduler {
 public:
  /// `inner` chooses and must outlive the recording; `base`'s preemptions are ignored.
  Recording(Scheduler& inner, LaunchSchedule base);

  bool choose(const ResidentBlocks& residents, Choice& choice) override;
  [[nodiscard]] bool blocks_descending() const override { return inner_.blocks_descending(); }
  [[nodiscard]] std::uint32_t resident_blocks() const override { return inner_.resident_blocks(); }
  void end() override { inner_.end(); }

  [[nodiscard]] const LaunchSchedule& recorded() const { return recorded_; }

 private:
  Scheduler& inner_;
  std::unique_ptr<Scheduler> base_;
  LaunchSchedule recorded_;
  std::uint64_t gap_ = 0;
};

/// The scheduler that follows a recording. With `strict`, a preemption that cannot be followed
/// throws CaseError (one line), and so does a launch that ends before the last preemption;
/// otherwise such a preemption is left out.
[[nodiscard]] std::unique_ptr<Scheduler> make_replay(LaunchSchedule schedule, bool strict);

/// The base alone.
[[nodiscard]] std::unique_ptr<Scheduler> make_base(const LaunchSchedule& schedule);

}  // namespace gauntlet::simt
