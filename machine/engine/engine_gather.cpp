// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Loads in which nothing is wrong, from wherever the lanes like or all at one address, done for all
// lanes at once: what engine_memory.cpp and engine_spaces.cpp do of all others, with their faults
// and counters.
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "machine/engine/engine.hpp"
#include "machine/isa/decode.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/byte_states.hpp"
#include "machine/state/read_cell.hpp"
#include "machine/symbolic/shadow.hpp"

namespace gauntlet::simt {
namespace {

bool in_window(std::uint64_t address, std::uint64_t window) {
  return address - window < window_bytes;
}

}  // namespace

// Not inline: an Access takes much of the stack.
[[gnu::noinline]] bool Engine::gather(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
                                      std::uint32_t mask) {
  if (op.what != MemoryOp::What::load || shadow_ != nullptr) return false;
  Access a = access_of(b, w, inst, op);
  // Nobody asks where the others would read: with the first one, which lies as well as any.
  const std::uint64_t its = a.address[std::countr_zero(mask)];
  for (int l = 0; mask != all_lanes && l < warp_size; ++l) {
    a.address[l] = (mask & lane_bits.v[l]) != 0 ? a.address[l] : its;
  }
  if (op.space == MemorySpace::shared) return gather_shared(a, mask);
  if (op.space == MemorySpace::global) return gather_global(a, mask);
  if (in_window(its, local_window) || in_window(its, param_window)) return false;
  if (!in_window(its, shared_window)) return gather_global(a, mask);
  for (auto& address : a.address) address -= shared_window;
  return gather_shared(a, mask);
}

namespace {

/// What the addresses of the lanes have in common.
struct Common {
  bool usual = false;  ///< all are inside the region, and multiples of the width
  bool one_address = false;
  std::uint64_t at = 0, bytes = 0;      ///< of the region, from the lowest to the highest
  std::uint32_t behind = 0, again = 0;  ///< lanes, as Reach has them
};
Common common_of(Access& a, std::uint32_t mask, const Region& r, const WarpCode& code) {
  if (r.bytes < a.width) return {};
  const Reach all = code.reach64(a.address, r.base, r.bytes - a.width, a.width);
  if (mask == all_lanes) {
    a.behind = all.behind;
    a.follows = all.behind | all.again;
  }
  const bool usual = all.inside && (all.bits & (a.width - 1)) == 0;
  return {usual,      all.lowest == all.highest,
          all.lowest, all.highest - all.lowest + a.width,
          all.behind, all.again};
}

/// A loop over all lanes, without looking for them, is half as long.
template <class Use>
[[gnu::always_inline]] inline void for_lanes(std::uint32_t mask, Use use) {
  if (mask == all_lanes)
    for (int l = 0; l < warp_size; ++l) use(l);
  else
    for (const int l : lanes_of(mask)) use(l);
}

/// Elements that are whole registers.
template <class Word>
void gather_words(const Access& a, const Region& r, std::uint32_t mask, const Common& common) {
  // Read once: what is stored might be any of them.
  const std::byte* const data = r.data;
  const std::uint64_t base = r.base;
  const unsigned count = a.op.count;
  Word* to[std::extent_v<decltype(MemoryOp::values)>];
  for (unsigned k = 0; k < count; ++k) to[k] = a.warp.destination<Word>(a.op.values[k]);
  // Lanes that load the same, or go on where the one before ends, as in the tiles of a matrix.
  const auto in_few_runs = [mask](std::uint32_t following) {
    constexpr std::uint32_t few = 4;
    return lane_count(mask & ~following) <= few;
  };
  if (in_few_runs(common.again)) {
    return for_runs(mask, common.again, [&](std::uint32_t first, std::uint32_t lanes) {
      const std::byte* const from = data + (a.address[first] - base);
      for (unsigned k = 0; k < count; ++k) {
        Word word;
        std::memcpy(&word, from + k * sizeof(Word), sizeof(Word));
        std::fill_n(to[k] + first, lanes, word);
      }
    });
  }
  if (count == 1 && in_few_runs(common.behind)) {
    return for_runs(mask, common.behind, [&](std::uint32_t first, std::uint32_t lanes) {
      // A loop: to copy any number of bytes takes longer to begin than these take.
      const std::byte* const from = data + (a.address[first] - base);
      for (std::uint32_t l = 0; l < lanes; ++l) {
        std::memcpy(to[0] + first + l, from + l * sizeof(Word), sizeof(Word));
      }
    });
  }
  const auto copy = [&](int l) __attribute__((always_inline)) {
    std::memcpy(to[0] + l, data + (a.address[l] - base), sizeof(Word));
  };
  if (count == 1) return for_lanes(mask, copy);
  for_lanes(
      mask, [&](int l) __attribute__((always_inline)) {
        const std::byte* const from = data + (a.address[l] - base);
        for (unsigned k = 0; k < count; ++k) {
          std::memcpy(to[k] + l, from + k * sizeof(Word), sizeof(Word));
        }
      });
}

/// All is defined that lies between the lanes' elements: a few lines, or what is known of pages,
/// are looked at sooner than lanes one by one. False: what they read may be, too.
bool all_between_defined(const Region& r, const Common& common) {
  constexpr std::uint64_t most = 256;
  if (r.defined != nullptr) {
    return common.bytes <= DefinedPages::page_bytes && r.defined->has(common.at, common.bytes);
  }
  return common.bytes <= most && all_defined(r.state + common.at, common.bytes);
}

/// All lanes are inside, and what they read is defined: then they have it.
bool gather_from(const Access& a, const Region& r, std::uint32_t mask, const Common& common,
                 const WarpCode& code) {
  const bool one_address = common.one_address;
  const MemoryOp& op = a.op;
  Warp& w = a.warp;
  const std::uint32_t apart = one_address ? mask & (~mask + 1) : mask;
  bool defined = true;
  const DefinedPages* const pages = r.defined;
  const std::uint64_t base = r.base, width = a.width;
  const unsigned count = op.count;
  const auto look_at_each = [&](auto size) {
    const auto look = [&](int l) __attribute__((always_inline)) {
      const std::uint64_t at = a.address[l] - base;
      if (pages != nullptr && pages->has(at, width)) return;
      defined &= element_defined(r.state + at, size);
      for (unsigned k = 1; k < count; ++k)
        defined &= element_defined(r.state + at + k * size, size);
    };
    for_lanes(apart, look);
  };
  if (!all_between_defined(r, common)) with_size(op.size, look_at_each);
  if (!defined) return false;
  if (!one_address && op.whole_elements()) {
    op.size == 8 ? gather_words<std::uint64_t>(a, r, mask, common)
                 : gather_words<std::uint32_t>(a, r, mask, common);
  } else {
    for (unsigned k = 0; k < op.count; ++k) {
      const unsigned bytes = op.value_bytes[k];
      const auto value = [&](int l) __attribute__((always_inline)) {
        return read_cell(r.data + (a.address[l] - r.base) + k * op.size, op.cell, op.size, bytes);
      };
      const auto give = [&]<class Slot>(Slot* to, auto* fill) {
        if (one_address) return fill(to, mask, static_cast<Slot>(value(std::countr_zero(mask))));
        for (const int l : lanes_of(mask)) to[l] = static_cast<Slot>(value(l));
      };
      if (bytes == 8)
        give(w.destination<std::uint64_t>(op.values[k]), code.fill64);
      else
        give(w.destination<std::uint32_t>(op.values[k]), code.fill32);
    }
  }
  for (unsigned k = 0; w.poison_live && k < op.count; ++k) clear_poison(w, op.values[k], mask);
  return true;
}

}  // namespace

[[gnu::noinline]] bool Engine::load_for_all(Block& b, Warp& w, std::uint32_t inst,
                                            const MemoryOp& op, std::uint32_t mask,
                                            std::uint64_t address) {
  if (op.what != MemoryOp::What::load || op.count != 1 || trials_.under_way() ||
      shadow_ != nullptr || launch_before_.notes(b, w, mask) || address % op.size != 0) {
    return false;
  }
  bool shared = op.space == MemorySpace::shared;
  if (op.space == MemorySpace::generic) {
    if (in_window(address, local_window) || in_window(address, param_window)) return false;
    shared = in_window(address, shared_window);
    if (shared) address -= shared_window;
  }
  const auto holds = [&](const Region& r) {
    return r.bytes >= op.size && address - r.base <= r.bytes - op.size;
  };
  Allocation* const array = shared ? nullptr : array_at(address);
  const Region* r = array;
  if (shared) {
    r = holds(b.shared[0]) ? &b.shared[0] : &b.shared[1];
  } else if (array == nullptr || array->freed || array->make_page) {
    return false;
  }
  if (!holds(*r)) return false;
  const std::uint64_t at = address - r->base;
  const bool known = r->defined != nullptr && r->defined->has(at, op.size);
  std::uint32_t origin = 0;
  if (!known && !element_defined(r->state + at, op.size)) {
    const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
    origin = origin_of_row(b, w, op, {inst, address, 1U << lane, lane, 1, op.size}, *r, array);
    if (origin == 0) return false;
  }
  if (beside_.possible() && !shared) beside_.before(op, *array, at, op.size);
  const Operand d = op.values[0];
  const std::uint64_t value = read_cell(r->data + at, op.cell, op.size, op.value_bytes[0]);
  if (op.value_bytes[0] == 8)
    warp_code_.fill64(w.destination<std::uint64_t>(d), mask, value);
  else
    warp_code_.fill32(w.destination<std::uint32_t>(d), mask, static_cast<std::uint32_t>(value));
  if (origin != 0 || w.poison_live) spread_loaded(w, op, mask, origin);
  if (races_ == nullptr && accesses_ == nullptr) return true;
  Access a{b, w, inst, op, op.size, {}};
  warp_code_.fill64(a.address, all_lanes, address);
  if (array == nullptr || !array->read_only) watch_gathered(a, *r, mask, array, true);
  if (array != nullptr) note(a, *array, mask & (~mask + 1));
  return true;
}

bool Engine::gather_shared(Access& a, std::uint32_t mask) {
  for (const Region& r : a.block.shared) {
    const Common common = common_of(a, mask, r, warp_code_);
    if (!common.usual) continue;
    if (!trials_.admits(a, r, &r, mask, nullptr, false, common.one_address)) return false;
    if (!gather_from(a, r, mask, common, warp_code_) && !gather_undefined(a, r, mask, nullptr)) {
      return false;
    }
    watch_gathered(a, r, mask, nullptr, common.one_address);
    return true;
  }
  return false;
}

bool Engine::gather_global(Access& a, std::uint32_t mask) {
  Allocation* const array = array_at(a.address[std::countr_zero(mask)]);
  if (array == nullptr || array->freed) return false;
  const Region& r = *array;
  const Common common = common_of(a, mask, r, warp_code_);
  if (!common.usual) return false;
  before(a, *array, mask);
  if (!trials_.admits(a, r, nullptr, mask, array, false, common.one_address)) return false;
  if (!gather_from(a, r, mask, common, warp_code_) && !gather_undefined(a, r, mask, array)) {
    return false;
  }
  if (!array->read_only) watch_gathered(a, r, mask, array, common.one_address);
  const bool by_one = common.one_address && !launch_before_.notes(a.block, a.warp, mask);
  note(a, *array, by_one ? mask & (~mask + 1) : mask);
  return true;
}

void Engine::watch_gathered(const Access& a, const Region& r, std::uint32_t mask,
                            const Allocation* allocation, bool one_address) {
  if (races_ == nullptr || trials_.under_way()) return;
  if (one_address && !a.op.copied &&
      races_->access_broadcast({&a.block, &a.warp, a.inst, &a.op, a.width, a.address, a.address,
                                mask, &r, allocation})) {
    return;
  }
  watch(a, r, mask, allocation);
}

}  // namespace gauntlet::simt
