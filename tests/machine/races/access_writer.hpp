// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What writes a program of accesses, statement by statement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "tests/machine/races/access_program.hpp"

namespace gauntlet::simt::test {

class AccessWriter {
 public:
  AccessWriter(const AccessShape& shape, std::uint32_t blocks)
      : shape_(shape), blocks_(blocks), random_(shape.seed) {}

  /// %r0: the thread, %d0: array a, %d1: s, %d2: the generic address of s, %d3: array in, %d4: the
  /// generic address of l, %d5: the thread's own place in out, %r9: the round. Of rows %d25: where
  /// they are, %d26: the thread's element of four bytes, %d27: of eight, %d28: of sixteen, %d29: of
  /// two, %d30: of one, %d31: of four in rows of sixteen, %r21: its number; %d19: of four in the
  /// middle of others, in rows of sixteen threads, %r23: its number in the row.
  std::string run();
  static constexpr unsigned most_statements = 18, most_heads = 4;

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  template <std::size_t N>
  const char* pick(const char* const (&words)[N]) {
    return words[draw(N)];
  }

  [[nodiscard]] bool rows() const { return shape_.rows != AccessShape::Rows::none; }
  [[nodiscard]] bool whole() const { return shape_.rows == AccessShape::Rows::whole; }
  /// Where what a statement has loaded goes, of `out`.
  [[nodiscard]] std::uint64_t place_of(std::uint64_t statement) const {
    return statement * blocks_ * shape_.threads * 8;
  }

  /// An access behind straight code, at an address that grows evenly with the thread, so that one
  /// warp knows it for the others (prologue_runs.hpp), or nearly so.
  std::string head(std::uint64_t n);
  /// %p0: the thread is one of some.
  std::string guard();
  /// %r5: the element that the thread accesses, of some beside one another.
  std::string element(std::uint64_t elements);
  std::string access(unsigned k);
  /// Of elements of the thread's own, or of a neighbour.
  std::string row_access();
  /// Of words around the thread's own, as a stencil, a window or a product of matrices reads them;
  /// now and then one is written.
  std::string stencil_access();
  /// The place of the thread's element, among some side by side or with gaps: which one, in bytes.
  std::string place(const char* to, unsigned size);
  std::string copy();
  /// For copies, by all or by some; or all threads arrive at an mbarrier that tracks them, and
  /// wait.
  std::string wait(unsigned k);
  std::string statement(unsigned k);

  const AccessShape& shape_;
  const std::uint32_t blocks_;
  std::mt19937_64 random_;
  /// Words from a row of sixteen threads to the next one.
  const std::uint64_t pitch_ = shape_.rows == AccessShape::Rows::stencil ? 16 + draw(4) * 8 : 16;
  unsigned exits_ = 0;
};

}  // namespace gauntlet::simt::test
