// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The input of a Case: n elements, made by index (properties/oracle/element.hpp), and what lies
// around them.
//
// Exact regime. For a sum in a float accumulator of p bits (f64 53, f32 24, f16 11, bf16 8) the
// data ones, iota, small_integers, ties, with_nan, with_infinity and identities are whole numbers
// with sum of magnitudes < 2^p as far as n allows, so that every order of summation gives the same
// bits:
//   ones            1 always (exact while n < 2^p)
//   iota            i modulo W: W is what the input type counts to (2^p of it; integers 2^width,
//                   signed ones 2^(width-1)); when n(n-1)/2 >= 2^p of the accumulator,
//                   W = 1 + floor((2^p - 1) / n), and 2 at least
//   small_integers  1 <= |x| <= min(999, (2^p - 1) / n); for n >= 2^p one +-1 in each run of
//                   ceil(n / (2^p - 1)) elements, zero else
//   ties            the same with 0 <= |x| <= 2
//   identities      distinct whole numbers from 1 to (2^p - 1) / n while n <= that; integers of
//                   32 and 64 bits: distinct random words; of 8 and 16: distinct until they wrap
// Integer accumulators wrap, so there is no limit but the input type's (|x| <= 999 or 127).
// Products: float factors are +-1 and +-2^k with sum of |k| inside the accumulator's exponents
// (uniform and ill_conditioned: real factors near 1); integer factors are odd, so that each one can
// be divided out again.
// Real data: |x| < 1 (uniform), 2^10 (cancelling, ill_conditioned), less where n of them might
// overflow. Integers take the whole range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/oracle/element.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {

/// Throws CaseError where `map` asks for more elements than 64 bits count or pads beyond n.
[[nodiscard]] Recipe make_recipe(const Case& c);

/// Elements [first, first + count) in the input type, element after element.
[[nodiscard]] std::vector<std::byte> make_elements(const Recipe& recipe, std::uint64_t first,
                                                   std::uint64_t count);

// The input as a kernel finds it, from an aligned address on: bytes before element 0 (the case's
// offset), n elements, then tail cells up to `padded` elements, none for Tail::unmapped.
[[nodiscard]] std::uint64_t input_bytes(const Case& c, std::uint64_t padded);
/// From the offset up to this one of so many bytes the host gave them a value. The others hold the
/// dirty pattern all the same, for executors that cannot tell.
[[nodiscard]] std::uint64_t initialised_end(const Case& c, std::uint64_t bytes);
/// Makes any of them, from byte `at` on.
[[nodiscard]] std::function<void(std::uint64_t at, std::span<std::byte> bytes)> input_maker(
    const Case& c);

// The elements of a case and the reference of all of them, kept for neighbouring cases, which often
// share them.

class CaseElements {
 public:
  static constexpr std::uint64_t piece = std::uint64_t{1} << 16;  ///< elements made at once

  /// `keep`: few elements are made once and held, each thread the last ones.
  CaseElements(const Case& c, bool keep);

  [[nodiscard]] const Recipe& recipe() const { return recipe_; }

  /// f(bytes, count) over the run, piece after piece.
  template <class F>
  void for_each_piece(Run run, F&& f) const {
    if (kept_) return f(kept_->data() + run.first * size_of(recipe_.in), run.count);
    for (std::uint64_t at = 0; at < run.count; at += piece) {
      const std::uint64_t count = std::min(piece, run.count - at);
      f(make_elements(recipe_, run.first + at, count).data(), count);
    }
  }

 private:
  Recipe recipe_;
  std::shared_ptr<const std::vector<std::byte>> kept_;
};

/// The references of cells of which number k has the tiles k, k + cells, k + 2 cells ... of at most
/// CaseElements::piece elements, made by so many threads and not finished. Not for float products.
[[nodiscard]] std::vector<SliceReference> references_of_tiles(const Case& c, std::uint64_t tile,
                                                              std::uint64_t cells,
                                                              unsigned threads);

/// The finished reference of all elements of a case, made by so many threads or the one that was
/// made or offered for the last case with the same elements. Not for float products.
[[nodiscard]] SliceReference reference_of_all(const Case& c, unsigned threads);
/// For the next call: one that has been made on the way to something else and is not finished.
void offer_reference_of_all(const Case& c, SliceReference all);

}  // namespace gauntlet
