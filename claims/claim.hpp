// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The statements that the documents make beside their kernels, and what measuring them says.
//
//   for (const Claim& claim : claims()) {
//     const Evidence evidence = claim.measure();
//     evidence.verdict == claim.recorded
//   }
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::claims {

enum class Verdict { confirmed, confirmed_if, refuted };
[[nodiscard]] std::string_view name(Verdict verdict);

struct Evidence {
  /// What the figures say; nothing where there are none, or where they fit no verdict that the
  /// statement could have.
  std::optional<Verdict> verdict;
  std::string number;  ///< the figures, in a sentence or two
  /// Where they are from: "SIMT machine", "nvcc 13.0", or a device and a date.
  std::string source;
};

inline constexpr std::string_view on_machine = "SIMT machine";
inline constexpr std::string_view not_measured = "not measured yet";

struct Claim {
  int number = 0;         ///< 1 to 22
  std::string documents;  ///< tags of the documents: "D section 10, C"
  std::string statement;  ///< what they say, in our words
  Verdict recorded = Verdict::confirmed;
  std::string reason;                 ///< confirmed_if: what has to hold; else why it is so
  std::vector<std::string> commands;  ///< command lines that show it
  Evidence (*measure)() = nullptr;
};

/// All 22, by number.
[[nodiscard]] const std::vector<Claim>& claims();

/// A claim and what its measurement said.
struct Judged {
  const Claim* claim = nullptr;
  Evidence evidence;
  /// The measurement gave the recorded verdict.
  [[nodiscard]] bool as_recorded() const { return evidence.verdict == claim->recorded; }
};
[[nodiscard]] Judged judge(const Claim& claim);

/// "confirmed if w is a power of two", "refuted: since Volta lanes advance on their own".
[[nodiscard]] std::string verdict_text(const Judged& judged);

/// "12 confirmed, 7 confirmed on a condition, 3 refuted".
[[nodiscard]] std::string summary(const std::vector<Judged>& all);

/// docs/claims.md.
[[nodiscard]] std::string markdown(const std::vector<Judged>& all);

}  // namespace gauntlet::claims
