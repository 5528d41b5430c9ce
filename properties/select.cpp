// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/select.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/spelling.hpp"

namespace gauntlet::properties {
namespace {

bool matches(std::string_view pattern, std::string_view name) {
  return pattern == "*" || pattern == name;
}

struct Selector {
  std::string variant, form;
};

Selector parse(const std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return {text, "*"};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// Every part must name something, or a slip of the hand would silently check nothing.
void require_known(const Source& source, const Selector& selector) {
  std::vector<std::string_view> variants, forms;
  for (const kernels::Variant& variant : *source.variants) {
    variants.push_back(variant.id);
    if (!matches(selector.variant, variant.id)) continue;
    for (const kernels::Form& form : variant.forms) {
      if (std::find(forms.begin(), forms.end(), form.name) == forms.end()) {
        forms.push_back(form.name);
      }
    }
  }
  const auto knows = [](const auto& names, std::string_view pattern) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view name) { return matches(pattern, name); });
  };
  if (!knows(variants, selector.variant)) {
    throw CaseError(unknown_word("variant", selector.variant, variants));
  }
  if (!knows(forms, selector.form)) {
    const std::string what =
        selector.variant == "*" ? "form" : fmt::format("form of {}", selector.variant);
    throw CaseError(unknown_word(what, selector.form, forms));
  }
}

}  // namespace

std::vector<Selected> select(const Source& source, const std::vector<std::string>& selectors,
                             unsigned shard, unsigned shards) {
  if (shards == 0 || shard >= shards) {
    throw CaseError(fmt::format("shard {}/{}: write I/N with I from 0 to N-1", shard, shards));
  }
  std::vector<Selector> wanted;
  for (const std::string& text : selectors) {
    wanted.push_back(parse(text));
    require_known(source, wanted.back());
  }
  if (wanted.empty()) wanted.push_back({"*", "*"});

  std::vector<Selected> selected;
  std::size_t index = 0;
  for (const kernels::Variant& variant : *source.variants) {
    for (const kernels::Form& form : variant.forms) {
      const bool mine = index++ % shards == shard;
      const bool named = std::any_of(wanted.begin(), wanted.end(), [&](const Selector& selector) {
        return matches(selector.variant, variant.id) && matches(selector.form, form.name);
      });
      if (mine && named) selected.push_back({&variant, &form});
    }
  }
  return selected;
}

}  // namespace gauntlet::properties
