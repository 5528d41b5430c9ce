// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Two texts side by side: which lines they share (a longest common subsequence), which differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/members.hpp"
#include "base/names.hpp"
#include "base/text/text.hpp"

namespace gauntlet {

/// One row of the two texts beside each other.
struct DiffRow {
  enum class Kind : std::uint8_t { same, changed, left_only, right_only } kind = Kind::same;
  std::uint32_t left = 0, right = 0;  ///< line numbers from 1; 0: no line on that side
  std::string left_text, right_text;
};
constexpr auto names(const DiffRow::Kind*) {
  return names_of("same", "changed", "left_only", "right_only");
}
GAUNTLET_FIELDS(DiffRow, kind, left, right, left_text, right_text)

/// Lines that were replaced stand beside each other as `changed`, in their order.
[[nodiscard]] std::vector<DiffRow> diff_rows(std::string_view left, std::string_view right);

/// Takes out the comments and empty lines that both texts begin with.
void drop_head_comments(std::vector<DiffRow>& rows);

/// The rows that differ, and three around them; rows left out are one row without text.
[[nodiscard]] std::vector<DiffRow> around_changes(const std::vector<DiffRow>& rows);

/// As `diff -u` writes it, with three lines around each change; empty where the texts are the same.
[[nodiscard]] std::string unified(const std::vector<DiffRow>& rows, std::string_view left_name,
                                  std::string_view right_name, const Style& style);

/// Two columns within `width`, with `|`, `<` or `>` between them where they differ; a line that is
/// too long is broken. Long runs of equal lines are left out but for three beside each change.
[[nodiscard]] std::string side_by_side(const std::vector<DiffRow>& rows, std::string_view left_name,
                                       std::string_view right_name, std::size_t width,
                                       const Style& style);

}  // namespace gauntlet
