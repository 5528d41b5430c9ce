// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plain/folded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/numbers.hpp"
#include "properties/language/conditions.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/types.hpp"

namespace gauntlet::kernels {
namespace {

constexpr char mark = '\x01';  // stands before the number of a line

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// "a + b" of the text behind "OP", which begins with "(a, b)", or "min(a, b)",
/// and its length.
std::pair<std::string, std::size_t> operation(std::string_view text, Op op) {
  std::size_t comma = 0, end = 0;
  int depth = 0;
  for (std::size_t k = 0; k < text.size() && end == 0; ++k) {
    depth += text[k] == '(' || text[k] == '[' ? 1 : 0;
    depth -= text[k] == ')' || text[k] == ']' ? 1 : 0;
    if (text[k] == ',' && depth == 1) comma = k;
    if (depth == 0) end = k;
  }
  if (comma == 0 || end == 0) throw std::logic_error("OP(a, b) stands on one line");
  auto b = text.substr(comma + 1, end - comma - 1);
  b.remove_prefix(std::min(b.find_first_not_of(' '), b.size()));
  const auto a = text.substr(1, comma - 1);
  return {op == Op::sum ? fmt::format("{} + {}", a, b)
                        : fmt::format("{}({}, {})", spec::spelling_of(op), a, b),
          end + 1};
}

/// Of a sum, or of a minimum of ints.
std::string identity(const Instance& instance) {
  if (instance.op == Op::sum) return is_float(instance.acc) ? "0.0f" : "0";
  if (instance.op == Op::minimum && instance.acc == Type::i32) return "0x7fffffff";
  throw std::logic_error("no text for the identity of these");
}

std::string with_types(std::string_view line, const Instance& instance) {
  const std::string in(spec::spelled(instance.in));
  const std::string acc(spec::spelled(instance.acc));
  std::string text;
  for (std::size_t at = 0; at < line.size();) {
    std::size_t end = at;
    while (end < line.size() && in_word(line[end])) ++end;
    if (end == at) {
      text += line[at++];
      continue;
    }
    const std::string_view word = line.substr(at, end - at);
    at = end;
    if (word == "T") {
      text += in;
    } else if (word == "ACC") {
      text += acc;
    } else if (word == "VOLATILE_ACC") {
      text += "volatile " + acc;
    } else if (word == "IDENTITY") {
      text += identity(instance);
    } else if (word == "__global__") {
      text += "extern \"C\" __global__";
    } else if (word == "ATOMIC_OP") {
      text += instance.op == Op::sum ? "atomicAdd" : "atomicMin";
    } else if (word == "OP") {
      const auto [sum, length] = operation(line.substr(end), instance.op);
      text += with_types(sum, instance);
      at += length;
    } else {
      text += word;
    }
  }
  return text;
}

}  // namespace

Folded folded(const Written& row, const Form& form, const Instance& instance, std::uint32_t block) {
  const spec::Spec& spec = row.spec();
  std::string marked;
  std::uint32_t number = 0;
  bool begun = false;  // what stands above the kernel is about the file
  spec::for_each_line(row.source(), [&](std::string_view line) {
    ++number;
    begun |= !line.empty() && !line.starts_with("//");
    if (!begun) return;
    marked += line;
    if (spec::directive_of(line).word.empty()) marked += mark + std::to_string(number);
    marked += '\n';
  });
  std::vector<std::pair<std::string, bool>> defined;
  for (const spec::Constant& constant : spec.constants)
    defined.emplace_back(constant.name, block != 0);
  Folded result;
  if (block != 0) {
    result.text = fmt::format("constexpr unsigned {} = {};\n\n", spec.constants.at(0).name, block);
    result.lines = {0, 0};
  }
  const std::string text =
      spec::decided(marked, spec.kernel, spec::asked_words(spec, form, instance), defined);
  // Of a kernel that two rows share, each has its own name.
  const std::string shared = spec.kernel.substr(0, spec.kernel.rfind('.'));
  spec::for_each_line(text, [&](std::string_view line) {
    const auto at = line.find(mark);
    result.lines.push_back(
        at == line.npos ? 0 : parse_number<std::uint32_t>(line.substr(at + 1)).value());
    std::string code = with_types(line.substr(0, at), instance) + "\n";
    const std::string call = " " + shared + "(";
    if (const auto name = code.find(call); name != code.npos)
      code.replace(name, call.size(), " " + row.name() + "(");
    result.text += code;
  });
  return result;
}

}  // namespace gauntlet::kernels
