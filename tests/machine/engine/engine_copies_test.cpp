// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies that are under way, textures, and what atomic operations leave, without an engine around
// them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "machine/engine/async_copies.hpp"
#include "machine/engine/atomic_update.hpp"
#include "machine/engine/bulk_copies.hpp"
#include "machine/engine/clusters.hpp"
#include "machine/engine/mbarriers.hpp"
#include "machine/engine/reports.hpp"
#include "machine/engine/tensor_pieces.hpp"
#include "machine/engine/textures.hpp"
#include "machine/isa/handlers.hpp"
#include "machine/state/byte_states.hpp"
#include "tests/machine/engine/decoded.hpp"
#include "tests/machine/engine/noted_path.hpp"

namespace gauntlet::simt {
namespace {

/// A block of one warp with 256 bytes of shared memory at 0.
struct Copying : Decoded {
  GlobalMemory memory;
  EventLog log;
  LaunchConfig config;
  Block block;
  std::vector<std::byte> data = std::vector<std::byte>(256);
  std::vector<std::uint8_t> state = std::vector<std::uint8_t>(256, ByteState::initialised);
  std::vector<std::uint32_t> origins;
  NotedPath path{memory};
  Reports reports{kernel, config, memory};
  EnginePart part{kernel, config, memory, reports, path};
  Clusters clusters{kernel, config};
  Mbarriers mbarriers{kernel, reports};

  explicit Copying(const std::string& body) : Decoded(body, "sm_90") {
    config.log = &log;
    block.threads = warp_size;
    block.shared[0] = {data.data(), state.data(), &origins, 0, 256, nullptr};
    block.warps.resize(1);
    Warp& w = block.warps[0];
    w.registers = registers.data();
    w.pool = kernel.pool.data();
    w.poison = poison.data();
    w.origin = origin.data();
    w.existing = all_lanes;
  }
  [[nodiscard]] Warp& lanes() { return block.warps[0]; }
  /// The address registers of the kernel's accesses, in lane 0.
  void address(std::size_t access, std::uint64_t at) {
    const MemoryOp& op = kernel.memory_ops[access];
    if (op.address_wide)
      lanes().destination<std::uint64_t>(op.address)[0] = at;
    else
      lanes().destination<std::uint32_t>(op.address)[0] = static_cast<std::uint32_t>(at);
  }
  Address array(std::uint32_t first) {
    GlobalMemory::Options options;
    options.name = "in";
    options.bytes = 64;
    const Address at = memory.allocate(options);
    memory.write(at, std::as_bytes(std::span(&first, 1)));
    return at;
  }
  [[nodiscard]] std::uint32_t word(std::size_t at) const {
    std::uint32_t x = 0;
    std::memcpy(&x, data.data() + at, sizeof x);
    return x;
  }
};

const char* const copy_of_a_word = "cp.async.ca.shared.global [%r1], [%rd1], 4;\n";

/// Copies that hold what the load has given, of lane 0.
struct ThreadCopies : Copying {
  AsyncCopies copies{part, clusters, mbarriers};
  std::uint32_t store = 1;

