// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/races/room.hpp"

#include <algorithm>
#include <cassert>

#include "machine/state/spares.hpp"

namespace gauntlet::simt::races {
namespace {

/// A launch may run while another one waits for it (programmatic dependent launches).
thread_local Spares<Room> spare_rooms(2);

}  // namespace

std::uint64_t Room::taken() const {
  std::uint64_t bytes = 0;
  for (std::size_t k = 0; k < next_chunk_; ++k) bytes += chunks_[k].bytes;
  return bytes;
}

void Room::limit(MemoryLimit* limit) {
  const std::uint64_t bytes = taken();
  if (limit_ != nullptr) limit_->give_back(bytes);
  limit_ = limit;
  if (limit_ != nullptr) limit_->take(bytes);
}

void Room::forget(std::size_t most_kept) {
  limit(nullptr);
  std::size_t bytes = 0;
  const auto beyond = std::ranges::find_if(
      chunks_, [&](const Chunk& chunk) { return (bytes += chunk.bytes) > most_kept; });
  chunks_.erase(beyond, chunks_.end());
  next_chunk_ = 0;
  begin_ = end_ = nullptr;
  free_ = {};
}

std::span<std::byte> Room::next_chunk(std::size_t bytes) {
  const auto fits =
      std::find_if(chunks_.begin() + static_cast<std::ptrdiff_t>(next_chunk_), chunks_.end(),
                   [&](const Chunk& chunk) { return chunk.bytes >= bytes; });
  const auto at = static_cast<std::size_t>(fits - chunks_.begin());
  if (fits == chunks_.end()) {
    const std::size_t usual =
        std::min(largest_chunk, first_chunk << std::min<std::size_t>(chunks_.size() / 2, 7));
    const std::size_t made = std::max(usual, bytes);
    chunks_.push_back({std::make_unique_for_overwrite<std::byte[]>(made), made});
  }
  std::swap(chunks_[next_chunk_], chunks_[at]);
  const Chunk& chunk = chunks_[next_chunk_++];
  if (limit_ != nullptr) limit_->take(chunk.bytes);
  return {chunk.data.get(), chunk.bytes};
}

void* Room::do_allocate(std::size_t bytes, [[maybe_unused]] std::size_t alignment) {
  assert(alignment <= step);
  const Size size = size_of(bytes);
  if (free_[size.list] != nullptr) {
    return std::exchange(free_[size.list], free_[size.list]->next);
  }
  if (static_cast<std::size_t>(end_ - begin_) >= size.bytes) {
    return std::exchange(begin_, begin_ + size.bytes);
  }
  const std::span<std::byte> chunk = next_chunk(size.bytes);
  // What is left of the one before may still do for many small pieces.
  const std::size_t left = chunk.size() - size.bytes;
  if (left > static_cast<std::size_t>(end_ - begin_)) {
    begin_ = chunk.data() + size.bytes;
    end_ = chunk.data() + chunk.size();
  }
  return chunk.data();
}

void Room::do_deallocate(void* at, std::size_t bytes, std::size_t) {
  const std::size_t list = size_of(bytes).list;
  free_[list] = ::new (at) Free{free_[list]};
}

LentRoom::LentRoom(MemoryLimit* limit) : room_(spare_rooms.take()) { room_->limit(limit); }

LentRoom::~LentRoom() {
  constexpr std::size_t usual = std::size_t{64} << 20;
  room_->forget(usual);
  spare_rooms.give(std::move(room_));
}

}  // namespace gauntlet::simt::races
