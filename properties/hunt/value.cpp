// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/scalar.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet::properties {
namespace {

Value integer(Type type, std::uint64_t bits) {
  return {type, extend(bits, size_of(type), is_signed(type)), 0};
}
Value real(Type type, double value) { return {type, 0, value}; }

}  // namespace

Value from_bits(Type type, std::uint64_t bits) {
  return is_float(type) ? real(type, float_value(type, bits)) : integer(type, bits);
}

Value converted(const Value& value, Type to) {
  return is_float(to) ? real(to, value.real) : integer(to, value.bits);
}

Value identity(Type type, Op op) { return from_bits(type, identity_bits(type, op)); }

Value combine(Op op, const Value& a, const Value& b) {
  const bool add = op == Op::sum;
  if (add || op == Op::product) {
    return is_float(a.type) ? real(a.type, add ? a.real + b.real : a.real * b.real)
                            : integer(a.type, add ? a.bits + b.bits : a.bits * b.bits);
  }
  if (is_float(a.type) && std::isnan(a.real)) return b;
  return (op == Op::minimum ? less(b, a) : less(a, b)) ? b : a;
}

Value negated(const Value& value) {
  return is_float(value.type) ? real(value.type, -value.real)
                              : integer(value.type, ~value.bits + 1);
}

Value scaled(const Value& value, int k) {
  return is_float(value.type) ? real(value.type, std::ldexp(value.real, k))
                              : integer(value.type, value.bits << k);
}

bool same_number(const Value& a, const Value& b) {
  if (!is_float(a.type)) return a.bits == b.bits;
  return a.real == b.real || (std::isnan(a.real) && std::isnan(b.real));
}

bool less(const Value& a, const Value& b) {
  if (is_float(a.type)) return a.real < b.real;
  if (!is_signed(a.type)) return a.bits < b.bits;
  return static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
}

std::string to_string(const Value& value) {
  if (is_float(value.type)) return fmt::format("{}", value.real);
  if (is_signed(value.type)) return fmt::format("{}", static_cast<std::int64_t>(value.bits));
  return fmt::format("{}", value.bits);
}

Value cell(const ObservedBuffer& buffer, std::size_t index) {
  const std::size_t size = size_of(buffer.type);
  return from_bits(buffer.type, load_bits(buffer.type, buffer.bytes.data() + index * size));
}

std::optional<Difference> first_difference(const Observation& a, const Observation& b) {
  for (std::size_t k = 0; k < a.buffers.size(); ++k) {
    const ObservedBuffer &mine = a.buffers[k], &theirs = b.buffers.at(k);
    const std::size_t size = size_of(mine.type);
    for (std::size_t i = 0; i < mine.defined.size(); ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i * size);
      const bool same_bits =
          std::equal(mine.bytes.begin() + at, mine.bytes.begin() + at + static_cast<int>(size),
                     theirs.bytes.begin() + at);
      if (mine.defined[i] != theirs.defined[i] || (mine.defined[i] && !same_bits)) {
        return Difference{mine, theirs, i};
      }
    }
  }
  return std::nullopt;
}

Value total(const Observation& observation, Op op) {
  const ObservedBuffer& buffer = observation.buffers.at(0);
  Value result = identity(buffer.type, op);
  for (std::size_t i = 0; i < buffer.bytes.size() / size_of(buffer.type); ++i) {
    result = combine(op, result, cell(buffer, i));
  }
  return result;
}

std::vector<Value> elements(const Case& c) {
  if (c.n > too_many) throw std::length_error("too many elements to look at one by one");
  const Recipe recipe = make_recipe(c);
  std::vector<Value> values;
  values.reserve(c.n);
  for (std::uint64_t i = 0; i < c.n; ++i) {
    values.push_back(from_bits(c.in, element_bits(recipe, i)));
  }
  return values;
}

bool exact(const Case& c) {
  if (!is_float(c.acc) || c.op == Op::minimum || c.op == Op::maximum) return true;
  if (c.n > too_many) return false;
  SliceReference all(c.in, c.acc, c.op);
  CaseElements(c, true).for_each_piece(
      {0, c.n}, [&](const std::byte* bytes, std::uint64_t count) { all.add(bytes, count); });
  all.finish();
  return all.exact();
}

}  // namespace gauntlet::properties
