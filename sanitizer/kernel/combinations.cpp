// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/combinations.hpp"

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
#include "base/spelling.hpp"
#include "base/text/json_file.hpp"
#include "base/usage_error.hpp"
#include "machine/ptx/ast.hpp"
#include "machine/ptx/source_names.hpp"
#include "sanitizer/kernel/arguments.hpp"
#include "sanitizer/kernel/command_line.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::sanitize {
namespace {

bool of_module(const ptx::Variable& v) {
  return (v.space == ptx::Space::global || v.space == ptx::Space::constant) && v.count != 0;
}

std::vector<const ptx::Variable*> named(std::string_view name, const ptx::Module& module) {
  std::vector<const ptx::Variable*> found;
  for (const ptx::Variable& v : module.variables) {
    if (!of_module(v)) continue;
    if (v.name == name) return {&v};
    const std::string symbol(v.name);
    if (ptx::plain_name(symbol) == name || ptx::demangled(symbol) == name) found.push_back(&v);
  }
  return found;
}

/// What nvcc declares a single number as; it keeps no sign.
std::optional<Type> declared(const ptx::Variable& v) {
  using S = ptx::ScalarType;
  switch (v.type) {
    case S::u16:
    case S::b16:
      return Type::u16;
    case S::s16:
      return Type::i16;
    case S::u32:
    case S::b32:
      return Type::u32;
    case S::s32:
      return Type::i32;
    case S::u64:
    case S::b64:
      return Type::u64;
    case S::s64:
      return Type::i64;
    case S::f16:
      return Type::f16;
    case S::bf16:
      return Type::bf16;
    case S::f32:
      return Type::f32;
    case S::f64:
      return Type::f64;
    case S::u8:
      return Type::u8;
    case S::s8:
      return Type::i8;
    default:  // bytes: an array or a struct of anything
      return v.count == 1 ? std::optional(Type::u8) : std::nullopt;
  }
}

const ptx::Variable& find_variable(std::string_view where, std::string_view name,
                                   const ptx::Module& module) {
  const auto found = named(name, module);
  if (found.size() == 1) return *found.front();
  std::vector<std::string> names;
  for (const ptx::Variable& v : module.variables) {
    if (of_module(v)) names.push_back(ptx::demangled(std::string(v.name)));
  }
  if (found.size() > 1) {
    names.clear();
    for (const ptx::Variable* v : found) names.push_back(ptx::demangled(std::string(v->name)));
    throw UsageError(
        fmt::format("{}: `{}` is ambiguous; write one of {}", where, name, fmt::join(names, ", ")));
  }
  if (names.empty()) {
    throw UsageError(
        fmt::format("{}: the file has no __device__ or __constant__ variable; nvcc leaves out what "
                    "no kernel uses",
                    where));
  }
  throw UsageError(fmt::format(
      "{}: {}", where,
      unknown_word("variable", name, std::vector<std::string_view>(names.begin(), names.end()))));
}

/// Whether the module has a variable of that name.
bool has_variable(std::string_view name, const ptx::Module& module) {
  return !named(name, module).empty();
}

/// One --sym. NAME is the variable's name, with or without its namespaces, or its symbol in the
/// PTX. TYPE is that of the elements: nvcc tells it of a single number only, of arrays and structs
/// it keeps the bytes. Without content the variable begins as the source says. Throws UsageError,
/// in one line.
Argument parse_variable(std::string_view text, const ptx::Module& module) {
  const std::string where = fmt::format("--sym {}", text);
  const auto equals = text.find('=');
  const auto head = text.substr(0, equals);
  // "ns::name:f32": the last colon that is not of a namespace.
  auto colon = head.rfind(':');
  if (colon != head.npos && colon > 0 && head[colon - 1] == ':') colon = head.npos;
  const auto name = head.substr(0, colon);
  if (name.empty()) throw UsageError(where + ": write NAME=CONTENT or NAME:TYPE=CONTENT");
  const ptx::Variable& v = find_variable(where, name, module);
  const std::uint64_t bytes = ptx::size_of(v.type) * v.count;

  std::string_view type;
  if (colon != head.npos) {
    type = head.substr(colon + 1);
  } else if (const auto number = declared(v)) {
    type = gauntlet::name(*number);
  } else {
    throw UsageError(fmt::format(
        "{}: nvcc tells no more than that {} has {} bytes; write {}:TYPE, as in {}:f32=0", where,
        name, bytes, name, name));
  }
  const std::size_t size = type == "ptr"       ? sizeof(std::uint64_t)
                           : parse<Type>(type) ? size_of(*parse<Type>(type))
                                               : 1;
  if (bytes % size != 0) {
    throw UsageError(fmt::format("{}: {} has {} bytes, no multiple of the {} of {}", where, name,
                                 bytes, size, type));
  }
  const std::string content(equals == text.npos ? std::string_view{} : text.substr(equals));
  Argument argument =
      parse_alternatives(fmt::format("variable:{}[{}]{}", type, bytes / size, content), where)
          .front();
  argument.text = text;
  argument.name = name;
  argument.role = Role::variable;
  argument.symbol = v.name;
  argument.read_only = v.space == ptx::Space::constant;
  return argument;
}

constexpr std::uint64_t most_combinations = 10'000;
constexpr std::uint64_t most_threads = 1024;  // of a block

/// The numbers between the separators, one to three; nothing where it is anything else.
std::optional<Dim3> extent(std::string_view text, char separator) {
  Dim3 extent;
  std::uint32_t* const parts[] = {&extent.x, &extent.y, &extent.z};
  const auto words = split(text, separator);
  if (words.size() > std::size(parts)) return std::nullopt;
  for (std::size_t k = 0; k < words.size(); ++k) {
    const auto number = parse_number<std::uint32_t>(words[k], 1);
    if (!number) return std::nullopt;
    *parts[k] = *number;
  }
  return extent;
}

/// One word of a list: "16x16" or "32".
std::vector<Dim3> extent_list(std::string_view text) {
  std::vector<Dim3> list;
  for (const auto word : split(text, ',')) {
    const auto one = extent(word, 'x');
    if (!one) return {};
    list.push_back(*one);
  }
  return list;
}

/// "n=33 block=256": what only this one of several has.
std::string label(const Axes& axes, const SanitizeOptions& options) {
  std::vector<std::string> words;
  for (std::size_t k = 0; k < axes.arguments.size(); ++k) {
    if (axes.arguments[k].size() == 1) continue;
    const Argument& a = options.arguments[k];
    words.push_back(a.name + a.text.substr(a.text.find('=')));
  }
  if (axes.grids.size() > 1) words.push_back("grid=" + spelled(options.launch.grid));
  if (axes.blocks.size() > 1) words.push_back("block=" + spelled(options.launch.block));
  return fmt::format("{}", fmt::join(words, " "));
}

/// One value of each argument, and the arrays, in every way; the last argument changes fastest.
std::vector<std::vector<Argument>> choices(const Axes& axes) {
  std::vector<std::vector<Argument>> all{{}};
  for (const std::vector<Argument>& values : axes.arguments) {
    std::vector<std::vector<Argument>> longer;
    for (const std::vector<Argument>& begun : all) {
      for (const Argument& value : values) {
        longer.push_back(begun);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  for (auto& one : all) one.insert(one.end(), axes.arrays.begin(), axes.arrays.end());
  return all;
}

/// The variables that --sym gives a content, and those that --expect and --dump name.
std::vector<Argument> variables_of(const Request& request, const ptx::Module& module,
                                   const std::vector<Argument>& arguments) {
  std::vector<Argument> variables;
  for (const auto& text : request.variables) variables.push_back(parse_variable(text, module));
  for (const auto* texts : {&request.expected, &request.dumps}) {
    for (const auto& text : *texts) {
      const auto name = array_name(text);
      const auto named = std::ranges::count(arguments, name, &Argument::name) +
                         std::ranges::count(variables, name, &Argument::name);
      if (named == 0 && has_variable(name, module)) {
        variables.push_back(parse_variable(name, module));
      }
    }
  }
  return variables;
}

/// Completes the arguments of `options` for a kernel, and says what is asked of them.
void complete(const Request& request, const std::vector<Argument>& variables,
              const KernelEntry& entry, SanitizeOptions& options) {
  std::vector<Argument>& arguments = options.arguments;
  arguments.insert(arguments.end(), variables.begin(), variables.end());
  require_own_names(arguments);
  resolve_sizes(arguments);
  link_pointers(arguments);
  fit_arguments(entry, arguments);
  options.expected.clear();
  options.dumps.clear();
  for (const auto& text : request.expected) {
    options.expected.push_back(parse_expect(text, arguments));
  }
  for (const auto& text : request.dumps) options.dumps.push_back(parse_dump(text, arguments));
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
    axes.arguments.push_back(parse_alternatives(text, fmt::format("--arg {}", text)));
    combinations *= axes.arguments.back().size();
    if (combinations > most_combinations) {
      throw UsageError(fmt::format("--arg {}: more than {} combinations", text, most_combinations));
    }
  }
  for (const auto& text : request.arrays) {
    axes.arrays.push_back(parse_alternatives(text, fmt::format("--array {}", text)).front());
    axes.arrays.back().role = Role::memory;
    if (!axes.arrays.back().array) {
      throw UsageError(fmt::format("--array {}: is not an array; write NAME:TYPE[N]", text));
    }
  }
  for (std::vector<Argument>& all : choices(axes)) {
    require_own_names(all);
    resolve_sizes(all);
    if (request.variables.empty()) link_pointers(all);  // which may lead to a variable
  }
  require_dumps_can_be_written(request.dumps, combinations);
  if (!request.schedule.empty() && request.schedules != 0) {
    throw UsageError("--schedule names one schedule, --schedules tries several; give one of them");
  }
  if (request.schedules != 0) axes.schedules = usual_schedules(request.schedules);
  if (!request.schedule.empty()) axes.schedules = {to_string(parse_schedule(request.schedule))};
  return axes;
}

std::vector<Combination> combine(const Request& request, const Axes& axes,
                                 const PtxSource& source) {
  const ptx::Module module =
      refused_in_one_line(source, [&] { return ptx::parse(source.text, source.name); });
  const std::vector<KernelEntry> entries = kernel_entries(module);
  const std::vector<Argument> variables = variables_of(request, module, choices(axes).front());
  std::vector<Combination> all;
  for (const KernelEntry* entry : chosen(request.entries, entries, request.file)) {
    Combination one;
    one.module = refused_in_one_line(
        source, [&] { return simt::load_module(source.text, source.name, entry->symbol); });
    SanitizeOptions& options = one.options = request.common;
    options.launch.entry = entry->symbol;
    options.kernel = entry->name;
    options.variable_bytes = simt::variable_bytes(*one.module);
    options.schedules = !axes.schedules.empty() ? axes.schedules
                        : options.races         ? simt::schedules_for(*one.module, entry->symbol)
                                                : std::vector<std::string>{"lockstep"};
    const bool unique = std::ranges::count(entries, entry->name, &KernelEntry::name) == 1;
    for (std::vector<Argument>& arguments : choices(axes)) {
      options.arguments = std::move(arguments);
      complete(request, variables, *entry, options);
      for (const Dim3& grid : axes.grids) {
        for (const Dim3& block : axes.blocks) {
          options.launch.grid = grid;
          options.launch.block = block;
          options.combination = label(axes, options);
          one.command = command_line(request, unique ? entry->name : entry->signature, options);
          all.push_back(one);
        }
      }
    }
  }
  return all;
}

}  // namespace gauntlet::sanitize
