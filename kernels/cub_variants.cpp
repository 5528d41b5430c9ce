// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's rows 27 and 28, and the program that shows what each form lacks.
#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/cub_plan.hpp"

namespace gauntlet::kernels {
namespace {

constexpr TypePair documented_form{Type::i32, Type::i32};

Row cub_device() {
  Row row;
  Variant& v = row.variant;
  v.row = 27;
  v.id = "cub_device";
  row.cub = Cub::device;
  v.documents = "E maxReduceRegist, allocCubTemp, maxReduce";
  v.claim =
      "one tile in a single launch when n is small, else two passes with evenly shared work; "
      "cached temporary storage saves the allocation of every call";
  v.idea =
      "cub::DeviceReduce (E: Max of int; CUB is the toolkit's) with its temporary storage in a "
      "cache: register every size, allocate for the neediest once, then reduce";
  v.completion = "CUB";
  v.contract =
      "n < 2^32; block and grid are CUB's own decision, planned for a device of 4 multiprocessors "
      "with 2 blocks each, whatever the case says";
  v.preconditions = {"the neediest size is registered before the allocation",
                     "float minimum and maximum go through Reduce with CUDA's fmin and fmax "
                     "started at an infinity: "
                     "Min and Max compare with <, so that the place of a NaN decides, and start at "
                     "a finite value"};
  v.defects = {
      {"cache_bytes",
       "the cache allocates bytes * sizeof(int), four times what CUB asked for; wasteful, but no "
       "reduction goes wrong"},
      {"registered_size",
       "nothing looks at CUB's answer: a size that needs more than the largest registered one gets "
       "an error, and with nothing registered the call is a query for a size; either way nothing "
       "is launched and the output is never written"},
      {"stream_buffer",
       "ours, since E's calls take no stream: two streams with one buffer, the partial results of "
       "the second overwrite the first's before its final launch has read them"}};
  v.forms = {
      {"documented",
       {"cache_bytes", "registered_size"},
       {{FindingKind::unwritten_output, "out"}},
       {}},
      {"fixed", {}, {}, {}},
      {"fixed-cache_bytes", {"cache_bytes"}, {}, {}},
      {"fixed-registered_size", {"registered_size"}, {{FindingKind::unwritten_output, "out"}}, {}},
      {"fixed-stream_buffer", {"stream_buffer"}, {{FindingKind::wrong_result, "out"}}, {}}};
  v.documented_types = {documented_form};
  return row;
}

Row cub_block() {
  Row row;
  Variant& v = row.variant;
  v.row = 28;
  v.id = "cub_block";
  row.cub = Cub::block;
  v.origin = Origin::ours;
  v.documents = "E, one sentence";
  v.claim = "named as CUB's building block for a reduction within a block";
  v.idea =
      "cub::BlockReduce over one tile of B elements, two tiles in succession through one temporary "
      "storage";
  v.completion = "partials";
  v.contract =
      "B is a template argument: 8, 16, 32, 33, 48, 64, 96, 128, 180, 192, 256, 512 or 1024 for "
      "sums "
      "of i32, 256 for all else; blocks above 32 that are no multiple of it use CUB's raking "
      "algorithm, since the default one names lanes that do not exist";
  v.preconditions = {"a block takes 2B elements and leaves two partial results"};
  v.defects = {
      {"storage_reuse",
       "no block barrier before the storage is used again: a warp that is ahead overwrites "
       "partial results that thread 0 has yet to add"}};
  const std::vector<Expected> wrong{{FindingKind::race_read_write, "storage"},
                                    {FindingKind::race_write_read, "storage"},
                                    {FindingKind::wrong_result, "out"}};
  const std::vector<std::string> schedules{"warp_reversed", "high_lane_first"};
  v.forms = {{"documented", {"storage_reuse"}, wrong, schedules},
             {"fixed", {}, {}, {}},
             {"fixed-storage_reuse", {"storage_reuse"}, wrong, schedules}};
  v.documented_types = {documented_form};
  return row;
}

Row cub_warp() {
  Row row;
  Variant& v = row.variant;
  v.row = 28;
  v.id = "cub_warp";
  row.cub = Cub::warp;
  v.origin = Origin::ours;
  v.documents = "E, one sentence";
  v.claim = "named as CUB's building block for a reduction within a warp";
  v.idea =
      "cub::WarpReduce over one tile per warp, two tiles in succession through one temporary "
      "storage";
  v.completion = "partials";
  v.contract =
      "B is a template argument: 8, 16, 32, 64, 96, 128, 192, 256, 512 or 1024 for sums of i32, "
      "256 "
      "for all else; a block is whole warps, or one warp of B lanes";
  v.preconditions = {"a warp takes two tiles and leaves two partial results"};
  v.defects = {
      {"storage_reuse",
       "no warp barrier before the storage is used again, which CUB's contract asks for; this "
       "release shuffles and keeps nothing in the storage of a warp of a power of two lanes, "
       "so nothing goes wrong under any schedule"}};
  v.forms = {{"documented", {"storage_reuse"}, {}, {}},
             {"fixed", {}, {}, {}},
             {"fixed-storage_reuse", {"storage_reuse"}, {}, {}}};
  v.documented_types = {documented_form};
  return row;
}

/// The program that shows what a form of cub_device lacks.
CubHost host_of(const Form& form) {
  const auto has = [&](std::string_view fix) { return std::ranges::count(form.missing, fix) == 0; };
  CubHost host;
  host.fixes.cache_bytes = has("cache_bytes");
  host.fixes.registered_size = has("registered_size");
  host.fixes.stream_buffer = has("stream_buffer");
  host.registers_size = host.fixes.registered_size;
  host.streams = host.fixes.stream_buffer ? 1 : 2;
  return host;
}

}  // namespace

std::vector<Row> cub_rows() {
  std::vector<Row> rows;
  rows.push_back(cub_device());
  rows.push_back(cub_block());
  rows.push_back(cub_warp());
  return rows;
}

Plan cub_plan(const Row& row, const Form& form, const Case& c) {
  if (row.cub == Cub::device) return cub_device_plan(c, host_of(form));
  return cub_tiles_plan(c, row.cub);
}

}  // namespace gauntlet::kernels
