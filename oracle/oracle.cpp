// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "oracle/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "core/scalar.hpp"
#include "oracle/cells.hpp"
#include "oracle/data.hpp"
#include "oracle/diagnose.hpp"
#include "oracle/kahan.hpp"
#include "oracle/oracle_large.hpp"
#include "oracle/reference.hpp"

namespace gauntlet {

std::string SumReference::kahan_text() const { return fmt::to_string(kahan); }
std::string SumReference::exact_text() const { return fmt::to_string(exact); }
namespace {

constexpr std::uint64_t kMostKept = std::uint64_t{1}
                                    << 22;  // elements; more are made piece by piece
constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;
constexpr std::size_t kMostBlocks = 256;  // whose slices a diagnosis tries

/// The elements of a case. Neighbouring cases often share them, so each thread keeps the last ones.
class Elements {
 public:
  explicit Elements(const Case& c) : recipe_(make_recipe(c)) {
    // A window of blocks may need few of them.
    if (c.n <= (c.block_count == 0 ? kMostKept : kPiece)) kept_ = keep(c, recipe_);
  }

  [[nodiscard]] const Recipe& recipe() const { return recipe_; }

  /// f(bytes, count) over the run, piece after piece.
  template <class F>
  void for_each_piece(Run run, F&& f) const {
    if (kept_) return f(kept_->data() + run.first * size_of(recipe_.in), run.count);
    for (std::uint64_t at = 0; at < run.count; at += kPiece) {
      const std::uint64_t count = std::min(kPiece, run.count - at);
      f(make_elements(recipe_, run.first + at, count).data(), count);
    }
  }

 private:
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  struct Entry {
    Case key;
    Bytes bytes;
  };

  /// What the elements depend on, all else left at its default.
  static Case key_of(const Case& c) {
    Case key;
    key.in = c.in, key.acc = c.acc, key.op = c.op, key.n = c.n;
    key.data = c.data, key.seed = c.seed, key.map = c.map, key.map_by = c.map_by;
    return key;
  }

  static Bytes keep(const Case& c, const Recipe& recipe) {
    constexpr std::size_t kEntries = 4;
    thread_local std::vector<Entry> entries;
    const Case key = key_of(c);
    for (const Entry& entry : entries) {
      if (entry.key == key) return entry.bytes;
    }
    if (entries.size() == kEntries) entries.erase(entries.begin());
    auto bytes = std::make_shared<const std::vector<std::byte>>(make_elements(recipe, 0, c.n));
    entries.push_back({key, bytes});
    return bytes;
  }

  Recipe recipe_;
  Bytes kept_;
};

class Judge {
 public:
  Judge(const Case& c, const Plan& plan, const Observation& observation)
      : c_(c),
        plan_(plan),
        observation_(observation),
        elements_(c),
        slice_(c.in, c.acc, c.op),
        whole_(c.in, c.acc, c.op) {}

  Verdict verdict() {
    for (std::size_t i = 0; i < plan_.observed.size(); ++i) {
      const Observed& observed = plan_.observed[i];
      const auto buffer =
          std::find_if(observation_.buffers.begin(), observation_.buffers.end(),
                       [&](const ObservedBuffer& b) { return b.name == observed.buffer; });
      if (buffer != observation_.buffers.end()) judge_buffer(observed, *buffer, i == 0);
    }
    verdict_.ok = verdict_.cells_wrong == 0;
    // Over all n elements, so not for a window of a few blocks of a huge input.
    if (c_.op == Op::sum && is_float(c_.acc) && c_.block_count == 0) {
      verdict_.reference = sum_reference();
    }
    return std::move(verdict_);
  }

 private:
  void judge_buffer(const Observed& observed, const ObservedBuffer& buffer, bool first) {
    const Cells cells(c_, observed, plan_.grid);
    const std::size_t size = size_of(c_.acc);
    const std::uint64_t held =
        std::min<std::uint64_t>({cells.size(), buffer.defined.size(), buffer.bytes.size() / size});
    SliceReference combined(c_.acc, c_.acc, c_.op);
    bool all = held >= cells.last();
    Finding finding;
    std::uint64_t wrong = 0;
    for (std::uint64_t cell = cells.first(); cell < std::min(held, cells.last()); ++cell) {
      if (!cells.judged(cell)) continue;
      if (first || buffer.defined[cell]) reduce(cells, cell, first);
      if (!buffer.defined[cell]) {
        all = false;
        continue;
      }
      const std::byte* const at = buffer.bytes.data() + cell * size;
      if (first) combined.add(at, 1);
      const std::uint64_t got = load_bits(c_.acc, at);
      if (slice_.vague()) continue;
      ++verdict_.cells_judged;
      verdict_.exact &= slice_.exact();
      if (slice_.accepts(got, plan_.height, flushes(c_, plan_))) continue;
      if (wrong++ == 0) finding = describe(cells, cell, got, buffer.name);
    }
    verdict_.cells_wrong += wrong;
    if (wrong != 0) {
      finding.count = wrong;
      verdict_.findings.push_back(std::move(finding));
    }
    if (first) set_total(combined, all && verdict_.cells_judged != 0);
  }

