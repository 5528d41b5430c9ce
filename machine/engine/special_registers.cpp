// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/special_registers.hpp"

#include <array>
#include <cstdint>

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

  [[nodiscard]] Dim3 cluster() const { return cluster_of(kernel, config.cluster); }
  [[nodiscard]] std::uint64_t bit() const { return 1ULL << lane; }
};

/// All lanes of a warp read the same.
template <auto value, class Slot>
void same(const Reader& reader, Slot* to) {
  const auto x = static_cast<Slot>(value(reader));
  for (int l = 0; l < warp_size; ++l) to[l] = x;
}
template <auto value, class Slot>
void by_lane(const Reader& warp, Slot* to) {
  Reader reader = warp;
  const auto& d = reader.config.block;
  const std::uint32_t first = reader.thread.x;
  if (d.x - first >= warp_size) {  // side by side
    for (std::uint32_t l = 0; l < warp_size; ++l) {
      reader.lane = l;
      reader.thread.x = first + l;
      to[l] = static_cast<Slot>(value(reader));
    }
    return;
  }
  for (; reader.lane < warp_size; ++reader.lane) {
    to[reader.lane] = static_cast<Slot>(value(reader));
    if (++reader.thread.x < d.x) continue;
    reader.thread.x = 0;
    if (++reader.thread.y < d.y) continue;
    reader.thread.y = 0;
    ++reader.thread.z;
  }
}

/// What has a value of its own.
enum class Each : std::uint8_t { launch, block, warp };

struct SpecialRow {
  SpecialRegister::What what;
  Each each;
  void (*narrow)(const Reader&, std::uint32_t*);
  void (*wide)(const Reader&, std::uint64_t*);
};
using Value = std::uint64_t;
template <SpecialRegister::What what, Each each, auto value>
constexpr SpecialRow same_row{what, each, &same<value, std::uint32_t>, &same<value, Value>};
template <SpecialRegister::What what, Each each, auto value>
constexpr SpecialRow lane_row{what, each, &by_lane<value, std::uint32_t>, &by_lane<value, Value>};

