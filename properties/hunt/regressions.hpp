// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The committed counterexamples: one text file per defective form, VARIANT@FORM.txt, replayed
// before any case is generated.
//
//   # comment
//   wide_active@documented i32->i32 sum n=3 block=8 grid=1 data=ones seed=1 offset=0 ...
//   ! poison_output out          what the case above must show: kind, then array ("-" for none)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/case/variant.hpp"

namespace gauntlet::properties {

struct CheckReport;

struct Regression {
  Case c;
  std::vector<Expected> shows;  ///< sorted, not empty
  std::string where;            ///< "FILE:LINE" of the case
};

/// Throws CaseError ("FILE:LINE: ...").
[[nodiscard]] std::vector<Regression> parse_regressions(std::string_view text,
                                                        const std::string& file_name);

/// Those of one form; none when the file does not exist. `dir` empty: the source tree's folder.
[[nodiscard]] std::vector<Regression> load_regressions(const std::string& dir,
                                                       std::string_view variant,
                                                       std::string_view form);

/// Every file of the folder, by file name; none when there is no such folder.
[[nodiscard]] std::vector<Regression> load_all_regressions(const std::string& dir);

/// Writes the counterexamples of every form of the report that is as expected and has any, and
/// removes the file of a form that has none. Returns the paths written. Throws std::runtime_error.
std::vector<std::string> write_regressions(const CheckReport& report, const std::string& dir);

[[nodiscard]] std::string default_regressions_dir();

}  // namespace gauntlet::properties
