// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <optional>
#include <span>

#include "base/numbers.hpp"
#include "base/os/parallel_for.hpp"
#include "base/scalar.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/diagnose.hpp"
#include "properties/oracle/doubles.hpp"
#include "properties/oracle/kahan.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {

/// The sign of a NaN hangs on the compiler's order of operands.
std::string SumReference::kahan_text() const {
  return format_bits(Type::f64, std::bit_cast<std::uint64_t>(kahan));
}
std::string SumReference::exact_text() const { return fmt::to_string(exact); }
namespace {

constexpr std::size_t most_blocks = 256;                         // whose slices a diagnosis tries
constexpr std::uint64_t cells_at_once = std::uint64_t{1} << 10;  // taken by a thread
constexpr std::uint64_t few_cells = 64;

/// What the cells of a buffer came to, gathered from all threads.
struct Tally {
  std::mutex mutex;
  std::uint64_t judged = 0, wrong = 0;
  bool exact = true, all_defined = true;
  std::uint64_t first = 0, got = 0;     // the wrong cell with the smallest index
  std::optional<SliceReference> right;  // its reference
};

/// One thread gives everything; several, for as many elements as take one of them minutes, share
/// the elements and the cells and leave out what needs the elements in order.
class Judge {
 public:
  Judge(const Case& c, const Plan& plan, const Observation& observation, unsigned threads)
      : c_(c),
        plan_(plan),
        observation_(observation),
        threads_(threads),
        elements_(c, !shared()),
        whole_(c.in, c.acc, c.op) {}

  Verdict verdict() {
    // Partial results before the total: their references together are the total's.
    for (std::size_t i = plan_.observed.size(); i-- > 0;) {
      const Observed& observed = plan_.observed[i];
      const auto buffer =
          std::find_if(observation_.buffers.begin(), observation_.buffers.end(),
                       [&](const ObservedBuffer& b) { return b.name == observed.buffer; });
      if (buffer != observation_.buffers.end()) judge_buffer(observed, *buffer, i == 0);
    }
    std::reverse(verdict_.findings.begin(), verdict_.findings.end());
    verdict_.ok = verdict_.cells_wrong == 0;
    return std::move(verdict_);
  }

 private:
  [[nodiscard]] bool shared() const { return threads_ != 0; }

  void judge_buffer(const Observed& observed, const ObservedBuffer& buffer, bool first) {
    const Cells cells(c_, observed, plan_.grid);
    const std::uint64_t held = std::min<std::uint64_t>(
        {cells.size(), buffer.defined.size(), buffer.bytes.size() / size_of(c_.acc)});
    const std::uint64_t begin = cells.first(), end = std::min(held, cells.last());
    Tally tally;
    tally.all_defined = held >= cells.last();
    SliceReference combined(c_.acc, c_.acc, c_.op);
    std::vector<SliceReference> slices;
    if (shared() && cells.tile() != 0 && cells.tile() <= CaseElements::piece && !cells.whole() &&
        cells.size() <= few_cells) {
      slices = few_slices(cells);
    }
    const std::uint64_t count = begin < end ? end - begin : 0;
    const std::uint64_t at_once = shared() ? cells_at_once : std::max<std::uint64_t>(count, 1);
    os::parallel_for(threads_, ceil_div(count, at_once), [&](std::uint64_t i) {
      const Run run{begin + i * at_once, std::min(at_once, count - i * at_once)};
      judge_cells(cells, slices, buffer, run, first, tally, combined);
      return true;
    });
    verdict_.cells_judged += tally.judged;
    verdict_.cells_wrong += tally.wrong;
    verdict_.exact &= tally.exact;
    if (tally.wrong != 0) verdict_.findings.push_back(describe(cells, tally, buffer.name));
    if (first) set_total(combined, tally);
  }

