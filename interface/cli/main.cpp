// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet: CUDA kernels and programs, run and judged.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "interface/cli/usage.hpp"

namespace {

/// A standard stream that is closed stays unusable, but its number goes to no file that is opened
/// later: neither messages nor what nvcc writes would be looked for there.
void keep_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) < 0) (void)open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  keep_standard_streams();
  // Cases take and give back buffers of megabytes all the time. Given to the system and taken anew
  // they would cost more than it costs to fill them, and threads would wait for each other.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
  return gauntlet::cli::run_program(argc, argv);
}
