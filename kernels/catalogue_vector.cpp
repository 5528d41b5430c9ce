// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 14 to 16: C's vector loads.
#include "kernels/catalogue_entry.hpp"

namespace gauntlet::kernels::detail {
namespace {

DefectEntry wide_test() {
  return index_width(
      "the test 4g < n is done in 32 bits, so that from n = 2^32 on threads stop too early");
}

Row vector_variant(int row, std::string id, std::string documents, std::string claim,
                   std::string idea, Mapping mapping, std::vector<DefectEntry> defects) {
  return make_row({
      .row = row,
      .id = std::move(id),
      .documents = std::move(documents),
      .claim = std::move(claim),
      .idea = std::move(idea),
      .mapping = std::move(mapping),
      .contract = "blocks of 1 to 1024 threads, 16 bytes each; the grid covers n; any alignment of "
                  "an element, any n",
      .preconditions =
          {"out holds the identity before the launch",
           "the documented form: in lies on a multiple of 16 bytes, is allocated up to "
           "the next multiple of 4 elements, and that tail is zeroed"},
      .defects = std::move(defects),
      .types = {{Type::i32, Type::i32}},
  });
}

constexpr std::uint32_t block_of_32[] = {32}, block_of_128[] = {128};

}  // namespace

std::vector<Row> vector_rows() {
  return {
      vector_variant(14, "int4_through_shared", "C vectorised",
                     "fewer, wider loads; four times the shared memory per block lowers the number "
                     "of resident blocks",
                     "one 16-byte load per thread, its elements added through shared memory",
                     {.load = Load::vector,
                      .shared = Shared::vector_per_thread,
                      .finish = Finish::atomic,
                      .documented_blocks = block_of_32},
                     {vector_tail(), alignment(), wide_test(), loses_cells()}),
      vector_variant(15, "int4_coarsened", "C \"thread coarsening\"",
                     "adding the vector in registers reaches the bandwidth of the memory",
                     "one 16-byte load per thread, its elements added in registers",
                     {.load = Load::vector,
                      .shared = Shared::cell_per_thread,
                      .finish = Finish::atomic,
                      .documented_blocks = block_of_32},
                     {vector_tail(), alignment(), wide_test(), loses_cells()}),
      vector_variant(16, "int4_shuffle", "C shuffle",
                     "shuffles for the last warp change the time hardly at all",
                     "as int4_coarsened, the last 64 cells by one warp with shuffles",
                     {.load = Load::vector,
                      .shared = Shared::cell_per_thread,
                      .finish = Finish::atomic,
                      .documented_blocks = block_of_128},
                     {vector_tail(),
                      alignment(),
                      wide_test(),
                      {"partial_warp",
                       "in a block below 32 threads the full mask names lanes that do not exist, "
                       "and what is shuffled from them is undefined",
                       {poison_out},
                       {}},
                      loses_cells()}),
  };
}

}  // namespace gauntlet::kernels::detail
