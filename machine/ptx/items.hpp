// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The directives of module scope as they are written, for who puts several modules together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "machine/ptx/ast.hpp"

namespace gauntlet::ptx {

enum class Linkage : std::uint8_t { internal, external, weak, visible };

struct Item {
  std::string_view text;  ///< with the white space behind it; a piece of Module::text
  std::string_view name;  ///< of what it declares; empty: nothing
  Linkage linkage = Linkage::internal;
  bool defines = false, kernel = false;
};

/// Parses all but the bodies of functions, of which only braces, strings and comments are looked
/// at. Throws Error.
[[nodiscard]] Module parse_items(std::string text, std::string file_name, std::vector<Item>& items);

}  // namespace gauntlet::ptx
