// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/code/operation.hpp"

#include "machine/isa/decode.hpp"

namespace gauntlet::simt {

Operation operation_of(const ptx::Instruction& i) {
  Operation o;
  o.opcode = opcode_named(i.opcode);
  if (!i.operands.empty()) o.inputs = static_cast<std::uint8_t>(i.operands.size() - 1);
  for (const auto word : i.suffixes) {
    if (const auto type = parse<ptx::ScalarType>(word)) {
      if (o.types++ == 0) o.type = *type;
      o.from = *type;
      continue;
    }
    const auto known = parse<Modifier>(word).value_or(Modifier::other);
    o.how.add(o.how.has(known) ? Modifier::other : known);
  }
  return o;
}

}  // namespace gauntlet::simt
