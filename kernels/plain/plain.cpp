// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/plain/plain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "kernels/images.hpp"
#include "kernels/plain/folded.hpp"
#include "properties/language/tiles.hpp"

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
  const spec::Loaded& loaded = row.written->loaded(c);
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

}  // namespace

std::vector<std::uint32_t> PlainSource::lines_of(std::string_view file, std::uint32_t line) const {
  const auto found = lines.find(fmt::format("{}:{}", file.substr(file.rfind('/') + 1), line));
  return found == lines.end() ? std::vector<std::uint32_t>{} : found->second;
}

std::optional<PlainSource> plain_source(const Variant& variant, const Form& form,
                                        std::uint32_t block) {
  const Row* const row = find_row(variant.id);
  if (row == nullptr || row->by_host) return std::nullopt;
  const TypePair& types = variant.documented_types.front();
  const auto& operators = row->written->spec().documented_operators;
  const Op op = operators.empty() ? Op::sum : operators.front();
  PlainSource source;
  source.instance = {types.in, types.acc, op};
  Case c;
  c.variant = variant.id;
  c.form = form.name;
  c.in = types.in;
  c.acc = types.acc;
  c.op = op;
  const auto blocks = spec::blocks_of(row->written->loaded(c));
  if (block != 0 && !blocks.empty() && std::ranges::count(blocks, block) == 0) return std::nullopt;
  source.name = fmt::format("{}@{}", variant.id, form.name);
  source.block = blocks.empty() ? 0 : block != 0 ? block : usual_block;
  c.block = source.block != 0 ? source.block : usual_block;
  const Folded code = folded(*row->written, form, source.instance, source.block);
  source.text = head(*row, form, c, source.block);
  auto number = static_cast<std::uint32_t>(std::ranges::count(source.text, '\n'));
  for (const std::uint32_t line : code.lines) {
    ++number;
    if (line == 0) continue;
    source.lines[fmt::format("{}:{}", row->written->spec().kernel, line)].push_back(number);
  }
  source.text += code.text;
  return source;
}

}  // namespace gauntlet::kernels
