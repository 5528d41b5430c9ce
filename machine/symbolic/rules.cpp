// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/rules.hpp"

namespace gauntlet::simt::symbolic {
namespace {

Rule rule_of(const Operation& operation) {
  using S = ptx::ScalarType;
  const Rules known = rules_of(operation);
  Rule r{.what = known.term, .op = known.op, .relation = known.relation, .known = known};
  if (r.what == TermRule::combine_pair) {
    r.type = operation.type == S::f16x2 ? Type::f16 : Type::bf16;
  } else if (const auto type = number_type(operation.type)) {
    r.type = *type;
    r.from = number_type(operation.from).value_or(*type);
    r.size = static_cast<std::uint8_t>(size_of(r.from));
  }
  return r;
}

}  // namespace

Rule rule_of(const Kernel& kernel, std::uint32_t k) {
  const Inst& i = kernel.code[k];
  if (i.kind != Kind::data) return {};
  using Part = Meaning::Part;
  const Operation& operation = kernel.operation_at(k);
  const std::uint8_t size = size_of(operation.type) == 8 ? 8 : 4;
  switch (kernel.meanings[k].part) {
    case Part::whole:
      return rule_of(operation);
    case Part::pack:
      return {.what = TermRule::pack, .size = size};
    case Part::part:
      return {.what = TermRule::part, .size = size};
    case Part::insert:
      return {.what = TermRule::insert, .size = 8};
    case Part::low_word:
      return {.what = TermRule::move, .size = 4};
    case Part::copy:
      return {.what = TermRule::move, .size = size};
    case Part::other:
      return {};
  }
  return {};
}

}  // namespace gauntlet::simt::symbolic
