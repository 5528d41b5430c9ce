// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The verbs of `gauntlet`, one file each. add_VERB declares the sub-command and its options, and
// sets `action` when that verb is the one given; the action returns the exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace gauntlet::cli {

using Action = std::function<int()>;

void add_list(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_init(CLI::App& app, Action& action);
void add_repro(CLI::App& app, Action& action);
void add_sanitize(CLI::App& app, Action& action);
void add_witness(CLI::App& app, Action& action);
void add_prove(CLI::App& app, Action& action);
void add_agree(CLI::App& app, Action& action);
void add_claims(CLI::App& app, Action& action);
void add_detect(CLI::App& app, Action& action);
void add_sanitizer_worker(CLI::App& app, Action& action);
void add_time(CLI::App& app, Action& action);
void add_count(CLI::App& app, Action& action);
void add_worker(CLI::App& app, Action& action);
void add_gpu_run(CLI::App& app, Action& action);

}  // namespace gauntlet::cli
