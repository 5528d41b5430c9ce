// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/numbers.hpp"
#include "base/os/parallel_for.hpp"
#include "base/scalar.hpp"

namespace gauntlet {
namespace {

/// Greatest whole number up to which the type counts without a gap.
std::uint64_t counts_to(Type type) {
  if (is_float(type)) return (std::uint64_t{1} << format_of(type).precision()) - 1;
  return extend(~std::uint64_t{0}, size_of(type), false) >> (is_signed(type) ? 1 : 0);
}

/// (2^p - 1) of a float accumulator; integers have no limit.
std::uint64_t regime(Type acc) { return is_float(acc) ? counts_to(acc) : ~std::uint64_t{0}; }

/// Binary exponent that every partial product may reach in both types.
std::uint64_t exponent_budget(const Case& c) {
  int budget = 1022;
  for (const Type type : {c.in, c.acc}) {
    if (is_float(type)) budget = std::min(budget, -format_of(type).min_exponent());
  }
  return static_cast<std::uint64_t>(budget);
}

void set_magnitudes(const Case& c, Recipe& r) {
  const std::uint64_t n = std::max<std::uint64_t>(r.made, 1);
  if (c.op == Op::product) {
    const std::uint64_t budget = exponent_budget(c);
    r.limit = std::clamp<std::uint64_t>(budget / n, 1, 8);
    r.group = n > budget ? ceil_div(n, budget) : 1;
    return;
  }
  const std::uint64_t most = c.data == Data::identities ? ~std::uint64_t{0}
                             : c.data == Data::ties     ? 2
                                                        : 999;
  r.limit = std::min(most, counts_to(c.in));
  if (c.op == Op::sum) {
    const std::uint64_t share = regime(c.acc) / n;
    r.limit = std::clamp<std::uint64_t>(share, 1, r.limit);
    if (share == 0) r.group = ceil_div(n, regime(c.acc));
  }
}

void set_iota(const Case& c, Recipe& r) {
  const std::uint64_t most = counts_to(c.in);
  r.wrap = most == ~std::uint64_t{0} ? most : most + 1;
  const unsigned __int128 n = r.made;
  if (c.op != Op::sum || !is_float(c.acc) || n * (n - 1) / 2 <= regime(c.acc)) return;
  r.wrap = std::clamp<std::uint64_t>(1 + regime(c.acc) / r.made, 2, r.wrap);
}

void set_real(const Case& c, Recipe& r) {
  int room = 1023, precision = 53;
  for (const Type type : {c.in, c.acc}) {
    if (!is_float(type)) continue;
    room = std::min(room, format_of(type).max_exponent());
    precision = std::min(precision, format_of(type).precision());
  }
  const int count = bit_length(r.made);
  r.top = std::min(c.data == Data::uniform ? 0 : 10, room - 1 - count);
  r.spread = c.data == Data::cancelling ? precision : format_of(c.acc).precision();
  if (c.data == Data::cancelling || c.data == Data::ill_conditioned) {
    r.spread = std::min(r.spread, r.top - format_of(c.in).min_exponent());
    r.spread = std::max(r.spread, 0);
  }
}

constexpr std::uint64_t most_kept = std::uint64_t{1} << 22;  // elements
constexpr std::uint64_t pieces_at_once = 64;                 // taken by a thread

/// What the elements of a case depend on.
auto key_of(const Case& c) {
  return std::tuple(c.in, c.acc, c.op, c.data, c.map, c.n, c.seed, c.map_by);
}

/// What was made for the elements of the last few cases.
template <class T, std::size_t most>
class Kept {
 public:
  [[nodiscard]] std::optional<T> find(const Case& c) const {
    for (const auto& [known, value] : entries_) {
      if (known == key_of(c)) return value;
    }
    return std::nullopt;
  }
  void keep(const Case& c, T value) {
    if (entries_.size() == most) entries_.erase(entries_.begin());
    entries_.emplace_back(key_of(c), std::move(value));
  }

