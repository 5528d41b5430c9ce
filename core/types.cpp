// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "core/types.hpp"

namespace gauntlet {

std::size_t size_of(Type type) {
  constexpr std::array<std::uint8_t, enum_names<Type>.size()> sizes{1, 1, 2, 2, 4, 4,
                                                                    8, 8, 2, 2, 4, 8};
  return sizes.at(static_cast<std::size_t>(type));
}

bool is_float(Type type) { return type >= Type::f16; }

bool is_signed(Type type) { return is_float(type) || name(type).front() == 'i'; }

}  // namespace gauntlet
