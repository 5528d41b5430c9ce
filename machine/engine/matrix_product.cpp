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
#include "machine/state/spares.hpp"

namespace gauntlet::simt {
namespace {

/// Where the elements of a matrix are in the words of its registers.
struct MatrixTable {
  MatrixPart part;
  MatrixShape shape;
  ptx::ScalarType number;
  std::vector<MatrixPlace> places;    ///< by register, lane and place in the register
  std::vector<std::uint32_t> at;      ///< the same: row by row
  std::vector<std::uint32_t> source;  ///< of each element, as ProductRows::elements reads it
};
/// matrix_factor of each element, apart: significands, and exponents, of a zero `of_zero`.
struct Factors {
  std::vector<float> significand;
  std::vector<std::int32_t> exponent;
  /// False: some are no numbers.
  bool read(ptx::ScalarType number, const Elements& e) {
    significand.resize(e.value.size());
    exponent.resize(e.value.size());
    const std::int32_t ignored = number == ptx::ScalarType::tf32 ? 13 : 0;
    const std::int32_t nan = number == ptx::ScalarType::e4m3 ? 7 : 0;  // it has no infinity
    return product_rows().factors({fraction_bits(number), exponent_bits(number), ignored, nan},
                                  e.value.data(), e.value.size(), significand.data(),
                                  exponent.data());
  }
  [[nodiscard]] FloatFactors row(std::size_t at) const {
    return {significand.data() + at, exponent.data() + at};
  }
};

/// What products are made of, kept from one to the next.
using Sums = std::vector<std::uint64_t>;
struct ProductRoom {
  std::deque<MatrixTable> tables;
  Sums sums;
  std::vector<std::int32_t> rows, columns;
  std::vector<std::uint32_t> words;
  std::vector<double> doubles[3];
  Factors factors[3];
};
const MatrixTable& matrix_table(MatrixPart part, MatrixShape shape, ptx::ScalarType number) {
  auto& all = of_this_thread<ProductRoom>().tables;
  for (const MatrixTable& one : all) {
    if (one.part == part && one.shape == shape && one.number == number) return one;
  }
  MatrixTable& made = all.emplace_back(MatrixTable{part, shape, number, {}, {}, {}});
  const unsigned each = elements_in_register(number), bits = bits_of(number);
  made.source.resize(std::size_t{rows_of(part, shape)} * columns_of(part, shape));
  for (unsigned word = 0; word < registers_of(part, shape, number) * warp_size; ++word) {
    for (unsigned k = 0; k < each; ++k) {
      const MatrixPlace place =
          matrix_place(part, shape, number, word % warp_size, word / warp_size, k);
      made.places.push_back(place);
      made.at.push_back(place.row * columns_of(part, shape) + place.column);
      made.source[made.at.back()] = word * 32 + k * bits % 32;
    }
  }
  return made;
}

/// Where D is undefined: an undefined factor makes its row or column of the product so.
void spread_origins(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                    std::uint32_t fault, Fragments& d) {
  d.origin.clear();
  if (fault == 0 && a.origin.empty() && b.origin.empty() && c.origin.empty()) return;
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
  const MatrixTable& table = matrix_table(MatrixPart::c, shape, op.d_number);
  const std::size_t each = elements_in_register(op.d_number);
  d.origin.assign(d.value.size(), fault);
  for (std::size_t k = 0; k < table.at.size(); ++k) {
    const auto [row, column] = table.places[k];
    std::uint32_t& origin = d.origin[k / each];
    origin = std::max({origin, row_origin[row], column_origin[column],
                       c.origin.empty() ? 0 : c.origin[table.at[k]]});
  }
}

/// D in the registers of the lanes: `value` by rows and columns.
void pack(const MatrixOp& op, const std::vector<std::uint64_t>& value, Fragments& d) {
  const unsigned each = elements_in_register(op.d_number), bits = bits_of(op.d_number);
  d.become(registers_of(MatrixPart::c, op.shape, op.d_number), warp_size);
  const std::uint32_t* at = matrix_table(MatrixPart::c, op.shape, op.d_number).at.data();
  for (std::uint64_t& word : d.value) {
    word = value[*at++];
    for (unsigned k = 1; k < each; ++k) word |= value[*at++] << k * bits;
  }
}

/// The elements as T, in place of `all`; `convert` gives one of its bits.
template <class T, class Convert>
void numbers_of(const Elements& e, std::vector<T>& all, Convert convert) {
  all.resize(e.value.size());
  std::ranges::transform(e.value, all.begin(), convert);
}

void integer_product(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                     Sums& d) {
  const auto [m, n, k] = op.shape;
  auto &rows = of_this_thread<ProductRoom>().rows, &columns = of_this_thread<ProductRoom>().columns;
  auto& sum = of_this_thread<ProductRoom>().words;
  const auto read = [](const Elements& e, ptx::ScalarType number, std::vector<std::int32_t>& to) {
    const bool is_signed = number == ptx::ScalarType::s4 || number == ptx::ScalarType::s8;
    const unsigned by = is_signed ? 32 - bits_of(number) : 0;
    numbers_of(e, to, [by](std::uint64_t bits) {
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) << by) >> by;
    });
  };
  read(a, op.a_number, rows);
  read(b, op.b_number, columns);
  if (!op.saturate) {
    numbers_of(c, sum, [](std::uint64_t bits) { return static_cast<std::uint32_t>(bits); });
    for (std::size_t row = 0; row < m; ++row) {
      product_rows().integers(&rows[row * k], columns.data(), k, n, &sum[row * n]);
    }
    d.assign(sum.begin(), sum.end());
    return;
  }
  d = c.value;
  for (std::size_t at = 0; at < d.size(); ++at) {
    std::int64_t exact = static_cast<std::int32_t>(d[at]);
    for (std::size_t i = 0; i < k; ++i) {
      exact += std::int64_t{rows[at / n * k + i]} * columns[i * n + at % n];
    }
    using Limits = std::numeric_limits<std::int32_t>;
    exact = std::clamp<std::int64_t>(exact, Limits::min(), Limits::max());
    d[at] = static_cast<std::uint32_t>(exact);
  }
}

