// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_memory.hpp"

#include <fmt/format.h>

#include <fstream>

namespace gauntlet {

std::uint64_t memory_available() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) * 1024;
  }
  return 0;
}

std::string memory_text(double bytes) {
  const double mib = bytes / (1 << 20);
  return mib < 10'000 ? fmt::format("{:.0f} MiB", mib) : fmt::format("{:.0f} GiB", mib / 1024);
}

std::string too_large(const std::string& subject, const std::string& needs, double needed,
                      std::uint64_t available) {
  constexpr double addresses = 0x1p46;
  if (needed <= (available == 0 ? addresses : static_cast<double>(available))) return {};
  return fmt::format("{} {} about {} of host memory and {} are free", subject, needs,
                     memory_text(needed),
                     available == 0 ? "fewer" : memory_text(static_cast<double>(available)));
}

}  // namespace gauntlet
