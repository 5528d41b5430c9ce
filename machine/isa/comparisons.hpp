// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The comparisons of setp and set (PTX ISA 9.0, 9.7.6): by name, by type, with .ftz.
#pragma once

#include <string_view>
#include <unordered_map>

#include "machine/isa/modifiers.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

inline const ops::Compare* find_compare(std::string_view name) {
  static const std::unordered_map<std::string_view, ops::Compare> compares = {
      {"eq", ops::Compare::eq},   {"ne", ops::Compare::ne},   {"lt", ops::Compare::lt},
      {"le", ops::Compare::le},   {"gt", ops::Compare::gt},   {"ge", ops::Compare::ge},
      {"lo", ops::Compare::lt},   {"ls", ops::Compare::le},   {"hi", ops::Compare::gt},
      {"hs", ops::Compare::ge},   {"equ", ops::Compare::equ}, {"neu", ops::Compare::neu},
      {"ltu", ops::Compare::ltu}, {"leu", ops::Compare::leu}, {"gtu", ops::Compare::gtu},
      {"geu", ops::Compare::geu}, {"num", ops::Compare::num}, {"nan", ops::Compare::nan}};
  const auto it = compares.find(name);
  return it == compares.end() ? nullptr : &it->second;
}

/// The lanes where F holds of a and b.
template <class T, class F>
std::uint32_t compared(const Warp& w, const Inst& i) {
  const auto *a = w.source<Slot<T>>(i.a), *b = w.source<Slot<T>>(i.b);
  return lane_mask([=](int l) { return F{}(from_slot<T>(a[l]), from_slot<T>(b[l])); });
}

/// `make` is called with the comparison as a type; null for one that the type has not.
template <class T, class Make>
Handler with_compare(ops::Compare c, Make make) {
  using C = ops::Compare;
  switch (c) {
    case C::eq:
      return make(ops::Cmp<C::eq>{});
    case C::ne:
      return make(ops::Cmp<C::ne>{});
    case C::lt:
      return make(ops::Cmp<C::lt>{});
    case C::le:
      return make(ops::Cmp<C::le>{});
    case C::gt:
      return make(ops::Cmp<C::gt>{});
    case C::ge:
      return make(ops::Cmp<C::ge>{});
    default:
      break;
  }
  if constexpr (!std::is_integral_v<T>) {
    switch (c) {
      case C::equ:
        return make(ops::Cmp<C::equ>{});
      case C::neu:
        return make(ops::Cmp<C::neu>{});
      case C::ltu:
        return make(ops::Cmp<C::ltu>{});
      case C::leu:
        return make(ops::Cmp<C::leu>{});
      case C::gtu:
        return make(ops::Cmp<C::gtu>{});
      case C::geu:
        return make(ops::Cmp<C::geu>{});
      case C::num:
        return make(ops::Cmp<C::num>{});
      case C::nan:
        return make(ops::Cmp<C::nan>{});
      default:
        break;
    }
  }
  return nullptr;
}
/// The same for operands of a type, whose subnormals .ftz (where the type has it) makes zeros:
/// `make` is called with the type's Lane and the comparison.
template <class Make>
Handler with_comparison(ptx::ScalarType type, ops::Compare c, bool ftz, Make make) {
  return with_type(type, [&](auto lane) -> Handler {
    using T = typename decltype(lane)::type;
    if constexpr (sizeof(T) == 1) {
      return nullptr;
    } else {
      using N = PartOf<T>;
      return with_compare<N>(c, [&]<class F>(F) -> Handler {
        if constexpr (std::is_same_v<N, float> || std::is_same_v<N, Half>) {
          if (ftz) return make(lane, Ftz<F, N>{});
        }
        return make(lane, F{});
      });
    }
  });
}
inline bool has_ftz(ptx::ScalarType t) {
  using S = ptx::ScalarType;
  return t == S::f32 || t == S::f16 || t == S::f16x2;
}

}  // namespace GAUNTLET_TARGET
}  // namespace gauntlet::simt
