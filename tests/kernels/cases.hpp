// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases that several tests of plans begin with, and the entries that there are.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::kernels {

inline constexpr Instance f32_pair{Type::f32, Type::f32, Op::sum};
inline constexpr Instance i32_pair{Type::i32, Type::i32, Op::sum};

struct Entry {
  std::string_view module, name;
};

/// As the PTX of all modules has them, in its order.
inline const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    constexpr std::string_view directive = ".entry ";
    std::vector<Entry> found;
    for (const Image& image : images()) {
      std::size_t at = 0;
      while ((at = image.ptx.find(directive, at)) != std::string_view::npos) {
        at += directive.size();
        const std::size_t end = image.ptx.find_first_of("( \t\n", at);
        found.push_back({image.module, image.ptx.substr(at, end - at)});
      }
    }
    return found;
  }();
  return all;
}

inline Case make_case(std::string variant, std::string form, Instance types, std::uint64_t n,
                      std::uint32_t block = Case{}.block) {
  Case c;
  c.variant = std::move(variant);
  c.form = std::move(form);
  c.in = types.in;
  c.acc = types.acc;
  c.op = types.op;
  c.n = n;
  c.block = block;
  c.grid = 0;
  return c;
}

}  // namespace gauntlet::kernels
