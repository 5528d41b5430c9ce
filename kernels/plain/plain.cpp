// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plain/plain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "base/names.hpp"
#include "base/numbers.hpp"
#include "base/types.hpp"
#include "kernels/images.hpp"
#include "kernels/plain/embedded.hpp"
#include "kernels/plain/folded.hpp"

namespace gauntlet::kernels {
namespace {

constexpr std::size_t comment_width = 80;
constexpr std::uint32_t usual_block = 256;

/// What VARIANT.lines says of one form.
struct Record {
  Instance instance;
  std::uint32_t block = 0, size = 0;
  std::vector<std::pair<std::uint32_t, std::string>> lines;
};

std::optional<Record> record_of(std::string_view text, std::string_view name) {
  std::istringstream file{std::string(text)};
  std::optional<Record> found;
  for (std::string row; std::getline(file, row);) {
    std::istringstream words(row);
    std::string word;
    words >> word;
    if (word.find('@') != word.npos) {
      if (found) break;
      if (word != name) continue;
      std::string in, acc, op;
      found.emplace();
      words >> in >> acc >> op >> found->block >> found->size;
      found->instance = {parse<Type>(in).value(), parse<Type>(acc).value(),
                         parse<Op>(op).value()};
    } else if (found) {
      const auto number = parse_number<std::uint32_t>(word).value();
      while (words >> word) found->lines.emplace_back(number, word);
    }
  }
  return found;
}

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

std::string head(const Variant& variant, const Form& form, const Record& record,
                 std::uint32_t block) {
  const auto& [in, acc, op] = record.instance;
  std::string text =
      comment(fmt::format("{}@{} (document: {}): {}", variant.id, form.name,
                          variant.documents, variant.idea));
  for (const std::string& fix : form.missing) {
    const auto defect = std::ranges::find(variant.defects, fix, &Defect::fix);
    if (defect != variant.defects.end()) {
      text += comment(fmt::format("Lacks {}: {}", fix, defect->what));
    }
  }
  Case c;
  c.variant = variant.id;
  c.form = form.name;
  c.in = in;
  c.acc = acc;
  c.op = op;
  c.block = block != 0 ? block : 256;
  std::string launch = block != 0
                           ? fmt::format("Launch: blocks of {} threads", block)
                           : fmt::format("Launch: {}", variant.contract);
  const Row& row = *find_row(variant.id);
  std::uint64_t tile = 0;  // where a block takes one
  std::uint32_t shared_bytes = 0;
  if (row.written != nullptr) {
    if (!row.written->steps()) tile = row.written->tile(c);
    shared_bytes = row.written->plan(c).launches.front().shared_bytes;
  }
  if (tile != 0) {
    launch += fmt::format("; a block of {} covers {} elements", c.block, tile);
  }
  if (shared_bytes != 0) {
    launch += fmt::format("; dynamic shared memory: {} bytes for {} threads",
                          shared_bytes, c.block);
  }
  return text + comment(launch + ".") + "\n";
}

/// The one constant of a text that is written for a block.
std::string with_block(std::string code, std::uint32_t size) {
  const std::string_view before = "block_size = ";
  const auto at = code.find(before);
  if (at == code.npos)
    throw std::logic_error("no block_size in a plain source");
  const auto begin = at + before.size();
  return code.replace(begin, code.find(';', begin) - begin,
                      std::to_string(size));
}

}  // namespace

std::vector<std::uint32_t> PlainSource::lines_of(std::string_view file,
                                                 std::uint32_t line) const {
  const auto found =
      lines.find(fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line));
  return found == lines.end() ? std::vector<std::uint32_t>{} : found->second;
}

namespace {

/// Of a row that is two files.
std::optional<PlainSource> written_source(const Row& row, const Form& form,
                                          std::uint32_t block) {
  const Variant& variant = row.variant;
  const TypePair& types = variant.documented_types.front();
  const auto& operators = row.written->spec().documented_operators;
  const Op op = operators.empty() ? Op::sum : operators.front();
  const Record record{{types.in, types.acc, op}, 0, 0, {}};
  Case c;
  c.variant = variant.id;
  c.form = form.name;
  c.in = types.in;
  c.acc = types.acc;
  c.op = op;
  const auto& blocks = compiled_blocks(entry_stem(c, c.in));
  if (block != 0 && !blocks.empty() && std::ranges::count(blocks, block) == 0)
    return std::nullopt;
  PlainSource source;
  source.name = fmt::format("{}@{}", variant.id, form.name);
  source.instance = record.instance;
  source.block = blocks.empty() ? 0 : block != 0 ? block : usual_block;
  const Folded code = folded(*row.written, form, source.instance, source.block);
  source.text = head(variant, form, record, source.block);
  auto number =
      static_cast<std::uint32_t>(std::ranges::count(source.text, '\n'));
  for (const std::uint32_t line : code.lines) {
    ++number;
    if (line == 0) continue;
    source.lines[fmt::format("{}:{}", row.written->spec().kernel, line)]
        .push_back(number);
  }
  source.text += code.text;
  return source;
}

}  // namespace

std::optional<PlainSource> plain_source(const Variant& variant,
                                        const Form& form, std::uint32_t block) {
  const Row* const row = find_row(variant.id);
  if (row != nullptr && row->written != nullptr)
    return written_source(*row, form, block);
  const auto files = detail::embedded_plain();
  const std::string name = fmt::format("{}@{}", variant.id, form.name);
  const EmbeddedFile* code = find_embedded(files, name + ".cu");
  const EmbeddedFile* lines = find_embedded(files, variant.id + ".lines");
  if (code == nullptr || lines == nullptr) return std::nullopt;
  const auto record = record_of(lines->content(), name);
  if (!record)
    throw std::logic_error(name + ": a plain source without its lines");
  PlainSource source;
  source.name = name;
  source.instance = record->instance;
  source.block = record->block;
  std::string text(code->content());
  if (block != 0 && record->block != 0 && block != record->block) {
    Case c;
    c.variant = variant.id;
    c.form = form.name;
    c.in = record->instance.in;
    c.acc = record->instance.acc;
    c.op = record->instance.op;
    const auto& blocks = compiled_blocks(entry_stem(c, c.in));
    if (record->size == 0 || std::ranges::count(blocks, block) == 0)
      return std::nullopt;
    text = with_block(std::move(text), record->size / record->block * block);
    source.block = block;
  }
  const std::string above = head(variant, form, *record, source.block);
  const auto offset =
      static_cast<std::uint32_t>(std::ranges::count(above, '\n'));
  for (const auto& [number, place] : record->lines)
    source.lines[place].push_back(number + offset);
  source.text = above + text;
  return source;
}

}  // namespace gauntlet::kernels
