// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet shell: completions and the manual pages, from the commands as they are declared.
#include "interface/cli/shell.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "base/spelling.hpp"
#include "base/text/markdown.hpp"
#include "interface/cli/help.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/version.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::cli {
namespace {

struct ShellOptions {
  std::string kind;
  const CLI::App* app = nullptr;
};

int run(ShellOptions options) {
  const auto commands = commands_of(*options.app);
  std::string text;
  if (options.kind == "bash") {
    text = bash_completion(commands);
  } else if (options.kind == "zsh") {
    text = zsh_completion(commands);
  } else if (options.kind == "fish") {
    text = fish_completion(commands);
  } else if (options.kind == "man") {
    text = manual_page(*options.app, commands);
  } else if (options.kind == "spec") {
    text = spec_manual();
  } else {
    const std::string_view known[] = {"bash", "zsh", "fish", "man", "spec"};
    throw UsageError(unknown_word("kind of shell text", options.kind, known));
  }
  return Output({}).finish(text, Json(), true);
}

}  // namespace

void add_shell(CLI::App& app, Action& action) {
  const Verb<ShellOptions> verb(app, action, "shell",
                                "Print completions for bash, zsh or fish, or a manual page", run);
  verb.options->app = &app;
  verb->add_option("kind", verb.options->kind, "bash, zsh, fish, man, or spec: gauntlet-spec(5)")
      ->type_name("")
      ->required();
  verb->footer(
      "For this session: source <(gauntlet shell bash). cmake --install puts all of\n"
      "them where the shells and man look for them.");
}

namespace {

Completes completes(const CLI::Option& option, const std::string& label) {
  const std::string name = option.get_name();
  if (option.get_positional() && (name == "selector" || name == "variant" || name == "form" ||
                                  name == "left" || name == "right")) {
    return Completes::words;
  }
  if (label.starts_with("FILE") || label.ends_with(".html") || label.starts_with("RESULT")) {
    return Completes::files;
  }
  return label == "FOLDER" ? Completes::folders : Completes::nothing;
}

OptionWords words_of(const CLI::Option& option) {
  OptionWords words;
  for (const auto& name : option.get_snames()) words.names.push_back("-" + name);
  for (const auto& name : option.get_lnames()) words.names.push_back("--" + name);
  if (words.names.empty()) words.positional = option.get_name();
  if (option.get_type_size() != 0) words.label = option.get_type_name();
  words.description = option.get_description();
  words.completes = completes(option, words.label);
  return words;
}

/// What roff would take for a command or an escape.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if ((c == '.' || c == '\'') && (result.empty() || result.back() == '\n')) {
      result += std::string("\\&") + c;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::vector<CommandWords> commands_of(const CLI::App& app) {
  std::vector<CommandWords> commands;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) {
    if (verb->get_group().empty()) continue;  // hidden
    CommandWords words{verb->get_name(), verb->get_description(), verb->get_footer(), {}};
    for (const CLI::Option* option : verb->get_options()) {
      words.options.push_back(words_of(*option));
      words.takes_names = words.takes_names || words.options.back().completes == Completes::words;
    }
    commands.push_back(std::move(words));
  }
  return commands;
}

std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const auto& variant : kernels::catalogue()) {
    names.push_back(variant.id);
    for (const auto& form : variant.forms) names.push_back(variant.id + "@" + form.name);
  }
  return names;
}

std::string manual_page(const CLI::App& app, const std::vector<CommandWords>& commands) {
  std::string listed;
  for (const CommandWords& command : commands) {
    listed += fmt::format(".SS gauntlet {}\n{}.\n", roff(command.name), roff(command.description));
    for (const OptionWords& option : command.options) {
      const bool positional = option.names.empty();
      if (positional && option.description.empty()) continue;
      listed += fmt::format(".TP\n.{} {}{}\n{}.\n", positional ? "I" : "B",
                            positional ? roff(option.positional)
                                       : roff(fmt::format("{}", fmt::join(option.names, ", "))),
                            option.label.empty() ? "" : roff(" " + option.label),
                            roff(option.description));
    }
    const bool own = !command.footer.empty() && command.footer != app.get_footer();
    if (own) listed += ".PP\n.nf\n" + roff(command.footer) + "\n.fi\n";
  }
  return fmt::format(fmt::runtime(document("manual/gauntlet.1.in")),
                     fmt::arg("version", project_version()),
                     fmt::arg("description", roff(app.get_description())),
                     fmt::arg("commands", listed), fmt::arg("exit_codes", roff(app.get_footer())));
}

std::string spec_manual() {
  std::string sections;
  for (const Section& section : sections_of(page("own_kernels"))) {
    std::string heading = section.level == 1                 ? "description"
                          : section.heading == "A first one" ? "examples"
                                                             : section.heading;
    std::ranges::transform(heading, heading.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    sections += fmt::format(".{} {}\n.nf\n{}.fi\n", section.level < 3 ? "SH" : "SS", roff(heading),
                            roff(terminal_text(section.body)));
  }
  return fmt::format(fmt::runtime(document("manual/gauntlet-spec.5.in")),
                     fmt::arg("version", project_version()), fmt::arg("sections", sections));
}

}  // namespace gauntlet::cli
