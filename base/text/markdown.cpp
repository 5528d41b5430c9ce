// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/text/markdown.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

/// `[text](target)` as its text, pictures as nothing.
std::string without_links(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const bool picture = line.starts_with("![");
    const auto middle = line.find("](");
    const auto end = middle == line.npos ? middle : line.find(')', middle);
    if ((picture || line.front() == '[') && end != line.npos &&
        line.substr(picture ? 2 : 1, middle).find('[') == line.npos) {
      if (!picture) text += line.substr(1, middle - 1);
      line.remove_prefix(end + 1);
      continue;
    }
    text += line.front();
    line.remove_prefix(1);
  }
  return text;
}

std::string plain(std::string_view line) {
  std::string text = without_links(line);
  for (const std::string_view mark : {"**", "<br>"}) {
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark)) {
      text.erase(at, mark.size());
    }
  }
  return text;
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  line = line.substr(1, line.find_last_of('|') - 1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') {
      cells.back() += line[++i];
    } else if (line[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  for (std::string& cell : cells) {
    cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
    cell.erase(cell.find_last_not_of(' ') + 1);
    cell = plain(cell);
  }
  return cells;
}

/// Prose of one paragraph or list item, which is wrapped when it is complete (by gauntlet::wrap:
/// json_merge.cpp, which may be compiled together with this, has a wrap of its own).
class Page {
 public:
  explicit Page(const Style& style) : style_(style) {}

  void line(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == text.npos) {
      end();
      blank_ = !text_.empty();
    } else if (first >= 4 && prose_.empty()) {
      add(std::string(text) + "\n");
    } else if (text.starts_with('#')) {
      end();
      blank_ = !text_.empty();
      add(style_.bold(plain(text.substr(text.find_first_not_of('#') + 1))) + "\n");
      blank_ = true;
    } else if (text.starts_with('|')) {
      end();
      row(text);
    } else {
      const std::string_view words = text.substr(first);
      if (words.starts_with("- ") || is_numbered(words)) {
        end();
        list_ = true;
      }
      prose_ += (prose_.empty() ? "" : " ") + std::string(words);
    }
    in_table_ = text.starts_with('|');
  }

  std::string finish() {
    end();
    return std::move(text_);
  }

 private:
  static bool is_numbered(std::string_view words) {
    const auto digits = words.find_first_not_of("0123456789");
    return digits != words.npos && digits > 0 && words.substr(digits).starts_with(". ");
  }

  void add(const std::string& lines) {
    if (blank_) text_ += '\n';
    blank_ = false;
    text_ += lines;
  }

  void end() {
    if (!prose_.empty()) add(gauntlet::wrap(plain(prose_), list_ ? 2 : 0, 0) + "\n");
    prose_.clear();
    list_ = false;
  }

  void row(std::string_view line) {
    if (line.find_first_not_of("|-: ") == line.npos) return;
    const auto cells = cells_of(line);
    if (!in_table_) return;  // the head, which the cells explain
    add(gauntlet::wrap(cells.front(), 2, 2).insert(0, "  ") + "\n");
    for (std::size_t i = 1; i < cells.size(); ++i) {
      if (!cells[i].empty()) add("      " + gauntlet::wrap(cells[i], 6, 6) + "\n");
    }
  }

  const Style style_;
  std::string text_, prose_;
  bool blank_ = false, list_ = false, in_table_ = false;
};

template <class Take>
void for_each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::vector<Section> sections_of(std::string_view markdown) {
  std::vector<Section> sections(1);
  for_each_line(markdown, [&](std::string_view line) {
    const auto marks = line.find_first_not_of('#');
    if (marks != 0 && marks != line.npos && line[marks] == ' ') {
      sections.push_back({static_cast<int>(marks), plain(line.substr(marks + 1)), {}});
    } else {
      sections.back().body += std::string(line) + "\n";
    }
  });
  if (sections.front().body.find_first_not_of('\n') == std::string::npos) {
    sections.erase(sections.begin());
  }
  return sections;
}

std::string terminal_text(std::string_view markdown, const Style& style) {
  Page page(style);
  for_each_line(markdown, [&](std::string_view line) { page.line(line); });
  return page.finish();
}

}  // namespace gauntlet
