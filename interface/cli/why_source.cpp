// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/why_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/numbers.hpp"
#include "base/text/diff.hpp"
#include "interface/cli/kernel_text.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::cli {
namespace {

constexpr std::size_t most_changed_lines = 10;

/// "the write at tree.cuh:20 and the read at :22" with the lines of the plain source.
std::string moved_detail(const Finding& f, const Sources& sources) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/';
  };
  constexpr std::string_view before = "at ";
  std::string result;
  std::string file = f.at.file;
  std::string_view rest = f.detail;
  for (auto at = rest.find(before); at != rest.npos; at = rest.find(before)) {
    result += rest.substr(0, at);
    rest.remove_prefix(at + before.size());
    std::string_view after = rest;
    const auto name = std::find_if_not(after.begin(), after.end(), in_name) - after.begin();
    std::optional<std::uint32_t> number;
    if (after.substr(name).starts_with(':')) {
      after.remove_prefix(name + 1);
      number = take_number<std::uint32_t>(after);
    }
    if (!number) {
      result += before;
      continue;
    }
    if (name != 0) file = rest.substr(0, name);
    const auto line = sources.line_of(file, *number);
    result += line ? fmt::format("in line {}", *line)
                   : fmt::format("{}{}", before, rest.substr(0, rest.size() - after.size()));
    rest = after;
  }
  return result.append(rest);
}

bool is_brace(const std::string& line) {
  return line.find_first_not_of(" {}") == line.npos || line.ends_with("} else {");
}

/// The changed rows from one on to the next unchanged one: what goes, what comes; `from` moves on.
std::string hunk(const std::vector<DiffRow>& rows, std::size_t& from, const Style& style) {
  const std::size_t first = from;
  const auto changed = [&](std::size_t k) {
    return k < rows.size() && rows[k].kind != DiffRow::Kind::same;
  };
  // An equal brace between two changes belongs to both.
  while (changed(from) ||
         (from < rows.size() && is_brace(rows[from].left_text) && changed(from + 1))) {
    ++from;
  }
  const auto side = [&](std::uint32_t DiffRow::*number, std::string DiffRow::*words, char mark) {
    std::string text;
    std::size_t count = 0;
    for (std::size_t k = first; k < from; ++k) {
      const std::string& line = rows[k].*words;
      if (rows[k].*number == 0 || line.find_first_not_of(' ') == line.npos) continue;
      if (++count > most_changed_lines) continue;
      std::string shown = fmt::format("    {}{}", mark, line);
      if (shown.size() > columns) shown = shown.substr(0, columns - 3) + "...";
      text += (mark == '-' ? style.bad(shown) : style.good(shown)) + "\n";
    }
    if (count > most_changed_lines) {
      text +=
          fmt::format("    {}  ... {}\n", mark, counted(count - most_changed_lines, "more line"));
    }
    return text;
  };
  return side(&DiffRow::left, &DiffRow::left_text, '-') +
         side(&DiffRow::right, &DiffRow::right_text, '+');
}

}  // namespace

Sources::Sources(const report::Fix& fix) {
  const Variant* const in_catalogue = kernels::find_variant(fix.variant);
  if (in_catalogue == nullptr) {  // two specs
    without = fix.without.form;
    with = fix.with.form;
    without_text = kernel_text(without);
    with_text = kernel_text(with);
    return;
  }
  without = fmt::format("{}@fixed-{}", fix.variant, fix.name);
  with = fix.variant + "@fixed";
  const Variant& variant = *in_catalogue;
  const auto* form = variant.form("fixed-" + fix.name);
  plain = kernels::plain_source(variant, *form, fix.c.block);
  if (!plain) plain = kernels::plain_source(variant, *form);
  const auto fixed = kernels::plain_source(variant, *variant.form("fixed"));
  if (!plain || !fixed) return;
  without_text = plain->text;
  with_text = fixed->text;
}

std::optional<std::uint32_t> Sources::line_of(const std::string& file, std::uint32_t line) const {
  if (!plain) return std::nullopt;
  const auto lines = plain->lines_of(file, line);
  return lines.empty() ? std::nullopt : std::optional(lines.front());
}

Finding Sources::moved(Finding finding) const {
  const auto move = [&](Party& party) {
    if (const auto line = line_of(party.file, party.line)) {
      party.file = without;
      party.line = *line;
    }
  };
  finding.detail = moved_detail(finding, *this);
  move(finding.at);
  if (finding.other) move(*finding.other);
  return finding;
}

std::string changed_lines(const Sources& sources, const Style& style) {
  const auto rows = diff_rows(sources.without_text, sources.with_text);
  const auto begins = [](const DiffRow& row, std::string_view words) {
    return row.left_text.starts_with(words) || row.right_text.starts_with(words);
  };
  std::string kernel, helpers;
  bool in_kernel = sources.plain == std::nullopt, code = in_kernel;
  for (std::size_t k = 0; k < rows.size();) {
    code =
        code || rows[k].left_text.empty();  // the comment above each source ends in an empty line
    in_kernel = in_kernel || begins(rows[k], "extern \"C\"");
    if (!code || rows[k].kind == DiffRow::Kind::same) {
      ++k;
      continue;
    }
    (in_kernel ? kernel : helpers) += hunk(rows, k, style);
  }
  return (kernel.empty() ? helpers : kernel) +
         labelled("all lines", fmt::format("gauntlet diff {} {}", sources.without, sources.with));
}

}  // namespace gauntlet::cli
