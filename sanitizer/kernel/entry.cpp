// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/spelling.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "machine/ptx/ast.hpp"
#include "machine/ptx/source_names.hpp"

namespace gauntlet::sanitize {
namespace {

/// Where the parameter list of a demangled function begins, or npos.
std::size_t parameters_begin(std::string_view text) {
  if (!text.ends_with(')')) return text.npos;
  int depth = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) return at;
  }
  return text.npos;
}

/// Splits at commas that no bracket encloses.
std::vector<std::string> split_parameters(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth != 0 && at < text.size())) continue;
    auto part = text.substr(begin, at - begin);
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (!part.empty()) parts.emplace_back(part);
    begin = at + 1;
  }
  return parts;
}

/// Behind the last "::" that no bracket encloses.
std::string_view last_part(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const char c = name[at];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (depth == 0 && name.substr(at).starts_with("::")) begin = at + 2;
  }
  return name.substr(begin);
}

/// What of a kernel its signature tells.
void take_signature(KernelEntry& entry, std::string signature) {
  entry.signature = std::move(signature);
  if (entry.signature.starts_with("void ")) entry.signature.erase(0, 5);
  const auto begin = parameters_begin(entry.signature);
  entry.name = entry.signature.substr(0, begin);
  if (begin == std::string::npos) return;
  const auto types = split_parameters(
      std::string_view(entry.signature).substr(begin + 1, entry.signature.size() - begin - 2));
  if (types.size() != entry.parameters.size()) return;
  for (std::size_t k = 0; k < types.size(); ++k) entry.parameters[k].type = types[k];
}

std::string listed(const std::vector<const KernelEntry*>& entries) {
  std::string text;
  for (const auto* entry : entries) text += fmt::format("\n  {}", wrap(entry->signature, 6, 2));
  return text;
}

}  // namespace

std::string_view why_no_kernel(std::string_view file) {
  return file.ends_with(".ptx")
             ? "PTX has one for each .entry with a body"
             : "of a template nvcc compiles the instances that the file uses or declares, such as "
               "template __global__ void sum<float>(const float*, float*, int);";
}

void demangle(KernelEntry& entry) {
  take_signature(entry, ptx::without_tags(ptx::demangled(entry.symbol)));
}

namespace {

/// What the kernel itself names.
bool any_operand(const ptx::Function& function, const auto& is) {
  return std::ranges::any_of(function.body, [&](const ptx::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, is);
  });
}

}  // namespace

std::vector<KernelEntry> kernel_entries(const ptx::Module& module) {
  std::vector<KernelEntry> entries;
  for (const auto& function : module.functions) {
    if (!function.entry || function.declaration_only) continue;
    KernelEntry entry;
    entry.symbol = function.name;
    for (const auto& p : function.params) {
      entry.parameters.push_back({ptx::size_of(p.type) * std::max<std::uint64_t>(p.count, 1), {}});
    }
    entry.max_threads = function.max_threads;
    entry.dynamic_shared = any_operand(function, [&](const ptx::Operand& operand) {
      const ptx::Variable* const v = module.variable(operand.name);
      return v != nullptr && v->space == ptx::Space::shared && v->is_extern;
    });
    const auto reads = [&](const char* name) {
      return any_operand(function, [&](const ptx::Operand& o) { return o.name == name; });
    };
    entry.threads_2d = reads("%tid.y") && !reads("%tid.z");
    entry.meets_grid = reads("%envreg2");
    demangle(entry);
    entries.push_back(std::move(entry));
  }
  std::map<std::string, int> named;
  for (const KernelEntry& entry : entries) ++named[entry.signature];
  for (KernelEntry& entry : entries) {
    if (named[entry.signature] > 1) take_signature(entry, ptx::demangled(entry.symbol));
  }
  return entries;
}

