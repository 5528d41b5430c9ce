// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet sanitize: any kernel of a .cu or .ptx file on the SIMT machine (docs/sanitize.md).
#include <fmt/format.h>

#include <new>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/sanitize_options.hpp"
#include "formats/sarif.hpp"
#include "sanitizer/machine/listing.hpp"
#include "sanitizer/machine/sweep.hpp"
#include "text/interrupt.hpp"

namespace gauntlet::cli {
namespace {

using namespace sanitize;

int list(const std::string& file, const PtxSource& source, Output& output) {
  const auto kernels = refused_in_one_line(
      source, [&] { return list_kernels(ptx::parse(source.text, source.name)); });
  return output.finish(listing(file, kernels, output.style), to_json(file, kernels), true);
}

int run(const SanitizeCommand& command) {
  const Request& request = command.request;
  const Axes axes = read_axes(request);
  Output output(command.json);
  if (!command.sarif.empty()) require_writable("--sarif", command.sarif);
  const auto& interrupted = output.watch();
  const PtxSource source = read_source(request.file, request.flags, interrupted);
  if (request.entries.empty()) return list(request.file, source, output);

  Sweep sweep(request.file, combine(request, axes, source), output.style);
  sweep.run([&](const std::string& text) { output.print(text); }, interrupted);
  if (!command.sarif.empty()) {
    std::vector<Finding> findings;
    for (const Found& found : sweep.findings()) findings.push_back(found.finding);
    JsonFile(command.sarif)
        .write_text(json_text(formats::sarif("sanitize", formats::alerts(findings, request.file))));
  }
  const int code = output.finish(sweep.summary(), sweep.json(), sweep.clean());
  if (interrupted) throw Interrupted();
  return code;
}

int run_or_explain(SanitizeCommand command) {
  try {
    return run(command);
  } catch (const Interrupted&) {
    fmt::print(stderr, "gauntlet: interrupted\n");
    return exit_interrupted();
  } catch (const std::bad_alloc&) {
    throw UsageError("not enough host memory for the arrays; make them smaller");
  }
}

}  // namespace

void add_sanitize(CLI::App& app, Action& action) { add_sanitize(app, action, run_or_explain); }

}  // namespace gauntlet::cli
