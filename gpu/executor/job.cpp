// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/job.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/images.hpp"

namespace gauntlet::cuda {

std::uint64_t Job::bytes() const {
  std::uint64_t sum = allocated * static_cast<std::uint64_t>(recipe.width / 8);
  for (const JobBuffer& buffer : buffers) sum += buffer.bytes;
  return sum;
}

bool Job::exclusive() const {
  const auto names_symbol = [](const Arg& arg) { return arg.kind == Arg::Kind::symbol; };
  return std::any_of(launches.begin(), launches.end(), [&](const JobLaunch& launch) {
    return launch.index == JobLaunch::of_file ||
           std::any_of(launch.args.begin(), launch.args.end(), names_symbol);
  });
}

std::uint64_t build_id() {
  constexpr std::uint64_t protocol = 3;
  static const std::uint64_t id = [] {
    std::uint64_t hash = mix64(protocol + sizeof(Job) + 131 * sizeof(Recipe));
    const auto take = [&](std::string_view text) {
      for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    };
    for (const kernels::Entry& entry : kernels::entries()) take(entry.name);
    for (const kernels::Image& image : kernels::images()) hash = mix64(hash + image.ptx.size());
    return hash;
  }();
  return id;
}

}  // namespace gauntlet::cuda
