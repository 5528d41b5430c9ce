// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "cli/usage.hpp"
#include "kernels/images.hpp"
#include "sanitizer/machine/source.hpp"
#include "sanitizer/tools/process.hpp"

namespace gauntlet::cli {

int used_registers(std::string_view says) {
  constexpr std::string_view before = "Used ", after = " registers";
  const auto at = says.find(before);
  if (at == std::string_view::npos) return 0;
  says.remove_prefix(at + before.size());
  int count = 0;
  const auto [end, error] = std::from_chars(says.data(), says.data() + says.size(), count);
  const bool found = error == std::errc() &&
                     says.substr(static_cast<std::size_t>(end - says.data())).starts_with(after);
  return found ? count : 0;
}

int registers_by_ptxas(const std::string& module, const std::string& entry,
                       std::string_view architecture) {
  const std::filesystem::path nvcc = sanitize::find_nvcc(std::getenv("PATH"), std::getenv("CUDA_HOME"));
  const auto& images = kernels::images();
  const auto image = std::find_if(images.begin(), images.end(),
                                  [&](const kernels::Image& i) { return i.module == module; });
  if (image == images.end()) throw UsageError(fmt::format("no kernel module named {}", module));

  const sanitizer::ScratchFolder folder;
  const auto file = folder.path() + "/" + module + ".ptx";
  std::ofstream(file, std::ios::binary) << image->ptx;
  constexpr double patience = 120;  // seconds; an entry takes well under one
  const auto result = sanitizer::run_process(
      {(nvcc.parent_path() / "ptxas").string(), "-v", fmt::format("-arch={}", architecture),
       "--entry", entry, file, "-o", folder.path() + "/cubin"},
      "", folder.path(), patience);
  const auto said = result.out + result.err;
  const int registers = used_registers(said);
  if (result.code != 0 || registers == 0) {
    auto line = said.substr(0, said.find('\n'));
    const auto at = line.find(file);
    if (at != std::string::npos) line.replace(at, file.size(), module + ".ptx");
    throw UsageError(
        fmt::format("--registers ptxas: {}",
                    line.empty() ? fmt::format("ptxas ended with code {}", result.code) : line));
  }
  return registers;
}

}  // namespace gauntlet::cli
