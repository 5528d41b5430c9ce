// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/os/parallel_for.hpp"
#include "base/scalar.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/diagnose.hpp"
#include "properties/oracle/reference.hpp"

namespace gauntlet {
namespace {

constexpr std::size_t most_blocks = 256;                         // whose slices a diagnosis tries
constexpr std::uint64_t cells_at_once = std::uint64_t{1} << 10;  // taken by a thread
constexpr std::uint64_t few_cells = 64;

/// One thread gives everything; several, for as many elements as take one of them minutes, share
/// the elements and the cells and leave out what needs the elements in order.
class Judge {
 public:
  Judge(const Case& c, const Plan& plan, const Observation& observation, unsigned threads)
      : c_(c), plan_(plan), observation_(observation), threads_(threads), elements_(c, !shared()) {}

  Verdict verdict() {
    std::string got, expected;
    // Partial results before the total: their references together are the total's.
    for (std::size_t i = plan_.observed.size(); i-- > 0;) {
      const Observed& observed = plan_.observed[i];
      const auto buffer =
          std::ranges::find(observation_.buffers, observed.buffer, &ObservedBuffer::name);
      if (buffer == observation_.buffers.end()) continue;
      Pass pass{Cells(c_, observed, plan_.grid), *buffer, i == 0 && !shared()};
      judge_buffer(pass);
      if (i == 0) set_total(pass, got, expected);
    }
    std::ranges::reverse(verdict_.findings);
    verdict_.got = std::move(got);
    verdict_.expected = std::move(expected);
    return std::move(verdict_);
  }

 private:
  /// Over the cells of one buffer, those in [begin, end).
  struct Pass {
    Cells cells;
    const ObservedBuffer& buffer;
    bool to_total = false;  ///< their references are merged to the total's
    std::uint64_t begin = 0, end = 0, judged = 0;
    [[nodiscard]] bool defined(std::uint64_t cell) const {
      return cells.judged(cell) && buffer.defined[cell];
    }
  };

  [[nodiscard]] bool shared() const { return threads_ != 0; }

  void judge_buffer(Pass& pass) {
    const Cells& cells = pass.cells;
    const std::uint64_t held = std::min<std::uint64_t>(
        {cells.size(), pass.buffer.defined.size(), pass.buffer.bytes.size() / size_of(c_.acc)});
    pass.end = std::min(held, cells.last());
    pass.begin = std::min(cells.first(), pass.end);
    const bool few = shared() && cells.tile() != 0 && cells.tile() <= CaseElements::piece &&
                     !cells.whole() && cells.size() <= few_cells;
    const std::vector<SliceReference> slices =
        few ? few_slices(cells) : std::vector<SliceReference>{};
    const std::uint64_t count = pass.end - pass.begin;
    const std::uint64_t at_once = shared() ? cells_at_once : std::max<std::uint64_t>(count, 1);
    Judged all(pass.buffer, c_.acc, cells.first_tile());
    std::mutex merging;
    os::parallel_for(threads_, ceil_div(count, at_once), [&](std::uint64_t i) {
      const std::uint64_t first = pass.begin + i * at_once;
      Judged part(pass.buffer, c_.acc, cells.first_tile());
      judge_cells(pass, first, std::min(first + at_once, pass.end), slices, part);
      const std::lock_guard lock(merging);
      all.merge(part);
      return true;
    });
    pass.judged = all.judged();
    const std::string reason = shared() ? "" : reason_of(cells, all.wrong());
    all.tell(verdict_, reason.empty() ? "" : ": " + reason);
  }

