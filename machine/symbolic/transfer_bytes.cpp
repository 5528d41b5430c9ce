// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the operations that put bytes together make of terms: logic, shifts, fields, permutations.
#include <algorithm>
#include <bit>

#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt::symbolic {
namespace {

/// Eight bytes moved up by `by`; zeros come in.
Bytes moved_up(const Bytes& b, unsigned by, unsigned size) {
  Bytes r{};
  for (unsigned k = by; k < size; ++k) r[k] = b[k - by];
  return r;
}

}  // namespace

TermId Shadow::bits(const Warp& w, WarpState& s, std::uint32_t pc, const Rule& rule, int lane) {
  using What = Rule::What;
  const Inst& i = kernel_->code[pc];
  const auto size = rule.size;
  Bytes a, b, r{};
  const auto fetch = [&](Operand o, std::uint8_t bytes, Bytes& to) {
    return terms.unpack(value(w, s, o, lane, bytes), bytes, to);
  };
  const auto number = [&](Operand o, unsigned bytes, std::uint64_t& to) {
    const Value v = value(w, s, o, lane, bytes);
    to = v.bits;
    return v.term == 0;
  };
  const auto opaque = [&](std::uint8_t bytes) { return terms.opaque(pc, bytes); };
  const auto packed = [&](const Bytes& bytes, std::uint8_t of) {
    return terms.pack(bytes, of).term;
  };
  std::uint64_t n = 0, length = 0;
  switch (rule.what) {
    case What::and_bits:
    case What::or_bits: {
      if (!fetch(i.a, size, a) || !fetch(i.b, size, b)) return opaque(size);
      const std::uint8_t zero = rule.what == What::and_bits ? 0xFF : 0;  // what changes nothing
      for (unsigned k = 0; k < size; ++k) {
        if (a[k].term != 0) std::swap(a[k], b[k]);
        if (b[k].term == 0) {
          const auto x = a[k].value, y = b[k].value;
          r[k].value = static_cast<std::uint8_t>(zero == 0xFF ? x & y : x | y);
        } else if (a[k].term != 0) {
          return opaque(size);
        } else if (a[k].value == zero) {
          r[k] = b[k];
        } else if (a[k].value == static_cast<std::uint8_t>(~zero)) {
          r[k] = a[k];
        } else {
          return opaque(size);
        }
      }
      return packed(r, size);
    }
    case What::shift_left:
      if (!fetch(i.a, size, a) || !number(i.b, 4, n) || n % 8 != 0) return opaque(size);
      return packed(moved_up(a, static_cast<unsigned>(std::min<std::uint64_t>(n / 8, size)), size),
                    size);
    case What::shift_right:
    case What::shift_right_signed: {
      const bool is_signed = rule.what == What::shift_right_signed;
      if (!fetch(i.a, size, a) || !number(i.b, 4, n)) return opaque(size);
      if (is_signed && n + 1 >= 8U * size) n = 8U * size;
      if (n % 8 != 0) return opaque(size);
      const Byte fill = is_signed ? sign_of(a[size - 1U]) : Byte{};
      for (unsigned k = 0; k < size; ++k) {
        const std::uint64_t from = k + n / 8;
        r[k] = from < size ? a[from] : fill;
      }
      return packed(r, size);
    }
    case What::multiply_wide: {
      Operand x = i.a;
      if (!number(i.b, size, n)) {
        if (!number(i.a, size, n)) return opaque(static_cast<std::uint8_t>(2 * size));
        x = i.b;
      }
      if (!std::has_single_bit(n) || std::countr_zero(n) % 8 != 0 || !fetch(x, size, a)) {
        return opaque(static_cast<std::uint8_t>(2 * size));
      }
      return packed(moved_up(a, static_cast<unsigned>(std::countr_zero(n)) / 8, 2U * size),
                    static_cast<std::uint8_t>(2 * size));
    }
    case What::insert_field:  // bfi d, a, b, position, length: a goes into b
      if (!fetch(i.a, size, a) || !fetch(i.b, size, r) || !number(i.c, 4, n) ||
          !number(i.second, 4, length) || n % 8 != 0 || length % 8 != 0 || n > 255 ||
          length > 255) {
        return opaque(size);
      }
      for (std::uint64_t k = 0; k < length / 8 && n / 8 + k < size; ++k) r[n / 8 + k] = a[k];
      return packed(r, size);
    case What::extract_field:
      if (!fetch(i.a, size, a) || !number(i.b, 4, n) || !number(i.c, 4, length) || n % 8 != 0 ||
          length % 8 != 0 || n > 255 || length > 255) {
        return opaque(size);
      }
      for (std::uint64_t k = 0; k < length / 8 && n / 8 + k < size && k < size; ++k) {
        r[k] = a[n / 8 + k];
      }
      return packed(r, size);
    case What::permute: {
      if (!fetch(i.a, 4, a) || !fetch(i.b, 4, b) || !number(i.c, 4, n)) return opaque(4);
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned pick = n >> 4 * k & 0xF;
        r[k] = (pick & 7) < 4 ? a[pick & 3] : b[pick & 3];
        if ((pick & 8) != 0) r[k] = sign_of(r[k]);
      }
      return packed(r, 4);
    }
    case What::pack: {
      const auto half = static_cast<std::uint8_t>(size / 2);
      if (!fetch(i.a, half, a) || !fetch(i.b, half, b)) return opaque(size);
      r = moved_up(b, half, size);
      std::copy_n(a.begin(), half, r.begin());
      return packed(r, size);
    }
    case What::part: {
      const unsigned first = i.variant / 8, count = i.keep == 0xFFFF ? 2 : 4;
      const auto of = value(w, s, i.a, lane, size).term;
      if (const auto term = terms.whole_part(of, size, first, count)) return term;
      if (!fetch(i.a, size, a)) return opaque(4);
      for (unsigned k = 0; k < count; ++k) r[k] = a[first + k];
      return packed(r, static_cast<std::uint8_t>(count));
    }
    case What::insert: {
      if (i.variant != 0 && !fetch(i.d, 8, r)) return opaque(8);
      if (!fetch(i.a, 2, a)) return opaque(8);
      for (unsigned k = 0; k < 2; ++k) r[i.variant / 8 + k] = a[k];
      return packed(r, 8);
    }
    default:
      return opaque(8);
  }
}

}  // namespace gauntlet::simt::symbolic
