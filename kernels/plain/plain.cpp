// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plain/plain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/numbers.hpp"
#include "kernels/images.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::size_t comment_width = 80;
constexpr std::uint32_t usual_block = 256;

/// As // lines.
std::string comment(std::string_view text) {
  std::string result, line = "//";
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > comment_width) {
      result += line + "\n";
      line = "//";
    }
    line += " " + word;
  }
  return result + line + "\n";
}

std::string head(const Row& row, const Form& form, const Case& c, std::uint32_t block) {
  const Variant& variant = row.variant;
  std::string text = comment(fmt::format("{}@{} (document: {}): {}", variant.id, form.name,
                                         variant.documents, variant.idea));
  for (const std::string& fix : form.missing) {
    const auto defect = std::ranges::find(variant.defects, fix, &Defect::fix);
    if (defect != variant.defects.end()) {
      text += comment(fmt::format("Lacks {}: {}", fix, defect->what));
    }
  }
  std::string launch = block != 0 ? fmt::format("Launch: blocks of {} threads", block)
                                  : fmt::format("Launch: {}", variant.contract);
  const spec::Loaded& loaded = row.loaded(c);
  const auto shared_bytes = spec::plan(loaded, c).launches.front().shared_bytes;
  if (!spec::steps(loaded.program.spec)) {
    launch += fmt::format("; a block of {} covers {} elements", c.block, spec::tile_of(loaded, c));
  }
  if (shared_bytes != 0) {
    launch +=
        fmt::format("; dynamic shared memory: {} bytes for {} threads", shared_bytes, c.block);
  }
  return text + comment(launch + ".") + "\n";
}

constexpr char mark = '\x01';  // stands before the number of a line

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
  const auto made = [&](std::string_view word, std::string_view& behind) -> std::string {
    if (word == "T") return std::string(spec::spelled(instance.in));
    if (word == "ACC") return std::string(spec::spelled(instance.acc));
    if (word == "VOLATILE_ACC") return fmt::format("volatile {}", spec::spelled(instance.acc));
    if (word == "IDENTITY") return identity(instance);
    if (word == "__global__") return "extern \"C\" __global__";
    if (word == "ATOMIC_OP") return instance.op == Op::sum ? "atomicAdd" : "atomicMin";
    if (word != "OP") return std::string(word);
    const auto [sum, length] = operation(behind, instance.op);
    behind.remove_prefix(length);
    return with_types(sum, instance);
  };
  return spec::with_words(line, made);
}

}  // namespace

std::vector<std::uint32_t> PlainSource::lines_of(std::string_view file, std::uint32_t line) const {
  const auto found = lines.find(fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line));
  return found == lines.end() ? std::vector<std::uint32_t>{} : found->second;
}

std::optional<PlainSource> plain_source(const Variant& variant, const Form& form,
                                        std::uint32_t block) {
  const Row* const row = find_row(variant.id);
  if (row == nullptr || row->by_host()) return std::nullopt;
  const TypePair& types = variant.documented_types.front();
  const auto& operators = row->spec().documented_operators;
  const Op op = operators.empty() ? Op::sum : operators.front();
  PlainSource source;
  source.instance = {types.in, types.acc, op};
  Case c = case_for(variant.id, form.name, source.instance);
  const auto blocks = spec::blocks_of(row->loaded(c));
  if (block != 0 && !blocks.empty() && std::ranges::count(blocks, block) == 0) return std::nullopt;
  source.name = fmt::format("{}@{}", variant.id, form.name);
  source.block = blocks.empty() ? 0 : block != 0 ? block : usual_block;
  c.block = source.block != 0 ? source.block : usual_block;
  const Folded code = folded(*row, form, source.instance, source.block);
  source.text = head(*row, form, c, source.block);
  auto number = static_cast<std::uint32_t>(std::ranges::count(source.text, '\n'));
  for (const std::uint32_t line : code.lines) {
    ++number;
    if (line == 0) continue;
    source.lines[fmt::format("{}:{}", row->spec().kernel, line)].push_back(number);
  }
  source.text += code.text;
  return source;
}

Folded folded(const Row& row, const Form& form, const Instance& instance, std::uint32_t block) {
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
      code.replace(name, call.size(), " " + row.variant.id + "(");
    result.text += code;
  });
  return result;
}

}  // namespace gauntlet::kernels
