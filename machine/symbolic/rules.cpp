// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/rules.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace gauntlet::simt::symbolic {
namespace {

using What = Rule::What;

/// Operands that the rule of a whole operation reads.
unsigned inputs_of(What what) {
  switch (what) {
    case What::move:
    case What::convert_float:
    case What::convert_integer:
      return 1;
    case What::fma_bf16:
    case What::multiply_add:
    case What::select:
    case What::extract_field:
    case What::permute:
      return 3;
    case What::insert_field:
      return 4;
    default:
      return 2;
  }
}

/// The rule of a whole operation, exactly as it is written: a modifier that is not named here
/// changes what the operation does, and makes it unknown.
Rule rule_of_operation(std::string_view text) {
  auto w = words(text);
  Rule r;
  if (w.size() > 2) std::erase(w, "ftz");  // KernelView::flushes
  const auto last = type_named(w.back());
  const auto is = [&](std::size_t count, std::string_view op, std::string_view modifier = {}) {
    return w.size() == count && w[0] == op && (modifier.empty() || w[1] == modifier);
  };
  const auto make = [&](What what, Op op = Op::sum) {
    r.what = what;
    r.op = op;
    r.type = *last;
    r.size = static_cast<std::uint8_t>(size_of(*last));
    return r;
  };
  if (text == "and.pred") return {.what = What::and_pred};
  if (text == "or.pred") return {.what = What::or_pred};
  if (text == "mov.pred") return {.what = What::move};
  if (text == "prmt.b32") return {.what = What::permute};
  if (w.size() == 2 && (w[1] == "f16x2" || w[1] == "bf16x2")) {
    static const std::map<std::string_view, Op> ops = {
        {"add", Op::sum}, {"mul", Op::product}, {"min", Op::minimum}, {"max", Op::maximum}};
    const auto it = ops.find(w[0]);
    if (it == ops.end()) return r;
    return {.what = What::combine_pair,
            .op = it->second,
            .type = w[1] == "f16x2" ? Type::f16 : Type::bf16};
  }
  if (!last) return r;
  const bool real = is_float(*last), narrow = size_of(*last) == 1;
  if (is(2, "mov")) return make(What::move);
  if (narrow && w[0] != "cvt") return r;
  if (is(2, "add") || (real && is(3, "add", "rn"))) return make(What::combine, Op::sum);
  if (real ? is(2, "mul") || is(3, "mul", "rn") : is(3, "mul", "lo")) {
    return make(What::combine, Op::product);
  }
  if (is(2, "min")) return make(What::combine, Op::minimum);
  if (is(2, "max")) return make(What::combine, Op::maximum);
  if (text == "fma.rn.bf16") return make(What::fma_bf16);
  if (real ? is(3, "fma", "rn") : is(3, "mad", "lo")) return make(What::multiply_add);
  if (is(2, "selp")) return make(What::select);
  if (is(3, "setp")) {
    static const std::map<std::string_view, Relation> relations = {
        {"eq", Relation::eq}, {"ne", Relation::ne}, {"lt", Relation::lt},
        {"le", Relation::le}, {"gt", Relation::gt}, {"ge", Relation::ge}};
    const auto it = relations.find(w[1]);
    if (it == relations.end()) return r;
    r.relation = it->second;
    return make(What::compare);
  }
  if (w[0] == "cvt" && (w.size() == 3 || (w.size() == 4 && w[1] == "rn"))) {
    const auto to = type_named(w[w.size() - 2]);
    if (!to || is_float(*to) != real) return r;
    // Floats: wider is exact; narrower is rounded to nearest, and has to say so.
    if (real &&
        (size_of(*to) == size_of(*last) || (size_of(*to) < size_of(*last)) != (w.size() == 4))) {
      return r;
    }
    if (!real && w.size() != 3) return r;
    r.what = real ? What::convert_float : What::convert_integer;
    r.type = *to;
    r.from = *last;
    r.size = static_cast<std::uint8_t>(size_of(*last));
    return r;
  }
  if (real) return r;
  if (is(2, "and")) return make(What::and_bits);
  if (is(2, "or")) return make(What::or_bits);
  if (is(2, "shl")) return make(What::shift_left);
  if (is(2, "shr")) {
    return make(is_signed(*last) ? What::shift_right_signed : What::shift_right);
  }
  if (is(3, "mul", "wide") && !is_signed(*last)) return make(What::multiply_wide);
  if (is(2, "bfi")) return make(What::insert_field);
  if (is(2, "bfe") && !is_signed(*last)) return make(What::extract_field);
  return r;
}

}  // namespace

std::optional<Type> type_named(std::string_view word) {
  static const std::map<std::string_view, Type> types = {
      {"u8", Type::u8},   {"b8", Type::u8},     {"s8", Type::i8},   {"u16", Type::u16},
      {"b16", Type::u16}, {"s16", Type::i16},   {"u32", Type::u32}, {"b32", Type::u32},
      {"s32", Type::i32}, {"u64", Type::u64},   {"b64", Type::u64}, {"s64", Type::i64},
      {"f16", Type::f16}, {"bf16", Type::bf16}, {"f32", Type::f32}, {"f64", Type::f64}};
  const auto it = types.find(word);
  if (it == types.end()) return std::nullopt;
  return it->second;
}

std::vector<std::string_view> words(std::string_view operation) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at <= operation.size();) {
    const auto dot = std::min(operation.find('.', at), operation.size());
    all.push_back(operation.substr(at, dot - at));
    at = dot + 1;
  }
  return all;
}

Rule rule_of(const Kernel& kernel, std::uint32_t k) {
  const Inst& i = kernel.code[k];
  const auto& meaning = kernel.meanings[k];
  Rule r;
  if (i.kind != Kind::data) return r;
  using Part = Meaning::Part;
  const std::string_view text = kernel.operations[meaning.operation];
  switch (meaning.part) {
    case Part::whole: {
      const Rule found = rule_of_operation(text);
      return meaning.inputs == inputs_of(found.what) ? found : r;
    }
    case Part::pack:
      return {.what = What::pack, .size = static_cast<std::uint8_t>(text == "mov.b64" ? 8 : 4)};
    case Part::part:
      return {.what = What::part, .size = static_cast<std::uint8_t>(text == "mov.b64" ? 8 : 4)};
    case Part::insert:
      return {.what = What::insert, .size = 8};
    case Part::low_word:
      return {.what = What::move, .size = 4};
    case Part::other:
      return r;
  }
  return r;
}

}  // namespace gauntlet::simt::symbolic
