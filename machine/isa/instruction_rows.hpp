// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A table row for each instruction that no row of arithmetic describes and that folds nothing over
// a warp: moves, comparisons, conversions, accesses to memory, barriers, fences, copies, matrices
// (PTX ISA 9.0, 9.7.2, 9.7.5 to 9.7.10, 9.7.13 to 9.7.15). What has no row is read by way of
// arithmetic.hpp and warp_rows.hpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/names.hpp"
#include "machine/code/code.hpp"

namespace gauntlet::simt {

/// Which function of the decoder reads an instruction.
enum class ReadBy : std::uint8_t {
  predicates,
  move,
  convert,
  address_space,
  compare,
  set,
  select_by_sign,
  test_property,
  integers,
  data,
  nothing,
  memory,
  texture,
  copy,
  bulk,
  mbarrier,
  barrier,
  warp,
  matrix,
  warpgroup,
  cluster
};

/// What a proof makes of it.
enum class InProof : std::uint8_t {
  bytes,     ///< terms move with the bytes
  elements,  ///< of matrices: the same, or sums of products
  atomic,    ///< the same as bytes; what is combined, and the result, depend on the schedule
  copy,      ///< the load of an asynchronous copy is followed, the store is not
  barrier,   ///< it orders
  order,     ///< the same, without waiting
  schedule,  ///< its result is a choice of the schedule
  function,  ///< the same for the same operands; it does nothing else
  carry,     ///< the same, with a carry that it takes or hands on
  nothing,   ///< no value and no order
  end        ///< no proof goes past it
};
constexpr auto names(const InProof*) {
  return names_of("its bytes", "elements of matrices", "an atomic", "not followed", "a barrier",
                  "an order", "a choice of the schedule", "a function", "a function", "nothing",
                  "not followed");
}

struct InstructionRow {
  Opcode opcode;
  std::string_view word;  ///< one of its suffixes, which tells those of one opcode apart
  ReadBy reader;
  Kind kind;  ///< what most of its instructions are: how they are counted, who waits
  InProof in_proof;
};
/// Of an opcode and its suffixes; null where the instruction is in another table.
[[nodiscard]] const InstructionRow* row_of(const ptx::Instruction& i);

/// All of them.
[[nodiscard]] std::span<const InstructionRow> instruction_rows();

/// What an instruction of the text does, by its row or that of arithmetic, for who changes the text
/// before it is decoded.
enum class Effect : std::uint8_t {
  other,        ///< more than the others, or there is no row
  computes,     ///< its first operand, of the others and of nothing else
  weak_load,    ///< the same, and of memory
  weak_store,   ///< no more than that
  accumulates,  ///< an atomic operation, whose result may be used
};
[[nodiscard]] Effect effect_of(const ptx::Instruction& i);

}  // namespace gauntlet::simt
