// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Collects findings: one for each kind, source line, array and (races) other line, in order of
// first occurrence, with a count. Of the occurrences the first one is described; of races the first
// of those whose parties are farthest apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/finding.hpp"
#include "machine/code/code.hpp"

namespace gauntlet::simt {

/// The cell that a finding is about; no array where none is involved.
struct Place {
  std::string_view array;
  std::int64_t index = 0;
  std::uint32_t size = 0;
};

class Recorder {
 public:
  Recorder(const Kernel& kernel, bool enabled) : kernel_(kernel), enabled_(enabled) {}

  /// Adds an occurrence. Returns the finding to be completed: a new one, or one whose occurrences
  /// so far were of a smaller `weight` than this one. nullptr when it was folded into an earlier
  /// one, or the recorder is off and the kind not fatal.
  Finding* add(FindingKind kind, std::uint32_t inst, Dim3 block, std::uint32_t warp,
               std::uint32_t lane, Place place = {}, std::uint32_t other_inst = no_inst,
               std::uint32_t weight = 0);
  static constexpr std::uint32_t no_inst = ~0U;
  /// A finding that occurrences are counted to, and the greatest weight of these.
  struct Seen {
    std::size_t index;
    std::uint32_t weight;
  };
  /// That of the latest occurrence; nullptr: there was none, or it was not added.
  [[nodiscard]] const Seen* latest() const { return last_ == nullptr ? nullptr : &last_->second; }
  /// Adds more occurrences, of no more weight.
  void count(const Seen& seen, std::uint64_t times) { findings_[seen.index].count += times; }

  [[nodiscard]] std::string where(std::uint32_t inst) const;  ///< "tree.cuh:41" or "ptx line 12"
  [[nodiscard]] Party party(std::uint32_t inst, Dim3 block, std::uint32_t warp,
                            std::uint32_t lane) const;
  [[nodiscard]] bool empty() const { return findings_.empty(); }
  std::vector<Finding> take() { return std::move(findings_); }

 private:
  const Kernel& kernel_;
  bool enabled_;
  std::vector<Finding> findings_;
  // Kind, file and line (or the PTX line where there is none), the other party's, array.
  using Key = std::tuple<FindingKind, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t,
                         std::string>;
  std::map<Key, Seen> seen_;
  const std::pair<const Key, Seen>* last_ = nullptr;  // of the latest occurrence
  std::uint32_t last_inst_ = no_inst, last_other_ = no_inst;
};

}  // namespace gauntlet::simt
