// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/heights.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "base/text/text.hpp"
#include "properties/case/case.hpp"
#include "properties/case/case_text.hpp"
#include "properties/oracle/cells.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::prove {
namespace {

constexpr std::array<std::uint64_t, 3> sizes = {32, 1000, 10000};

/// The sum of f32 where there is one.
std::optional<Instance> shown_instance(const properties::Subject& subject,
                                       const std::string& variant, const std::string& form) {
  std::optional<Instance> best;
  for (const auto& i : subject.instances(variant, form)) {
    if (i.op != Op::sum) continue;
    if (!best || (i.in == Type::f32 && i.acc == Type::f32)) best = i;
  }
  return best;
}

/// "exact / allowed / least", of the deepest element of any cell.
std::string entry(const properties::Subject& subject, const Case& c) {
  const Plan plan = subject.plan(c);
  if (!plan.refusal.empty()) return "refused";
  const Case whole = resolved(c, plan);
  const auto proof = prove(whole, plan);
  if (!proof.proved()) return "not proved";
  std::uint64_t most = 0;
  for (const auto& observed : plan.observed) {
    const Cells cells(whole, observed, plan.grid);
    for (std::uint64_t k = 0; k < cells.size(); ++k) {
      std::uint64_t elements = 0;
      cells.for_each_run(k, [&](Run run) { elements += run.count; });
      most = std::max(most, elements);
    }
  }
  const auto least = most == 0 ? 0 : std::bit_width(most - 1);
  return fmt::format("{} / {} / {}", proof.depth.most, plan.height, least);
}

struct Row {
  const Variant* variant;
  std::string form;
};

std::string table(const properties::Subject& subject, const std::vector<Row>& rows) {
  std::string out = "| form | types | result by |";
  for (const auto n : sizes) out += fmt::format(" n={} |", n);
  out += "\n| --- | --- | --- |";
  for (std::size_t k = 0; k < sizes.size(); ++k) out += " --- |";
  out += "\n";
  for (const auto& row : rows) {
    const auto instance = shown_instance(subject, row.variant->id, row.form);
    if (!instance) continue;
    out += fmt::format("| {}@{} | {}->{} | {} |", row.variant->id, row.form, name(instance->in),
                       name(instance->acc), row.variant->completion);
    for (const auto n : sizes) {
      Case c = case_for(row.variant->id, row.form, *instance);
      c.n = n;
      c.grid = 0;
      out += fmt::format(" {} |", entry(subject, c));
    }
    out += "\n";
  }
  return out;
}

struct Picture {
  const char* finish;
  const char* line;
};
constexpr Picture pictures[] = {
    {"partials", "sequential@fixed f32->f32 sum n=32 block=32"},
    {"atomic", "shuffle_down@fixed f32->f32 sum n=32 block=8"},
    {"two_launches", "grid_stride@fixed f32->f32 sum n=32 block=8 grid=4"},
    {"ticket", "single_pass_ticket@fixed f32->f32 sum n=64 block=1 grid=2"},
    {"slots", "single_pass_slots@fixed f32->f32 sum n=32 block=1 grid=2"},
    {"cub", "cub_device@fixed f32->f32 sum n=32"},
};

}  // namespace

std::vector<Page> heights(const properties::Subject& subject, const std::string& name) {
  std::vector<Row> cub, others;
  for (const auto& v : subject.variants()) {
    for (const auto& f : v.forms) {
      if (f.expected.empty()) (v.id.starts_with("cub_") ? cub : others).push_back({&v, f.name});
    }
  }
  const auto stem = name.substr(0, name.rfind('.'));
  std::vector<Page> pages{{name, {}}};
  std::string text =
      "# How deep the trees are\n\n"
      "An element of a sum of floats is rounded once by each operation that it goes through. Each\n"
      "entry is *exact / allowed / least*: the deepest element of any cell, in the tree that\n"
      "[`gauntlet prove`](prove.md) finds; the height that the form's plan allows; and\n"
      "⌈log2⌉ of the elements of the largest cell, the least that a tree can have. Blocks have "
      "256\n"
      "threads, grids are as large as n needs, each partial sum is a cell where the host adds\n"
      "them. Where atomics add floats, the tree is that of one schedule, in which the blocks\n"
      "come in order. `redux` is one instruction on integers, which are not rounded: a chain "
      "here.\n\n"
      "This page is written by `gauntlet prove --heights docs/heights.md`, and a test fails when\n"
      "it is no longer true.\n\n"
      "## CUB\n\n";
  text += table(subject, cub) + "\n## The catalogue\n\n" + table(subject, others);
  text +=
      "\n## One tree for each way to finish\n\n"
      "32 elements (or 64) in one, two or four blocks, as each line says. Elements are in a\n"
      "row, each operation in the column of its lowest element, at its height; a long line is an\n"
      "operand that waits. `gauntlet prove 'CASE' --tree FILE.svg` draws any other.\n";
  for (const auto& p : pictures) {
    const Case c = subject.completed(parse_case(p.line));
    const auto proof = prove(c, subject.plan(c), {}, true);
    const auto file = fmt::format("{}_{}.svg", stem, p.finish);
    text += fmt::format("\n`{}`\n\n![The tree of {}]({})\n", short_line(c), short_line(c), file);
    pages.push_back({file, svg(proof.trees, short_line(c))});
  }
  pages[0].text = std::move(text);
  return pages;
}

}  // namespace gauntlet::prove
