// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The comparisons of setp and set (PTX ISA 9.0, 9.7.6): by name, by type, with .ftz.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "machine/isa/modifiers.hpp"

namespace gauntlet::simt {
inline namespace GAUNTLET_TARGET {

inline std::optional<Relation> find_relation(std::string_view name) {
  const auto word = parse<Modifier>(name);
  return word ? relation_of(*word) : std::nullopt;
}

/// The lanes where F holds of a and b.
template <class T, class F>
std::uint32_t compared(const Warp& w, const Inst& i) {
  const auto *a = w.source<Slot<T>>(i.a), *b = w.source<Slot<T>>(i.b);
  return lane_mask([=](int l) { return F{}(from_slot<T>(a[l]), from_slot<T>(b[l])); });
}

/// `make` is called with the comparison as a type; null for one that the type has not.
template <class T, class Make>
Handler with_compare(Relation c, Make make) {
  constexpr auto last = std::is_integral_v<T> ? Relation::ge : Relation::nan;
  Handler made = nullptr;
  const auto try_all = [&]<std::size_t... k>(std::index_sequence<k...>) {
    ((static_cast<Relation>(k) == c ? void(made = make(ops::Cmp<static_cast<Relation>(k)>{}))
                                    : void()),
     ...);
  };
  try_all(std::make_index_sequence<static_cast<std::size_t>(last) + 1>{});
  return made;
}
/// The same for operands of a type, whose subnormals .ftz (where the type has it) makes zeros:
/// `make` is called with the type's Lane and the comparison.
template <class Make>
Handler with_comparison(ptx::ScalarType type, Relation c, bool ftz, Make make) {
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
