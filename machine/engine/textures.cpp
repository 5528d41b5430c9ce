// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/textures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <string_view>

#include "machine/isa/handlers.hpp"
#include "machine/state/set_poison.hpp"

namespace gauntlet::simt {
namespace {

/// What lanes read so far for one result, and which of them hold values that nobody defined.
struct Fetched {
  std::array<std::uint32_t, 8> raw[warp_size];  // of each element
  std::uint32_t undefined = 0;
  std::uint32_t origin[warp_size];
};

const char* kind_of(const Texture& t) { return t.surface ? "surface" : "texture"; }

}  // namespace

void Textures::access(const Executed& by, const MemoryOp& op) {
  Warp& w = by.warp;
  std::uint32_t mask = by.mask;
  const TextureOp& how = kernel_.texture_ops[op.texture - 1];
  Access a{by.block, w, by.inst, op, op.width(), {}};
  const auto nothing = [&](std::uint32_t lanes) {
    if (how.what == TextureOp::What::surface) return path_.load_nothing(a, lanes, 0);
    const std::uint32_t origin = reports_.fault_origin(by.inst, w, 0);
    for (unsigned k = 0; k < 4; ++k) {
      if (!how.wanted[k]) continue;
      for_lanes(w.destination<std::uint32_t>(how.results[k]), lanes, [](int) { return 0U; });
      set_poison(w, how.results[k], lanes, lanes, origin);
    }
  };
  for (const Operand& o :
       {op.address, how.layer, how.coordinates[0], how.coordinates[1], how.coordinates[2]}) {
    const std::uint32_t undefined =
        reports_.report_undefined(FindingKind::poison_address, {by.block, w, by.inst, mask}, o);
    if (undefined == 0) continue;
    nothing(undefined);
    mask &= ~undefined;
  }
  const auto* const objects = w.source<std::uint64_t>(op.address);
  while (mask != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(mask));
    const std::uint64_t object = objects[first];
    const std::uint32_t same = mask & lane_mask([&](int l) { return objects[l] == object; });
    mask &= ~same;
    const auto found = memory_.textures.find(object);
    const bool wants_surface = how.what == TextureOp::What::surface;
    std::string wrong;
    if (found == memory_.textures.end()) {
      wrong = fmt::format("0x{:x} is no texture or surface object", object);
    } else if (const Texture& t = found->second; t.surface != wants_surface) {
      wrong = fmt::format("the object is a {}", kind_of(t));
    } else if (t.cube != how.cube || (!t.cube && t.dimensions != how.dimensions) ||
               (t.layers != 0) != how.layered) {
      wrong = fmt::format("the {} {}{}", kind_of(t),
                          t.cube              ? "is a cube map"
                          : t.dimensions == 1 ? "has 1 dimension"
                                              : fmt::format("has {} dimensions", t.dimensions),
                          t.layers != 0 ? " and layers" : "");
    }
    if (!wrong.empty()) {
      reports_.fault(a, FindingKind::unallocated, first, {}, "{}", wrong);
      nothing(same);
    } else if (wants_surface) {
      surface(a, how, found->second, same);
    } else {
      fetch(a, how, found->second, same);
    }
  }
}

void Textures::fetch(Access& a, const TextureOp& how, const Texture& t, std::uint32_t mask) {
  Warp& w = a.warp;
  std::array<Texels, warp_size> all;  // of the lanes of `mask`
  unsigned most = 0;
  for (const unsigned l : lanes_of(mask)) {
    std::array<double, 3> x{};
    for (unsigned d = 0; d < how.dimensions; ++d) {
      x[d] = how.whole ? w.source<std::int32_t>(how.coordinates[d])[l]
                       : w.source<float>(how.coordinates[d])[l];
    }
    const std::uint32_t layer = how.layered ? w.source<std::uint32_t>(how.layer)[l] : 0;
    all[l] = texels_at(t, x, layer, how.whole, how.what == TextureOp::What::gather);
    most = std::max(most, all[l].count);
  }
  MemoryOp one = a.op;
  one.size = static_cast<std::uint8_t>(t.channel_bytes);
  one.count = static_cast<std::uint8_t>(t.channels);
  one.cell = t.channel_bytes == 1   ? ptx::ScalarType::u8
             : t.channel_bytes == 2 ? ptx::ScalarType::u16
                                    : ptx::ScalarType::u32;
  for (unsigned k = 0; k < t.channels; ++k) {
    one.values[k] = how.texel[k];
    one.value_bytes[k] = 4;
  }
  const bool gather = how.what == TextureOp::What::gather;
  std::array<Fetched, 4> results;
  for (unsigned n = 0; n < most; ++n) {
    const std::uint32_t here =
        mask & lane_mask([&](int l) { return n < all[static_cast<std::size_t>(l)].count; });
    const std::uint32_t inside =
        here & lane_mask([&](int l) { return all[static_cast<std::size_t>(l)].one[n].inside; });
    Access element{a.block, w, a.inst, one, t.element_bytes(), {}};
    for (const unsigned l : lanes_of(inside)) element.address[l] = all[l].one[n].at;
    if (inside != 0) path_.in_space(element, one.space, inside);
    for (unsigned c = gather ? how.component : 0; c < (gather ? how.component + 1U : 4U); ++c) {
      const unsigned to = gather ? n : c;
      if (!how.wanted[to]) continue;
      Fetched& got = results[to];
      const bool there = c < t.channels;
      const Operand texel = how.texel[there ? c : 0];
      for (const unsigned l : lanes_of(here)) {
        const bool read = there && (inside >> l & 1) != 0;
        const bool border = !read && there && !t.linear_memory;
        got.raw[l][gather ? 0 : n] = read     ? w.source<std::uint32_t>(texel)[l]
                                     : border ? border_of(t, c)
                                              : 0;
        if (read && (w.poison[texel.id] >> l & 1) != 0) {
          got.undefined |= 1U << l;
          got.origin[l] = w.origin_of(texel, static_cast<int>(l));
        }
      }
    }
  }
  for (unsigned k = 0; k < 4; ++k) {
    if (!how.wanted[k]) continue;
    const Fetched& got = results[k];
    auto* const to = w.destination<std::uint32_t>(how.results[k]);
    const bool filtered = gives_floats(t) && !gather && t.filtered && !how.whole;
    for (const unsigned l : lanes_of(mask)) {
      to[l] = filtered ? filtered_value(t, all[l], got.raw[l]) : channel_value(t, got.raw[l][0]);
    }
    set_poison(w, how.results[k], mask, got.undefined, [&](int l) { return got.origin[l]; });
  }
}

