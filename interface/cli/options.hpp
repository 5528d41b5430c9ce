// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How a verb is declared, and the options that several verbs share.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "interface/cli/usage.hpp"
#include "interface/cli/verbs.hpp"

namespace gauntlet::cli {

/// A verb whose action is `run` with the options as they were given.
template <class Options>
struct Verb {
  CLI::App* app;
  std::shared_ptr<Options> options = std::make_shared<Options>();

  Verb(CLI::App& gauntlet, Action& action, const std::string& name, const std::string& what,
       int (*run)(Options))
      : app(gauntlet.add_subcommand(name, what)) {
    app->callback(
        [options = options, &action, run] { action = [options, run] { return run(*options); }; });
  }
  CLI::App* operator->() const { return app; }
  Options& operator*() const { return *options; }
};

/// `more`: what else a word can be.
CLI::Option* add_selectors(CLI::App& verb, std::vector<std::string>& selectors,
                           const std::string& more = {});
/// `what`: is written, "the report".
CLI::Option* add_json(CLI::App& verb, std::string& path, const std::string& what,
                      const std::string& page = "docs/json.md");
CLI::Option* add_file(CLI::App& verb, const std::string& name, std::string& path,
                      const std::string& what);
CLI::Option* add_folder(CLI::App& verb, const std::string& name, std::string& path,
                        const std::string& what);
CLI::Option* add_case(CLI::App& verb, std::string& line);
CLI::Option* add_on(CLI::App& verb, std::string& executor);
CLI::Option* add_seed(CLI::App& verb, std::uint64_t& seed);
CLI::Option* add_step_limit(CLI::App& verb, std::uint64_t& limit);
/// Of a kernel whose source is printed.
CLI::Option* add_block(CLI::App& verb, std::uint32_t& block);
CLI::Option* add_jobs(CLI::App& verb, unsigned& jobs);
/// "I/N", the I-th of N parts, from 0.
CLI::Option* add_shard(CLI::App& verb, unsigned& shard, unsigned& shards);
CLI::Option* add_regressions(CLI::App& verb, std::string& folder);
/// A whole number of that range.
template <class T>
CLI::Option* add_number(CLI::App& verb, const std::string& name, T& value, const std::string& what,
                        std::uint64_t from, std::uint64_t to) {
  return verb.add_option(name, value, what)->type_name("N")->check(whole_number(from, to));
}

/// Before any work: makes the folder that an option names, where one is named. Throws UsageError
/// where it cannot be written.
void require_folder(const std::string& option, const std::string& path);

/// A case line, where the name of a spec or a form could stand too.
[[nodiscard]] bool is_case_line(const std::string& word);

/// A case line pasted from a terminal may have been wrapped.
[[nodiscard]] std::string one_line(std::string text);

// --flags FILE of the verbs that compile a user's kernel.

CLI::Option* add_flags(CLI::App& verb, std::string& path);

/// The words of a file with a flag for nvcc on each line; none where `path` is empty. A line that
/// begins with SHELL: has several, apart by blanks, as CMake writes them. Throws UsageError.
[[nodiscard]] std::vector<std::string> read_flags(const std::string& path);

}  // namespace gauntlet::cli