void double_product(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                    Sums& d) {
  auto& [rows, columns, sum] = of_this_thread<ProductRoom>().doubles;
  const auto as_double = [](std::uint64_t bits) { return std::bit_cast<double>(bits); };
  numbers_of(a, rows, as_double);
  numbers_of(b, columns, as_double);
  numbers_of(c, sum, as_double);
  const auto [m, n, k] = op.shape;
  for (std::size_t row = 0; row < m; ++row) {
    product_rows().doubles(&rows[row * k], columns.data(), k, n, &sum[row * n]);
  }
  d.resize(sum.size());
  std::ranges::transform(sum, d.begin(), [](double x) { return std::bit_cast<std::uint64_t>(x); });
}

void float_product(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
                   Sums& d) {
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
  d.resize(c.value.size());
  auto& [rows, columns, addends] = of_this_thread<ProductRoom>().factors;
  const SumPoint point{keeps.parts, bits, c_bits, ~0ULL << (52 - keeps.f32)};
  if (rows.read(op.a_number, a) && columns.read(op.b_number, b) && addends.read(op.c_number, c)) {
    for (std::size_t row = 0; row < m; ++row) {
      std::int32_t top[most_columns];
      std::int64_t sum[most_columns];
      std::uint64_t* const to = &d[row * n];
      product_rows().floats(rows.row(row * k), columns.row(0), addends.row(row * n), k, n, point,
                            top, sum);
      if (op.d_number == N::f32 && product_rows().rounded(top, sum, n, point, to)) continue;
      for (unsigned j = 0; j < n; ++j) {
        to[j] = given(rounded_sum(sum[j], top[j] - keeps.parts, as, keeps));
      }
    }
    return;
  }
  const auto factor = [](N number) {
    return
        [number](std::uint64_t x) { return matrix_factor(number, static_cast<std::uint32_t>(x)); };
  };
  std::vector<MatrixFactor> each_row, each, column(k);
  numbers_of(a, each_row, factor(op.a_number));
  numbers_of(b, each, factor(op.b_number));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < k; ++i) column[i] = each[i * n + j];
    for (std::size_t row = 0; row < m; ++row) {
      const std::size_t at = row * n + j;
      d[at] = given(matrix_sum(std::span(each_row).subspan(row * k, k), column, bits,
                               factor(op.c_number)(c.value[at]), c_bits, as, keeps));
    }
  }
}

}  // namespace

void read_fragments(const Warp& w, const std::vector<Operand>& registers, ptx::ScalarType number,
                    Fragments& to) {
  to.become(static_cast<unsigned>(registers.size()), warp_size);
  for (std::size_t r = 0; r < registers.size(); ++r) {
    const Operand from = registers[r];
    std::uint64_t* const row = &to.value[r * warp_size];
    if (bits_of(number) == 64)
      std::copy_n(w.source<std::uint64_t>(from), warp_size, row);
    else
      std::copy_n(w.source<std::uint32_t>(from), warp_size, row);
    if (!w.poison_live) continue;
    for (const unsigned lane : lanes_of(w.poison[from.id])) {
      to.is_undefined(r * warp_size + lane, w.origin_of(from, static_cast<int>(lane)));
    }
  }
}

void elements_of(const Fragments& held, MatrixPart part, MatrixShape shape, ptx::ScalarType number,
                 Elements& to) {
  to.become(rows_of(part, shape), columns_of(part, shape));
  const unsigned each = elements_in_register(number), bits = bits_of(number);
  const MatrixTable& table = matrix_table(part, shape, number);
  product_rows().elements(held.value.data(), table.source.data(), table.source.size(),
                          bits == 64 ? ~0ULL : (1ULL << bits) - 1, to.value.data());
  for (std::size_t from = 0; from < held.origin.size(); ++from) {
    for (unsigned k = 0; held.origin[from] != 0 && k < each; ++k) {
      to.is_undefined(table.at[from * each + k], held.origin[from] - 1);
    }
  }
}

void product(const MatrixOp& op, const Elements& a, const Elements& b, const Elements& c,
             std::uint32_t fault, Fragments& d) {
  using N = ptx::ScalarType;
  Sums& sums = of_this_thread<ProductRoom>().sums;
  if (op.a_number == N::f64)
    double_product(op, a, b, c, sums);
  else if (op.d_number == N::s32)
    integer_product(op, a, b, c, sums);
  else
    float_product(op, a, b, c, sums);
  pack(op, sums, d);
  spread_origins(op, a, b, c, fault, d);
}

const std::vector<MatrixPlace>& matrix_places(MatrixPart part, MatrixShape shape,
                                              ptx::ScalarType number) {
  return matrix_table(part, shape, number).places;
}

}  // namespace gauntlet::simt