const KernelEntry& choose_entry(const std::vector<KernelEntry>& entries, std::string_view text,
                                std::string_view file) {
  if (entries.empty()) {
    throw UsageError(
        fmt::format("--entry {}: the file has no kernel; {}", text, why_no_kernel(file)));
  }
  const std::string wanted = comparable_name(text);
  const auto is = [&](std::string_view spelling) { return comparable_name(spelling) == wanted; };
  const std::function<bool(const KernelEntry&)> stages[] = {
      [&](const auto& e) { return e.symbol == text || e.signature == text; },
      [&](const auto& e) { return is(e.signature); },
      [&](const auto& e) { return is(e.name); },
      [&](const auto& e) { return is(last_part(e.name)); },
      [&](const auto& e) { return is(ptx::bare_name(e.name)); },
      [&](const auto& e) { return comparable_name(e.signature).find(wanted) != wanted.npos; },
  };
  for (const auto& matches : stages) {
    std::vector<const KernelEntry*> found;
    for (const auto& entry : entries) {
      if (matches(entry)) found.push_back(&entry);
    }
    if (found.size() == 1) return *found.front();
    if (!found.empty()) {
      throw UsageError(fmt::format("--entry {} is ambiguous; write one of{}", text, listed(found)));
    }
  }
  // The right kernel, but other template arguments.
  std::vector<const KernelEntry*> instances;
  const std::string base = ptx::bare_name(text);
  for (const auto& entry : entries) {
    if (ptx::bare_name(entry.name) == base) instances.push_back(&entry);
  }
  if (!instances.empty()) {
    throw UsageError(fmt::format("--entry {}: the file has no such instance; write one of{}", text,
                                 listed(instances)));
  }
  std::vector<std::string_view> names;
  for (const auto& entry : entries) names.push_back(entry.name);
  throw UsageError(fmt::format("--entry: {}", unknown_word("kernel", text, names)));
}

