// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How the catalogue's rows are written down, and the files that hold them.
#pragma once

#include <string>
#include <vector>

#include "kernels/catalogue.hpp"
#include "properties/case/forms.hpp"

namespace gauntlet::kernels::detail {

inline const TypePair f32_pair{Type::f32, Type::f32};

struct VariantEntry {
  int row = 0;
  std::string id;
  Origin origin = Origin::printed;
  std::string documents, claim, idea;
  Mapping mapping;
  std::string contract;
  std::vector<std::string> preconditions{};
  std::vector<DefectEntry> defects{};
  std::vector<TypePair> types;
  /// Sets of fixes whose absence shows something that the absence of one alone does not.
  std::vector<WithoutEntry> without{};
  /// Fixes that the documents have already: their documented form does not lack them.
  std::vector<std::string> documented_has{};
  /// What one defect of the documented form keeps another from showing.
  std::vector<Expected> documented_hides{};
  /// What it lets another show in rare cases only (Form::rare).
  std::vector<Expected> documented_rare{};
};

/// Forms "documented", "fixed" and one "fixed-NAME" for each defect, expectations sorted.
[[nodiscard]] Row make_row(VariantEntry entry);

[[nodiscard]] std::vector<Row> ladder_rows();      // rows 1 to 5: A's first steps, B, E
[[nodiscard]] std::vector<Row> last_warp_rows();   // rows 6 to 10
[[nodiscard]] std::vector<Row> atomic_rows();      // rows 11 to 13: C
[[nodiscard]] std::vector<Row> vector_rows();      // rows 14 to 16: C's int4
[[nodiscard]] std::vector<Row> warp_level_rows();  // rows 17 to 22: D
[[nodiscard]] std::vector<Row> other_rows();       // rows 23 to 26
[[nodiscard]] std::vector<Row> beyond_rows();      // rows 29 to 33: no document has them

// Findings that several rows share.
inline const Expected reads_past_input{FindingKind::out_of_bounds_read, "in"};
inline const Expected past_shared{FindingKind::out_of_bounds_read, "s"};
inline const Expected reads_nowhere{FindingKind::unallocated, ""};
inline const Expected writes_past_shared{FindingKind::out_of_bounds_write, "s"};
inline const Expected poison_out{FindingKind::poison_output, "out"};
inline const Expected wrong_output{FindingKind::wrong_result, "out"};
inline const Expected read_then_write{FindingKind::race_read_write, "s"};
inline const Expected write_then_read{FindingKind::race_write_read, "s"};
inline const Expected misaligned_load{FindingKind::misaligned, "in"};

/// A load that does not look at n: past the allocation it is out of bounds; in a mapped tail that
/// nobody wrote it takes in garbage, and in one that somebody wrote, foreign values.
inline const std::vector<Expected> without_bounds_check{reads_past_input, poison_out, wrong_output};

/// Schedules under which an exchange without a barrier goes wrong.
inline const std::vector<std::string> lane_orders{"low_lane_first", "high_lane_first"};

[[nodiscard]] inline DefectEntry no_bounds_check(std::string what) {
  return {"bounds_check", std::move(what), without_bounds_check, {}};
}

/// D's shared tree, which rows 17 to 24 have.
[[nodiscard]] inline DefectEntry half_the_block(std::vector<Expected> shows = {wrong_output}) {
  return {"power_of_two_block",
          "the tree starts at B/2 and ends with the step 32 or the last above it: when B is no "
          "power of two more than 32 cells are left, and those beyond are lost",
          std::move(shows),
          {}};
}

/// D's shuffles, which rows 20 to 24 have.
[[nodiscard]] inline DefectEntry full_mask(std::vector<Expected> shows) {
  return {"partial_warp",
          "all 32 lanes are named: in a block below 32 threads some do not exist, and what is "
          "shuffled from them is undefined",
          std::move(shows),
          {}};
}

/// `what` says which index and where it wraps to.
[[nodiscard]] inline DefectEntry index_width(std::string what,
                                             std::vector<Expected> shows = {wrong_output},
                                             std::vector<Expected> rare = {}) {
  return {"index_width", std::move(what), std::move(shows), {}, std::move(rare)};
}

/// The index is an int. A negative one lies far from every array or just before the input, where
/// the bytes up to an aligned address are the array's and nobody's: a block that meets these and
/// nothing before them is rare.
[[nodiscard]] inline DefectEntry int_index_width(std::string what) {
  return index_width(std::move(what), {reads_past_input, reads_nowhere, wrong_output},
                     {poison_out});
}

/// The halving tree starts at B/2, rounded down.
[[nodiscard]] inline DefectEntry loses_cells() {
  return {
      "power_of_two_block",
      "the step starts at B/2 and is halved rounding down: when B is no power of two cells drop "
      "out of the tree",
      {wrong_output},
      {}};
}

/// B and E: what is compared with n is what the element is taken by.
[[nodiscard]] inline DefectEntry unsigned_index() {
  return index_width(
      "the index is unsigned: from 2^32 elements on it wraps, and the block takes elements from "
      "the beginning of the input once more");
}

/// A's two elements per thread: what is compared with n, 2bB + t in 32 bits, is not the address.
[[nodiscard]] inline DefectEntry block_offset() {
  return index_width(
      "where the block starts, 2bB, is computed in 32 bits: from 2^32 elements on it wraps, and "
      "the block takes elements from the beginning of the input once more; when n is just below "
      "2^32 and B no power of two, the last tile reaches across element 2^32, where the index "
      "that is compared with n wraps and the address does not: the block loads past the input",
      {wrong_output}, {reads_past_input, poison_out});
}

[[nodiscard]] inline DefectEntry vector_tail() {
  return {"vector_tail",
          "when n is no multiple of the vector's elements the last vector reads past n",
          without_bounds_check,
          {}};
}

[[nodiscard]] inline DefectEntry alignment() {
  return {"alignment",
          "a vector load needs an address that is a multiple of 16; an input that starts elsewhere "
          "faults",
          {misaligned_load},
          {}};
}

}  // namespace gauntlet::kernels::detail
