// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// main() of tests that start this program again as a worker: a pool's, scripted, `worker LOG
// LAUNCHERS`, or a GpuExecutor's, `worker --gpu N --launchers M`.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "base/os/process.hpp"
#include "tests/gpu/executor/fake_device.hpp"

int main(int argc, char** argv) {
  using namespace gauntlet::cuda;
  if (argc > 1 && std::string_view(argv[1]) == "mute") return 7;
  if (argc > 3 && std::string_view(argv[1]) == "worker") {
    const bool executors = std::string_view(argv[2]) == "--gpu";
    const auto launchers = static_cast<unsigned>(std::atoi(argv[argc - 1]));
    const auto device =
        executors ? make_summing_device(launchers) : make_fake_device(argv[2], launchers);
    return serve(gauntlet::os::child_socket, *device);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
