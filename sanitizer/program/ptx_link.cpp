// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/ptx_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/numbers.hpp"
#include "machine/ptx/items.hpp"

namespace gauntlet::runtime {
namespace {

using Text = std::string_view;

bool of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.' || c == '@';
}

/// Walks over a text: words, single other characters, and whole strings and comments.
class Reader {
 public:
  explicit Reader(Text text) : text_(text) {}

  /// Empty at the end. White space and comments come first, and are no tokens.
  Text next() {
    skip_blank();
    const std::size_t begin = at_;
    if (at_ >= text_.size()) return {};
    if (text_[at_] == '"') {
      at_ = text_.find('"', at_ + 1);
      at_ = at_ == text_.npos ? text_.size() : at_ + 1;
    } else if (of_word(text_[at_])) {
      while (at_ < text_.size() && of_word(text_[at_])) ++at_;
    } else {
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }

 private:
  void skip_blank() {
    for (; at_ < text_.size(); ++at_) {
      const Text rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const auto end = rest.find("*/");
        at_ = end == rest.npos ? text_.size() : at_ + end + 1;
      } else if (std::isspace(static_cast<unsigned char>(rest.front())) == 0) {
        return;
      }
    }
  }
  Text text_;
  std::size_t at_ = 0;
};

struct Unit {
  ptx::Module module;
  std::vector<ptx::Item> items;
};

Unit read_unit(const std::string& text) {
  Unit unit;
  unit.module = ptx::parse_items(text, "PTX", unit.items);
  if (unit.module.version.empty() || unit.module.target.empty()) throw std::runtime_error("no PTX");
  return unit;
}

/// What a linked text has once, or not at all.
bool is_of_unit_alone(const ptx::Item& item) {
  return std::ranges::any_of(
      std::array<Text, 4>{".version", ".target", ".address_size", ".section"},
      [&](Text directive) { return item.text.starts_with(directive); });
}

std::pair<unsigned, unsigned> version_of(Text text) {
  const auto major = take_number<unsigned>(text, 10);
  if (!text.empty()) text.remove_prefix(1);
  return {major.value_or(0), take_number<unsigned>(text, 10).value_or(0)};
}

/// The text with other names, and other numbers of files in .file and .loc.
std::string rewritten(Text text, const std::map<Text, std::string>& names, std::uint64_t file) {
  std::string out;
  Reader reader(text);
  std::size_t copied = 0;
  bool number = false;
  for (Text word = reader.next(); !word.empty(); word = reader.next()) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    std::string other;
    if (std::exchange(number, false)) {
      if (const auto n = parse_number<std::uint64_t>(word)) other = std::to_string(*n + file);
    } else if (const auto found = names.find(word); found != names.end()) {
      other = found->second;
    }
    number = word == ".file" || word == ".loc" || word == "inlined_at";
    if (other.empty()) continue;
    out += text.substr(copied, begin - copied);
    out += other;
    copied = begin + word.size();
  }
  return out += text.substr(copied);
}

}  // namespace

std::uint32_t arch_of_target(Text target) {
  target.remove_prefix(std::min(target.find_first_of("0123456789"), target.size()));
  return take_number<std::uint32_t>(target, 10).value_or(0);
}

std::string link_ptx(const std::vector<std::string>& units, KernelArchs* archs) {
  if (units.size() == 1) return units.front();
  std::vector<Unit> all;
  all.reserve(units.size());                    // a copy's views would point into the original
  std::map<Text, std::set<std::size_t>> users;  // units of each name
  std::map<Text, std::size_t> definers;         // of names with linkage: strong before weak
  std::set<Text> strong;
  for (const std::string& text : units) {
    const std::size_t k = all.size();
    for (const ptx::Item& item : all.emplace_back(read_unit(text)).items) {
      if (item.name.empty()) continue;
      users[item.name].insert(k);
      if (!item.defines || item.linkage == ptx::Linkage::internal) continue;
      if (item.linkage == ptx::Linkage::weak) {
        definers.try_emplace(item.name, k);
      } else if (strong.insert(item.name).second) {
        definers[item.name] = k;
      } else {
        throw std::runtime_error(fmt::format("{} is defined in two linked units", item.name));
      }
    }
  }
  const Unit& newest = *std::ranges::max_element(
      all, {}, [](const Unit& unit) { return version_of(unit.module.version); });
  const Unit& highest = *std::ranges::max_element(
      all, {}, [](const Unit& unit) { return arch_of_target(unit.module.target); });
  std::string out = fmt::format(".version {}\n.target {}\n.address_size 64\n",
                                newest.module.version, highest.module.target);
  std::uint64_t files = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::map<Text, std::string> names;
    for (const ptx::Item& item : all[k].items) {
      if (item.defines && item.linkage == ptx::Linkage::internal && users[item.name].size() > 1) {
        names.emplace(item.name, fmt::format("{}$unit{}", item.name, k + 1));
      }
    }
    for (const ptx::Item& item : all[k].items) {
      const auto definer = definers.find(item.name);
      const bool elsewhere = item.defines && item.linkage == ptx::Linkage::weak &&
                             definer != definers.end() && definer->second != k;
      if (elsewhere || is_of_unit_alone(item)) continue;
      out += rewritten(item.text, names, files) + "\n";
      if (archs != nullptr && item.kernel)
        archs->emplace(item.name, arch_of_target(all[k].module.target));
    }
    if (!all[k].module.files.empty()) files += all[k].module.files.size() - 1;
  }
  return out;
}

}  // namespace gauntlet::runtime
