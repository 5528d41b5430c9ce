// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/scalar.hpp"
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

/// A minimum, maximum or the like of functions: one element hides what the others give.
bool hides(const Bound& b) {
  if (b.kind == Bound::Kind::reduction && !b.children.empty() && b.reduction != Reduction::sum &&
      b.reduction != Reduction::mean && b.reduction != Reduction::count) {
    const auto of = b.children.front().kind;
    if (of != Bound::Kind::element && of != Bound::Kind::cursor) return true;
  }
  return std::ranges::any_of(b.children, hides);
}

/// A number and its neighbours, as elements of this type; what the type does not have is left out,
/// and of floats what is beyond `most`: sums and products of such numbers may overflow.
void add_around(Type type, long double number, std::vector<std::uint64_t>& bits,
                long double most = 1e30L) {
  if (is_float(type)) {
    const auto size = std::fabs(number);
    if (size > most || (size != 0 && size < std::ldexp(1.0L, format_of(type).min_exponent()))) {
      return;
    }
    const std::uint64_t at = float_bits(type, static_cast<double>(number));
    bits.push_back(at);
    if (number == 0) return;
    bits.push_back(at - 1);
    if (std::isfinite(float_value(type, at + 1))) bits.push_back(at + 1);
    return;
  }
  const long double below = std::floor(number), span = std::ldexp(1.0L, 8 * int(size_of(type)));
  if (below < -span / 2 || below >= span) return;
  const auto at = below < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(below))
                            : static_cast<std::uint64_t>(below);
  bits.insert(bits.end(), {at - 1, at, at + 1});
}

/// Where integers of fewer bits end, and this type's own: a conversion may lose what lies beyond.
void add_ends(Type type, std::vector<std::uint64_t>& bits) {
  if (is_float(type)) return;
  for (const int width : {7, 8, 15, 16, 23, 24, 31, 32, 63}) {
    if (width >= 8 * static_cast<int>(size_of(type))) break;
    for (const int sign : {1, -1}) add_around(type, std::ldexp(sign, width), bits);
  }
}

}  // namespace

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

bool takes_bits_for_integers(const simt::symbolic::Terms& terms, const TermNumbers& numbers) {
  using Kind = simt::symbolic::Term::Kind;
  for (simt::symbolic::TermId id = 1; id < terms.size(); ++id) {
    const auto& t = terms[id];
    const bool combines = t.kind == Kind::compare || t.kind == Kind::combine;
    if (combines && !is_float(t.type) && (!numbers.is(t.a, t.type) || !numbers.is(t.b, t.type))) {
      return true;
    }
    const auto* const applied = terms.application(id);
    if (applied == nullptr) continue;
    const simt::Operation& o = terms.operation(applied->operation);
    const auto type = o.types == 0 ? std::nullopt : simt::number_type(o.from);
    if (!type || is_float(*type) || o.opcode == simt::Opcode::selp) continue;
    for (const simt::symbolic::Value& v : applied->operands) {
      if (v.term != 0 && terms[v.term].size == size_of(*type) && !numbers.is(v.term, *type)) {
        return true;
      }
    }
  }
  return false;
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
  // are, and then none hides another one. A long row takes only the numbers at which a comparison
  // turns.
  constexpr std::size_t long_row = 4096;
  enum class Way { each, first, all };
  const bool hidden = std::ranges::any_of(
      program.results, [](const BoundResult& result) { return hides(result.value); });
  const unsigned ways = corners.of_reductions || hidden ? 3 : 1;
  const auto way = static_cast<Way>(run % ways);
  const unsigned round = run / ways;
  bool more = run + 1 < ways;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const Array& array = program.spec.arrays[k];
    if (!data[k] || array.content != nullptr || array.permutation || array.sorted) continue;
    std::vector<std::uint64_t> bits;
    if (corners.nan && is_float(array.type)) bits.push_back(format_of(array.type).quiet_nan());
    // A comparison turns among the type's own numbers.
    constexpr long double any = std::numeric_limits<long double>::max();
    for (const long double number : corners.turns) add_around(array.type, number, bits, any);
    const std::size_t turning = bits.size();
    for (const long double number : numbers) add_around(array.type, number, bits);
    add_ends(array.type, bits);
    if (is_float(array.type)) bits.push_back(format_of(array.type).sign_bit());  // -0
    auto& content = plan.buffers[k].content;
    const std::size_t size = size_of(array.type), count = content.size() / size;
    if (count == 0) continue;
    const std::size_t columns = std::max<std::size_t>(views[k].columns, 1);
    const std::size_t in_rows =
        columns < long_row ? bits.size() : std::max<std::size_t>(turning, 1);
    more = more || (round + 1) * count < bits.size() ||
           (ways > 1 && (round + 1) * std::max<std::size_t>(count / columns, 1) < in_rows);
    const std::size_t row = way == Way::each ? 1 : columns;
    const std::size_t numbers_of_way = way == Way::each ? bits.size() : in_rows;
    const std::size_t first = round * (count / row);
    for (std::size_t i = 0; i < count; ++i) {
      // Elements of two arrays that meet are equal, then one another's neighbours.
      const std::size_t at = first + i / row + (round % 2 == 0 ? 0 : k);
      const bool none = way == Way::first && i % row != 0;
      store_bits(array.type, content.data() + i * size, none ? 0 : bits[at % numbers_of_way]);
    }
  }
  return more;
}

}  // namespace gauntlet::spec
