// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/os/toolkit.hpp"
#include "base/usage_error.hpp"
#include "kernels/images.hpp"

namespace gauntlet::profile {
namespace {

/// Of a compiled kernel, or of a PTX file that a path names.
std::string ptx_of(const std::string& module) {
  if (module.starts_with('/')) {
    if (auto text = os::read_file(module)) return *std::move(text);
  }
  const auto& images = kernels::images();
  const auto image = std::ranges::find(images, module, &kernels::Image::module);
  if (image == images.end()) throw UsageError(fmt::format("no kernel module named {}", module));
  return std::string(image->ptx);
}

}  // namespace

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
  const std::string ptx = ptx_of(module);
  const std::string name = module.substr(module.rfind('/') + 1);
  const os::TemporaryFolder folder;
  const auto file = (folder.path() / (name + ".ptx")).string();
  std::ofstream(file, std::ios::binary) << ptx;
  constexpr double patience = 120;  // seconds; an entry takes well under one
  const auto result = os::run({ptxas, "-v", fmt::format("-arch={}", architecture), "--entry", entry,
                               file, "-o", (folder.path() / "cubin").string()},
                              "", patience);
  const auto said = result.out + result.err;
  const int registers = used_registers(said);
  if (result.end.code() != 0 || registers == 0) {
    auto line = said.substr(0, said.find('\n'));
    const auto at = line.find(file);
    if (at != std::string::npos) line.replace(at, file.size(), name + ".ptx");
    throw UsageError(fmt::format(
        "--registers ptxas: {}",
        line.empty() ? fmt::format("ptxas ended with code {}", result.end.code()) : line));
  }
  return registers;
}

}  // namespace gauntlet::profile
