// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/usage.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "base/text/interrupt.hpp"
#include "base/text/text.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/help.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "interface/cli/verbs.hpp"
#include "interface/cli/version.hpp"
#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "machine/code/target.hpp"
#include "properties/case/case.hpp"
#include "sanitizer/kernel/source.hpp"

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
    // CLI11 indents the lines itself.
    return wrap(CLI::Formatter::make_option_desc(option), 0, 0, columns - description_column);
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
};

/// The spec beside it whose name is near enough; nothing without one.
std::string nearest_spec(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code failed;
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".gauntlet") names.push_back(entry.path().filename().string());
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string name = path.filename().string();
  const auto found = nearest(name, known);
  if (found.empty() || edit_distance(name, found) > 3) return {};
  return (path.parent_path() / found).string();
}

/// `known`: the verb's own, all without dashes, which would make any two words alike.
std::string unknown_option(const CLI::App& app, std::string_view name,
                           std::span<const std::string_view> known, const std::string& help) {
  std::string others;
  for (const auto* verb : app.get_subcommands(nullptr)) {
    if (verb->get_group().empty()) continue;  // hidden
    for (const auto* option : verb->get_options()) {
      if (std::ranges::count(option->get_lnames(), name) != 0) {
        others += (others.empty() ? "" : ", ") + verb->get_name();
      }
    }
  }
  const std::string otherwise = others.empty()
                                    ? help + " shows all"
                                    : fmt::format("it is one of {}; {} shows all", others, help);
  std::string line = unknown_word("option", name, known, otherwise);
  for (const std::string mark : {"option `", "did you mean `"}) {
    if (const auto at = line.find(mark); at != line.npos) line.insert(at + mark.size(), "--");
  }
  return line;
}

/// A name that no variant has, but a program or a file of kernels: throws UsageError that says who
/// takes it.
void refuse_no_spec(const std::string& name) {
  if (name.empty() || name.find_first_of("/@*?[") != name.npos) return;
  for (const Variant& variant : kernels::compiled_kernels().variants()) {
    if (variant.id.find(name) != variant.id.npos) return;
  }
  std::error_code failed;
  std::vector<std::string> takers;
  if (std::filesystem::is_regular_file(name, failed) && access(name.c_str(), X_OK) == 0) {
    takers.push_back(fmt::format("gauntlet run -- ./{} runs the program", name));
  }
  if (std::filesystem::is_regular_file(name + ".cu", failed)) {
    takers.push_back(fmt::format("gauntlet sanitize {0}.cu runs its kernels", name));
  }
  if (takers.empty()) return;
  throw UsageError(
      fmt::format("{}: no kernel of the catalogue; {}", name, fmt::join(takers, "; ")));
}

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

CLI::Validator spec_or_catalogue() {
  return CLI::Validator(
      [](const std::string& text) -> std::string {
        const auto no_such = [](const std::string& name, const std::string& otherwise) {
          const std::string found = nearest_spec(name);
          return UsageError(
              fmt::format("{}: no such file{}", name,
                          found.empty() ? otherwise : fmt::format("; did you mean {}?", found)));
        };
        std::error_code failed;
        const auto refuse_folder = [&](const std::string& name) {
          if (!std::filesystem::is_directory(name, failed)) return;
          throw UsageError(fmt::format("{}: is a folder; name a spec in it (FILE.gauntlet)", name));
        };
        if (const auto spec = spec_of(text)) {
          refuse_folder(*spec);
          if (std::filesystem::status(*spec, failed).type() !=
              std::filesystem::file_type::not_found)
            return {};
          throw no_such(*spec, "");
        }
        const std::string word = text.substr(0, text.find(' '));  // the rest of a case line
        for (const std::string_view ending : {".cu", ".cuh", ".ptx"}) {
          if (!word.ends_with(ending)) continue;
          throw UsageError(
              fmt::format("{}: is no spec; gauntlet init {} prints a first one, and gauntlet "
                          "sanitize {} runs its kernels without",
                          word, word, word));
        }
        const bool known =
            kernels::compiled_kernels().find(word.substr(0, word.find('@'))) != nullptr;
        if (!known) refuse_folder(word);
        if (std::filesystem::path(word).has_extension() &&
            word.find_first_of("@*?[") == word.npos) {
          throw no_such(word, "; a spec is FILE.gauntlet");
        }
        if (!known && std::filesystem::exists(word + ".gauntlet", failed)) {
          throw UsageError(
              fmt::format("{0}: no kernel of the catalogue; did you mean {0}.gauntlet?", word));
        }
        refuse_no_spec(word);
        if (word.find('/') != word.npos) {
          throw UsageError(
              fmt::format("{}: is neither a spec (FILE.gauntlet) nor a name of the catalogue; "
                          "gauntlet run takes programs",
                          word));
        }
        if (kernels::images().empty()) throw UsageError(std::string(kernels::no_catalogue));
        return {};
      },
      "");
}

