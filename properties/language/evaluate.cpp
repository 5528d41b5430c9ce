// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/scalar.hpp"
#include "properties/oracle/element.hpp"

namespace gauntlet::spec {
namespace {

using Code = Expression::Code;
using Kind = Expression::Kind;

}  // namespace

Type arithmetic_type(const Spec& spec, const Result& result) {
  if (result.accumulate) return *result.accumulate;
  const Type own = spec.arrays[result.array].type;
  if (is_float(own)) return own;
  for (const Array& a : spec.arrays) {
    if (a.role != Role::scratch && is_float(a.type)) return a.type;
  }
  return Type::f64;
}

Evaluator::Evaluator(const Program& program, std::span<const std::uint64_t> sizes,
                     std::uint64_t offset)
    : program_(program),
      integers_(static_cast<std::size_t>(program.integers)),
      locals_(static_cast<std::size_t>(program.locals)),
      cursors_(static_cast<std::size_t>(program.cursors)) {
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    integers_[k] = static_cast<std::int64_t>(sizes[k]);
  }
  slot(program.offset_slot) = static_cast<std::int64_t>(offset);
  for (const Definition& d : program.definitions) slot(d.slot) = integer(d.value);
}

void Evaluator::fail(const Expression& b, const std::string& what) const {
  std::string sizes;
  for (std::size_t k = 0; k < program_.spec.sizes.size(); ++k) {
    sizes += fmt::format(" {}={}", program_.spec.sizes[k].name, integers_[k]);
  }
  b.where->fail(fmt::format("{}{}{}", what, sizes.empty() ? "" : ", with", sizes));
}

std::uint64_t Evaluator::count(const Expression& b) {
  const std::int64_t value = integer(b);
  if (value < 0)
    fail(b, fmt::format("a count is {}; it must not be negative: write max(0, ...)", value));
  return static_cast<std::uint64_t>(value);
}

std::uint64_t Evaluator::elements(std::size_t array) {
  std::uint64_t product = 1;
  for (const Expression& extent : program_.spec.arrays[array].extents) {
    if (__builtin_mul_overflow(product, count(extent), &product)) {
      fail(extent, "the array has more elements than 64 bits count");
    }
  }
  return product;
}

std::int64_t Evaluator::integer(const Expression& b) {
  const auto child = [&](std::size_t k) { return integer(b.children[k]); };
  const auto operated = [&](Code code, std::int64_t x, std::int64_t y) {
    const auto [result, overflows] = whole_operation(b, code, x, y);
    if (overflows) fail(b, "an integer does not fit into 64 bits");
    return result;
  };
  switch (b.kind) {
    case Kind::integer:
      return b.integer;
    case Kind::size:
      return slot(b.slot);
    case Kind::negation:
      return operated(Code::subtract, 0, child(0));
    case Kind::logical_not:
      return child(0) == 0 ? 1 : 0;
    case Kind::conditional:
      return child(0) != 0 ? child(1) : child(2);
    case Kind::function:
      break;
    case Kind::operation: {
      if (b.code == Code::logical_and) return child(0) != 0 && child(1) != 0 ? 1 : 0;
      if (b.code == Code::logical_or) return child(0) != 0 || child(1) != 0 ? 1 : 0;
      const std::int64_t x = child(0), y = child(1);
      return operated(b.code, x, y);
    }
    default:
      fail(b, "an integer is needed here");
  }
  switch (b.code) {
    case Code::ceil: {
      // Of a quotient it is rounded up; any other integer is whole.
      const Expression& inner = b.children[0];
      if (inner.kind != Kind::operation || inner.code != Code::divide) return child(0);
      const std::int64_t x = integer(inner.children[0]), y = integer(inner.children[1]);
      const std::int64_t quotient = operated(Code::divide, x, y);
      const bool whole = operated(Code::remainder, x, y) == 0;
      return quotient + (!whole && (x > 0) == (y > 0) ? 1 : 0);
    }
    case Code::log2: {
      const std::int64_t x = child(0);
      if (x <= 0) fail(b, fmt::format("log2({}): it takes a number from 1", x));
      return std::bit_width(static_cast<std::uint64_t>(x)) - 1;
    }
    case Code::abs: {
      const std::int64_t x = child(0);
      return x < 0 ? operated(Code::subtract, 0, x) : x;
    }
    case Code::random: {
      const std::int64_t least = child(0), most = child(1);
      if (most < least) fail(b, fmt::format("random({}, {}) is empty", least, most));
      const auto span = static_cast<std::uint64_t>(most) - static_cast<std::uint64_t>(least) + 1;
      const std::uint64_t word = random_word(b);
      return static_cast<std::int64_t>(span == 0 ? word
                                                 : static_cast<std::uint64_t>(least) + word % span);
    }
    default: {
      std::int64_t best = child(0);
      for (std::size_t k = 1; k < b.children.size(); ++k) {
        best = b.code == Code::min ? std::min(best, child(k)) : std::max(best, child(k));
      }
      return best;
    }
  }
}

