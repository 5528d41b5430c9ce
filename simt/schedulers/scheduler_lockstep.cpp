// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Lock step inside a warp, as hardware before Volta and the documents imagine it: all lanes of the
// fragment with the lowest pc run, so that lanes meet again behind a branch. Warps run one after
// the other up to their next barrier, ascending or descending.
#include "simt/schedulers/scheduler.hpp"

namespace gauntlet::simt {
namespace {

class Lockstep final : public Scheduler {
 public:
  Lockstep(bool warps_descending, bool blocks_descending)
      : warps_descending_(warps_descending), blocks_descending_(blocks_descending) {}

  [[nodiscard]] bool blocks_descending() const override { return blocks_descending_; }

  bool choose(const Residents& residents, Choice& choice) override {
    for (std::uint32_t r = 0; r < residents.blocks.size(); ++r) {
      const auto& warps = residents.blocks[r]->warps;
      const auto count = static_cast<std::uint32_t>(warps.size());
      for (std::uint32_t k = 0; k < count; ++k) {
        const std::uint32_t w = warps_descending_ ? count - 1 - k : k;
        const auto best = residents.lowest_pc(warps[w]);
        if (best == warp_size) continue;
        choice = {r, w, best, warps[w].fragments[best].lanes, false, true};
        return true;
      }
    }
    return false;
  }

 private:
  bool warps_descending_, blocks_descending_;
};

}  // namespace

std::unique_ptr<Scheduler> make_lockstep(bool warps_descending, bool blocks_descending) {
  return std::make_unique<Lockstep>(warps_descending, blocks_descending);
}

}  // namespace gauntlet::simt
