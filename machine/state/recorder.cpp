// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/recorder.hpp"

#include <fmt/format.h>

#include <utility>

namespace gauntlet::simt {

Finding* Recorder::add(FindingKind kind, std::uint32_t inst, Dim3 block, std::uint32_t warp,
                       std::uint32_t lane, Place place, std::uint32_t other_inst,
                       std::uint32_t weight) {
  if (!enabled_ && facts(kind).effect != Effect::fatal) {
    last_ = nullptr;
    return nullptr;
  }
  // A loop that goes wrong says the same again and again.
  const bool again = last_ != nullptr && last_inst_ == inst && last_other_ == other_inst &&
                     std::get<FindingKind>(last_->first) == kind &&
                     std::get<std::string>(last_->first) == place.array;
  if (again && weight <= last_->second.weight) {
    ++findings_[last_->second.index].count;
    return nullptr;
  }
  const auto source = [&](std::uint32_t index) -> std::pair<std::uint32_t, std::uint32_t> {
    if (index == no_inst) return {0, 0};
    const auto& i = kernel_.code[index];
    if (i.loc < 0) return {~0U, i.ptx_line};
    return {kernel_.lines[i.loc].file, kernel_.lines[i.loc].line};
  };
  const auto [file, line] = source(inst);
  const auto [other_file, other_line] = source(other_inst);
  const auto [it, fresh] =
      seen_.try_emplace({kind, file, line, other_file, other_line, std::string(place.array)},
                        Seen{findings_.size(), weight});
  last_ = &*it;
  last_inst_ = inst;
  last_other_ = other_inst;
  std::uint64_t count = 1;
  if (fresh) {
    findings_.emplace_back();
  } else {
    count = ++findings_[it->second.index].count;
    if (weight <= it->second.weight) return nullptr;
    it->second.weight = weight;
  }
  Finding& f = findings_[it->second.index] = {};
  f.kind = kind;
  f.count = count;
  f.kernel = kernel_.name;
  f.at = party(inst, block, warp, lane);
  f.array = place.array;
  f.index = place.index;
  f.size = place.size;
  return &f;
}

Party Recorder::party(std::uint32_t inst, Dim3 block, std::uint32_t warp,
                      std::uint32_t lane) const {
  Party p;
  const auto& i = kernel_.code[inst];
  if (i.loc >= 0) {
    const auto& l = kernel_.lines[i.loc];
    p.file = l.file < kernel_.files.size() ? kernel_.files[l.file] : std::string{};
    p.line = l.line;
  }
  p.block = block;
  p.warp = warp;
  p.lane = lane;
  return p;
}

std::string Recorder::where(std::uint32_t inst) const {
  const auto& i = kernel_.code[inst];
  if (i.loc < 0) return fmt::format("ptx line {}", i.ptx_line);
  const auto& l = kernel_.lines[i.loc];
  return fmt::format("{}:{}", l.file < kernel_.files.size() ? kernel_.files[l.file] : "?", l.line);
}

}  // namespace gauntlet::simt
