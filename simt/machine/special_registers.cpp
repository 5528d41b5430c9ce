// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/machine/special_registers.hpp"

#include <algorithm>

namespace gauntlet::simt {
namespace {

/// A special register that has one value in a whole warp.
std::uint64_t uniform_value(SpecialRegister::What what, const Kernel& kernel,
                            const LaunchConfig& config, Address workspace, const Block& b,
                            const Warp& w) {
  using W = SpecialRegister::What;
  const auto& d = config.block;
  switch (what) {
    case W::ntid_x:
      return d.x;
    case W::ntid_y:
      return d.y;
    case W::ntid_z:
      return d.z;
    case W::ctaid_x:
      return b.x;
    case W::ctaid_y:
      return b.y;
    case W::ctaid_z:
      return b.z;
    case W::nctaid_x:
      return config.grid.x;
    case W::nctaid_y:
      return config.grid.y;
    case W::nctaid_z:
      return config.grid.z;
    case W::warpid:
      return w.index;
    case W::nwarpid:
      return b.warps.size();
    case W::smid:
      return b.linear;
    case W::nsmid:
      return config.grid.count();
    case W::gridid:
      return config.launch_index + 1;
    case W::dynamic_smem_size:
      return config.shared_bytes;
    case W::total_smem_size:
      return config.shared_bytes + kernel.shared_bytes;
    case W::grid_workspace_low:
      return workspace & 0xFFFF'FFFF;
    case W::grid_workspace_high:
      return workspace >> 32;
    default:
      return 0;
  }
}

/// One that differs between lanes; `thread` is where the warp's lane 0 is.
std::uint32_t lane_value(SpecialRegister::What what, const Dim3& thread, std::uint32_t lane) {
  using W = SpecialRegister::What;
  const auto bit = 1ULL << lane;
  switch (what) {
    case W::tid_x:
      return thread.x;
    case W::tid_y:
      return thread.y;
    case W::tid_z:
      return thread.z;
    case W::lanemask_eq:
      return static_cast<std::uint32_t>(bit);
    case W::lanemask_lt:
      return static_cast<std::uint32_t>(bit - 1);
    case W::lanemask_le:
      return static_cast<std::uint32_t>(bit * 2 - 1);
    case W::lanemask_gt:
      return static_cast<std::uint32_t>(~(bit * 2 - 1));
    case W::lanemask_ge:
      return static_cast<std::uint32_t>(~(bit - 1));
    default:
      return lane;
  }
}

bool differs_between_lanes(SpecialRegister::What what) {
  using W = SpecialRegister::What;
  return what == W::tid_x || what == W::tid_y || what == W::tid_z || what == W::laneid ||
         (what >= W::lanemask_eq && what <= W::lanemask_gt);
}

}  // namespace

void set_special(const SpecialRegister& s, const Kernel& kernel, const LaunchConfig& config,
                 Address workspace, const Block& b, Warp& w) {
  std::uint64_t values[warp_size];
  if (differs_between_lanes(s.what)) {
    const auto& d = config.block;
    const std::uint32_t first = w.index * warp_size;
    Dim3 thread{first % d.x, first / d.x % d.y, first / d.x / d.y};
    for (std::uint32_t l = 0; l < warp_size; ++l) {
      values[l] = lane_value(s.what, thread, l);
      if (++thread.x == d.x) {
        thread.x = 0;
        if (++thread.y == d.y) {
          thread.y = 0;
          ++thread.z;
        }
      }
    }
  } else {
    std::fill_n(values, warp_size, uniform_value(s.what, kernel, config, workspace, b, w));
  }
  auto* wide = reinterpret_cast<std::uint64_t*>(w.registers + s.offset);
  auto* narrow = reinterpret_cast<std::uint32_t*>(w.registers + s.offset);
  for (int l = 0; l < warp_size; ++l) {
    if (s.wide)
      wide[l] = values[l];
    else
      narrow[l] = static_cast<std::uint32_t>(values[l]);
  }
}

}  // namespace gauntlet::simt
