// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// main() of tests whose executors start this program again as a worker: `worker --gpu N --launchers
// M`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "base/os/process.hpp"
#include "gpu/executor/worker.hpp"
#include "tests/gpu_or_skip.hpp"

int main(int argc, char** argv) {
  using namespace gauntlet::cuda;
  if (argc > 5 && std::string_view(argv[1]) == "worker") {
    const auto number = [&](int at) { return static_cast<unsigned>(std::atoi(argv[at])); };
    return worker_main(number(3), number(5), gauntlet::os::child_socket);
  }
  testing::InitGoogleTest(&argc, argv);
  return gauntlet::run_where_a_gpu_is();
}
