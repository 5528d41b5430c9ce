// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "base/numbers.hpp"
#include "base/usage_error.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::cli {

CLI::Option* add_selectors(CLI::App& verb, std::vector<std::string>& selectors,
                           const std::string& more) {
  return verb
      .add_option(
          "selector", selectors,
          "VARIANT or VARIANT@FORM: names, parts of names or globs; everything when none is "
          "named; or FILE.gauntlet: kernels of your own (docs/own_kernels.md)" +
              more)
      ->type_name("")
      ->check(spec_or_catalogue());
}

CLI::Option* add_json(CLI::App& verb, std::string& path, const std::string& what,
                      const std::string& page) {
  return add_file(verb, "--json", path,
                  fmt::format("Also write {} to this file; -: standard output ({})", what, page));
}

CLI::Option* add_file(CLI::App& verb, const std::string& name, std::string& path,
                      const std::string& what) {
  return verb.add_option(name, path, what)
      ->type_name("FILE")
      ->check(CLI::Validator(
          [](const std::string& text) {
            return text.empty() ? std::string("the name is empty; name one") : std::string();
          },
          ""));
}

CLI::Option* add_folder(CLI::App& verb, const std::string& name, std::string& path,
                        const std::string& what) {
  return add_file(verb, name, path, what)->type_name("FOLDER");
}

CLI::Option* add_case(CLI::App& verb, std::string& line) {
  return verb
      .add_option("case", line,
                  "The case line in quotes: 'VARIANT@FORM IN->ACC OP n=N block=B ...' or "
                  "'FILE.gauntlet n=N ...'")
      ->type_name("LINE")
      ->check(spec_or_catalogue());
}

CLI::Option* add_on(CLI::App& verb, std::string& executor) {
  return verb.add_option("--on", executor, "Executor: simt (default) or cuda")->type_name("NAME");
}

CLI::Option* add_seed(CLI::App& verb, std::uint64_t& seed) {
  return add_number(verb, "--seed", seed, "Seed of the generated cases (default 1)", 0, ~0ULL);
}

CLI::Option* add_step_limit(CLI::App& verb, std::uint64_t& limit) {
  return add_number(verb, "--step-limit", limit,
                    "Instructions after which a warp is reported as endless (default 10 million)",
                    1, ~0ULL);
}

CLI::Option* add_block(CLI::App& verb, std::uint32_t& block) {
  return add_number(verb, "--block", block, "Block size, for kernels that have it as a constant", 1,
                    1024);
}

CLI::Option* add_jobs(CLI::App& verb, unsigned& jobs) {
  return add_number(verb, "--jobs", jobs, "Threads, one per core by default; changes no result", 1,
                    1024);
}

CLI::Option* add_shard(CLI::App& verb, unsigned& shard, unsigned& shards) {
  return verb
      .add_option_function<std::string>(
          "--shard",
          [&](const std::string& text) {
            constexpr unsigned most = 999'999;
            const auto slash = std::min(text.find('/'), text.size());
            const auto index = parse_number<unsigned>(text.substr(0, slash), 0, most);
            const auto count =
                parse_number<unsigned>(text.substr(std::min(slash + 1, text.size())), 1, most);
            if (!index || !count || *index >= *count) {
              throw UsageError(
                  fmt::format("--shard {}: write I/N with 0 <= I < N, as in --shard 0/2", text));
            }
            shard = *index;
            shards = *count;
          },
          "Only this part of the cases, 0 <= I < N; gauntlet merge makes the whole of the "
          "results (docs/campaigns.md)")
      ->type_name("I/N");
}

CLI::Option* add_regressions(CLI::App& verb, std::string& folder) {
  return add_folder(verb, "--regressions", folder,
                    "Folder of committed counterexamples, by default the source tree's")
      ->check(CLI::ExistingDirectory.description(""));
}

void require_folder(const std::string& option, const std::string& path) {
  if (path.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error || !std::filesystem::is_directory(path) || access(path.c_str(), W_OK) != 0) {
    throw UsageError(fmt::format("{} {}: is not a writable folder; name one", option, path));
  }
}

bool is_case_line(const std::string& word) {
  return word.find_first_of(" \t\r\n") != word.npos && !is_spec(word);  // a path may have blanks
}

std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

CLI::Option* add_flags(CLI::App& verb, std::string& path) {
  return add_file(verb, "--flags", path, "For specs: a file with more flags for nvcc, one a line");
}

std::vector<std::string> read_flags(const std::string& path) {
  std::vector<std::string> flags;
  if (path.empty()) return flags;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("SHELL:")) {
      std::istringstream words(line.substr(6));
      for (std::string word; words >> word;) flags.push_back(word);
    } else if (!line.empty()) {
      flags.push_back(line);
    }
  }
  if (!file.eof()) {
    throw UsageError(
        fmt::format("--flags {}: cannot be read; name a file with a flag for nvcc on "
                    "each line",
                    path));
  }
  return flags;
}

}  // namespace gauntlet::cli
