// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "base/float_format.hpp"
#include "base/scalar.hpp"
#include "machine/symbolic/tables.hpp"
#include "properties/prove/normal_terms.hpp"

namespace gauntlet::prove {

using simt::Modifier;
using simt::Modifiers;
using simt::Opcode;
using simt::symbolic::TermId;
using simt::symbolic::Value;
using TermKind = simt::symbolic::Term::Kind;

namespace {

constexpr Modifiers approximations{Modifier::rn,  Modifier::rz,     Modifier::rm,  Modifier::rp,
                                   Modifier::ftz, Modifier::approx, Modifier::full};

}  // namespace

NormalId TermReader::operand(const Value& v, Type type) {
  if (v.term == 0) return forms_.constant(type, v.bits);
  if (terms_[v.term].kind == TermKind::constant)
    return forms_.constant(type, terms_[v.term].number());
  if (is(v.term, type)) return reals_[stripped(v.term)];
  if (const auto power = type == Type::f32 ? as_power(v.term) : std::nullopt) return *power;
  if (const auto all = is_float(type) ? std::nullopt : known_whole(v.term)) {
    return forms_.in_ring(ring_of(type), *all);
  }
  return forms_.intern({tag(Tag::taken_as), static_cast<std::uint64_t>(type), bits(v.term)});
}

/// The float whose exponent is what a sum with the bias left in the last bits of another one, as
/// CUDA's expf makes it: of a number from 0 to 1, times 252, rounded down to a whole one.
std::optional<NormalId> TermReader::as_power(TermId id) {
  const auto* shift = terms_.application(id);
  if (shift == nullptr || shift->operands.size() != 2 || shift->operands[1].bits != 23) return {};
  const simt::Operation& o = terms_.operation(shift->operation);
  const TermId from = shift->operands[0].term;
  const auto* rounded = terms_.application(from);
  if (o.text != "shl.b32" || shift->operands[1].term != 0 || rounded == nullptr) return {};
  const auto& of = rounded->operands;
  constexpr std::uint64_t of_252 = 0x437C'0000, with_bias = 0x4B40'0001, less_bias = 0xCB40'007F;
  if (terms_.operation(rounded->operation).text != "fma.rm.f32" || of.size() != 3 ||
      of[1].term != 0 || of[1].bits != of_252 || of[2].term != 0 || of[2].bits != with_bias) {
    return {};
  }
  const auto* within = terms_.application(of[0].term);
  const bool limited = within != nullptr &&
                       terms_.operation(within->operation).how.has(Modifier::sat) &&
                       terms_.operation(within->operation).type == ptx::ScalarType::f32;
  if (!limited) return {};
  const NormalId bias = forms_.constant(Type::f32, less_bias);
  return forms_.function("ex2",
                         {forms_.sum(real_ring, {{reals_[from], {1, 1, 0}}, {bias, {1, 1, 0}}})});
}

/// The one term that all else below a term is made of, if there is more than a little of that.
TermId TermReader::only_source(TermId id) const {
  constexpr std::size_t least = 16, most = 64;
  std::set<TermId, std::greater<>> open{id};
  for (std::size_t met = 0; met < most && !open.empty(); ++met) {
    const TermId next = *open.begin();
    if (open.size() == 1 && met >= least) return next;
    open.erase(open.begin());
    terms_.for_each_operand(next, [&](TermId of) {
      if (terms_[of].kind != TermKind::constant) open.insert(of);
    });
  }
  return 0;
}

/// CUDA's logf: chosen beside -infinity, made of one number alone, and the logarithm of numbers of
/// every exponent.
std::optional<NormalId> TermReader::as_logarithm(TermId id, const std::vector<Value>& of) {
  using simt::symbolic::Samples;
  constexpr std::uint64_t minus_infinity = 0xFF80'0000, exponents = 254, each = 32;
  if (of[0].term != 0 || of[0].bits != minus_infinity) return {};
  const TermId source = only_source(id);
  if (source == 0 || !is(source, Type::f32)) return {};
  Samples::Values inputs;
  for (std::uint64_t e = 1; e <= exponents; ++e) {
    for (std::uint64_t k = 0; k < each; ++k) inputs.push_back(e << 23 | k * 0x4'2108);
  }
  const auto element_of = [&](TermId t) {
    return t == source ? std::optional<std::uint64_t>(0) : std::nullopt;
  };
  Samples samples(terms_, inputs, element_of, true);
  const auto made = samples.of(id);
  if (!made) return {};
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const double due = std::log(float_value(Type::f32, inputs[k]));
    const double error = float_value(Type::f32, (*made->values)[k]) - due;
    if (!(std::fabs(error) <= 0x1p-21 * std::fabs(due))) return {};
  }
  return forms_.logarithm(reals_[stripped(source)]);
}

NormalId TermReader::operand(TermId id) {
  const auto own = type(id);
  if (!own) return terms_[id].kind == TermKind::compare ? reals_[id] : bits(id);
  return operand({id, 0}, *own);
}

NormalId TermReader::as_real(TermId id) {
  const Term& t = terms_[id];
  if (t.kind == TermKind::leaf) return forms_.element(t.number(), t.type);
  if (const auto c = chain(id)) return as_chain(id, *c);
  if (t.kind == TermKind::combine) {
    return forms_.in_ring(is_float(t.type) ? real_ring : ring_of(t.type), as_extremum(id));
  }
  if (t.kind == TermKind::compare) return as_comparison(t);
  if (terms_.application(id) != nullptr) return as_function(id);
  if (t.kind == TermKind::bytes && t.a != 0) {  // an integer, widened
    const TermId base = exactly(id);
    if (base != id && terms_[base].kind == TermKind::leaf) return as_real(base);
    if (!is_float(t.from)) return forms_.in_ring(8U * t.size, whole({t.a, 0}, t.from));
    return forms_.function("extended", {static_cast<std::uint64_t>(t.from), t.is_signed, t.size,
                                        operand({t.a, 0}, t.from)});
  }
  const auto all = t.kind == TermKind::bytes ? known_whole(id) : std::nullopt;
  return all ? forms_.in_ring(8U * t.size, *all) : bits(id);
}

NormalId TermReader::as_comparison(const Term& t) {
  auto relation = static_cast<simt::Relation>(t.relation);
  NormalId a = operand({t.a, 0}, t.type), b = operand({t.b, 0}, t.type);
  using R = simt::Relation;
  if (relation == R::gt || relation == R::ge) {
    relation = relation == R::gt ? R::lt : R::le;
    std::swap(a, b);
  }
  if ((relation == R::eq || relation == R::ne) && a > b) std::swap(a, b);
  return forms_.function("compare",
                         {static_cast<std::uint64_t>(relation),
                          is_float(t.type) ? 0 : static_cast<std::uint64_t>(t.type) + 1, a, b});
}

NormalId TermReader::as_function(TermId id) {
  const auto* applied = terms_.application(id);
  const simt::Operation& o = terms_.operation(applied->operation);
  const auto& of = applied->operands;
  const auto type = simt::number_type(o.type), from = simt::number_type(o.from);
  const bool floats = type && is_float(*type) && o.types == 1 && approximations.has(o.how);
  if (floats && of.size() == 1) {
    const NormalId x = operand(of[0], *type);
    switch (o.opcode) {
      case Opcode::rcp:
        return forms_.reciprocal(x);
      case Opcode::sqrt:
        return forms_.function("sqrt", {x});
      case Opcode::rsqrt:
        return forms_.reciprocal(forms_.function("sqrt", {x}));
      case Opcode::ex2:
        return forms_.power_of_two(x);
      case Opcode::lg2:
      case Opcode::sin:
      case Opcode::cos:
      case Opcode::tanh:
      case Opcode::abs:
        return forms_.function(std::string(name(o.opcode)), {x});
      default:
        break;
    }
  }
  if (floats && o.opcode == Opcode::div && of.size() == 2) {
    return forms_.quotient(operand(of[0], *type), operand(of[1], *type));
  }
  const bool chooses = o.opcode == Opcode::selp && type && of.size() == 3 && of[2].term != 0;
  if (chooses && is_float(*type)) {
    if (const auto log = as_logarithm(id, of)) return *log;
    if (const auto chosen = as_choice(of, *type)) return *chosen;
  }
  if (const auto all = known_whole(id)) return forms_.in_ring(8U * terms_[id].size, *all);
  const bool to_real = o.opcode == Opcode::cvt && o.types == 2 && type && from && is_float(*type) &&
                       !is_float(*from) && roundings.has(o.how);
  if (to_real && of.size() == 1) {
    return whole(of[0], *from);
  }
  Key key{tag(Tag::function), forms_.word(o.text), terms_.operation_variant(applied->operation)};
  for (const Value& v : of) {
    if (v.term == 0) {
      key.insert(key.end(), {0, v.bits});
    } else {
      key.insert(key.end(), {1, operand(v.term)});
    }
  }
  return forms_.intern(key);
}

}  // namespace gauntlet::prove
