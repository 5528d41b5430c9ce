// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Recursion: calls are inlined, so a function that calls itself is rewritten as one that does not.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "machine/ptx/ast.hpp"

namespace gauntlet::simt {

[[nodiscard]] bool calls_itself(const ptx::Function& f);

/// The function with a stack of its own in local memory: a frame for each call that is under way,
/// with its arguments, its result, its variables and, while it calls, its registers; a call is a
/// branch to the first instruction. A call for which there is no frame left calls `too_deep`.
/// `names`: the characters of names, which must live as long as the function. Throws ptx::Error
/// for what cannot lie in a frame.
[[nodiscard]] ptx::Function with_stack(const ptx::Module& module, const ptx::Function& f,
                                       std::deque<std::string>& names);
inline constexpr std::string_view too_deep = "gauntlet_too_deep";
inline constexpr std::uint32_t stack_bytes = 16 << 10;

}  // namespace gauntlet::simt