  void judge_cells(const Cells& cells, const std::vector<SliceReference>& slices,
                   const ObservedBuffer& buffer, Run run, bool first, Tally& tally,
                   SliceReference& combined) {
    SliceReference slice(c_.in, c_.acc, c_.op), part(c_.acc, c_.acc, c_.op);
    SliceReference& sum = shared() ? part : combined;  // float products cannot be merged
    Tally own;
    for (std::uint64_t cell = run.first; cell < run.first + run.count; ++cell) {
      if (!cells.judged(cell)) continue;
      const bool defined = buffer.defined[cell];
      own.all_defined &= defined;
      if (!defined && (shared() || !first)) continue;
      if (!slices.empty()) {
        slice = slices[cell];
      } else if (shared() && cells.whole()) {
        slice = reference_of_all(c_, threads_);
      } else {
        reduce(cells, cell, first, slice);
      }
      if (!defined) continue;
      const std::byte* const at = buffer.bytes.data() + cell * size_of(c_.acc);
      if (first) sum.add(at, 1);
      if (slice.vague()) continue;
      ++own.judged;
      own.exact &= slice.exact();
      const std::uint64_t got = load_bits(c_.acc, at);
      if (slice.accepts(got, plan_.height, flushes(c_, plan_)) || own.wrong++ != 0) continue;
      own.first = cell;
      own.got = got;
      own.right = slice;
    }
    const std::lock_guard lock(tally.mutex);
    if (shared()) combined.merge(part);
    tally.judged += own.judged;
    tally.exact &= own.exact;
    tally.all_defined &= own.all_defined;
    if (own.wrong != 0 && (tally.wrong == 0 || own.first < tally.first)) {
      tally.first = own.first;
      tally.got = own.got;
      tally.right = own.right;
    }
    tally.wrong += own.wrong;
  }

  /// The cell's reference; one thread alone adds the elements of the first buffer's cells to the
  /// total's reference as well.
  void reduce(const Cells& cells, std::uint64_t cell, bool first, SliceReference& slice) {
    const bool to_total = first && !shared();
    const bool in_order = to_total && float_product() && whole_.count() != 0;  // cannot be merged
    slice.reset();
    cells.for_each_run(cell, [&](Run run) {
      elements_.for_each_piece(run, [&](const std::byte* bytes, std::uint64_t count) {
        slice.add(bytes, count);
        if (in_order) whole_.add(bytes, count);
        if (to_total && float_sum()) add_to_kahan(bytes, count);
      });
    });
    if (to_total && whole_.count() == 0) {
      whole_ = slice;
    } else if (to_total && !in_order) {
      whole_.merge(slice);
    }
    slice.finish();
  }

  /// The references of a few cells with many elements each: the elements are shared out among the
  /// threads, not the cells. Together they are the reference of all.
  std::vector<SliceReference> few_slices(const Cells& cells) {
    const std::vector<SliceReference> none(cells.size(), SliceReference(c_.in, c_.acc, c_.op));
    std::vector<SliceReference> slices = none;
    const std::uint64_t step = round_up(64 * CaseElements::piece, cells.tile());
    std::mutex merging;
    os::parallel_for(threads_, ceil_div(c_.n, step), [&](std::uint64_t i) {
      std::vector<SliceReference> parts = none;
      add_tiles(cells, {i * step, std::min(step, c_.n - i * step)}, parts);
      const std::lock_guard lock(merging);
      for (std::size_t k = 0; k < parts.size(); ++k) slices[k].merge(parts[k]);
      return true;
    });
    SliceReference all(c_.in, c_.acc, c_.op);
    for (const SliceReference& slice : slices) all.merge(slice);
    all.finish();
    offer_reference_of_all(c_, all);
    for (SliceReference& slice : slices) slice.finish();
    return slices;
  }

  /// Whole tiles from a tile's begin on; tile i belongs to cell i modulo the number of cells.
  void add_tiles(const Cells& cells, Run run, std::vector<SliceReference>& parts) const {
    const std::uint64_t tile = cells.tile(), size = size_of(c_.in);
    const std::uint64_t piece = CaseElements::piece / tile * tile;
    for (std::uint64_t at = 0; at < run.count; at += piece) {
      const Run some{run.first + at, std::min(piece, run.count - at)};
      elements_.for_each_piece(some, [&](const std::byte* bytes, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; i += tile) {
          parts[(some.first + i) / tile % cells.size()].add(bytes + i * size,
                                                            std::min(tile, count - i));
        }
      });
    }
  }

