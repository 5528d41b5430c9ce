// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/diff.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {
namespace {

using Kind = DiffRow::Kind;
constexpr std::size_t context = 3;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

/// For each row whether it is within `context` rows of a change.
std::vector<bool> shown(const std::vector<DiffRow>& rows) {
  std::vector<bool> result(rows.size(), false);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].kind == Kind::same) continue;
    const std::size_t end = std::min(rows.size(), k + context + 1);
    for (std::size_t i = k - std::min(k, context); i < end; ++i) result[i] = true;
  }
  return result;
}

/// "12,7": the first line, and how many, of the rows that have a line on this side.
std::string range(const std::vector<DiffRow>& rows, std::size_t from, std::size_t to,
                  std::uint32_t DiffRow::*side) {
  std::uint32_t first = 0, count = 0, before = 0;
  for (std::size_t k = 0; k < from; ++k) before = std::max(before, rows[k].*side);
  for (std::size_t k = from; k < to; ++k) {
    if (rows[k].*side == 0) continue;
    if (count++ == 0) first = rows[k].*side;
  }
  if (count == 0) first = before;
  return count == 1 ? std::to_string(first) : fmt::format("{},{}", first, count);
}

}  // namespace

std::vector<DiffRow> diff_rows(std::string_view left, std::string_view right) {
  const auto a = lines_of(left), b = lines_of(right);
  const std::size_t width = b.size() + 1;
  std::vector<std::uint32_t> longest((a.size() + 1) * width, 0);
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      longest[i * width + j] =
          a[i] == b[j] ? longest[(i + 1) * width + j + 1] + 1
                       : std::max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  std::vector<DiffRow> rows;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    std::size_t i_end = i,
                j_end = j;  // what is only here and only there, up to the next equal line
    while ((i_end < a.size() || j_end < b.size()) &&
           !(i_end < a.size() && j_end < b.size() && a[i_end] == b[j_end])) {
      const bool down =
          j_end == b.size() || (i_end < a.size() && longest[(i_end + 1) * width + j_end] >=
                                                        longest[i_end * width + j_end + 1]);
      ++(down ? i_end : j_end);
    }
    for (; i < i_end || j < j_end;) {
      DiffRow row;
      row.kind = i == i_end ? Kind::right_only : j == j_end ? Kind::left_only : Kind::changed;
      if (i < i_end) {
        row.left_text = a[i];
        row.left = static_cast<std::uint32_t>(++i);
      }
      if (j < j_end) {
        row.right_text = b[j];
        row.right = static_cast<std::uint32_t>(++j);
      }
      rows.push_back(std::move(row));
    }
    if (i < a.size() && j < b.size()) {
      rows.push_back({Kind::same, static_cast<std::uint32_t>(i + 1),
                      static_cast<std::uint32_t>(j + 1), a[i], b[j]});
      ++i, ++j;
    }
  }
  return rows;
}

void drop_head_comments(std::vector<DiffRow>& rows) {
  const auto comment = [](const std::string& line) {
    return line.empty() || line.starts_with("//");
  };
  rows.erase(rows.begin(), std::ranges::find_if_not(rows, [&](const DiffRow& row) {
               return comment(row.left_text) && comment(row.right_text);
             }));
}

std::vector<DiffRow> around_changes(const std::vector<DiffRow>& rows) {
  const auto visible = shown(rows);
  std::vector<DiffRow> kept;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (visible[k] || (k > 0 && visible[k - 1])) kept.push_back(visible[k] ? rows[k] : DiffRow{});
  }
  return kept;
}

std::string unified(const std::vector<DiffRow>& rows, std::string_view left_name,
                    std::string_view right_name, const Style& style) {
  const auto visible = shown(rows);
  std::string text;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!visible[k]) continue;
    std::size_t end = k;
    while (end < rows.size() && visible[end]) ++end;
    if (text.empty()) {
      text = style.bold(fmt::format("--- {}", left_name)) + "\n" +
             style.bold(fmt::format("+++ {}", right_name)) + "\n";
    }
    text += fmt::format("@@ -{} +{} @@\n", range(rows, k, end, &DiffRow::left),
                        range(rows, k, end, &DiffRow::right));
    while (k < end) {
      if (rows[k].kind == Kind::same) {
        text += " " + rows[k++].left_text + "\n";
        continue;
      }
      const std::size_t first = k;  // all that goes, then all that comes
      for (; k < end && rows[k].kind != Kind::same; ++k) {
        if (rows[k].left != 0) text += style.bad("-" + rows[k].left_text) + "\n";
      }
      for (std::size_t r = first; r < k; ++r) {
        if (rows[r].right != 0) text += style.good("+" + rows[r].right_text) + "\n";
      }
    }
  }
  return text;
}

std::string side_by_side(const std::vector<DiffRow>& rows, std::string_view left_name,
                         std::string_view right_name, std::size_t width, const Style& style) {
  const std::size_t half = (std::max<std::size_t>(width, 20) - 3) / 2;
  const auto visible = shown(rows);
  const auto line = [&](const DiffRow& row) {
    const char mark = row.kind == Kind::same        ? ' '
                      : row.kind == Kind::changed   ? '|'
                      : row.kind == Kind::left_only ? '<'
                                                    : '>';
    const auto longest = std::max<std::size_t>({row.left_text.size(), row.right_text.size(), 1});
    std::string text;
    for (std::size_t at = 0; at < longest; at += half) {
      const auto part = [&](const std::string& from) {
        return from.substr(std::min(at, from.size()), half);
      };
      std::string left = fmt::format("{:<{}}", part(row.left_text), half);
      std::string right = part(row.right_text);
      if (mark != ' ') {
        left = style.bad(left);
        if (!right.empty()) right = style.good(right);
      }
      std::string whole = fmt::format("{} {} {}", left, at == 0 ? mark : ' ', right);
      while (whole.ends_with(' ')) whole.pop_back();
      text += whole + "\n";
    }
    return text;
  };
  std::string text = style.bold(fmt::format("{:<{}}   {}", left_name, half, right_name)) + "\n";
  bool gap = false;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (visible[k]) text += line(rows[k]);
    if (!visible[k] && !gap) text += "...\n";
    gap = !visible[k];
  }
  return text;
}

}  // namespace gauntlet
