// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "properties/language/copies.hpp"

namespace gauntlet::spec {
namespace {

/// The least and the greatest value, infinities where there are such.
std::pair<std::string, std::string> ends_of(Type type) {
  switch (type) {
    case Type::f16:
      return {"__ushort_as_half(0xFC00)", "__ushort_as_half(0x7C00)"};
    case Type::bf16:
      return {"__ushort_as_bfloat16(0xFF80)", "__ushort_as_bfloat16(0x7F80)"};
    case Type::f32:
      return {"__int_as_float(0xFF800000)", "__int_as_float(0x7F800000)"};
    case Type::f64:
      return {"__longlong_as_double(0xFFF0000000000000)",
              "__longlong_as_double(0x7FF0000000000000)"};
    default:
      break;
  }
  const auto bits = 8 * size_of(type);
  const bool has_sign = is_signed(type);
  const std::string most =
      fmt::format("{}ull", ~std::uint64_t{0} >> (64 - bits + (has_sign ? 1 : 0)));
  return {has_sign ? fmt::format("ACC(-(long long){} - 1)", most) : "ACC(0)",
          fmt::format("ACC({})", most)};
}

/// OP and IDENTITY.
std::string combination_text(Type acc, Op op) {
  const bool half = acc == Type::f16 || acc == Type::bf16;
  const auto [least, greatest] = ends_of(acc);
  const auto of_floats = [&](std::string_view function) {
    if (acc == Type::f64) return fmt::format("{}(a, b)", function);
    if (!half) return fmt::format("{}f(a, b)", function);
    return fmt::format("ACC({}f(float(a), float(b)))", function);
  };
  std::string value, identity;
  switch (op) {
    case Op::sum:
    case Op::product: {
      const char sign = op == Op::sum ? '+' : '*';
      value = is_float(acc)
                  ? fmt::format("a {} b", sign)
                  : fmt::format("ACC((unsigned long long)a {} (unsigned long long)b)", sign);
      identity = op == Op::sum ? (half ? "ACC(0.f)" : "ACC(0)") : (half ? "ACC(1.f)" : "ACC(1)");
      break;
    }
    case Op::minimum:
      value = is_float(acc) ? of_floats("fmin") : "b < a ? b : a";
      identity = greatest;
      break;
    case Op::maximum:
      value = is_float(acc) ? of_floats("fmax") : "a < b ? b : a";
      identity = least;
      break;
  }
  return fmt::format(
      "__device__ __forceinline__ ACC OP(ACC a, ACC b) {{ return {}; }}\n"
      "__device__ __forceinline__ ACC identity_of_OP() {{ return {}; }}\n",
      value, identity);
}

/// The unsigned integer of its width, and the functions to it and back.
struct Bits {
  std::string_view type, to, from;
};

Bits bits_of(Type type) {
  switch (type) {
    case Type::f16:
      return {"unsigned short", "__half_as_ushort", "__ushort_as_half"};
    case Type::bf16:
      return {"unsigned short", "__bfloat16_as_ushort", "__ushort_as_bfloat16"};
    case Type::f32:
      return {"unsigned int", "__float_as_uint", "__uint_as_float"};
    case Type::f64:
      return {"unsigned long long", "__double_as_longlong", "__longlong_as_double"};
    case Type::i16:
    case Type::u16:
      return {"unsigned short", "", "ACC"};
    case Type::i32:
    case Type::u32:
      return {"unsigned int", "", "ACC"};
    default:
      return {"unsigned long long", "", "ACC"};
  }
}

/// The first guess is the identity, not a plain read: that would race with the atomics of other
/// blocks, and a wrong guess costs one more round.
std::string swap_text(Type acc) {
  const Bits bits = bits_of(acc);
  return fmt::format(
      "__device__ __forceinline__ void combine_atomically(ACC* cell, ACC value) {{\n"
      "  using bits = {0};\n"
      "  bits seen = bits({1}(identity_of_OP())), expected;\n"
      "  do {{\n"
      "    expected = seen;\n"
      "    seen = atomicCAS((bits*)cell, expected, bits({1}(OP({2}(expected), value))));\n"
      "  }} while (seen != expected);\n"
      "}}\n",
      bits.type, bits.to, bits.from);
}

}  // namespace

OperatorText operator_text(Type acc, Op op) {
  OperatorText text{combination_text(acc, op), {}};
  const bool whole = !is_float(acc) && size_of(acc) >= 4;
  if (op == Op::sum && acc == Type::i64) {
    text.atomic = "atomicAdd((unsigned long long*)(cell), (unsigned long long)(value))";
  } else if (op == Op::sum && (whole || (is_float(acc) && acc != Type::bf16))) {
    text.atomic = "atomicAdd(cell, value)";
  } else if (whole && op == Op::minimum) {
    text.atomic = "atomicMin(cell, value)";
  } else if (whole && op == Op::maximum) {
    text.atomic = "atomicMax(cell, value)";
  } else if (size_of(acc) >= 2) {
    text.atomic = "combine_atomically(cell, value)";
    text.functions += swap_text(acc);
  } else {
    text.atomic = "there_is_no_atomic_of_one_byte(cell, value)";
  }
  return text;
}

}  // namespace gauntlet::spec
