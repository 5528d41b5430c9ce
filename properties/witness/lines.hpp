// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed witnesses: one text file per racy form, VARIANT@FORM.txt.
//
//   # lane 1 stores s[1] before lane 0 loads it (warp_tail.cuh:40)
//   volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 ... schedule=replay:L.10l1x2
//   ! 4 instead of 3
//
// A race that changes no result has the case in which it is reported, and "! 3 always" below it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::witness {

struct Line {
  Case c;
  std::string shows;       ///< the comment above it
  std::string got, right;  ///< equal where no schedule changes the result
  std::string where;       ///< "FILE:LINE" of the case
};

/// Every file of the folder, by name; `dir` empty: the source tree's folder. None when the folder
/// does not exist. Throws CaseError ("FILE:LINE: ...").
[[nodiscard]] std::vector<Line> load_lines(const std::string& dir);

/// The text of a form's file; empty when there is no race to show.
[[nodiscard]] std::string file_text(const Witness& witness);

/// What a witness shows, in one line.
[[nodiscard]] std::string shows(const Witness& witness);

/// Writes the form's file, or removes it where there is no race. Returns the path, empty when there
/// is no file. Throws std::runtime_error.
std::string write_lines(const Witness& witness, std::string_view variant, std::string_view form,
                        const std::string& dir);

[[nodiscard]] std::string default_dir();

}  // namespace gauntlet::witness
