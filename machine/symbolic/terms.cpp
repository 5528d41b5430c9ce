// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/terms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/scalar.hpp"
#include "machine/state/lanes.hpp"

namespace gauntlet::simt::symbolic {
namespace {

Term term(Term::Kind kind, std::uint8_t size, std::uint64_t number) {
  Term t;
  t.kind = kind;
  t.size = size;
  t.a = static_cast<TermId>(number);
  t.b = static_cast<TermId>(number >> 32);
  return t;
}

}  // namespace

bool is_identity(Op op, Type type, std::uint64_t bits) {
  bits = truncate(type, bits);
  if (bits == truncate(type, identity_bits(type, op))) return true;
  // -0 is the other zero of a sum: x + -0 is x, x + +0 is x but for x = -0.
  return op == Op::sum && is_float(type) && bits == std::uint64_t{1} << (8 * size_of(type) - 1);
}

Term combination(Op op, Type type) {
  const bool order = op == Op::minimum || op == Op::maximum;
  Term t;
  t.kind = Term::Kind::combine;
  t.size = static_cast<std::uint8_t>(size_of(type));
  t.op = op;
  t.type = order ? type : without_sign(type);
  return t;
}

Terms::Terms(Storage storage) : terms_(std::move(storage.terms)), bytes_(std::move(storage.bytes)) {
  terms_.clear();
  terms_.push_back({});
  bytes_.clear();
}

Terms::Storage Terms::storage() {
  constexpr std::size_t most_kept = 1 << 20;
  Storage kept;
  if (terms_.capacity() <= most_kept) kept.terms = std::move(terms_);
  if (bytes_.capacity() <= most_kept) kept.bytes = std::move(bytes_);
  return kept;
}

TermId Terms::add(const Term& t) {
  terms_.push_back(t);
  return static_cast<TermId>(terms_.size() - 1);
}

TermId Terms::leaf(std::uint64_t element, Type type) { return leaves(element, 1, type); }

TermId Terms::leaves(std::uint64_t first, std::uint64_t count, Type type) {
  const auto id = end();
  Term* to = terms_.grow(count);
  auto t = term(Term::Kind::leaf, static_cast<std::uint8_t>(size_of(type)), 0);
  t.type = type;
  for (std::uint64_t k = 0; k < count; ++k) {
    t.a = static_cast<TermId>(first + k);
    t.b = static_cast<TermId>((first + k) >> 32);
    to[k] = t;
  }
  return id;
}

TermId Terms::constant(std::uint64_t bits, std::uint8_t size) {
  if (size < 8) bits &= (std::uint64_t{1} << 8 * size) - 1;
  return add(term(Term::Kind::constant, size, bits));
}

TermId Terms::opaque(std::uint32_t instruction, std::uint8_t size) {
  return add(term(Term::Kind::opaque, size, instruction));
}

TermId Terms::order(std::uint32_t instruction, std::uint8_t size) {
  return add(term(Term::Kind::order, size, instruction));
}

TermId Terms::undefined(std::uint32_t instruction, std::uint8_t size) {
  return add(term(Term::Kind::undefined, size, instruction));
}

TermId Terms::apply(std::uint32_t instruction, std::uint8_t size, Application application) {
  const auto term = opaque(instruction, size);
  applications_.push_back(std::move(application));
  terms_[term].b = static_cast<TermId>(applications_.size());
  return term;
}

std::uint32_t Terms::operation(const Operation& operation, std::uint8_t variant,
                               std::uint64_t handle) {
  const auto number = static_cast<std::uint32_t>(operations_by_number_.size());
  const auto [it, fresh] = operations_.try_emplace({operation.text, variant, handle}, number);
  if (fresh) operations_by_number_.emplace_back(operation, variant);
  return it->second;
}

TermId Terms::id_of(Value v, std::uint8_t size) {
  return v.term != 0 ? v.term : constant(v.bits, size);
}

bool Terms::stays(Op op, Type type, std::uint64_t bits, TermId id) const {
  if (!is_identity(op, type, bits)) return false;
  if (!is_float(type)) return true;
  if (every_bit) return false;
  return this->type(id).value_or(type) == type;
}

TermId Terms::combine(Op op, Type type, Value a, Value b) {
  if (a.term == 0 && stays(op, type, a.bits, b.term)) return b.term;
  if (b.term == 0 && stays(op, type, b.bits, a.term)) return a.term;
  Term t = combination(op, type);
  t.a = id_of(a, t.size);
  t.b = id_of(b, t.size);
  return add(t);
}

void Terms::combine(Op op, Type type, std::uint32_t lanes, const TermId* a, const TermId* b,
                    TermId* to) {
  constexpr std::uint32_t all = 0xFFFF'FFFF;
  Term t = combination(op, type);
  auto id = end();
  Term* made = terms_.grow(lane_count(lanes));
  const auto one = [&](int l) {
    t.a = a[l];
    t.b = b[l];
    *made++ = t;
    to[l] = id++;
  };
  if (lanes == all) {
    for (int l = 0; l < 32; ++l) one(l);
  } else {
    for (const int l : lanes_of(lanes)) one(l);
  }
}

TermId Terms::exact_product(Type type, Value a, Value b) {
  const auto before = terms_.size();
  const auto product = combine(Op::product, type, a, b);
  // A factor 1 makes none.
  if (terms_.size() != before && terms_[product].kind == Term::Kind::combine) {
    terms_[product].exact = true;
  }
  return product;
}

TermId Terms::add_products(Type type, Value addend, const std::vector<Value>& products) {
  std::vector<Value> parts;
  const auto add_part = [&](const Value& part) {
    const bool vanishes = part.term == 0 && is_identity(Op::sum, type, part.bits) && !every_bit;
    if (!vanishes) parts.push_back(part);
  };
  add_part(addend);
  for (const Value& product : products) add_part(product);
  if (parts.size() == 1 && addend.term != 0) return addend.term;
  if (parts.size() < 2) parts.insert(parts.begin(), addend);  // one product is rounded, too
  Term t = combination(Op::sum, type);
  t.kind = Term::Kind::add_product;
  t.a = id_of(parts[0], t.size);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    t.b = id_of(parts[k], t.size);
    t.exact = k + 1 < parts.size();
    t.a = add(t);
  }
  return t.a;
}

