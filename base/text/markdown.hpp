// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The pages of docs/ for a terminal. Of Markdown it knows what they use: headings, paragraphs,
// lists, tables, indented code, links.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.hpp"

namespace gauntlet {

struct Section {
  int level = 0;        ///< 1: the page's title
  std::string heading;  ///< empty: what stands before the first one
  std::string body;     ///< Markdown
};

/// In the page's order; without sections that have neither heading nor text.
[[nodiscard]] std::vector<Section> sections_of(std::string_view markdown);

/// In at most 80 columns, but for code. A table's row is its first cell and, below it, the others.
[[nodiscard]] std::string terminal_text(std::string_view markdown,
                                        const Style& style = Style(false));

}  // namespace gauntlet
