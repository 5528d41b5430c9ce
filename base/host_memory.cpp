// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace gauntlet {
namespace {

constexpr std::uint64_t unlimited = ~0ULL;

/// Bytes that the control group in this folder may still take, by the files of its version. What it
/// caches of files is given up for it, like everybody's.
std::uint64_t left_to_group(const std::string& folder, const char* most, const char* current,
                            const char* cached) {
  std::uint64_t limit = 0, used = 0, cache = 0;
  if (!(std::ifstream(folder + most) >> limit) || !(std::ifstream(folder + current) >> used)) {
    return unlimited;  // also "max"
  }
  std::ifstream stat(folder + "/memory.stat");
  for (std::string name; stat >> name >> cache && name != cached;) cache = 0;
  return limit - std::min(limit, used - std::min(used, cache));
}

/// The same of that of the process and those around it. Within a container the paths of
/// /proc/self/cgroup may be those outside, and the root that of the container.
std::uint64_t left_to_groups() {
  std::uint64_t left = unlimited;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto names = line.find(':'), at = line.find(':', names + 1);
    if (at == line.npos) continue;
    const std::string controllers = line.substr(names + 1, at - names - 1);
    const bool second = controllers.empty();
    if (!second && controllers != "memory") continue;
    for (std::string path = line.substr(at + 1);; path.erase(path.rfind('/'))) {
      if (path == "/") path.clear();
      left = std::min(
          left, second ? left_to_group("/sys/fs/cgroup" + path, "/memory.max", "/memory.current",
                                       "inactive_file")
                       : left_to_group("/sys/fs/cgroup/memory" + path, "/memory.limit_in_bytes",
                                       "/memory.usage_in_bytes", "total_inactive_file"));
      if (path.empty()) break;
    }
  }
  return left;
}

/// Bytes of addresses that the process may still take (ulimit -v).
std::uint64_t left_of_addresses() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return limit.rlim_cur -
         std::min(limit.rlim_cur, pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace

std::uint64_t memory_available() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("MemAvailable:")) continue;
    const std::uint64_t of_host = std::stoull(line.substr(13)) * 1024;
    // A byte at least: 0 says that it is not known.
    return std::max<std::uint64_t>(1, std::min({of_host, left_to_groups(), left_of_addresses()}));
  }
  return 0;
}

void MemoryLimit::look() {
  if (full_) return;
  const std::uint64_t taken = taken_, available = asks_ ? memory_available() : 1;
  if (available == 0) {
    until_ = unlimited;
  } else if (taken >= available || !asks_) {
    full_ = true;
  } else {
    until_ = taken + std::max((available - taken) / 8, little);
  }
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
