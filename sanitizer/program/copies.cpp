// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/copies.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace gauntlet::runtime {
namespace {

using Side = Heap::Side;

std::optional<std::pair<Side, Side>> sides(cudaMemcpyKind kind) {  // to, from
  switch (kind) {
    case cudaMemcpyHostToHost:
      return {{Side::host, Side::host}};
    case cudaMemcpyHostToDevice:
      return {{Side::device, Side::host}};
    case cudaMemcpyDeviceToHost:
      return {{Side::host, Side::device}};
    case cudaMemcpyDeviceToDevice:
      return {{Side::device, Side::device}};
    case cudaMemcpyDefault:
      return {{Side::any, Side::any}};
  }
  return std::nullopt;
}

bool of_host(const Array* array) {
  return array == nullptr || array->space == Space::pinned || array->space == Space::registered;
}
bool managed(const Array* array) { return array != nullptr && array->space == Space::managed; }

/// work(plane, row)
template <class F>
void each_row(const Rows& rows, F&& work) {
  for (std::size_t z = 0; z < rows.depth; ++z) {
    for (std::size_t y = 0; y < rows.height; ++y) work(z, y);
  }
}

/// The rows of one side, as accesses of its array.
std::vector<simt::AccessRange> ranges_of(const void* at, std::size_t pitch, std::size_t plane,
                                         const Rows& rows, std::uint8_t way) {
  std::vector<simt::AccessRange> ranges;
  each_row(rows, [&](std::size_t z, std::size_t y) {
    const Address begin = reinterpret_cast<Address>(at) + z * plane + y * pitch;
    ranges.push_back({begin, begin + rows.width, way});
  });
  return ranges;
}

void note(State& s, const OperationPtr& operation, const Array* array,
          std::vector<simt::AccessRange> ranges) {
  if (array != nullptr) s.order.access(operation, array->base, std::move(ranges));
}

/// Bytes that a copy reads and writes. Rows that are copied to where they are keep their value in
/// whatever order, and do not count.
SharedBytes overlap(std::vector<simt::AccessRange> to, std::vector<simt::AccessRange> from) {
  for (std::size_t k = to.size(); k-- > 0;) {
    if (to[k].begin != from[k].begin) continue;
    to.erase(to.begin() + static_cast<std::ptrdiff_t>(k));
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(k));
  }
  unite(to);
  unite(from);
  return common(to, from);
}

/// What the host knows to be done once a copy's call has returned.
void wait_for_copy(State& s, const OperationPtr& operation, const Array* to, const Array* from,
                   bool waits) {
  const bool to_pageable = to == nullptr, from_pageable = from == nullptr;
  const bool done =
      (of_host(to) && of_host(from)) || to_pageable ||
      (waits && (of_host(to) || managed(to) || managed(from) || (of_host(from) && !from_pageable)));
  if (done) {
    s.order.host_waits(s.order.clock(operation->party));
  } else if (waits && from_pageable) {
    // Its stream is waited for, and the source is read, but the destination may be written later.
    s.order.host_waits(StreamOrder::before(*operation));
  }
}

}  // namespace

Work copy_work(const CopyCall& call, void* to, const void* from, const Rows& rows,
               cudaMemcpyKind kind) {
  const auto of = sides(kind);
  refuse_if(!of, cudaErrorInvalidMemcpyDirection);
  refuse_if(rows.height > 1 && (rows.width > rows.to_pitch || rows.width > rows.from_pitch),
            cudaErrorInvalidPitchValue);
  Work work;
  work.call = call.name;
  work.type = cudaGraphNodeTypeMemcpy;
  work.run = [=, name = work.call, waits = call.waits](State& s, const OperationPtr& operation) {
    if (rows.width == 0) return;
    auto* const target = static_cast<std::byte*>(to);
    const auto* const source = static_cast<const std::byte*>(from);
    each_row(rows, [&](std::size_t z, std::size_t y) {
      refuse_if(!s.heap.copy(name, target + z * rows.to_plane + y * rows.to_pitch, of->first,
                             source + z * rows.from_plane + y * rows.from_pitch, of->second,
                             rows.width));
    });
    const Array* const t = s.heap.find(reinterpret_cast<Address>(to));
    const Array* const f = s.heap.find(reinterpret_cast<Address>(from));
    auto reads = ranges_of(from, rows.from_pitch, rows.from_plane, rows, simt::weak_read);
    auto writes = ranges_of(to, rows.to_pitch, rows.to_plane, rows, simt::weak_write);
    if (t != nullptr && t == f && s.options.races) {
      const SharedBytes both = overlap(writes, reads);
      if (both.bytes != 0) {
        s.order.overlap(operation, t->base, both.first, both.bytes, MistakeKind::race_read_write,
                        "source and destination of a copy");
      }
    }
    note(s, operation, f, std::move(reads));
    note(s, operation, t, std::move(writes));
    wait_for_copy(s, operation, t, f, waits);
  };
  return work;
}