  /// Leaves the cell's reference in slice_; for the first buffer its elements go into the total's
  /// reference as well.
  void reduce(const Cells& cells, std::uint64_t cell, bool first) {
    slice_.reset();
    cells.for_each_run(cell, [&](Run run) {
      elements_.for_each_piece(run, [&](const std::byte* bytes, std::uint64_t count) {
        slice_.add(bytes, count);
        if (first) add_to_total(bytes, count);
      });
    });
    slice_.finish();
  }

  void add_to_total(const std::byte* bytes, std::uint64_t count) {
    whole_.add(bytes, count);
    if (!float_sum()) return;
    const std::size_t size = size_of(c_.in);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t bits = load_bits(c_.in, bytes + i * size);
      kahan_.add(bits_to_double(c_.acc, convert_bits(c_.in, c_.acc, bits)));
    }
  }

  [[nodiscard]] bool float_sum() const { return c_.op == Op::sum && is_float(c_.acc); }

  void set_total(SliceReference& combined, bool known) {
    whole_.finish();
    combined.finish();
    if (known) {
      verdict_.got = format_bits(c_.acc, combined.bits());
      verdict_.expected = format_bits(c_.acc, whole_.bits());
    }
    if (float_sum()) verdict_.reference = sum_reference();
  }

  Finding describe(const Cells& cells, std::uint64_t cell, std::uint64_t got,
                   const std::string& buffer) {
    Suspicion suspicion;
    suspicion.recipe = elements_.recipe();
    suspicion.acc = c_.acc;
    suspicion.got = got;
    suspicion.reference = slice_.bits();
    suspicion.slack = slice_.bound(plan_.height);
    suspicion.slice = cells.runs(cell);
    suspicion.tail_cells =
        c_.tail == Tail::dirty || c_.tail == Tail::poison ? std::max(plan_.padded, c_.n) - c_.n : 0;
    name_blocks(cells, suspicion);
    const std::string reason = diagnose(suspicion);

    Finding finding;
    finding.kind = FindingKind::wrong_result;
    finding.array = buffer;
    finding.index = static_cast<std::int64_t>(cells.first_tile() + cell);
    finding.size = static_cast<std::uint32_t>(size_of(c_.acc));
    finding.at.value = format_bits(c_.acc, got);
    finding.detail = fmt::format("got {}, expected {}", format_bits(c_.acc, got),
                                 format_bits(c_.acc, slice_.bits()));
    if (suspicion.slack != 0) finding.detail += fmt::format(" +- {:.3g}", suspicion.slack);
    if (!reason.empty()) finding.detail += ": " + reason;
    return finding;
  }

  /// The slices of single blocks: the other cells, or where one cell holds all, tiles of the size
  /// that the coverage names, else of the block's and of twice the block's threads.
  void name_blocks(const Cells& cells, Suspicion& suspicion) const {
    if (!cells.whole()) {
      const std::uint64_t count = std::min<std::uint64_t>(cells.size(), kMostBlocks);
      for (std::uint64_t cell = 0; cell < count; ++cell) {
        suspicion.blocks.push_back({cell, cells.runs(cell)});
      }
      return;
    }
    std::vector<std::uint64_t> tiles{cells.tile()};
    if (cells.tile() == 0) tiles = {c_.block, std::uint64_t{2} * c_.block};
    for (const std::uint64_t tile : tiles) {
      for (std::uint64_t block = 0; block < kMostBlocks && block * tile < c_.n; ++block) {
        const Run run{block * tile, std::min(tile, c_.n - block * tile)};
        suspicion.blocks.push_back({block, {run}});
      }
    }
  }

  SumReference sum_reference() const {
    const ExactTotal& total = whole_.total();
    SumReference reference;
    reference.kahan = kahan_.value();
    reference.exact = bits_to_double(Type::f64, total.rounded(Type::f64));
    reference.sum_of_magnitudes = total.magnitude.to_double();
    reference.kahan_bound = kahan_bound(whole_.count(), 0x1p-53, reference.sum_of_magnitudes);
    // Kahan's sum of infinities is NaN, and near the top of the range it may overflow on its way.
    if (total.finite() && reference.sum_of_magnitudes < 0x1p1020) {
      FixedPoint error =
          FixedPoint::of(format_of(Type::f64), std::bit_cast<std::uint64_t>(reference.kahan));
      error -= total.sum;
      reference.kahan_error = error.magnitude().to_double();
      reference.kahan_in_bound = reference.kahan_error <= reference.kahan_bound;
    }
    return reference;
  }

  const Case& c_;
  const Plan& plan_;
  const Observation& observation_;
  Elements elements_;
  SliceReference slice_, whole_;
  Kahan<double> kahan_;
  Verdict verdict_;
};

}  // namespace

Verdict judge(const Case& c, const Plan& plan, const Observation& observation) {
  if (!observation.refused.empty() || !plan.refusal.empty() || !observation.completed) return {};
  if (c.n >= large_from && can_judge_large(c)) return judge_large(c, plan, observation);
  return Judge(c, plan, observation).verdict();
}

}  // namespace gauntlet
