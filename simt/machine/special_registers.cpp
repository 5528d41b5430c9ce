// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "simt/machine/special_registers.hpp"

#include <algorithm>
#include <array>

namespace gauntlet::simt {
namespace {

/// A lane, and what surrounds it.
struct Reader {
  const Kernel& kernel;
  const LaunchConfig& config;
  Address workspace;
  const Block& block;
  const Warp& warp;
  Dim3 thread;
  std::uint32_t lane;

  [[nodiscard]] std::uint64_t bit() const { return 1ULL << lane; }
};

struct SpecialRow {
  SpecialRegister::What what;
  bool by_lane;  ///< otherwise all lanes of a warp read the same
  std::uint64_t (*value)(const Reader&);
};

constexpr auto special_rows = [] {
  using W = SpecialRegister::What;
  return std::to_array<SpecialRow>(
      {{W::tid_x, true, [](const Reader& r) -> std::uint64_t { return r.thread.x; }},
       {W::tid_y, true, [](const Reader& r) -> std::uint64_t { return r.thread.y; }},
       {W::tid_z, true, [](const Reader& r) -> std::uint64_t { return r.thread.z; }},
       {W::ntid_x, false, [](const Reader& r) -> std::uint64_t { return r.config.block.x; }},
       {W::ntid_y, false, [](const Reader& r) -> std::uint64_t { return r.config.block.y; }},
       {W::ntid_z, false, [](const Reader& r) -> std::uint64_t { return r.config.block.z; }},
       {W::ctaid_x, false, [](const Reader& r) -> std::uint64_t { return r.block.x; }},
       {W::ctaid_y, false, [](const Reader& r) -> std::uint64_t { return r.block.y; }},
       {W::ctaid_z, false, [](const Reader& r) -> std::uint64_t { return r.block.z; }},
       {W::nctaid_x, false, [](const Reader& r) -> std::uint64_t { return r.config.grid.x; }},
       {W::nctaid_y, false, [](const Reader& r) -> std::uint64_t { return r.config.grid.y; }},
       {W::nctaid_z, false, [](const Reader& r) -> std::uint64_t { return r.config.grid.z; }},
       {W::laneid, true, [](const Reader& r) -> std::uint64_t { return r.lane; }},
       {W::warpid, false, [](const Reader& r) -> std::uint64_t { return r.warp.index; }},
       {W::nwarpid, false, [](const Reader& r) -> std::uint64_t { return r.block.warps.size(); }},
       {W::smid, false, [](const Reader& r) -> std::uint64_t { return r.block.linear; }},
       {W::nsmid, false, [](const Reader& r) -> std::uint64_t { return r.config.grid.count(); }},
       {W::gridid, false,
        [](const Reader& r) -> std::uint64_t { return r.config.launch_index + 1; }},
       {W::lanemask_eq, true, [](const Reader& r) { return r.bit(); }},
       {W::lanemask_le, true, [](const Reader& r) { return r.bit() * 2 - 1; }},
       {W::lanemask_lt, true, [](const Reader& r) { return r.bit() - 1; }},
       {W::lanemask_ge, true, [](const Reader& r) { return all_lanes & ~(r.bit() - 1); }},
       {W::lanemask_gt, true, [](const Reader& r) { return all_lanes & ~(r.bit() * 2 - 1); }},
       {W::dynamic_smem_size, false,
        [](const Reader& r) -> std::uint64_t { return r.config.shared_bytes; }},
       {W::total_smem_size, false,
        [](const Reader& r) -> std::uint64_t {
          return r.config.shared_bytes + r.kernel.shared_bytes;
        }},
       {W::grid_workspace_low, false, [](const Reader& r) { return r.workspace & 0xFFFF'FFFF; }},
       {W::grid_workspace_high, false, [](const Reader& r) { return r.workspace >> 32; }}});
}();

static_assert([] {
  for (std::size_t k = 0; k < special_rows.size(); ++k) {
    if (special_rows[k].what != static_cast<SpecialRegister::What>(k)) return false;
  }
  return special_rows.back().what == SpecialRegister::What::grid_workspace_high;
}());

}  // namespace

void set_special(const SpecialRegister& s, const Kernel& kernel, const LaunchConfig& config,
                 Address workspace, const Block& b, Warp& w) {
  const SpecialRow& row = special_rows[static_cast<std::size_t>(s.what)];
  const auto& d = config.block;
  const std::uint32_t first = w.index * warp_size;
  Reader reader{
      kernel, config, workspace, b, w, {first % d.x, first / d.x % d.y, first / d.x / d.y}, 0};
  std::uint64_t values[warp_size];
  std::fill_n(values, warp_size, row.value(reader));
  while (row.by_lane && ++reader.lane < warp_size) {
    if (++reader.thread.x == d.x) {
      reader.thread.x = 0;
      if (++reader.thread.y == d.y) {
        reader.thread.y = 0;
        ++reader.thread.z;
      }
    }
    values[reader.lane] = row.value(reader);
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