Work copy_3d_work(State& s, const CopyCall& call, const cudaMemcpy3DParms& p) {
  // Where an array takes part the extent counts its elements, and so does its own position.
  struct Place {
    std::byte* at;
    std::size_t pitch, plane;
    std::uint64_t element = 0;
    bool known = true;
  };
  const auto place = [&](const cudaPitchedPtr& of, const cudaPos& pos, cudaArray_const_t handle) {
    if (handle == nullptr) {
      const std::size_t plane = of.pitch * of.ysize;
      auto* const first = static_cast<std::byte*>(of.ptr);
      return Place{first + pos.z * plane + pos.y * of.pitch + pos.x, of.pitch, plane};
    }
    const DeviceArray* const array = s.textures.array(handle);
    if (array == nullptr) return Place{nullptr, 0, 0, 0, false};
    const std::uint64_t element = element_bytes(array->format);
    const auto fits = [](std::size_t from, std::size_t count, std::size_t all) {
      all = std::max<std::size_t>(all, 1);
      return from <= all && count <= all - from;
    };
    const bool inside = fits(pos.x, p.extent.width, array->extent.width) &&
                        fits(pos.y, p.extent.height, array->extent.height) &&
                        fits(pos.z, p.extent.depth, array->extent.depth);
    const std::uint64_t at =
        pos.z * array->plane_bytes + pos.y * array->row_bytes + pos.x * element;
    return Place{reinterpret_cast<std::byte*>(array->base + at), array->row_bytes,
                 array->plane_bytes, element, inside};
  };
  const Place to = place(p.dstPtr, p.dstPos, p.dstArray),
              from = place(p.srcPtr, p.srcPos, p.srcArray);
  refuse_if(!to.known || !from.known ||
            (to.element != 0 && from.element != 0 && to.element != from.element));
  const std::uint64_t element = std::max<std::uint64_t>({to.element, from.element, 1});
  const Rows rows{p.extent.width * element,
                  p.extent.height,
                  p.extent.depth,
                  to.pitch,
                  from.pitch,
                  to.plane,
                  from.plane};
  return copy_work(call, to.at, from.at, rows, p.kind);
}

Work fill_work(const CopyCall& call, void* to, unsigned value, unsigned element_bytes,
               const Rows& rows) {
  Work work;
  work.call = call.name;
  work.type = cudaGraphNodeTypeMemset;
  work.run = [=, name = work.call, waits = call.waits](State& s, const OperationPtr& operation) {
    auto* const target = static_cast<std::byte*>(to);
    each_row(rows, [&](std::size_t z, std::size_t y) {
      refuse_if(!s.heap.fill(name, target + z * rows.to_plane + y * rows.to_pitch, value,
                             element_bytes, rows.width));
    });
    const Array* const array = s.heap.find(reinterpret_cast<Address>(to));
    if (rows.width != 0) {
      note(s, operation, array,
           ranges_of(to, rows.to_pitch, rows.to_plane, rows, simt::weak_write));
    }
    if (waits && (of_host(array) || managed(array))) {
      s.order.host_waits(s.order.clock(operation->party));
    }
  };
  return work;
}

void* at_symbol(State& s, const void* symbol, std::size_t offset) {
  return reinterpret_cast<std::byte*>(s.known_symbol(symbol).address) + offset;
}

const DeviceArray& known_array(State& s, const void* handle) {
  const DeviceArray* const found = s.textures.array(handle);
  refuse_if(found == nullptr, cudaErrorInvalidResourceHandle);
  return *found;
}

void* inside(const DeviceArray& array, std::size_t x, std::size_t y, std::size_t width,
             std::size_t height) {
  const std::size_t rows = std::max<std::size_t>(array.extent.height, 1);
  refuse_if(x > array.row_bytes || width > array.row_bytes - x || y > rows || height > rows - y);
  return array.at(x, y);
}

}  // namespace gauntlet::runtime
