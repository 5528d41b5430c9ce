// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec's kernels: compiled, found by the names that launches need, and decoded.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "properties/language/source.hpp"

namespace gauntlet::spec {

/// Of `.target sm_90a`: 90; 0 where there is none.
[[nodiscard]] std::uint32_t capability_of(std::string_view ptx);

/// A spec in every form and combination that its kernel is compiled in, the first form's first.
/// `ptx_file`: where its PTX is written. Throws UsageError, Interrupted.
[[nodiscard]] std::vector<std::unique_ptr<Loaded>> load_all(const Given& given,
                                                            const std::string& ptx_file,
                                                            const std::atomic<bool>& interrupted);

}  // namespace gauntlet::spec
