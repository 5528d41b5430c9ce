// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where a launch's undefined values come from, by the numbers that poisoned lanes carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/code/poison.hpp"
#include "machine/state/recorder.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

class Origins {
 public:
  explicit Origins(const Recorder& recorder) : recorder_(recorder), all_(1) {}
  /// Returns the number: one for each instruction and kind, whose first occurrence tells the story.
  std::uint32_t add(Origin::What what, std::uint32_t inst, const Warp& w, std::uint32_t lane,
                    std::string array = {}, std::int64_t index = 0, bool in_part = false);
  [[nodiscard]] Origin& at(std::uint32_t number) { return all_.at(number); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  /// "the value comes from ...".
  [[nodiscard]] std::string describe(const Origin& o) const;
  /// The first of the poisoned `lanes` whose origin was not reported yet, or -1.
  [[nodiscard]] static int to_blame(const Warp& w, Operand value, std::uint32_t lanes);

 private:
  const Recorder& recorder_;
  std::vector<Origin> all_;  ///< 0 stands for "no origin"
  std::unordered_map<std::uint64_t, std::size_t> numbers_;
};

}  // namespace gauntlet::simt
