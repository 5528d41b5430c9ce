// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/guesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "base/types.hpp"
#include "properties/language/expression.hpp"

namespace gauntlet::spec {
namespace {

constexpr std::uint32_t rows = 10, columns_of_row = 100, elements = rows * columns_of_row,
                        usual_block = 256;

enum class GuessedRole : std::uint8_t { in, out, real, whole, bytes, pointers };

/// A parameter with all that is known or guessed of it.
struct Guess {
  GuessedRole role = GuessedRole::whole;
  std::string name;
  Type type = Type::u32;
  std::uint64_t bytes = 0;
  unsigned width = 1;
  sanitize::ParameterUse use{};
};

bool names_rows(std::string_view name) {
  return name.find("row") != name.npos || name == "N" || name == "M" || name == "B" ||
         name.find("batch") != name.npos || name.find("height") != name.npos;
}
bool names_columns(std::string_view name) {
  return name.find("col") != name.npos || name == "C" || name == "D" || name == "H" ||
         name.find("hidden") != name.npos || name == "dim" || name == "width";
}

/// Where a kernel of rows puts its output, the number of columns (of a transposed one, of rows) is
/// a part of the address.
bool is_table(const Guess& guess, const std::vector<DeclaredParameter>& declared) {
  if (!rows_and_columns(declared)) return false;
  for (std::size_t k = 0; k < std::min<std::size_t>(declared.size(), 64); ++k) {
    const bool extent = names_columns(declared[k].name) || names_rows(declared[k].name);
    if (extent && (guess.use.beside >> k & 1) != 0) return true;
  }
  return false;
}

/// Blocks add what they have to one element.
bool one_element(const sanitize::ParameterUse& use) { return use.only_updated() && !use.indexed; }

std::vector<Guess> guesses(const sanitize::KernelEntry& entry,
                           const std::vector<DeclaredParameter>& declared,
                           const std::vector<sanitize::ParameterUse>& uses = {}) {
  std::vector<Guess> all;
  int inputs = 0, outputs = 0, values = 0;
  for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
    const auto& [bytes, type] = entry.parameters[k];
    // The name of an extern "C" kernel does not tell types; the source may.
    const bool told = !type.empty() || k >= declared.size();
    sanitize::Numbers numbers = sanitize::numbers_of(told ? type : declared[k].type);
    const std::uint64_t size = numbers.pointer    ? 8
                               : !numbers.element ? bytes
                                                  : size_of(*numbers.element);
    if (size != bytes) numbers = {};  // a struct of several, or a name that means something else
    const Type fallback = bytes == 8   ? Type::u64
                          : bytes == 4 ? Type::u32
                          : bytes == 2 ? Type::u16
                                       : Type::u8;
    Guess guess;
    guess.type = numbers.element.value_or(fallback);
    guess.bytes = bytes;
    guess.width = numbers.width;
    if (k < uses.size()) guess.use = uses[k];
    const auto called = [&](char letter, int number) {
      guess.name = k < declared.size() ? declared[k].name : fmt::format("{}{}", letter, number);
    };
    if (numbers.table) {
      guess.role = GuessedRole::pointers;
      called('x', ++inputs);
    } else if (numbers.pointer && (numbers.to_const || guess.use.only_loaded())) {
      guess.role = GuessedRole::in;
      called('x', ++inputs);
    } else if (numbers.pointer || (!numbers.element && bytes == 8)) {
      guess.role = GuessedRole::out;
      called('y', ++outputs);
    } else {
      const bool number = numbers.element || bytes == 1 || bytes == 2 || bytes == 4;
      guess.role = !number                ? GuessedRole::bytes
                   : is_float(guess.type) ? GuessedRole::real
                                          : GuessedRole::whole;
      called('a', ++values);
    }
    all.push_back(std::move(guess));
  }
  return all;
}

/// As --arg takes it.
std::string argument(const Guess& guess, bool table) {
  const auto number = [&] {
    if (!table) return elements;
    return names_columns(guess.name) ? columns_of_row : names_rows(guess.name) ? rows : 1;
  };
  switch (guess.role) {
    case GuessedRole::in:
      return fmt::format("{}:{}[{}]=iota", guess.name, name(guess.type), guess.width * elements);
    case GuessedRole::out:
      return fmt::format("{}:{}[{}]=0", guess.name, name(guess.type), guess.width * elements);
    case GuessedRole::real:
      return fmt::format("{}:{}=1", guess.name, name(guess.type));
    case GuessedRole::whole:
      return fmt::format("{}:{}={}", guess.name, name(guess.type),
                         size_of(guess.type) < 2 ? 1 : number());
    case GuessedRole::pointers:
      return fmt::format("{}:ptr[{}]=0", guess.name, elements);
    case GuessedRole::bytes:
      break;
  }
  return fmt::format("{}:u8x{}=0", guess.name, guess.bytes);
}

}  // namespace

