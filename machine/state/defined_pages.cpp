// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/state/defined_pages.hpp"

#include <thread>

namespace gauntlet::simt {

void DefinedPages::begin(std::uint64_t bytes, UniformBytes* states) {
  bytes_ = bytes;
  states_ = states;
  pages_ = bytes == 0 ? nullptr : std::make_unique<Page[]>((bytes - 1) / page_bytes + 1);
  // What lies behind the last whole piece is never given back.
  const std::uint64_t pieces = states == nullptr ? 0 : bytes / UniformBytes::many;
  pieces_ = pieces == 0 ? nullptr : std::make_unique<Piece[]>(pieces);
}

void DefinedPages::note(std::uint64_t page, std::uint8_t tries, bool defined) const {
  const auto next = static_cast<std::uint8_t>(defined ? std::uint8_t{known} : tries + 1);
  // Unless it was made undefined meanwhile.
  const bool noted = pages_[page].compare_exchange_strong(tries, next);
  if (noted && defined) more_known(page / piece_pages, 1);
}

void DefinedPages::define(std::uint64_t at, std::uint64_t bytes) const {
  if (pages_ == nullptr) return;
  std::uint64_t page = (at + page_bytes - 1) / page_bytes, end = (at + bytes) / page_bytes;
  if (at + bytes == bytes_) end = (bytes_ - 1) / page_bytes + 1;
  while (page < end) {
    const std::uint64_t piece = page / piece_pages;
    std::uint32_t more = 0;
    for (; page < end && page / piece_pages == piece; ++page) {
      more += std::uint32_t{pages_[page].exchange(known) != known};
    }
    if (more != 0) more_known(piece, more);
  }
}

void DefinedPages::more_known(std::uint64_t piece, std::uint32_t pages) const {
  if (pieces_ == nullptr || piece >= bytes_ / UniformBytes::many) return;
  // So many have become known as there are, so that to map them anew costs little for each.
  Piece& of = pieces_[piece];
  if (of.became_known.fetch_add(pages) + pages < piece_pages || of.busy.exchange(true)) return;
  std::uint32_t known_pages = 0;
  for (std::uint64_t k = 0; k < piece_pages; ++k) {
    known_pages += std::uint32_t{pages_[piece * piece_pages + k] == known};
  }
  // Who makes one of them undefined from here on waits in put() before it changes a state; what has
  // been changed before is seen here, since the page was marked before that.
  const bool all = known_pages == piece_pages;
  if (all) states_->fill(piece * UniformBytes::many, UniformBytes::many, ByteState::initialised);
  of.became_known = all ? 0 : known_pages;
  of.busy = false;
}

void DefinedPages::put(std::uint64_t at, std::uint64_t bytes, std::uint8_t what) const {
  if (pages_ == nullptr || bytes == 0) return;
  const std::uint64_t first = at / page_bytes, last = (at + bytes - 1) / page_bytes;
  for (std::uint64_t page = first; page <= last; ++page) {
    if (pages_[page] != what) pages_[page] = what;
  }
  if (pieces_ == nullptr) return;
  const std::uint64_t end = std::min(last / piece_pages + 1, bytes_ / UniformBytes::many);
  for (std::uint64_t piece = first / piece_pages; piece < end; ++piece) {
    while (pieces_[piece].busy) std::this_thread::yield();
  }
}

}  // namespace gauntlet::simt
