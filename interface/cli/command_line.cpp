// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How `gauntlet` chooses a verb and how it ends. There is one file for each verb.
#include "interface/cli/command_line.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/text/interrupt.hpp"
#include "base/text/text.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/executors.hpp"
#include "interface/cli/help.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/usage.hpp"
#include "interface/cli/verbs.hpp"
#include "interface/cli/version.hpp"
#include "machine/code/target.hpp"
#include "properties/case/case.hpp"
#include "sanitizer/kernel/source.hpp"

namespace gauntlet::cli {
namespace {

void refuse_left_out(const std::vector<std::string>& words) {
  if (!words.empty() && left_out(words.front())) {
    throw not_built(words.front(), left_out_by(words.front()));
  }
}

int choose_and_run(int argc, char** argv) {
  CLI::App app(
      "Tests CUDA kernels on a SIMT machine in software: the reductions that documents teach, "
      "kernels of your own, whole programs.",
      "gauntlet");
  app.formatter(help_format());
  app.require_subcommand(1);
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.set_version_flag("--version", version_text());
  app.footer(
      "Exit codes: 0 as expected, 1 not as expected, 2 usage, 3 no usable GPU or tool\n"
      "for what was asked, 130 interrupted. A case is one line of text: check prints\n"
      "them, repro takes them. gauntlet help COMMAND shows a command's options,\n"
      "gauntlet help TOPIC a page: spec, findings, run.md, ... (gauntlet help topics),\n"
      "or what a finding means: gauntlet help race_write_read.");
  set_maker(version_line());
  Action action;
#define GAUNTLET_VERB(name) \
  if constexpr (!left_out(#name)) add_##name(app, action);
  GAUNTLET_VERBS(GAUNTLET_VERB)
#undef GAUNTLET_VERB
  for (const char* const verb : {"agree", "detect", "time"}) {
    if (!left_out(verb)) app.get_subcommand(verb)->group("Commands that need a GPU");
  }
  // `gauntlet help` and `gauntlet help check`, as git takes them.
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    const auto verbs = app.get_subcommands(nullptr);
    const bool known = words.empty() || std::ranges::any_of(verbs, [&](const CLI::App* verb) {
                         return verb->get_name() == words.front();
                       });
    if (known) words.emplace_back("--help");
    refuse_left_out(words);
    if (!known && words.size() == 1 && !words.front().starts_with('-')) {
      fmt::print("{}", topic(words.front(), Style::of(STDOUT_FILENO)));
      return exit_as_expected;
    }
  }
  refuse_left_out(words);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    throw UsageError(explain(app, error, words));
  }
  static_cast<void>(simt::target());  // refused here, once, if the environment names none
  return action();
}

}  // namespace

int run_program(int argc, char** argv) {
  const auto ended = [](const char* what, int code) {
    remark(fmt::format("gauntlet: {}", without_controls(what)));
    return code;
  };
  try {
    const int code = choose_and_run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    return ended("standard output could not be written completely", exit_not_as_expected);
  } catch (const UsageError& error) {
    return ended(error.what(), exit_usage);
  } catch (const CaseError& error) {
    return ended(error.what(), exit_usage);
  } catch (const Interrupted&) {
    return ended("interrupted", exit_interrupted());
  } catch (const NoExecutor& error) {
    return ended(error.what(), exit_no_executor);
  } catch (const std::bad_alloc&) {
    return ended("not enough host memory; ask for less", exit_usage);
  } catch (const std::exception& error) {
    return ended(error.what(), exit_not_as_expected);
  }
}

}  // namespace gauntlet::cli
