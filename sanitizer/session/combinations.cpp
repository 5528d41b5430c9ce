// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/session/combinations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/schedule.hpp"
#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "machine/ptx/ast.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::sanitize {
namespace {

constexpr std::uint64_t most_combinations = 10'000;
constexpr std::uint64_t most_threads = 1024;  // of a block

/// The numbers between the separators, one to three; nothing where it is anything else.
std::optional<Dim3> extent(std::string_view text, char separator) {
  Dim3 extent;
  for (std::uint32_t* const part : {&extent.x, &extent.y, &extent.z}) {
    const auto end = text.find(separator);
    const auto number = parse_number<std::uint32_t>(text.substr(0, end), 1);
    if (!number) return std::nullopt;
    *part = *number;
    if (end == text.npos) return extent;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

/// Words of a list: "16x16" or "32".
std::vector<Dim3> extent_list(std::string_view text) {
  std::vector<Dim3> list;
  while (true) {
    const auto end = text.find(',');
    const auto one = extent(text.substr(0, end), 'x');
    if (!one) return {};
    list.push_back(*one);
    if (end == text.npos) return list;
    text.remove_prefix(end + 1);
  }
}

/// "16x16", "32".
std::string spelled(const Dim3& extent) {
  if (extent.z != 1) return fmt::format("{}x{}x{}", extent.x, extent.y, extent.z);
  if (extent.y != 1) return fmt::format("{}x{}", extent.x, extent.y);
  return fmt::format("{}", extent.x);
}

using Choice = std::vector<std::string>;

/// "n=33 block=256": what only this one of several has.
std::string label(const Axes& axes, const Choice& choice, const Launch& launch) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < choice.size(); ++k) {
    if (axes.arguments[k].size() == 1) continue;
    const std::string& text = choice[k];
    words.push_back(text.substr(0, text.find(':')) + text.substr(text.find('=')));
  }
  if (axes.grids.size() > 1) words.push_back("grid=" + spelled(launch.grid));
  if (axes.blocks.size() > 1) words.push_back("block=" + spelled(launch.block));
  return fmt::format("{}", fmt::join(words, " "));
}

/// One value of each argument in every way; the last argument changes fastest.
std::vector<Choice> choices(const Axes& axes) {
  std::vector<Choice> all{{}};
  for (const Choice& values : axes.arguments) {
    std::vector<Choice> longer;
    for (const Choice& begun : all) {
      for (const std::string& value : values) {
        longer.push_back(begun);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::vector<spec::Statement> statements_of(const Request& request, const Choice& choice) {
  std::vector<spec::Statement> all;
  for (const auto& text : choice) all.push_back(statement("--arg", "arg", text));
  for (const auto& text : request.arrays) all.push_back(statement("--array", "array", text));
  return all;
}

/// The variables that --sym gives a content, and those that --expect and --dump name.
std::vector<VariableWords> variables_of(const Request& request, const ptx::Module& module) {
  std::vector<VariableWords> variables;
  for (const auto& text : request.variables) variables.push_back(variable_words(text, module));
  std::vector<std::string_view> known;
  for (const auto* texts : {&request.arguments, &request.arrays}) {
    for (const std::string_view text : *texts) known.push_back(text.substr(0, text.find(':')));
  }
  for (const auto* texts : {&request.expected, &request.dumps}) {
    for (const auto& text : *texts) {
      const auto name = array_name(text);
      if (std::ranges::count(known, name) == 0 &&
          std::ranges::count(variables, name, &VariableWords::name) == 0 &&
          has_variable(name, module)) {
        variables.push_back(variable_words(name, module));
      }
    }
  }
  return variables;
}

/// Before any work.
void require_dumps_can_be_written(const std::vector<std::string>& dumps,
                                  std::uint64_t combinations) {
  for (const auto& text : dumps) {
    if (!text.ends_with(".npy") || text.find('=') == text.npos) continue;
    if (combinations > 1) {
      throw UsageError(fmt::format("--dump {}: {} combinations would write one file; name one",
                                   text, combinations));
    }
    require_writable("--dump", text.substr(text.find('=') + 1));
  }
}

/// The kernels that are named, each once.
std::vector<const KernelEntry*> chosen(const std::vector<std::string>& names,
                                       const std::vector<KernelEntry>& entries,
                                       const std::string& file) {
  std::vector<const KernelEntry*> all;
  for (const auto& name : names) {
    const KernelEntry* entry = &choose_entry(entries, name, file);
    if (std::ranges::count(all, entry) != 0) {
      throw UsageError(fmt::format("--entry {}: {} is named twice", name, entry->name));
    }
    all.push_back(entry);
  }
  return all;
}

}  // namespace

std::vector<Dim3> read_extents(std::string_view option, const std::vector<std::string>& texts,
                               std::uint64_t most) {
  if (texts.empty()) {
    throw UsageError(fmt::format("{} is missing; write {} X[,Y[,Z]]", option, option));
  }
  std::vector<Dim3> all;
  for (const auto& text : texts) {
    const auto one = extent(text, ',');
    const bool number = text.find(',') == text.npos;
    std::vector<Dim3> list;
    if (one && (number || most == 0 || one->count() <= most)) {
      list = {*one};
    } else if (text.find('x') != text.npos || most != 0) {
      list = extent_list(text);
      const bool fits = std::ranges::all_of(
          list, [&](const Dim3& extent) { return most == 0 || extent.count() <= most; });
      if (one && !fits) list = {*one};  // neither: the launch says what is wrong
    }
    if (list.empty()) {
      throw UsageError(
          fmt::format("{} {}: write X, X,Y or X,Y,Z, each a whole number from 1", option, text));
    }
    for (const Dim3& extent : list) {
      if (std::ranges::count(all, extent) != 0) {
        throw UsageError(fmt::format(
            "{} {}: {} is named twice{}", option, text, spelled(extent),
            one && !number && most != 0 ? fmt::format("; as one, it has more than {} threads", most)
                                        : ""));
      }
      all.push_back(extent);
    }
  }
  return all;
}

Axes read_axes(const Request& request) {
  if (!request.flags.empty() && !request.flags[0].starts_with('-')) {
    throw UsageError(
        fmt::format("`{}` is neither an option nor a flag for nvcc; each --arg takes one word "
                    "(quote one with braces)",
                    request.flags[0]));
  }
  if (request.entries.empty() && !(request.grids.empty() && request.arguments.empty())) {
    throw UsageError("--entry is missing; without --grid and --arg, the kernels are listed");
  }
  Axes axes;
  std::uint64_t combinations = 1;
  if (!request.entries.empty()) {
    axes.grids = read_extents("--grid", request.grids, 0);
    axes.blocks = read_extents("--block", request.blocks, most_threads);
    combinations = request.entries.size() * axes.grids.size() * axes.blocks.size();
  }
  for (const auto& text : request.arguments) {
    axes.arguments.push_back(alternatives(text));
    combinations *= axes.arguments.back().size();
    if (combinations > most_combinations) {
      throw UsageError(fmt::format("--arg {}: more than {} combinations", text, most_combinations));
    }
  }
  if (request.variables.empty()) {  // to which pointers may lead
    for (const Choice& choice : choices(axes)) {
      (void)load({request.file, statements_of(request, choice), {}}, {}, nullptr);
    }
  }
  require_dumps_can_be_written(request.dumps, combinations);
  if (!request.schedule.empty() && request.schedules != 0) {
    throw UsageError("--schedule names one schedule, --schedules tries several; give one of them");
  }
  if (request.schedules != 0) axes.schedules = usual_schedules(request.schedules);
  if (!request.schedule.empty()) axes.schedules = {to_string(parse_schedule(request.schedule))};
  return axes;
}

std::string command_line(const Request& request, const std::string& kernel,
                         const std::vector<std::string>& arguments, const SanitizeOptions& options,
                         std::size_t indent) {
  std::vector<std::string> parts{"gauntlet sanitize " + shell_word(request.file)};
  const auto add = [&](std::string_view option, const std::string& word) {
    parts.push_back(fmt::format("{} {}", option, shell_word(word)));
  };
  const auto number = [&](std::string_view option, auto value) {
    if (value != 0) add(option, fmt::format("{}", value));
  };
  const auto flag = [&](std::string_view option, bool set) {
    if (set) parts.emplace_back(option);
  };
  add("--entry", kernel);
  add("--grid", spelled(options.launch.grid));
  add("--block", spelled(options.launch.block));
  number("--shared", options.launch.shared_bytes);
  flag("--cooperative", options.launch.cooperative);
  for (const auto& text : arguments) add("--arg", text);
  for (const auto& text : request.arrays) add("--array", text);
  for (const auto& text : request.variables) add("--sym", text);
  for (const auto& text : request.expected) add("--expect", text);
  number("--tolerance", options.tolerance);
  if (!request.schedule.empty()) add("--schedule", request.schedule);
  number("--schedules", request.schedules);
  flag("--repeat", options.repeat);
  flag("--strict", options.strict);
  flag("--no-races", !options.races);
  number("--step-limit", options.step_limit);
  for (std::size_t k = 0; k < request.flags.size(); ++k) {
    parts.push_back((k == 0 ? "-- " : "") + shell_word(request.flags[k]));
  }
  std::string text(indent, ' ');
  std::size_t column = indent;
  for (const std::string& part : parts) {
    if (column > indent && column + 1 + part.size() + 2 > columns) {
      text += " \\\n" + std::string(indent + 2, ' ');
      column = indent + 2;
    } else if (column > indent) {
      text += ' ';
      ++column;
    }
    text += part;
    column += part.size();
  }
  return text + "\n";
}

std::vector<Combination> combine(const Request& request, const Axes& axes,
                                 const PtxSource& source) {
  const ptx::Module module =
      refused_in_one_line(source, [&] { return ptx::parse(source.text, source.name); });
  const std::vector<KernelEntry> entries = kernel_entries(module);
  Words words{request.file, {}, variables_of(request, module)};
  std::vector<Combination> all;
  for (const KernelEntry* entry : chosen(request.entries, entries, request.file)) {
    const auto decoded = refused_in_one_line(
        source, [&] { return simt::load_module(source.text, source.name, entry->symbol); });
    Combination one;
    SanitizeOptions& options = one.options = request.common;
    options.launch.entry = entry->symbol;
    options.kernel = entry->name;
    options.variable_bytes = simt::variable_bytes(*decoded);
    options.schedules = !axes.schedules.empty() ? axes.schedules
                        : options.races         ? simt::schedules_for(*decoded, entry->symbol)
                                                : std::vector<std::string>{"lockstep"};
    const bool unique = std::ranges::count(entries, entry->name, &KernelEntry::name) == 1;
    for (const Choice& choice : choices(axes)) {
      words.statements = statements_of(request, choice);
      for (const Dim3& grid : axes.grids) {
        for (const Dim3& block : axes.blocks) {
          options.launch.grid = grid;
          options.launch.block = block;
          options.combination = label(axes, choice, options.launch);
          const auto loaded = load(words, options.launch, entry);
          loaded->module = decoded;
          options.loaded = loaded;
          options.expected.clear();
          options.dumps.clear();
          for (const auto& text : request.expected) {
            options.expected.push_back(parse_expect(text, *loaded));
          }
          for (const auto& text : request.dumps) {
            options.dumps.push_back(parse_dump(text, loaded->program.spec));
          }
          one.command =
              command_line(request, unique ? entry->name : entry->signature, choice, options);
          all.push_back(one);
        }
      }
    }
  }
  return all;
}

}  // namespace gauntlet::sanitize