  void add_to_kahan(const std::byte* bytes, std::uint64_t count) {
    if (whole_.widens()) {
      for_each_doubles(c_.in, bytes, count, [&](std::span<const double> values) {
        for (const double value : values) kahan_.add(value);
      });
      return;
    }
    const std::size_t size = size_of(c_.in);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t bits = load_bits(c_.in, bytes + i * size);
      kahan_.add(bits_to_double(c_.acc, convert_bits(c_.in, c_.acc, bits)));
    }
  }

  [[nodiscard]] bool float_sum() const { return c_.op == Op::sum && is_float(c_.acc); }
  [[nodiscard]] bool float_product() const { return c_.op == Op::product && is_float(c_.acc); }

  void set_total(SliceReference& combined, const Tally& tally) {
    const bool defined = tally.all_defined;
    if (!shared()) whole_.finish();
    if (float_sum() && !shared()) verdict_.reference = sum_reference();
    if (defined && tally.judged == 0) return;
    if (shared()) whole_ = reference_of_all(c_, threads_);
    combined.finish();
    verdict_.got = defined ? format_bits(c_.acc, combined.bits()) : std::string(undefined_value);
    if (defined || !whole_.vague()) verdict_.expected = format_bits(c_.acc, whole_.bits());
  }

  Finding describe(const Cells& cells, const Tally& tally, const std::string& buffer) const {
    const SliceReference& right = *tally.right;
    const double slack = right.bound(plan_.height);
    Finding finding;
    finding.kind = FindingKind::wrong_result;
    finding.array = buffer;
    finding.index = static_cast<std::int64_t>(cells.first_tile() + tally.first);
    finding.size = static_cast<std::uint32_t>(size_of(c_.acc));
    finding.count = tally.wrong;
    finding.at.value = format_bits(c_.acc, tally.got);
    finding.detail = fmt::format("got {}, expected {}", format_bits(c_.acc, tally.got),
                                 format_bits(c_.acc, right.bits()));
    if (slack != 0) finding.detail += fmt::format(" +- {:.3g}", slack);
    const std::string reason = shared() ? "" : reason_of(cells, tally, slack);
    if (!reason.empty()) finding.detail += ": " + reason;
    return finding;
  }

  std::string reason_of(const Cells& cells, const Tally& tally, double slack) const {
    Suspicion suspicion;
    suspicion.recipe = elements_.recipe();
    suspicion.acc = c_.acc;
    suspicion.got = tally.got;
    suspicion.reference = tally.right->bits();
    suspicion.slack = slack;
    suspicion.slice = cells.runs(tally.first);
    suspicion.tail_cells =
        c_.tail == Tail::dirty || c_.tail == Tail::poison ? std::max(plan_.padded, c_.n) - c_.n : 0;
    name_blocks(cells, suspicion);
    return diagnose(suspicion);
  }

  /// The slices of single blocks: the other cells, or where one cell holds all, tiles of the size
  /// that the coverage names, else of the block's and of twice the block's threads.
  void name_blocks(const Cells& cells, Suspicion& suspicion) const {
    if (!cells.whole()) {
      const std::uint64_t count = std::min<std::uint64_t>(cells.size(), most_blocks);
      for (std::uint64_t cell = 0; cell < count; ++cell) {
        suspicion.blocks.push_back({cell, cells.runs(cell)});
      }
      return;
    }
    std::vector<std::uint64_t> tiles{cells.tile()};
    if (cells.tile() == 0) tiles = {c_.block, std::uint64_t{2} * c_.block};
    for (const std::uint64_t tile : tiles) {
      for (std::uint64_t block = 0; block < most_blocks && block * tile < c_.n; ++block) {
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
  const unsigned threads_;  // 0: this one, with everything
  CaseElements elements_;
  SliceReference whole_;  // of all elements of the first buffer's cells
  Kahan<double> kahan_;
  Verdict verdict_;
};

bool can_judge(const Plan& plan, const Observation& observation) {
  return observation.refused.empty() && plan.refusal.empty() && observation.completed;
}

}  // namespace

Verdict judge(const Case& c, const Plan& plan, const Observation& observation) {
  if (c.n >= large_from) return judge_shared(c, plan, observation);
  if (!can_judge(plan, observation)) return {};
  return Judge(c, plan, observation, 0).verdict();
}

Verdict judge_shared(const Case& c, const Plan& plan, const Observation& observation,
                     unsigned threads) {
  if (!can_judge(plan, observation)) return {};
  const bool in_order = c.block_count != 0 || (c.op == Op::product && is_float(c.acc));
  return Judge(c, plan, observation, in_order ? 0 : os::thread_count(threads)).verdict();
}

}  // namespace gauntlet
