// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "base/scalar.hpp"
#include "machine/symbolic/tables.hpp"
#include "properties/language/formula.hpp"
#include "properties/language/proof_ways.hpp"

namespace gauntlet::spec {
namespace {

void collect(const Bound& b, std::set<long double>& numbers) {
  if (b.kind == Bound::Kind::integer && b.present()) {
    numbers.insert(static_cast<long double>(b.integer));
  }
  if (b.kind == Bound::Kind::real) numbers.insert(b.real);
  for (const Bound& child : b.children) collect(child, numbers);
}

/// A number and its neighbours, as elements of this type; what the type does not have is left out.
void add_around(Type type, long double number, std::vector<std::uint64_t>& bits) {
  if (is_float(type)) {
    const auto size = std::fabs(number);
    if (size > 1e30L || (size != 0 && size < std::ldexp(1.0L, format_of(type).min_exponent()))) {
      return;
    }
    const std::uint64_t at = float_bits(type, static_cast<double>(number));
    bits.push_back(at);
    if (number == 0) return;
    bits.push_back(at - 1);
    bits.push_back(at + 1);
    return;
  }
  const long double below = std::floor(number), span = std::ldexp(1.0L, 8 * int(size_of(type)));
  if (below < -span / 2 || below >= span) return;
  const auto at = below < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(below))
                            : static_cast<std::uint64_t>(below);
  bits.insert(bits.end(), {at - 1, at, at + 1});
}

/// The numbers of a type as unsigned ones, in their order.
std::uint64_t sign_of(Type type) { return std::uint64_t{1} << (8 * size_of(type) - 1); }
std::uint64_t place_of(Type type, std::uint64_t bits) {
  if (is_float(type) && (bits & sign_of(type)) != 0) return truncate(type, ~bits);
  return is_float(type) || is_signed(type) ? bits ^ sign_of(type) : bits;
}
std::uint64_t at_place(Type type, std::uint64_t place) {
  if (is_float(type) && (place & sign_of(type)) == 0) return truncate(type, ~place);
  return is_float(type) || is_signed(type) ? place ^ sign_of(type) : place;
}

/// Between which places a comparison comes out in another way.
class Search {
 public:
  Search(const simt::symbolic::Terms& terms, const TermForms::Turn& turn)
      : terms_(terms), turn_(turn) {}

  /// The places on either side.
  std::vector<std::uint64_t> turns() {
    const Type type = turn_.type;
    const FloatFormat format = format_of(type);
    const std::uint64_t last = truncate(type, ~std::uint64_t{0});
    const std::uint64_t least = is_float(type)
                                    ? place_of(type, format.sign_bit() | (format.infinity() - 1))
                                    : 0,
                        most = is_float(type) ? place_of(type, format.infinity() - 1) : last;
    const std::uint64_t zero = place_of(type, 0), step = (most - least) / 1000 + 1;
    std::set<std::uint64_t> places{least, most, zero};
    for (std::uint64_t p = least; most - p > step; p += step) places.insert(p);
    for (std::uint64_t k = 1; k <= last / 4; k *= 2) {
      if (zero - least > k) places.insert(zero - k);
      if (most - zero > k) places.insert(zero + k);
    }
    std::vector<std::uint64_t> found;
    look({places.begin(), places.end()}, found);
    return found;
  }

 private:
  static constexpr std::size_t most_found = 32;

  void look(const std::vector<std::uint64_t>& places, std::vector<std::uint64_t>& found) {
    const auto holds = answers(places);
    for (std::size_t k = 1; k < holds.size() && found.size() < most_found; ++k) {
      if (holds[k - 1] == holds[k]) continue;
      const std::uint64_t low = places[k - 1], high = places[k], span = high - low;
      if (span == 1) {
        found.insert(found.end(), {low, high});
        continue;
      }
      std::set<std::uint64_t> inner{low, high};
      for (std::uint64_t part = 1; part < 31; ++part)
        inner.insert(low + span / 31 * part + std::min(part, span % 31));
      std::erase_if(inner, [&](std::uint64_t p) { return p > high; });
      look({inner.begin(), inner.end()}, found);
    }
  }

