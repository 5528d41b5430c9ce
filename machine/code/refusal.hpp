// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Why a kernel cannot run: all that the machine does not know of it, in the user's words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

struct Refusal {
  std::uint32_t ptx_line = 0;  ///< of its first use
  std::string text;            ///< the instruction as written, without operands: "ex2.approx.f32"
  std::string_view meaning;    ///< "tensor cores"; empty where the text says it all
  std::string source;          ///< "sum.cu:12"; empty where the PTX has no positions
  std::string what;            ///< "instruction not known to the machine"
};

/// One per kernel. what(): one line that names every reason, the first one with its PTX line and
/// text.
struct RefusedKernel : ptx::Error {
  RefusedKernel(const ptx::Module& module, std::vector<Refusal> why);
  std::vector<Refusal> reasons;  ///< in the order of their first use, each once
};

/// What a user calls the group of instructions that this one belongs to; empty: unknown.
[[nodiscard]] std::string_view meaning_of(const ptx::Instruction& i);

}  // namespace gauntlet::simt
