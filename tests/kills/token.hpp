// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be deleted from a kernel: barriers, warp barriers, fences, volatile qualifiers and
// bounds checks, one by one, in the PTX that nvcc made of it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace gauntlet::kills {

struct Token {
  enum class Kind : std::uint8_t {
    barrier,
    warp_barrier,
    fence,
    launch_wait,
    is_volatile,
    is_strong,  ///< a relaxed access of the device's scope, which becomes a plain one
    order,      ///< half of an atomic's order
    bounds_check
  } kind{};
  std::string text;  ///< as the table prints it: "bar.sync", "setp.ge.u64 passes"
  std::string
      source;  ///< "kernels/tree.cuh:22"; what is inlined from elsewhere: where it was called
  std::string entry;
  std::size_t line = 0;     ///< of the module's text, from 0
  std::string replacement;  ///< that line without the token
};

/// The tokens of these entries of a PTX module, in the order of its text; those of CUB's own code
/// are left out. A bounds check is a comparison with the number of elements (the entry's last
/// parameter, and what is computed from it) or with the block size; it can be deleted in two ways,
/// as one that always passes and one that never does.
[[nodiscard]] std::vector<Token> tokens(const std::string& text,
                                        const std::set<std::string>& entries);

/// The module's text without one token.
[[nodiscard]] std::string without(const std::string& text, const Token& token);

}  // namespace gauntlet::kills
