// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/select.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/spelling.hpp"

namespace gauntlet::properties {
namespace {

constexpr std::size_t shortest_part = 3;  // of a name; less is rather a slip of the hand

bool is_glob(std::string_view pattern) { return pattern.find_first_of("*?[") != pattern.npos; }

/// What a part of a selector says: a name, a glob, or a part of names that is no name itself.
struct Pattern {
  std::string text;
  bool part = false;
  bool exact = false;  ///< a path, which may have any letters

  [[nodiscard]] bool matches(const std::string& name) const {
    if (exact) return text == name;
    if (part) return name.find(text) != name.npos;
    return text == name || (is_glob(text) && fnmatch(text.c_str(), name.c_str(), 0) == 0);
  }
};

struct Selector {
  Pattern variant, form;
};

Selector parse(const std::string& text) {
  if (const auto spec = named_spec(text)) {
    return {{spec->path, false, true}, {spec->form.empty() ? "*" : spec->form}};
  }
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return {{text}, {"*"}};
  return {{text.substr(0, at)}, {text.substr(at + 1)}};
}

/// Makes what is no name a part of names, where it is one. Every part must name something, or a
/// slip of the hand would silently check nothing.
void settle(Pattern& pattern, const std::vector<std::string_view>& names, const std::string& what,
            std::string_view otherwise = {}) {
  const auto known = [&] {
    return std::ranges::any_of(names,
                               [&](auto name) { return pattern.matches(std::string(name)); });
  };
  if (known()) return;
  if (pattern.exact) throw CaseError(fmt::format("{}: not one of the specs", pattern.text));
  pattern.part = pattern.text.size() >= shortest_part && !is_glob(pattern.text);
  if (!known()) throw CaseError(unknown_word(what, pattern.text, names, otherwise));
}

void require_known(const Subject& subject, Selector& selector) {
  std::vector<std::string_view> variants, forms;
  for (const Variant& variant : subject.variants()) variants.push_back(variant.id);
  settle(selector.variant, variants, "variant", all_variants);
  for (const Variant& variant : subject.variants()) {
    if (!selector.variant.matches(variant.id)) continue;
    for (const Form& form : variant.forms) {
      if (std::find(forms.begin(), forms.end(), form.name) == forms.end()) {
        forms.push_back(form.name);
      }
    }
  }
  settle(selector.form, forms,
         selector.variant.text == "*" ? "form" : fmt::format("form of {}", selector.variant.text));
}

}  // namespace

void require_shard(unsigned shard, unsigned shards) {
  if (shards == 0 || shard >= shards) {
    throw CaseError(fmt::format("shard {}/{}: write I/N with I from 0 to N-1", shard, shards));
  }
}

std::vector<Selected> select(const Subject& subject, const std::vector<std::string>& selectors,
                             unsigned shard, unsigned shards) {
  require_shard(shard, shards);
  std::vector<Selector> wanted;
  for (const std::string& text : selectors) {
    wanted.push_back(parse(text));
    require_known(subject, wanted.back());
  }
  if (wanted.empty()) wanted.push_back({{"*"}, {"*"}});

  std::vector<Selected> selected;
  std::size_t index = 0;
  for (const Variant& variant : subject.variants()) {
    for (const Form& form : variant.forms) {
      const bool mine = index++ % shards == shard;
      const bool named = std::any_of(wanted.begin(), wanted.end(), [&](const Selector& selector) {
        return selector.variant.matches(variant.id) && selector.form.matches(form.name);
      });
      if (mine && named) selected.push_back({&variant, &form});
    }
  }
  return selected;
}

}  // namespace gauntlet::properties
