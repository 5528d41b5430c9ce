// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A table row for each opcode, set of modifiers and number of operands (PTX ISA 9.0, 9.7.1 to
// 9.7.8): which function of lane values it is, what it makes of terms, how its result grows.
#include "machine/isa/arithmetic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/isa/approximations.hpp"
#include "machine/isa/arithmetic_row.hpp"
#include "machine/isa/bit_operations.hpp"
#include "machine/isa/decode.hpp"

namespace gauntlet::simt {
namespace {

using namespace arithmetic_row;

constexpr Row rows[] = {
    sum<ops::Add, 2>("add").combines(Op::sum),
    sum<ops::Sub, 2>("sub"),
    sum<ops::Mul, 2>("mul").combines(Op::product),
    sum<ops::Fma, 3>("fma").terms(TermRule::multiply_add),
    sum<ops::Fma, 3>("mad").terms(TermRule::multiply_add),
    sums<ops::Add, 2>("add"),
    sums<ops::Sub, 2>("sub"),
    sums<ops::Mul, 2>("mul"),
    sums<ops::Fma, 3>("fma"),
    quotient<ops::Div, 2>("div"),
    quotient<ops::Sqrt, 1>("sqrt"),
    quotient<ops::Rcp, 1>("rcp"),
    row<ops::Div, 2, f32, f32>("div", "full"),
    row<ops::DivApprox, 2, f32, f32>("div", "approx"),
    row<ops::Sqrt, 1, f32, f32>("sqrt", "approx"),
    row<ops::Rcp, 1, f32, f32>("rcp", "approx"),
    row<ops::UpperWord<ops::Rcp>, 1, f64>("rcp", "approx.ftz"),
    row<ops::Rsqrt, 1, floats, f32>("rsqrt", "approx"),
    row<ops::UpperWord<ops::Rsqrt>, 1, f64>("rsqrt", "approx.ftz"),
    row<ops::Ex2, 1, f32 | f16, f32>("ex2", "approx"),
    row<Ftz<ops::Ex2, Bfloat>, 1, bf16>("ex2", "approx.ftz"),
    row<ops::Lg2, 1, f32, f32>("lg2", "approx"),
    row<ops::Sin, 1, f32, f32>("sin", "approx"),
    row<ops::Cos, 1, f32, f32>("cos", "approx"),
    row<ops::Tanh, 1, f32 | narrow>("tanh", "approx"),
    row<ops::Min, 2, integers | floats | narrow, f32 | f16>("min", "")
        .combines(Op::minimum)
        .strides(StrideRule::minimum),
    row<ops::Max, 2, integers | floats | narrow, f32 | f16>("max", "")
        .combines(Op::maximum)
        .strides(StrideRule::maximum),
    row<ops::MinNan, 2, f32 | narrow, f32 | f16>("min", "NaN"),
    row<ops::MaxNan, 2, f32 | narrow, f32 | f16>("max", "NaN"),
    row<ops::XorSign<ops::Min>, 2, f32 | narrow, f32 | f16>("min", "xorsign.abs"),
    row<ops::XorSign<ops::Max>, 2, f32 | narrow, f32 | f16>("max", "xorsign.abs"),
    row<ops::XorSign<ops::MinNan>, 2, f32 | narrow, f32 | f16>("min", "NaN.xorsign.abs"),
    row<ops::XorSign<ops::MaxNan>, 2, f32 | narrow, f32 | f16>("max", "NaN.xorsign.abs"),
    row<ops::Neg, 1, signed_integers | floats | narrow, f32 | f16>("neg", "").strides(
        StrideRule::negate),
    row<ops::Abs, 1, signed_integers | floats | narrow, f32 | f16>("abs", ""),
    row<ops::CopySign, 2, floats>("copysign", ""),

    row<ops::Add, 2, integers>("add", "").combines(Op::sum).strides(StrideRule::add),
    row<ops::Sub, 2, integers>("sub", "").strides(StrideRule::subtract),
    row<ops::AddSat, 2, types_in({S::s32})>("add", "sat"),
    row<ops::SubSat, 2, types_in({S::s32})>("sub", "sat"),
    row<ops::Mul, 2, integers>("mul", "lo").combines(Op::product).strides(StrideRule::multiply),
    row<ops::MulHi, 2, integers>("mul", "hi"),
    row<ops::MulWide, 2, Shape::wide, i16 | i32>("mul", "wide")
        .terms(TermRule::multiply_wide, unsigned_integers)
        .strides(StrideRule::multiply),
    row<ops::Mul24, 2, i32>("mul24", "lo"),
    row<ops::Mul24Hi, 2, i32>("mul24", "hi"),
    row<ops::Mad, 3, integers>("mad", "lo")
        .terms(TermRule::multiply_add)
        .strides(StrideRule::multiply_add),
    row<ops::MadHi, 3, integers>("mad", "hi"),
    row<ops::MadHiSat, 3, types_in({S::s32})>("mad", "hi.sat"),
    row<ops::MadWide, 3, Shape::wide, i16 | i32>("mad", "wide").strides(StrideRule::multiply_add),
    row<ops::Mad24, 3, i32>("mad24", "lo"),
    row<ops::Mad24Hi, 3, i32>("mad24", "hi"),
    row<ops::Sad, 3, integers>("sad", ""),
    row<ops::Div, 2, integers>("div", ""),
    row<ops::Rem, 2, integers>("rem", ""),

    row<ops::And, 2, bits>("and", "").terms(TermRule::and_bits).strides(StrideRule::and_bits),
    row<ops::Or, 2, bits>("or", "").terms(TermRule::or_bits).strides(StrideRule::or_bits),
    row<ops::Xor, 2, bits>("xor", ""),
    row<ops::Not, 1, bits>("not", "").strides(StrideRule::invert),
    row<ops::Cnot, 1, bits>("cnot", ""),
    row<ops::Shl, 2, Shape::shift, bits>("shl", "")
        .terms(TermRule::shift_left)
        .strides(StrideRule::shift_left),
    row<ops::Shr, 2, Shape::shift, bits | integers>("shr", "")
        .terms(TermRule::shift_right)
        .strides(StrideRule::shift_right),
    row<ops::FunnelLeftWrap, 3, b32>("shf", "l.wrap"),
    row<ops::FunnelLeftClamp, 3, b32>("shf", "l.clamp"),
    row<ops::FunnelRightWrap, 3, b32>("shf", "r.wrap"),
    row<ops::FunnelRightClamp, 3, b32>("shf", "r.clamp"),
    row<ops::Popc, 1, Shape::count, types_in({S::b32, S::b64})>("popc", "")
        .terms(TermRule::count_ones, b32),
    row<ops::Clz, 1, Shape::count, types_in({S::b32, S::b64})>("clz", ""),
    row<ops::Bfind<false>, 1, Shape::count, i32 | i64>("bfind", ""),
    row<ops::Bfind<true>, 1, Shape::count, i32 | i64>("bfind", "shiftamt"),
    row<ops::Brev, 1, types_in({S::b32, S::b64})>("brev", ""),
    row<ops::Bmsk<true>, 2, b32>("bmsk", "clamp"),
    row<ops::Bmsk<false>, 2, b32>("bmsk", "wrap"),
    row<ops::Szext<true>, 2, i32>("szext", "clamp"),
    row<ops::Szext<false>, 2, i32>("szext", "wrap"),
    row<ops::Bfe, 3, Shape::field, i32 | i64>("bfe", "").terms(TermRule::extract_field,
                                                               unsigned_integers),
};

/// The row is of this opcode, type and number of operands, its own modifiers are there, and no
/// other that it does not allow for the type.
bool fits(const Row& row, const Operation& o, How& how) {
  if (row.opcode != o.opcode || row.inputs != o.inputs || o.types != 1 ||
      !in(row.allowed.types, o.type) || !o.how.has(row.own)) {
    return false;
  }
  Modifiers left = o.how.without(row.own);
  const auto take = [&](Modifier m, u32 types) { return in(types, o.type) && left.take(m); };
  how = {};
  how.ftz = take(Modifier::ftz, row.allowed.ftz);
  how.sat = take(Modifier::sat, row.allowed.sat);
  how.relu = !how.sat && take(Modifier::relu, row.allowed.relu);
  const u32 rounds = row.allowed.round | row.nearest;
  how.round = take(Modifier::rn, rounds)   ? Round::nearest
              : take(Modifier::rz, rounds) ? Round::zero
              : take(Modifier::rm, rounds) ? Round::down
              : take(Modifier::rp, rounds) ? Round::up
                                           : Round::none;
  const bool too_much = in(row.nearest, o.type) && how.round > Round::nearest;
  const bool too_little = in(row.must_round, o.type) && how.round == Round::none;
  return left.none() && !too_much && !too_little;
}

const Row* find_row(const Operation& o, How& how) {
  const auto* const row =
      std::find_if(std::begin(rows), std::end(rows), [&](const Row& r) { return fits(r, o, how); });
  return row == std::end(rows) ? nullptr : row;
}

std::string types_in_words(u32 types) {
  std::string text;
  for (const auto type : all<S>()) {
    if (in(types, type)) text.append(text.empty() ? "" : " ").append(name(type));
  }
  return text;
}
std::string_view in_words(const Row& row) {
  switch (row.term) {
    case TermRule::combine:
    case TermRule::combine_three:
      return name(row.op);
    case TermRule::multiply_add:
      return "multiply-add";
    case TermRule::multiply_wide:
    case TermRule::and_bits:
    case TermRule::or_bits:
    case TermRule::shift_left:
    case TermRule::shift_right:
    case TermRule::extract_field:
      return "moved bytes";
    default:
      return "a function";
  }
}

Rules rules_of(const Row& row, S type, const How& how) {
  Rules rules;
  if (how.sat || how.relu || how.round > Round::nearest) return rules;
  rules.op = row.op;
  if (in(words, type)) rules.stride = row.stride;
  if (in(row.of_term, type)) rules.term = row.term;
  if (in(pairs, type)) {
    const bool combines = rules.term == TermRule::combine;
    rules.term = combines ? TermRule::combine_pair : TermRule::unknown;
  }
  // nvcc has all arithmetic of bf16 as fma.
  if (rules.term == TermRule::multiply_add && type == S::bf16) rules.term = TermRule::fma_bf16;
  if (rules.term == TermRule::shift_right && in(signed_integers, type)) {
    rules.term = TermRule::shift_right_signed;
  }
  return rules;
}

}  // namespace

std::string arithmetic_table() {
  std::string text;
  for (const Row& row : rows) {
    std::string spelt(name(row.opcode)), may;
    if (!row.modifiers.empty()) spelt.append(".").append(row.modifiers);
    const auto add = [&](std::string_view words, u32 types) {
      if (types == none) return;
      if (!may.empty()) may += "; ";
      may += fmt::format("`{}`", words);
      if (types != row.allowed.types) may += " of " + types_in_words(types);
    };
    add(".rn .rz .rm .rp", row.allowed.round);
    add(".rn", row.nearest);
    add(".ftz", row.allowed.ftz);
    add(".sat", row.allowed.sat);
    add(".relu", row.allowed.relu);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", spelt, row.inputs,
                        types_in_words(row.allowed.types), may, row.undefined, in_words(row),
                        name(row.stride));
  }
  return text;
}

Arithmetic find_arithmetic(const Operation& operation) {
  How how;
  const Row* const row = find_row(operation, how);
  if (row == nullptr) return {};
  const S type = operation.type;
  const unsigned bytes = size_of(type);
  Arithmetic found{
      row->select(type, how), row->inputs, {bytes, bytes, bytes}, bytes, rules_of(*row, type, how)};
  if (row->shape == Shape::shift || row->shape == Shape::field) found.bytes[1] = 4;
  if (row->shape == Shape::field || row->shape == Shape::count) {
    (row->shape == Shape::field ? found.bytes[2] : found.result_bytes) = 4;
  }
  if (row->shape == Shape::wide) found.bytes[2] = found.result_bytes = 2 * bytes;
  for (unsigned k = 0; k < 3; ++k) found.rules.bytes[k] = found.bytes[k] == 8 ? 8 : 4;
  found.rules.result_bytes = static_cast<std::uint8_t>(found.result_bytes);
  return found;
}

}  // namespace gauntlet::simt
