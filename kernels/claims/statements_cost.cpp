// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Statements 16 to 20: figures of the timing pass on a GPU, as committed in docs/results/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.hpp"
#include "kernels/claims/evidence.hpp"
#include "kernels/claims/statements.hpp"

namespace gauntlet::claims {
namespace {

/// Two times nearer than this are the same for a statement about cost.
constexpr double same = 0.05;

/// The sizes that documents A and C measured.
constexpr std::uint64_t floats_of_a = std::uint64_t{1} << 27, ints_of_c = 100'000'000;

std::string speedups(const std::vector<SpeedUp>& rows) {
  std::string text;
  for (const auto& row : rows) {
    text += fmt::format("{}{} {:.2f} (documented {:.2f})", text.empty() ? "" : ", ", row.variant,
                        row.speedup, row.documented_speedup);
  }
  return text;
}

/// How far the repetitions of a measurement lie apart, at worst over those of the variants with
/// these types and n (and block, where it is not 0).
std::string spread(const Report& timing, const std::vector<std::string>& variants, Type in,
                   std::uint64_t n, std::uint32_t block = 0) {
  double worst = -1;
  for (const auto& m : timing.measurements) {
    const bool asked = m.in == in && m.n == n && (block == 0 || m.block == block) &&
                       (m.form.empty() || m.form == "fixed") &&
                       std::ranges::count(variants, m.variant) != 0;
    if (asked) worst = std::max(worst, spread_percent(m.samples_us));
  }
  return worst < 0 ? "" : fmt::format("; repetitions lie at most {:.1f} % apart", worst);
}

std::vector<std::string> variants_of(const std::vector<SpeedUp>& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.variant);
  return names;
}

const SpeedUp* row_of(const std::vector<SpeedUp>& rows, std::string_view variant) {
  for (const auto& row : rows) {
    if (row.variant == variant) return &row;
  }
  return nullptr;
}

}  // namespace

/// True where every row is within a fifth of the document's speed-up, true if where at least no
/// step is slower than the one before by more than 5 %, as in the document's own table.
Evidence judge_ladder(const Report& timing) {
  const auto rows = rows_of(timing, 16);
  Evidence evidence{std::nullopt, speedups(rows), source_of(timing)};
  if (rows.size() < 2) return evidence;
  evidence.number += spread(timing, variants_of(rows), Type::f32, floats_of_a);
  bool near = true, never_slower = true;
  for (std::size_t k = 1; k < rows.size(); ++k) {
    near = near && std::abs(rows[k].speedup / rows[k].documented_speedup - 1) <= 0.2;
    never_slower = never_slower && rows[k].speedup >= (1 - same) * rows[k - 1].speedup;
  }
  evidence.verdict = near           ? Verdict::is_true
                     : never_slower ? Verdict::true_if
                                    : Verdict::not_reproduced;
  return evidence;
}

std::vector<SpeedUp> launches_of_c(const Report& timing) {
  auto rows = rows_of(timing, 17);
  if (std::ranges::any_of(rows, &SpeedUp::own_launch)) {
    std::erase_if(rows, [](const auto& row) { return !row.own_launch; });
    return rows;
  }
  const bool has_32 = std::ranges::any_of(rows, [](const auto& row) { return row.block == 32; });
  const std::uint32_t block = has_32 || rows.empty() ? 32 : rows.front().block;
  std::erase_if(rows, [&](const auto& row) { return row.block != block; });
  return rows;
}

/// The same rule, for C's own launches; where those were not measured, at best "not reproduced
/// here": blocks of 32 with as many threads as n needs say nothing about a launch of four times as
/// many.
Evidence judge_vector_kernels(const Report& timing) {
  const auto rows = launches_of_c(timing);
  Evidence evidence{std::nullopt, "", source_of(timing)};
  if (rows.empty()) return evidence;
  const bool own = rows.front().own_launch;
  evidence.number = fmt::format("{}: {}",
                                own ? "in C's launches"
                                    : fmt::format("all at B = {} with as many threads "
                                                  "as n needs, not C's launches",
                                                  rows.front().block),
                                speedups(rows));
  const auto* staged = row_of(rows, "int4_through_shared");
  const auto* coarsened = row_of(rows, "int4_coarsened");
  const auto* shuffled = row_of(rows, "int4_shuffle");
  if (staged == nullptr || coarsened == nullptr || shuffled == nullptr) return evidence;
  if (const auto* limit = limit_of(timing, Type::i32, ints_of_c)) {
    evidence.number +=
        fmt::format("; int4_coarsened reads {:.0f} GB/s of the {:.0f} that reading alone reaches",
                    coarsened->gb_per_s, limit->gb_per_s());
  }
  if (!own) {
    evidence.number += spread(timing, variants_of(rows), Type::i32, ints_of_c, rows.front().block);
  }
  bool near = true;
  for (const auto& row : rows)
    near = near && std::abs(row.speedup / row.documented_speedup - 1) <= 0.2;
  const bool order = staged->speedup > 1 + same &&
                     coarsened->speedup > (1 + same) * staged->speedup &&
                     std::abs(shuffled->speedup / coarsened->speedup - 1) <= 2 * same;
  evidence.verdict = own && near    ? Verdict::is_true
                     : own && order ? Verdict::true_if
                                    : Verdict::not_reproduced;
  return evidence;
}

