// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Shards of gauntlet check as the report of the whole run.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text/json_fields.hpp"
#include "properties/hunt/check.hpp"

namespace gauntlet::cli {

struct ShrinkParts {
  std::vector<std::string> flags;  ///< for nvcc, as at the shards
  unsigned jobs = 0;
  unsigned shard = 0, shards = 1;  ///< of the forms: the others are left out
  bool unshrunk = false;           ///< the parts stay, and no kernel is run
};

class CheckParts {
 public:
  /// An entry of `forms` with its part, in any order. Throws JsonShapeError.
  void add(const Json& entry);
  /// Variants and forms of the catalogue stand in its order, claims by number, all else as it came.
  [[nodiscard]] static std::uint64_t place(const Json& entry);
  /// Judges and shrinks the forms and puts them into `whole`. Returns all that it says. Throws
  /// UsageError where the kernels are no longer those of the shards, NoExecutor.
  [[nodiscard]] properties::CheckReport finish(Json& whole, const ShrinkParts& how,
                                               const std::atomic<bool>& interrupted);

 private:
  void shrink(properties::CheckReport& report, const std::string& made_by, const ShrinkParts& how,
              const std::atomic<bool>& interrupted);

  std::map<std::pair<std::string, std::string>, properties::FormReport> forms_;
};

}  // namespace gauntlet::cli
