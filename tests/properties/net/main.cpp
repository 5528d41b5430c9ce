// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// verdict_net: the net over the specs of folders and the forms of the catalogue. Exit code 0:
// nothing is left; 1: something is, or nothing was tried; 2: usage.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <memory>
#include <thread>

#include "base/text/json_fields.hpp"
#include "gpu/executor/executor.hpp"
#include "net.hpp"

int main(int argc, char** argv) {
  using namespace gauntlet;
  CLI::App app("Mutates what is proved, proves it again, and runs what is still proved");
  std::vector<std::string> folders;
  std::vector<std::string> only;
  std::string json, gpu;
  unsigned forms = 0, shapes = 2;
  bool quiet = false;
  net::Options options;
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  app.add_option("--specs", folders, "SPECS:PTX, a folder of specs and one of their kernels' PTX");
  app.add_option("--forms", forms, "Forms of the catalogue, in so many types each (default 0)");
  app.add_option("--shapes", shapes, "Launch shapes of each subject (default 2)");
  app.add_option("--mutants", options.mutants, "Of each subject, drawn (default: all)");
  app.add_option("--seed", options.seed, "For what is drawn (default 1)");
  app.add_option("--jobs", options.jobs, "Threads (default: one for each processor)");
  app.add_option("--only", only, "Subjects, by name");
  app.add_option("--json", json, "What became of each mutant");
  app.add_option("--gpu", gpu,
                 "The gauntlet program: what is proved also runs on this machine's GPU");
  app.add_flag("--quiet", quiet, "No progress");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<net::Subject> subjects;
    const auto take = [&](std::vector<net::Subject> more) {
      for (auto& s : more) {
        if (only.empty() || std::ranges::count(only, s.name) != 0) subjects.push_back(std::move(s));
      }
    };
    for (const auto& folder : folders) {
      const auto colon = folder.find(':');
      if (colon == folder.npos) throw std::runtime_error("--specs " + folder + ": write SPECS:PTX");
      take(net::specs_of(folder.substr(0, colon), folder.substr(colon + 1), shapes));
    }
    if (forms != 0) take(net::forms_that_hold(forms, shapes));
    if (!quiet) {
      options.progress = [](const std::string& name) { fmt::print(stderr, "{}\n", name); };
    }
    std::unique_ptr<cuda::GpuExecutor> device;
    if (!gpu.empty()) {
      cuda::ExecutorOptions with;
      with.program = gpu;
      device = std::make_unique<cuda::GpuExecutor>(with);
      options.device = device.get();
    }
    const auto report = net::cast(subjects, options);
    fmt::print("{}", net::text(report));
    for (const auto& name : report.unproved) fmt::print("not proved: {}\n", name);
    if (!json.empty()) std::ofstream(json) << Json(report.results).dump(1) << '\n';
    return report.left() == 0 && !report.results.empty() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "verdict_net: {}\n", error.what());
    return 2;
  }
}
