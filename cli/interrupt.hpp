// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C asks for an orderly end; a second one ends at once.
#pragma once

#include <atomic>

namespace gauntlet::cli {

/// Installs the SIGINT handler and returns the flag that it sets.
[[nodiscard]] const std::atomic<bool>& watch_for_interrupt();

}  // namespace gauntlet::cli
