// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/ncu.hpp"

#include <fmt/format.h>

#include "base/usage_error.hpp"
#include "gpu/profile/ncu.hpp"
#include "interface/cli/output.hpp"

namespace gauntlet::cli {

int compare_ncu(const std::string& folder, const std::string& page, const std::string& json) {
  Output output(json);
  profile::NcuComparison comparison;
  try {
    comparison = profile::compare_recording(folder);
  } catch (const profile::NcuError& error) {
    throw UsageError(fmt::format("--ncu {}", error.what()));
  }
  const int code =
      output.finish(profile::text(comparison), profile::to_json(comparison), comparison.agrees());
  write_page("--write", page, profile::markdown(comparison));
  return code;
}

}  // namespace gauntlet::cli
