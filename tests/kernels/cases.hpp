// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases that several tests of plans begin with, and the entries that there are.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "machine/ptx/bodies.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::kernels {

inline constexpr Instance f32_pair{Type::f32, Type::f32, Op::sum};
inline constexpr Instance i32_pair{Type::i32, Type::i32, Op::sum};

/// What the module declares, without the bodies of its entries.
inline const ptx::Module& outline(std::string_view module) {
  static std::map<std::string, ptx::Module> read;  // of its own names: a plan ends before it
  const auto [it, fresh] = read.try_emplace(std::string(module));
  if (fresh) {
    ptx::Bodies bodies;
    it->second = ptx::parse_outline(std::string(ptx_of(module)), std::string(module), bodies);
  }
  return it->second;
}

struct Entry {
  std::string_view module, name;
};

/// As the PTX of all modules has them, in its order.
inline const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> found;
    for (const Image& image : images()) {
      for (const ptx::Function& f : outline(image.module).functions) {
        if (f.entry) found.push_back({image.module, f.name});
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
