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
#include "kernels/plan.hpp"
#include "properties/case/case_text.hpp"
#include "properties/language/proof.hpp"
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

std::vector<prove::Proof> of_catalogue(const std::vector<std::string>& lines, const Tree& a) {
  std::vector<prove::Proof> proofs;
  for (const std::string& line : lines) {
    const Case c = parse_case(line);
    if (a.drawn && c.n > prove::most_drawn_elements) {
      throw UsageError(fmt::format("{}: --tree draws at most {} elements; --tree hash takes more",
                                   line, prove::most_drawn_elements));
    }
    const Plan plan = kernels::plan(c);
    proofs.push_back(prove::prove(resolved(c, plan), plan, {}, a.drawn));
  }
  return proofs;
}

std::vector<prove::Proof> of_specs(const std::vector<std::string>& lines, const std::string& flags,
                                   Output& output) {
  std::vector<Case> cases;
  std::vector<std::string> paths;
  for (const std::string& line : lines)
    paths.push_back(cases.emplace_back(parse_case(line)).variant);
  const Subjects subjects(paths, output.watch("this is what was tried until then"),
                          read_flags(flags));
  std::vector<prove::Proof> proofs;
  for (const Case& c : cases) proofs.push_back(spec::prove(*subjects.specs(), c).proof);
  return proofs;
}

}  // namespace

bool names_spec(const std::string& word) { return spec_of(word).has_value(); }

int prove_cases(const ProveCases& asked, const std::string& json) {
  std::vector<std::string> lines;
  for (const auto& line : asked.lines) lines.push_back(one_line(line));
  const bool specs = std::ranges::any_of(lines, names_spec);
  const Tree a = read_tree(asked.tree, lines.size());
  Output output(json, "shapes");
  const auto proofs = specs ? of_specs(lines, asked.flags, output) : of_catalogue(lines, a);
  std::string text;
  if (a.hash) text = prove::hashes(proofs);
  for (const auto& p : proofs) {
    if (a.hash) break;
    if (proofs.size() > 1) text += labelled("case", short_line(p.c));
    text += prove::text(p);
    if (a.ascii) text += prove::ascii(p.trees);
    if (a.drawn && p.trees.empty()) text += labelled("tree", "none: the run is not one to judge");
  }
  const auto bits = specs ? prove::SameBits{} : prove::same_bits(proofs);
  if (proofs.size() > 1 && !a.hash && !specs) text += labelled("bits", bits.why);
  Json document = json_head("prove");
  if (proofs.size() == 1) {
    const Json members = proofs.front();
    document.update(members);
  } else {
    document["cases"] = proofs;
    if (!specs) document["same_bits"] = bits.same;
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
  for (const auto& p : prove::heights(page.filename().string())) {
    write_page("--heights", (page.parent_path() / p.name).string(), p.text);
  }
}

}  // namespace gauntlet::cli
