// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// D = A * B + C of tensor cores, whoever brings the factors: registers of a warp, or shared memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/isa/product_rows.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt {

/// A matrix as registers of 32 lanes hold it, and where what is undefined comes from.
struct Fragments {
  std::vector<const std::uint32_t*> lanes;  ///< by register; of f64 two words a lane
  std::vector<std::uint32_t> value;         ///< all of them, where they are no warp's registers
  /// By register and lane, 0: defined; else an origin's number and 1. Empty: all are defined.
  std::vector<std::uint32_t> origin;

  Fragments() = default;
  Fragments(MatrixPart part, MatrixShape shape, ptx::ScalarType number) {
    become(registers_of(part, shape, number), number);
  }
  /// All defined; what values it has is left open.
  void become(std::size_t registers, ptx::ScalarType number) {
    words_ = std::max(ptx::bits_of(number) / 32, 1U);
    value.resize(registers * warp_size * words_);
    lanes.resize(registers);
    for (std::size_t r = 0; r < registers; ++r) lanes[r] = at(r);
    origin.clear();
  }
  Fragments(Fragments&&) = default;  // a copy's lanes would be those of the first
  Fragments& operator=(Fragments&&) = default;
  /// The lanes of a register.
  [[nodiscard]] std::uint32_t* at(std::size_t reg) { return &value[reg * warp_size * words_]; }
  /// Where an element of A or B begins.
  [[nodiscard]] std::byte* element(MatrixSlot slot, std::size_t bytes) {
    return reinterpret_cast<std::byte*>(&value[slot.word]) + slot.element * bytes;
  }
  /// Copies what registers of one word a lane hold.
  const std::vector<std::uint32_t>& own() {
    value.resize(lanes.size() * warp_size);
    for (std::size_t r = 0; r < lanes.size(); ++r) {
      lanes[r] = std::copy_n(lanes[r], warp_size, at(r)) - warp_size;
    }
    return value;
  }
  [[nodiscard]] std::uint32_t word(std::size_t k) const {
    return lanes[k / warp_size][k % warp_size];
  }
  void is_undefined(std::size_t word, std::uint32_t from) {
    if (origin.empty()) origin.resize(lanes.size() * warp_size);
    origin[word] = from + 1;
  }

 private:
  std::size_t words_ = 1;
};

/// Of registers as they are: until one of them is written.
void read_fragments(const Warp& w, const std::vector<Operand>& registers, Fragments& to);
/// As product_rows.hpp has them: of f64 the shape alone, of fp8 half the words that it has then.
[[nodiscard]] ProductShape shape_of(const MatrixOp& op);
/// Of factors that are floats.
[[nodiscard]] FloatSums float_sums(const MatrixOp& op);
/// `fault`: makes all of D undefined; as Fragments::origin.
void product(const MatrixOp& op, const Fragments& a, const Fragments& b, const Fragments& c,
             std::uint32_t fault, Fragments& d);

}  // namespace gauntlet::simt