  void judge_cells(const Pass& pass, std::uint64_t first, std::uint64_t end,
                   const std::vector<SliceReference>& slices, Judged& judged) {
    SliceReference slice(c_.in, c_.acc, c_.op);
    const std::uint64_t flushed = flushes(c_, plan_);
    for (std::uint64_t cell = first; cell < end; ++cell) {
      const bool defined = pass.defined(cell);
      if (!defined && (!pass.cells.judged(cell) || !pass.to_total)) continue;
      if (!slices.empty()) {
        slice = slices[cell];
      } else if (shared() && pass.cells.whole()) {
        slice = reference_of_all(c_, threads_);
      } else {
        reduce(pass, cell, slice);
      }
      if (!defined || slice.vague()) continue;
      judged.judge(cell, slice.accepts(judged.bits(cell), plan_.height, flushed), slice.exact(),
                   [&] { return slice.expected(plan_.height, flushed); });
    }
  }

  /// The cell's reference; one thread alone adds the cell's elements to those of all as well.
  void reduce(const Pass& pass, std::uint64_t cell, SliceReference& slice) {
    SliceReference& whole = all_.whole;
    const bool product = c_.op == Op::product && is_float(c_.acc);  // cannot be merged
    const bool in_order = pass.to_total && product && whole.count() != 0;
    slice.reset();
    pass.cells.for_each_run(cell, [&](Run run) {
      elements_.for_each_piece(run, [&](const std::byte* bytes, std::uint64_t count) {
        slice.add(bytes, count);
        if (in_order) whole.add(bytes, count);
        if (pass.to_total && float_sum()) all_.add_to_kahan(bytes, count);
      });
    });
    if (pass.to_total && whole.count() == 0) {
      whole = slice;
    } else if (pass.to_total && !in_order) {
      whole.merge(slice);
    }
    slice.finish();
  }

  [[nodiscard]] bool float_sum() const { return c_.op == Op::sum && is_float(c_.acc); }

  /// The references of a few cells with many elements each: the elements are shared out among the
  /// threads, not the cells. Together they are the reference of all.
  std::vector<SliceReference> few_slices(const Cells& cells) const {
    auto slices = references_of_tiles(c_, cells.tile(), cells.size(), threads_);
    SliceReference all(c_.in, c_.acc, c_.op);
    for (SliceReference& slice : slices) {
      all.merge(slice);
      slice.finish();
    }
    offer_reference_of_all(c_, std::move(all));
    return slices;
  }

  /// All cells combined, and the reference of their elements.
  void set_total(const Pass& pass, std::string& got, std::string& expected) {
    SliceReference combined(c_.acc, c_.acc, c_.op);
    bool all_defined = pass.end == pass.cells.last();
    for (std::uint64_t cell = pass.begin; cell < pass.end; ++cell) {
      const std::uint64_t first = cell;
      while (cell < pass.end && pass.defined(cell)) ++cell;
      combined.add(pass.buffer.bytes.data() + first * size_of(c_.acc), cell - first);
      all_defined &= cell == pass.end || !pass.cells.judged(cell);
    }
    SliceReference& whole = all_.whole;
    if (pass.to_total) whole.finish();
    if (pass.to_total && float_sum()) verdict_.reference = all_.reference();
    if (all_defined && pass.judged == 0) return;
    if (shared()) whole = reference_of_all(c_, threads_);
    combined.finish();
    got = all_defined ? format_bits(c_.acc, combined.bits()) : std::string(undefined_value);
    if (all_defined || !whole.vague()) expected = format_bits(c_.acc, whole.bits());
  }

  std::string reason_of(const Cells& cells, const Judged::Cell* wrong) const {
    if (wrong == nullptr) return {};
    Suspicion suspicion;
    suspicion.recipe = elements_.recipe();
    suspicion.acc = c_.acc;
    suspicion.got = wrong->bits;
    suspicion.reference = expected_bits(c_.acc, wrong->expected);
    suspicion.slack = static_cast<double>(wrong->expected.real.error);
    suspicion.slice = cells.runs(wrong->index);
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

  const Case& c_;
  const Plan& plan_;
  const Observation& observation_;
  const unsigned threads_;  // 0: this one, with everything
  CaseElements elements_;
  SumOfAll all_{c_.in, c_.acc,
                SliceReference(c_.in, c_.acc, c_.op)};  // of the first buffer's cells
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
