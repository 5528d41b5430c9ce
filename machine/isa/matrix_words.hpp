// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The modifiers and operand lists that matrix instructions have in common.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "machine/code/matrix.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {

/// .sync.aligned, taken out of the words.
inline bool take_aligned(std::vector<std::string_view>& words) {
  return take(words, "sync") && take(words, "aligned");
}
inline bool take_shape(std::vector<std::string_view>& words, MatrixShape& shape) {
  struct Named {
    std::string_view name;
    MatrixShape shape;
  };
  static constexpr Named shapes[] = {
      {"m16n16k16", {16, 16, 16}}, {"m32n8k16", {32, 8, 16}}, {"m8n32k16", {8, 32, 16}},
      {"m16n16k8", {16, 16, 8}},   {"m8n8k4", {8, 8, 4}},     {"m8n8k16", {8, 8, 16}},
      {"m8n8k32", {8, 8, 32}},     {"m16n8k4", {16, 8, 4}},   {"m16n8k8", {16, 8, 8}},
      {"m16n8k16", {16, 8, 16}},   {"m16n8k32", {16, 8, 32}}, {"m16n8k64", {16, 8, 64}}};
  for (const auto& known : shapes) {
    if (!take(words, known.name)) continue;
    shape = known.shape;
    return true;
  }
  return false;
}
/// The type of a matrix's elements; null for others.
inline std::optional<ptx::ScalarType> matrix_number(std::string_view word) {
  using S = ptx::ScalarType;
  static constexpr S numbers[] = {S::f16, S::bf16, S::tf32, S::e4m3, S::e5m2, S::f32,
                                  S::f64, S::s4,   S::u4,   S::s8,   S::u8,   S::s32};
  const auto type = parse<S>(word);
  const bool known =
      type && std::find(std::begin(numbers), std::end(numbers), *type) != std::end(numbers);
  return known ? type : std::nullopt;
}

/// The types that all of the words name.
inline std::optional<std::vector<ptx::ScalarType>> matrix_numbers(
    std::span<const std::string_view> words) {
  std::vector<ptx::ScalarType> all;
  for (const auto word : words) {
    const auto number = matrix_number(word);
    if (!number) return std::nullopt;
    all.push_back(*number);
  }
  return all;
}

/// Registers that the text names: wmma's fragments of f16 factors always have eight, those of the
/// smaller ones again and again.
constexpr unsigned matrix_registers(MatrixPart part, MatrixShape shape, ptx::ScalarType number,
                                    bool wmma) {
  if (wmma && number == ptx::ScalarType::f16 && part != MatrixPart::c) return 8;
  return registers_of(part, shape, number);
}

/// {a, b, ...}; a list of one may be without braces.
inline std::span<const ptx::Operand> parts_of(const ptx::Operand& list) {
  if (list.kind == ptx::Operand::Kind::vector) return list.parts;
  return {&list, 1};
}

}  // namespace gauntlet::simt
