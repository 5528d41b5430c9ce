// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet shell: completions and the manual pages, from the commands as they are declared.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/spelling.hpp"
#include "base/text/markdown.hpp"
#include "interface/cli/help.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/version.hpp"
#include "kernels/catalogue.hpp"

namespace gauntlet::cli {
namespace {

/// What may stand behind an option, or in the place of a positional argument.
enum class Completes : std::uint8_t { nothing, words, files, folders };

struct OptionWords {
  std::vector<std::string> names;  ///< "-h", "--help"; empty: a positional argument
  std::string positional;          ///< its name
  std::string label;  ///< how the help writes the value: "N", "FILE"; empty: takes none
  std::string description;
  Completes completes = Completes::nothing;
};

struct CommandWords {
  std::string name, description, footer;
  std::vector<OptionWords> options;
  /// A positional argument is a variant or a form of the catalogue.
  bool takes_names = false;
};

/// Variants, and forms as VARIANT@FORM.
std::vector<std::string> catalogue_names() {
  std::vector<std::string> names;
  for (const auto& variant : kernels::catalogue()) {
    names.push_back(variant.id);
    for (const auto& form : variant.forms) names.push_back(variant.id + "@" + form.name);
  }
  return names;
}

std::string names_of(const std::vector<CommandWords>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

/// The spellings of a command's options that the test picks.
template <class Test>
std::vector<std::string> spellings(const CommandWords& command, Test test) {
  std::vector<std::string> result;
  for (const OptionWords& option : command.options) {
    if (test(option)) result.insert(result.end(), option.names.begin(), option.names.end());
  }
  return result;
}

/// In single quotes, for any of the shells.
std::string quoted(std::string text) {
  std::erase(text, '\'');
  std::ranges::replace(text, '\n', ' ');
  return "'" + text + "'";
}

/// Zsh reads [], : and backslashes in its specifications.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':') result += '\\';
    if (c != '\'') result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string bash_completion(const std::vector<CommandWords>& commands) {
  std::string cases;
  for (const CommandWords& command : commands) {
    const auto every = spellings(command, [](const auto&) { return true; });
    const auto file = spellings(command, [](const OptionWords& o) {
      return o.completes == Completes::files || o.completes == Completes::folders;
    });
    const auto value = spellings(command, [](const OptionWords& o) {
      return !o.label.empty() && o.completes == Completes::nothing;
    });
    cases += fmt::format(
        "    {})\n      options={}\n      files={}\n      values={}\n"
        "      names={}\n      ;;\n",
        command.name, quoted(fmt::format("{}", fmt::join(every, " "))),
        quoted(fmt::format(" {} ", fmt::join(file, " "))),
        quoted(fmt::format(" {} ", fmt::join(value, " "))),
        command.takes_names ? "\"$catalogue\"" : "''");
  }
  return fmt::format(fmt::runtime(document("manual/gauntlet.bash.in")), quoted(names_of(commands)),
                     quoted(fmt::format("{}", fmt::join(catalogue_names(), " "))), cases);
}

std::string zsh_completion(const std::vector<CommandWords>& commands) {
  std::string list, cases;
  for (const CommandWords& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.description));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const OptionWords& option : command.options) {
      const std::string value = option.completes == Completes::files     ? ":file:_files"
                                : option.completes == Completes::folders ? ":folder:_files -/"
                                : option.label.empty()                   ? ""
                                                                         : ":value:";
      for (const std::string& name : option.names) {
        cases += fmt::format(" \\\n      '{}[{}]{}'", name, zsh_text(option.description), value);
      }
    }
    cases += command.takes_names ? " \\\n      '*:name:_gauntlet_names' ;;\n"
                                 : " \\\n      '*:file:_files' ;;\n";
  }
  return fmt::format(fmt::runtime(document("manual/gauntlet.zsh.in")),
                     fmt::join(catalogue_names(), " "), list, cases);
}

std::string fish_completion(const std::vector<CommandWords>& commands) {
  std::string text = "# fish completion for gauntlet; made by `gauntlet shell fish`\n";
  for (const CommandWords& command : commands) {
    text += fmt::format("complete -c gauntlet -n __fish_use_subcommand -f -a {} -d {}\n",
                        command.name, quoted(command.description));
    const std::string seen =
        fmt::format("complete -c gauntlet -n '__fish_seen_subcommand_from {}'", command.name);
    for (const OptionWords& option : command.options) {
      for (const std::string& name : option.names) {
        text += fmt::format("{} {} {}{} -d {}\n", seen, name.starts_with("--") ? "-l" : "-s",
                            name.substr(name.find_first_not_of('-')),
                            option.label.empty()                     ? ""
                            : option.completes == Completes::nothing ? " -x"
                                                                     : " -r",
                            quoted(option.description));
      }
    }
    if (command.takes_names) {
      text += fmt::format("{} -a '{}'\n", seen, fmt::join(catalogue_names(), " "));
    }
  }
  return text;
}

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

/// All commands that the help shows, in its order.
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

/// In the macros of man(7).
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

/// gauntlet-spec(5), from docs/own_kernels.md. Both fill in a file of docs/manual.
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

}  // namespace gauntlet::cli
