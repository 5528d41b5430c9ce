// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/version.hpp"

#include <fmt/format.h>

#include "kernels/images.hpp"

namespace gauntlet::cli {
namespace {

/// What stands behind `before` in the PTX of the kernels, up to a line's end.
std::string_view ptx_word(std::string_view before) {
  const auto& images = kernels::images();
  const std::string_view ptx = images.empty() ? std::string_view() : images.front().ptx;
  const auto at = ptx.find(before);
  if (at == ptx.npos) return "unknown";
  const std::string_view rest = ptx.substr(at + before.size());
  return rest.substr(0, rest.find_first_of(",\r\n"));
}

}  // namespace

std::string version_line() {
  return fmt::format("gauntlet {} (commit {}), CUDA toolkit {}", project_version(), commit(),
                     ptx_word("tools, release "));
}

std::string version_text() {
  return fmt::format("gauntlet {} (commit {})\nCUDA toolkit {}, PTX ISA {} for {} and later",
                     project_version(), commit(), ptx_word("tools, release "),
                     ptx_word(".version "), ptx_word(".target "));
}

}  // namespace gauntlet::cli
