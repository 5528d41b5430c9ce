// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/diagnose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/scalar.hpp"

namespace gauntlet {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 20;  // beyond, searching takes too long
constexpr std::uint64_t most_tail = 4096;

/// Arithmetic on values of the accumulator type: doubles for floats (exact for what is compared in
/// the exact regime), 64-bit words modulo 2^width for integers.
struct Floats {
  using Value = double;
  const Suspicion& s;
  [[nodiscard]] double of(std::uint64_t bits) const { return float_value(s.acc, bits); }
  [[nodiscard]] bool same(double a, double b) const { return std::fabs(a - b) <= s.slack; }
  /// Can a value of this size be told from rounding?
  [[nodiscard]] bool shows(double a) const { return std::fabs(a) > 4 * s.slack; }
  [[nodiscard]] static double size(double a) { return std::fabs(a); }
  /// Do windows as wide as the rounding around `count` values leave most of a range of this size
  /// free, so that a hit is no accident?
  [[nodiscard]] bool stands_out(double a, std::size_t count) const {
    return std::fabs(a) > 128 * static_cast<double>(count) * s.slack;
  }
  /// As `same`, for a value beyond the exact regime, where additions have begun to round.
  [[nodiscard]] bool alike(double a, double b) const {
    const int precision = format_of(s.acc).precision();
    const bool rounds = std::fabs(a) >= std::ldexp(1.0, precision);
    const int unit = (precision < 24 ? 1 : 8) - precision;  // some roundings, in any order
    return std::fabs(a - b) <= s.slack + (rounds ? std::ldexp(std::fabs(a), unit) : 0);
  }
  [[nodiscard]] static double plus(double a, double b) { return a + b; }
  [[nodiscard]] static double minus(double a, double b) { return a - b; }
  [[nodiscard]] static std::uint64_t key(double a) {
    return std::bit_cast<std::uint64_t>(a == 0 ? 0.0 : a);
  }
};

struct Words {
  using Value = std::uint64_t;
  const Suspicion& s;
  [[nodiscard]] std::uint64_t of(std::uint64_t bits) const { return truncate(s.acc, bits); }
  [[nodiscard]] bool same(std::uint64_t a, std::uint64_t b) const { return a == b; }
  [[nodiscard]] static std::uint64_t size(std::uint64_t a) { return a; }
  [[nodiscard]] static bool stands_out(std::uint64_t a, std::size_t) { return a != 0; }
  [[nodiscard]] bool alike(std::uint64_t a, std::uint64_t b) const { return a == b; }
  [[nodiscard]] bool shows(std::uint64_t a) const { return a != 0; }
  [[nodiscard]] std::uint64_t plus(std::uint64_t a, std::uint64_t b) const { return of(a + b); }
  [[nodiscard]] std::uint64_t minus(std::uint64_t a, std::uint64_t b) const { return of(a - b); }
  [[nodiscard]] static std::uint64_t key(std::uint64_t a) { return a; }
};

std::uint64_t element(const Suspicion& s, std::uint64_t i) {
  return convert_bits(s.recipe.in, s.acc, element_bits(s.recipe, i));
}

std::uint64_t dirty(const Suspicion& s, std::uint64_t j) {
  return convert_bits(s.recipe.in, s.acc, dirty_bits(s.recipe, j));
}

/// f(number, bits) of all of these.
template <class F>
void for_each_element(const Suspicion& s, const std::vector<Run>& runs, F&& f) {
  for (const Run& run : runs) {
    for (std::uint64_t i = run.first; i < run.first + run.count; ++i) f(i, element(s, i));
  }
}
/// Of all that the cell must reduce.
template <class F>
void for_each_element(const Suspicion& s, F&& f) {
  for (const auto& [number, bits] : s.terms) f(number, bits);
  for_each_element(s, s.slice, f);
}

std::uint64_t size_of(const Suspicion& s) {
  std::uint64_t count = s.terms.size();
  for (const Run& run : s.slice) count += run.count;
  return count;
}

/// Explains got - reference of a sum.
template <class Arithmetic>
class Sum {
  using Value = typename Arithmetic::Value;

