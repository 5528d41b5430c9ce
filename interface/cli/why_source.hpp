// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The sources of a form that lacks a fix and of the form that has it: where findings are in them,
// and which lines the fix changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/finding.hpp"
#include "base/text/text.hpp"
#include "interface/page/fixes.hpp"
#include "kernels/plain/plain.hpp"

namespace gauntlet::cli {

/// What the two kernels are called, and their sources.
struct Sources {
  std::string without, with;
  std::string without_text, with_text;        ///< empty: there is none
  std::optional<kernels::PlainSource> plain;  ///< of `without`; none of specs

  /// The plain sources (kernels/plain), or the files of two specs.
  explicit Sources(const report::Fix& fix);

  /// The line of the plain source, where the place is in it.
  [[nodiscard]] std::optional<std::uint32_t> line_of(const std::string& file,
                                                     std::uint32_t line) const;
  /// The finding at the lines of the plain source, in its detail too.
  [[nodiscard]] Finding moved(Finding finding) const;
};

/// What goes and what comes. First in the kernel; helpers that only one of the two needs follow
/// where there is nothing else.
[[nodiscard]] std::string changed_lines(const Sources& sources, const Style& style);

}  // namespace gauntlet::cli
