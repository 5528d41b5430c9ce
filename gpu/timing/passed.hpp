// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which forms have shown on a GPU that they are correct: only those are timed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/text/json_fields.hpp"
#include "properties/hunt/check.hpp"

namespace gauntlet::timing {

class Passed {
 public:
  /// Of the document that `gauntlet check --on cuda --json` wrote. Throws JsonShapeError for any
  /// other document, one of the SIMT machine included: it says nothing of this GPU.
  [[nodiscard]] static Passed from_json(const Json& document);
  /// Of a file. Throws UsageError, which begins with the option, where it is no such document.
  [[nodiscard]] static Passed read(const std::string& option, const std::string& path);
  /// Of properties that ran just now.
  [[nodiscard]] static Passed from_report(const properties::CheckReport& report);

  /// Why this form is not to be timed, or nothing: "X@Y did not pass (mismatch)". A form passes
  /// that must show nothing, ran all its cases and showed nothing.
  [[nodiscard]] std::string refusal(std::string_view variant, std::string_view form) const;
  [[nodiscard]] std::size_t forms() const { return outcomes_.size(); }

 private:
  struct Outcome {
    std::string word;
    bool must_hold = false, cases = false;
  };
  std::map<std::string, Outcome, std::less<>> outcomes_;  // by VARIANT@FORM
};

}  // namespace gauntlet::timing
