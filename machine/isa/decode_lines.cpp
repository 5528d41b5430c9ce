// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The source lines that instructions are told at.
#include <cstdint>
#include <string>
#include <vector>

#include "machine/isa/decode.hpp"
#include "machine/ptx/source_names.hpp"

namespace gauntlet::simt {

Decoder::SourceFile Decoder::source_file(std::uint32_t number) {
  constexpr std::uint32_t unknown = ~0U;
  if (number >= module_.files.size()) return {unknown, false, false};
  const auto [it, fresh] = source_files_.try_emplace(number);
  if (fresh) {
    const std::string& path = module_.files[number];
    it->second = {static_cast<std::uint32_t>(kernel_.files.size()), ptx::in_toolkit(path),
                  ptx::in_cooperative_groups(path)};
    kernel_.files.push_back(path);
  }
  return it->second;
}

std::int32_t Decoder::outside_toolkit(std::int32_t loc) {
  // Each position is passed once: those that were inlined at it look no further than here.
  std::vector<std::int32_t> passed;
  std::int32_t at = loc;
  for (; at >= 0 && source_file(module_.locs[at].file).of_toolkit;
       at = module_.locs[at].inlined_at) {
    if (const auto known = outside_.find(at); known != outside_.end()) {
      at = known->second;
      break;
    }
    passed.push_back(at);
  }
  for (const auto inner : passed) outside_[inner] = at;
  return at;
}

std::int32_t Decoder::line_of(std::int32_t loc) {
  if (loc < 0) return -1;
  const auto [it, fresh] = lines_.try_emplace({loc, call_line_}, -1);
  if (!fresh) return it->second;
  const std::int32_t user = outside_toolkit(loc);
  const bool of_groups = source_file(module_.locs[loc].file).of_groups;
  // A function of a header that was called, not inlined by nvcc, is told at the call; where all of
  // it is in a toolkit (CUB's own kernels) the innermost position says most.
  const bool inside = user < 0;
  const ptx::Loc& shown = module_.locs[inside ? loc : user];
  Line line{source_file(shown.file).index, shown.line, of_groups};
  if (inside && call_line_ >= 0) {
    line = kernel_.lines[static_cast<std::size_t>(call_line_)];
    line.of_groups = of_groups;
  }
  it->second = static_cast<std::int32_t>(kernel_.lines.size());
  kernel_.lines.push_back(line);
  return it->second;
}

}  // namespace gauntlet::simt
