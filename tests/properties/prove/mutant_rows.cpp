// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Wrong rules of operations, as rows that go before the right ones (mutants.cmake).
#include <algorithm>
#include <iterator>
#include <string_view>

#include "machine/isa/rules.hpp"

bool give_mutant_row(std::string_view name);

namespace gauntlet::simt::wrong_rules {
namespace {

using S = ptx::ScalarType;
using M = Modifier;

constexpr std::uint32_t set(S type) { return 1U << static_cast<unsigned>(type); }
constexpr Rules combines(Op op) { return {.term = TermRule::combine, .op = op}; }

struct WrongRule {
  std::string_view name;
  RuleRow row;
};
constexpr WrongRule rows[] = {
    {"takes_xor_for_a_sum", {Opcode::xor_, 2, {}, set(S::b32), 0, combines(Op::sum), 0}},
    {"takes_a_difference_for_a_sum", {Opcode::sub, 2, {}, set(S::f32), 0, combines(Op::sum), 0}},
    {"takes_a_maximum_for_a_minimum",
     {Opcode::max, 2, {}, set(S::f32), 0, combines(Op::minimum), 0}},
    {"takes_rounding_to_zero_for_rounding",
     {Opcode::add, 2, {M::rz}, set(S::f32), 0, combines(Op::sum), 0}},
    {"takes_any_number_of_operands", {Opcode::sad, 3, {}, set(S::u32), 0, combines(Op::sum), 0}},
    {"takes_sat_for_nothing", {Opcode::add, 2, {M::sat}, set(S::s32), 0, combines(Op::sum), 0}},
};

/// Makes one of them a rule; false: none has the name.
bool give(std::string_view name) {
  const auto* const found = std::ranges::find(rows, name, &WrongRule::name);
  if (found == std::end(rows)) return false;
  mutant_row = &found->row;
  return true;
}

}  // namespace
}  // namespace gauntlet::simt::wrong_rules

bool give_mutant_row(std::string_view name) { return gauntlet::simt::wrong_rules::give(name); }
