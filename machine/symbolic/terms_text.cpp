// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {

std::string element_text(const std::map<std::uint64_t, std::string>& names, std::uint64_t element) {
  const auto it = names.upper_bound(element);
  if (it == names.begin()) return fmt::format("x{}", element);
  const auto& [first, array] = *std::prev(it);
  return fmt::format("{}[{}]", array, element - first);
}

std::string Terms::text(TermId id, std::uint64_t elements, int depth) const {
  const Term& t = terms_[id];
  const auto inner = [&](TermId x) { return depth == 0 ? ".." : text(x, elements, depth - 1); };
  using K = Term::Kind;
  static constexpr std::string_view relations[] = {"==",  "!=", "<",   "<=", ">",  ">=", "==?",
                                                   "!=?", "<?", "<=?", ">?", ">=?"};  // ?: or a NaN
  switch (t.kind) {
    case K::none:
      return "a constant";
    case K::leaf: {
      const auto element = t.number();
      return !names_.empty() || element < elements
                 ? element_text(names_, element)
                 : fmt::format("in[{}] behind the input", element);
    }
    case K::constant:
      return fmt::format("0x{:x}", t.number());
    case K::bytes:
      return t.a != 0 ? inner(t.a) : fmt::format("bytes of {}", inner(bytes(id)[0].term));
    case K::convert:
      return fmt::format("{}({})", name(t.type), inner(t.a));
    case K::combine:
    case K::add_product:
      return fmt::format("{}({}, {})", name(t.op), inner(t.a), inner(t.b));
    case K::compare:
      return fmt::format("{} {} {}", inner(t.a), relations[t.relation], inner(t.b));
    case K::opaque: {
      const auto* known = application(id);
      if (known == nullptr) return "a value that is not followed";
      std::string all;
      for (const Value& v : known->operands) {
        all += all.empty() ? "" : ", ";
        all += v.term != 0 ? inner(v.term) : fmt::format("0x{:x}", v.bits);
      }
      return fmt::format("{}({})", operation(known->operation).text, all);
    }
    case K::order:
      return "a value of the schedule";
    case K::undefined:
      return "a value that some data leave undefined";
  }
  return {};
}

}  // namespace gauntlet::simt::symbolic
