// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/scalar.hpp"
#include "machine/code/operation.hpp"
#include "machine/engine/text_writer.hpp"
#include "machine/isa/instruction_rows.hpp"

namespace gauntlet::simt {
namespace {

class Spreader : TextWriter {
 public:
  Spreader(ptx::Module& module, ptx::Function& f) : TextWriter(module, f) {}

  /// Each copy of it: that on the ways of a branch, too, which nobody goes any more.
  bool spread(std::uint32_t line, const std::set<std::uint64_t>& addresses) {
    constexpr std::size_t most = 1024;
    if (addresses.size() > most || f_.body.size() > most_instructions_looked_at) return false;
    bool any = false;
    for (std::uint32_t k = 0; k < f_.body.size(); ++k) {
      const Instruction& i = f_.body[k];
      if (i.ptx_line != line || effect_of(i) != Effect::accumulates) continue;
      const auto made = in_place_of(i, addresses);
      if (made.empty()) return any;
      const auto more = static_cast<std::uint32_t>(made.size()) - 1;
      f_.body.insert(f_.body.erase(f_.body.begin() + k), made.begin(), made.end());
      for (auto& label : f_.labels) label.instruction += label.instruction > k ? more : 0;
      k += more;
      any = true;
    }
    return any;
  }

 private:
  std::vector<Instruction> in_place_of(Instruction like, const std::set<std::uint64_t>& addresses) {
    // The result, which nobody reads.
    if (like.opcode == "atom") like.operands.erase(like.operands.begin());
    like.opcode = "red";
    if (like.operands.size() != 2) return {};
    const PtxOperand where = like.operands[0];
    PtxOperand what = like.operands[1], nothing;
    nothing.kind = PtxOperand::Kind::integer;
    const auto type = ptx::stored_type(like.suffixes.back());
    const auto size = type ? ptx::bits_of(*type) : 0;
    const Type number = type ? number_type(*type).value_or(Type::f32) : Type::f32;
    const auto combines = combined_by(like);
    if (size < 32 || is_float(number) || !combines || !is_register(where.name)) return {};
    nothing.bits = identity_bits(number, *combines);
    const bool wide = ptx::bits_of(types_.at(where.name)) == 64;
    std::vector<Instruction> made;
    made_ = &made;
    like_ = &like;
    const auto chosen = [&](const PtxOperand& value, Name when) {
      const Name to = fresh(*type);
      put("selp", {size == 64 ? "b64" : "b32"}, {named(to), value, nothing, named(when)});
      return named(to);
    };
    Name found;
    if (!like.guard.empty()) {  // who does not come to it changes nothing
      const Name other = negated(like.guard);
      what = chosen(what, like.guard_negated ? other : like.guard);
      found = like.guard_negated ? like.guard : other;
      like.guard = {};
      like.guard_negated = false;
    }
    for (const std::uint64_t address : addresses) {
      PtxOperand there;
      there.kind = PtxOperand::Kind::integer;
      there.bits = address - static_cast<std::uint64_t>(where.offset);
      if (!wide) there.bits &= 0xFFFF'FFFF;
      const Name here = fresh(ScalarType::pred);
      put("setp", {"eq", wide ? "u64" : "u32"}, {named(here), named(where.name), there});
      Instruction one = like;
      one.operands[1] = chosen(what, here);
      one.operands[0].name = {};
      one.operands[0].offset = static_cast<std::int64_t>(address);
      made.push_back(std::move(one));
      found = found.empty() ? here : combined("or", found, here);
    }
    put("trap", {}, {});
    made.back().guard = found;
    made.back().guard_negated = true;
    return made;
  }
};

}  // namespace

bool spread_atomic(ptx::Module& module, ptx::Function& f, std::uint32_t line,
                   const std::set<std::uint64_t>& addresses) {
  return Spreader(module, f).spread(line, addresses);
}

}  // namespace gauntlet::simt
