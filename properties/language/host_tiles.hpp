// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A function of the host in a spec with `tile`: its launches, as a plan of tiles has them.
#pragma once

#include <string>
#include <vector>

#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {

struct HostTiles {
  std::string refusal;            ///< not empty: `require` excludes the case; nothing else is set
  std::vector<Launch> launches;   ///< with the arrays' numbers in the plan
  std::vector<Buffer> allocated;  ///< behind the buffers of the spec, named as it names them
  decltype(Plan::module) module;  ///< that of the launches' kernels, where these files are its own
};

/// Throws UsageError as Host::complete does.
[[nodiscard]] HostTiles launches_by_host(const Loaded& loaded, Evaluator& evaluator, const Case& c);

}  // namespace gauntlet::spec
