// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/split.hpp"

#include <algorithm>
#include <cstring>
#include <thread>

namespace gauntlet::simt {
namespace {

constexpr std::uint64_t page_bytes = 4096;
enum PageState : std::uint8_t { as_before, being_kept, kept };

/// What held pages of one launch holds those of the next one.
class SpareContents {
 public:
  static SpareContents& of_all() {
    static SpareContents all;
    return all;
  }
  [[nodiscard]] std::unique_ptr<std::byte[]> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!spare_.empty()) {
        auto content = std::move(spare_.back());
        spare_.pop_back();
        return content;
      }
    }
    return std::make_unique_for_overwrite<std::byte[]>(page_bytes);
  }
  void give(std::unique_ptr<std::byte[]> content) {
    constexpr std::size_t most = (std::size_t{32} << 20) / page_bytes;
    const std::lock_guard lock(mutex_);
    if (spare_.size() < most) spare_.push_back(std::move(content));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<std::byte[]>> spare_;
};

}  // namespace

struct WrittenPages::Page {
  std::uint64_t offset = 0, bytes = 0;
  std::unique_ptr<std::byte[]> content;    // page_bytes
  std::unique_ptr<std::uint8_t[]> states;  // nullptr: all are `state`
  std::uint8_t state = 0;
  [[nodiscard]] std::uint8_t state_at(std::uint64_t k) const {
    return states == nullptr ? state : states[k];
  }
};

struct WrittenPages::Pages {
  explicit Pages(const Allocation& array)
      : of(&array), states((array.bytes + page_bytes - 1) / page_bytes) {}
  const Allocation* of;
  std::vector<std::atomic<std::uint8_t>> states;
  std::mutex mutex;
  std::vector<Page> all;

  void keep(std::uint64_t page) {
    auto& state = states[page];
    std::uint8_t seen = as_before;
    if (!state.compare_exchange_strong(seen, being_kept)) {
      while (state.load(std::memory_order_acquire) != kept) std::this_thread::yield();
      return;
    }
    Page one;
    one.offset = page * page_bytes;
    one.bytes = std::min(page_bytes, of->bytes - one.offset);
    one.content = SpareContents::of_all().take();
    std::memcpy(one.content.get(), of->data + one.offset, one.bytes);
    const std::uint8_t* const from = of->state + one.offset;
    one.state = *from;
    if (std::memcmp(from, from + 1, one.bytes - 1) != 0) {
      one.states = std::make_unique_for_overwrite<std::uint8_t[]>(one.bytes);
      std::memcpy(one.states.get(), from, one.bytes);
    }
    {
      const std::lock_guard lock(mutex);
      all.push_back(std::move(one));
    }
    state.store(kept, std::memory_order_release);
  }
};

WrittenPages::WrittenPages() = default;
WrittenPages::~WrittenPages() {
  for (Pages& pages : arrays_) {
    for (Page& page : pages.all) SpareContents::of_all().give(std::move(page.content));
  }
}

WrittenPages::Pages& WrittenPages::of(const Allocation& array) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(arrays_, &array, &Pages::of);
  return found != arrays_.end() ? *found : arrays_.emplace_back(array);
}

void WrittenPages::Writer::keep(const Allocation& array, std::uint64_t offset,
                                std::uint64_t bytes) {
  if (last_ == nullptr || last_base_ != array.base) {
    Pages*& known = known_[array.base];
    if (known == nullptr) known = &pages_->of(array);
    last_base_ = array.base;
    last_ = known;
  }
  for (std::uint64_t page = offset / page_bytes; page <= (offset + bytes - 1) / page_bytes;
       ++page) {
    if (last_->states[page].load(std::memory_order_acquire) != kept) last_->keep(page);
  }
}

void WrittenPages::restore(std::span<const AccessMap> accesses) {
  for (const Pages& pages : arrays_) {
    const bool of_host = reinterpret_cast<Address>(pages.of->data) == pages.of->base;
    for (const Page& page : pages.all) {
      for (std::uint64_t k = 0; of_host && k < page.bytes; ++k) {
        const std::uint64_t at = page.offset + k;
        const auto wrote = [&](const AccessMap& one) { return one.wrote(pages.of->base, at); };
        if (std::ranges::none_of(accesses, wrote)) continue;
        pages.of->data[at] = page.content[k];
        pages.of->state[at] = page.state_at(k);
      }
      if (of_host) continue;
      std::memcpy(pages.of->data + page.offset, page.content.get(), page.bytes);
      if (page.states == nullptr)
        std::memset(pages.of->state + page.offset, page.state, page.bytes);
      else
        std::memcpy(pages.of->state + page.offset, page.states.get(), page.bytes);
    }
  }
}

}  // namespace gauntlet::simt