  ThreadCopies() : Copying(copy_of_a_word) {
    while (!op().async) ++store;
    address(0, array(77));
  }
  [[nodiscard]] const MemoryOp& op() const { return kernel.memory_ops[kernel.code[store].extra]; }
  void begin(std::uint32_t value = 77, std::uint64_t at = 16) {
    lanes().destination<std::uint32_t>(op().values[0])[0] = value;
    Access a{block, lanes(), store, op(), 4, {}};
    a.address[0] = at;
    copies.begin(a, 1);
  }
};

TEST(AsyncCopies, store_their_content_when_their_group_is_waited_for) {
  ThreadCopies k;
  k.begin();
  k.copies.hide(k.block, k.lanes());
  for (std::size_t at = 15; at < 21; ++at) {  // whoever reads it is too early
    const bool hidden = at >= 16 && at < 20;
    EXPECT_EQ(k.state[at], hidden ? ByteState::uninitialised : ByteState::initialised) << at;
  }
  const Executed by{k.block, k.lanes(), k.store, 1};
  k.copies.group(by, CopyGroup::commit, 0);
  k.copies.group(by, CopyGroup::wait, 1);
  EXPECT_EQ(k.word(16), 0U);
  k.copies.group(by, CopyGroup::wait, 0);
  EXPECT_EQ(k.word(16), 77U);
  EXPECT_TRUE(k.lanes().copies.empty());
  ASSERT_EQ(k.path.watched.size(), 2U);  // the destination, and the source
  EXPECT_EQ(k.path.watched[0].how, CopyStep::waited);
  EXPECT_TRUE(k.path.watched[0].shared);
  EXPECT_FALSE(k.path.watched[1].shared);
}

TEST(AsyncCopies, of_all_groups_end_but_for_the_latest_which_need_not_be_waited_for) {
  ThreadCopies k;
  const Executed by{k.block, k.lanes(), k.store, 1};
  for (std::uint32_t n = 0; n < 3; ++n) {
    k.begin(70 + n, 16 + 4 * n);
    k.copies.group(by, CopyGroup::commit, 0);
  }
  k.copies.group(by, CopyGroup::wait, 1);
  EXPECT_EQ(k.word(16), 70U);
  EXPECT_EQ(k.word(20), 71U);
  EXPECT_EQ(k.word(24), 0U);
  k.copies.group(by, CopyGroup::wait, 0);
  EXPECT_EQ(k.word(24), 72U);
}

TEST(AsyncCopies, that_nobody_has_committed_are_waited_for_by_who_waits_for_all) {
  ThreadCopies k;
  k.begin();
  const Executed by{k.block, k.lanes(), k.store, 1};
  k.copies.group(by, CopyGroup::wait, 0);
  EXPECT_EQ(k.word(16), 0U);
  k.copies.group(by, CopyGroup::wait_all, 0);
  EXPECT_EQ(k.word(16), 77U);
}

/// A bulk copy of 16 bytes from shared memory, by group.
struct Bulk : Copying {
  BulkCopies copies{part, clusters, mbarriers};
  std::uint32_t store = 1;
  Address to = array(0);

  Bulk()
      : Copying(
            "ld.param.u64 %rd1, [p];\nmov.u32 %r1, 0;\nmov.u32 %r2, 16;\n"
            "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;\n") {
    while (kernel.code[store].kind != Kind::memory || op().what == MemoryOp::What::load) {
      ++store;
    }
    const BulkOp& of = kernel.bulk_ops.at(0);
    const MemoryOp& load = kernel.memory_ops[kernel.code[store - 1].extra];
    block.shared[0].base = address_of(lanes(), load, 0);
    lanes().destination<std::uint32_t>(of.bytes)[0] = 16;
    lanes().destination<std::uint64_t>(op().address)[0] = to;
    std::memset(data.data(), 1, 16);
  }
  [[nodiscard]] const MemoryOp& op() const { return kernel.memory_ops[kernel.code[store].extra]; }
  [[nodiscard]] Executed by() { return {block, lanes(), store, 1}; }
  [[nodiscard]] bool there() const { return memory.find(to)->state[0] == ByteState::initialised; }
};

TEST(BulkCopies, are_there_when_their_group_is_waited_for) {
  Bulk k;
  k.copies.access(k.by(), k.op());
  ASSERT_TRUE(k.copies.any());
  EXPECT_FALSE(k.there());
  k.copies.group(k.by(), CopyGroup::bulk_commit, 0);
  k.copies.group(k.by(), CopyGroup::bulk_wait, 1);
  EXPECT_TRUE(k.copies.any());
  k.copies.group(k.by(), CopyGroup::bulk_wait, 0);
  EXPECT_FALSE(k.copies.any());
  EXPECT_TRUE(k.there());
  EXPECT_TRUE(k.reports.recorder().empty());
}

TEST(BulkCopies, whose_block_ends_before_they_have_read_are_told) {
  Bulk k;
  k.copies.access(k.by(), k.op());
  k.copies.end_of(k.block);
  EXPECT_FALSE(k.copies.any());
  const auto found = k.reports.recorder().take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, FindingKind::use_after_free);

