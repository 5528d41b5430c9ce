// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet shell: completions and the manual pages, from the commands as they are declared.
#include "interface/cli/shell.hpp"

#include <string>

#include "base/spelling.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"

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

}  // namespace gauntlet::cli