std::optional<Type> Terms::type(TermId id) const {
  const Term& t = terms_[id];
  if (t.kind == Term::Kind::leaf || t.kind == Term::Kind::convert ||
      t.kind == Term::Kind::combine || t.kind == Term::Kind::add_product) {
    return t.type;
  }
  if (t.kind != Term::Kind::bytes || t.a == 0) return std::nullopt;
  return t.from == Type::bf16 ? Type::f32 : integer_type(t.size, t.is_signed);
}

TermId Terms::widened_from(TermId id, Type& from) const {
  const Term& t = terms_[id];
  if (t.kind == Term::Kind::convert && size_of(t.type) > size_of(t.from)) {
    from = t.from;
    return t.a;
  }
  if (t.kind == Term::Kind::bytes && t.a != 0) {
    from = t.from;
    return t.a;
  }
  return 0;
}

TermId Terms::convert(Type to, Type from, TermId a) {
  const Term value = terms_[a];
  Type before{};
  if (const auto inner = widened_from(a, before); !every_bit && inner != 0 && before == to) {
    return inner;
  }
  const bool rounds_once = to == Type::f16 || value.op != Op::product;  // bf16 has f32's subnormals
  if (from == Type::f32 && size_of(to) == 2 && value.kind == Term::Kind::combine &&
      value.type == Type::f32 && rounds_once && !every_bit) {
    const auto narrow = [&](TermId side, Value& to_value) {
      Type was{};
      const auto inner = widened_from(side, was);
      to_value.term = inner;
      return inner != 0 && was == to;
    };
    Value x, y;
    if (narrow(value.a, x) && narrow(value.b, y)) return combine(value.op, to, x, y);
  }
  Term t;
  t.kind = Term::Kind::convert;
  t.size = static_cast<std::uint8_t>(size_of(to));
  t.type = to;
  t.from = from;
  t.a = a;
  return add(t);
}

TermId Terms::compare(Relation relation, Type type, Value a, Value b) {
  Term t;
  t.kind = Term::Kind::compare;
  t.size = 4;
  t.type = type;
  t.relation = static_cast<std::uint8_t>(relation);
  const auto size = static_cast<std::uint8_t>(size_of(type));
  t.a = id_of(a, size);
  t.b = id_of(b, size);
  return add(t);
}

