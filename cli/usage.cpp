// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/numbers.hpp"
#include "core/spelling.hpp"
#include "text/text.hpp"

namespace gauntlet::cli {
namespace {

constexpr std::size_t description_column = 28;

class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() { column_width(description_column); }

  /// Which options exclude which is said by their descriptions, and by the refusal.
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    return text.substr(0, text.find(" Excludes:"));
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return broken(CLI::Formatter::make_option_desc(option));
  }
  std::string make_description(const CLI::App* app) const override {
    return wrap(app->get_description(), 0, 0) + "\n";
  }
  /// Commands without a group of their own come first.
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_subcommands(app, mode);
    const std::string_view ours = "Subcommands:";
    if (const auto at = text.find(ours); at != text.npos)
      text.replace(at, ours.size(), "Commands:");
    return text;
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return fmt::format("  {:<{}}{}\n", verb->get_name(), description_column - 2,
                       wrap(verb->get_description(), description_column, description_column));
  }

 private:
  /// CLI11 indents the lines of a description itself.
  static std::string broken(const std::string& text) {
    std::string result = wrap(text, description_column, description_column);
    const std::string indented = "\n" + std::string(description_column, ' ');
    for (std::size_t at = 0; (at = result.find(indented, at)) != std::string::npos; ++at) {
      result.erase(at + 1, description_column);
    }
    return result;
  }
};

}  // namespace

CLI::Validator whole_number(std::uint64_t from, std::uint64_t to) {
  return CLI::Validator(
      [from, to](const std::string& text) -> std::string {
        if (parse_number<std::uint64_t>(text, from, to)) return {};
        return fmt::format("`{}` is not a whole number from {} to {}", text, from, to);
      },
      "");
}

CLI::Validator seconds() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const auto value = parse_number<double>(text);
        if (value && std::isfinite(*value) && *value > 0) return {};
        return fmt::format("`{}` is not a number of seconds greater than 0", text);
      },
      "");
}

std::shared_ptr<CLI::FormatterBase> help_format() { return std::make_shared<HelpFormat>(); }

std::string explain(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& words) {
  const auto chosen = app.get_subcommands();
  std::vector<std::string> spellings;
  if (chosen.empty()) {
    for (const auto* verb : app.get_subcommands(nullptr)) {
      if (!verb->get_group().empty()) spellings.push_back(verb->get_name());  // not hidden
    }
  }
  const std::size_t verbs = spellings.size();
  for (const auto* option : (chosen.empty() ? app : *chosen.front()).get_options()) {
    for (const auto& spelling : option->get_lnames()) spellings.push_back("--" + spelling);
  }
  const std::vector<std::string_view> known(spellings.begin(), spellings.end());
  if (words.empty()) {
    return "missing command; write gauntlet check, or see gauntlet --help for the others";
  }
  for (const auto& given : words) {
    if (given == "--") break;  // what follows is for another program
    const std::string_view word = std::string_view(given).substr(0, given.find('='));
    const bool option = word.starts_with("--");
    if (chosen.empty() && !option) return unknown_word("command", word, {known.data(), verbs});
    if (option && std::find(known.begin(), known.end(), word) == known.end()) {
      return unknown_word("option", word, known);
    }
  }
  std::string line = error.what();
  if (!chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    line += fmt::format("; gauntlet {} --help shows how to write it", chosen.front()->get_name());
  }
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace gauntlet::cli
