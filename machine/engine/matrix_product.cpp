// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/matrix_product.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>
#include <span>

#include "machine/isa/matrix_sum.hpp"
#include "machine/isa/product_rows.hpp"

namespace gauntlet::simt {
namespace {

std::int32_t integer(ptx::ScalarType n, std::uint64_t bits) {
  switch (n) {
    case ptx::ScalarType::s4:
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) << 28) >> 28;
    case ptx::ScalarType::s8:
      return static_cast<std::int8_t>(bits);
    default:
      return static_cast<std::int32_t>(bits);
  }
}

/// D in the registers of the lanes: `value` by rows and columns. An undefined factor makes its row
/// or column of the product undefined.
Fragments packed(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                 const std::vector<std::uint64_t>& value, std::uint32_t fault) {
  const auto shape = op.shape;
  std::vector<std::uint32_t> row_origin(shape.m), column_origin(shape.n);
  for (unsigned m = 0; !a.origin.empty() && m < shape.m; ++m) {
    for (unsigned k = 0; k < shape.k; ++k) {
      row_origin[m] = std::max(row_origin[m], a.origin[a.at({m, k})]);
    }
  }
  for (unsigned k = 0; !b.origin.empty() && k < shape.k; ++k) {
    for (unsigned n = 0; n < shape.n; ++n) {
      column_origin[n] = std::max(column_origin[n], b.origin[b.at({k, n})]);
    }
  }
  const unsigned each = elements_in_register(op.d_number), bits = bits_of(op.d_number);
  Fragments d(registers_of(MatrixPart::c, shape, op.d_number));
  const MatrixPlace* place = matrix_places(MatrixPart::c, shape, op.d_number).data();
  for (std::size_t to = 0; to < d.word.size(); ++to) {
    std::uint64_t word = 0;
    std::uint32_t origin = fault;
    for (unsigned k = 0; k < each; ++k, ++place) {
      const auto at = c.at(*place);
      word |= value[at] << k * bits;
      origin = std::max({origin, row_origin[place->row], column_origin[place->column],
                         c.origin.empty() ? 0 : c.origin[at]});
    }
    d.word[to] = word;
    d.origin[to] = origin;
  }
  return d;
}

/// The elements as T; `convert` gives one of its bits.
template <class T, class Convert>
std::vector<T> numbers_of(const Elements& e, Convert convert) {
  std::vector<T> all(e.value.size());
  std::ranges::transform(e.value, all.begin(), convert);
  return all;
}

std::vector<std::uint64_t> integer_product(const MatrixOp& op, const Elements& a, const Elements& b,
                                           const Elements& c) {
  const auto [m, n, k] = op.shape;
  const auto of = [](ptx::ScalarType number) {
    return [number](std::uint64_t bits) { return integer(number, bits); };
  };
  const auto rows = numbers_of<std::int32_t>(a, of(op.a_number));
  const auto columns = numbers_of<std::int32_t>(b, of(op.b_number));
  std::vector<std::uint64_t> d(c.value);
  if (!op.saturate) {
    auto sum = numbers_of<std::uint32_t>(
        c, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); });
    for (std::size_t row = 0; row < m; ++row) {
      product_rows().integers(&rows[row * k], columns.data(), k, n, &sum[row * n]);
    }
    std::ranges::copy(sum, d.begin());
    return d;
  }
  for (std::size_t at = 0; at < d.size(); ++at) {
    std::int64_t sum = static_cast<std::int32_t>(d[at]);
    for (std::size_t i = 0; i < k; ++i) {
      sum += std::int64_t{rows[at / n * k + i]} * columns[i * n + at % n];
    }
    using Limits = std::numeric_limits<std::int32_t>;
    sum = std::clamp<std::int64_t>(sum, Limits::min(), Limits::max());
    d[at] = static_cast<std::uint32_t>(sum);
  }
  return d;
}

std::vector<std::uint64_t> double_product(const MatrixOp& op, const Elements& a, const Elements& b,
                                          const Elements& c) {
  const auto as_double = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  const auto rows = numbers_of<double>(a, as_double), columns = numbers_of<double>(b, as_double);
  auto sum = numbers_of<double>(c, as_double);
  const auto [m, n, k] = op.shape;
  for (std::size_t row = 0; row < m; ++row) {
    product_rows().doubles(&rows[row * k], columns.data(), k, n, &sum[row * n]);
  }
  std::vector<std::uint64_t> d(sum.size());
  std::ranges::transform(sum, d.begin(), [](double x) { return std::bit_cast<std::uint64_t>(x); });
  return d;
}

/// matrix_factor of each element, apart: significands, and exponents, of a zero `of_zero`.
struct Factors {
  std::vector<float> significand;
  std::vector<std::int32_t> exponent;
  bool numbers = true;  ///< no infinity and no NaN among them
  Factors(ptx::ScalarType number, const Elements& e)
      : significand(e.value.size()), exponent(e.value.size()) {
    const int fraction = fraction_bits(number), exponents = exponent_bits(number);
    const std::int32_t hidden = 1 << fraction, most = (1 << exponents) - 1;
    const std::int32_t bias = most / 2, ignored = number == ptx::ScalarType::tf32 ? 13 : 0;
    const std::int32_t nan = number == ptx::ScalarType::e4m3 ? 7 : 0;  // smallest, with `most`
    for (std::size_t k = 0; k < e.value.size(); ++k) {
      const auto bits = static_cast<std::uint32_t>(e.value[k]) >> ignored;
      const auto mantissa = static_cast<std::int32_t>(bits) & (hidden - 1);
      const auto biased = static_cast<std::int32_t>(bits >> fraction) & most;
      const std::int32_t size = biased == 0 ? mantissa : mantissa | hidden;
      const bool negative = (bits >> (fraction + exponents) & 1) != 0;
      numbers &= biased != most || mantissa < nan;
      significand[k] = static_cast<float>(negative ? -size : size);
      exponent[k] = size == 0 ? of_zero : std::max(biased, 1) - bias;
    }
  }
  [[nodiscard]] FloatFactors row(std::size_t at) const {
    return {significand.data() + at, exponent.data() + at};
  }
};

