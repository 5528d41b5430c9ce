// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Cases that several tests of plans begin with.
#pragma once

#include <string>
#include <utility>

#include "kernels/catalogue.hpp"
#include "properties/case/case.hpp"

namespace gauntlet::kernels {

inline constexpr Instance f32_pair{Type::f32, Type::f32, Op::sum};
inline constexpr Instance i32_pair{Type::i32, Type::i32, Op::sum};

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
