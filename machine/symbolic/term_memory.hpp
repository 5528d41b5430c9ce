// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The terms of memory, by the address of the host's bytes. Most words of four bytes have no term,
// are one, or are half of one of eight bytes; others have their bytes noted one by one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {

class TermMemory {
 public:
  explicit TermMemory(const Terms& terms);
  ~TermMemory();
  TermMemory(const TermMemory&) = delete;
  TermMemory& operator=(const TermMemory&) = delete;

  /// Writes from now on are those of launch number `launch`, of 1, 2, and so on.
  void begin_launch(std::uint32_t launch) { launch_ = launch; }
  /// Elements of `size` bytes, successive terms from `leaf` on. No write.
  void put_leaves(const std::byte* at, TermId leaf, std::uint64_t count, unsigned size);
  void write(const std::byte* at, unsigned size, const Bytes& bytes);
  /// `bytes` from `at` on have no term and were never written.
  void forget(const std::byte* at, std::size_t bytes);
  /// Nothing has a term; the memory is left to the thread's next shadow.
  void clear();

  /// A byte that has no term has its concrete value.
  [[nodiscard]] Bytes read(const std::byte* at, unsigned size);
  /// The term that these bytes are all of; 0: none has one, or `mixed`.
  [[nodiscard]] TermId whole(const std::byte* at, unsigned size, bool& mixed);
  [[nodiscard]] bool symbolic(const std::byte* at) { return byte(at).term != 0; }
  struct Writes {
    std::uint32_t launch = 0;  ///< of the latest write; 0: there was none
    std::uint32_t count = 0;   ///< in that launch: 0, 1, or 2 for more
  };
  /// Of the word that the byte lies in.
  [[nodiscard]] Writes writes(const std::byte* at);

  /// Words of lanes that lie one behind the other: `at` is that of lane `first`, `mask` begins with
  /// it. Sets the lanes' terms in `to` and gives the lanes that have one; false: some word is not
  /// of one whole term of this size, and nothing was done.
  bool load(const std::byte* at, unsigned size, unsigned first, std::uint32_t mask, TermId* to,
            std::uint32_t& symbolic);
  /// `from` has the terms, of `size` bytes and not Kind::bytes or constant, of the lanes
  /// `symbolic`; the others of `mask` store no term. False as above.
  bool store(const std::byte* at, unsigned size, unsigned first, std::uint32_t mask,
             const TermId* from, std::uint32_t symbolic);

 private:
  enum Kind : std::uint32_t {
    none,
    word,  ///< a term of four bytes
    low,   ///< of a term of eight
    high,
    parts  ///< number of Page::parts
  };
  static constexpr unsigned kind_shift = 2, launch_shift = 5;
  static constexpr std::uint32_t write_bits = 3, kind_bits = 7 << kind_shift;
  static constexpr std::size_t page_bytes = 1024, word_bytes = 4, page_words = page_bytes / 4;
  using Word = std::array<Byte, word_bytes>;
  struct Page {
    std::array<TermId, page_words> term{};
    std::array<std::uint32_t, page_words> note{};  ///< writes, Kind, launch
    std::vector<Word> parts;
  };
  struct Entry {
    std::uint64_t number = ~std::uint64_t{0};
    Page* page = nullptr;  ///< null: no entry
  };
  struct Spare;  // memory of the thread's earlier runs
  static Spare& spare();

  /// Where a page's entry is, or would be.
  [[nodiscard]] std::size_t entry_of(std::uint64_t number) const {
    auto k = number * 0x9E37'79B9'7F4A'7C15 >> table_shift_;
    while (table_[k].page != nullptr && table_[k].number != number) {
      k = (k + 1) & (table_.size() - 1);
    }
    return k;
  }
  [[nodiscard]] Page* find(std::uint64_t number) const { return table_[entry_of(number)].page; }
  void make_table(std::size_t entries);
  Page& page(std::uint64_t number);
  [[nodiscard]] static std::uint64_t number_of(const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) / page_bytes;
  }
  [[nodiscard]] static std::size_t word_of(const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) % page_bytes / word_bytes;
  }
  [[nodiscard]] static bool is_word(const std::byte* at) {
    return reinterpret_cast<std::uintptr_t>(at) % word_bytes == 0;
  }
  [[nodiscard]] Word word_at(const Page& p, std::size_t k) const;
  [[nodiscard]] Byte byte(const std::byte* at);
  void set_word(Page& p, std::size_t k, const Word& w);
  /// The note of a word that is written now, as `kind`.
  [[nodiscard]] std::uint32_t written(std::uint32_t note, Kind kind) const {
    const std::uint32_t before = note >> launch_shift == launch_ ? note & write_bits : 0;
    return launch_ << launch_shift | kind << kind_shift | (before < 2 ? before + 1 : 2);
  }

  const Terms& terms_;
  std::uint32_t launch_ = 0;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<Entry> table_;  ///< at least twice as many as pages, a power of 2
  unsigned table_shift_ = 0;
};

}  // namespace gauntlet::simt::symbolic
