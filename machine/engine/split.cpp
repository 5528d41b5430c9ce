// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/split.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

#include "machine/state/byte_states.hpp"
#include "machine/state/spares.hpp"

namespace gauntlet::simt {
namespace {

constexpr std::uint64_t page_bytes = 4096;
enum PageState : std::uint8_t { as_before, being_kept, kept };

}  // namespace

/// The pages that a thread was the first to write. What holds them holds those of a later launch.
struct WrittenPages::Kept {
  struct Page {
    const Allocation* of;
    std::uint64_t offset, bytes;
    std::byte* content;                      ///< nullptr: all are `byte`
    std::unique_ptr<std::uint8_t[]> states;  ///< nullptr: all are `state`
    std::byte byte;
    std::uint8_t state;
    std::uint32_t origin = 0;
    std::vector<std::uint32_t> origins = {};  ///< of words; empty: all are `origin`
    [[nodiscard]] std::byte byte_at(std::uint64_t k) const {
      return content == nullptr ? byte : content[k];
    }
    [[nodiscard]] std::uint8_t state_at(std::uint64_t k) const {
      return states == nullptr ? state : states[k];
    }
  };
  static constexpr std::uint64_t piece_pages = 64;
  std::vector<Page> pages;
  std::vector<std::unique_ptr<std::byte[]>> pieces;  ///< of the contents
  std::size_t contents = 0;                          ///< of pages that have one
  std::uint64_t bytes = 0;                           ///< that are in use

  /// Returns what is in use for it.
  std::uint64_t keep(const Allocation& of, std::uint64_t offset) {
    const std::uint64_t before = bytes;
    if (pages.size() % piece_pages == 0) bytes += piece_pages * sizeof(Page);
    Page& one = pages.emplace_back();
    one.of = &of;
    one.offset = offset;
    one.bytes = std::min(page_bytes, of.bytes - offset);
    const std::byte* const content = of.data + offset;
    one.byte = *content;
    if (std::memcmp(content, content + 1, one.bytes - 1) != 0) {
      if (contents % piece_pages == 0) bytes += piece_pages * page_bytes;
      if (contents == pieces.size() * piece_pages) {
        pieces.push_back(std::make_unique_for_overwrite<std::byte[]>(piece_pages * page_bytes));
      }
      one.content = &pieces[contents / piece_pages][contents % piece_pages * page_bytes];
      ++contents;
      std::memcpy(one.content, content, one.bytes);
    }
    // States that are known are not looked at: nobody else does, so that they would come from afar.
    const bool known = of.defined->has(offset, one.bytes);
    if (!of.origin->empty()) {
      const std::uint32_t* const words = of.origin->data() + offset / 4;
      const std::uint64_t count = (one.bytes + 3) / 4;
      one.origin = words[0];
      if (std::memcmp(words, words + 1, (count - 1) * 4) != 0) {
        one.origins.assign(words, words + count);
        bytes += count * sizeof *words;
      }
    }
    const std::uint8_t* const from = of.state + offset;
    one.state = known ? std::uint8_t{ByteState::initialised} : *from;
    if (known || std::memcmp(from, from + 1, one.bytes - 1) == 0) return bytes - before;
    one.states = std::make_unique_for_overwrite<std::uint8_t[]>(one.bytes);
    std::memcpy(one.states.get(), from, one.bytes);
    bytes += one.bytes;
    return bytes - before;
  }
  void forget() {
    bytes = contents = 0;
    constexpr std::size_t most = 64;
    pages.clear();
    if (pieces.size() > most) pieces.resize(most);
  }
};

struct WrittenPages::Pages {
  explicit Pages(const Allocation& array)
      : of(&array), states((array.bytes + page_bytes - 1) / page_bytes) {}
  const Allocation* of;
  std::vector<std::atomic<std::uint8_t>> states;

