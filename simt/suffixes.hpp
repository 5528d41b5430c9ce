// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The dotted parts of an opcode: its type, and the rest.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "simt/decode.hpp"

namespace gauntlet::simt {

/// The suffixes beside the type, each of which must be in the list.
struct Suffixes {
  ptx::ScalarType type = ptx::ScalarType::pred;
  bool has_type = false;
  std::vector<std::string_view> rest;
};
inline Suffixes split(const ptx::Instruction& i) {
  Suffixes s;
  for (const auto x : i.suffixes) {
    ptx::ScalarType t;
    if (parse_scalar_type(x, t)) {
      s.type = t;
      s.has_type = true;
    } else {
      s.rest.push_back(x);
    }
  }
  return s;
}
inline bool only(const Suffixes& s, std::initializer_list<std::string_view> allowed) {
  return std::all_of(s.rest.begin(), s.rest.end(), [&](auto x) {
    return std::find(allowed.begin(), allowed.end(), x) != allowed.end();
  });
}
inline bool has(const Suffixes& s, std::string_view x) {
  return std::find(s.rest.begin(), s.rest.end(), x) != s.rest.end();
}

}  // namespace gauntlet::simt
