// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/hunt/value.hpp"

namespace gauntlet::properties {

std::string code_of(std::string_view ptx) {
  // Behind the length of a name that has it.
  constexpr std::string_view marks[] = {"_INTERNAL_", "_GLOBAL__N__"}, digits = "0123456789";
  std::string code;
  bool debugging = false;  // in a section of names and lines
  while (!ptx.empty()) {
    const std::string_view whole = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(whole.size() + 1, ptx.size()));
    debugging |= whole.find(".section") != whole.npos;
    if (debugging || whole.starts_with("//") || whole.find(".file") != whole.npos) {
      debugging &= whole.find('}') == whole.npos;
      continue;
    }
    std::string line(whole.substr(0, whole.find(", function_name ")));  // counts in such a section
    for (const std::string_view mark : marks) {
      for (auto at = line.find(mark); at != line.npos; at = line.find(mark)) {
        const std::string_view before = std::string_view(line).substr(0, at);
        const auto begin = before.find_last_not_of(digits) + 1;
        const auto length = parse_number<std::size_t>(before.substr(begin)).value_or(0);
        line.erase(begin, at - begin + std::max(length, mark.size()));
      }
    }
    code += line + '\n';
  }
  return code;
}

bool Subject::asks(const Case&, std::string_view) const { return true; }

bool Subject::inexact(const Case& c, const Plan& plan) const {
  return plan.float_atomics && is_float(c.acc) && plan.grid > 1 &&
         (!exact(c) || flushes(c, plan) != 0);
}

Case Subject::completed(Case c) const { return c.grid != 0 ? c : resolved(c, plan(c)); }

std::shared_ptr<prove::Claim> Subject::claim(const Case&, const Plan&) const { return nullptr; }

Case Subject::draw(const Population& of, std::uint64_t seed, int size) const {
  return draw_case(of, *this, seed, size);
}

std::vector<std::uint32_t> Subject::blocks(const Case&) const { return {}; }

std::vector<Case> Subject::smaller(const Case& c) const { return shrink_candidates(c); }

std::vector<Case> Subject::few_threads(const Variant& variant, const Form& form,
                                       const std::vector<Case>&) const {
  std::optional<Instance> instance;
  for (const auto& i : instances(variant.id, form.name)) {
    const bool documented = TypePair{i.in, i.acc} == variant.documented_types.front();
    if (i.op == Op::sum && (!instance || documented)) instance = i;
  }
  std::vector<Case> cases;
  if (!instance) return cases;
  const auto add = [&](std::uint32_t block, std::uint64_t n, std::uint32_t grid, Tail tail) {
    Case c = case_for(variant.id, form.name, *instance);
    c.block = block;
    c.n = n;
    c.grid = grid;
    c.tail = tail;
    c.data = size_of(c.acc) > 2 ? Data::iota : Data::ones;
    const Plan planned = plan(c);
    if (!planned.refusal.empty() || planned.grid > 4) return;
    if (const auto fixed = repaired(c); fixed && !plan(*fixed).refusal.empty()) return;
    c = resolved(c, planned);
    if (std::find(cases.begin(), cases.end(), c) == cases.end()) cases.push_back(c);
  };
  constexpr std::uint32_t blocks[] = {32, 64, 8, 16, 128, 96, 256};
  for (const auto block : blocks) {
    for (const std::uint32_t tile : {1U, 2U, 4U, 8U}) {
      for (const std::uint32_t grid : {0U, 2U}) add(block, block * tile, grid, Tail::poison);
    }
  }
  // A few elements before zeros: less can go wrong, so that some order may be right.
  for (const auto block : blocks) {
    for (const std::uint64_t n : {3U, 17U}) add(block, n, 0, Tail::zero);
  }
  return cases;
}

std::vector<Case> Subject::typical(const Variant& variant, const Form& form) const {
  std::vector<Case> cases;
  const auto add = [&](std::uint64_t n, std::span<const std::uint32_t> blocks, Tail tail) {
    for (const std::uint32_t block : blocks) {
      Case c = case_for(
          variant.id, form.name,
          {variant.documented_types.front().in, variant.documented_types.front().acc, Op::sum});
      c.n = n;
      c.block = block;
      c.grid = 0;
      c.data = Data::small_integers;
      c.tail = tail;
      const Plan planned = plan(c);
      if (!planned.refusal.empty()) continue;
      cases.push_back(resolved(c, planned));
      return;
    }
  };
  // As a user would launch it, with nothing behind the input.
  add(1000, std::array{256U}, Tail::unmapped);
  // Odd in every respect, and what lies behind the input is mapped but nobody wrote it.
  add(97, std::array{48U, 96U, 64U, 32U, 256U}, Tail::poison);
  // Small blocks that come out even: no overrun of the input ends the kernel before its tail.
  add(128, std::array{8U, 16U, 32U, 256U}, Tail::unmapped);
  return cases;
}

Known Subject::known(std::string_view variant, std::string_view form,
                     const std::string& folder) const {
  return {load_regressions(folder, variant, form),
          {},
          folder.empty() ? default_regressions_dir() : folder};
}

std::vector<std::string> Subject::unjudged(std::string_view) const { return {}; }

Kept Subject::keep(const CheckReport&) const { return {}; }

std::vector<Case> Subject::sizes_to_prove(const Population&, std::uint64_t,
                                          const std::function<bool()>&) const {
  return {};
}

unsigned Subject::default_cases() const { return properties::default_cases; }

const Variant* Subject::find(std::string_view variant) const {
  const auto at = std::ranges::find(variants(), variant, &Variant::id);
  return at == variants().end() ? nullptr : &*at;
}

std::optional<Case> Subject::repaired(const Case& c) const {
  const Variant* const variant = find(c.variant);
  if (variant == nullptr || variant->form("fixed") == nullptr) return std::nullopt;
  Case fixed = c;
  fixed.form = "fixed";
  fixed.grid = 0;
  return fixed;
}

void fail_form(const Variant& variant, std::string_view form) {
  std::vector<std::string_view> names;
  for (const Form& known : variant.forms) names.push_back(known.name);
  throw CaseError(unknown_word(fmt::format("form of {}", variant.id), form, names));
}

void fail_types(const Case& c, const std::vector<Instance>& compiled) {
  const auto text = [](const Instance& i) {
    return fmt::format("{}->{} {}", name(i.in), name(i.acc), name(i.op));
  };
  std::vector<std::string> texts;
  for (const Instance& instance : compiled) texts.push_back(text(instance));
  const std::vector<std::string_view> known(texts.begin(), texts.end());
  throw CaseError(unknown_word(fmt::format("types of {}", spelling(c.variant, c.form)),
                               text({c.in, c.acc, c.op}), known));
}

std::string spelling(std::string_view variant, std::string_view form) {
  return form == only_form ? std::string(variant) : fmt::format("{}@{}", variant, form);
}

std::string_view seed_name(std::string_view variant) {
  return variant.substr(variant.rfind('/') + 1);
}

}  // namespace gauntlet::properties
