// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet worker: what `--on cuda` starts for every GPU. Not for people, so no help mentions it.
#include "gpu/executor/worker.hpp"

#include <memory>

#include "base/os/process.hpp"
#include "interface/cli/verbs.hpp"

namespace gauntlet::cli {

void add_worker(CLI::App& app, Action& action) {
  auto gpu = std::make_shared<unsigned>(0);
  auto launchers = std::make_shared<unsigned>(1);
  CLI::App* verb = app.add_subcommand("worker", "Serve a parent process on a socket");
  verb->group("");  // hidden
  verb->add_option("--gpu", *gpu, "Number of the GPU");
  verb->add_option("--launchers", *launchers, "Threads that launch");
  verb->callback([=, &action] {
    action = [=] { return cuda::worker_main(*gpu, *launchers, os::child_socket); };
  });
}

}  // namespace gauntlet::cli
