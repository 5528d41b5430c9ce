// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/case_elements.hpp"

#include <mutex>
#include <optional>
#include <utility>

#include "base/numbers.hpp"
#include "base/os/parallel_for.hpp"

namespace gauntlet {
namespace {

constexpr std::uint64_t most_kept = std::uint64_t{1} << 22;  // elements
constexpr std::uint64_t pieces_at_once = 64;                 // taken by a thread

/// What the elements of a case depend on.
struct Key {
  explicit Key(const Case& c)
      : in(c.in),
        acc(c.acc),
        op(c.op),
        data(c.data),
        map(c.map),
        n(c.n),
        seed(c.seed),
        map_by(c.map_by) {}
  Type in, acc;
  Op op;
  Data data;
  Map map;
  std::uint64_t n, seed;
  std::int64_t map_by;
  bool operator==(const Key&) const = default;
};

/// What was made for the elements of the last few cases.
template <class T, std::size_t most>
class Kept {
 public:
  [[nodiscard]] std::optional<T> find(const Case& c) const {
    const Key key(c);
    for (const auto& [known, value] : entries_) {
      if (known == key) return value;
    }
    return std::nullopt;
  }
  void keep(const Case& c, T value) {
    if (entries_.size() == most) entries_.erase(entries_.begin());
    entries_.emplace_back(Key(c), std::move(value));
  }

 private:
  std::vector<std::pair<Key, T>> entries_;
};

using Bytes = std::shared_ptr<const std::vector<std::byte>>;

SliceReference make_reference(const Case& c, unsigned threads) {
  const CaseElements elements(c, false);
  SliceReference all(c.in, c.acc, c.op);
  std::mutex merging;
  const std::uint64_t step = pieces_at_once * CaseElements::piece;
  os::parallel_for(threads, ceil_div(c.n, step), [&](std::uint64_t i) {
    SliceReference part(c.in, c.acc, c.op);
    elements.for_each_piece(
        {i * step, std::min(step, c.n - i * step)},
        [&](const std::byte* bytes, std::uint64_t count) { part.add(bytes, count); });
    const std::lock_guard lock(merging);
    all.merge(part);
    return true;
  });
  all.finish();
  return all;
}

std::mutex references_mutex;
Kept<SliceReference, 1> references;  // guarded by references_mutex

}  // namespace

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

SliceReference reference_of_all(const Case& c, unsigned threads) {
  const std::lock_guard lock(references_mutex);
  if (auto known = references.find(c)) return *std::move(known);
  SliceReference made = make_reference(c, threads);
  references.keep(c, made);
  return made;
}

void offer_reference_of_all(const Case& c, const SliceReference& all) {
  const std::lock_guard lock(references_mutex);
  if (!references.find(c)) references.keep(c, all);
}

}  // namespace gauntlet
