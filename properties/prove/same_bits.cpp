// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/same_bits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/text.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::prove {

SameBits same_bits(const std::vector<Proof>& proofs) {
  if (proofs.empty()) return {true, "there is nothing to compare"};
  const auto& first = proofs.front();
  const auto each = [&](auto&& holds) { return std::all_of(proofs.begin(), proofs.end(), holds); };
  if (!each([](const Proof& p) { return p.proved(); })) {
    return {false, "not known: not all of them are proved"};
  }
  const bool alike = each([&](const Proof& p) {
    return p.c.in == first.c.in && p.c.acc == first.c.acc && p.c.op == first.c.op &&
           p.c.n == first.c.n && p.due == first.due;
  });
  if (!alike) return {false, "not to be compared: their cells reduce other elements, or otherwise"};
  if (each([](const Proof& p) { return !p.rounds; }))
    return {true, "the same: nothing is rounded, whatever the tree"};
  if (!each([](const Proof& p) { return !p.any_association; })) {
    return {false, "may differ from run to run: atomics add in any order"};
  }
  if (!each([&](const Proof& p) { return p.tree_hash == first.tree_hash; })) {
    return {false, "may differ: the trees are not the same"};
  }
  const auto flushes = [](const Proof& p) {
    return std::ranges::count(p.assumed, "no_subnormals") != 0;
  };
  if (!each([&](const Proof& p) { return flushes(p) == flushes(first); })) {
    return {false, "may differ: not all of them take subnormals alike"};
  }
  return {true, std::ranges::count(first.assumed, "signed_zero") != 0
                    ? "the same: one tree, under every schedule (the sign of a zero aside)"
                    : "the same: one tree, under every schedule"};
}

std::string hashes(const std::vector<Proof>& proofs) {
  std::string out;
  for (const auto& p : proofs) {
    if (p.proved())
      out += fmt::format("  {}  {}\n", p.tree_hash, short_line(p.c));
    else
      out += fmt::format("  {:16}  {}\n", "not proved", short_line(p.c)) + text(p);
  }
  if (proofs.size() > 1) out += labelled("bits", same_bits(proofs).why);
  return out;
}

}  // namespace gauntlet::prove
