// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the data decide whether a result is defined: the machine knows which bits are undefined for
// the data of its run only.
#include "machine/state/lanes.hpp"
#include "machine/state/undefined_bits.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {

/// Of the lanes `symbolic`, which have a term among their sources. What moves bytes as constants
/// say moves what is undefined of them, too, and a constant predicate chooses a side; in all else
/// a source that is undefined may show or not.
std::uint32_t Shadow::unsure(const Warp& w, const WarpState& s, std::uint32_t pc,
                             std::uint32_t symbolic) {
  using What = Rule::What;
  const Inst& i = kernel_->code[pc];
  const auto& rule = view_->rules[pc];
  const auto& meaning = kernel_->meanings[pc];
  const auto has_term = [&](const auto&... o) { return (s.mask[o.id] | ...) & symbolic; };
  const auto undefined = [&](const auto&... o) { return (w.poison[o.id] | ...) & symbolic; };
  switch (rule.what) {
    case What::move:
    case What::pack:
    case What::part:
    case What::insert:
    case What::convert_integer:
      return 0;
    case What::select:
      return undefined(i.c) | (has_term(i.c) & undefined(i.a, i.b));
    case What::shift_left:
    case What::shift_right:
    case What::shift_right_signed:
      return has_term(i.b) & undefined(i.a);
    case What::permute:
      return has_term(i.c) & undefined(i.a, i.b);
    case What::extract_field:
      return has_term(i.b, i.c) & undefined(i.a);
    case What::insert_field:
      return has_term(i.c, i.second) & undefined(i.a, i.b);
    case What::and_bits:
    case What::or_bits: {
      // Byte by byte: one that is a part of a term beside one that is undefined.
      std::uint32_t found = 0;
      for (const int l : lanes_of(undefined(i.a, i.b))) {
        Bytes a, b;
        bool met = !terms.unpack(value(w, s, i.a, l, rule.size), rule.size, a) ||
                   !terms.unpack(value(w, s, i.b, l, rule.size), rule.size, b);
        const auto bits = undefined_bits(w, i.a, l) | undefined_bits(w, i.b, l);
        for (unsigned k = 0; k < rule.size && !met; ++k) {
          met = (bits >> 8 * k & 0xFF) != 0 && (a[k].term != 0 || b[k].term != 0);
        }
        found |= std::uint32_t{met} << l;
      }
      return found;
    }
    default: {
      std::uint32_t found = undefined(i.a, i.b, i.c);
      for (const auto slot : meaning.reads) found |= w.poison[slot];
      return found & symbolic;
    }
  }
}

}  // namespace gauntlet::simt::symbolic
