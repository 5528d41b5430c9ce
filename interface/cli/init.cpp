// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet init: a first spec for a kernel of one's own (docs/own_kernels.md).
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/text/interrupt.hpp"
#include "interface/cli/options.hpp"
#include "properties/language/kernel.hpp"

namespace gauntlet::cli {
namespace {

struct InitOptions {
  std::string file, entry;
  std::vector<std::string> flags;
};

int run(InitOptions options) {
  if (options.entry.starts_with('-')) {  // the first flag, where no entry is named
    options.flags.insert(options.flags.begin(), std::exchange(options.entry, {}));
  }
  fmt::print("{}",
             spec::first_spec(options.file, options.entry, options.flags, watch_for_interrupt()));
  return exit_as_expected;
}

}  // namespace

void add_init(CLI::App& app, Action& action) {
  const Verb<InitOptions> verb(
      app, action, "init", "Print a first spec for a kernel of your own, from its signature", run);
  InitOptions& options = *verb;
  verb->add_option("file", options.file, "A .cu or .ptx file")->type_name("FILE")->required();
  verb->add_option("entry", options.entry,
                   "The kernel, such as 'sum<float, 256>'; needed where the file has several")
      ->type_name("ENTRY");
  verb->add_option("flags", options.flags, "Further flags for nvcc, after --")->type_name("");
  verb->footer("Check the lines that end in `# guess` (docs/own_kernels.md).");
}

}  // namespace gauntlet::cli
