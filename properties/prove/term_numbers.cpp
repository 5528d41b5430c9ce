// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/term_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/scalar.hpp"
#include "machine/code/operation.hpp"

namespace gauntlet::prove {
namespace {

using simt::Opcode;
using simt::symbolic::Term;
using simt::symbolic::TermId;
using TermKind = Term::Kind;

constexpr __int128 beyond = __int128{1} << 100;

std::string ptx_name(Type type) {
  std::string text(name(type));
  if (text[0] == 'i') text[0] = 's';
  return text;
}

bool one_of(Opcode opcode, std::initializer_list<Opcode> all) {
  return std::find(all.begin(), all.end(), opcode) != all.end();
}

/// A constant, as an operation of type `as` has it.
std::optional<Range> whole(std::uint64_t bits, Type as) {
  if (!is_float(as)) {
    const auto wide = extend(bits, size_of(as), is_signed(as));
    const auto value = is_signed(as) ? __int128{static_cast<std::int64_t>(wide)} : __int128{wide};
    return Range{value, value};
  }
  const double value = float_value(as, bits);
  if (!(std::fabs(value) < 0x1p63) || value != std::trunc(value)) return std::nullopt;
  return Range{static_cast<__int128>(value), static_cast<__int128>(value)};
}

Range between(__int128 low, __int128 high) {
  return {std::clamp(low, -beyond, beyond), std::clamp(high, -beyond, beyond)};
}
}  // namespace

Range all_of(Type type) {
  const auto bits = 8 * static_cast<int>(size_of(type)) - (is_signed(type) ? 1 : 0);
  const auto end = __int128{1} << bits;
  return {is_signed(type) ? -end : 0, end - 1};
}

Range operator+(const Range& a, const Range& b) { return between(a.low + b.low, a.high + b.high); }
Range operator-(const Range& a) { return {-a.high, -a.low}; }
Range operator*(const Range& a, const Range& b) {
  const auto times = [](__int128 x, __int128 y) {
    __int128 product = 0;
    if (!__builtin_mul_overflow(x, y, &product)) return std::clamp(product, -beyond, beyond);
    return (x < 0) == (y < 0) ? beyond : -beyond;
  };
  const auto [low, high] = std::minmax(
      {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}

bool Range::fits(Type type) const {
  if (is_float(type)) return magnitude() <= __int128{1} << format_of(type).precision();
  const Range all = all_of(type);
  return low >= all.low && high <= all.high;
}
TermNumbers::TermNumbers(const simt::symbolic::Terms& terms)
    : terms_(terms), bits_(terms.size(), 64) {}

TermNumbers::Operation TermNumbers::read(const simt::Operation& as) {
  using simt::Modifier;
  using simt::Modifiers;
  using S = ptx::ScalarType;
  Operation o;
  o.name = as.opcode;
  if (as.types == 0 || as.how.has(Modifier::other)) {
    if (as.opcode == Opcode::vote) o.bits = 64;
    return o;
  }
  const auto is_bits = [](S type) { return type >= S::b8 && type <= S::b64; };
  o.operand = simt::number_type(as.from);
  const bool two = one_of(o.name, {Opcode::cvt, Opcode::set, Opcode::slct});
  // A conversion that names one type is to a format that is not known here.
  const bool known = !two || as.types == 2;
  const S result = two ? as.type : as.from;
  if (known && !is_bits(result) && o.name != Opcode::setp) o.result = simt::number_type(result);
  if (one_of(o.name, {Opcode::popc, Opcode::clz, Opcode::bfind})) o.result = Type::u32;
  const Modifiers wide{Modifier::wide}, nearest{Modifier::rn};
  if (as.how == wide && o.operand) {
    const bool sign = is_signed(*o.operand);
    o.result =
        size_of(*o.operand) == 4 ? (sign ? Type::i64 : Type::u64) : (sign ? Type::i32 : Type::u32);
  }
  o.converts = o.name == Opcode::cvt && as.how == nearest && o.result && is_float(*o.result) &&
               o.operand && !is_float(*o.operand);
  o.plain = as.is(o.name, as.inputs) || as.how == wide;
  o.inputs = as.inputs;
  auto part = o.result;
  if (known && result == S::f16x2) part = Type::f16;
  if (known && result == S::bf16x2) part = Type::bf16;
  const bool exact =
      one_of(o.name, {Opcode::abs, Opcode::neg, Opcode::min, Opcode::max, Opcode::copysign,
                      Opcode::selp, Opcode::slct, Opcode::setp, Opcode::testp, Opcode::set}) ||
      as.from == S::pred || is_bits(as.type) || is_bits(as.from);
  if (exact)
    o.bits = 64;
  else if (part)
    o.bits = is_float(*part) ? format_of(*part).precision() : 64;
  return o;
}

const TermNumbers::Operation* TermNumbers::operation(TermId id) const {
  const auto* applied = terms_.application(id);
  if (applied == nullptr) return nullptr;
  const auto [known, fresh] = operations_.try_emplace(applied->operation);
  if (fresh) known->second = read(terms_.operation(applied->operation));
  return &known->second;
}

std::optional<Type> TermNumbers::type(TermId id) const {
  const auto* o = operation(id);
  return o == nullptr ? terms_.type(id) : o->result;
}

bool TermNumbers::is(TermId id, Type as) const {
  const auto own = type(id);
  if (!own) return true;
  return simt::symbolic::is_number_of(*own, as);
}

TermId TermNumbers::low(TermId id, std::size_t bytes) const {
  const Term& t = terms_[id];
  const bool extended = t.kind == TermKind::bytes && t.a != 0 && t.from != Type::bf16;
  return extended && t.size > bytes && size_of(t.from) == bytes ? t.a : id;
}

TermId TermNumbers::exactly(TermId id) const {
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
      const auto* o = operation(id);
      const auto of = o == nullptr ? 0 : converted(id, *o);
      const auto base = of == 0 ? 0 : exactly(of);
      if (base == 0 || terms_[base].kind != TermKind::leaf) return id;
      if (!range(of, *o->operand)->fits(*o->result)) return id;
      id = base;
    }
  }
  return id;
}

TermId TermNumbers::before_rounding(TermId id) const {
  const Term& t = terms_[id];
  if (t.kind == TermKind::convert) return is(t.a, t.from) ? t.a : id;
  const TermId of = converted(id);
  return of != 0 ? of : id;
}

TermId TermNumbers::converted(TermId id) const {
  const auto* o = operation(id);
  return o == nullptr ? 0 : converted(id, *o);
}

TermId TermNumbers::converted(TermId id, const Operation& o) const {
  const auto& operands = terms_.application(id)->operands;
  if (!o.converts || operands.size() != 1 || operands[0].term == 0) return 0;
  const auto of = low(operands[0].term, size_of(*o.operand));
  const auto known = range(of, *o.operand);
  return known && known->fits(*o.operand) ? of : 0;
}

std::optional<Range> TermNumbers::range(TermId id, Type as) const {
  if (id == 0) return std::nullopt;
  if (!is_float(as)) id = low(id, size_of(as));
  const Term& t = terms_[id];
  if (t.kind == TermKind::constant) return whole(t.number(), as);
  if (t.size != size_of(as)) return std::nullopt;
  if (t.kind == TermKind::leaf) {
    return is_float(t.type) || is_float(as) ? std::nullopt : std::optional(all_of(t.type));
  }
  if (const auto it = ranges_.find(id); it != ranges_.end()) {
    return is_float(as) == is_float(type(id).value_or(as)) ? std::optional(it->second)
                                                           : std::nullopt;
  }
  if (is_float(as)) {
    const auto base = exactly(id);
    return base == id ? std::nullopt : range(base, type(base).value_or(as));
  }
  if (t.kind != TermKind::bytes || t.a == 0 || t.from == Type::bf16) return std::nullopt;
  const auto inner = range(t.a, t.from);
  return inner && inner->fits(t.from) ? inner : all_of(t.from);
}

std::optional<Range> TermNumbers::result_of(TermId id) const {
  const auto* o = operation(id);
  if (o == nullptr || !o->operand) return std::nullopt;
  const auto& operands = terms_.application(id)->operands;
  const auto count = operands.size();
  if (o->converts && count == 1) {
    const auto known = range(operands[0].term, *o->operand).value_or(all_of(*o->operand));
    return known.fits(*o->operand) && known.fits(*o->result) ? std::optional(known) : std::nullopt;
  }
  // Modulo the type's width a sign makes no difference: the numbers near zero are meant.
  const bool wide = size_of(o->result.value_or(*o->operand)) > size_of(*o->operand);
  const Type as = wide ? *o->operand : simt::symbolic::with_sign(*o->operand);
  const auto operand = [&](std::size_t k) {
    if (k >= count) return std::optional<Range>{};
    return operands[k].term != 0 ? range(operands[k].term, as) : whole(operands[k].bits, as);
  };
  const auto first = operand(0), second = operand(1);
  const auto is = [&](Opcode opcode, std::size_t inputs) {
    return o->name == opcode && o->plain && o->inputs == inputs && count == inputs;
  };
  if (!first) return std::nullopt;
  if (is(Opcode::neg, 1)) return -*first;
  if (is(Opcode::abs, 1)) return Range{0, first->magnitude()};
  if (!second) return std::nullopt;
  if (is(Opcode::sub, 2)) {
    const Range all = *first + -*second;
    return is_float(as) && !all.fits(as) ? std::nullopt : std::optional(all);
  }
  if (is(Opcode::mul, 2) && wide) return *first * *second;
  if (is(Opcode::selp, 3)) {
    return Range{std::min(first->low, second->low), std::max(first->high, second->high)};
  }
  // A shift by n is a product with 2^n.
  if (is(Opcode::shl, 2) && second->low == second->high && second->low >= 0 && second->low < 64) {
    const auto factor = __int128{1} << static_cast<int>(second->low);
    return *first * Range{factor, factor};
  }
  return std::nullopt;
}

std::optional<Range> TermNumbers::combined(const Term& t) const {
  const bool order = t.op == Op::minimum || t.op == Op::maximum;
  // Modulo the type's width a sign makes no difference: the numbers near zero are meant.
  const Type as = order ? t.type : simt::symbolic::with_sign(t.type);
  auto x = range(t.a, as), y = range(t.b, as);
  if (!x || !y || !is(t.a, t.type) || !is(t.b, t.type)) return std::nullopt;
  if (order) {
    if (!is_float(as) && (!x->fits(as) || !y->fits(as))) return std::nullopt;
    if (t.op == Op::minimum) return Range{std::min(x->low, y->low), std::min(x->high, y->high)};
    return Range{std::max(x->low, y->low), std::max(x->high, y->high)};
  }
  if (t.op == Op::sum && is_float(as)) {  // a partial result may lack any of the parts
    for (Range* const part : {&*x, &*y}) {
      *part = {std::min(part->low, __int128{0}), std::max(part->high, __int128{0})};
    }
  }
  const Range all = t.op == Op::sum ? *x + *y : *x * *y;
  if (is_float(as) && !t.exact && !all.fits(as)) return std::nullopt;
  return all;
}

void TermNumbers::read(TermId id) {
  const Term& t = terms_[id];
  int least = own_bits(id);
  terms_.for_each_operand(id, [&](TermId of) { least = std::min(least, bits(of)); });
  bits_[id] = static_cast<std::uint8_t>(least);
  const bool combines = t.kind == TermKind::combine || t.kind == TermKind::add_product;
  if (const auto known = combines ? combined(t) : result_of(id)) ranges_[id] = *known;
}

bool TermNumbers::is_whole(TermId id) const {
  const auto own = type(id);
  if (!own || is_float(*own)) return false;
  const auto known = range(id, *own);
  if (known && known->fits(*own)) return true;
  // A sum or difference is of a ring that has no sign.
  const Type with_sign = simt::symbolic::with_sign(*own);
  const auto ring = range(id, with_sign);
  return ring && ring->fits(with_sign);
}

int TermNumbers::own_bits(TermId id) const {
  constexpr int all = 64;
  const Term& t = terms_[id];
  if (t.kind == TermKind::convert) {
    return size_of(t.type) <= size_of(t.from) ? format_of(t.type).precision() : all;
  }
  if (t.kind == TermKind::combine || t.kind == TermKind::add_product) {
    const bool order = t.op == Op::minimum || t.op == Op::maximum;
    return is_float(t.type) && !order && !t.exact ? format_of(t.type).precision() : all;
  }
  const auto* o = operation(id);
  return o == nullptr ? all : o->bits;
}

bool TermNumbers::never_negative(TermId id) const {
  const auto* o = operation(id);
  return o != nullptr && o->result && is_float(*o->result) &&
         terms_.application(id)->operands.size() == 1 &&
         one_of(o->name, {Opcode::abs, Opcode::sqrt, Opcode::ex2});
}

std::string TermNumbers::text(TermId id) const {
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
