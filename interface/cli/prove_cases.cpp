// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/prove_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "interface/cli/flags.hpp"
#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"
#include "properties/prove/heights.hpp"
#include "properties/prove/same_bits.hpp"

namespace gauntlet::cli {
namespace {

struct Tree {
  bool ascii, hash, file, drawn;
};

Tree read_tree(const std::string& tree, std::size_t cases) {
  Tree a{tree == "ascii", tree == "hash", tree.ends_with(".svg"), false};
  a.drawn = a.ascii || a.file;
  if (!tree.empty() && !a.drawn && !a.hash) {
    throw UsageError(
        fmt::format("--tree {}: write ascii, hash, or a file that ends in .svg", tree));
  }
  if (a.file && cases > 1) throw UsageError("--tree FILE.svg draws one case; give one");
  if (a.file) require_writable("--tree", tree);
  return a;
}

prove::Proof proof_of(const Case& asked, const properties::Subject& subject, bool drawn) {
  if (drawn && asked.n > prove::most_drawn_elements) {
    throw UsageError(fmt::format("{}: --tree draws at most {} elements; --tree hash takes more",
                                 short_line(asked), prove::most_drawn_elements));
  }
  const Case c = subject.completed(asked);
  return prove::prove(subject, c, subject.plan(c), drawn);
}

}  // namespace

int prove_cases(const ProveCases& asked, const std::string& json) {
  const Tree a = read_tree(asked.tree, asked.lines.size());
  Output output(json, "shapes");
  std::vector<Case> cases;
  std::vector<std::string> kernels;
  for (const auto& line : asked.lines) {
    kernels.push_back(cases.emplace_back(parse_case(one_line(line))).variant);
  }
  const Subjects subjects(kernels, output.watch("this is what was tried until then"),
                          read_flags(asked.flags), "prove");
  std::vector<prove::Proof> proofs;
  for (const Case& c : cases) proofs.push_back(proof_of(c, subjects.subject(), a.drawn));
  std::string text;
  if (a.hash) text = prove::hashes(proofs);
  for (const auto& p : proofs) {
    if (a.hash) break;
    if (proofs.size() > 1) text += labelled("case", short_line(p.c));
    text += prove::text(p);
    if (a.ascii) text += prove::ascii(p.trees);
    if (a.drawn && p.trees.empty()) {
      text +=
          labelled("tree", "none: the run is not one to judge, or no cell only reduces elements");
    }
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
    write_page("--tree", asked.tree,
               prove::svg(proofs.front().trees, short_line(proofs.front().c)));
  }
  const bool proved =
      std::all_of(proofs.begin(), proofs.end(), [](const auto& p) { return p.proved(); });
  return output.finish(text, document, proved && (!a.hash || bits.same));
}

void write_heights(const std::string& path) {
  if (path == "-") throw UsageError("--heights -: pictures are written beside it; name a file");
  require_writable("--heights", path);
  const std::filesystem::path page(path);
  for (const auto& p : prove::heights(kernels::compiled_kernels(), page.filename().string())) {
    write_page("--heights", (page.parent_path() / p.name).string(), p.text);
  }
}

}  // namespace gauntlet::cli
