// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/tables.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/scalar.hpp"
#include "machine/isa/arithmetic.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt::symbolic {
namespace {

/// Operations below one another (as many conditions as an atomic has addresses, in spread.cpp), and
/// ways to make a term.
constexpr unsigned most_deep = 1200;
constexpr std::size_t most_shapes = 4096;

std::uint64_t low_bytes(std::uint64_t x, unsigned bytes) {
  return bytes >= 8 ? x : x & ((std::uint64_t{1} << 8 * bytes) - 1);
}

bool below(Type type, std::uint64_t a, std::uint64_t b) {
  if (is_float(type)) return float_value(type, a) < float_value(type, b);
  a = extend(a, size_of(type), is_signed(type));
  b = extend(b, size_of(type), is_signed(type));
  return is_signed(type) ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

bool holds(Relation relation, Type type, std::uint64_t x, std::uint64_t y) {
  const Orders order = below(type, x, y) ? is_less : below(type, y, x) ? is_greater : is_equal;
  return (orders_of(relation) & order) != 0;
}

}  // namespace

std::uint64_t combine_bits(Op op, Type type, std::uint64_t a, std::uint64_t b) {
  if (op == Op::minimum) return below(type, b, a) ? b : a;
  if (op == Op::maximum) return below(type, a, b) ? b : a;
  if (!is_float(type)) return truncate(type, op == Op::sum ? a + b : a * b);
  const double x = float_value(type, a), y = float_value(type, b);
  if (type != Type::f32) return float_bits(type, op == Op::sum ? x + y : x * y);
  const auto p = static_cast<float>(x), q = static_cast<float>(y);
  return float_bits(type, op == Op::sum ? p + q : p * q);
}

Samples::Samples(const Terms& terms, Values inputs, ElementOf element_of, bool floats)
    : terms_(terms),
      inputs_(std::move(inputs)),
      element_of_(std::move(element_of)),
      floats_(floats) {}

bool Samples::Function::same_everywhere() const {
  return std::ranges::all_of(*values, [&](auto x) { return x == values->front(); });
}

std::optional<Samples::Function> Samples::of(TermId id) {
  if (id == 0) return std::nullopt;
  const Read& r = read(id, 0);
  if (!r.shape || !r.element) return std::nullopt;
  return Function{*r.element, &values_[*r.shape], *r.shape};
}

const Samples::Read& Samples::read(TermId id, unsigned depth) {
  if (const auto known = known_.find(id); known != known_.end()) return known->second;
  Read r = depth > most_deep ? Read{} : read_again(id, depth + 1);
  return known_[id] = r;
}

Samples::Read Samples::read_again(TermId id, unsigned depth) {
  const Term& t = terms_[id];
  Read r;
  if (const auto element = element_of_(id)) {
    r.element = element;
    r.shape = shape({0}, [&] { return std::optional(inputs_); });
    return r;
  }
  switch (t.kind) {
    case Term::Kind::constant:
      r.shape = constant(t.number());
      break;
    case Term::Kind::bytes:
      r.shape = bytes(id, depth, r);
      break;
    case Term::Kind::combine:
      r.shape = combined(t, depth, r);
      break;
    case Term::Kind::compare:
      r.shape = compared(t, depth, r);
      break;
    case Term::Kind::convert:
      r.shape = converted(t, depth, r);
      break;
    default:
      if (const auto* application = terms_.application(id)) {
        r.shape = applied(*application, depth, r);
      }
  }
  return r;
}

/// `all`: of a term that it is an operand of; they are of one element.
std::optional<std::uint32_t> Samples::operand(Value v, unsigned depth, Read& all) {
  if (v.term == 0) return constant(v.bits);
  const Read& r = read(v.term, depth);
  if (!r.shape || (r.element && all.element && *r.element != *all.element)) return std::nullopt;
  if (r.element) all.element = r.element;
  return r.shape;
}

template <class F>
std::optional<std::uint32_t> Samples::shape(Key key, F&& compute) {
  const auto [known, fresh] = shapes_.try_emplace(std::move(key));
  if (!fresh || values_.size() >= most_shapes) return known->second;
  std::optional<Values> values = compute();
  if (!values) return std::nullopt;
  values_.push_back(std::move(*values));
  return known->second = static_cast<std::uint32_t>(values_.size() - 1);
}

std::optional<std::uint32_t> Samples::constant(std::uint64_t bits) {
  return shape({1, bits}, [&] { return std::optional(Values(inputs_.size(), bits)); });
}

std::optional<std::uint32_t> Samples::bytes(TermId id, unsigned depth, Read& all) {
  const unsigned size = terms_[id].size;
  const Bytes parts = terms_.bytes(id);
  Key key{2, size};
  std::vector<std::uint32_t> of;
  for (unsigned k = 0; k < size; ++k) {
    const Byte& byte = parts[k];
    const auto part = operand({byte.term, byte.value}, depth, all);
    if (!part) return std::nullopt;
    of.push_back(*part);
    key.insert(key.end(), {byte.term != 0, *part, byte.index, byte.sign});
  }
  return shape(std::move(key), [&] {
    Values to(inputs_.size());
    for (unsigned k = 0; k < size; ++k) {
      const Byte& byte = parts[k];
      for (std::size_t n = 0; n < to.size(); ++n) {
        std::uint64_t x = values_[of[k]][n];
        if (byte.term != 0) x = x >> 8 * byte.index & 0xFF;
        if (byte.term != 0 && byte.sign) x = (x & 0x80) != 0 ? 0xFF : 0;
        to[n] |= x << 8 * k;
      }
    }
    return std::optional(std::move(to));
  });
}

std::optional<std::uint32_t> Samples::combined(const Term& t, unsigned depth, Read& all) {
  if (is_float(t.type) && !floats_) return std::nullopt;
  const auto a = operand({t.a, 0}, depth, all), b = operand({t.b, 0}, depth, all);
  if (!a || !b) return std::nullopt;
  return shape({3, t.head(), *a, *b}, [&] {
    Values to = values_[*a];
    for (std::size_t n = 0; n < to.size(); ++n) {
      to[n] = combine_bits(t.op, t.type, to[n], values_[*b][n]);
    }
    return std::optional(std::move(to));
  });
}

std::optional<std::uint32_t> Samples::compared(const Term& t, unsigned depth, Read& all) {
  if (is_float(t.type) && !floats_) return std::nullopt;
  const auto a = operand({t.a, 0}, depth, all), b = operand({t.b, 0}, depth, all);
  const auto relation = static_cast<Relation>(t.relation);
  if (!a || !b || relation > Relation::geu) return std::nullopt;
  return shape({4, t.head(), *a, *b}, [&] {
    Values to = values_[*a];
    for (std::size_t n = 0; n < to.size(); ++n) {
      to[n] = holds(relation, t.type, to[n], values_[*b][n]) ? 1 : 0;
    }
    return std::optional(std::move(to));
  });
}

std::optional<std::uint32_t> Samples::converted(const Term& t, unsigned depth, Read& all) {
  if (!floats_ || !is_float(t.type)) return std::nullopt;
  const auto a = operand({t.a, 0}, depth, all);
  if (!a) return std::nullopt;
  return shape({5, t.head(), *a}, [&] {
    Values to = values_[*a];
    for (auto& x : to) x = float_bits(t.type, bits_to_double(t.from, x));
    return std::optional(std::move(to));
  });
}

std::optional<std::uint32_t> Samples::applied(const Application& application, unsigned depth,
                                              Read& all) {
  const Operation& o = terms_.operation(application.operation);
  const auto variant = terms_.operation_variant(application.operation);
  std::vector<std::uint32_t> of;
  for (const Value& v : application.operands) {
    const auto part = operand(v, depth, all);
    if (!part) return std::nullopt;
    of.push_back(*part);
  }
  Key key{6, application.operation};
  key.insert(key.end(), of.begin(), of.end());
  return shape(std::move(key), [&]() -> std::optional<Values> {
    if (o.opcode == Opcode::selp && of.size() == 3) {
      Values to = values_[of[1]];
      for (std::size_t n = 0; n < to.size(); ++n) {
        if ((values_[of[2]][n] & 1) != 0) to[n] = values_[of[0]][n];
      }
      return to;
    }
    if (o.types == 1 && o.type == ptx::ScalarType::pred) return logical(o, variant, of);
    const auto from = number_type(o.from), type = number_type(o.type);
    const bool to_float =
        o.opcode == Opcode::cvt && o.types == 2 && o.how == Modifiers{Modifier::rn};
    if (floats_ && to_float && from && type && is_float(*type) && size_of(*from) <= 4) {
      Values to = values_[of[0]];
      for (auto& x : to) x = float_bits(*type, bits_to_double(*from, x));
      return to;
    }
    return variant == 0 ? executed(o, of) : std::nullopt;
  });
}

std::optional<Samples::Values> Samples::logical(const Operation& o, unsigned variant,
                                                const std::vector<std::uint32_t>& of) const {
  if (!o.how.none() || of.empty() || of.size() > 2) return std::nullopt;
  const bool one = of.size() == 1;
  const bool moves = o.opcode == Opcode::not_ || o.opcode == Opcode::mov;
  const bool joins =
      o.opcode == Opcode::and_ || o.opcode == Opcode::or_ || o.opcode == Opcode::xor_;
  if (one ? !moves : !joins) return std::nullopt;
  Values to = values_[of[0]];
  for (std::size_t n = 0; n < to.size(); ++n) {
    const auto a = (to[n] ^ variant) & 1, b = one ? 0 : (values_[of[1]][n] ^ variant >> 1) & 1;
    to[n] = one ? a : o.opcode == Opcode::and_ ? a & b : o.opcode == Opcode::or_ ? a | b : a ^ b;
  }
  return to;
}

/// By the machine's own handler, 32 at once.
std::optional<Samples::Values> Samples::executed(const Operation& o,
                                                 const std::vector<std::uint32_t>& of) const {
  const Arithmetic how = find_arithmetic(o);
  if (how.handler == nullptr || how.inputs != of.size()) return std::nullopt;
  constexpr std::size_t row = 32 * 8;
  alignas(64) std::array<std::byte, 4 * row> registers{};
  std::array<std::uint32_t, 1> nobody{};
  Warp w;
  w.registers = registers.data();
  w.pool = registers.data();
  w.poison = nobody.data();
  Inst i;
  Operand* const operands[] = {&i.a, &i.b, &i.c};
  for (std::uint32_t k = 0; k < how.inputs; ++k) operands[k]->offset = k * row;
  i.d.offset = 3 * row;
  Values all(inputs_.size());
  for (std::size_t first = 0; first < all.size(); first += 32) {
    for (unsigned k = 0; k < how.inputs; ++k) {
      const std::size_t size = how.bytes[k] > 4 ? 8 : 4;
      for (std::size_t l = 0; l < 32; ++l) {
        const std::uint64_t x = low_bytes(values_[of[k]][first + l], how.bytes[k]);
        std::memcpy(registers.data() + k * row + l * size, &x, size);
      }
    }
    how.handler(w, i, all_lanes);
    const std::size_t size = how.result_bytes > 4 ? 8 : 4;
    for (std::size_t l = 0; l < 32; ++l) {
      std::uint64_t x = 0;
      std::memcpy(&x, registers.data() + 3 * row + l * size, size);
      all[first + l] = low_bytes(x, how.result_bytes);
    }
  }
  return all;
}

Samples tables_of(const Terms& terms) {
  Samples::Values all(256);
  std::iota(all.begin(), all.end(), 0);
  const auto element_of = [&terms](TermId id) -> std::optional<std::uint64_t> {
    const Term& t = terms[id];
    if (t.kind != Term::Kind::leaf || t.size != 1) return std::nullopt;
    return t.number();
  };
  return {terms, std::move(all), element_of, false};
}

}  // namespace gauntlet::simt::symbolic
