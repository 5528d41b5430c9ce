// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/ptx/scope.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet::ptx {

std::string_view ScopeStack::keep(std::string characters) {
  return names_.emplace_back(std::move(characters));
}

void ScopeStack::begin_function() {
  // Made anew: to clear the tables that a long function has left takes as long as it did.
  open_.clear();
  outermost_ = {};
  outermost_labels_ = {};
  entries_ = {};
  labels_ = {};
}

void ScopeStack::open(const Function& function) {
  Scope& scope = open_.emplace_back();
  scope.first_instruction = function.body.size();
}

void ScopeStack::close(Function& function) {
  const Scope& scope = open_.back();
  const auto rename = [&](std::string_view& name) {
    for (const Name& label : scope.labels) {
      if (label.written == name) {
        name = label.unique;
        return;
      }
    }
  };
  if (!scope.labels.empty()) {
    for (std::size_t i = scope.first_instruction; i < function.body.size(); ++i) {
      if (function.body[i].opcode != "bra") continue;
      for (Operand& operand : function.body[i].operands) rename(operand.name);
    }
  }
  const std::size_t depth = open_.size();
  for (const Name& name : scope.names) {
    for (Entry& entry : entries_[name.written]) {
      if (entry.depth == depth) entry.depth = 0;
    }
  }
  open_.pop_back();
}

std::string_view ScopeStack::resolve(std::string_view name) const {
  for (std::size_t i = open_.size(); i-- > 1;) {
    for (const Name& declared : open_[i].names) {
      if (declared.written == name) return declared.unique;
    }
  }
  return name;
}

ScopeStack::Declared ScopeStack::declare(std::string_view name, const std::string& signature) {
  if (!nested()) return {outermost_.insert(name).second ? name : std::string_view{}, true};
  Scope& scope = open_.back();
  const auto same = [&](const Name& other) { return other.written == name; };
  if (std::any_of(scope.names.begin(), scope.names.end(), same)) return {{}, true};

  std::vector<Entry>& entries = entries_[name];
  auto entry = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) {
    return e.depth == 0 && !signature.empty() && e.signature == signature;
  });
  const bool fresh = entry == entries.end();
  if (fresh) {
    const auto unique =
        keep(std::string(name).append("@").append(std::to_string(entries.size() + 1)));
    entry = entries.insert(entries.end(), {unique, signature, 0});
  }
  entry->depth = open_.size();
  scope.names.push_back({name, entry->unique});
  return {entry->unique, fresh};
}

ScopeStack::Declared ScopeStack::declare_label(std::string_view name) {
  if (!nested()) return {outermost_labels_.insert(name).second ? name : std::string_view{}, true};
  Scope& scope = open_.back();
  const auto same = [&](const Name& other) { return other.written == name; };
  if (std::any_of(scope.labels.begin(), scope.labels.end(), same)) return {{}, true};
  // Labels never share: each is another place.
  const auto unique = keep(std::string(name).append("@").append(std::to_string(++labels_[name])));
  scope.labels.push_back({name, unique});
  return {unique, true};
}

}  // namespace gauntlet::ptx
