// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The braces of a function's body: which declaration a name means, and a unique spelling for each.
//
// Names of the outermost braces keep their spelling. A name declared further in becomes NAME@K,
// with the least K that no open scope uses and whose declaration agrees: an inline-assembly block
// that occurs a thousand times then costs one register, not a thousand.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "machine/ptx/ast.hpp"

namespace gauntlet::ptx {

class ScopeStack {
 public:
  /// `names` keeps the characters of the spellings made here.
  explicit ScopeStack(std::deque<std::string>& names) : names_(names) {}

  void begin_function();
  [[nodiscard]] bool nested() const { return open_.size() > 1; }
  void open(const Function& function);
  /// Closes the innermost scope: branches inside it to its labels get the labels' unique names.
  void close(Function& function);

  /// The unique spelling of `name` as seen from here.
  [[nodiscard]] std::string_view resolve(std::string_view name) const;

  struct Declared {
    std::string_view name;  ///< unique spelling; empty: already declared in this scope
    bool fresh = true;      ///< false: shares the entry of an earlier, closed scope
  };
  /// Declares `name`. Scopes share an entry when `signature` (any text of the caller's that says
  /// what is declared) is equal and not empty.
  Declared declare(std::string_view name, const std::string& signature);
  Declared declare_label(std::string_view name);

  [[nodiscard]] std::string_view keep(std::string characters);

 private:
  struct Name {
    std::string_view written, unique;
  };
  struct Scope {
    std::vector<Name> names, labels;
    std::size_t first_instruction = 0;
  };
  struct Entry {
    std::string_view unique;
    std::string signature;
    std::size_t depth = 0;  // of the open scope that uses it; 0: none
  };

  std::deque<std::string>& names_;
  std::vector<Scope> open_;
  std::unordered_set<std::string_view> outermost_, outermost_labels_;
  std::unordered_map<std::string_view, std::vector<Entry>> entries_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;  // how many nested ones so far
};

}  // namespace gauntlet::ptx
