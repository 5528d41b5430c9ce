// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/oracle/verdict.hpp"

#include <fmt/format.h>

#include <bit>
#include <span>

#include "properties/oracle/doubles.hpp"

namespace gauntlet {

/// The sign of a NaN hangs on the compiler's order of operands.
std::string SumReference::kahan_text() const {
  return format_bits(Type::f64, std::bit_cast<std::uint64_t>(kahan));
}
std::string SumReference::exact_text() const { return fmt::to_string(exact); }

void SumOfAll::add_to_kahan(const std::byte* elements, std::uint64_t count) {
  if (whole.widens()) {
    for_each_doubles(in, elements, count, [&](std::span<const double> values) {
      for (const double value : values) kahan.add(value);
    });
    return;
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bits = load_bits(in, elements + i * size_of(in));
    kahan.add(bits_to_double(acc, convert_bits(in, acc, bits)));
  }
}

SumReference SumOfAll::reference() const {
  const ExactTotal& total = whole.total();
  SumReference reference;
  reference.kahan = kahan.value();
  reference.exact = bits_to_double(Type::f64, total.rounded(Type::f64));
  reference.sum_of_magnitudes = total.magnitude.to_double();
  reference.kahan_bound = kahan_bound(whole.count(), 0x1p-53, reference.sum_of_magnitudes);
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

void Judged::merge(const Judged& other) {
  const bool first =
      other.shown_ &&
      (!shown_ || (other.wrong_ != 0 && (wrong_ == 0 || other.shown_->index < shown_->index)));
  if (first) shown_ = other.shown_;
  judged_ += other.judged_;
  exact_ = exact_ && other.exact_;
  wrong_ += other.wrong_;
}

std::string Judged::text(const Cell& cell) const {
  return cell.defined ? format_bits(type_, cell.bits) : std::string(undefined_value);
}

void Judged::tell(Verdict& verdict, const std::string& more) const {
  verdict.cells_judged += judged_;
  verdict.exact = verdict.exact && exact_;
  if (!shown_) return;
  const bool undefined = verdict.got.ends_with(undefined_value);
  if (verdict.ok && (wrong_ != 0 || verdict.got.empty() || (!shown_->defined && !undefined))) {
    verdict.got = fmt::format("{}[{}] = {}", buffer_.name, first_ + shown_->index, text(*shown_));
    verdict.expected = format_bits(type_, expected_bits(type_, shown_->expected));
  }
  if (wrong_ == 0) return;
  Finding finding;
  finding.kind = FindingKind::wrong_result;
  finding.array = buffer_.name;
  finding.index = static_cast<std::int64_t>(first_ + shown_->index);
  finding.size = static_cast<std::uint32_t>(size_of(type_));
  finding.count = wrong_;
  finding.at.value = text(*shown_);
  finding.detail =
      fmt::format("got {}, expected {}{}", text(*shown_), wanted(type_, shown_->expected), more);
  verdict.ok = false;
  verdict.cells_wrong += wrong_;
  verdict.findings.push_back(std::move(finding));
}

}  // namespace gauntlet