constexpr auto special_rows = [] {
  using W = SpecialRegister::What;
  using R = const Reader&;
  using enum Each;
  return std::to_array<SpecialRow>(
      {lane_row<W::tid_x, warp, [](R r) { return r.thread.x; }>,
       lane_row<W::tid_y, warp, [](R r) { return r.thread.y; }>,
       lane_row<W::tid_z, warp, [](R r) { return r.thread.z; }>,
       same_row<W::ntid_x, launch, [](R r) { return r.config.block.x; }>,
       same_row<W::ntid_y, launch, [](R r) { return r.config.block.y; }>,
       same_row<W::ntid_z, launch, [](R r) { return r.config.block.z; }>,
       same_row<W::ctaid_x, block, [](R r) { return r.block.x; }>,
       same_row<W::ctaid_y, block, [](R r) { return r.block.y; }>,
       same_row<W::ctaid_z, block, [](R r) { return r.block.z; }>,
       same_row<W::nctaid_x, launch, [](R r) { return r.config.grid.x; }>,
       same_row<W::nctaid_y, launch, [](R r) { return r.config.grid.y; }>,
       same_row<W::nctaid_z, launch, [](R r) { return r.config.grid.z; }>,
       lane_row<W::laneid, launch, [](R r) { return r.lane; }>,
       same_row<W::warpid, warp, [](R r) { return r.warp.index; }>,
       same_row<W::nwarpid, launch, [](R r) { return r.block.warps.size(); }>,
       same_row<W::smid, block, [](R r) { return r.block.linear; }>,
       same_row<W::nsmid, launch, [](R r) { return r.config.grid.count(); }>,
       same_row<W::gridid, launch, [](R r) { return r.config.launch_index + 1; }>,
       lane_row<W::lanemask_eq, launch, [](R r) { return r.bit(); }>,
       lane_row<W::lanemask_le, launch, [](R r) { return r.bit() * 2 - 1; }>,
       lane_row<W::lanemask_lt, launch, [](R r) { return r.bit() - 1; }>,
       lane_row<W::lanemask_ge, launch, [](R r) { return all_lanes & ~(r.bit() - 1); }>,
       lane_row<W::lanemask_gt, launch, [](R r) { return all_lanes & ~(r.bit() * 2 - 1); }>,
       same_row<W::dynamic_smem_size, launch, [](R r) { return r.config.shared_bytes; }>,
       same_row<W::total_smem_size, launch,
                [](R r) { return r.config.shared_bytes + r.kernel.shared_bytes; }>,
       same_row<W::clusterid_x, block, [](R r) { return r.block.x / r.cluster().x; }>,
       same_row<W::clusterid_y, block, [](R r) { return r.block.y / r.cluster().y; }>,
       same_row<W::clusterid_z, block, [](R r) { return r.block.z / r.cluster().z; }>,
       same_row<W::nclusterid_x, launch, [](R r) { return r.config.grid.x / r.cluster().x; }>,
       same_row<W::nclusterid_y, launch, [](R r) { return r.config.grid.y / r.cluster().y; }>,
       same_row<W::nclusterid_z, launch, [](R r) { return r.config.grid.z / r.cluster().z; }>,
       same_row<W::cluster_ctaid_x, block, [](R r) { return r.block.x % r.cluster().x; }>,
       same_row<W::cluster_ctaid_y, block, [](R r) { return r.block.y % r.cluster().y; }>,
       same_row<W::cluster_ctaid_z, block, [](R r) { return r.block.z % r.cluster().z; }>,
       same_row<W::cluster_nctaid_x, launch, [](R r) { return r.cluster().x; }>,
       same_row<W::cluster_nctaid_y, launch, [](R r) { return r.cluster().y; }>,
       same_row<W::cluster_nctaid_z, launch, [](R r) { return r.cluster().z; }>,
       same_row<W::cluster_ctarank, block, [](R r) { return rank_in(r.cluster(), r.block); }>,
       same_row<W::cluster_nctarank, launch, [](R r) { return r.cluster().count(); }>,
       same_row<W::is_explicit_cluster, launch,
                [](R r) { return r.cluster().count() == 1 ? 0 : 1; }>,
       same_row<W::grid_workspace_low, launch, [](R r) { return r.workspace & 0xFFFF'FFFF; }>,
       same_row<W::grid_workspace_high, launch, [](R r) { return (r.workspace >> 32); }>});
}();

static_assert([] {
  for (std::size_t k = 0; k < special_rows.size(); ++k) {
    if (special_rows[k].what != static_cast<SpecialRegister::What>(k)) return false;
  }
  return special_rows.back().what == SpecialRegister::What::grid_workspace_high;
}());

}  // namespace

void set_specials(const Kernel& kernel, const LaunchConfig& config, Address workspace,
                  const Block& b, Warp& w) {
  if (kernel.specials.empty()) return;
  const auto& d = config.block;
  Dim3 thread{w.index * warp_size, 0, 0};
  if (thread.x >= d.x) {
    const std::uint32_t row = thread.x / d.x;
    thread = {thread.x % d.x, row % d.y, row / d.y};
  }
  const Reader reader{kernel, config, workspace, b, w, thread, 0};
  RegisterFile& file = *w.file;
  const bool is_new[] = {!file.used, !file.used || file.block != b.linear,
                         !file.used || file.warp != w.index};
  file.used = true;
  file.block = b.linear;
  file.warp = w.index;
  for (const SpecialRegister& s : kernel.specials) {
    const SpecialRow& row = special_rows[static_cast<std::size_t>(s.what)];
    if (!is_new[static_cast<std::size_t>(row.each)]) continue;
    auto* to = w.registers + s.offset;
    if (s.wide)
      row.wide(reader, reinterpret_cast<std::uint64_t*>(to));
    else
      row.narrow(reader, reinterpret_cast<std::uint32_t*>(to));
  }
}

}  // namespace gauntlet::simt
