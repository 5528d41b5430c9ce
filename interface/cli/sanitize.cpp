// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet sanitize: any kernel of a .cu or .ptx file on the SIMT machine (docs/sanitize.md).
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "interface/cli/exports.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/sanitize_options.hpp"
#include "properties/language/guesses.hpp"
#include "sanitizer/kernel/listing.hpp"
#include "sanitizer/kernel/sweep.hpp"

namespace gauntlet::cli {
namespace {

using namespace sanitize;

std::vector<ListedKernel> kernels_of(const Request& request, const PtxSource& source,
                                     std::size_t indent) {
  auto kernels = refused_in_one_line(
      source, [&] { return list_kernels(ptx::parse(source.text, source.name)); });
  for (ListedKernel& kernel : kernels) {
    if (!kernel.refused.empty()) continue;
    const bool unique = std::ranges::count(kernels, kernel.entry.name,
                                           [](const ListedKernel& k) { return k.entry.name; }) == 1;
    kernel.command = spec::sanitize_command(
        request, kernel.entry, unique ? kernel.entry.name : kernel.entry.signature, indent);
  }
  return kernels;
}

/// A kernel is named and nothing of its launch: the refusal has a line that can be pasted.
void require_launch(const Request& request, const PtxSource& source) {
  if (!request.arguments.empty()) return;
  std::vector<KernelEntry> entries;
  const auto kernels = kernels_of(request, source, 2);
  for (const ListedKernel& kernel : kernels) entries.push_back(kernel.entry);
  const KernelEntry& entry = choose_entry(entries, request.entries.front(), request.file);
  const auto& [_, refused, command] = kernels[static_cast<std::size_t>(&entry - entries.data())];
  const bool launched = !request.grids.empty() && !request.blocks.empty();
  if (!refused.empty() || (entry.parameters.empty() && launched)) return;
  throw UsageError(fmt::format(
      "{}: --grid, --block and an --arg for each parameter say how to launch it; for example\n{}",
      entry.signature, command.substr(0, command.size() - 1)));
}

int run(const SanitizeCommand& command) {
  const Request& request = command.request;
  const bool nothing = request.grids.empty() && request.blocks.empty() && request.arguments.empty();
  const Axes axes = nothing && !request.entries.empty() ? Axes{} : read_axes(request);
  Output output(command.json);
  require_writable("--sarif", command.sarif);
  const auto& interrupted = output.watch();
  const PtxSource source = read_source(request.file, request.flags, interrupted);
  if (request.entries.empty()) {
    const auto kernels = kernels_of(request, source, 6);
    return output.finish(listing(request.file, kernels, output.style),
                         to_json(request.file, kernels), true);
  }
  require_launch(request, source);

  Sweep sweep(request.file, combine(request, axes, source), output.style);
  sweep.run([&](const std::string& text) { output.print(text); }, interrupted);
  std::vector<Finding> findings;
  for (const Found& found : sweep.findings()) findings.push_back(found.finding);
  const int code = output.finish(sweep.summary(), sweep.json(), sweep.clean());
  write_sarif(command.sarif, "sanitize", formats::alerts(findings, request.file));
  if (interrupted) throw Interrupted();
  return code;
}

int run_or_explain(SanitizeCommand command) {
  try {
    return run(command);
  } catch (const std::bad_alloc&) {
    throw UsageError("not enough host memory for the arrays; make them smaller");
  }
}

}  // namespace

void add_sanitize(CLI::App& app, Action& action) { add_sanitize(app, action, run_or_explain); }

}  // namespace gauntlet::cli
