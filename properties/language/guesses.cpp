// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/guesses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/types.hpp"

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

}  // namespace gauntlet::spec
