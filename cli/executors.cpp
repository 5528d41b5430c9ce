// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/executors.hpp"

#include <array>
#include <string_view>

#include "cli/usage.hpp"
#include "harness/spelling.hpp"
#include "simt/executor.hpp"

namespace gauntlet::cli {

std::unique_ptr<Executor> make_executor(const std::string& name) {
  if (name == "simt") return simt::make_executor();
  if (name == "cuda") throw NoExecutor("no CUDA executor in this build; use --on simt");
  constexpr std::array<std::string_view, 2> known{"simt", "cuda"};
  throw UsageError(unknown_word("executor", name, known));
}

}  // namespace gauntlet::cli
