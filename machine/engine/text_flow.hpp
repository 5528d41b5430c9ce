// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where control goes in a function's PTX, and which registers are read there, before any of it is
// decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

/// The registers that an instruction computes, where that is known.
[[nodiscard]] std::vector<ptx::Operand*> results(ptx::Instruction& i);

class TextFlow {
 public:
  explicit TextFlow(const ptx::Function& f) : f_(f) { find_labels(); }
  /// After labels have moved.
  void find_labels();
  /// Where control may go on; empty where it ends, or is not followed.
  [[nodiscard]] std::vector<std::uint32_t> next(std::uint32_t k) const;
  /// Where all ways from a branch meet first.
  [[nodiscard]] std::optional<std::uint32_t> join_of(std::uint32_t branch) const;
  /// Some instruction from `from` on may read the register before it is written.
  [[nodiscard]] bool live(std::uint32_t from, std::string_view name) const;

 private:
  const ptx::Function& f_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;
};

}  // namespace gauntlet::simt
