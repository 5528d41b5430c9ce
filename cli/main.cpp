// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet: CUDA kernels and programs, run and judged.
#include <malloc.h>

#include "cli/command_line.hpp"

int main(int argc, char** argv) {
  // Cases take and give back buffers of megabytes all the time. Given to the system and taken anew
  // they would cost more than it costs to fill them, and threads would wait for each other.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
  return gauntlet::cli::run_program(argc, argv);
}