std::vector<DeclaredParameter> declared_in(const std::string& file,
                                           const sanitize::KernelEntry& entry) {
  if (file.ends_with(".ptx")) return {};
  std::ifstream stream(file);
  std::ostringstream content;
  content << stream.rdbuf();
  return declared_parameters(content.str(), entry.name, entry.parameters.size());
}

bool rows_and_columns(const std::vector<DeclaredParameter>& declared) {
  return std::ranges::any_of(declared, names_columns, &DeclaredParameter::name);
}

std::string example_result(const sanitize::KernelEntry& entry,
                           const std::vector<DeclaredParameter>& declared,
                           const std::vector<sanitize::ParameterUse>& uses) {
  const auto all = guesses(entry, declared, uses);
  const auto in = std::ranges::find(all, GuessedRole::in, &Guess::role);
  const auto out = std::ranges::find(all, GuessedRole::out, &Guess::role);
  const std::string from = in == all.end() ? "x" : in->name;
  const std::string to = out == all.end() ? "y" : out->name;
  if (out != all.end() && one_element(out->use)) return fmt::format("{}[0] = sum({})", to, from);
  if (out != all.end() && is_table(*out, declared)) {
    return fmt::format("{}[r, c] = {}[r, c] / sum({}[r, ..])", to, from, from);
  }
  if (rows_and_columns(declared)) return fmt::format("{}[r] = sum({}[r, ..])", to, from);
  if (out != all.end() && out->use.by_thread) return fmt::format("{}[i] = 2 * {}[i]", to, from);
  return fmt::format("{}[b] = sum({}[b * block .. (b + 1) * block])", to, from);
}

std::vector<std::string> declarations(const sanitize::KernelEntry& entry,
                                      const std::vector<DeclaredParameter>& declared,
                                      const std::vector<sanitize::ParameterUse>& uses) {
  const bool table = rows_and_columns(declared);
  std::vector<std::string> lines;
  for (const Guess& guess : guesses(entry, declared, uses)) {
    const std::string vectors =
        fmt::format("[{0} * n]  # guess: n vectors of {0} elements", guess.width);
    const auto line = [&](std::string_view word, std::string_view rest) {
      lines.push_back(fmt::format("{} {}:{}{}", word, guess.name, name(guess.type), rest));
    };
    switch (guess.role) {
      case GuessedRole::in:
        line("in", table             ? "[rows, columns]  # guess: a table"
                   : guess.width > 1 ? vectors
                                     : "[n]  # guess: n elements");
        break;
      case GuessedRole::out:
        // What is loaded too has to be something before: drawn, or what a launch before it left.
        line(guess.use.loaded ? "inout" : "out",
             one_element(guess.use)      ? "[1] = 0  # guess: one element, to which atomics add"
             : guess.use.only_updated()  ? "[n] = 0  # guess: elements, to which atomics add"
             : is_table(guess, declared) ? "[rows, columns]  # guess: a table"
             : table                     ? "[rows]  # guess: one element for each row"
             : !guess.use.by_thread      ? "[grid]  # guess: one element for each block"
             : guess.width > 1           ? vectors
                                         : "[n]  # guess: n elements");
        break;
      case GuessedRole::real:
        line("arg", " = 1.0  # guess");
        break;
      case GuessedRole::bytes:
        lines.push_back(fmt::format(
            "arg {}:u8x{} = 0  # guess: bytes; its members are {{u32=1,f32=0.5,ptr=@ARRAY}}",
            guess.name, guess.bytes));
        break;
      case GuessedRole::pointers:
        lines.push_back(fmt::format(
            "in {}:ptr[n] = 0  # guess: null pointers; @a, @b lead to `array a:f32[n]` and b",
            guess.name));
        break;
      case GuessedRole::whole:
        line("arg", size_of(guess.type) < 2     ? " = 1  # guess"
                    : !table                    ? " = n  # guess"
                    : names_columns(guess.name) ? " = columns  # guess"
                    : names_rows(guess.name)    ? " = rows  # guess"
                                                : " = 1  # guess");
        break;
    }
  }
  return lines;
}

ExampleLaunch example_launch(const std::string& file, const sanitize::KernelEntry& entry) {
  const auto declared = declared_in(file, entry);
  const bool table = rows_and_columns(declared);
  ExampleLaunch example;
  const std::uint32_t block =
      entry.max_threads == 0 ? usual_block : std::min(usual_block, entry.max_threads);
  example.launch.block.x = block;
  example.launch.grid.x = table ? rows : (elements + block - 1) / block;
  if (entry.dynamic_shared) example.launch.shared_bytes = block * shared_bytes_of_thread;
  for (const Guess& guess : guesses(entry, declared)) {
    example.arguments.push_back(argument(guess, table));
  }
  return example;
}

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
