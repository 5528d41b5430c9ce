// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet: CUDA kernels and programs, run and judged.
#include "cli/command_line.hpp"

int main(int argc, char** argv) { return gauntlet::cli::run_program(argc, argv); }