void Textures::surface(Access& a, const TextureOp& how, const Texture& t, std::uint32_t mask) {
  Warp& w = a.warp;
  std::uint32_t outside = 0, misaligned = 0;
  for (const unsigned l : lanes_of(mask)) {
    std::array<std::int64_t, 3> x{};
    bool beyond = false;
    // The first coordinate counts bytes.
    const auto inside = [&](std::int64_t at, std::int64_t last) {
      beyond |= at < 0 || at > last;
      return std::clamp<std::int64_t>(at, 0, std::max<std::int64_t>(last, 0));
    };
    for (unsigned d = 0; d < how.dimensions; ++d) {
      x[d] = w.source<std::int32_t>(how.coordinates[d])[l];
      const std::int64_t size = t.size[d];
      x[d] = inside(x[d], d == 0 ? size * t.element_bytes() - a.width : size - 1);
    }
    if (how.layered)
      x[2] = inside(w.source<std::int32_t>(how.layer)[l], std::int64_t{t.layers} - 1);
    a.address[l] = t.at(0, x[1], x[2]) + static_cast<std::uint64_t>(x[0]);
    outside |= std::uint32_t{beyond} << l;
    misaligned |= std::uint32_t{x[0] % a.width != 0} << l;
  }
  const auto lanes_fail = [&](std::uint32_t lanes, FindingKind kind, std::string_view why) {
    const auto l = static_cast<unsigned>(std::countr_zero(lanes));
    const Allocation* const array = memory_.find(t.base);
    std::string at = fmt::format("byte {}", w.source<std::int32_t>(how.coordinates[0])[l]);
    for (unsigned d = 1; d < how.dimensions; ++d) {
      at += fmt::format(", {}", w.source<std::int32_t>(how.coordinates[d])[l]);
    }
    if (how.layered) at += fmt::format(", layer {}", w.source<std::int32_t>(how.layer)[l]);
    reports_.fault(a, kind, l, {array == nullptr ? std::string() : array->name}, "{} {}", at, why);
    path_.load_nothing(a, lanes, 0);
    mask &= ~lanes;
  };
  if (outside != 0 && how.outside == TextureOp::Outside::trap) {
    const bool read = a.op.what == MemoryOp::What::load;
    lanes_fail(
        outside, read ? FindingKind::out_of_bounds_read : FindingKind::out_of_bounds_write,
        fmt::format("lies outside of the surface of {} by {} by {} elements of {} bytes", t.size[0],
                    t.size[1], t.layers != 0 ? t.layers : t.size[2], t.element_bytes()));
  } else if (outside != 0 && how.outside == TextureOp::Outside::zero) {
    mask &= ~outside;
    for (unsigned k = 0; a.op.what == MemoryOp::What::load && k < a.op.count; ++k) {
      const Operand d = a.op.values[k];
      if (a.op.value_bytes[k] == 8) {
        for_lanes(w.destination<std::uint64_t>(d), outside, [](int) { return std::uint64_t{0}; });
      } else {
        for_lanes(w.destination<std::uint32_t>(d), outside, [](int) { return 0U; });
      }
      clear_poison(w, d, outside);
    }
  }
  misaligned &= mask;
  if (misaligned != 0) {
    lanes_fail(misaligned, FindingKind::misaligned,
               fmt::format("is not a multiple of {}", a.width));
  }
  if (mask != 0) path_.in_space(a, a.op.space, mask);
}

}  // namespace gauntlet::simt