namespace {

/// Of a number, or of the elements of one of CUDA's vectors: float4, uint2, __half2.
std::optional<Type> number_type(std::string_view text) {
  static const std::map<std::string_view, Type> names{
      {"bool", Type::u8},          {"char", Type::i8},
      {"signed char", Type::i8},   {"unsigned char", Type::u8},
      {"uchar", Type::u8},         {"short", Type::i16},
      {"ushort", Type::u16},       {"unsigned short", Type::u16},
      {"int", Type::i32},          {"uint", Type::u32},
      {"unsigned int", Type::u32}, {"long", Type::i64},
      {"ulong", Type::u64},        {"unsigned long", Type::u64},
      {"long long", Type::i64},    {"longlong", Type::i64},
      {"ulonglong", Type::u64},    {"unsigned long long", Type::u64},
      {"float", Type::f32},        {"double", Type::f64},
      {"__half", Type::f16},       {"__nv_bfloat16", Type::bf16}};
  if (!text.empty() && text.back() >= '1' && text.back() <= '4') text.remove_suffix(1);
  const auto known = names.find(text);
  return known == names.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace

Numbers numbers_of(std::string_view type) {
  Numbers n;
  if (type.ends_with(" __restrict__")) type.remove_suffix(13);
  if (type.ends_with('*')) {
    n.pointer = true;
    type.remove_suffix(1);
    for (const std::string_view word : {" volatile", " const"}) {
      if (!type.ends_with(word)) continue;
      n.to_const |= word == " const";
      type.remove_suffix(word.size());
    }
    n.untyped = type == "void" || type == "char" || type == "signed char" ||
                type == "unsigned char" || type == "std::byte";
    n.table = type.ends_with('*') || type.ends_with("* __restrict__");
  }
  n.element = number_type(type);
  if (n.element && type.back() >= '2' && type.back() <= '4')
    n.width = static_cast<unsigned>(type.back() - '0');
  return n;
}

namespace {

/// Why an argument is none for a parameter of that C++ type; empty: it is.
std::string misfit(const Numbers& numbers, const GivenArgument& argument) {
  if (!argument.type) return {};
  const bool address = argument.address;
  if (address && !numbers.pointer && numbers.element) return "is not a pointer";
  if (!address && numbers.pointer && is_float(*argument.type)) return "is a pointer";
  if (!numbers.element || numbers.untyped || address != numbers.pointer) return {};
  const bool same_kind = is_float(*numbers.element) == is_float(*argument.type);
  if (same_kind && (!address || size_of(*numbers.element) == size_of(*argument.type))) return {};
  return fmt::format("takes {}", name(*numbers.element));
}

}  // namespace

void fit_arguments(const KernelEntry& entry, const std::vector<GivenArgument>& given) {
  const auto& parameters = entry.parameters;
  const auto described = [&](std::size_t k) {
    return fmt::format("parameter {}{} of {}", k + 1,
                       parameters[k].type.empty() ? "" : fmt::format(" ({})", parameters[k].type),
                       entry.name);
  };
  for (std::size_t k = 0; k < std::min(parameters.size(), given.size()); ++k) {
    const GivenArgument& argument = given[k];
    const auto& parameter = parameters[k];
    if (argument.bytes != parameter.bytes) {
      throw UsageError(fmt::format(
          "{} has {}; argument {} ({}) has {}{}", described(k), counted(parameter.bytes, "byte"),
          k + 1, argument.spelling, counted(argument.bytes, "byte"),
          argument.array ? ", for an array is passed as its address" : ""));
    }
    if (parameter.type.empty()) continue;
    const std::string why = misfit(numbers_of(parameter.type), argument);
    if (!why.empty()) {
      throw UsageError(
          fmt::format("{} {}; argument {} is {}", described(k), why, k + 1, argument.spelling));
    }
  }
  if (parameters.size() == given.size()) return;
  std::string line =
      fmt::format("{} takes {}, {} given", entry.name, counted(parameters.size(), "argument"),
                  given.size() == 1 ? "1 is" : fmt::format("{} are", given.size()));
  if (given.size() < parameters.size()) {
    line += fmt::format("; {} has {}", described(given.size()),
                        counted(parameters[given.size()].bytes, "byte"));
  }
  throw UsageError(line);
}

namespace {

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_number(std::string_view word) { return word[0] >= '0' && word[0] <= '9'; }
bool is_name(std::string_view word) { return in_word(word[0]) && !is_number(word); }
bool is_qualifier(std::string_view word) { return word == "const" || word == "volatile"; }
bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

/// Words, numbers without their suffixes, "::", and every other character.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    std::size_t length = 1;
    if (in_word(text[0])) {
      while (length < text.size() && in_word(text[length])) ++length;
    } else if (text.starts_with("::")) {
      length = 2;
    }
    std::string_view part = text.substr(0, length);
    text.remove_prefix(length);
    if (part == " ") continue;
    if (is_number(part)) part = part.substr(0, part.find_last_not_of("uUlL") + 1);
    parts.push_back(part);
  }
  return parts;
}

/// Where the type that begins at `at` ends: its words, namespaces and template arguments.
std::size_t end_of_type(const std::vector<std::string_view>& parts, std::size_t at) {
  const auto builtin = [](std::string_view word) {
    return one_of(word, {"unsigned", "signed", "long", "short", "int", "char"});
  };
  for (bool first = true; at < parts.size(); first = false) {
    if (parts[at] == "::" || first || (builtin(parts[at]) && builtin(parts[at - 1])) ||
        parts[at - 1] == "::") {
      ++at;
    } else if (parts[at] == "<") {
      int depth = 0;
      do {
        depth += parts[at] == "<" ? 1 : parts[at] == ">" ? -1 : 0;
      } while (++at < parts.size() && depth != 0);
    } else {
      break;
    }
  }
  return at;
}

}  // namespace

std::string comparable_name(std::string_view text) {
  const std::string untagged = ptx::without_tags(text);
  std::vector<std::string_view> parts = parts_of(untagged);
  for (std::size_t k = 0; k + 1 < parts.size(); ++k) {
    const bool leads = is_qualifier(parts[k]) && is_name(parts[k + 1]) &&
                       !is_qualifier(parts[k + 1]) && (k == 0 || !is_name(parts[k - 1])) &&
                       (k == 0 || !one_of(parts[k - 1], {">", "*", "&"}));
    if (!leads) continue;
    const auto begin = parts.begin() + static_cast<std::ptrdiff_t>(k);
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(end_of_type(parts, k + 1));
    std::rotate(begin, begin + 1, end);
  }
  std::string result;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    result += parts[k];
    const bool bare =
        parts[k] == "unsigned" &&
        (k + 1 == parts.size() || !one_of(parts[k + 1], {"int", "long", "short", "char"}));
    if (bare) result += "int";
  }
  return result;
}

}  // namespace gauntlet::sanitize
