// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/session/listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "machine/engine/machine.hpp"

namespace gauntlet::sanitize {
namespace {

/// "a texture: tex.2d.v4.f32.s32 at sum.cu:12".
std::string reason(const simt::Refusal& refusal) {
  if (refusal.text.empty()) return std::string(refusal.what);
  std::string text =
      refusal.meaning.empty() ? refusal.text : fmt::format("{}: {}", refusal.meaning, refusal.text);
  return refusal.source.empty() ? text : fmt::format("{} at {}", text, refusal.source);
}

std::string line(const std::string& text, std::size_t indent) {
  return std::string(indent, ' ') + wrap(text, indent + 4, indent) + "\n";
}

}  // namespace

std::vector<ListedKernel> list_kernels(const ptx::Module& module) {
  std::vector<ListedKernel> kernels;
  for (KernelEntry& entry : kernel_entries(module)) {
    auto refused = simt::why_refused(module, entry.symbol);
    kernels.push_back({std::move(entry), std::move(refused), {}});
  }
  return kernels;
}

std::string listing(const std::string& file, const std::vector<ListedKernel>& kernels,
                    const Style& style) {
  const auto run = static_cast<std::size_t>(std::ranges::count_if(
      kernels, [](const ListedKernel& kernel) { return kernel.refused.empty(); }));
  std::string text = fmt::format("{}: {}", file, counted(kernels.size(), "kernel"));
  if (run != kernels.size()) text += fmt::format(", {} can run", run);
  text += "\n";
  for (const auto& [entry, refused, command] : kernels) {
    text += "  " + style.bold(wrap(entry.signature, 6, 2)) + "\n";
    for (std::size_t k = 0; k < entry.parameters.size(); ++k) {
      const auto& [bytes, type] = entry.parameters[k];
      const std::string head = fmt::format("    {}  {:>8}", k + 1, counted(bytes, "byte"));
      text += type.empty() ? head + "\n" : fmt::format("{}  {}\n", head, wrap(type, 19, 17));
    }
    text += "    " +
            (refused.empty() ? style.good(command.empty() ? "can run" : "can run, for example by")
                             : style.bad("cannot run:")) +
            "\n";
    text += command;
    for (const simt::Refusal& refusal : refused) text += line(reason(refusal), 6);
  }
  if (kernels.empty()) text += wrap(why_no_kernel(file), 0, 0) + "\n";
  if (run != 0) text += "Sizes, values and the launch are guesses (docs/sanitize.md).\n";
  return text;
}

Json to_json(const std::string& file, const std::vector<ListedKernel>& kernels) {
  Json json = json_head("sanitize");
  json["file"] = file;
  json["kernels"] = Json::array();
  for (const auto& [entry, refused, command] : kernels) {
    Json kernel = entry;
    kernel["can_run"] = refused.empty();
    kernel["command"] = command;
    kernel["refused"] = Json::array();
    for (const simt::Refusal& refusal : refused) {
      kernel["refused"].push_back(Json{{"what", refusal.what},
                                       {"instruction", refusal.text},
                                       {"meaning", refusal.meaning},
                                       {"source", refusal.source}});
    }
    json["kernels"].push_back(std::move(kernel));
  }
  return json;
}

}  // namespace gauntlet::sanitize