  void keep(std::uint64_t page, Kept& by, MemoryLimit* limit) {
    auto& state = states[page];
    std::uint8_t seen = state.load(std::memory_order_acquire);
    if (seen == kept) return;
    seen = as_before;
    if (!state.compare_exchange_strong(seen, being_kept)) {
      while (state.load(std::memory_order_acquire) != kept) std::this_thread::yield();
      return;
    }
    const std::uint64_t taken = by.keep(*of, page * page_bytes);
    if (taken != 0 && limit != nullptr) limit->take(taken);
    state.store(kept, std::memory_order_release);
  }
};

namespace {
template <class T>
Spares<T>& spare() {
  static thread_local Spares<T> of_thread(64);
  return of_thread;
}
}  // namespace

WrittenPages::WrittenPages(MemoryLimit* limit) : limit_(limit) {}
WrittenPages::~WrittenPages() {
  for (auto& kept : kept_) {
    if (limit_ != nullptr) limit_->give_back(kept->bytes);
    kept->forget();
    spare<Kept>().give(std::move(kept));
  }
}

WrittenPages::Writer::Writer(WrittenPages& pages) : pages_(&pages) {
  auto kept = spare<Kept>().take();
  kept_ = kept.get();
  const std::lock_guard lock(pages.mutex_);
  pages.kept_.push_back(std::move(kept));
}

WrittenPages::Pages& WrittenPages::of(const Allocation& array) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(arrays_, &array, &Pages::of);
  return found != arrays_.end() ? *found : arrays_.emplace_back(array);
}

void WrittenPages::Writer::keep(const Allocation& array, std::uint64_t offset,
                                std::uint64_t bytes) {
  Pages*& recent = recent_.at(array.base);
  if (recent == nullptr || recent->of != &array) recent = &pages_->of(array);
  for (std::uint64_t page = offset / page_bytes; page <= (offset + bytes - 1) / page_bytes;
       ++page) {
    recent->keep(page, *kept_, pages_->limit_);
  }
}

void WrittenPages::restore(std::span<AccessMap> accesses) {
  for (const auto& by_thread : kept_) {
    for (const Kept::Page& page : by_thread->pages) {
      const Allocation& of = *page.of;
      of.defined->forget(page.offset, page.bytes);
      if (!of.origin->empty()) {
        std::uint32_t* const words = of.origin->data() + page.offset / 4;
        std::fill_n(words, (page.bytes + 3) / 4, page.origin);
        std::ranges::copy(page.origins, words);
      }
      const bool of_host = reinterpret_cast<Address>(of.data) == of.base;
      for (std::uint64_t k = 0; of_host && k < page.bytes; ++k) {
        const std::uint64_t at = page.offset + k;
        const auto wrote = [&](AccessMap& one) { return one.wrote(of.base, at); };
        if (std::ranges::none_of(accesses, wrote)) continue;
        of.data[at] = page.byte_at(k);
        of.state[at] = page.state_at(k);
      }
      if (of_host) continue;
      if (page.content == nullptr)
        std::memset(of.data + page.offset, static_cast<int>(page.byte), page.bytes);
      else
        std::memcpy(of.data + page.offset, page.content, page.bytes);
      if (page.states == nullptr)
        std::memset(of.state + page.offset, page.state, page.bytes);
      else
        std::memcpy(of.state + page.offset, page.states.get(), page.bytes);
    }
  }
}

CombinedAtomics::CombinedAtomics(CombinedAtomics&& other) noexcept
    : limit_(other.limit_), used_(other.used_), table_(std::move(other.table_)) {}

CombinedAtomics::~CombinedAtomics() {
  if (limit_ != nullptr) limit_->give_back(table_.size() * sizeof(One));
}

void CombinedAtomics::add(Address address, std::uint64_t operand) {
  if (2 * used_ >= table_.size()) {
    const std::vector<One> before = std::move(table_);
    table_ = std::vector<One>(std::max<std::size_t>(512, 2 * before.size()));
    if (limit_ != nullptr) limit_->take((table_.size() - before.size()) * sizeof(One));
    for (const One& one : before) {
      if (one.address != 0) place(one.address) = one;
    }
  }
  place(address) = {address, operand};
  ++used_;
}

}  // namespace gauntlet::simt
