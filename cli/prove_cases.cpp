// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/prove_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "core/usage_error.hpp"
#include "kernels/plan.hpp"
#include "prove/heights.hpp"
#include "prove/same_bits.hpp"

namespace gauntlet::cli {
namespace {

struct Asked {
  bool ascii, hash, file, drawn;
};

Asked asked(const std::string& tree, std::size_t cases) {
  Asked a{tree == "ascii", tree == "hash", tree.ends_with(".svg"), false};
  a.drawn = a.ascii || a.file;
  if (!tree.empty() && !a.drawn && !a.hash) {
    throw UsageError(
        fmt::format("--tree {}: write ascii, hash, or a file that ends in .svg", tree));
  }
  if (a.file && cases > 1) throw UsageError("--tree FILE.svg draws one case; give one");
  if (a.file) require_writable("--tree", tree);
  return a;
}

prove::Proof proof_of(const std::string& line, const Asked& a) {
  const Case c = parse_case(line);
  if (a.drawn && c.n > prove::most_drawn_elements) {
    throw UsageError(fmt::format("{}: --tree draws at most {} elements; --tree hash takes more",
                                 line, prove::most_drawn_elements));
  }
  const Plan plan = kernels::plan(c);
  return prove::prove(resolved(c, plan), plan, {}, a.drawn);
}

}  // namespace

int prove_cases(const std::vector<std::string>& lines, const std::string& tree,
                const std::string& json) {
  const auto a = asked(tree, lines.size());
  Output output(json);
  std::vector<prove::Proof> proofs;
  for (const auto& line : lines) proofs.push_back(proof_of(one_line(line), a));
  std::string text;
  if (a.hash) text = prove::hashes(proofs);
  for (const auto& p : proofs) {
    if (a.hash) break;
    if (proofs.size() > 1) text += labelled("case", short_line(p.c));
    text += prove::text(p);
    if (a.ascii) text += prove::ascii(p.trees);
    if (a.drawn && p.trees.empty()) text += labelled("tree", "none: the run is not one to judge");
  }
  const auto bits = prove::same_bits(proofs);
  if (proofs.size() > 1 && !a.hash) text += labelled("bits", bits.why);
  Json document = json_head("prove");
  if (proofs.size() == 1) {
    const Json members = proofs.front();
    document.update(members);
  } else {
    document["cases"] = proofs;
    document["same_bits"] = bits.same;
  }
  if (a.file && !proofs.front().trees.empty()) {
    write_page("--tree", tree, prove::svg(proofs.front().trees, short_line(proofs.front().c)));
  }
  const bool proved =
      std::all_of(proofs.begin(), proofs.end(), [](const auto& p) { return p.proved(); });
  return output.finish(text, document, proved && (!a.hash || bits.same));
}

void write_heights(const std::string& path) {
  require_writable("--heights", path);
  const std::filesystem::path page(path);
  for (const auto& p : prove::heights(page.filename().string())) {
    write_page("--heights", (page.parent_path() / p.name).string(), p.text);
  }
}

}  // namespace gauntlet::cli
