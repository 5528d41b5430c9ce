// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace gauntlet {

Table::Table(Cells head, std::size_t left) : left_(left) { rows_.push_back({std::move(head), {}}); }

void Table::row(Cells cells) {
  if (cells.size() != rows_.front().cells.size()) throw std::logic_error("a row of other columns");
  rows_.push_back({std::move(cells), {}});
}

void Table::below(const std::string& lines) { rows_.back().below += lines; }

std::string Table::text(std::size_t indent, const Style& head) const {
  std::vector<std::size_t> width(rows_.front().cells.size());
  for (const Row& row : rows_) {
    for (std::size_t c = 0; c + 1 < width.size(); ++c) {
      width[c] = std::max(width[c], row.cells[c].size() + 2);
    }
  }
  std::string text;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t c = 0; c < width.size(); ++c) {
      line += fmt::format("{:<{}}", row.cells[c], width[c]);
    }
    text.append(indent, ' ');
    text += (&row == &rows_.front() ? head.bold(line) : line) + "\n" + row.below;
  }
  return text;
}

std::string Table::markdown() const {
  std::string text;
  for (const Row& row : rows_) {
    text += "|";
    for (const std::string& cell : row.cells) text += fmt::format(" {} |", cell);
    text += "\n";
    if (&row != &rows_.front()) continue;
    text += "|";
    for (std::size_t c = 0; c < row.cells.size(); ++c) text += c < left_ ? " --- |" : " ---: |";
    text += "\n";
  }
  return text;
}

}  // namespace gauntlet
