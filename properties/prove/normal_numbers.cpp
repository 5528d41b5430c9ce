// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What terms are as numbers: which conversions lose nothing, between which bounds whole numbers lie
// that floats hold, and how far all that a term is made of was rounded.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "base/float_format.hpp"
#include "base/scalar.hpp"
#include "properties/prove/normal_terms.hpp"

namespace gauntlet::prove {
namespace {

using simt::Modifier;
using simt::Modifiers;
using simt::Opcode;
using simt::symbolic::Term;
using simt::symbolic::TermId;
using TermKind = Term::Kind;

std::string ptx_name(Type type) {
  std::string text(name(type));
  if (text[0] == 'i') text[0] = 's';
  return text;
}

bool one_of(Opcode opcode, std::initializer_list<Opcode> all) {
  return std::find(all.begin(), all.end(), opcode) != all.end();
}

/// A constant, as a float of type `as` has it.
std::optional<Range> whole_constant(std::uint64_t bits, Type as) {
  const double value = float_value(as, bits);
  if (!(std::fabs(value) < 0x1p63) || value != std::trunc(value)) return std::nullopt;
  return Range{static_cast<__int128>(value), static_cast<__int128>(value)};
}

/// An integer to a float, to nearest.
bool converts(const simt::Operation& o) {
  const auto type = simt::number_type(o.type), from = simt::number_type(o.from);
  return o.opcode == Opcode::cvt && o.types == 2 && o.how == Modifiers{Modifier::rn} && type &&
         is_float(*type) && from && !is_float(*from);
}

/// Of its own result, as TermReader::precision.
int precision_of(const simt::Operation& o) {
  using S = ptx::ScalarType;
  constexpr int all = 64, unknown = 1;
  if (o.types == 0 || o.how.has(Modifier::other)) return o.opcode == Opcode::vote ? all : unknown;
  const auto is_bits = [](S type) { return type >= S::b8 && type <= S::b64; };
  const bool exact =
      one_of(o.opcode, {Opcode::abs, Opcode::neg, Opcode::min, Opcode::max, Opcode::copysign,
                        Opcode::selp, Opcode::slct, Opcode::setp, Opcode::testp, Opcode::set});
  if (exact || o.from == S::pred || is_bits(o.type) || is_bits(o.from)) return all;
  // A conversion that names one type is to a format that is not known here.
  if (o.opcode == Opcode::cvt && o.types != 2) return unknown;
  const S result = o.opcode == Opcode::cvt ? o.type : o.from;
  const auto type = result == S::f16x2    ? std::optional(Type::f16)
                    : result == S::bf16x2 ? std::optional(Type::bf16)
                                          : simt::number_type(result);
  if (!type) return unknown;
  return is_float(*type) ? format_of(*type).precision() : all;
}

}  // namespace

TermId TermReader::low(TermId id, std::size_t bytes) const {
  const Term& t = terms_[id];
  const bool extended = t.kind == TermKind::bytes && t.a != 0 && t.from != Type::bf16;
  return extended && t.size > bytes && size_of(t.from) == bytes ? t.a : id;
}

TermId TermReader::exactly(TermId id) const {
  while (id != 0) {
    const Term& t = terms_[id];
    const TermId inner = t.a;
    if (t.kind == TermKind::convert) {
      if (size_of(t.type) <= size_of(t.from) || !is(inner, t.from)) return id;
      id = inner;
    } else if (t.kind == TermKind::bytes && inner != 0) {
      const Term& leaf = terms_[inner];
      const bool own = t.from == Type::bf16 ? is(inner, Type::bf16)
                                            : leaf.kind == TermKind::leaf && !is_float(leaf.type) &&
                                                  is_signed(leaf.type) == t.is_signed;
      if (!own) return id;
      id = inner;
    } else {
      const TermId of = converted(id), base = of == 0 ? 0 : exactly(of);
      const Term& leaf = terms_[base];
      if (base == 0 || leaf.kind != TermKind::leaf || is_float(leaf.type)) return id;
      const simt::Operation& o = terms_.operation(terms_.application(id)->operation);
      const Range all = all_of(leaf.type);
      if (!all.fits(*simt::number_type(o.from)) || !all.fits(*simt::number_type(o.type))) return id;
      id = base;
    }
  }
  return id;
}

TermId TermReader::before_rounding(TermId id) const {
  const Term& t = terms_[id];
  if (t.kind == TermKind::convert) return is(t.a, t.from) ? t.a : id;
  const TermId of = converted(id);
  return of != 0 ? of : id;
}

TermId TermReader::converted(TermId id) const {
  const auto* applied = terms_.application(id);
  if (applied == nullptr || applied->operands.size() != 1 || applied->operands[0].term == 0) {
    return 0;
  }
  const simt::Operation& o = terms_.operation(applied->operation);
  if (!converts(o)) return 0;
  const auto size = size_of(*simt::number_type(o.from));
  const TermId of = low(applied->operands[0].term, size);
  return terms_[of].size == size ? of : 0;
}

std::optional<Range> TermReader::range(const Value& v, Type as) const {
  const bool constant = v.term == 0 || terms_[v.term].kind == TermKind::constant;
  if (constant) return whole_constant(v.term == 0 ? v.bits : terms_[v.term].number(), as);
  if (!is(v.term, as)) return std::nullopt;
  if (const auto known = ranges_.find(v.term); known != ranges_.end()) return known->second;
  const TermId base = exactly(v.term);
  const Term& t = terms_[base];
  if (t.kind == TermKind::leaf && !is_float(t.type)) return all_of(t.type);
  return base == v.term ? std::nullopt : range({base, 0}, type(base).value_or(as));
}

std::optional<Range> TermReader::range_of_result(TermId id) {
  const auto* applied = terms_.application(id);
  const auto own = type(id);
  if (applied == nullptr || !own || !is_float(*own)) return std::nullopt;
  const simt::Operation& o = terms_.operation(applied->operation);
  const auto& of = applied->operands;
  if (converts(o) && of.size() == 1) {
    if (needed_[id] == 0) return std::nullopt;  // nor have its operands a form
    const auto known = forms_.range(whole(of[0], *simt::number_type(o.from)));
    return known && known->fits(*own) ? known : std::nullopt;
  }
  const auto is = [&](Opcode opcode, std::size_t inputs) {
    return o.is(opcode, static_cast<unsigned>(inputs)) && of.size() == inputs;
  };
  const auto operand = [&](std::size_t k) {
    return k < of.size() ? range(of[k], *own) : std::nullopt;
  };
  const auto x = operand(0), y = operand(1);
  if (x && is(Opcode::neg, 1)) return -*x;
  if (x && is(Opcode::abs, 1)) return Range{0, x->magnitude()};
  if (!x || !y) return std::nullopt;
  if (is(Opcode::selp, 3)) return Range{std::min(x->low, y->low), std::max(x->high, y->high)};
  if (!is(Opcode::sub, 2)) return std::nullopt;
  const Range all = *x + -*y;
  return all.fits(*own) ? std::optional(all) : std::nullopt;
}

std::optional<Range> TermReader::range_of_combined(const Term& t) const {
  if (!is_float(t.type)) return std::nullopt;
  auto x = range({t.a, 0}, t.type), y = range({t.b, 0}, t.type);
  if (!x || !y) return std::nullopt;
  if (t.op == Op::minimum) return Range{std::min(x->low, y->low), std::min(x->high, y->high)};
  if (t.op == Op::maximum) return Range{std::max(x->low, y->low), std::max(x->high, y->high)};
  if (t.op == Op::sum) {  // a partial result may lack any of the parts
    for (Range* const part : {&*x, &*y}) {
      *part = {std::min(part->low, __int128{0}), std::max(part->high, __int128{0})};
    }
  }
  const Range all = t.op == Op::sum ? *x + *y : *x * *y;
  return t.exact || all.fits(t.type) ? std::optional(all) : std::nullopt;
}

void TermReader::note_number(TermId id) {
  const Term& t = terms_[id];
  int least = own_precision(id);
  terms_.for_each_operand(id, [&](TermId of) { least = std::min(least, precision(of)); });
  precision_[id] = static_cast<std::uint8_t>(least);
  const bool combines = t.kind == TermKind::combine || t.kind == TermKind::add_product;
  if (const auto known = combines ? range_of_combined(t) : range_of_result(id)) {
    ranges_[id] = *known;
  }
}

int TermReader::own_precision(TermId id) const {
  constexpr int all = 64;
  const Term& t = terms_[id];
  if (t.kind == TermKind::convert) {
    return size_of(t.type) <= size_of(t.from) ? format_of(t.type).precision() : all;
  }
  if (t.kind == TermKind::combine || t.kind == TermKind::add_product) {
    const bool order = t.op == Op::minimum || t.op == Op::maximum;
    return is_float(t.type) && !order && !t.exact ? format_of(t.type).precision() : all;
  }
  const auto* applied = terms_.application(id);
  return applied == nullptr ? all : precision_of(terms_.operation(applied->operation));
}

bool TermReader::is_never_negative(TermId id) const {
  const auto* applied = terms_.application(id);
  const auto own = type(id);
  return applied != nullptr && own && is_float(*own) && applied->operands.size() == 1 &&
         one_of(terms_.operation(applied->operation).opcode,
                {Opcode::abs, Opcode::sqrt, Opcode::ex2});
}

std::string TermReader::text(TermId id) const {
  const Term& t = terms_[id];
  if (const auto* applied = terms_.application(id)) {
    return terms_.operation(applied->operation).text;
  }
  switch (t.kind) {
    case TermKind::combine: {
      const auto of = ptx_name(t.type);
      if (t.op == Op::minimum || t.op == Op::maximum) {
        return fmt::format("{}.{}", t.op == Op::minimum ? "min" : "max", of);
      }
      if (t.op == Op::sum) return fmt::format("add.{}", of);
      return fmt::format("{}.{}", !is_float(t.type) ? "mul.lo" : t.exact ? "fma.rn" : "mul", of);
    }
    case TermKind::add_product:
      return fmt::format("mma.{}", ptx_name(t.type));
    case TermKind::convert:
      return fmt::format("cvt{}.{}.{}", size_of(t.type) < size_of(t.from) ? ".rn" : "",
                         ptx_name(t.type), ptx_name(t.from));
    case TermKind::compare:
      return fmt::format("setp.{}.{}", name(static_cast<simt::Relation>(t.relation)),
                         ptx_name(t.type));
    default:
      if (t.kind == TermKind::bytes && t.a != 0 && t.from != Type::bf16) {
        return fmt::format("cvt.{}.{}", ptx_name(*type(id)), ptx_name(t.from));
      }
      return fmt::format("bytes of b{}", 8 * t.size);
  }
}

}  // namespace gauntlet::prove
