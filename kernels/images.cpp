// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/images.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "kernels/embedded.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::kernels {
namespace {

std::vector<Image> make_images() {
  std::vector<Image> result;
  for (const EmbeddedFile& file : detail::embedded()) {
    if (file.name.ends_with(".ptx")) result.push_back({file.stem(), file.content()});
  }
  return result;
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
    for (const Image& image : images())
      result.emplace(image.module, spec::capability_of(image.ptx));
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

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

std::string entry_stem(const Case& c, Type in) {
  std::string stem;
  stem.reserve(80);
  stem.append(c.variant).append("__").append(c.form);
  std::replace(stem.end() - static_cast<std::ptrdiff_t>(c.form.size()), stem.end(), '-', '_');
  stem.append("__").append(name(in)).append("_").append(name(c.acc)).append("_");
  return stem.append(name(c.op));
}

}  // namespace gauntlet::kernels
