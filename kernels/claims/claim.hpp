// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The statements that the documents make beside their kernels, and what measuring them says.
//
//   for (const Claim& claim : claims()) {
//     const Evidence evidence = claim.measure(claim);
//     evidence.verdict == claim.recorded
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.hpp"
#include "base/text/json_file.hpp"
#include "base/text/text.hpp"

namespace gauntlet::profile {}

namespace gauntlet::claims {

using namespace profile;  // statements are judged by launches of micro-kernels and their counters

enum class Verdict : std::uint8_t {
  is_true,
  true_if,    ///< on a condition, which `Claim::reason` tells
  half_true,  ///< one part is so, another is not
  is_false,
  obsolete,        ///< it was so once: current hardware or toolkits have it no more
  not_reproduced,  ///< figures of another device, which the one measured here does not give
};
constexpr auto names(const Verdict*) {
  return names_of("true", "true if", "half true", "false", "obsolete", "not reproduced here");
}
inline constexpr std::size_t verdict_count = enum_names<Verdict>.size();

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
  int number = 0;         ///< from 1, in the order of the table
  std::string documents;  ///< tags of the documents: "D section 10, C"
  std::string statement;  ///< what they say, in our words
  Verdict recorded = Verdict::is_true;
  std::string reason;                 ///< true_if: what has to hold; else why it is so
  std::vector<std::string> commands;  ///< command lines that show it
  std::string figures = "{}";         ///< `Evidence::number`, with {} for each of the values
  Evidence (*measure)(const Claim& claim) = nullptr;
  std::vector<std::string> judges{};  ///< variants of the catalogue that it is about; may be empty
};

/// All of them, by number.
[[nodiscard]] const std::vector<Claim>& claims();

/// The numbers of the statements that judge a variant, ascending.
[[nodiscard]] std::vector<int> claims_about(std::string_view variant);

/// A claim and what its measurement said.
struct Judged {
  const Claim* claim = nullptr;
  Evidence evidence;
  /// The measurement gave the recorded verdict.
  [[nodiscard]] bool as_recorded() const { return evidence.verdict == claim->recorded; }
};
[[nodiscard]] Judged judge(const Claim& claim);

/// "true if w is a power of two", "false: since Volta lanes advance on their own".
[[nodiscard]] std::string verdict_text(const Judged& judged);

/// "12 true, 7 true on a condition, 3 false".
[[nodiscard]] std::string summary(const std::vector<Judged>& all);

/// docs/claims.md.
[[nodiscard]] std::string markdown(const std::vector<Judged>& all);

/// There are figures to judge by.
[[nodiscard]] bool measured(const Judged& judged);

[[nodiscard]] std::string text(const Judged& judged, const Style& style);
[[nodiscard]] Json to_json(const Judged& judged);

}  // namespace gauntlet::claims