bool Terms::of_schedule(TermId id) const {
  const Term& t = terms_[id];
  switch (t.kind) {
    case Term::Kind::order:
      return true;
    case Term::Kind::compare:
      return of_schedule(t.a) || of_schedule(t.b);
    case Term::Kind::convert:
      return of_schedule(t.a);
    case Term::Kind::bytes: {
      const auto bytes = this->bytes(id);
      return std::any_of(bytes.begin(), bytes.end(),
                         [&](const Byte& b) { return b.term != 0 && of_schedule(b.term); });
    }
    default:
      return false;
  }
}

bool Terms::same(Value a, Value b) const {
  if (a.term == b.term) return a.term != 0 || a.bits == b.bits;
  if (a.term == 0 || b.term == 0) return false;
  const Term &x = terms_[a.term], &y = terms_[b.term];
  if (x.kind != y.kind || x.size != y.size) return false;
  if (x.kind == Term::Kind::constant) return x.a == y.a && x.b == y.b;
  if (x.kind == Term::Kind::bytes) return bytes(a.term) == bytes(b.term);
  return x.kind == Term::Kind::convert && x.type == y.type && x.from == y.from &&
         same({x.a, 0}, {y.a, 0});
}

TermId Terms::substitute(TermId term, TermId from, TermId to) {
  std::unordered_map<TermId, TermId> done{{from, to}};
  const auto walk = [&](const auto& self, TermId id) -> TermId {
    if (id < from) return id;
    if (const auto it = done.find(id); it != done.end()) return it->second;
    const Term t = terms_[id];
    TermId result = id;
    if (t.kind == Term::Kind::combine) {
      const auto a = self(self, t.a), b = self(self, t.b);
      if (a != t.a || b != t.b) result = combine(t.op, t.type, {a, 0}, {b, 0});
    } else if (t.kind == Term::Kind::convert) {
      if (const auto a = self(self, t.a); a != t.a) result = convert(t.type, t.from, a);
    } else if (t.kind == Term::Kind::bytes && t.a != 0) {
      if (const auto a = self(self, t.a); a != t.a) {
        auto bytes = this->bytes(id);
        for (auto& b : bytes) b.term = b.term == 0 ? 0 : a;
        result = pack(bytes, t.size).term;
      }
    } else if (t.kind != Term::Kind::leaf && t.kind != Term::Kind::constant) {
      result = opaque(0, t.size);
    }
    done[id] = result;
    return result;
  };
  return walk(walk, term);
}

std::string element_text(const std::map<std::uint64_t, std::string>& names, std::uint64_t element) {
  const auto it = names.upper_bound(element);
  if (it == names.begin()) return fmt::format("x{}", element);
  const auto& [first, array] = *std::prev(it);
  return fmt::format("{}[{}]", array, element - first);
}

std::string Terms::text(TermId id, std::uint64_t elements, int depth) const {
  const Term& t = terms_[id];
  const auto inner = [&](TermId x) { return depth == 0 ? ".." : text(x, elements, depth - 1); };
  using K = Term::Kind;
  static constexpr std::string_view relations[] = {"==",  "!=", "<",   "<=", ">",  ">=", "==?",
                                                   "!=?", "<?", "<=?", ">?", ">=?"};  // ?: or a NaN
  switch (t.kind) {
    case K::none:
      return "a constant";
    case K::leaf: {
      const auto element = t.number();
      return !names_.empty() || element < elements
                 ? element_text(names_, element)
                 : fmt::format("in[{}] behind the input", element);
    }
    case K::constant:
      return fmt::format("0x{:x}", t.number());
    case K::bytes:
      return t.a != 0 ? inner(t.a) : fmt::format("bytes of {}", inner(bytes(id)[0].term));
    case K::convert:
      return fmt::format("{}({})", name(t.type), inner(t.a));
    case K::combine:
    case K::add_product:
      return fmt::format("{}({}, {})", name(t.op), inner(t.a), inner(t.b));
    case K::compare:
      return fmt::format("{} {} {}", inner(t.a), relations[t.relation], inner(t.b));
    case K::opaque: {
      const auto* known = application(id);
      if (known == nullptr) return "a value that is not followed";
      std::string all;
      for (const Value& v : known->operands) {
        all += all.empty() ? "" : ", ";
        all += v.term != 0 ? inner(v.term) : fmt::format("0x{:x}", v.bits);
      }
      return fmt::format("{}({})", operation(known->operation).text, all);
    }
    case K::order:
      return "a value of the schedule";
    case K::undefined:
      return "a value that some data leave undefined";
  }
  return {};
}

}  // namespace gauntlet::simt::symbolic
