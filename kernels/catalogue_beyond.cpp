// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Rows 29 to 33: no document has these. Their "documented" form is what a first draft looks like.
#include <array>

#include "kernels/catalogue_entry.hpp"

namespace gauntlet::kernels::detail {
namespace {

// Handing values from block to block costs more than a longer wait for memory while the input is
// small; then every multiprocessor is to have a block; then enough loads are in flight.
constexpr std::array tuned_ticket{TunedStep{1 << 13, 0, 1},         TunedStep{1 << 15, 64, 8},
                                  TunedStep{1 << 17, 128, 8},       TunedStep{540672, 256, 2},
                                  TunedStep{1 << 20, 512, 1},       TunedStep{1 << 23, 512, 2},
                                  TunedStep{TunedStep::any, 512, 4}};
constexpr std::array tuned_slots{TunedStep{1 << 11, 0, 1},         TunedStep{1 << 14, 64, 8},
                                 TunedStep{1 << 16, 128, 8},       TunedStep{270336, 256, 2},
                                 TunedStep{1 << 20, 512, 2},       TunedStep{1 << 24, 512, 4},
                                 TunedStep{TunedStep::any, 512, 8}};
constexpr std::array tuned_dependent{TunedStep{1 << 12, 0, 1},   TunedStep{1 << 18, 64, 8},
                                     TunedStep{1 << 19, 128, 8}, TunedStep{1 << 20, 512, 2},
                                     TunedStep{1 << 24, 512, 4}, TunedStep{TunedStep::any, 512, 8}};
constexpr std::array batch_size{TunedStep{1 << 16, 64, 8}, TunedStep{1 << 21, 128, 4},
                                TunedStep{1 << 23, 128, 8}, TunedStep{TunedStep::any, 256, 8}};

const std::string nowhere = "none: beyond the documents";

Row single_pass_ticket() {
  const Expected write_then_read{FindingKind::race_write_read, "partials"};
  DefectEntry tail = vector_tail();
  tail.shows.push_back({FindingKind::wrong_result, "partials"});
  return make_row({
      .row = 29,
      .id = "single_pass_ticket",
      .origin = Origin::ours,
      .documents = nowhere,
      .claim = "one launch is enough: the block that takes the last ticket finishes, in a fixed "
               "order, so that the bits are the same in every run",
      .idea = "batched 16-byte loads, partials and an atomic ticket; the last block adds the "
              "partials",
      .mapping = {.load = Load::batch_of_8,
                  .shared = Shared::none,
                  .finish = Finish::ticket,
                  .tuned = tuned_ticket},
      .contract = "blocks of 1 to 1024 threads, any grid, any alignment of an element, any n",
      .preconditions =
          {"the ticket is 0 before the first launch; launches that share it follow one "
           "another"},
      .defects =
          {{"release_order",
            "taking the ticket does not release the store of the block's value before it: the last "
            "block may see the ticket and not the value",
            {write_then_read},
            {}},
           {"acquire_order",
            "taking the last ticket does not acquire what the others released: the loads after it "
            "may bring what was there before",
            {write_then_read},
            {}},
           {"block_barrier",
            "whether the block is the last one is read from shared memory before the barrier after "
            "which it is there",
            {{FindingKind::poison_branch, ""},
             {FindingKind::partial_barrier, ""},
             {FindingKind::race_read_write, "is_last"},
             write_then_read},
            {}},
           {"ticket_reset",
            "the ticket counts up and is never set back, so that no block of a second launch has "
            "the last one: it writes nothing",
            {{FindingKind::unwritten_output, "out"}},
            {}},
           std::move(tail),
           alignment()},
      .types = {f32_pair},
  });
}

Row redux() {
  return make_row({
      .row = 30,
      .id = "redux",
      .origin = Origin::ours,
      .documents = nowhere,
      .claim = "one instruction takes the place of five shuffles, for 32-bit integers and sum, "
               "minimum and maximum",
      .idea =
          "grid-stride sums, then __reduce_add_sync (or min, max) over the warps and over their "
          "values",
      .mapping = {.load = Load::stride,
                  .shared = Shared::none,
                  .finish = Finish::atomic,
                  .capability = 80},
      .contract = "blocks of 1 to 1024 threads, any grid; compute capability 8.0 or later",
      .preconditions = {"out holds the identity before the launch"},
      .defects = {{"early_exit",
                   "threads beyond n return at once: their warp's value is never stored, and the "
                   "barrier is left to the others",
                   {{FindingKind::partial_barrier, ""}, poison_out},
                   {}},
                  {"partial_warp",
                   "only B/32 warps' values are taken: that of a last, partial warp is dropped",
                   {wrong_output},
                   {}},
                  {"identity",
                   "a thread without elements holds 0, which is wrong for a minimum above and a "
                   "maximum below it",
                   {wrong_output},
                   {}}},
      .types = {{Type::i32, Type::i32}},
  });
}

Row vector_batch() {
  const Expected reads_past_partials{FindingKind::out_of_bounds_read, "partials"};
  const Expected wrong_partials{FindingKind::wrong_result, "partials"};
  DefectEntry tail = vector_tail();
  tail.what += "; so does the second launch, past the partials";
  tail.shows.push_back(reads_past_partials);
  tail.shows.push_back(wrong_partials);
  return make_row({
      .row = 31,
      .id = "vector_batch",
      .origin = Origin::ours,
      .documents = nowhere,
      .claim =
          "eight 16-byte loads in flight per thread reach the bandwidth of the memory at any n "
          "and alignment",
      .idea = "grid-stride batches of eight 16-byte loads, shuffles, a second launch",
      .mapping = {.load = Load::batch_of_8,
                  .shared = Shared::none,
                  .finish = Finish::two_buffers,
                  .tuned = batch_size},
      .contract = "blocks of 1 to 1024 threads, any grid, any alignment of an element, any n",
      .defects = {{"bounds_check",
                   "the last batch of a block is loaded whole, whatever is left of the input, and "
                   "of the partials in the second launch",
                   {reads_past_input, reads_past_partials, wrong_partials},
                   {}},
                  std::move(tail),
                  alignment(),
                  {"partial_warp",
                   "the full mask names lanes that a last, partial warp does not have, and that "
                   "warp's value is dropped since only t < B/32 load",
                   {poison_out, wrong_output, wrong_partials},
                   {}}},
      .types = {f32_pair},
      .documented_hides = {poison_out, wrong_output},
  });
}

Row single_pass_slots() {
  return make_row({
      .row = 32,
      .id = "single_pass_slots",
      .origin = Origin::ours,
      .documents = nowhere,
      .claim = "a value and the mark that it is there can be one word: one launch without a fence "
               "and without a shared counter",
      .idea = "batches of four 16-byte loads, a slot per block; the last block of the grid takes "
              "the values out as they come, in a fixed order",
      .mapping = {.load = Load::batch_of_4,
                  .shared = Shared::none,
                  .finish = Finish::slots,
                  .tuned = tuned_slots,
                  .waits_for_blocks = true},
      .contract = "blocks of 1 to 1024 threads, any grid, any alignment of an element, any n",
      .preconditions = {"the slots are 0 before the first launch; launches that share them follow "
                        "one another",
                        "blocks start in the order of their indices, as on every GPU so far"},
      .defects = {{"one_word",
                   "the value is stored beside the word that marks it, and nothing orders the two: "
                   "the compiler itself stores it after the mark",
                   {{FindingKind::race_read_write, "slots"}},
                   {}},
                  {"slot_reset",
                   "a word stays in its slot: the next launch takes it for its own when it looks "
                   "before the block has come",
                   {wrong_output},
                   {"block_reversed"}},
                  {"wait",
                   "a slot is looked at once: a block that has not come yet is missing, and its "
                   "word is taken by the next launch",
                   {wrong_output},
                   {"block_reversed"}}},
      .types = {f32_pair},
  });
}

Row dependent_launch() {
  const Expected reads_too_early{FindingKind::race_write_read, "partials"};
  const Expected overwrites{FindingKind::race_read_write, "partials"};
  return make_row({
      .row = 33,
      .id = "dependent_launch",
      .origin = Origin::ours,
      .documents = nowhere,
      .claim = "a second launch need not cost a second launch's time: its blocks take their places "
               "while the first one runs",
      .idea = "batches of four 16-byte loads, two programmatic dependent launches, each of which "
              "prefetches its input and waits before it touches memory; where one block is enough, "
              "one launch",
      .mapping = {.load = Load::batch_of_4,
                  .shared = Shared::none,
                  .finish = Finish::dependent,
                  .capability = 90,
                  .tuned = tuned_dependent},
      .contract = "blocks of 1 to 1024 threads, any grid, any alignment of an element, any n; "
                  "compute capability 9.0 or later",
      .preconditions = {"launches that share the partials follow one another in one stream"},
      .defects = {{"read_wait",
                   "the wait stands behind the loads: the second launch reads partials as soon as "
                   "all blocks of the first one have let it begin, which publishes nothing",
                   {reads_too_early, wrong_output},
                   {}},
                  {"write_wait",
                   "the first launch, which reads nothing but the input, does not wait: it "
                   "overwrites partials that the second launch of the reduction before still "
                   "reads; and to wait for a launch that did not wait says nothing of those before",
                   {overwrites, reads_too_early, {FindingKind::race_write_write, "partials"}},
                   {}},
                  {"wait_by_all",
                   "thread 0 waits, and no barrier stands behind it: the other threads' loads do "
                   "not come after anything",
                   {reads_too_early, wrong_output},
                   {}}},
      .types = {f32_pair},
  });
}

}  // namespace

std::vector<Row> beyond_rows() {
  return {single_pass_ticket(), redux(), vector_batch(), single_pass_slots(), dependent_launch()};
}

}  // namespace gauntlet::kernels::detail
