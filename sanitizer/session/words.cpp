// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "machine/code/operation.hpp"
#include "machine/ptx/source_names.hpp"
#include "properties/language/kernel.hpp"
#include "sanitizer/session/session.hpp"

namespace gauntlet::sanitize {
namespace {

using spec::Array;
using spec::Member;

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

/// What nvcc declares a single number as; it keeps no sign, and of arrays and structs the bytes.
std::optional<Type> declared(const ptx::Variable& v) {
  return v.type == ptx::ScalarType::b8 && v.count != 1 ? std::nullopt : simt::number_type(v.type);
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

/// Arrays that pointers lead to may be written through them.
bool pointed_at(const spec::Spec& spec, const std::string& array) {
  const auto leads = [&](const auto& members) {
    return std::ranges::count(members, array, &Member::array) != 0;
  };
  return std::ranges::any_of(spec.arrays, leads, &Array::list) ||
         std::ranges::any_of(spec.scalars, leads, &spec::Scalar::members);
}

/// What the kernel takes by a pointer to const is an input, if it has content.
void take_inputs(spec::Spec& spec, const KernelEntry& entry) {
  for (std::size_t k = 0; k < std::min(spec.parameters.size(), entry.parameters.size()); ++k) {
    if (!spec.parameters[k].array) continue;
    Array& array = spec.arrays[spec.parameters[k].index];
    if (numbers_of(entry.parameters[k].type).to_const && array.content.present() &&
        !pointed_at(spec, array.name)) {
      array.role = spec::Role::in;
    }
  }
}

}  // namespace

spec::Statement statement(std::string_view option, std::string_view word, std::string_view text) {
  return {{fmt::format("{} {}", option, text), 0, std::string(text)},
          std::string(word),
          std::string(text),
          {}};
}

std::vector<std::string> alternatives(const std::string& argument) {
  const spec::Spec read = spec::parse_declaration(statement("--arg", "arg", argument));
  if (read.scalars.empty()) return {argument};
  const spec::Scalar& scalar = read.scalars.front();
  if (scalar.members.size() <= scalar.count) return {argument};
  const auto begin = argument.find('=') + 1;
  std::vector<std::string> texts{argument.substr(0, begin)};
  std::size_t words = 0;
  for (const char c : argument.substr(begin)) {
    if (c == ',' && ++words % scalar.count == 0) {
      texts.push_back(argument.substr(0, begin));
    } else {
      texts.back() += c;
    }
  }
  for (auto text = texts.begin(); text != texts.end(); ++text) {
    if (std::find(texts.begin(), text, *text) == text) continue;
    throw UsageError(fmt::format("--arg {}: `{}` is given twice", argument, *text));
  }
  return texts;
}

bool has_variable(std::string_view name, const ptx::Module& module) {
  return !named(name, module).empty();
}

VariableWords variable_words(std::string_view text, const ptx::Module& module) {
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
  VariableWords words{statement("--sym", "array", text), std::string(name), std::string(v.name),
                      v.space == ptx::Space::constant};
  // Only a plain name can be one of the language, and only what has one can be pointed to.
  const bool plain = name.find("::") == name.npos;
  words.statement.rest = fmt::format(
      "{}:{}[{}] = symbol {}", plain ? std::string(name) : fmt::format("_{}", v.name), type,
      bytes / size, equals == text.npos ? std::string_view{} : text.substr(equals));
  return words;
}

std::shared_ptr<spec::Loaded> load(const Words& words, const Launch& launch,
                                   const KernelEntry* entry) {
  if (const Dim3& b = launch.block; b.count() > 1024) {  // which may be more than 64 bits count
    throw UsageError(fmt::format("a block has 1 to 1024 threads, not {}x{}x{}", b.x, b.y, b.z));
  }
  std::vector<spec::Statement> statements = words.statements;
  for (const VariableWords& v : words.variables) statements.push_back(v.statement);
  statements.push_back(statement(
      "the launch", "launch",
      fmt::format("grid={},{},{} block={},{},{} shared={}{}", launch.grid.x, launch.grid.y,
                  launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
                  launch.shared_bytes, launch.cooperative ? " cooperative" : "")));
  spec::Spec begun;
  begun.path = begun.kernel = words.file;
  begun.result_none = begun.sized = true;
  spec::Spec read = spec::parse_spec(std::move(statements), std::move(begun));
  const std::size_t others = read.arrays.size() - words.variables.size();
  for (std::size_t k = 0; k < words.variables.size(); ++k) {
    read.arrays[others + k].name = words.variables[k].name;
    read.arrays[others + k].mangled = words.variables[k].symbol;
    if (words.variables[k].constant) read.arrays[others + k].role = spec::Role::in;
  }
  if (entry != nullptr) take_inputs(read, *entry);
  auto loaded = std::make_shared<spec::Loaded>();
  spec::bind(loaded->program, std::move(read));
  loaded->entries[{}] = {launch.entry};
  const spec::Spec& spec = loaded->program.spec;
  spec::Evaluator evaluator(loaded->program, {});
  std::vector<std::uint64_t> counts;
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    counts.push_back(spec::elements_of(spec, evaluator, k));
  }
  if (entry != nullptr) {
    fit_arguments(*entry, spec::given_arguments(spec, spec.parameters,
                                                [&](std::size_t k) { return counts[k]; }));
  }
  if (auto why = spec::refusal(*loaded, {}); !why.empty()) throw UsageError(why);
  return loaded;
}

std::string_view array_name(std::string_view text) { return text.substr(0, text.find('=')); }

std::size_t find_array(std::string_view where, std::string_view name, const spec::Spec& spec) {
  std::vector<std::string_view> arrays;
  for (const Array& array : spec.arrays) arrays.push_back(array.name);
  const auto found = std::ranges::find(arrays, name);
  if (found != arrays.end()) return static_cast<std::size_t>(found - arrays.begin());
  if (arrays.empty()) throw UsageError(fmt::format("{}: no --arg is an array", where));
  throw UsageError(fmt::format("{}: {}", where, unknown_word("array", name, arrays)));
}

ExpectedContent parse_expect(const std::string& text, const spec::Loaded& words) {
  const std::string where = fmt::format("--expect {}", text);
  const auto equals = text.find('=');
  if (equals == text.npos) throw UsageError(where + ": write NAME=VALUE[,VALUE...]");
  ExpectedContent expected;
  expected.array = find_array(where, array_name(text), words.program.spec);
  const Array& array = words.program.spec.arrays[expected.array];
  const std::uint64_t elements = spec::Evaluator(words.program, {}).elements(expected.array);
  std::string content = text.substr(equals + 1);
  const bool all = content.starts_with("all:");
  if (all) content.erase(0, 4);
  const bool list =
      !content.ends_with(".npy") && content.find(':') == content.npos && content != "iota";
  const auto numbers = 1 + static_cast<std::uint64_t>(std::ranges::count(content, ','));
  if (all && (!list || numbers != 1)) throw UsageError(where + ": one number follows all:");
  expected.count = list && !all ? numbers : elements;
  if (expected.count > elements) {
    throw UsageError(
        fmt::format("{}: {} values for {} of {} elements", where, numbers, array.name, elements));
  }
  spec::Statement whole = statement("--expect", "array", text);
  whole.rest = fmt::format("content:{}[{}] = {}", name(array.type), expected.count, content);
  expected.content = load({words.program.spec.kernel, {whole}, {}}, {}, nullptr);
  return expected;
}

Dump parse_dump(std::string_view text, const spec::Spec& spec) {
  const std::string where = fmt::format("--dump {}", text);
  Dump dump{spec.arrays[find_array(where, array_name(text), spec)].name, {}};
  const auto equals = text.find('=');
  if (equals == text.npos) return dump;
  dump.path = text.substr(equals + 1);
  if (!dump.path.ends_with(".npy")) throw UsageError(where + ": write NAME or NAME=FILE.npy");
  return dump;
}

}  // namespace gauntlet::sanitize