std::vector<std::uint64_t> float_product(const MatrixOp& op, const Elements& a, const Elements& b,
                                         const Elements& c) {
  using N = ptx::ScalarType;
  const auto [m, n, k] = op.shape;
  const int bits = fraction_bits(op.a_number) + fraction_bits(op.b_number);
  const int c_bits = fraction_bits(op.c_number);
  const SumBits keeps = sum_bits(op.a_number);
  // An f32 addend is summed as f32, whatever D is.
  const N as = op.c_number == N::f16 ? op.d_number : N::f32;
  const auto given = [&](std::uint32_t sum) {
    if (as == op.d_number) return std::uint64_t{sum};
    return std::uint64_t{Half::from_double(std::bit_cast<float>(sum)).bits};
  };
  std::vector<std::uint64_t> d(c.value.size());
  const Factors rows(op.a_number, a), columns(op.b_number, b), addends(op.c_number, c);
  if (rows.numbers && columns.numbers && addends.numbers) {
    for (std::size_t row = 0; row < m; ++row) {
      std::int32_t top[most_columns];
      std::int64_t sum[most_columns] = {};
      const FloatFactors addend = addends.row(row * n);
      std::copy_n(addend.exponent, n, top);
      product_rows().floats(rows.row(row * k), columns.row(0), k, n, keeps.parts - bits, top, sum);
      for (unsigned j = 0; j < n; ++j) {
        const auto significand = static_cast<std::int64_t>(addend.significand[j]);
        const std::int64_t cut =
            cut_off(significand, addend.exponent[j], c_bits, top[j], keeps.parts);
        d[row * n + j] = given(rounded_sum(sum[j] + cut, top[j] - keeps.parts, as, keeps));
      }
    }
    return d;
  }
  const auto factor = [](N number) {
    return
        [number](std::uint64_t x) { return matrix_factor(number, static_cast<std::uint32_t>(x)); };
  };
  const auto each_row = numbers_of<MatrixFactor>(a, factor(op.a_number));
  const auto each = numbers_of<MatrixFactor>(b, factor(op.b_number));
  std::vector<MatrixFactor> column(k);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < k; ++i) column[i] = each[i * n + j];
    for (std::size_t row = 0; row < m; ++row) {
      const std::size_t at = row * n + j;
      d[at] = given(matrix_sum(std::span(each_row).subspan(row * k, k), column, bits,
                               factor(op.c_number)(c.value[at]), c_bits, as, keeps));
    }
  }
  return d;
}

}  // namespace

Fragments read_fragments(const Warp& w, const std::vector<Operand>& registers,
                         ptx::ScalarType number) {
  Fragments held(registers.size());
  for (std::size_t r = 0; r < registers.size(); ++r) {
    const Operand from = registers[r];
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      const auto at = r * warp_size + lane;
      held.word[at] = bits_of(number) == 64 ? w.source<std::uint64_t>(from)[lane]
                                            : w.source<std::uint32_t>(from)[lane];
      if (!w.poison_live || (w.poison[from.id] >> lane & 1) == 0) continue;
      held.origin[at] = w.origin_of(from, static_cast<int>(lane)) + 1;
    }
  }
  return held;
}

Elements elements_of(const Fragments& held, MatrixPart part, MatrixShape shape,
                     ptx::ScalarType number) {
  Elements e(rows_of(part, shape), columns_of(part, shape));
  const unsigned each = elements_in_register(number), bits = bits_of(number);
  const std::uint64_t element = bits == 64 ? ~0ULL : (1ULL << bits) - 1;
  const MatrixPlace* place = matrix_places(part, shape, number).data();
  for (std::size_t from = 0; from < held.word.size(); ++from) {
    for (unsigned k = 0; k < each; ++k, ++place) {
      const auto to = e.at(*place);
      e.value[to] = held.word[from] >> k * bits & element;
      if (held.origin[from] != 0) e.is_undefined(to, held.origin[from] - 1);
    }
  }
  return e;
}

Fragments product(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                  std::uint32_t fault) {
  using N = ptx::ScalarType;
  const auto d = op.a_number == N::f64   ? double_product(op, a, b, c)
                 : op.d_number == N::s32 ? integer_product(op, a, b, c)
                                         : float_product(op, a, b, c);
  return packed(op, a, b, c, d, fault);
}

const std::vector<MatrixPlace>& matrix_places(MatrixPart part, MatrixShape shape,
                                              ptx::ScalarType number) {
  struct Known {
    MatrixPart part;
    MatrixShape shape;
    ptx::ScalarType number;
    std::vector<MatrixPlace> places;
  };
  thread_local std::deque<Known> all;
  for (const Known& one : all) {
    if (one.part == part && one.shape == shape && one.number == number) return one.places;
  }
  Known& made = all.emplace_back(Known{part, shape, number, {}});
  for (unsigned r = 0; r < registers_of(part, shape, number); ++r) {
    for (unsigned lane = 0; lane < warp_size; ++lane) {
      for (unsigned k = 0; k < elements_in_register(number); ++k) {
        made.places.push_back(matrix_place(part, shape, number, lane, r, k));
      }
    }
  }
  return made.places;
}

}  // namespace gauntlet::simt
