// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The verbs of `gauntlet`, one file each, in the order of its help. A new verb NAME is
// interface/cli/NAME.cpp with add_NAME, and its name here.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace gauntlet::cli {

using Action = std::function<int()>;

#define GAUNTLET_VERBS(VERB) \
  VERB(list)                 \
  VERB(why)                  \
  VERB(source)               \
  VERB(diff)                 \
  VERB(check)                \
  VERB(init)                 \
  VERB(repro)                \
  VERB(sanitize)             \
  VERB(run)                  \
  VERB(witness)              \
  VERB(prove)                \
  VERB(equal)                \
  VERB(report)               \
  VERB(merge)                \
  VERB(agree)                \
  VERB(claims)               \
  VERB(detect)               \
  VERB(sanitizer_worker)     \
  VERB(time)                 \
  VERB(count)                \
  VERB(shell)                \
  VERB(worker)               \
  VERB(host_worker)          \
  VERB(gpu_run)

/// add_NAME declares the sub-command and its options, and sets `action` when that verb is the one
/// given; the action returns the exit code.
#define GAUNTLET_VERB(name) void add_##name(CLI::App& app, Action& action);
GAUNTLET_VERBS(GAUNTLET_VERB)
#undef GAUNTLET_VERB

}  // namespace gauntlet::cli
