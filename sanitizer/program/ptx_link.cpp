// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/ptx_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/numbers.hpp"

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
  [[nodiscard]] std::size_t at() const { return at_; }

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
  void to_end_of_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

 private:
  void skip_blank() {
    for (; at_ < text_.size(); ++at_) {
      const Text rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        to_end_of_line();
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

enum class Linkage : std::uint8_t { internal, external, weak, visible };

/// A declaration of module scope, or a line that is none (no name).
struct Item {
  Text text, name;
  Linkage linkage = Linkage::internal;
  bool defines = false, kernel = false;
};

struct Unit {
  std::string version, target;
  std::vector<Item> items;
  std::uint64_t files = 0;  ///< the highest number of a .file
};

std::pair<unsigned, unsigned> version_of(Text text) {
  const auto major = take_number<unsigned>(text, 10);
  if (!text.empty()) text.remove_prefix(1);
  return {major.value_or(0), take_number<unsigned>(text, 10).value_or(0)};
}

unsigned arch_of_target(Text text) {
  const auto digits = text.find_first_of("0123456789");
  if (digits == text.npos) return 0;
  text.remove_prefix(digits);
  return take_number<unsigned>(text, 10).value_or(0);
}

/// The declaration that begins with the token `word`.
Item declaration(Text unit, Reader& reader, Text word) {
  const auto begin = static_cast<std::size_t>(word.data() - unit.data());
  Item item;
  bool function = false, valued = false;
  unsigned depth = 0;
  for (; !word.empty(); word = reader.next()) {
    const char c = word.front();
    if (c == '(' || c == '[' || c == '{') {
      if (c == '{' && depth == 0 && function) item.defines = true;
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (depth == 0) break;
      --depth;
      if (c == '}' && depth == 0 && item.defines && function) {
        item.text = unit.substr(begin, reader.at() - begin);
        return item;
      }
    } else if (depth != 0) {
      continue;
    } else if (c == ';') {
      item.defines = !function && item.linkage != Linkage::external;
      item.text = unit.substr(begin, reader.at() - begin);
      return item;
    } else if (c == '=') {
      valued = true;
    } else if (word == ".func" || word == ".entry") {
      function = true;
      item.kernel = word == ".entry";
    } else if (word == ".extern") {
      item.linkage = Linkage::external;
    } else if (word == ".weak") {
      item.linkage = Linkage::weak;
    } else if (word == ".visible" || word == ".common") {
      item.linkage = word == ".visible" ? Linkage::visible : Linkage::weak;
    } else if (of_word(c) && c != '.' && std::isdigit(static_cast<unsigned char>(c)) == 0 &&
               item.name.empty() && !valued) {
      item.name = word;
    }
  }
  throw std::runtime_error(fmt::format("PTX that ends within the declaration of {}", item.name));
}

Unit read_unit(Text text) {
  Unit unit;
  Reader reader(text);
  for (Text word = reader.next(); !word.empty(); word = reader.next()) {
    const auto begin = static_cast<std::size_t>(word.data() - text.data());
    const auto line = [&] {
      reader.to_end_of_line();
      return text.substr(begin, reader.at() - begin);
    };
    if (word == ".version" || word == ".target") {
      const bool version = word == ".version";
      Text rest = line().substr(word.size());
      rest = rest.substr(0, rest.find("//"));
      (version ? unit.version : unit.target) = rest;
    } else if (word == ".address_size") {
      reader.to_end_of_line();
    } else if (word == ".file") {
      Text number = reader.next();
      unit.files = std::max(unit.files, take_number<std::uint64_t>(number, 10).value_or(0));
      unit.items.push_back({line(), {}});
    } else if (word == ".section") {
      while (!word.empty() && word != "}") word = reader.next();
    } else {
      unit.items.push_back(declaration(text, reader, word));
    }
  }
  if (unit.version.empty() || unit.target.empty()) throw std::runtime_error("no PTX");
  return unit;
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

std::string link_ptx(const std::vector<std::string>& units, KernelArchs* archs) {
  if (units.size() == 1) return units.front();
  std::vector<Unit> all;
  std::map<Text, std::set<std::size_t>> users;  // units of each name
  std::map<Text, std::size_t> definers;         // of names with linkage: strong before weak
  std::set<Text> strong;
  for (const std::string& text : units) {
    const std::size_t k = all.size();
    for (const Item& item : all.emplace_back(read_unit(text)).items) {
      if (item.name.empty()) continue;
      users[item.name].insert(k);
      if (!item.defines || item.linkage == Linkage::internal) continue;
      if (item.linkage == Linkage::weak) {
        definers.try_emplace(item.name, k);
      } else if (strong.insert(item.name).second) {
        definers[item.name] = k;
      } else {
        throw std::runtime_error(fmt::format("{} is defined in two linked units", item.name));
      }
    }
  }
  const Unit& newest = *std::ranges::max_element(
      all, {}, [](const Unit& unit) { return version_of(Text(unit.version).substr(1)); });
  const Unit& highest = *std::ranges::max_element(
      all, {}, [](const Unit& unit) { return arch_of_target(unit.target); });
  std::string out =
      fmt::format(".version{}\n.target{}\n.address_size 64\n", newest.version, highest.target);
  std::uint64_t files = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    std::map<Text, std::string> names;
    for (const Item& item : all[k].items) {
      if (item.defines && item.linkage == Linkage::internal && users[item.name].size() > 1) {
        names.emplace(item.name, fmt::format("{}$unit{}", item.name, k + 1));
      }
    }
    for (const Item& item : all[k].items) {
      const auto definer = definers.find(item.name);
      const bool elsewhere = item.defines && item.linkage == Linkage::weak &&
                             definer != definers.end() && definer->second != k;
      if (elsewhere) continue;
      out += rewritten(item.text, names, files) + "\n";
      if (archs != nullptr && item.kernel) archs->emplace(item.name, arch_of_target(all[k].target));
    }
    files += all[k].files;
  }
  return out;
}

}  // namespace gauntlet::runtime
