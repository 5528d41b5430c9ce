// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "oracle/oracle_large.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/scalar.hpp"
#include "oracle/cells.hpp"
#include "oracle/data.hpp"
#include "oracle/reference.hpp"

namespace gauntlet {
namespace {

constexpr std::uint64_t kPiece = std::uint64_t{1} << 16;  // elements made at once
constexpr std::uint64_t kFewCells = 64;
constexpr std::uint64_t kCellsAtOnce = std::uint64_t{1} << 10;  // taken by a thread

/// work(begin, end) over [0, count) in steps, on several threads; each thread makes its own `work`.
void in_parallel(
    unsigned threads, std::uint64_t count, std::uint64_t step,
    const std::function<std::function<void(std::uint64_t, std::uint64_t)>()>& make_work) {
  std::atomic<std::uint64_t> next{0};
  const auto loop = [&] {
    const auto work = make_work();
    for (std::uint64_t at = next.fetch_add(step); at < count; at = next.fetch_add(step)) {
      work(at, std::min(count, at + step));
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(loop);
  loop();
}

void add_run(const Recipe& recipe, Run run, SliceReference& to) {
  for (std::uint64_t at = 0; at < run.count; at += kPiece) {
    const std::uint64_t count = std::min(kPiece, run.count - at);
    to.add(make_elements(recipe, run.first + at, count).data(), count);
  }
}

/// What the elements of a case depend on.
Case elements_key(const Case& c) {
  Case key;
  key.in = c.in, key.acc = c.acc, key.op = c.op, key.n = c.n;
  key.data = c.data, key.seed = c.seed, key.map = c.map, key.map_by = c.map_by;
  return key;
}

/// The reference of all elements of a case, kept for the next case with the same ones.
class KeptReference {
 public:
  [[nodiscard]] SliceReference of(const Case& c, unsigned threads) {
    const std::lock_guard lock(mutex_);
    if (!kept_ || !(known_ == elements_key(c))) keep(c, make(c, threads));
    return *kept_;
  }
  /// Where it has been made on the way to something else.
  void offer(const Case& c, const SliceReference& all) {
    const std::lock_guard lock(mutex_);
    keep(c, all);
  }

 private:
  void keep(const Case& c, const SliceReference& all) {
    known_ = elements_key(c);
    kept_ = all;
  }
  static SliceReference make(const Case& c, unsigned threads) {
    const Recipe recipe = make_recipe(c);
    SliceReference all(c.in, c.acc, c.op);
    std::mutex merging;
    in_parallel(threads, c.n, 64 * kPiece, [&] {
      return [&](std::uint64_t begin, std::uint64_t end) {
        SliceReference part(c.in, c.acc, c.op);
        add_run(recipe, {begin, end - begin}, part);
        const std::lock_guard lock(merging);
        all.merge(part);
      };
    });
    all.finish();
    return all;
  }
  std::mutex mutex_;
  Case known_;
  std::optional<SliceReference> kept_;
};

KeptReference& kept_reference() {
  static KeptReference kept;
  return kept;
}

struct Tally {
  std::mutex mutex;
  std::uint64_t judged = 0, wrong = 0;
  bool exact = true, all_defined = true;
  Finding first;  ///< of the wrong cell with the smallest index
};

Finding wrong_cell(const Case& c, const std::string& buffer, std::uint64_t cell, std::uint64_t got,
                   const SliceReference& slice, std::uint64_t height) {
  Finding finding;
  finding.kind = FindingKind::wrong_result;
  finding.array = buffer;
  finding.index = static_cast<std::int64_t>(cell);
  finding.size = static_cast<std::uint32_t>(size_of(c.acc));
  finding.at.value = format_bits(c.acc, got);
  finding.detail =
      fmt::format("got {}, expected {}", format_bits(c.acc, got), format_bits(c.acc, slice.bits()));
  if (const double slack = slice.bound(height); slack != 0) {
    finding.detail += fmt::format(" +- {:.3g}", slack);
  }
  return finding;
}

class LargeJudge {
 public:
  LargeJudge(const Case& c, const Plan& plan, unsigned threads)
      : c_(c), plan_(plan), threads_(threads), recipe_(make_recipe(c)) {}

  void judge_buffer(const Observed& observed, const ObservedBuffer& buffer, bool first,
                    Verdict& verdict) {
    const Cells cells(c_, observed, plan_.grid);
    const std::uint64_t held = std::min<std::uint64_t>(
        {cells.size(), buffer.defined.size(), buffer.bytes.size() / size_of(c_.acc)});
    Tally tally;
    tally.all_defined = held == cells.size();
    SliceReference combined(c_.acc, c_.acc, c_.op);
    std::vector<SliceReference> slices;
    const bool small_tiles = cells.tile() != 0 && cells.tile() <= kPiece;
    if (!cells.whole() && small_tiles && cells.size() <= kFewCells) slices = few_slices(cells);
    in_parallel(threads_, held, kCellsAtOnce, [&] {
      return [&](std::uint64_t begin, std::uint64_t end) {
        judge_cells(cells, slices, buffer, begin, end, tally, combined);
      };
    });
    verdict.cells_judged += tally.judged;
    verdict.cells_wrong += tally.wrong;
    verdict.exact &= tally.exact;
    if (tally.wrong != 0) {
      tally.first.count = tally.wrong;
      verdict.findings.push_back(tally.first);
    }
    if (first && tally.all_defined) {
      combined.finish();
      verdict.got = format_bits(c_.acc, combined.bits());
      verdict.expected = format_bits(c_.acc, kept_reference().of(c_, threads_).bits());
    }
  }

 private:
  /// The references of a few cells with many elements each: the elements are shared out among the
  /// threads, not the cells. Together they are the reference of all.
  std::vector<SliceReference> few_slices(const Cells& cells) {
    const std::vector<SliceReference> none(cells.size(), SliceReference(c_.in, c_.acc, c_.op));
    std::vector<SliceReference> slices = none;
    const std::uint64_t tile = cells.tile();
    const std::uint64_t step = 64 * kPiece / tile * tile;
    std::mutex merging;
    in_parallel(threads_, c_.n, step, [&] {
      return [&](std::uint64_t begin, std::uint64_t end) {
        std::vector<SliceReference> parts = none;
        add_tiles(cells, tile, {begin, end - begin}, parts);
        const std::lock_guard lock(merging);
        for (std::size_t i = 0; i < parts.size(); ++i) slices[i].merge(parts[i]);
      };
    });
    SliceReference all(c_.in, c_.acc, c_.op);
    for (const SliceReference& slice : slices) all.merge(slice);
    all.finish();
    kept_reference().offer(c_, all);
    for (SliceReference& slice : slices) slice.finish();
    return slices;
  }

  /// Whole tiles from a tile's begin on; tile i belongs to cell i modulo the number of cells.
  void add_tiles(const Cells& cells, std::uint64_t tile, Run run,
                 std::vector<SliceReference>& parts) const {
    const std::uint64_t size = size_of(c_.in);
    const std::uint64_t piece = kPiece / tile * tile;
    for (std::uint64_t at = 0; at < run.count; at += piece) {
      const std::uint64_t first = run.first + at;
      const std::uint64_t count = std::min(piece, run.count - at);
      const std::vector<std::byte> bytes = make_elements(recipe_, first, count);
      for (std::uint64_t i = 0; i < count; i += tile) {
        parts[(first + i) / tile % cells.size()].add(bytes.data() + i * size,
                                                     std::min(tile, count - i));
      }
    }
  }

  void judge_cells(const Cells& cells, const std::vector<SliceReference>& slices,
                   const ObservedBuffer& buffer, std::uint64_t begin, std::uint64_t end,
                   Tally& tally, SliceReference& combined) {
    SliceReference slice(c_.in, c_.acc, c_.op), sum(c_.acc, c_.acc, c_.op);
    std::uint64_t judged = 0, wrong = 0;
    bool exact = true, defined = true;
    Finding first;
    for (std::uint64_t cell = begin; cell < end; ++cell) {
      if (!buffer.defined[cell]) {
        defined = false;
        continue;
      }
      const std::byte* const at = buffer.bytes.data() + cell * size_of(c_.acc);
      sum.add(at, 1);
      if (!slices.empty()) {
        slice = slices[cell];
      } else if (cells.whole()) {
        slice = kept_reference().of(c_, threads_);
      } else {
        slice.reset();
        cells.for_each_run(cell, [&](Run run) { add_run(recipe_, run, slice); });
        slice.finish();
      }
      if (slice.vague()) continue;
      ++judged;
      exact &= slice.exact();
      const std::uint64_t got = load_bits(c_.acc, at);
      if (slice.accepts(got, plan_.height, flushes(c_, plan_))) continue;
      if (wrong++ == 0) first = wrong_cell(c_, buffer.name, cell, got, slice, plan_.height);
    }
    const std::lock_guard lock(tally.mutex);
    combined.merge(sum);
    tally.judged += judged;
    tally.exact &= exact;
    tally.all_defined &= defined;
    if (wrong != 0 && (tally.wrong == 0 || first.index < tally.first.index)) tally.first = first;
    tally.wrong += wrong;
  }

  const Case& c_;
  const Plan& plan_;
  unsigned threads_;
  Recipe recipe_;
};

}  // namespace

bool can_judge_large(const Case& c) {
  return c.block_count == 0 && !(c.op == Op::product && is_float(c.acc));
}

Verdict judge_large(const Case& c, const Plan& plan, const Observation& observation,
                    unsigned threads) {
  Verdict verdict;
  if (!observation.refused.empty() || !plan.refusal.empty() || !observation.completed) {
    return verdict;
  }
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  LargeJudge judge(c, plan, threads);
  // Partial results before the total: their references together are the total's.
  for (std::size_t i = plan.observed.size(); i-- > 0;) {
    const auto buffer =
        std::find_if(observation.buffers.begin(), observation.buffers.end(),
                     [&](const ObservedBuffer& b) { return b.name == plan.observed[i].buffer; });
    if (buffer == observation.buffers.end()) continue;
    judge.judge_buffer(plan.observed[i], *buffer, i == 0, verdict);
  }
  std::reverse(verdict.findings.begin(), verdict.findings.end());
  verdict.ok = verdict.cells_wrong == 0;
  return verdict;
}

}  // namespace gauntlet