std::uint64_t Evaluator::random_word(const Expression& b) {
  // A seed of its own, or that of the case.
  const std::uint64_t seed =
      b.children.size() < 3
          ? seed_
          : mix64(static_cast<std::uint64_t>(integer(b.children[2])) + 0x632be59bd9b4e019ULL);
  return mix64(seed +
               0x9e3779b97f4a7c15ULL * static_cast<std::uint64_t>(slot(program_.index_slot) + 1));
}

long double Evaluator::random_real(const Expression& b) {
  const double low = static_cast<double>(real(b.children[0]).value),
               high = static_cast<double>(real(b.children[1]).value);
  if (!(low < high)) fail(b, fmt::format("random({}, {}) is empty", low, high));
  const double unit = static_cast<double>(random_word(b) >> 11) * 0x1p-53;
  const double value = float_value(type_, float_bits(type_, low + unit * (high - low)));
  return value < high ? value : low;  // rounding must not reach the end that is excluded
}

std::uint64_t Evaluator::bits(const Expression& b, Type type, std::uint64_t seed, bool wraps) {
  const Expression& written = b.kind == Kind::negation ? b.children[0] : b;
  if (is_float(type) && written.kind == Kind::real) {  // rounded once
    return float_bits(type, &written == &b ? written.rounded : -written.rounded);
  }
  seed_ = seed;
  type_ = is_float(type) ? type : Type::f64;
  if (!b.integral) arithmetic_ = Arithmetic(Type::f64, false);
  const Value v = b.integral ? Value{true, integer(b), {}} : value(b);
  if (is_float(type)) return float_bits(type, static_cast<double>(to_real(v).value));
  __int128 whole = v.integer;
  if (!v.integral) {  // beyond 63 bits a whole number is written as a real one
    const long double x = to_real(v).value;
    if (std::fabs(x) < 0x1p63L || std::fabs(x) >= 0x1p64L) {
      fail(b, fmt::format("{} is a float here; a content of {} is whole", x, name(type)));
    }
    whole = static_cast<__int128>(x);
  }
  const auto low = static_cast<std::uint64_t>(whole);
  const std::uint64_t kept = extend(low, size_of(type), is_signed(type));
  const __int128 back = is_signed(type) ? static_cast<__int128>(static_cast<std::int64_t>(kept))
                                        : static_cast<__int128>(kept);
  if (!wraps && back != whole) fail(b, fmt::format("{} does not fit into {}", whole, name(type)));
  return truncate(type, low);
}

void Evaluator::begin(std::size_t result) {
  const Result& r = program_.spec.results[result];
  real_division_ = is_float(program_.spec.arrays[r.array].type);
  if (result == 0) all_.reset();
  scalars_.clear();
  for (std::size_t k = 0; k < program_.spec.scalars.size(); ++k) {
    const Type type = program_.spec.scalars[k].type;
    scalars_.push_back(to_real(as_value(type, bits(program_.spec.scalars[k].value, type))));
  }
  arithmetic_ =
      Arithmetic(arithmetic_type(program_.spec, r), program_.spec.fast_math() || r.fast || fast_);
  height_ = r.height.present() ? count(r.height) : 0;
  undecided_.clear();
}

Evaluator::Range Evaluator::range(const Result& r, std::size_t k, std::uint64_t extent,
                                  std::size_t array) {
  if (r.slots[k] >= 0) return {0, extent};
  const std::uint64_t index = count(r.cell[k]);
  if (index >= extent) {
    fail(r.cell[k], fmt::format("cell {} is beyond {}, which has {}", index,
                                program_.spec.arrays[array].name, extent));
  }
  return {index, index + 1};
}

void Evaluator::define(const Definition& d) {
  arithmetic_.reset();
  locals_[static_cast<std::size_t>(d.slot)] = value(d.value);
  undecided_.erase(d.slot);
  if (arithmetic_.undecided()) undecided_.insert(d.slot);
}

Value Evaluator::cell(std::size_t number) {
  const Result& r = program_.spec.results[number];
  const std::size_t array = program_.spec.results[number].array;
  arithmetic_.reset();
  if (!undecided_.empty()) arithmetic_.undecide();
  Value result = value(r.value);
  const Type type = program_.spec.arrays[array].type;
  if (is_float(type)) {
    Real stored = arithmetic_.stored(to_real(result), type);
    if (r.within.present() && std::isfinite(stored.value)) {
      const bool undecided = arithmetic_.undecided();
      const Real within = real(r.within);
      stored.error += std::fabs(within.value) + within.error;
      arithmetic_.reset();
      if (undecided) arithmetic_.undecide();
    }
    return of_real(stored);
  }
  if (!result.integral) {
    if (result.real.error != 0 || result.real.value != std::floor(result.real.value) ||
        std::fabs(result.real.value) > 9.2e18L) {
      fail(r.value, fmt::format("the result is a real, {} is {}; an integer is needed",
                                program_.spec.arrays[array].name, name(type)));
    }
    result = whole(static_cast<__int128>(result.real.value));
  }
  return result;
}

}  // namespace gauntlet::spec
