// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/tables.hpp"

#include <algorithm>
#include <cstring>

#include "base/scalar.hpp"
#include "machine/isa/arithmetic.hpp"
#include "machine/state/warp.hpp"

namespace gauntlet::simt::symbolic {
namespace {

using Values = std::array<std::uint64_t, 256>;

std::uint64_t low_bytes(std::uint64_t x, unsigned bytes) {
  return bytes >= 8 ? x : x & ((std::uint64_t{1} << 8 * bytes) - 1);
}
/// Of bytes that hold an integer of the type.
std::int64_t as_signed(Type type, std::uint64_t bits) {
  const unsigned unused = 64 - 8 * static_cast<unsigned>(size_of(type));
  return static_cast<std::int64_t>(bits << unused) >> unused;
}
bool below(Type type, std::uint64_t a, std::uint64_t b) {
  return is_signed(type) ? as_signed(type, a) < as_signed(type, b)
                         : truncate(type, a) < truncate(type, b);
}

class Reader {
 public:
  explicit Reader(const Terms& terms) : terms_(terms) {}

  std::optional<Values> read(Value v) {
    Values all{};
    if (v.term == 0) {
      all.fill(v.bits);
      return all;
    }
    const Term& t = terms_[v.term];
    constexpr unsigned most = 200;
    if (++steps_ > most) return std::nullopt;
    switch (t.kind) {
      case Term::Kind::leaf:
        if (t.size != 1 || (element && *element != t.number())) return std::nullopt;
        element = t.number();
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = k;
        return all;
      case Term::Kind::constant:
        all.fill(t.number());
        return all;
      case Term::Kind::bytes:
        return bytes(v.term, t.size);
      case Term::Kind::combine:
        return combined(t);
      case Term::Kind::compare:
        return compared(t);
      default:
        return terms_.application(v.term) != nullptr ? applied(*terms_.application(v.term))
                                                     : std::nullopt;
    }
  }

  std::optional<std::uint64_t> element;

 private:
  std::optional<Values> bytes(TermId id, unsigned size) {
    const Bytes parts = terms_.bytes(id);
    Values all{};
    for (unsigned k = 0; k < size; ++k) {
      const Byte& byte = parts[k];
      const auto of = read({byte.term, byte.value});
      if (!of) return std::nullopt;
      for (std::size_t n = 0; n < all.size(); ++n) {
        std::uint64_t x = byte.term == 0 ? byte.value : (*of)[n] >> 8 * byte.index & 0xFF;
        if (byte.term != 0 && byte.sign) x = (x & 0x80) != 0 ? 0xFF : 0;
        all[n] |= x << 8 * k;
      }
    }
    return all;
  }

  std::optional<Values> combined(const Term& t) {
    if (is_float(t.type)) return std::nullopt;
    auto a = read({t.a, 0});
    const auto b = read({t.b, 0});
    if (!a || !b) return std::nullopt;
    for (std::size_t n = 0; n < a->size(); ++n) {
      auto& x = (*a)[n];
      const auto y = (*b)[n];
      if (t.op == Op::sum) x += y;
      if (t.op == Op::product) x *= y;
      if (t.op == Op::minimum && below(t.type, y, x)) x = y;
      if (t.op == Op::maximum && below(t.type, x, y)) x = y;
      x = truncate(t.type, x);
    }
    return a;
  }

  std::optional<Values> compared(const Term& t) {
    if (is_float(t.type)) return std::nullopt;
    auto a = read({t.a, 0});
    const auto b = read({t.b, 0});
    if (!a || !b) return std::nullopt;
    for (std::size_t n = 0; n < a->size(); ++n) {
      const auto x = (*a)[n], y = (*b)[n];
      const bool less = below(t.type, x, y), greater = below(t.type, y, x);
      switch (static_cast<Relation>(t.relation)) {
        case Relation::eq:
          (*a)[n] = !less && !greater;
          break;
        case Relation::ne:
          (*a)[n] = less || greater;
          break;
        case Relation::lt:
          (*a)[n] = less;
          break;
        case Relation::le:
          (*a)[n] = !greater;
          break;
        case Relation::gt:
          (*a)[n] = greater;
          break;
        case Relation::ge:
          (*a)[n] = !less;
          break;
        default:
          return std::nullopt;
      }
    }
    return a;
  }

  std::optional<Values> applied(const Application& application) {
    const Operation& o = terms_.operation(application.operation);
    const auto variant = terms_.operation_variant(application.operation);
    std::vector<Values> of;
    for (const Value& v : application.operands) {
      auto values = read(v);
      if (!values) return std::nullopt;
      of.push_back(*values);
    }
    if (o.opcode == Opcode::selp && of.size() == 3) {
      for (std::size_t n = 0; n < 256; ++n) of[0][n] = (of[2][n] & 1) != 0 ? of[0][n] : of[1][n];
      return of[0];
    }
    if (o.types == 1 && o.type == ptx::ScalarType::pred) return logical(o, variant, of);
    const Arithmetic how = find_arithmetic(o);
    if (how.handler == nullptr || how.inputs != of.size() || variant != 0) return std::nullopt;
    return executed(how, of);
  }

  static std::optional<Values> logical(const Operation& o, unsigned variant,
                                       std::vector<Values>& of) {
    if (!o.how.none() || of.empty() || of.size() > 2) return std::nullopt;
    const bool one = of.size() == 1;
    const bool moves = o.opcode == Opcode::not_ || o.opcode == Opcode::mov;
    const bool joins =
        o.opcode == Opcode::and_ || o.opcode == Opcode::or_ || o.opcode == Opcode::xor_;
    if (one ? !moves : !joins) return std::nullopt;
    for (std::size_t n = 0; n < 256; ++n) {
      const auto a = (of[0][n] ^ variant) & 1, b = one ? 0 : (of[1][n] ^ variant >> 1) & 1;
      of[0][n] = one                        ? a
                 : o.opcode == Opcode::and_ ? a & b
                 : o.opcode == Opcode::or_  ? a | b
                                            : a ^ b;
    }
    return of[0];
  }

  /// By the machine's own handler, 32 at once.
  static std::optional<Values> executed(const Arithmetic& how, const std::vector<Values>& of) {
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
    Values all{};
    for (std::size_t first = 0; first < all.size(); first += 32) {
      for (unsigned k = 0; k < how.inputs; ++k) {
        const std::size_t size = how.bytes[k] > 4 ? 8 : 4;
        for (std::size_t l = 0; l < 32; ++l) {
          const std::uint64_t x = low_bytes(of[k][first + l], how.bytes[k]);
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

  const Terms& terms_;
  unsigned steps_ = 0;
};

}  // namespace

bool Table::same_everywhere() const {
  return std::ranges::all_of(values, [&](auto x) { return x == values[0]; });
}

std::optional<Table> table_of(const Terms& terms, TermId id) {
  if (id == 0) return std::nullopt;
  Reader reader(terms);
  const auto values = reader.read({id, 0});
  if (!values || !reader.element) return std::nullopt;
  return Table{*reader.element, *values};
}

}  // namespace gauntlet::simt::symbolic
