// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The list of fields (base/fields.hpp) of a struct whose members go by their own names:
//
//   struct Cost { std::string what; double us = 0; };
//   GAUNTLET_FIELDS(Cost, what, us)
//
// Where one has another name, or something follows from others, the list is written, and takes the
// rest from GAUNTLET_MEMBERS:
//
//   constexpr auto fields(const Cost*) {
//     return std::tuple{GAUNTLET_MEMBERS(Cost, what), field("microseconds", &Cost::us)};
//   }
#pragma once

#include <tuple>

#include "base/fields.hpp"

#define GAUNTLET_FIELDS(T, ...) \
  constexpr auto fields(const T*) { return std::tuple{GAUNTLET_MEMBERS(T, __VA_ARGS__)}; }

/// field("a", &T::a), field("b", &T::b) ...
#define GAUNTLET_MEMBERS(T, ...) GAUNTLET_EXPAND(GAUNTLET_MEMBER(T, __VA_ARGS__))
#define GAUNTLET_MEMBER(T, first, ...) \
  ::gauntlet::field(#first, &T::first) \
      __VA_OPT__(, GAUNTLET_NEXT_MEMBER GAUNTLET_NOTHING(T, __VA_ARGS__))
#define GAUNTLET_NEXT_MEMBER() GAUNTLET_MEMBER
#define GAUNTLET_NOTHING ()
// Each further scan of its arguments reaches one member more: 27 in all.
#define GAUNTLET_EXPAND(...) GAUNTLET_SCAN_9(GAUNTLET_SCAN_9(GAUNTLET_SCAN_9(__VA_ARGS__)))
#define GAUNTLET_SCAN_9(...) GAUNTLET_SCAN_3(GAUNTLET_SCAN_3(GAUNTLET_SCAN_3(__VA_ARGS__)))
#define GAUNTLET_SCAN_3(...) GAUNTLET_SCAN(GAUNTLET_SCAN(GAUNTLET_SCAN(__VA_ARGS__)))
#define GAUNTLET_SCAN(...) __VA_ARGS__
