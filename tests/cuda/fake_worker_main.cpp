// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// main() of tests whose pools start this program again as a scripted worker: `worker LOG`.
#include <gtest/gtest.h>

#include <string_view>

#include "os/process.hpp"
#include "tests/cuda/fake_device.hpp"

int main(int argc, char** argv) {
  using namespace gauntlet::cuda;
  if (argc > 1 && std::string_view(argv[1]) == "mute") return 7;
  if (argc > 2 && std::string_view(argv[1]) == "worker") {
    return serve(gauntlet::os::child_socket, *make_fake_device(argv[2]));
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
