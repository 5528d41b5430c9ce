// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Values as bytes: put together, and taken apart.
#include <algorithm>

#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {

Byte sign_of(const Byte& top) {
  if (top.term == 0) return {0, static_cast<std::uint8_t>(top.value >= 0x80 ? 0xFF : 0), 0, false};
  return {top.term, 0, top.index, true};
}

void extend_bytes(Bytes& bytes, std::size_t size, bool is_signed) {
  const Byte above = is_signed ? sign_of(bytes[size - 1]) : Byte{};
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(size), bytes.end(), above);
}

Bytes Terms::bytes(TermId t) const {
  const PackedBytes& from = bytes_[terms_[t].b];
  Bytes to;
  for (std::size_t k = 0; k < to.size(); ++k) {
    const auto term = from.term[k];
    const auto rest = from.rest[k];
    to[k] = term == 0 ? Byte{0, rest, 0, false}
                      : Byte{term, 0, static_cast<std::uint8_t>(rest & 7), (rest & 8) != 0};
  }
  return to;
}

bool Terms::unpack(Value v, std::uint8_t size, Bytes& to) const {
  to = {};
  if (v.term == 0) {
    for (std::uint8_t k = 0; k < size; ++k)
      to[k].value = static_cast<std::uint8_t>(v.bits >> 8 * k);
    return true;
  }
  const Term& t = terms_[v.term];
  if (t.size < size) return false;
  if (t.kind == Term::Kind::bytes) {
    to = bytes(v.term);
    std::fill(to.begin() + size, to.end(), Byte{});
    return true;
  }
  for (std::uint8_t k = 0; k < size; ++k) {
    to[k] = {v.term, 0, k, false};
    if (t.kind == Term::Kind::constant) {
      const auto bits = t.number();
      to[k] = {0, static_cast<std::uint8_t>(bits >> 8 * k), 0, false};
    }
  }
  return true;
}

Value Terms::pack(const Bytes& bytes, std::uint8_t size) {
  const auto end = bytes.begin() + size;
  Value result;
  if (std::all_of(bytes.begin(), end, [](const Byte& b) { return b.term == 0; })) {
    for (int k = 0; k < size; ++k) result.bits |= std::uint64_t{bytes[k].value} << 8 * k;
    return result;
  }
  // The bytes from `from` on that are those of one whole term.
  const auto whole = [&](std::uint8_t from) -> TermId {
    const auto term = bytes[from].term;
    const auto count = terms_[term].size;
    if (term == 0 || from + count > size) return 0;
    for (std::uint8_t k = 0; k < count; ++k) {
      if (bytes[from + k] != Byte{term, 0, k, false}) return 0;
    }
    return term;
  };
  Term t;
  t.kind = Term::Kind::bytes;
  t.size = size;
  if (const auto term = whole(0); term != 0) {
    const auto inner = terms_[term];
    if (inner.size == size) return {term, 0};
    const auto rest = bytes.begin() + inner.size;
    for (const Byte& above : {Byte{}, sign_of(bytes[inner.size - 1U])}) {
      if (!std::all_of(rest, end, [&](const Byte& b) { return b == above; })) continue;
      t.a = term;
      t.is_signed = above.sign;
      t.from = integer_type(inner.size, t.is_signed);
    }
  } else if (size == 4 && bytes[0] == Byte{} && bytes[1] == Byte{} && bytes[2].term != 0 &&
             terms_[bytes[2].term].size == 2 && whole(2) != 0) {
    t.a = bytes[2].term;  // the upper half of an f32
    t.from = Type::bf16;
  }
  t.b = static_cast<TermId>(bytes_.size());
  PackedBytes packed{};
  for (std::size_t k = 0; k < size; ++k) {
    const Byte& b = bytes[k];
    packed.term[k] = b.term;
    packed.rest[k] = b.term == 0 ? b.value : static_cast<std::uint8_t>(b.index | (b.sign ? 8 : 0));
  }
  bytes_.push_back(packed);
  result.term = add(t);
  return result;
}

TermId Terms::whole_part(TermId id, std::uint8_t size, unsigned first, unsigned count) const {
  const Term& t = terms_[id];
  if (t.kind != Term::Kind::bytes || t.size != size) return 0;
  const PackedBytes& from = bytes_[t.b];
  const TermId part = from.term[first];
  for (unsigned k = 0; k < count; ++k) {
    if (from.term[first + k] != part || from.rest[first + k] != k) return 0;
  }
  return part != 0 && terms_[part].size == count ? part : 0;
}

Value Terms::low(Value v, std::uint8_t size, std::uint32_t instruction) {
  if (v.term == 0) {
    if (size < 8) v.bits &= (std::uint64_t{1} << 8 * size) - 1;
    return v;
  }
  if (terms_[v.term].size == size) return v;
  Bytes bytes;
  if (!unpack(v, size, bytes)) return {opaque(instruction, size), 0};
  return pack(bytes, size);
}

}  // namespace gauntlet::simt::symbolic
