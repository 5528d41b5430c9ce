// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "machine/code/operation.hpp"
#include "machine/engine/text_writer.hpp"
#include "machine/isa/effect.hpp"

namespace gauntlet::simt {
namespace {

class Spreader : TextWriter {
 public:
  Spreader(ptx::Module& module, ptx::Function& f) : TextWriter(module, f) {}

  bool spread(std::uint32_t line, const std::set<std::uint64_t>& addresses) {
    constexpr std::size_t most = 1024;
    auto& body = f_.body;
    const auto adds = [&](const Instruction& i) {
      return i.ptx_line == line && effect_of(i) == Effect::accumulates;
    };
    const auto at = std::find_if(body.begin(), body.end(), adds);
    if (at == body.end() || std::count_if(at, body.end(), adds) != 1) return false;
    const auto place = static_cast<std::uint32_t>(at - body.begin());
    Instruction like = *at;
    if (addresses.size() > most || body.size() > most_instructions_looked_at) return false;
    // The result, which nobody reads.
    if (like.opcode == "atom") like.operands.erase(like.operands.begin());
    like.opcode = "red";
    if (like.operands.size() != 2) return false;
    const PtxOperand where = like.operands[0], what = like.operands[1];
    const auto type = ptx::stored_type(like.suffixes.back());
    const auto size = type ? ptx::bits_of(*type) : 0;
    const bool whole = size >= 32 && !is_float(number_type(*type).value_or(Type::f32));
    if (!whole || !is_register(where.name)) return false;
    const bool wide = ptx::bits_of(types_.at(where.name)) == 64;
    std::vector<Instruction> made;
    made_ = &made;
    like_ = &like;
    Name found;
    for (const std::uint64_t address : addresses) {
      PtxOperand there, nothing;
      there.kind = nothing.kind = PtxOperand::Kind::integer;
      there.bits = address - static_cast<std::uint64_t>(where.offset);
      if (!wide) there.bits &= 0xFFFF'FFFF;
      const Name here = fresh(ScalarType::pred), adds = fresh(*type);
      put("setp", {"eq", wide ? "u64" : "u32"}, {named(here), named(where.name), there});
      put("selp", {size == 64 ? "b64" : "b32"}, {named(adds), what, nothing, named(here)});
      Instruction one = like;
      one.operands[0].name = {};
      one.operands[0].offset = static_cast<std::int64_t>(address);
      one.operands[1] = named(adds);
      made.push_back(std::move(one));
      found = found.empty() ? here : combined("or", found, here);
    }
    if (!like.guard.empty()) {
      const Name out = like.guard_negated ? like.guard : negated(like.guard);
      found = combined("or", found, out);
    }
    put("trap", {}, {});
    made.back().guard = found;
    made.back().guard_negated = true;
    const auto more = static_cast<std::uint32_t>(made.size()) - 1;
    body.insert(body.erase(body.begin() + place), made.begin(), made.end());
    for (auto& label : f_.labels) label.instruction += label.instruction > place ? more : 0;
    return true;
  }
};

}  // namespace

bool spread_atomic(ptx::Module& module, ptx::Function& f, std::uint32_t line,
                   const std::set<std::uint64_t>& addresses) {
  return Spreader(module, f).spread(line, addresses);
}

}  // namespace gauntlet::simt
