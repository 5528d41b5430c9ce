// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/layout.hpp"

namespace gauntlet::cuda {
namespace {

/// Places `bytes` as far to the end of a fresh range as alignment allows; the units behind the
/// first `units` are those up to the end of the mapped range.
void place(Segment& segment, std::uint64_t bytes, std::uint32_t offset, bool open,
           const Take& take) {
  const std::uint64_t behind = open ? open_bytes : 0, alignment = alignment_of(segment.unit);
  const Mapped mapped = take(guard_bytes + 2 * alignment + bytes + behind);
  const std::uint64_t base = (mapped.end - behind - bytes - offset) / alignment * alignment;
  segment.begin = base + offset;
  segment.before = static_cast<std::uint32_t>(guard_bytes / segment.unit);
  segment.after = (mapped.end - segment.begin) / segment.unit - segment.units;
}

bool is_unit(std::uint32_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

}  // namespace

std::uint64_t poison_key(const Job& job, std::size_t index) {
  return mix64(0x9d5c0fb1ULL + 131ULL * job.salt + index);
}

std::vector<Segment> lay_out(const Job& job, const Take& take) {
  std::vector<Segment> segments(1 + job.buffers.size());
  Segment& input = segments.front();
  input.recipe = job.recipe;
  input.units = job.recipe.n;
  input.tail_units = job.allocated - job.recipe.n;
  input.unit = static_cast<std::uint32_t>(job.recipe.width / 8);
  input.content = Content::elements;
  input.zero_tail = job.zero_tail;
  input.check_inside = !job.input_may_change;
  input.key = poison_key(job, job.buffers.size() + job.observed.size());
  place(input, job.allocated * input.unit, job.offset, (job.open & open_only(0)) != 0, take);

  for (std::size_t i = 0; i < job.buffers.size(); ++i) {
    const Buffer& buffer = job.buffers[i];
    Segment& segment = segments[i + 1];
    const bool whole = is_unit(buffer.element_bytes) && buffer.bytes % buffer.element_bytes == 0;
    segment.unit = whole ? buffer.element_bytes : 1;
    segment.units = buffer.bytes / segment.unit;
    segment.key = poison_key(job, i);
    segment.check_inside = buffer.read_only;
    if (!buffer.content.empty()) {
      segment.content = Content::given;
    } else if (buffer.fill != Fill::poison) {
      segment.content = Content::constant;
      segment.constant = buffer.fill == Fill::identity ? job.identity : 0;
    }
    place(segment, buffer.bytes, buffer.offset, (job.open & open_only(i + 1)) != 0, take);
  }
  return segments;
}

}  // namespace gauntlet::cuda
