// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <unordered_map>

#include "base/case_error.hpp"
#include "base/numbers.hpp"
#include "kernels/embedded.hpp"

namespace gauntlet::kernels {
namespace {

std::vector<Image> make_images() {
  std::vector<Image> result;
  for (const EmbeddedFile& file : detail::embedded()) {
    if (file.name.ends_with(".ptx")) result.push_back({file.stem(), file.content()});
  }
  return result;
}

std::uint32_t target_of(std::string_view ptx) {
  constexpr std::string_view target = ".target sm_";
  const std::size_t at = ptx.find(target);
  if (at == std::string_view::npos) return 0;
  std::string_view digits = ptx.substr(at + target.size(), 4);
  return take_number<std::uint32_t>(digits).value_or(0);
}

/// Of lines "MODULE.ptx:.entry NAME", which the build finds in the PTX: reading all of it in each
/// process takes longer than most cases do.
std::vector<Entry> make_entries() {
  constexpr std::string_view between = ".ptx:.entry ";
  std::vector<Entry> result;
  std::string_view lines = find_embedded(detail::embedded(), "entries.txt")->content();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    const std::size_t at = line.find(between);
    result.push_back({line.substr(0, at), line.substr(at + between.size())});
    lines.remove_prefix(line.size() + 1);
  }
  return result;
}

}  // namespace

const std::vector<Image>& images() {
  static const std::vector<Image> all = make_images();
  return all;
}

std::uint32_t capability_of(std::string_view module) {
  static const auto capabilities = [] {
    std::unordered_map<std::string_view, std::uint32_t> result;
    for (const Image& image : images()) result.emplace(image.module, target_of(image.ptx));
    return result;
  }();
  const auto found = capabilities.find(module);
  return found == capabilities.end() ? 0 : found->second;
}

std::optional<std::uint32_t> entry_index(std::string_view name) {
  static const auto indices = [] {
    std::unordered_map<std::string_view, std::uint32_t> result;
    for (const Entry& entry : entries()) {
      result.emplace(entry.name, static_cast<std::uint32_t>(result.size()));
    }
    return result;
  }();
  const auto found = indices.find(name);
  return found == indices.end() ? std::nullopt : std::optional(found->second);
}

std::string_view module_of_entry(std::string_view name) {
  const auto index = entry_index(name);
  if (!index) throw CaseError(fmt::format("no compiled kernel is called {}", name));
  return entries()[*index].module;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

const std::vector<std::uint32_t>& compiled_blocks(std::string_view stem) {
  static const auto blocks = [] {
    std::unordered_map<std::string_view, std::vector<std::uint32_t>> result;
    for (const Entry& entry : entries()) {
      const std::size_t at = entry.name.rfind("__b");
      if (at == std::string_view::npos) continue;
      std::string_view digits = entry.name.substr(at + 3);
      const auto block = take_number<std::uint32_t>(digits);
      if (block) result[entry.name.substr(0, at)].push_back(*block);
    }
    for (auto& [name, list] : result) std::ranges::sort(list);
    return result;
  }();
  static const std::vector<std::uint32_t> none;
  const auto found = blocks.find(stem);
  return found == blocks.end() ? none : found->second;
}

std::string entry_stem(const Case& c, Type in) {
  std::string stem;
  stem.reserve(80);
  stem.append(c.variant).append("__").append(c.form);
  std::replace(stem.end() - static_cast<std::ptrdiff_t>(c.form.size()), stem.end(), '-', '_');
  stem.append("__").append(name(in)).append("_").append(name(c.acc)).append("_");
  return stem.append(name(c.op));
}

std::string entry_name(const Case& c, Type in) {
  std::string entry = entry_stem(c, in);
  if (!compiled_blocks(entry).empty()) entry.append("__b").append(std::to_string(c.block));
  return entry;
}

}  // namespace gauntlet::kernels
