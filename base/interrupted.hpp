// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gauntlet {

/// Thrown where what was asked for was stopped by Ctrl-C, SIGTERM or SIGHUP; nothing is left
/// behind.
struct Interrupted {};

}  // namespace gauntlet
