// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/variables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "machine/ptx/ast.hpp"
#include "machine/ptx/source_names.hpp"

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

}  // namespace

bool has_variable(std::string_view name, const ptx::Module& module) {
  return !named(name, module).empty();
}

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

}  // namespace gauntlet::sanitize