  Bulk other;
  other.copies.access(other.by(), other.op());
  other.copies.group(other.by(), CopyGroup::bulk_commit, 0);
  other.copies.group(other.by(), CopyGroup::bulk_wait_read, 0);
  other.copies.end_of(other.block);
  EXPECT_TRUE(other.reports.recorder().empty());
}

TEST(BulkCopies, of_sizes_that_are_no_multiples_of_16_are_told) {
  Bulk k;
  k.lanes().destination<std::uint32_t>(k.kernel.bulk_ops[0].bytes)[0] = 20;
  k.copies.access(k.by(), k.op());
  EXPECT_FALSE(k.copies.any());
  EXPECT_EQ(k.reports.recorder().take().at(0).kind, FindingKind::misaligned);
}

TEST(AtomicUpdate, of_an_array_flushes_subnormal_sums) {
  MemoryOp op;
  op.cell = ptx::ScalarType::f32;
  op.atomic = AtomicOp::add;
  op.size = 4;
  constexpr std::uint64_t smallest = 1, one = 0x3F80'0000;
  EXPECT_EQ(updated(op, 0, smallest), smallest);
  EXPECT_EQ(updated_in_array(op, 0, smallest), 0U);
  EXPECT_EQ(updated_in_array(op, 0, one), one);
  op.atomic = AtomicOp::exch;
  EXPECT_EQ(updated_in_array(op, 0, smallest), smallest);
}

TEST(AtomicUpdate, exchanges_where_the_comparison_holds) {
  MemoryOp op;
  op.cell = ptx::ScalarType::u32;
  op.atomic = AtomicOp::cas;
  op.size = 4;
  EXPECT_EQ(updated(op, 5, 9, 5), 9U);
  EXPECT_EQ(updated(op, 5, 9, 6), 5U);
}

/// Pieces of a box of two rows of four words from a tensor of four columns, at column x of row 0.
std::string box_at(std::uint32_t x, unsigned dimensions, std::vector<BulkPiece>& pieces) {
  Decoded k("ld.global.v2.u32 {%r1, %r2}, [%rd1];\n");
  TensorMap map;
  map.base = 0x1000;
  map.number = ptx::ScalarType::u32;
  map.beyond_first = 1;
  map.sizes[0] = 4;
  map.sizes[1] = 8;
  map.strides[0] = 16;
  map.box[0] = 4;
  map.box[1] = 2;
  map.steps[0] = map.steps[1] = 1;
  BulkOp of;
  of.to_shared = true;
  of.dimensions = static_cast<std::uint8_t>(dimensions);
  for (unsigned d = 0; d < 2; ++d) of.coordinates[d] = k.kernel.memory_ops[0].values[d];
  k.warp.destination<std::uint32_t>(of.coordinates[0])[3] = x;
  return pieces_of_tensor(k.warp, 3, of, map, 128, pieces);
}

TEST(TensorPieces, are_rows_of_the_box_and_zeros_outside) {
  std::vector<BulkPiece> pieces;
  ASSERT_EQ(box_at(0, 2, pieces), "");
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[1].source, 0x1010U);
  EXPECT_EQ(pieces[1].destination, 144U);
  EXPECT_EQ(pieces[1].bytes, 16U);
  EXPECT_FALSE(pieces[1].outside);
  pieces.clear();
  ASSERT_EQ(box_at(4, 2, pieces), "");  // beyond the last column
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_TRUE(pieces[0].outside);
}

TEST(TensorPieces, are_none_of_what_a_gpu_refuses) {
  std::vector<BulkPiece> pieces;
  EXPECT_NE(box_at(1, 2, pieces).find("no multiple of 16"), std::string::npos);
  EXPECT_NE(box_at(0, 3, pieces).find("2 dimensions"), std::string::npos);
  EXPECT_TRUE(pieces.empty());
}

/// A fetch by index, in lane 0.
struct Fetching : Copying {
  Textures textures{part};
  std::size_t which = 0;

  Fetching() : Copying("tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];\n") {
    while (op().texture == 0) ++which;
    address(which, 7);
    Texture& t = memory.textures[7];
    t.base = array(77);
    t.size[0] = 16;
    t.linear_memory = true;
  }
  [[nodiscard]] const MemoryOp& op() const { return kernel.memory_ops.at(which); }
  std::uint32_t fetch(std::int32_t x) {
    const TextureOp& of = kernel.texture_ops.at(op().texture - 1U);
    lanes().destination<std::int32_t>(of.coordinates[0])[0] = x;
    textures.access({block, lanes(), 0, 1}, op());
    return lanes().source<std::uint32_t>(of.results[0])[0];
  }
};

TEST(Textures, give_the_element_and_zero_outside) {
  Fetching k;
  EXPECT_EQ(k.fetch(0), 77U);
  EXPECT_EQ(k.fetch(-1), 0U);
  EXPECT_TRUE(k.reports.recorder().empty());
}

TEST(Textures, are_told_of_objects_that_are_none) {
  Fetching k;
  k.address(k.which, 8);
  k.fetch(0);
  const auto found = k.reports.recorder().take();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].detail, "0x8 is no texture or surface object");
}

}  // namespace
}  // namespace gauntlet::simt
