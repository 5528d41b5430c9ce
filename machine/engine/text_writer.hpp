// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Instructions and registers that are put into a function's PTX before it is decoded.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

inline constexpr std::size_t most_instructions_looked_at = 4000;

class TextWriter {
 public:
  using Instruction = ptx::Instruction;
  using ScalarType = ptx::ScalarType;
  using PtxOperand = ptx::Operand;
  using Name = std::string_view;

 protected:
  TextWriter(ptx::Module& module, ptx::Function& f) : module_(module), f_(f) {
    for (const auto& r : f.registers) types_[r.name] = r.type;
  }

  static PtxOperand named(Name name) {
    PtxOperand o;
    o.name = name;
    return o;
  }
  Name fresh(ScalarType type) {
    const Name name = module_.names.emplace_back("%both" + std::to_string(f_.registers.size()));
    f_.registers.push_back({name, type});
    types_[name] = type;
    return name;
  }
  void put(Name opcode, std::vector<Name> suffixes, std::vector<PtxOperand> operands) {
    Instruction i;
    i.ptx_line = like_->ptx_line;
    i.loc = like_->loc;
    i.opcode = opcode;
    i.suffixes = std::move(suffixes);
    i.operands = std::move(operands);
    made_->push_back(std::move(i));
  }
  Name combined(Name opcode, Name a, Name b) {
    const Name to = fresh(ScalarType::pred);
    put(opcode, {"pred"}, {named(to), named(a), named(b)});
    return to;
  }
  Name negated(Name p) {
    const Name to = fresh(ScalarType::pred);
    put("not", {"pred"}, {named(to), named(p)});
    return to;
  }
  /// As selp and mov name what a register holds; empty: they do not.
  static Name suffix_of(ScalarType type) {
    if (type == ScalarType::pred) return "pred";
    if (type == ScalarType::f32) return "f32";
    if (type == ScalarType::f64) return "f64";
    const auto bits = ptx::bits_of(type);
    return bits == 16 ? "b16" : bits == 32 ? "b32" : bits == 64 ? "b64" : "";
  }
  /// a where p holds, else b; false where that cannot be said.
  bool select(ScalarType type, const PtxOperand& a, Name b, Name p, Name& to) {
    if (type == ScalarType::pred) {
      const Name one = combined("and", a.name, p), other = combined("and", b, negated(p));
      to = combined("or", one, other);
      return true;
    }
    const Name suffix = suffix_of(type);
    if (suffix.empty()) return false;
    to = fresh(type);
    put("selp", {suffix}, {named(to), a, named(b), named(p)});
    return true;
  }

  bool is_register(Name name) const { return types_.contains(name); }

  ptx::Module& module_;
  ptx::Function& f_;
  std::unordered_map<Name, ScalarType> types_;
  std::vector<Instruction>* made_ = nullptr;  ///< where they are put,
  const Instruction* like_ = nullptr;         ///< as being of this one's place
};

/// How an atomic combines, if the identity changes nothing.
inline std::optional<Op> combined_by(const ptx::Instruction& i) {
  for (const std::string_view suffix : i.suffixes) {
    if (suffix == "add") return Op::sum;
    if (suffix == "min") return Op::minimum;
    if (suffix == "max") return Op::maximum;
  }
  return std::nullopt;
}

/// One atomic that combines, whose result nobody reads, becomes one at each of these addresses:
/// false where it stays as it is.
bool spread_atomic(ptx::Module& module, ptx::Function& f, std::uint32_t line,
                   const std::set<std::uint64_t>& addresses);

}  // namespace gauntlet::simt