 private:
  std::vector<std::pair<decltype(key_of(Case())), T>> entries_;
};

using Bytes = std::shared_ptr<const std::vector<std::byte>>;

std::mutex references_mutex;
Kept<SliceReference, 1> references;  // guarded by references_mutex

}  // namespace

Recipe make_recipe(const Case& c) {
  Recipe r;
  r.data = c.data;
  r.in = c.in;
  r.op = c.op;
  r.map = c.map;
  r.map_by = c.map_by;
  r.n = c.n;
  r.made = c.n;
  const auto by = static_cast<std::uint64_t>(c.map_by);
  if (c.map == Map::take || c.map == Map::drop) r.made = c.n + by;
  if (c.map == Map::pad) r.made = c.n - by;
  const bool grows = c.map == Map::take || c.map == Map::drop;
  if ((grows && r.made < c.n) || (c.map == Map::pad && r.made > c.n)) {
    throw CaseError(
        fmt::format("map={}:{} does not fit n={}; write a smaller number", name(c.map), by, c.n));
  }
  r.key = mix64(c.seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(c.data) + 1);
  r.is_float = is_float(c.in);
  r.is_signed = is_signed(c.in);
  r.width = static_cast<int>(8 * size_of(c.in));
  set_magnitudes(c, r);
  set_iota(c, r);
  set_real(c, r);
  if (c.op == Op::product && (c.data == Data::uniform || c.data == Data::ill_conditioned)) {
    // uniform() narrows its factors by 2^-group.
    const std::uint64_t crowd = r.made / exponent_budget(c);
    r.group = static_cast<std::uint64_t>(1 + bit_length(crowd));
  }
  const std::uint64_t n = std::max<std::uint64_t>(r.made, 1);
  for (std::uint64_t k = 0; k < 3; ++k) r.special[k] = mix64(r.key + k + 11) % n;
  if (r.special[1] == r.special[0]) r.special[1] = (r.special[0] + 1) % n;
  r.both_infinities = c.seed % 3 == 2;
  r.negative_infinity = c.seed % 3 == 1;
  r.only_negative_zero = c.seed % 2 == 0;
  return r;
}

namespace {

template <Type type>
using Word = std::conditional_t<
    size_of(type) == 1, std::uint8_t,
    std::conditional_t<size_of(type) == 2, std::uint16_t,
                       std::conditional_t<size_of(type) == 4, std::uint32_t, std::uint64_t>>>;

/// Elements before `map`, each `step` behind the one before, with what they hang on as constants
/// for the compiler: what is left of element::made is what differs from element to element.
template <Data data, Type type>
[[gnu::flatten]] void fill_made(const Recipe& recipe, std::uint64_t first, std::uint64_t step,
                                std::uint64_t count, std::byte* to) {
  Recipe r = recipe;
  r.data = data;
  r.in = type;
  r.is_float = is_float(type);
  r.is_signed = is_signed(type);
  r.width = static_cast<int>(8 * size_of(type));
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto word = static_cast<Word<type>>(element::made(r, first + i * step));
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

constexpr std::size_t type_count = enum_names<Type>.size();
constexpr std::size_t data_count = enum_names<Data>.size();
template <std::size_t... index>
constexpr auto make_fills(std::index_sequence<index...>) {
  return std::array{fill_made<Data{index / type_count}, Type{index % type_count}>...};
}
constexpr auto fills = make_fills(std::make_index_sequence<data_count * type_count>());

/// What element_bits gives for each.
void fill(const Recipe& r, std::uint64_t first, std::uint64_t count, std::byte* to) {
  const auto data = static_cast<std::size_t>(r.data), type = static_cast<std::size_t>(r.in);
  const std::uint64_t step = r.map == Map::reverse ? ~std::uint64_t{0} : 1;
  const std::uint64_t own =
      r.map != Map::pad ? count : std::min(count, r.made - std::min(first, r.made));
  fills[data * type_count + type](r, element::position(r, first), step, own, to);
  if (own == count && r.map != Map::negate && r.map != Map::scale) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::byte* const at = to + i * size_of(r.in);
    store_bits(r.in, at, i < own ? element::changed(r, load_bits(r.in, at)) : element::neutral(r));
  }
}

}  // namespace

std::vector<std::byte> make_elements(const Recipe& recipe, std::uint64_t first,
                                     std::uint64_t count) {
  std::vector<std::byte> bytes(count * size_of(recipe.in));
  fill(recipe, first, count, bytes.data());
  return bytes;
}

std::uint64_t input_bytes(const Case& c, std::uint64_t padded) {
  return c.offset + (c.tail == Tail::unmapped ? c.n : std::max(c.n, padded)) * size_of(c.in);
}

std::uint64_t initialised_end(const Case& c, std::uint64_t bytes) {
  return c.tail == Tail::zero || c.tail == Tail::dirty ? bytes : c.offset + c.n * size_of(c.in);
}

std::function<void(std::uint64_t, std::span<std::byte>)> input_maker(const Case& c) {
  return [recipe = make_recipe(c), size = size_of(c.in), n = c.n, offset = c.offset,
          zero = c.tail == Tail::zero](std::uint64_t at, std::span<std::byte> bytes) {
    const auto from = at < offset ? 0 : (at - offset) / size;
    const auto reached = std::max<std::uint64_t>(at + bytes.size(), offset) - offset;
    const auto to = ceil_div(reached, size);
    auto made = make_elements(recipe, std::min(from, n), std::min(to, n) - std::min(from, n));
    made.resize((to - from) * size);
    for (auto k = std::max(from, n); k < to && !zero; ++k) {
      store_bits(recipe.in, &made[(k - from) * size], dirty_bits(recipe, k - n));
    }
    if (at < offset)
      std::ranges::fill(bytes.first(std::min<std::size_t>(offset - at, bytes.size())),
                        std::byte{0xa5});
    // Elements may straddle both ends.
    const auto begin = from * size + offset, first = std::max(begin, at);
    const auto end = std::min(begin + made.size(), at + bytes.size());
    if (end > first) std::memcpy(&bytes[first - at], &made[first - begin], end - first);
  };
}

CaseElements::CaseElements(const Case& c, bool keep) : recipe_(make_recipe(c)) {
  // A window of blocks may need few of them.
  if (!keep || c.n > (c.block_count == 0 ? most_kept : piece)) return;
  thread_local Kept<Bytes, 4> kept;
  if (const auto known = kept.find(c)) {
    kept_ = *known;
  } else {
    kept_ = std::make_shared<const std::vector<std::byte>>(make_elements(recipe_, 0, c.n));
    kept.keep(c, kept_);
  }
}

std::vector<SliceReference> references_of_tiles(const Case& c, std::uint64_t tile,
                                                std::uint64_t cells, unsigned threads) {
  const CaseElements elements(c, false);
  const std::vector<SliceReference> none(cells, SliceReference(c.in, c.acc, c.op));
  std::vector<SliceReference> all = none;
  const std::uint64_t step = round_up(pieces_at_once * CaseElements::piece, tile);
  const std::uint64_t piece = CaseElements::piece / tile * tile;
  std::mutex merging;
  os::parallel_for(threads, ceil_div(c.n, step), [&](std::uint64_t i) {
    std::vector<SliceReference> parts = none;
    for (std::uint64_t at = i * step; at < std::min(c.n, (i + 1) * step); at += piece) {
      const Run some{at, std::min({piece, c.n - at, (i + 1) * step - at})};
      elements.for_each_piece(some, [&](const std::byte* bytes, std::uint64_t count) {
        for (std::uint64_t k = 0; k < count; k += tile) {
          parts[(at + k) / tile % cells].add(bytes + k * size_of(c.in), std::min(tile, count - k));
        }
      });
    }
    const std::lock_guard lock(merging);
    for (std::size_t k = 0; k < cells; ++k) all[k].merge(parts[k]);
    return true;
  });
  return all;
}

SliceReference reference_of_all(const Case& c, unsigned threads) {
  const std::lock_guard lock(references_mutex);
  if (auto known = references.find(c)) return *std::move(known);
  SliceReference made = references_of_tiles(c, CaseElements::piece, 1, threads).front();
  made.finish();
  references.keep(c, made);
  return made;
}

void offer_reference_of_all(const Case& c, SliceReference all) {
  const std::lock_guard lock(references_mutex);
  all.finish();
  if (!references.find(c)) references.keep(c, std::move(all));
}

}  // namespace gauntlet
