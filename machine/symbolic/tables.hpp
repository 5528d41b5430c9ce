// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What terms of one element are for many values of it at once. Of an element of eight bits all 256
// are all that can be known.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {

class Samples {
 public:
  using Values = std::vector<std::uint64_t>;
  /// The number of the element that a term is taken for.
  using ElementOf = std::function<std::optional<std::uint64_t>(TermId)>;
  /// `inputs`: of the element, a multiple of 32. `floats`: these are computed with, too, but for
  /// what is NaN or flushed; else not followed.
  Samples(const Terms& terms, Values inputs, ElementOf element_of, bool floats);

  struct Function {
    std::uint64_t element = 0;
    const Values* values = nullptr;  ///< by the element's
    std::uint32_t shape = 0;         ///< equal ones have equal values
    [[nodiscard]] bool same_everywhere() const;
  };
  /// None: it is made of something else, too, of no element, or by operations that are not followed
  /// here (what no row of arithmetic describes). Valid until the next one.
  [[nodiscard]] std::optional<Function> of(TermId id);

 private:
  /// Terms that are made in one way, of whichever element, have one shape.
  struct Read {
    std::optional<std::uint32_t> shape;
    std::optional<std::uint64_t> element;
  };
  using Key = std::vector<std::uint64_t>;
  const Read& read(TermId id, unsigned depth);
  Read read_again(TermId id, unsigned depth);
  std::optional<std::uint32_t> operand(Value v, unsigned depth, Read& all);
  template <class F>
  std::optional<std::uint32_t> shape(Key key, F&& compute);
  std::optional<std::uint32_t> constant(std::uint64_t bits);
  std::optional<std::uint32_t> bytes(TermId id, unsigned depth, Read& all);
  std::optional<std::uint32_t> combined(const Term& t, unsigned depth, Read& all);
  std::optional<std::uint32_t> compared(const Term& t, unsigned depth, Read& all);
  std::optional<std::uint32_t> converted(const Term& t, unsigned depth, Read& all);
  std::optional<std::uint32_t> applied(const Application& application, unsigned depth, Read& all);
  [[nodiscard]] std::optional<Values> logical(const Operation& o, unsigned variant,
                                              const std::vector<std::uint32_t>& of) const;
  [[nodiscard]] std::optional<Values> executed(const Operation& o,
                                               const std::vector<std::uint32_t>& of) const;

  const Terms& terms_;
  const Values inputs_;
  const ElementOf element_of_;
  const bool floats_;
  std::unordered_map<TermId, Read> known_;
  std::map<Key, std::optional<std::uint32_t>> shapes_;
  std::vector<Values> values_;  ///< by shape
};

/// Of elements of eight bits, all values; without floats.
[[nodiscard]] Samples tables_of(const Terms& terms);

}  // namespace gauntlet::simt::symbolic
