// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/symbolic/term_memory.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "machine/state/lanes.hpp"

namespace gauntlet::simt::symbolic {

/// Runs are short and many: what they need is made once.
struct TermMemory::Spare {
  std::vector<std::unique_ptr<Page>> free, pages;
  std::vector<Entry> table;
};

TermMemory::Spare& TermMemory::spare() {
  thread_local Spare spare;
  return spare;
}

TermMemory::TermMemory(const Terms& terms)
    : terms_(terms), pages_(std::move(spare().pages)), table_(std::move(spare().table)) {
  constexpr std::size_t few = 64;
  make_table(std::max(table_.size(), few));
}

TermMemory::~TermMemory() {
  constexpr std::size_t most_entries = 4096;
  clear();
  if (table_.size() > most_entries) return;
  spare().pages = std::move(pages_);
  spare().table = std::move(table_);
}

void TermMemory::make_table(std::size_t entries) {
  table_.assign(entries, {});
  table_shift_ = 64 - static_cast<unsigned>(std::countr_zero(entries));
}

void TermMemory::clear() {
  constexpr std::size_t most_pages = 1024;
  auto& kept = spare().free;
  for (auto& page : pages_) {
    if (kept.size() < most_pages) kept.push_back(std::move(page));
  }
  [[maybe_unused]] const bool most_are_gone = pages_.size() > 2 * most_pages;
  if (!pages_.empty()) make_table(table_.size());
  pages_.clear();
#ifdef __GLIBC__
  if (most_are_gone) malloc_trim(0);  // they lie between what stays
#endif
}

TermMemory::Page& TermMemory::page(std::uint64_t number) {
  auto k = entry_of(number);
  if (table_[k].page != nullptr) return *table_[k].page;
  if (2 * (pages_.size() + 1) > table_.size()) {
    const auto before = std::move(table_);
    make_table(2 * before.size());
    for (const Entry& e : before) {
      if (e.page != nullptr) table_[entry_of(e.number)] = e;
    }
    k = entry_of(number);
  }
  auto& kept = spare().free;
  if (kept.empty()) {
    pages_.push_back(std::make_unique<Page>());
  } else {
    pages_.push_back(std::move(kept.back()));
    kept.pop_back();
    Page& again = *pages_.back();
    again.term = {};
    again.note = {};
    again.parts.clear();
  }
  table_[k] = {number, pages_.back().get()};
  return *pages_.back();
}

TermMemory::Word TermMemory::word_at(const Page& p, std::size_t k) const {
  const auto kind = static_cast<Kind>((p.note[k] & kind_bits) >> kind_shift);
  if (kind == Kind::parts) return p.parts[p.term[k]];
  Word w{};
  if (kind == Kind::none) return w;
  for (std::uint8_t j = 0; j < word_bytes; ++j) {
    w[j] = {p.term[k], 0, static_cast<std::uint8_t>(kind == Kind::high ? j + word_bytes : j),
            false};
  }
  return w;
}

/// The kind and what goes with it; writes and launch stay.
void TermMemory::set_word(Page& p, std::size_t k, const Word& w) {
  const auto put = [&](Kind kind, TermId term) {
    p.term[k] = term;
    p.note[k] = (p.note[k] & ~kind_bits) | kind << kind_shift;
  };
  const TermId term = w[0].term;
  const auto all_of = [&](unsigned from) {
    for (unsigned j = 0; j < word_bytes; ++j) {
      if (w[j] != Byte{term, 0, static_cast<std::uint8_t>(from + j), false}) return false;
    }
    return true;
  };
  const unsigned size = term != 0 ? terms_[term].size : 0;
  if (size == word_bytes && all_of(0)) return put(Kind::word, term);
  if (size == 2 * word_bytes && all_of(0)) return put(Kind::low, term);
  if (size == 2 * word_bytes && all_of(word_bytes)) return put(Kind::high, term);
  if (std::all_of(w.begin(), w.end(), [](const Byte& b) { return b.term == 0; })) {
    return put(Kind::none, 0);
  }
  if ((p.note[k] & kind_bits) >> kind_shift == Kind::parts) {
    p.parts[p.term[k]] = w;
    return;
  }
  p.parts.push_back(w);
  put(Kind::parts, static_cast<TermId>(p.parts.size() - 1));
}

void TermMemory::put_leaves(const std::byte* at, TermId leaf, std::uint64_t count, unsigned size) {
  const std::byte* const end = at + count * size;
  unsigned index = 0;  // of the leaf's bytes
  while (at != end) {
    Page& p = page(number_of(at));
    auto k = word_of(at);
    const auto in_page = page_bytes - reinterpret_cast<std::uintptr_t>(at) % page_bytes;
    const std::byte* const stop =
        at + std::min<std::uint64_t>(in_page, static_cast<std::uint64_t>(end - at));
    const bool aligned = reinterpret_cast<std::uintptr_t>(at) % word_bytes == 0;
    if (aligned && size == word_bytes && index == 0) {
      const auto words = static_cast<std::size_t>(stop - at) / word_bytes;
      for (std::size_t j = 0; j < words; ++j) p.term[k + j] = leaf + static_cast<TermId>(j);
      std::fill_n(p.note.begin() + static_cast<std::ptrdiff_t>(k), words, word << kind_shift);
      leaf += static_cast<TermId>(words);
      at = stop;
      continue;
    }
    while (at != stop) {
      Word w = word_at(p, k);
      do {
        w[reinterpret_cast<std::uintptr_t>(at) % word_bytes] = {
            leaf, 0, static_cast<std::uint8_t>(index), false};
        if (++index == size) {
          index = 0;
          ++leaf;
        }
        ++at;
      } while (at != stop && reinterpret_cast<std::uintptr_t>(at) % word_bytes != 0);
      set_word(p, k++, w);
    }
  }
}

void TermMemory::write(const std::byte* at, unsigned size, const Bytes& bytes) {
  for (unsigned k = 0; k < size;) {
    Page& p = page(number_of(at + k));
    const auto number = word_of(at + k);
    const auto from = reinterpret_cast<std::uintptr_t>(at + k) % word_bytes;
    Word w = word_at(p, number);
    for (auto j = from; j < word_bytes && k < size; ++j, ++k) w[j] = bytes[k];
    set_word(p, number, w);
    auto& note = p.note[number];
    note = written(note, static_cast<Kind>((note & kind_bits) >> kind_shift));
  }
}

void TermMemory::forget(const std::byte* at, std::size_t bytes) {
  const std::byte* const end = at + bytes;
  while (at != end) {
    const auto in_page = page_bytes - reinterpret_cast<std::uintptr_t>(at) % page_bytes;
    const std::byte* const stop =
        at + std::min<std::size_t>(in_page, static_cast<std::size_t>(end - at));
    if (Page* p = find(number_of(at))) {
      const auto first = word_of(at), last = word_of(stop - 1);
      std::fill(p->term.begin() + static_cast<std::ptrdiff_t>(first),
                p->term.begin() + static_cast<std::ptrdiff_t>(last + 1), 0);
      std::fill(p->note.begin() + static_cast<std::ptrdiff_t>(first),
                p->note.begin() + static_cast<std::ptrdiff_t>(last + 1), 0);
    }
    at = stop;
  }
}

Byte TermMemory::byte(const std::byte* at) {
  const Page* p = find(number_of(at));
  return p == nullptr ? Byte{}
                      : word_at(*p, word_of(at))[reinterpret_cast<std::uintptr_t>(at) % word_bytes];
}

Bytes TermMemory::read(const std::byte* at, unsigned size) {
  Bytes bytes{};
  for (unsigned k = 0; k < size;) {
    const auto from = reinterpret_cast<std::uintptr_t>(at + k) % word_bytes;
    const Page* p = find(number_of(at + k));
    const Word w = p != nullptr ? word_at(*p, word_of(at + k)) : Word{};
    for (auto j = from; j < word_bytes && k < size; ++j, ++k) {
      bytes[k] = w[j];
      if (w[j].term == 0) bytes[k].value = static_cast<std::uint8_t>(at[k]);
    }
  }
  return bytes;
}

TermId TermMemory::whole(const std::byte* at, unsigned size, bool& mixed) {
  mixed = true;
  std::uint32_t symbolic = 0;
  const auto k = word_of(at);
  if (size == 2 * word_bytes && is_word(at) && k + 1 < page_words) {
    const Page* p = find(number_of(at));
    const auto a = p != nullptr ? p->note[k] & kind_bits : 0,
               b = p != nullptr ? p->note[k + 1] & kind_bits : 0;
    const bool one = a == low << kind_shift && b == high << kind_shift;
    mixed = (a | b) != 0 && !(one && p->term[k] == p->term[k + 1]);
    return one && !mixed ? p->term[k] : 0;
  }
  if (size >= word_bytes) {
    std::array<TermId, 1> term{};
    mixed = !load(at, size, 0, 1, term.data(), symbolic);
    return term[0];
  }
  const auto from = reinterpret_cast<std::uintptr_t>(at) % word_bytes;
  const Page* p = find(number_of(at));
  if (p == nullptr) mixed = false;
  if (p == nullptr || from + size > word_bytes) return 0;
  const Word w = word_at(*p, word_of(at));
  const TermId term = w[from].term;
  for (unsigned k = 0; k < size; ++k) {
    const Byte expected{term, 0, static_cast<std::uint8_t>(k), false};
    if (w[from + k].term != term || (term != 0 && w[from + k] != expected)) return 0;
  }
  if (term != 0 && terms_[term].size != size) return 0;
  mixed = false;
  return term;
}

TermMemory::Writes TermMemory::writes(const std::byte* at) {
  const Page* p = find(number_of(at));
  if (p == nullptr) return {};
  const auto note = p->note[word_of(at)];
  return {note >> launch_shift, note & write_bits};
}

bool TermMemory::load(const std::byte* at, unsigned size, unsigned first, std::uint32_t mask,
                      TermId* to, std::uint32_t& symbolic) {
  if (!is_word(at)) return false;
  const unsigned end = 32 - static_cast<unsigned>(std::countl_zero(mask));
  std::array<TermId, 32> term;
  std::uint32_t found = 0;
  const auto lane_kinds = [&](std::uint32_t note) { return note & kind_bits; };
  constexpr std::uint32_t whole = word << kind_shift;
  for (unsigned l = first; l < end;) {
    const Page* p = find(number_of(at));
    const auto k = word_of(at);
    if (size == word_bytes) {
      const auto count = std::min<unsigned>(end - l, static_cast<unsigned>(page_words - k));
      if (p != nullptr) {
        std::uint32_t any = 0, all = kind_bits;
        for (unsigned j = 0; j < count; ++j) {
          any |= p->note[k + j];
          all &= p->note[k + j];
        }
        any &= kind_bits;
        if (any == whole && all == whole) {
          found |= (~std::uint32_t{0} >> (32 - count)) << l;
        } else if (any != 0) {
          for (unsigned j = 0; j < count; ++j) {
            const auto kind = lane_kinds(p->note[k + j]);
            if (kind > whole && (mask >> (l + j) & 1) != 0) return false;
            found |= std::uint32_t{kind == whole} << (l + j);
          }
        }
        if (any != 0) std::memcpy(&term[l], &p->term[k], count * sizeof(TermId));
      }
      l += count;
      at += std::size_t{count} * word_bytes;
      continue;
    }
    // Eight bytes: two words, which may lie in two pages.
    const Page* q = k + 1 < page_words ? p : find(number_of(at + word_bytes));
    const auto next = (k + 1) % page_words;
    const auto a = p != nullptr ? lane_kinds(p->note[k]) : 0;
    const auto b = q != nullptr ? lane_kinds(q->note[next]) : 0;
    if (a != 0 || b != 0) {
      const bool one =
          a == low << kind_shift && b == high << kind_shift && p->term[k] == q->term[next];
      if (!one && (mask >> l & 1) != 0) return false;
      if (one) {
        term[l] = p->term[k];
        found |= 1U << l;
      }
    }
    ++l;
    at += size;
  }
  symbolic = found & mask;
  if (symbolic == ~std::uint32_t{0}) {
    std::memcpy(to, term.data(), sizeof term);
  } else {
    for (const int l : lanes_of(symbolic)) to[l] = term[static_cast<unsigned>(l)];
  }
  return true;
}

bool TermMemory::store(const std::byte* at, unsigned size, unsigned first, std::uint32_t mask,
                       const TermId* from, std::uint32_t symbolic) {
  if (!is_word(at)) return false;
  const unsigned end = 32 - static_cast<unsigned>(std::countl_zero(mask));
  for (unsigned l = first; l < end;) {
    Page* p = &page(number_of(at));
    auto k = word_of(at);
    if (size == word_bytes) {
      const auto count = std::min<unsigned>(end - l, static_cast<unsigned>(page_words - k));
      const std::uint32_t here = (~std::uint32_t{0} >> (32 - count)) << l;
      if ((mask & here) == here && ((symbolic & here) == here || (symbolic & here) == 0)) {
        const bool some = (symbolic & here) != 0;
        if (some)
          std::memcpy(&p->term[k], &from[l], count * sizeof(TermId));
        else
          std::memset(&p->term[k], 0, count * sizeof(TermId));
        const Kind kind = some ? Kind::word : Kind::none;
        for (unsigned j = 0; j < count; ++j) p->note[k + j] = written(p->note[k + j], kind);
      } else {
        for (const int lane : lanes_of(mask & here)) {
          const auto j = k + static_cast<unsigned>(lane) - l;
          const bool some = (symbolic >> lane & 1) != 0;
          p->term[j] = some ? from[lane] : 0;
          p->note[j] = written(p->note[j], some ? Kind::word : Kind::none);
        }
      }
      l += count;
      at += std::size_t{count} * word_bytes;
      continue;
    }
    for (const Kind half : {Kind::low, Kind::high}) {
      if ((mask >> l & 1) != 0) {
        const bool some = (symbolic >> l & 1) != 0;
        p->term[k] = some ? from[l] : 0;
        p->note[k] = written(p->note[k], some ? half : Kind::none);
      }
      if (half == Kind::high) break;
      if (++k == page_words) {
        p = &page(number_of(at + word_bytes));
        k = 0;
      }
    }
    ++l;
    at += size;
  }
  return true;
}

}  // namespace gauntlet::simt::symbolic
