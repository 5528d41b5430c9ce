// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "core/types.hpp"

#include <array>

namespace gauntlet {
namespace {

struct TypeInfo {
  std::string_view name;
  std::size_t size;
  bool is_float, is_signed;
};

constexpr std::array<TypeInfo, 12> kTypes{{{"i8", 1, false, true},
                                           {"u8", 1, false, false},
                                           {"i16", 2, false, true},
                                           {"u16", 2, false, false},
                                           {"i32", 4, false, true},
                                           {"u32", 4, false, false},
                                           {"i64", 8, false, true},
                                           {"u64", 8, false, false},
                                           {"f16", 2, true, true},
                                           {"bf16", 2, true, true},
                                           {"f32", 4, true, true},
                                           {"f64", 8, true, true}}};
constexpr std::array kAllTypes{Type::i8,  Type::u8,  Type::i16, Type::u16,  Type::i32, Type::u32,
                               Type::i64, Type::u64, Type::f16, Type::bf16, Type::f32, Type::f64};
constexpr std::array kAllOps{Op::sum, Op::product, Op::minimum, Op::maximum};
constexpr std::array<std::string_view, 4> kOpNames{"sum", "product", "minimum", "maximum"};

const TypeInfo& info(Type type) { return kTypes.at(static_cast<std::size_t>(type)); }

}  // namespace

std::span<const Type> all_types() { return kAllTypes; }
std::span<const Op> all_ops() { return kAllOps; }

std::size_t size_of(Type type) { return info(type).size; }
bool is_float(Type type) { return info(type).is_float; }
bool is_signed(Type type) { return info(type).is_signed; }
std::string_view name(Type type) { return info(type).name; }
std::string_view name(Op op) { return kOpNames.at(static_cast<std::size_t>(op)); }

std::optional<Type> parse_type(std::string_view text) {
  for (const Type type : kAllTypes) {
    if (name(type) == text) return type;
  }
  return std::nullopt;
}

std::optional<Op> parse_op(std::string_view text) {
  for (const Op op : kAllOps) {
    if (name(op) == text) return op;
  }
  return std::nullopt;
}

}  // namespace gauntlet
