// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// tex, tld4, suld.b and sust.b of objects (PTX ISA 9.0, 9.7.10 and 9.7.11): a fetch is as many
// loads as it reads elements, each into `texel`; an access to a surface is a load or store.
#include "machine/isa/decode.hpp"
#include "machine/isa/suffixes.hpp"

namespace gauntlet::simt {
namespace {

using S = ptx::ScalarType;

struct Geometry {
  std::string_view word;
  std::uint8_t dimensions;
  bool layered = false, cube = false;
};
constexpr Geometry geometries[] = {{"1d", 1},
                                   {"2d", 2},
                                   {"3d", 3},
                                   {"a1d", 1, true},
                                   {"a2d", 2, true},
                                   {"cube", 3, false, true},
                                   {"acube", 3, true, true}};

bool take_geometry(std::vector<std::string_view>& words, TextureOp& op) {
  for (const Geometry& one : geometries) {
    if (!take(words, one.word)) continue;
    op.dimensions = one.dimensions;
    op.layered = one.layered;
    op.cube = one.cube;
    return true;
  }
  return false;
}

}  // namespace

/// tex{.level}.geometry.v4.type.coordinates list, [object, list] {, level}; tld4.component.2d...
/// suld.b.geometry{.vector}.type.outside list, [object, list]; sust.b... [object, list], list
bool Decoder::texture(const ptx::Instruction& i) {
  const bool fetch = i.opcode == "tex", gather = i.opcode == "tld4";
  const bool load = i.opcode == "suld", store = i.opcode == "sust";
  TextureOp op;
  MemoryOp memory;
  auto words = i.suffixes;
  const bool level = fetch && take(words, "level");
  op.what = fetch    ? TextureOp::What::fetch
            : gather ? TextureOp::What::gather
                     : TextureOp::What::surface;
  if (gather) {
    if (words.empty()) return false;
    const auto component = std::string_view("rgba").find(words.front());
    if (words.front().size() != 1 || component == std::string_view::npos) return false;
    op.component = static_cast<std::uint8_t>(component);
    words.erase(words.begin());
  }
  if ((load || store) && !take(words, "b")) return false;
  if (!take_geometry(words, op) || (op.cube && !fetch) ||
      (gather && (op.dimensions != 2 || op.layered)))
    return false;
  const auto& o = i.operands;
  if (o.size() != (level ? 3 : 2)) return false;
  const auto& place = o[store ? 0 : 1];
  const auto& data = o[store ? 1 : 0];
  using K = ptx::Operand::Kind;
  // Three coordinates and those behind a layer's number are four, the last of them twice.
  const unsigned has = op.dimensions + (op.layered ? 1U : 0U);
  if (place.kind != K::located || !is_register(place.name) || register_size(place.name) != 8 ||
      place.offset != 0 || place.parts.size() != (has == 3 ? 4 : has)) {
    return false;
  }
  memory.space = MemorySpace::global;
  memory.what = store ? MemoryOp::What::store : MemoryOp::What::load;
  const bool vector = data.kind == K::vector;
  const std::size_t count = vector ? data.parts.size() : 1;
  if (load || store) {
    op.whole = true;
    op.outside = take(words, "clamp")  ? TextureOp::Outside::clamp
                 : take(words, "zero") ? TextureOp::Outside::zero
                                       : TextureOp::Outside::trap;
    if (op.outside == TextureOp::Outside::trap && !take(words, "trap")) return false;
    const std::size_t wanted = take(words, "v2") ? 2 : take(words, "v4") ? 4 : 1;
    if (words.size() != 1 || wanted != count) return false;
    const auto type = ptx::stored_type(words[0]);
    if (type != S::b8 && type != S::b16 && type != S::b32 && type != S::b64) return false;
    memory.size = static_cast<std::uint8_t>(size_of(*type));
    memory.count = static_cast<std::uint8_t>(count);
    memory.cell = unsigned_of(memory.size);
  } else {
    if (!take(words, "v4") || count != 4 || words.size() != 2) return false;
    const bool known = words[0] == "f32" || words[0] == "u32" || words[0] == "s32";
    op.whole = words[1] == "s32" && !op.cube;
    if (!known || (!op.whole && words[1] != "f32") || (op.whole && gather)) return false;
    memory.read_only = true;
  }

  emit(i, Kind::memory);
  memory.address = use(scope_->registers.at(place.name));
  std::size_t next = 0;
  if (op.layered) op.layer = value(i, place.parts[next++], 4);
  for (unsigned d = 0; d < op.dimensions; ++d) {
    op.coordinates[d] = value(i, place.parts[next++], 4);
  }
  if (level) value(i, o[2], 4);
  for (std::size_t k = 0; k < count; ++k) {
    const auto& part = vector ? data.parts[k] : data;
    if (fetch || gather) {
      op.texel[k] = temporary();
      define(op.texel[k]);
      op.wanted[k] = part.kind != K::sink;
      if (op.wanted[k]) op.results[k] = result(i, part, 4);
      continue;
    }
    memory.values[k] = store ? value(i, part, memory.size) : result(i, part);
    const auto width = part.kind == K::name ? register_size(part.name) : memory.size;
    memory.value_bytes[k] = static_cast<std::uint8_t>(width == 8 ? 8 : width == 2 ? 2 : 4);
  }
  kernel_.code.back().visible = true;
  kernel_.texture_ops.push_back(op);
  memory.texture = static_cast<std::uint32_t>(kernel_.texture_ops.size());
  accesses(memory);
  return true;
}

}  // namespace gauntlet::simt
