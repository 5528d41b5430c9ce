// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Text files that keep what was found: cases, each with what it shows.
//
//   # note
//   wide_active@documented i32->i32 sum n=3 block=8 grid=1 data=ones seed=1 offset=0 ...
//   ! fact                 one or more; what a fact is, is the reader's subject
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case/case.hpp"

namespace gauntlet::properties {

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

/// `fact` is how one is written, for messages: "! KIND ARRAY". Throws CaseError ("FILE:LINE: ...").
[[nodiscard]] std::vector<CaseEntry> parse_case_file(std::string_view text,
                                                     const std::string& file_name,
                                                     std::string_view fact);

/// None when there is no such file. Throws CaseError.
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
