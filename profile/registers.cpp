// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "cli/usage.hpp"
#include "core/numbers.hpp"
#include "kernels/images.hpp"
#include "os/process.hpp"
#include "os/temporary_folder.hpp"
#include "os/toolkit.hpp"

namespace gauntlet::cli {

int used_registers(std::string_view says) {
  constexpr std::string_view before = "Used ", after = " registers";
  const auto at = says.find(before);
  if (at == std::string_view::npos) return 0;
  says.remove_prefix(at + before.size());
  const auto count = take_number<int>(says);
  return count && says.starts_with(after) ? *count : 0;
}

int registers_by_ptxas(const std::string& module, const std::string& entry,
                       std::string_view architecture) {
  const os::Toolkit toolkit;
  const auto ptxas = toolkit.find("ptxas");
  if (ptxas.empty()) {
    throw UsageError(fmt::format(
        "--registers ptxas: not found: looked in {}; install the CUDA toolkit or set CUDA_HOME",
        toolkit.looked_in()));
  }
  const auto& images = kernels::images();
  const auto image = std::find_if(images.begin(), images.end(),
                                  [&](const kernels::Image& i) { return i.module == module; });
  if (image == images.end()) throw UsageError(fmt::format("no kernel module named {}", module));

  const os::TemporaryFolder folder;
  const auto file = (folder.path() / (module + ".ptx")).string();
  std::ofstream(file, std::ios::binary) << image->ptx;
  constexpr double patience = 120;  // seconds; an entry takes well under one
  const auto result = os::run({ptxas, "-v", fmt::format("-arch={}", architecture), "--entry", entry,
                               file, "-o", (folder.path() / "cubin").string()},
                              "", patience);
  const auto said = result.out + result.err;
  const int registers = used_registers(said);
  if (result.end.code() != 0 || registers == 0) {
    auto line = said.substr(0, said.find('\n'));
    const auto at = line.find(file);
    if (at != std::string::npos) line.replace(at, file.size(), module + ".ptx");
    throw UsageError(fmt::format(
        "--registers ptxas: {}",
        line.empty() ? fmt::format("ptxas ended with code {}", result.end.code()) : line));
  }
  return registers;
}

}  // namespace gauntlet::cli
