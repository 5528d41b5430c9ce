// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A table, for a terminal and for a page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/text/text.hpp"

namespace gauntlet {

class Table {
 public:
  using Cells = std::vector<std::string>;

  /// `left`: how many columns are aligned to the left on a page; figures stand on the right.
  explicit Table(Cells head, std::size_t left = ~std::size_t{0});
  /// As many cells as the head has.
  void row(Cells cells);
  /// Stands below the last row in text(), not on a page. Ends with a line feed.
  void below(const std::string& lines);

  /// Columns as wide as their cells and two blanks apart, everything on the left, behind `indent`
  /// blanks; `head` marks the first line.
  [[nodiscard]] std::string text(std::size_t indent = 0, const Style& head = Style(false)) const;
  /// As Markdown has tables.
  [[nodiscard]] std::string markdown() const;

 private:
  struct Row {
    Cells cells;
    std::string below;
  };
  std::size_t left_;
  std::vector<Row> rows_;  // the head first
};

}  // namespace gauntlet
