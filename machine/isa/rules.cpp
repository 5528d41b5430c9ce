// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The rules of the operations that are no arithmetic: moves, logic on predicates, comparisons,
// selections, conversions, permutations. arithmetic.cpp has the others beside what they compute.
#include "machine/isa/rules.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "machine/isa/arithmetic.hpp"

namespace gauntlet::simt {
namespace {
namespace others {

using M = Modifier;
using S = ptx::ScalarType;
using T = TermRule;
using G = StrideRule;

constexpr Types pred = types_in({S::pred}), b32 = types_in({S::b32}), u64 = types_in({S::u64}),
                bytes = types_in({S::b8, S::u8, S::s8}),
                words = types_in({S::b32, S::u32, S::s32, S::b64, S::u64, S::s64}),
                integers = words | bytes | types_in({S::b16, S::u16, S::s16}),
                halves = types_in({S::f16, S::bf16}), f32 = types_in({S::f32}),
                f64 = types_in({S::f64}), floats = halves | f32 | f64, wider = integers & ~bytes,
                numbers = wider | floats;

using Row = RuleRow;
constexpr Row row(Opcode opcode, unsigned inputs, Modifiers how, Types types, Types from,
                  Rules rules, Types strides = words) {
  return {opcode, inputs, how, types, from, rules, strides};
}
constexpr Row rows[] = {
    row(Opcode::mov, 1, {}, integers | floats, 0, {T::move, G::copy}),
    row(Opcode::mov, 1, {}, pred, 0, {T::move}),
    row(Opcode::and_, 2, {}, pred, 0, {T::and_pred, G::and_pred}, pred),
    row(Opcode::or_, 2, {}, pred, 0, {T::or_pred, G::or_pred}, pred),
    row(Opcode::selp, 3, {}, numbers, 0, {T::select, G::select}),
    row(Opcode::setp, 2, {}, numbers, 0, {T::compare, G::compare}),  // by one relation
    row(Opcode::cvt, 1, {}, integers, integers, {T::convert_integer, G::convert}),
    // Floats: wider is exact; narrower is rounded to nearest, and has to say so.
    row(Opcode::cvt, 1, {}, f32 | f64, halves, {T::convert_float}),
    row(Opcode::cvt, 1, {}, f64, f32, {T::convert_float}),
    row(Opcode::cvt, 1, {M::rn}, halves | f32, f64, {T::convert_float}),
    row(Opcode::cvt, 1, {M::rn}, halves, f32, {T::convert_float}),
    row(Opcode::cvta, 1, {M::to, M::global}, u64, 0, {T::unknown, G::copy}),
    row(Opcode::cvta, 1, {M::global}, u64, 0, {T::unknown, G::copy}),
    row(Opcode::prmt, 3, {}, b32, 0, {T::permute}),
    row(Opcode::bfi, 4, {}, words, 0, {T::insert_field}),
};

/// The one that is named, where it tells how numbers compare.
std::optional<Relation> relation_in(const Modifiers& how) {
  for (const M word : all<M>()) {
    const auto relation = relation_of(word);
    if (relation < Relation::num && how == Modifiers{word}) return relation;
  }
  return std::nullopt;
}

bool fits(const Row& row, const Operation& o) {
  Modifiers how = o.how;
  if (in(floats, o.from)) how.take(M::ftz);
  if (row.rules.term == T::compare) {
    if (!relation_in(how)) return false;
    how = {};
  }
  return row.opcode == o.opcode && row.inputs == o.inputs && row.how == how &&
         in(row.types, o.type) &&
         (row.from == 0 ? o.types == 1 : o.types == 2 && in(row.from, o.from));
}

Rules given(const Row& row, const Operation& o) {
  Rules rules = row.rules;
  if (rules.term == T::compare) rules.relation = *relation_in(o.how.without({M::ftz}));
  if (!in(row.strides, o.type) || !in(row.strides, o.from)) rules.stride = StrideRule::unknown;
  return rules;
}

/// Of operands and results that no row of arithmetic describes.
void sizes(const Operation& o, Rules& rules) {
  rules.bytes.fill(size_of(o.from) == 8 ? 8 : 4);
  rules.result_bytes = static_cast<std::uint8_t>(size_of(o.type));
  if (o.opcode == Opcode::setp || o.opcode == Opcode::selp || o.opcode == Opcode::set) {
    rules.bytes[2] = 0;
  }
  if (o.opcode == Opcode::bfi) rules.bytes[2] = rules.bytes[3] = 4;
  const bool predicates = o.types != 0 && o.from == S::pred;
  if (predicates) rules.bytes.fill(0);
  if (predicates || o.opcode == Opcode::setp) rules.result_bytes = 4;
  rules.carried = o.opcode == Opcode::addc || o.opcode == Opcode::subc || o.opcode == Opcode::madc;
}

}  // namespace others
}  // namespace

Rules rules_of(const Operation& operation) {
  const auto fits = [&](const RuleRow& row) { return others::fits(row, operation); };
  if (mutant_row != nullptr && fits(*mutant_row)) return mutant_row->rules;
  if (const auto found = find_arithmetic(operation); found.handler != nullptr) return found.rules;
  const auto* const row = std::ranges::find_if(others::rows, fits);
  Rules rules = row == std::end(others::rows) ? Rules{} : others::given(*row, operation);
  others::sizes(operation, rules);
  return rules;
}

}  // namespace gauntlet::simt
