// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/room.hpp"

#include <algorithm>
#include <cassert>

namespace gauntlet::simt::races {
namespace {

/// A launch may run while another one waits for it (programmatic dependent launches).
thread_local std::vector<std::unique_ptr<Room>> spare_rooms;
constexpr std::size_t most_spare = 2;

}  // namespace

void Room::forget() {
  std::size_t bytes = 0;
  const auto beyond = std::ranges::find_if(
      chunks_, [&](const Chunk& chunk) { return (bytes += chunk.bytes) > most_kept; });
  chunks_.erase(beyond, chunks_.end());
  next_chunk_ = 0;
  begin_ = end_ = nullptr;
  free_ = {};
}

void* Room::do_allocate(std::size_t bytes, [[maybe_unused]] std::size_t alignment) {
  assert(alignment <= step);
  const std::size_t size = rounded(bytes);
  if (size <= most_listed && free_[size / step] != nullptr) {
    return std::exchange(free_[size / step], free_[size / step]->next);
  }
  while (static_cast<std::size_t>(end_ - begin_) < size) {
    if (next_chunk_ == chunks_.size()) {
      const std::size_t made = std::max(chunk_bytes, size);
      chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(made), made});
    }
    const Chunk& chunk = chunks_[next_chunk_++];
    begin_ = chunk.data.get();
    end_ = begin_ + chunk.bytes;
  }
  return std::exchange(begin_, begin_ + size);
}

void Room::do_deallocate(void* at, std::size_t bytes, std::size_t) {
  const std::size_t size = rounded(bytes);
  if (size > most_listed) return;  // rare: a vector that has grown
  free_[size / step] = ::new (at) Free{free_[size / step]};
}

LentRoom::LentRoom() {
  if (spare_rooms.empty()) {
    room_ = std::make_unique<Room>();
  } else {
    room_ = std::move(spare_rooms.back());
    spare_rooms.pop_back();
  }
}

LentRoom::~LentRoom() {
  if (spare_rooms.size() >= most_spare) return;
  room_->forget();
  spare_rooms.push_back(std::move(room_));
}

}  // namespace gauntlet::simt::races
