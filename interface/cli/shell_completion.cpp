// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "interface/cli/shell.hpp"

namespace gauntlet::cli {
namespace {

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

}  // namespace

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
  return fmt::format(
      R"(# bash completion for gauntlet; made by `gauntlet shell bash`
_gauntlet() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}}
  local commands={0} catalogue={1} options= files= values= names=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "$commands --help --version" -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{2}    *) return ;;
  esac
  if [[ $values == *" $before "* ]]; then
    return
  elif [[ $files == *" $before "* ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  else
    COMPREPLY=($(compgen -W "$names" -- "$word") $(compgen -f -- "$word"))
  fi
}}
complete -o filenames -F _gauntlet gauntlet
)",
      quoted(names_of(commands)), quoted(fmt::format("{}", fmt::join(catalogue_names(), " "))),
      cases);
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
  return fmt::format(R"(#compdef gauntlet
# zsh completion for gauntlet; made by `gauntlet shell zsh`
_gauntlet_names() {{
  compadd -- {0}
  _files
}}
_gauntlet() {{
  local -a commands
  commands=(
{1}  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{2}  esac
}}
_gauntlet "$@"
)",
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

}  // namespace gauntlet::cli
