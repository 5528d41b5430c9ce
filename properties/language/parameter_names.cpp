// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/parameter_names.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "properties/language/expression.hpp"

namespace gauntlet::spec {
namespace {

/// Comments become blanks.
std::string without_comments(std::string_view source) {
  std::string text(source);
  for (std::size_t at = 0; (at = text.find('/', at)) != text.npos; ++at) {
    const char next = at + 1 < text.size() ? text[at + 1] : ' ';
    if (next != '/' && next != '*') continue;
    auto end = next == '/' ? text.find('\n', at) : text.find("*/", at + 2);
    end = end == text.npos ? text.size() : end + (next == '/' ? 0 : 2);
    std::fill(text.begin() + static_cast<std::ptrdiff_t>(at),
              text.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  }
  return text;
}

/// What stands between the parenthesis at `at` and the one that closes it, cut at its commas.
std::optional<std::vector<std::string_view>> parameters(std::string_view text, std::size_t at) {
  std::vector<std::string_view> all;
  int depth = 0;
  std::size_t begin = at + 1;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '<' || c == '[' || c == '{') ++depth;
    const bool closes = c == ')' || c == '>' || c == ']' || c == '}';
    if (closes && --depth == 0) {
      all.push_back(text.substr(begin, at - begin));
      return all;
    }
    if (c != ',' || depth != 1) continue;
    all.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  return std::nullopt;
}

/// The last name of a declaration: "const float *__restrict__ x = 0" is x.
std::string name_of(std::string_view declaration) {
  declaration = declaration.substr(0, declaration.find('='));
  declaration = declaration.substr(0, declaration.find('['));
  const auto last = std::find_if(declaration.rbegin(), declaration.rend(), in_name);
  const auto first = std::find_if_not(last, declaration.rend(), in_name);
  if (first == declaration.rend()) return {};  // a type alone
  const std::string name(first.base(), last.base());
  const bool number = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
  return number ? std::string() : name;
}

/// "const float *__restrict__ x" is "float const*": a number, or a pointer to numbers, of the names
/// that C++ and <cstdint> have for them; "float**" a table of pointers, whatever is const; empty
/// for anything else.
std::string type_of(std::string_view declaration, std::string_view name) {
  static const std::map<std::string_view, std::string_view> same{
      {"unsigned", "unsigned int"},
      {"size_t", "unsigned long"},
      {"long int", "long"},
      {"unsigned long int", "unsigned long"},
      {"int8_t", "signed char"},
      {"uint8_t", "unsigned char"},
      {"int16_t", "short"},
      {"uint16_t", "unsigned short"},
      {"int32_t", "int"},
      {"uint32_t", "unsigned int"},
      {"int64_t", "long"},
      {"uint64_t", "unsigned long"},
      {"long long int", "long long"},
      {"uint", "unsigned int"},
      {"half", "__half"},
      {"nv_bfloat16", "__nv_bfloat16"},
      {"unsigned long long int", "unsigned long long"}};
  declaration = declaration.substr(0, declaration.find('='));
  const bool brackets = declaration.find('[') != declaration.npos;
  declaration = declaration.substr(0, declaration.find('['));
  declaration = declaration.substr(0, declaration.rfind(name));
  std::string words;
  int stars = brackets ? 1 : 0;
  bool to_const = false;
  for (std::size_t at = 0; at < declaration.size();) {
    if (declaration[at] == '*') ++stars;
    if (!in_name(declaration[at])) {
      if (std::string_view(" \t\r\n*").find(declaration[at]) == std::string_view::npos) return {};
      ++at;
      continue;
    }
    const auto end = std::find_if_not(declaration.begin() + static_cast<std::ptrdiff_t>(at),
                                      declaration.end(), in_name) -
                     declaration.begin();
    const std::string_view word = declaration.substr(at, static_cast<std::size_t>(end) - at);
    at = static_cast<std::size_t>(end);
    if (word == "const") to_const = to_const || stars == 0 || brackets;
    if (word == "const" || word == "volatile" || word == "__restrict__") continue;
    if (!words.empty()) words += ' ';
    words += word;
  }
  if (const auto known = same.find(words); known != same.end()) words = known->second;
  return words + (stars == 0 ? "" : stars > 1 ? "**" : to_const ? " const*" : "*");
}

/// A name that a spec gives another meaning gets a _.
std::string usable(std::string name) {
  static const std::set<std::string_view> types{"int",   "unsigned",     "float",  "double",
                                                "char",  "short",        "long",   "bool",
                                                "const", "__restrict__", "signed", "void"};
  static const std::set<std::string_view> taken{
      "block", "blocks", "grid",   "unit",   "rows",        "columns",     "sum",  "product",
      "min",   "max",    "argmin", "argmax", "argmin_last", "argmax_last", "mean", "any",
      "all",   "count",  "fold",   "abs",    "exp",         "log",         "log2", "sqrt",
      "rsqrt", "tanh",   "pow",    "ceil",   "random",      "where",       "for",  "in",
      "by",    "if",     "height", "within", "accumulate",  "fast",        "none"};
  if (types.contains(name)) return {};  // it had no name
  if (taken.contains(name)) name += '_';
  return name;
}

}  // namespace

std::vector<DeclaredParameter> declared_parameters(std::string_view source, std::string_view kernel,
                                                   std::size_t count) {
  kernel = kernel.substr(0, kernel.find('<'));
  if (const auto scope = kernel.rfind("::"); scope != kernel.npos) kernel.remove_prefix(scope + 2);
  if (kernel.empty()) return {};
  const std::string text = without_comments(source);
  for (auto at = text.find(kernel); at != text.npos; at = text.find(kernel, at + 1)) {
    if (at == 0 || in_name(text[at - 1])) continue;
    const auto after = text.find_first_not_of(" \t\r\n", at + kernel.size());
    if (after == text.npos || text[after] != '(') continue;
    const auto begin = text.find_last_of(";}", at);
    if (text.find("__global__", begin == text.npos ? 0 : begin) >= at) continue;
    const auto all = parameters(text, after);
    if (!all || all->size() != count) continue;
    std::vector<DeclaredParameter> declared;
    std::set<std::string> known;
    for (const auto parameter : *all) {
      const std::string name = name_of(parameter);
      declared.push_back({type_of(parameter, name), usable(name)});
      if (declared.back().name.empty() || !known.insert(declared.back().name).second) return {};
    }
    return declared;
  }
  return {};
}

}  // namespace gauntlet::spec
