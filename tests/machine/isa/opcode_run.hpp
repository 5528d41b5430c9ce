// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Applies one PTX instruction to rows of operands, one row a thread, and compares every result with
// a function of the row. A new test of an opcode is one line:
//
//   expect("sub.s32 %q0, %a, %b;", {"b32"}, {b32(xs), b32(ys)},
//          [](auto* v) { return v[0] - v[1]; });
//
// Each instruction runs twice: by all lanes, and guarded so that it must leave some lanes' old
// destination alone.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace gauntlet::simt::test {

using Bits = std::uint64_t;
using Column = std::vector<Bits>;

/// Values of one operand register, in order %a, %b, %c, %e. Type: "b16", "b32", "b64" or "pred".
struct Source {
  std::string type;
  Column values;
};
inline Source b16(Column v) { return {"b16", std::move(v)}; }
inline Source b32(Column v) { return {"b32", std::move(v)}; }
inline Source b64(Column v) { return {"b64", std::move(v)}; }
inline Source predicate(Column v) { return {"pred", std::move(v)}; }

/// Results of `instruction`: one column for each destination %q0, %q1, ... of the given register
/// types. With `guarded`, only lanes whose number is not a multiple of 3 execute it; the others
/// keep `untouched` (a predicate: 1).
inline constexpr Bits untouched = 0x5A5A'5A5A'5A5A'5A5A;
std::vector<Column> apply(const std::string& instruction, const std::vector<std::string>& results,
                          const std::vector<Source>& sources, bool guarded = false);

/// The expected bits of the only result, of one row of operand bits.
using Expected = std::function<Bits(const Bits*)>;
/// `same` compares got with expected bits (default: equal).
using Same = std::function<bool(Bits, Bits)>;
void expect(const std::string& instruction, const std::string& result,
            const std::vector<Source>& sources, const Expected& expected,
            const Same& same = std::equal_to<Bits>());
/// The same with two destinations.
using ExpectedPair = std::function<std::pair<Bits, Bits>(const Bits*)>;
void expect_pair(const std::string& instruction, const std::string& first,
                 const std::string& second, const std::vector<Source>& sources,
                 const ExpectedPair& expected);

/// Every combination of the columns, as columns of equal length.
std::vector<Column> cross(const std::vector<Column>& columns);
/// cross() of operands of one register type.
std::vector<Source> cross(const std::string& type, const std::vector<Column>& columns);

/// Border cases of integers of `width` bits, zero-extended.
Column borders(unsigned width);
/// `count` random words of `width` bits.
Column random_words(unsigned width, std::size_t count, std::uint64_t seed);

/// The low `width` bits.
inline Bits low(Bits x, unsigned width) { return width >= 64 ? x : x & ((Bits{1} << width) - 1); }
/// Sign-extended from `width` bits.
inline std::int64_t sign_extended(Bits x, unsigned width) {
  return static_cast<std::int64_t>(x << (64 - width)) >> (64 - width);
}

inline float f32(Bits b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b)); }
inline double f64(Bits b) { return std::bit_cast<double>(b); }
/// A NaN gives the one that PTX names, 0x7fffffff.
inline Bits bits(float x) { return x != x ? 0x7FFF'FFFF : std::bit_cast<std::uint32_t>(x); }
inline Bits bits(double x) { return std::bit_cast<std::uint64_t>(x); }
/// f64: any NaN equals any NaN, since PTX names no canonical one.
inline bool same_f64(Bits a, Bits b) { return a == b || (f64(a) != f64(a) && f64(b) != f64(b)); }
/// Zeros, subnormals, limits, infinities, NaNs and ordinary values.
Column f32_values();
Column f64_values();

}  // namespace gauntlet::simt::test
