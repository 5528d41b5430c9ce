// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A Case is everything that decides one run: small, printable, and its line parses back to itself.
//
//   wide_active@fixed-active_range i32->i32 sum n=97 block=64 grid=2 data=ones seed=7 offset=0
//   tail=poison schedule=high_lane_first            (one line; "blocks=FIRST+COUNT" is optional)
//
// A case of a spec (docs/own_kernels.md) names its file and the spec's own sizes:
//
//   block_sum.gauntlet n=33 block=64 data=ones seed=1 offset=0 schedule=lockstep
//   "my kernels/block_sum.gauntlet" n=33 block=64 ...     (\" and \\ stand for " and \)
//   block_sum.gauntlet@fixed-barrier i32->i32 max n=33 ...  where it has forms, types, operators
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/case_error.hpp"
#include "base/types.hpp"

namespace gauntlet {

// clang-format off
// How the n input elements are made; never stored, always regenerated. A new distribution is a row
// here and the function of that name in properties/oracle/element.hpp.
//  name             how peculiar   times in a draw of floats, of integers
#define GAUNTLET_DISTRIBUTIONS(ROW) \
  ROW(ones,             0, 1, 1) \
  ROW(iota,             1, 1, 1) /* 0, 1, 2, ... modulo what keeps the type exact */ \
  ROW(small_integers,   2, 2, 1) /* a sum of magnitudes so small that every order is exact */ \
  ROW(uniform,          4, 2, 1) /* real data in [-1, 1) (integers: full range) */ \
  ROW(cancelling,       7, 1, 0) /* pairs that cancel, far apart */ \
  ROW(ill_conditioned,  8, 1, 0) /* after Ogita, Rump, Oishi 2005, algorithm GenSum's idea */ \
  ROW(subnormal,        6, 1, 0) \
  ROW(with_nan,         9, 1, 0) \
  ROW(with_infinity,   10, 1, 0) \
  ROW(negative_zero,    5, 1, 0) \
  ROW(identities,       3, 2, 1) /* distinct 64-bit random values: a difference names the element */ \
  ROW(ties,             3, 0, 0) /* -2 to 2: what chooses among elements meets equal ones */
// clang-format on

enum class Data : std::uint8_t {
#define GAUNTLET_DISTRIBUTION(name, peculiar, floats, integers) name,
  GAUNTLET_DISTRIBUTIONS(GAUNTLET_DISTRIBUTION)
#undef GAUNTLET_DISTRIBUTION
};
struct DistributionFacts {
  std::string_view name;
  int peculiar;          ///< what shrinking goes down
  int floats, integers;  ///< how often it stands in what is drawn from
};
inline constexpr auto distribution_facts = std::to_array<DistributionFacts>({
#define GAUNTLET_DISTRIBUTION(name, peculiar, floats, integers) {#name, peculiar, floats, integers},
    GAUNTLET_DISTRIBUTIONS(GAUNTLET_DISTRIBUTION)
#undef GAUNTLET_DISTRIBUTION
});
[[nodiscard]] constexpr const DistributionFacts& facts(Data data) {
  return distribution_facts.at(static_cast<std::size_t>(data));
}
constexpr auto names(const Data*) {
  std::array<std::string_view, distribution_facts.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = distribution_facts[i].name;
  return all;
}

/// What lies behind element n-1.
enum class Tail : std::uint8_t {
  poison,   ///< mapped, never initialised
  zero,     ///< mapped, zero (document C's own precondition)
  dirty,    ///< mapped, initialised with garbage
  unmapped  ///< the allocation ends exactly at element n
};
constexpr auto names(const Tail*) { return names_of("poison", "zero", "dirty", "unmapped"); }

/// What is done to the data before the kernel and the reference see them. `K` is Case::map_by. The
/// spelling is "map=reverse", "map=scale:3"; nothing is printed for `none`.
enum class Map : std::uint8_t {
  none,
  negate,   ///< every element is negated (integers: modulo 2^width)
  scale,    ///< every element times 2^K (K may be negative for floats; integers: 0 <= K < width)
  reverse,  ///< element i is element n-1-i
  take,     ///< the first n elements of the data made for n+K elements
  drop,     ///< the last n elements of the data made for n+K elements
  pad       ///< the data made for n-K elements, then K identity elements of the operator
};
constexpr auto names(const Map*) {
  return names_of("none", "negate", "scale", "reverse", "take", "drop", "pad");
}

/// A size that a spec declares.
struct NamedSize {
  std::string name;
  std::uint64_t value = 0;
  auto operator<=>(const NamedSize&) const = default;
};

/// The name of a form that is the only one of its kernel, as of a spec.
inline constexpr std::string_view only_form = "spec";

/// A form that lacks a fix: "documented" or "fixed-NAME".
[[nodiscard]] inline bool lacks_fix(std::string_view form) {
  return form != "fixed" && form != only_form;
}

struct Case {
  std::string variant;
  std::string form = "fixed";  ///< "documented", "fixed", "fixed-NAME", or only_form
  Type in = Type::f32;
  Type acc = Type::f32;
  Op op = Op::sum;
  std::uint64_t n = 0;
  std::uint32_t block = 256;  ///< threads per block (product of the block's extents)
  std::uint32_t grid = 1;     ///< blocks
  Data data = Data::ones;
  std::uint64_t seed = 1;
  std::uint32_t offset = 0;  ///< bytes between an aligned address and the first element, 0..15
  Tail tail = Tail::poison;
  std::string schedule = "lockstep";  ///< base/schedule.hpp lists the spellings
  std::uint32_t first_block = 0;      ///< run only blocks [first_block, first_block + block_count)
  std::uint32_t block_count = 0;      ///< 0: all of them
  Map map = Map::none;
  std::int64_t map_by = 0;         ///< K of `map`; 0 where the map has none
  std::vector<NamedSize> sizes{};  ///< of a spec, in its order; then n, block and grid stay unused
  bool operator==(const Case&) const = default;
};

/// A spec, and the form of it that is named.
struct NamedSpec {
  std::string path;
  std::string form;  ///< empty: none
};
inline constexpr std::string_view spec_ending = ".gauntlet";
/// Of "sum.gauntlet" or "sum.gauntlet@fixed"; nothing where the word names no file of a spec.
[[nodiscard]] inline std::optional<NamedSpec> named_spec(std::string_view word) {
  if (word.ends_with(spec_ending)) return NamedSpec{std::string(word), {}};
  const auto at = word.rfind('@');
  if (at == word.npos || !word.substr(0, at).ends_with(spec_ending)) return std::nullopt;
  const std::string_view form = word.substr(at + 1);
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789_-*";
  if (form.empty() || form.find_first_not_of(letters) != form.npos) return std::nullopt;
  return NamedSpec{std::string(word.substr(0, at)), std::string(form)};
}

/// The word names a file that holds a spec, or a form of it.
[[nodiscard]] inline bool is_spec(std::string_view word) { return named_spec(word).has_value(); }

[[nodiscard]] std::string to_string(const Case& c);

/// The case of a spec whose sizes n, block and grid are the case's own.
[[nodiscard]] Case with_own_sizes(Case c);

/// What a launch contract looks at: of a spec the sizes alone; of others the whole line.
[[nodiscard]] std::string shape_line(const Case& c);

/// A spec's path as the first word of a case line.
[[nodiscard]] std::string spec_word(const std::string& path);

/// The path of the spec that a line begins with, which may be the path alone; nothing where it
/// begins with none. A path with blanks may also stand there without quotes. Throws CaseError where
/// a quotation mark is not closed.
[[nodiscard]] std::optional<std::string> spec_of(std::string_view line);

/// Parses a case line. Keys may come in any order after the three leading words; missing keys take
/// the defaults above, except grid, which is then 0 ("as many as n needs": kernels/subject.hpp
/// fills it in). Throws CaseError; knows types and numbers, not which variants exist.
[[nodiscard]] Case parse_case(std::string_view line);

}  // namespace gauntlet