 public:
  explicit Sum(const Suspicion& s) : s_(s), a_{s} {
    got_ = a_.of(s.got);
    reference_ = a_.of(s.reference);
    off_ = a_.minus(got_, reference_);
    for_each_element(s, [&](std::uint64_t i, std::uint64_t bits) {
      index_.push_back(i);
      value_.push_back(a_.of(bits));
    });
  }

  std::string explain() const {
    if (!a_.shows(off_)) return {};
    for (const auto& attempt : {&Sum::nothing, &Sum::tail, &Sum::equal_values, &Sum::multiple,
                                &Sum::single, &Sum::blocks, &Sum::stretch, &Sum::two_stretches}) {
      std::string text = (this->*attempt)();
      if (!text.empty()) return text;
    }
    return {};
  }

 private:
  [[nodiscard]] Value negated(Value v) const { return a_.minus(Value{}, v); }

  [[nodiscard]] std::string nothing() const {
    const bool none = got_ == Value{} && a_.shows(reference_) && value_.size() > 1;
    return none ? fmt::format("no {} counted: the cell holds the identity", s_.noun) : "";
  }

  [[nodiscard]] std::string multiple() const {
    Value many = reference_;
    if (!a_.stands_out(reference_, 1)) return {};
    for (int times = 2; times <= 64; ++times) {
      many = a_.plus(many, reference_);
      if (!a_.alike(got_, many)) continue;
      const std::string often = times == 2 ? "twice" : fmt::format("{} times", times);
      return s_.slack == 0 ? fmt::format("result is exactly {} the reference", often)
                           : fmt::format("result is {} the reference up to rounding", often);
    }
    return {};
  }

  /// All elements alike: only how many can be told.
  [[nodiscard]] std::string equal_values() const {
    if (value_.size() < 2 || !a_.shows(value_[0])) return {};
    for (const Value v : value_) {
      if (v != value_[0]) return {};
    }
    Value lost{}, extra{};
    for (std::uint64_t k = 1; k <= value_.size(); ++k) {
      lost = a_.minus(lost, value_[0]);
      extra = a_.plus(extra, value_[0]);
      const std::string many = fmt::format("{} {}{}", k, s_.noun, k == 1 ? "" : "s");
      if (a_.same(off_, lost)) return many + " lost";
      if (k == value_.size()) break;  // as often as there are elements: a multiple
      if (a_.same(off_, extra)) return many + " too many";
    }
    return {};
  }

  [[nodiscard]] std::string single() const {
    Value largest{};
    for (const Value v : value_) largest = std::max(largest, a_.size(v));
    if (!a_.stands_out(largest, value_.size())) return {};
    for (const bool lost : {true, false}) {
      const Value wanted = lost ? negated(off_) : off_;
      std::uint64_t hits = 0, first = 0;
      for (std::size_t k = 0; k < value_.size(); ++k) {
        if (!a_.shows(value_[k]) || !a_.same(value_[k], wanted)) continue;
        if (hits++ == 0) first = index_[k];
      }
      const std::string_view verb = lost ? "lost" : "counted twice";
      if (hits == 1) return fmt::format("{} {} {}", s_.noun, first, verb);
      if (hits > 1 && s_.slack == 0) {
        return fmt::format("{} {} {}, or another of {} with its value", s_.noun, first, verb, hits);
      }
      if (hits > 1) return {};
    }
    return {};
  }

  [[nodiscard]] std::string blocks() const {
    for (const NamedSlice& block : s_.blocks) {
      Value sum{};
      for_each_element(s_, block.runs,
                       [&](std::uint64_t, std::uint64_t bits) { sum = a_.plus(sum, a_.of(bits)); });
      if (!a_.shows(sum)) continue;
      const bool own = inside(block);
      if (own && block.runs == s_.slice) continue;
      if (a_.same(off_, negated(sum)) && own) {
        return fmt::format("slice of block {} lost", block.number);
      }
      if (a_.same(off_, sum)) {
        return fmt::format("slice of block {} {}", block.number, own ? "counted twice" : "added");
      }
      if (!own && a_.same(got_, sum)) {
        return fmt::format("holds the slice of block {} instead", block.number);
      }
    }
    return {};
  }

