// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue's row 27, and the program that shows what each form lacks.
#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/cub_plan.hpp"

namespace gauntlet::kernels {
Row cub_device() {
  Row row;
  Variant& v = row.variant;
  v.row = 27;
  v.id = "cub_device";
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
  v.documented_types = {{Type::i32, Type::i32}};
  v.documented_blocks = {128, 256};  // E leaves the size open
  return row;
}

namespace {

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

Plan cub_plan(const Form& form, const Case& c) { return cub_device_plan(c, host_of(form)); }

}  // namespace gauntlet::kernels
