// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "machine/engine/access_path.hpp"
#include "machine/races/race.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::simt {

/// Accesses by parts of an engine that has no other part: arrays, and one block's shared memory.
/// What is asked of the path is noted.
class NotedPath : public AccessPath {
 public:
  explicit NotedPath(GlobalMemory& memory) : memory_(memory) {}
  struct Told {
    CopyStep how;
    std::uint32_t inst, mask;
    std::uint64_t address;  ///< of the lowest lane
    std::uint32_t width;
    bool shared;
  };
  std::vector<Told> watched, noted;
  std::vector<std::uint64_t> ended;  ///< mbarriers whose phase has
  std::uint32_t loaded_nothing = 0;  ///< lanes

  void in_space(Access& a, MemorySpace /*space*/, std::uint32_t mask) override {
    for (const unsigned l : lanes_of(mask)) {
      const Allocation* const array = memory_.find(a.address[l]);
      if (array != nullptr) transfer(a, *array, 1U << l, array);
    }
  }
  bool at_once(Block& b, Warp& w, std::uint32_t inst, const MemoryOp& op,
               std::uint32_t mask) override {
    Access a = access_of(b, w, inst, op);
    in_space(a, op.space, mask);
    return true;
  }
  void transfer(Access& a, const Region& r, std::uint32_t mask,
                const Allocation* /*array*/) override {
    for (const unsigned l : lanes_of(mask)) {
      for (unsigned k = 0; k < a.op.count; ++k) {
        auto* const value = a.warp.destination<std::uint32_t>(a.op.values[k]) + l;
        std::byte* const at = r.data + (a.address[l] - r.base) + k * a.op.size;
        if (a.op.what == MemoryOp::What::load) {
          *value = 0;
          std::memcpy(value, at, a.op.size);
        } else {
          std::memcpy(at, value, a.op.size);
        }
      }
    }
  }
  void load_nothing(Access& /*a*/, std::uint32_t mask, std::uint32_t /*lane*/) override {
    loaded_nothing |= mask;
  }
  std::optional<Stretch> stretch(Access& a, std::uint32_t lane, Block* of,
                                 bool /*tells*/) override {
    const std::uint64_t address = a.address[lane];
    if (of == nullptr) {
      const Allocation* const array = memory_.find(address);
      if (array == nullptr || array->freed) return std::nullopt;
      return Stretch{*array, nullptr, array};
    }
    for (const Region& r : of->shared) {
      if (address - r.base < r.bytes) return Stretch{r, &r, nullptr};
    }
    return std::nullopt;
  }
  void watch(const Access& a, const Region& /*r*/, std::uint32_t mask, const Allocation* array,
             bool /*by_runs*/, CopyStep how, std::uint32_t /*number*/) override {
    watched.push_back(told(a, mask, how, array == nullptr));
  }
  void tell_bulk(const Access& a, std::uint32_t lane, const Stretch& at, CopyStep how,
                 std::uint32_t /*number*/) override {
    watched.push_back(told(a, 1U << lane, how, at.shared != nullptr));
  }
  void log_sync(Event::What /*what*/, const Block& /*b*/, const Warp& /*w*/,
                std::uint32_t /*lanes*/, std::uint32_t /*inst*/, std::uint64_t /*group*/) override {
  }
  void note(const Access& a, const Allocation& /*array*/, std::uint32_t mask) override {
    noted.push_back(told(a, mask, CopyStep::none, false));
  }
  void phase_ended(Block& /*b*/, std::uint64_t address) override { ended.push_back(address); }

 private:
  static Told told(const Access& a, std::uint32_t mask, CopyStep how, bool shared) {
    return {how, a.inst, mask, a.address[std::countr_zero(mask)], a.width, shared};
  }

 protected:
  GlobalMemory& memory_;
};

}  // namespace gauntlet::simt
