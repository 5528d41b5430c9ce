// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet::cli {

CLI::Option* add_selectors(CLI::App& verb, std::vector<std::string>& selectors) {
  return verb
      .add_option("selector", selectors,
                  "VARIANT, VARIANT@FORM or *@FORM; everything when none is named")
      ->type_name("");
}

CLI::Option* add_json(CLI::App& verb, std::string& path, const std::string& what,
                      const std::string& page) {
  return add_file(verb, "--json", path, fmt::format("Also write {} to this file ({})", what, page));
}

CLI::Option* add_file(CLI::App& verb, const std::string& name, std::string& path,
                      const std::string& what) {
  return verb.add_option(name, path, what)->type_name("FILE");
}

CLI::Option* add_on(CLI::App& verb, std::string& executor) {
  return verb.add_option("--on", executor, "Executor: simt (default) or cuda")->type_name("NAME");
}

CLI::Option* add_jobs(CLI::App& verb, unsigned& jobs) {
  return add_number(verb, "--jobs", jobs, "Threads, one per core by default; changes no result", 1,
                    1024);
}

CLI::Option* add_regressions(CLI::App& verb, std::string& folder) {
  return verb
      .add_option("--regressions", folder,
                  "Folder of committed counterexamples, by default the source tree's")
      ->type_name("FOLDER")
      ->check(CLI::ExistingDirectory.description(""));
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

}  // namespace gauntlet::cli
