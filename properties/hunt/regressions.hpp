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

#include <filesystem>
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

/// Those of one form; none when the file does not exist. `dir` empty: the source tree's folder.
/// Throws CaseError ("FILE:LINE: ...").
[[nodiscard]] std::vector<Regression> load_regressions(const std::string& dir,
                                                       std::string_view variant,
                                                       std::string_view form);

/// Writes the counterexamples of every form of the report that is as expected and has any, and
/// removes the file of a form that has none. Returns the paths written. Throws std::runtime_error.
std::vector<std::string> write_regressions(const CheckReport& report, const std::string& dir);

[[nodiscard]] std::string default_regressions_dir();

// Text files that keep what was found: cases, each with what it shows.
//
//   # note
//   wide_active@documented i32->i32 sum n=3 block=8 grid=1 data=ones seed=1 offset=0 ...
//   ! fact                 one or more; what a fact is, is the reader's subject

struct CaseEntry {
  struct Fact {
    std::string text;   ///< what follows "! "
    std::string where;  ///< "FILE:LINE"
  };
  Case c;
  std::string note;         ///< the last comment above it
  std::vector<Fact> facts;  ///< not empty
  std::string where;        ///< "FILE:LINE" of the case
};

/// None when there is no such file. `fact` is how one is written, for messages: "! KIND ARRAY".
/// Throws CaseError ("FILE:LINE: ...").
[[nodiscard]] std::vector<CaseEntry> load_case_file(const std::filesystem::path& path,
                                                    std::string_view fact);

/// Those of every file NAME.txt of the folder, by name; none when there is no such folder.
[[nodiscard]] std::vector<CaseEntry> load_case_files(const std::filesystem::path& folder,
                                                     std::string_view fact);

/// VARIANT@FORM.txt: the cases of a form.
[[nodiscard]] std::string case_file_name(std::string_view variant, std::string_view form);

/// Writes the file and the folder for it; removes the file where `text` is empty. Throws
/// std::runtime_error.
void write_case_file(const std::filesystem::path& path, const std::string& text);

}  // namespace gauntlet::properties