std::shared_ptr<CLI::FormatterBase> help_format() { return std::make_shared<HelpFormat>(); }

std::string explain(const CLI::App& app, const CLI::ParseError& error,
                    const std::vector<std::string>& words) {
  const auto chosen = app.get_subcommands();
  const std::string command = chosen.empty() ? "" : chosen.front()->get_name();
  const std::string help = fmt::format("gauntlet {}{}--help", command, command.empty() ? "" : " ");
  std::vector<std::string> spellings;
  if (chosen.empty()) {
    for (const auto* verb : app.get_subcommands(nullptr)) {
      if (!verb->get_group().empty()) spellings.push_back(verb->get_name());  // not hidden
    }
  }
  const std::size_t verbs = spellings.size();
  for (const auto* option : (chosen.empty() ? app : *chosen.front()).get_options()) {
    spellings.insert(spellings.end(), option->get_lnames().begin(), option->get_lnames().end());
  }
  const std::vector<std::string_view> known(spellings.begin(), spellings.end());
  if (words.empty()) {
    return "missing command; write gauntlet check, or see gauntlet --help for the others";
  }
  for (const auto& given : words) {
    if (given == "--") break;  // what follows is for another program
    const std::string_view word = std::string_view(given).substr(0, given.find('='));
    const bool option = word.starts_with('-') && word != "-";
    if (chosen.empty() && !option) return unknown_word("command", word, {known.data(), verbs});
    if (!word.starts_with("--")) {
      if (chosen.empty()) return fmt::format("unknown option `{}`; {} shows all", word, help);
      continue;
    }
    const std::string_view name = word.substr(2);
    if (std::find(known.begin() + static_cast<std::ptrdiff_t>(verbs), known.end(), name) ==
        known.end()) {
      std::string line =
          unknown_option(app, name, {known.data() + verbs, known.size() - verbs}, help);
      if (command == "run") line += "; those of the program stand behind --";
      return line;
    }
  }
  std::string line = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto rest = (chosen.empty() ? app : *chosen.front()).remaining();
    const std::string word = rest.empty() ? "" : rest.front();
    return word.starts_with('-')
               ? fmt::format("unknown option `{}`; {} shows all", word, help)
               : fmt::format(
                     "`{}` is one word too many; {} shows how to write it, and a case line "
                     "is one word, in quotes",
                     word, help);
  }
  // "--cases: At Most 1 required but received 2", "--json: 1 required FILE missing"
  const std::string option = line.substr(0, line.find(':'));
  if (line.find(" At Most 1 required") != line.npos) return option + ": give it once";
  const std::string_view one = ": 1 required ", missing = " missing";
  if (const auto at = line.find(one); at != line.npos && line.ends_with(missing)) {
    line.resize(line.size() - missing.size());
    return fmt::format("{}: {} is missing; {} shows how to write it", option,
                       line.substr(at + one.size()), help);
  }
  if (!chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    for (const auto* positional : chosen.front()->get_options()) {  // by what the help calls it
      const std::string file = positional->get_type_name();         // RESULT.json
      if (line != positional->get_name() + " is required") continue;
      line = (file.find('.') == file.npos ? positional->get_name() : file) + " is missing";
    }
    line += fmt::format("; {} shows how to write it", help);
  }
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// How `gauntlet` chooses a verb and how it ends. There is one file for each verb.

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
