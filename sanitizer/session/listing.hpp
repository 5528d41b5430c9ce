// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernels of a file: which of them can run, and why another one cannot.
#pragma once

#include <string>
#include <vector>

#include "base/text/json_file.hpp"
#include "base/text/text.hpp"
#include "machine/code/refusal.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::sanitize {

struct ListedKernel {
  KernelEntry entry;
  std::vector<simt::Refusal> refused;  ///< every reason against it; none: it can run
  std::string command;  ///< that runs it with guessed arguments, to be pasted; empty: none is known
};

/// The kernels with a body, in file order.
[[nodiscard]] std::vector<ListedKernel> list_kernels(const ptx::Module& module);

/// Every kernel with its parameters, and the command that runs it, or why it cannot run.
[[nodiscard]] std::string listing(const std::string& file, const std::vector<ListedKernel>& kernels,
                                  const Style& style);

[[nodiscard]] Json to_json(const std::string& file, const std::vector<ListedKernel>& kernels);

}  // namespace gauntlet::sanitize
