// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "base/scalar.hpp"
#include "machine/state/lanes.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {

/// The usual instruction, done at once: each lane of `symbolic` combines two whole terms, or one
/// with the identity, moves one, selects one by a predicate that has no term, or takes a part that
/// is one. False: some lane does something else, and nothing was done.
bool Shadow::whole_warp(const Warp& w, WarpState& s, std::uint32_t pc, std::uint32_t m,
                        std::uint32_t symbolic) {
  using What = Rule::What;
  const Inst& i = kernel_->code[pc];
  const auto& rule = view_->rules[pc];
  const TermId *a = s.row(i.a.id), *b = s.row(i.b.id);
  TermId* to = s.row(i.d.id);
  const std::uint32_t of_a = s.mask[i.a.id] & m, of_b = s.mask[i.b.id] & m;
  // What an identity leaves, or a move: a term that stays what it is.
  const auto stays = [&](TermId term) {
    return terms[term].size == rule.size && terms[term].kind != Term::Kind::opaque;
  };
  const auto all_stay = [&](Operand o) { return s.bytes[o.id] == rule.size; };
  unsigned size = rule.size;
  switch (rule.what) {
    case What::move:
      if (symbolic != of_a) return false;
      for (const int l : lanes_of(all_stay(i.a) ? 0 : symbolic)) {
        if (!stays(a[l])) return false;
      }
      if (symbolic == all_lanes) {
        std::memmove(to, a, sizeof(TermId) * lanes_per_warp);
      } else {
        for (const int l : lanes_of(symbolic)) to[l] = a[l];
      }
      break;
    case What::combine: {
      if (symbolic != (of_a | of_b)) return false;
      const std::uint32_t both = of_a & of_b;
      bool whole = true;
      for (const int l : lanes_of(all_stay(i.a) && all_stay(i.b) ? 0 : both)) {
        whole &= terms[a[l]].size == rule.size && terms[b[l]].size == rule.size;
      }
      for (const int l : lanes_of(symbolic & ~both)) {
        const bool first = (of_a >> l & 1) != 0;
        const auto term = first ? a[l] : b[l];
        const auto bits = concrete(w, first ? i.b : i.a, l, rule.size);
        whole &= stays(term) && terms.stays(rule.op, rule.type, bits, term);
      }
      if (!whole) return false;
      terms.combine(rule.op, rule.type, both, a, b, to);
      for (const int l : lanes_of(symbolic & ~both)) to[l] = (of_a >> l & 1) != 0 ? a[l] : b[l];
      break;
    }
    case What::select: {
      if ((s.mask[i.c.id] & m) != 0) return false;
      const std::uint32_t p = *w.source<std::uint32_t>(i.c);
      symbolic = ((of_a & p) | (of_b & ~p)) & m;
      for (const int l : lanes_of(all_stay(i.a) && all_stay(i.b) ? 0 : symbolic)) {
        if (!stays((p >> l & 1) != 0 ? a[l] : b[l])) return false;
      }
      for (const int l : lanes_of(symbolic)) to[l] = (p >> l & 1) != 0 ? a[l] : b[l];
      break;
    }
    case What::part: {
      if (symbolic != of_a) return false;
      const unsigned first = i.variant / 8U, count = i.keep == 0xFFFF ? 2 : 4;
      std::array<TermId, lanes_per_warp> part;
      for (const int l : lanes_of(symbolic)) {
        const auto term = terms.whole_part(a[l], rule.size, first, count);
        if (term == 0 || terms[term].kind == Term::Kind::opaque) return false;
        part[static_cast<std::size_t>(l)] = term;
      }
      for (const int l : lanes_of(symbolic)) to[l] = part[static_cast<std::size_t>(l)];
      size = count;
      break;
    }
    default:
      return false;
  }
  has(s, i.d.id, m, symbolic, size);
  return true;
}

}  // namespace gauntlet::simt::symbolic
