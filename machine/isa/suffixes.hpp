// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The dotted parts of an opcode: its type, and the rest.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/names.hpp"
#include "machine/code/memory_op.hpp"
#include "machine/code/narrow_float.hpp"
#include "machine/isa/decode.hpp"

namespace gauntlet::simt {

// The words of orders, of scopes, and of what atom and red do.
constexpr auto names(const Order*) {
  return names_of("weak", "relaxed", "acquire", "release", "acq_rel", "sc");
}
constexpr auto names(const Scope*) { return names_of("cta", "cluster", "gpu", "sys"); }
constexpr auto names(const AtomicOp*) {
  return names_of("", "add", "exch", "cas", "min", "max", "inc", "dec", "and", "or", "xor");
}

/// The one type (has_type: there is exactly one), and the other suffixes.
struct Suffixes {
  ptx::ScalarType type = ptx::ScalarType::pred;
  bool has_type = false;
  std::vector<std::string_view> rest;
};
inline Suffixes split(const ptx::Instruction& i) {
  Suffixes s;
  int types = 0;
  for (const auto x : i.suffixes) {
    if (const auto t = ptx::stored_type(x)) {
      s.type = ++types == 1 ? *t : ptx::ScalarType::pred;
      s.has_type = types == 1;
    } else {
      s.rest.push_back(x);
    }
  }
  return s;
}
/// All types in order, and the other suffixes.
inline void split(const ptx::Instruction& i, std::vector<ptx::ScalarType>& types,
                  std::vector<std::string_view>& rest) {
  for (const auto x : i.suffixes) {
    if (const auto t = ptx::stored_type(x))
      types.push_back(*t);
    else
      rest.push_back(x);
  }
}
/// Takes `word` out of the suffixes; true if it was there.
inline bool take(std::vector<std::string_view>& words, std::string_view word) {
  const auto it = std::find(words.begin(), words.end(), word);
  if (it == words.end()) return false;
  words.erase(it);
  return true;
}
/// A rounding, taken out likewise: .rn .rz .rm .rp, or those to whole numbers.
inline Round take_round(std::vector<std::string_view>& words, bool whole = false) {
  return take(words, whole ? "rni" : "rn")   ? Round::nearest
         : take(words, whole ? "rzi" : "rz") ? Round::zero
         : take(words, whole ? "rmi" : "rm") ? Round::down
         : take(words, whole ? "rpi" : "rp") ? Round::up
                                             : Round::none;
}
/// The unsigned integer of so many bytes.
inline ptx::ScalarType unsigned_of(unsigned bytes) {
  using S = ptx::ScalarType;
  return bytes == 1 ? S::u8 : bytes == 2 ? S::u16 : bytes == 4 ? S::u32 : S::u64;
}
/// The word that an mbarrier is.
inline MemoryOp mbarrier_word(MemorySpace space) {
  MemoryOp op;
  op.space = space;
  op.size = 8;
  op.cell = ptx::ScalarType::u64;
  return op;
}
inline bool only(const Suffixes& s, std::initializer_list<std::string_view> allowed) {
  return std::all_of(s.rest.begin(), s.rest.end(), [&](auto x) {
    return std::find(allowed.begin(), allowed.end(), x) != allowed.end();
  });
}
inline bool has(const Suffixes& s, std::string_view x) {
  return std::find(s.rest.begin(), s.rest.end(), x) != s.rest.end();
}

/// The instruction has the suffixes of a form and no other, in its order.
inline bool spelt_in_order(const ptx::Instruction& i, std::string_view form) {
  for (const auto x : i.suffixes) {
    if (form.substr(0, form.find(' ')) != x) return false;
    form.remove_prefix(std::min(form.size(), x.size() + 1));
  }
  return form.empty();
}

/// The instruction has all suffixes of a form, each once and in any order, and no other. A form:
/// "sync up b32".
inline bool spelt(const ptx::Instruction& i, std::string_view form) {
  std::size_t words = 0;
  while (!form.empty()) {
    const auto word = form.substr(0, form.find(' '));
    if (std::count(i.suffixes.begin(), i.suffixes.end(), word) != 1) return false;
    ++words;
    form.remove_prefix(std::min(form.size(), word.size() + 1));
  }
  return words == i.suffixes.size();
}

}  // namespace gauntlet::simt
