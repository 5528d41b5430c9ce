// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet host-worker: what calls a function of the host that a spec names. Not for people, so no
// help mentions it.
#include <memory>
#include <string>

#include "base/os/process.hpp"
#include "interface/cli/verbs.hpp"
#include "sanitizer/program/host_function.hpp"

namespace gauntlet::cli {

void add_host_worker(CLI::App& app, Action& action) {
  auto library = std::make_shared<std::string>();
  CLI::App* verb = app.add_subcommand("host-worker", "Call a function of the host");
  verb->group("");  // hidden
  verb->add_option("library", *library, "That has the function")->required();
  verb->callback([=, &action] {
    action = [=] { return runtime::serve_host_function(*library, os::child_socket); };
  });
}

}  // namespace gauntlet::cli
