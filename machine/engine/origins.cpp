// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/origins.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "machine/state/lanes.hpp"

namespace gauntlet::simt {
namespace {

/// One origin for each instruction and kind.
std::uint64_t origin_key(std::uint32_t inst, Origin::What what, bool in_part) {
  return std::uint64_t{inst} << 16 | std::uint32_t{in_part} << 8 | static_cast<std::uint32_t>(what);
}

}  // namespace

std::uint32_t Origins::add(Origin::What what, std::uint32_t inst, const Warp& w, std::uint32_t lane,
                           std::string array, std::int64_t index, bool in_part) {
  // One origin per instruction and kind: the first occurrence tells the story.
  const auto [it, fresh] = numbers_.try_emplace(origin_key(inst, what, in_part), all_.size());
  if (fresh) {
    all_.push_back({what, inst, w.block, w.index, lane, std::move(array), index, in_part});
  }
  return static_cast<std::uint32_t>(it->second) |
         (what == Origin::What::fault ? origin_is_fault : 0);
}

std::string Origins::describe(const Origin& o) const {
  // A register that was never written has no instruction; its slot stands in for one.
  auto at = o.what == Origin::What::register_unwritten ? std::string{} : recorder_.where(o.inst);
  // The finding has the line itself, and a program's paths are long.
  if (at.starts_with('/')) at.erase(0, at.rfind('/') + 1);
  switch (o.what) {
    case Origin::What::shared_uninitialised:
      return fmt::format("the value comes from {}[{}], read at {}, {} no thread wrote", o.array,
                         o.index, at, o.in_part ? "parts of which" : "which");
    case Origin::What::global_uninitialised:
      return fmt::format("the value comes from {}[{}], read at {}, {} never initialised", o.array,
                         o.index, at, o.in_part ? "parts of which were" : "which was");
    case Origin::What::local_uninitialised:
      return fmt::format("the value comes from local memory read at {} before it was written", at);
    case Origin::What::copy_pending:
      return fmt::format("the value is that of the asynchronous copy at {} before the wait for it",
                         at);
    case Origin::What::product_pending:
      return fmt::format("the value is that of the wgmma at {} before the wait for it", at);
    case Origin::What::shuffle_absent:
      return fmt::format("the value comes from a shuffle at {} out of lane {}, which takes no part",
                         at, o.index);
    case Origin::What::register_unwritten:
      return "the value comes from a variable that was never assigned";
    case Origin::What::earlier_launch:
      return fmt::format(
          "the value comes from {}[{}], read at {}, where an earlier launch stored a "
          "value that nobody defined",
          o.array, o.index, at);
    case Origin::What::fault:
      break;
  }
  return fmt::format("the value follows from the fault at {}", at);
}

int Origins::to_blame(const Warp& w, Operand value, std::uint32_t lanes) {
  for (const int l : lanes_of(w.poison[value.id] & lanes)) {
    if ((w.origin_of(value, l) & origin_is_fault) == 0) return l;
  }
  return -1;
}

}  // namespace gauntlet::simt
