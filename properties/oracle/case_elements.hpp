// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The elements of a case and the reference of all of them, kept for neighbouring cases, which often
// share them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {

class CaseElements {
 public:
  static constexpr std::uint64_t piece = std::uint64_t{1} << 16;  ///< elements made at once

  /// `keep`: few elements are made once and held, each thread the last ones.
  CaseElements(const Case& c, bool keep);

  [[nodiscard]] const Recipe& recipe() const { return recipe_; }

  /// f(bytes, count) over the run, piece after piece.
  template <class F>
  void for_each_piece(Run run, F&& f) const {
    if (kept_) return f(kept_->data() + run.first * size_of(recipe_.in), run.count);
    for (std::uint64_t at = 0; at < run.count; at += piece) {
      const std::uint64_t count = std::min(piece, run.count - at);
      f(make_elements(recipe_, run.first + at, count).data(), count);
    }
  }

 private:
  Recipe recipe_;
  std::shared_ptr<const std::vector<std::byte>> kept_;
};

/// The finished reference of all elements of a case, made by so many threads or the one that was
/// made or offered for the last case with the same elements. Not for float products.
[[nodiscard]] SliceReference reference_of_all(const Case& c, unsigned threads);
/// For the next call: where it has been made on the way to something else.
void offer_reference_of_all(const Case& c, const SliceReference& all);

}  // namespace gauntlet
