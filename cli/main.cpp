// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet: documented reduction kernels, run and judged. One file per verb; this one knows only
// how to choose a verb and how to end.
#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/executors.hpp"
#include "cli/usage.hpp"
#include "cli/verbs.hpp"
#include "harness/case.hpp"
#include "harness/spelling.hpp"

namespace gauntlet::cli {
namespace {

/// One line for what CLI11 did not expect: a verb or an option near a known one is named.
std::string explain(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& words) {
  const auto chosen = app.get_subcommands();
  std::vector<std::string> spellings;
  if (chosen.empty()) {
    for (const auto* verb : app.get_subcommands(nullptr)) spellings.push_back(verb->get_name());
  }
  for (const auto* option : (chosen.empty() ? app : *chosen.front()).get_options()) {
    for (const auto& spelling : option->get_lnames()) spellings.push_back("--" + spelling);
  }
  const std::vector<std::string_view> known(spellings.begin(), spellings.end());
  if (words.empty()) {
    return "no verb; write gauntlet list, check or repro (gauntlet --help says more)";
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    for (const auto& given : words) {
      const std::string_view word = std::string_view(given).substr(0, given.find('='));
      const bool option = word.starts_with("--");
      if (chosen.empty() && !option) return unknown_word("verb", word, known);
      bool is_known = false;
      for (const auto spelling : known) is_known |= spelling == word;
      if (option && !is_known) return unknown_word("option", word, known);
    }
  }
  std::string line = error.what();
  for (char& c : line) c = c == '\n' ? ' ' : c;
  return line;
}

int run(int argc, char** argv) {
  CLI::App app("Runs documented GPU reduction kernels on a software SIMT machine and judges them.",
               "gauntlet");
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 as expected, 1 not as expected, 2 usage, 3 no such executor in this build,\n"
      "130 interrupted. Cases are one line of text; `check` prints them, `repro` takes them.");
  Action action;
  add_list(app, action);
  add_check(app, action);
  add_repro(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(explain(app, error, {argv + 1, argv + argc}));
  }
  return action();
}

}  // namespace
}  // namespace gauntlet::cli

int main(int argc, char** argv) {
  using namespace gauntlet::cli;
  try {
    return run(argc, argv);
  } catch (const UsageError& error) {
    fmt::print(stderr, "gauntlet: {}\n", error.what());
    return exit_usage;
  } catch (const gauntlet::CaseError& error) {
    fmt::print(stderr, "gauntlet: {}\n", error.what());
    return exit_usage;
  } catch (const NoExecutor& error) {
    fmt::print(stderr, "gauntlet: {}\n", error.what());
    return exit_no_executor;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gauntlet: {}\n", error.what());
    return exit_not_as_expected;
  }
}
