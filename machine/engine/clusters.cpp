// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/clusters.hpp"

#include <utility>

#include "machine/engine/special_registers.hpp"
#include "machine/isa/decode.hpp"

namespace gauntlet::simt {

Clusters::Clusters(const Kernel& kernel, const LaunchConfig& config)
    : shape_(cluster_of(kernel, config.cluster)),
      grid_(config.grid),
      crosses_blocks_(kernel.uses_cluster),
      any_(shape_.count() > 1 || crosses_blocks_) {}

std::uint32_t Clusters::block_at(std::uint32_t k) const {
  if (shape_.count() == 1) return k;
  const Dim3& grid = grid_;
  const auto size = static_cast<std::uint32_t>(shape_.count());
  const std::uint32_t in_row = grid.x / shape_.x, in_column = grid.y / shape_.y;
  const std::uint32_t number = k / size, rank = k % size;
  const std::uint32_t x = number % in_row * shape_.x + rank % shape_.x;
  const std::uint32_t y = number / in_row % in_column * shape_.y + rank / shape_.x % shape_.y;
  const std::uint32_t z = number / in_row / in_column * shape_.z + rank / shape_.x / shape_.y;
  return x + grid.x * (y + grid.y * z);
}

std::uint32_t Clusters::number_of(const Block& b) const {
  const std::uint32_t in_row = grid_.x / shape_.x, in_column = grid_.y / shape_.y;
  return b.x / shape_.x + in_row * (b.y / shape_.y + in_column * (b.z / shape_.z));
}

void Clusters::join(Block& b) {
  Cluster& cluster = around(b);
  if (cluster.blocks.empty()) {
    cluster.number = number_of(b);
    cluster.blocks.resize(shape_.count());
    cluster.came.resize(shape_.count() * b.threads);
    cluster.arrays.resize(shape_.count() * 2);
  }
  const std::uint32_t rank = rank_in(shape_, b);
  cluster.blocks[rank] = &b;
  for (std::size_t half = 0; half < 2; ++half) {
    Allocation& array = cluster.arrays[rank * 2 + half];
    const Region& region = b.shared[half];
    array.base = region.base;
    array.bytes = region.bytes;
    array.data = region.data;
    array.state = region.state;
    array.index_base = b.linear;
  }
}

std::optional<Cluster> Clusters::leave(const Block& b) {
  Cluster& cluster = around(b);
  if (++cluster.retired < cluster.blocks.size()) return std::nullopt;
  return std::move(all_.extract(cluster.number).mapped());
}

bool Clusters::ended(const Block& b) {
  const Cluster& cluster = around(b);
  return cluster.exited == cluster.came.size();
}

const Allocation* Clusters::array(const Block& of, std::size_t half) {
  return &around(of).arrays[rank_in(shape_, of) * 2 + half];
}

Block* Clusters::block_at_address(Block& from, std::uint64_t& address) {
  if (!crosses_blocks_) return &from;
  const auto named = static_cast<std::uint32_t>(address >> rank_bit & 0xFF);
  address &= (std::uint64_t{1} << rank_bit) - 1;
  if (named == 0) return &from;
  const auto& blocks = around(from).blocks;
  Block* const of = named - 1 < blocks.size() ? blocks[named - 1] : nullptr;
  return of == nullptr || of->exited_threads == of->threads ? nullptr : of;
}

Block& Clusters::owner_of(Block& b, const Region& r) {
  if (!crosses_blocks_) return b;
  for (Block* const one : around(b).blocks) {
    if (one == nullptr) continue;
    for (const Region& region : one->shared) {
      if (region.data == r.data) return *one;
    }
  }
  return b;
}

}  // namespace gauntlet::simt