  [[nodiscard]] bool inside(const NamedSlice& block) const {
    for (const Run& run : block.runs) {
      bool found = false;
      for (const Run& own : s_.slice) {
        found |= own.first <= run.first && run.first + run.count <= own.first + own.count;
      }
      if (!found) return false;
    }
    return true;
  }

  /// Are there so many values that a sum of them does not come up by chance among `choices` ones?
  [[nodiscard]] bool telling(double choices) const {
    const std::uint64_t limit = s_.recipe.limit;  // floats: sums are below limit * n
    const double space = is_float(s_.acc)
                             ? static_cast<double>(limit) * static_cast<double>(value_.size())
                             : std::ldexp(1.0, static_cast<int>(8 * gauntlet::size_of(s_.acc)));
    return s_.recipe.data == Data::identities && s_.slack == 0 && choices < space / 256;
  }

  /// The first run of neighbours, as positions in value_, whose sum is `wanted`.
  struct Stretch {
    std::size_t first = 0, end = 0;
  };
  [[nodiscard]] std::optional<Stretch> stretch_of(Value wanted, std::size_t end) const {
    std::unordered_map<std::uint64_t, std::size_t> starts;  // sum of the first k -> k
    Value sum{};
    for (std::size_t k = 0; k < end; ++k) {
      starts.emplace(Arithmetic::key(sum), k);
      sum = a_.plus(sum, value_[k]);
      const auto found = starts.find(Arithmetic::key(a_.minus(sum, wanted)));
      if (found != starts.end()) return Stretch{found->second, k + 1};
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string named(Stretch run) const {
    const std::uint64_t first = index_[run.first], last = index_[run.end - 1];
    return first == last ? fmt::format("element {}", first)
                         : fmt::format("elements {}..{}", first, last);
  }

  [[nodiscard]] std::string stretch() const {
    const double n = static_cast<double>(value_.size());
    if (!telling(n * n)) return {};
    if (const auto run = stretch_of(negated(off_), value_.size())) return named(*run) + " lost";
    if (const auto run = stretch_of(off_, value_.size())) return named(*run) + " counted twice";
    return {};
  }

  /// Blocks that overlap: a run counted twice, and the end, which no block reaches, lost.
  [[nodiscard]] std::string two_stretches() const {
    constexpr std::size_t most_shown = 512;
    const double n = static_cast<double>(value_.size());
    if (value_.size() > most_shown || !telling(n * n * n)) return {};
    Value end_sum{};
    for (std::size_t k = value_.size(); k-- > 0;) {
      end_sum = a_.plus(end_sum, value_[k]);
      const auto run = stretch_of(a_.plus(off_, end_sum), k);
      if (!run) continue;
      return fmt::format("{} counted twice, {} lost", named(*run), named({k, value_.size()}));
    }
    return {};
  }

  [[nodiscard]] std::string tail() const;

  const Suspicion& s_;
  Arithmetic a_;
  Value got_{}, reference_{}, off_{};
  std::vector<std::uint64_t> index_;
  std::vector<Value> value_;
};

std::string leaked(const std::vector<std::uint64_t>& cells) {
  return fmt::format("tail cell{} {} leaked in", cells.size() == 1 ? "" : "s",
                     fmt::join(cells, ", "));
}

/// Float tails are powers of two far above the data: the difference's leading bits are the cells.
template <>
std::string Sum<Floats>::tail() const {
  if (s_.tail_cells == 0) return {};
  const std::uint64_t distinct = distinct_dirty_cells(s_.recipe.in);
  const double units = std::ldexp(off_, -dirty_exponent(s_.recipe.in));
  const double whole = std::nearbyint(units);
  const double most = std::ldexp(1.0, static_cast<int>(distinct));
  if (!(whole >= 1) || std::fabs(units - whole) > whole / 256) return {};
  if (s_.tail_cells > distinct || whole >= most) return "values behind the input leaked in";
  std::vector<std::uint64_t> cells;
  for (std::uint64_t j = 0; j < distinct; ++j) {
    if ((static_cast<std::uint64_t>(whole) >> j & 1) != 0) cells.push_back(j);
  }
  return cells.back() < s_.tail_cells ? leaked(cells) : "";
}

/// Integer tails are random words: a run of them is looked for.
template <>
std::string Sum<Words>::tail() const {
  if (s_.tail_cells == 0 || gauntlet::size_of(s_.acc) < 4) return {};
  const std::uint64_t count = std::min(s_.tail_cells, most_tail);
  for (std::uint64_t first = 0; first < std::min<std::uint64_t>(count, 64); ++first) {
    std::uint64_t sum = 0;
    for (std::uint64_t j = first; j < count; ++j) {
      sum = a_.plus(sum, a_.of(dirty(s_, j)));
      if (sum != off_ || off_ == 0) continue;
      if (j == first) return leaked({j});
      return fmt::format("tail cells {}..{} leaked in", first, j);
    }
  }
  return {};
}

/// Odd factors can be divided out modulo 2^width.
std::string explain_integer_product(const Suspicion& s) {
  if ((s.reference & 1) == 0 || (s.got & 1) == 0) return {};
  std::uint64_t inverse = s.reference;
  for (int step = 0; step < 5; ++step) inverse *= 2 - s.reference * inverse;
  const std::uint64_t ratio = truncate(s.acc, s.got * inverse);
  std::string text;
  std::uint64_t hits = 0;
  for_each_element(s, [&](std::uint64_t i, std::uint64_t x) {
    if (x == 1 || (x != ratio && truncate(s.acc, x * ratio) != 1)) return;
    if (hits++ == 0)
      text = fmt::format("{} {} {}", s.noun, i, x == ratio ? "counted twice" : "lost");
  });
  if (hits == 1) return text;
  for (std::uint64_t j = 0; hits == 0 && j < std::min(s.tail_cells, most_tail); ++j) {
    if (dirty(s, j) == ratio) return leaked({j});
  }
  return {};
}

std::string explain_float_product(const Suspicion& s) {
  const double got = float_value(s.acc, s.got), reference = float_value(s.acc, s.reference);
  const double ratio = got / reference;
  if (s.slack != 0 || !std::isfinite(ratio) || ratio == 0) return {};
  return fmt::format("off by a factor of {}", ratio);
}

std::string explain_extreme(const Suspicion& s) {
  std::optional<std::uint64_t> extreme, held, foreign;
  for_each_element(s, [&](std::uint64_t i, std::uint64_t x) {
    if (x == s.reference && !extreme) extreme = i;
    if (x == s.got && !held) held = i;
  });
  const std::string_view which = s.recipe.op == Op::minimum ? "minimum" : "maximum";
  if (held && extreme) return fmt::format("{} {}, the {}, missed", s.noun, *extreme, which);
  if (extreme && s.got == identity_bits(s.acc, s.recipe.op)) {
    return fmt::format("no {} counted: the cell holds the identity", s.noun);
  }
  for (std::uint64_t j = 0; j < std::min(s.tail_cells, most_tail); ++j) {
    if (dirty(s, j) == s.got) return leaked({j});
  }
  for (std::uint64_t i = 0; i < std::min(s.recipe.n, most_elements) && !foreign; ++i) {
    if (element(s, i) == s.got) foreign = i;
  }
  if (foreign) return fmt::format("element {} of another slice came in", *foreign);
  return fmt::format("the value is not one of the {}s", s.noun);
}

}  // namespace

std::string diagnose(const Suspicion& s) {
  const bool floats = is_float(s.acc);
  const auto number = [&](std::uint64_t bits) {
    const double value = floats ? float_value(s.acc, bits) : 0;
    return s.recipe.op == Op::sum ? std::isfinite(value) : !std::isnan(value);
  };
  if (size_of(s) > most_elements || !number(s.got) || !number(s.reference)) return {};
  if (s.recipe.op == Op::sum) return floats ? Sum<Floats>(s).explain() : Sum<Words>(s).explain();
  if (s.recipe.op != Op::product) return explain_extreme(s);
  return floats ? explain_float_product(s) : explain_integer_product(s);
}

}  // namespace gauntlet
