// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A refutation as a run with wrong results.
#pragma once

#include <optional>

#include "properties/prove/prove.hpp"

namespace gauntlet::prove {

/// The refuted case with data that show it: the element of its miscount changes the result. Nothing
/// where no data of a case line are known to.
[[nodiscard]] std::optional<Case> replay_of(const Proof& refuted);

}  // namespace gauntlet::prove
