// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gauntlet::cli {

/// The whole program: parses the command line, runs the verb that it names, tells on standard error
/// what went wrong. Returns the exit code.
int run_program(int argc, char** argv);

}  // namespace gauntlet::cli