  /// At each place; none where the comparison is not followed.
  std::vector<std::uint64_t> answers(const std::vector<std::uint64_t>& places) {
    simt::symbolic::Samples::Values inputs;
    for (const std::uint64_t p : places) inputs.push_back(at_place(turn_.type, p));
    while (inputs.size() % 32 != 0) inputs.push_back(inputs.back());
    const auto element_of = [&](simt::symbolic::TermId id) {
      return id == turn_.of ? std::optional<std::uint64_t>(0) : std::nullopt;
    };
    simt::symbolic::Samples samples(terms_, std::move(inputs), element_of, true);
    const auto& t = terms_[turn_.term];
    const auto result = samples.of(turn_.term);
    if (!result) return {};
    std::vector<std::uint64_t> all(
        result->values->begin(),
        result->values->begin() + static_cast<std::ptrdiff_t>(places.size()));
    if (t.kind == simt::symbolic::Term::Kind::compare) return all;
    // Of a minimum or maximum: which of the two it is.
    const auto side = samples.of(t.a);
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::uint64_t first = side ? (*side->values)[k] : terms_[t.a].number();
      all[k] = truncate(t.type, all[k]) == truncate(t.type, first) ? 1 : 0;
    }
    return all;
  }

  const simt::symbolic::Terms& terms_;
  const TermForms::Turn& turn_;
};

}  // namespace

void note_turns(const simt::symbolic::Terms& terms, const TermForms& made, Corners& corners) {
  for (const TermForms::Turn& turn : made.turns()) {
    for (const std::uint64_t place : Search(terms, turn).turns()) {
      const std::uint64_t bits = at_place(turn.type, place);
      const Value number = element(turn.type, bits);
      corners.turns.insert(number.integral ? static_cast<long double>(number.integer)
                                           : number.real.value);
      corners.of_reductions = corners.of_reductions || !made.computed().empty();
    }
  }
}

void note_constants(const simt::symbolic::Terms& terms, Corners& corners) {
  auto& numbers = corners.constants;
  constexpr std::size_t most = 256;
  using Kind = simt::symbolic::Term::Kind;
  const auto note = [&](std::uint64_t bits, bool wide) {
    numbers.insert(wide ? static_cast<long double>(static_cast<std::int64_t>(bits))
                        : static_cast<long double>(static_cast<std::int32_t>(bits)));
    const double value = float_value(wide ? Type::f64 : Type::f32, bits);
    if (std::isfinite(value)) numbers.insert(value);
  };
  for (std::size_t k = 0; k < terms.size() && numbers.size() < most; ++k) {
    const auto t = static_cast<simt::symbolic::TermId>(k);
    const auto& term = terms[t];
    if (term.kind == Kind::constant) note(term.number(), term.size == 8);
    const auto* const applied = terms.application(t);
    if (applied == nullptr) continue;
    for (const simt::symbolic::Value& operand : applied->operands) {
      if (operand.term == 0) note(operand.bits, term.size == 8);
    }
  }
}

bool put_corners(const SpecCase& asked, const Corners& corners, unsigned run, Plan& plan) {
  const Program& program = asked.loaded.program;
  std::set<long double> numbers = corners.constants;
  numbers.insert({0, 1, -1});
  for (const BoundResult& result : program.results) {
    collect(result.value, numbers);
    for (const BoundDefinition& d : result.definitions) collect(d.value, numbers);
  }
  for (const BoundDefinition& d : program.definitions) collect(d.value, numbers);
  Evaluator evaluator(program, values(asked.c), asked.c.offset);
  const auto views = views_of(asked.loaded, plan, evaluator);
  const auto data = data_arrays(program);
  // A reduction of a row is such a number if its first element is, and the others are 0; or if all
  // are.
  enum class Way { each, first, all };
  const unsigned ways = corners.of_reductions ? 3 : 1;
  const auto way = static_cast<Way>(run % ways);
  const unsigned round = run / ways;
  bool more = round == 0;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const Array& array = program.spec.arrays[k];
    if (!data[k] || array.content != nullptr || array.permutation || array.sorted) continue;
    std::vector<std::uint64_t> bits;
    for (const long double number : corners.turns) add_around(array.type, number, bits);
    for (const long double number : numbers) add_around(array.type, number, bits);
    auto& content = plan.buffers[k].content;
    const std::size_t size = size_of(array.type), count = content.size() / size;
    const std::size_t row = way == Way::each ? 1 : std::max<std::size_t>(views[k].columns, 1);
    const std::size_t first = round * (count / row);
    more = more || first + count / row < bits.size();
    for (std::size_t i = 0; i < count; ++i) {
      // Elements of two arrays that meet are equal, then one another's neighbours.
      const std::size_t at = first + i / row + (round % 2 == 0 ? 0 : k);
      const bool none = way == Way::first && i % row != 0;
      store_bits(array.type, content.data() + i * size, none ? 0 : bits[at % bits.size()]);
    }
  }
  return more;
}

}  // namespace gauntlet::spec
