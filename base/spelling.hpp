// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The nearest right spelling, for messages about a word that is not known.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// Number of single-character insertions, deletions, substitutions and swaps of neighbours that
/// turn `a` into `b` (optimal string alignment distance).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate that is nearest to `word` (the first one of several), empty when there is none.
[[nodiscard]] std::string_view nearest(std::string_view word,
                                       std::span<const std::string_view> candidates);

/// One line: "unknown WHAT `WORD`; did you mean `NEAREST`?" when a candidate is near enough to be
/// a slip of the hand, else "unknown WHAT `WORD`; write one of a, b, c", or `otherwise` in the
/// place of a list that would be long.
[[nodiscard]] std::string unknown_word(std::string_view what, std::string_view word,
                                       std::span<const std::string_view> candidates,
                                       std::string_view otherwise = {});

/// The same of a type; one that is spelled as C++ does is told in our spelling.
[[nodiscard]] std::string unknown_type(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace gauntlet
