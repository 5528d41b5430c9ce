// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
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

/// A number and its neighbours, as elements of this type; what the type does not have is left out.
void add_around(Type type, long double number, std::vector<std::uint64_t>& bits) {
  if (is_float(type)) {
    constexpr long double small = 1e-30L, large = 1e30L;
    const auto size = std::fabs(number);
    if (size > large || (size < small && number != 0)) return;
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

}  // namespace

void note_constants(const simt::symbolic::Terms& terms, std::set<long double>& numbers) {
  constexpr std::size_t most = 256;
  using Kind = simt::symbolic::Term::Kind;
  for (std::size_t t = 0; t < terms.size() && numbers.size() < most; ++t) {
    const auto& term = terms[static_cast<simt::symbolic::TermId>(t)];
    if (term.kind != Kind::constant) continue;
    const std::uint64_t bits = term.a | std::uint64_t{term.b} << 32;
    const bool wide = term.size == 8;
    numbers.insert(wide ? static_cast<long double>(static_cast<std::int64_t>(bits))
                        : static_cast<long double>(static_cast<std::int32_t>(bits)));
    const double value = float_value(wide ? Type::f64 : Type::f32, bits);
    if (std::isfinite(value)) numbers.insert(value);
  }
}

bool put_corners(const Program& program, const std::set<long double>& constants, unsigned run,
                 Plan& plan) {
  std::set<long double> numbers = constants;
  numbers.insert({0, 1, -1});
  for (const BoundResult& result : program.results) {
    collect(result.value, numbers);
    for (const BoundDefinition& d : result.definitions) collect(d.value, numbers);
  }
  for (const BoundDefinition& d : program.definitions) collect(d.value, numbers);
  const auto data = data_arrays(program);
  bool more = run == 0;
  for (std::size_t k = 0; k < program.arrays.size(); ++k) {
    const Array& array = program.spec.arrays[k];
    if (!data[k] || array.content != nullptr || array.permutation || array.sorted) continue;
    std::vector<std::uint64_t> bits;
    for (const long double number : numbers) add_around(array.type, number, bits);
    auto& content = plan.buffers[k].content;
    const std::size_t size = size_of(array.type), count = content.size() / size;
    const std::size_t first = run * count;
    more = more || first + count < bits.size();
    for (std::size_t i = 0; i < count; ++i) {
      // Elements of two arrays that meet are equal, then one another's neighbours.
      const std::size_t at = first + i + (run % 2 == 0 ? 0 : k);
      store_bits(array.type, content.data() + i * size, bits[at % bits.size()]);
    }
  }
  return more;
}

}  // namespace gauntlet::spec