Evidence judge_unrolling(const Report& timing) {
  const auto rows = rows_of(timing, 16);
  const auto *barriers = row_of(rows, "first_add_on_load"),
             *tail = row_of(rows, "volatile_warp_tail"), *unrolled = row_of(rows, "full_unroll");
  Evidence evidence{std::nullopt, "", source_of(timing)};
  if (barriers == nullptr || tail == nullptr || unrolled == nullptr) return evidence;
  const double by_unrolling = tail->median_us / unrolled->median_us - 1,
               by_barriers = barriers->median_us / tail->median_us - 1;
  evidence.number = fmt::format(
      "2^27 floats: unrolling the tree changes the speed by {:+.1f} %, the warp tail without block "
      "barriers by {:+.1f} %",
      100 * by_unrolling, 100 * by_barriers);
  evidence.number +=
      spread(timing, {barriers->variant, tail->variant, unrolled->variant}, Type::f32, floats_of_a);
  const bool barely = std::abs(by_unrolling) <= same, helps = by_barriers > same;
  evidence.verdict = barely && helps   ? Verdict::is_true
                     : barely || helps ? Verdict::true_if
                                       : Verdict::is_false;
  return evidence;
}

Evidence judge_many_elements(const Report& timing) {
  Evidence evidence{std::nullopt, "", source_of(timing)};
  const auto *one = time_of(timing, "shuffle_down", Type::f32, floats_of_a),
             *many = time_of(timing, "grid_stride", Type::f32, floats_of_a);
  // The median over the seeds that were run; -1 for none.
  const auto error = [&](std::string_view variant) -> double {
    std::vector<double> errors;
    for (const auto& a : timing.accuracy) {
      if (a.variant == variant) errors.push_back(a.relative_error);
    }
    return errors.empty() ? -1 : median(errors);
  };
  const double one_error = error("shuffle_down"), many_error = error("grid_stride");
  if (one == nullptr || many == nullptr || one_error < 0 || many_error < 0 ||
      timing.allocation.size() < 2) {
    return evidence;
  }
  const auto [cheapest, dearest] = std::minmax_element(
      timing.allocation.begin(), timing.allocation.end(),
      [](const auto& a, const auto& b) { return a.median_us() < b.median_us(); });
  evidence.number = fmt::format(
      "2^27 floats: grid_stride {:.0f} us, shuffle_down, one element per thread, {:.0f} us; median "
      "relative errors at 10^8 floats {:.1e} and {:.1e}; {} costs {:.1f} us a call, {} {:.1f} us",
      many->median_us(), one->median_us(), many_error, one_error, cheapest->what,
      cheapest->median_us(), dearest->what, dearest->median_us());
  evidence.number +=
      fmt::format("; repetitions lie at most {:.1f} % apart",
                  std::max(spread_percent(one->samples_us), spread_percent(many->samples_us)));
  const bool faster = many->median_us() < (1 - same) * one->median_us(),
             accurate = many_error <= one_error,
             cheaper = cheapest->median_us() < (1 - same) * dearest->median_us();
  evidence.verdict = faster && accurate && cheaper                        ? Verdict::is_true
                     : static_cast<int>(faster) + accurate + cheaper == 0 ? Verdict::is_false
                                                                          : Verdict::true_if;
  return evidence;
}

Evidence judge_fat_blocks(const Report& timing) {
  Evidence evidence{std::nullopt, "", source_of(timing)};
  const Measurement *best = nullptr, *most = nullptr;
  for (const auto& m : timing.measurements) {
    if (m.kind != timing::Kind::sweep || m.variant != "two_pass" || m.in != Type::f32) continue;
    if (best != nullptr && m.n < best->n) continue;
    if (best != nullptr && m.n > best->n) best = most = nullptr;  // the largest n decides
    if (best == nullptr || m.median_us() < best->median_us()) best = &m;
    if (most == nullptr || m.grid > most->grid ||
        (m.grid == most->grid && m.median_us() < most->median_us())) {
      most = &m;
    }
  }
  if (best == nullptr) return evidence;
  evidence.number = fmt::format(
      "two_pass over {} floats: {:.0f} us with {} blocks of {}, {:.0f} us at best with the most "
      "blocks, {} of {}",
      grouped(best->n), best->median_us(), grouped(best->grid), best->block, most->median_us(),
      grouped(most->grid), most->block);
  evidence.number +=
      fmt::format("; repetitions lie at most {:.1f} % apart",
                  std::max(spread_percent(best->samples_us), spread_percent(most->samples_us)));
  evidence.verdict = best->grid < most->grid && best->median_us() < (1 - same) * most->median_us()
                         ? Verdict::is_true
                         : Verdict::is_false;
  return evidence;
}

Evidence ladder_of_speedups(const Claim&) { return from_committed(judge_ladder); }

/// The times of a GPU, and what C's launches of the two int4 kernels execute: the machine counts
/// 4096 ints, with n / 32 blocks for the first as C launches it, and n / 128.
Evidence profile_of_vector_kernels(const Claim&) {
  Evidence evidence = from_committed(judge_vector_kernels);
  if (!evidence.verdict) return evidence;
  const auto executed = [](std::string_view variant, int grid) {
    return count_case(
               fmt::format("{}@documented i32->i32 sum n=4096 block=32 grid={}", variant, grid))
        .warp_instructions;
  };
  evidence.number += fmt::format(
      "; over 4096 ints C's int4 kernel executes {} warp instructions with n threads, as C "
      "launches "
      "it, and {} with n / 4, the coarsened one {} with n / 4",
      executed("int4_through_shared", 128), executed("int4_through_shared", 32),
      executed("int4_coarsened", 32));
  evidence.source += "; " + std::string(on_machine);
  return evidence;
}

Evidence unrolling_and_barriers(const Claim&) { return from_committed(judge_unrolling); }
Evidence many_elements_per_thread(const Claim&) { return from_committed(judge_many_elements); }
Evidence fewer_fatter_blocks(const Claim&) { return from_committed(judge_fat_blocks); }

}  // namespace gauntlet::claims
