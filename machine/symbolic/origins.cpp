// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/origins.hpp"

#include <algorithm>

#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {

void Shadow::came(WarpState& s, Operand d, int lane, Via via) {
  if (d.id != 0) s.via[d.id * lanes_per_warp + static_cast<unsigned>(lane)] = via;
}

Via Shadow::way_of(const WarpState& s, Operand o, int lane) const {
  const bool has_term = term_of(s, o.id, lane) != 0;
  return has_term ? s.via[o.id * lanes_per_warp + static_cast<unsigned>(lane)] : Via::thread;
}

/// The operations among the terms from `from` to `end` were made here.
void Shadow::note(const Block& b, const Warp& w, std::uint32_t pc, int lane, TermId from,
                  TermId end, Via via) {
  Origin o;
  for (TermId t = from; t < end; ++t) {
    if (terms[t].kind != Term::Kind::combine) continue;
    if (o.place == 0) {
      o = {via, origins->place(kernel_->name, place(pc)), b.linear,
           w.index * lanes_per_warp + static_cast<std::uint32_t>(lane)};
    }
    origins->set(t, o);
  }
}

/// The same of a data instruction, whose result lies in the thread from now on. A value that is
/// only moved, or put together of its bytes, has come as far as before.
void Shadow::note_data(const Block& b, const Warp& w, WarpState& s, std::uint32_t pc, int lane,
                       TermId from) {
  const Inst& i = kernel_->code[pc];
  Via via = Via::thread;
  TermId operand = 0;
  for (const auto& o : {i.a, i.b, i.c}) {
    via = std::max(via, way_of(s, o, lane));
    if (const TermId own = term_of(s, o.id, lane)) operand = own;
  }
  bool combined = false;
  const auto end = terms.end();
  for (TermId t = from; t < end; ++t) combined |= terms[t].kind == Term::Kind::combine;
  if (view_->rules[pc].what == Rule::What::convert_float && combined) {
    // The operation of before, in a narrower format.
    for (TermId t = from; t < end; ++t) origins->set(t, origins->of(operand));
  } else if (combined) {
    note(b, w, pc, lane, from, terms.end(), via);
  }
  came(s, i.d, lane, combined ? Via::thread : via);
}

}  // namespace gauntlet::simt::symbolic
