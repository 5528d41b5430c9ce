// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "base/text/table.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/help.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/claims/claim.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/hunt/shrink.hpp"
#include "properties/hunt/subject.hpp"

namespace gauntlet::cli {
namespace {

std::vector<Instance> sorted_instances(const properties::Subject& subject, const Variant& variant,
                                       std::string_view form) {
  std::vector<Instance> all = subject.instances(variant.id, form);
  std::ranges::sort(all);
  return all;
}

/// "sum f32->f32 f64->f64; product f32->f32"
std::string compiled(const std::vector<Instance>& instances) {
  std::map<Op, std::string> by_op;
  for (const auto& [in, acc, op] : instances) {
    by_op[op] += fmt::format(" {}->{}", name(in), name(acc));
  }
  std::string text;
  for (const auto& [op, types] : by_op) {
    text += fmt::format("{}{}{}", text.empty() ? "" : "; ", name(op), types);
  }
  return text.empty() ? "nothing" : text;
}

std::string completion_of(const Variant& variant) {
  if (variant.completion == "partials") return "one value per block, which the host combines";
  if (variant.completion == "atomic") return "each block combines its value with out[0] atomically";
  return variant.completion;
}

/// Nobody has said where it comes from.
bool untold(const Variant& variant) {
  return variant.origin == Origin::printed && variant.documents.empty();
}

/// "E, one sentence (catalogue row 28, ours)"
std::string source_of(const Variant& variant) {
  if (untold(variant)) return {};
  const std::string row = variant.row == 0 ? "" : fmt::format("catalogue row {}, ", variant.row);
  return fmt::format("{}{}({}{})", variant.documents, variant.documents.empty() ? "" : " ", row,
                     name(variant.origin));
}

std::string joined(const std::vector<std::string>& words, std::string_view none) {
  return words.empty() ? std::string(none) : fmt::format("{}", fmt::join(words, ", "));
}

/// As `gauntlet check` chooses: documented launches first, then the simplest.
std::string first_counterexample(const Variant& variant, const std::string& regressions_dir) {
  auto all = properties::load_regressions(regressions_dir, variant.id, "documented");
  if (all.empty()) return "none";
  const auto& source = kernels::compiled_kernels();
  const auto first = std::ranges::min_element(all, [&](const auto& a, const auto& b) {
    const bool a_there = properties::is_documented_launch(source, a.c),
               b_there = properties::is_documented_launch(source, b.c);
    return a_there != b_there ? a_there : properties::simpler(a.c, b.c);
  });
  return fmt::format("`{}`", short_line(first->c));
}

}  // namespace

std::vector<int> statements_about(const std::string& variant) {
  if constexpr (has_catalogue) return claims::claims_about(variant);
  return {};
}

std::string text(const properties::Subject& subject, const Variant& variant, const Style& style) {
  std::string text = style.bold(variant.id) + "\n";
  const auto say = [&](std::string_view what, const std::string& said) {
    if (!said.empty()) text += labelled(what, said);
  };
  say("in", source_of(variant));
  say("claim", variant.claim);
  const auto judges = statements_about(variant.id);
  if (!judges.empty()) {
    text += labelled("judged by", fmt::format("claim {}", fmt::join(judges, ", ")));
  }
  say("does", variant.idea);
  say("result", completion_of(variant));
  say("contract", variant.contract);
  for (const auto& precondition : variant.preconditions) text += labelled("requires", precondition);
  // What we put into a kernel that no document prints is no defect of a document.
  const bool printed = variant.origin == Origin::printed;
  for (const auto& [fix, what] : variant.defects) {
    text += labelled(printed ? "defect" : "planted", fmt::format("{}: {}", fix, what));
  }
  for (const auto& form : variant.forms) {
    std::string expects = form.name == only_form ? "" : form.name + ": ";
    expects += fmt::format("expects {}", spell(form.expected));
    if (!form.expect_schedules.empty()) {
      expects += fmt::format(" (under {})", fmt::join(form.expect_schedules, ", "));
    }
    text += labelled("form", expects) +
            labelled("compiled", compiled(sorted_instances(subject, variant, form.name)));
  }
  return text + "\n";
}

std::string brief(const std::vector<const Variant*>& variants, const Style& style) {
  Table table({"row", "variant", "document", "fixes", "forms"});
  for (const auto* variant : variants) {
    table.row({variant->row == 0 ? "" : std::to_string(variant->row), variant->id,
               variant->documents, std::to_string(variant->defects.size()),
               std::to_string(variant->forms.size())});
  }
  return table.text(0, style);
}

std::string by_origin(const std::vector<const Variant*>& variants) {
  std::string text;
  for (const auto origin : all<Origin>()) {
    const auto count = std::ranges::count_if(
        variants, [&](const Variant* v) { return v->origin == origin && !untold(*v); });
    if (count == 0) continue;
    text += fmt::format("{} {} {}", text.empty() ? ":" : ",", count, name(origin));
  }
  return text;
}

Json to_json(const properties::Subject& subject, const Variant& variant) {
  Json json{{"row", variant.row},           {"id", variant.id},
            {"origin", variant.origin},     {"documents", variant.documents},
            {"claim", variant.claim},       {"judged_by", statements_about(variant.id)},
            {"idea", variant.idea},         {"completion", variant.completion},
            {"contract", variant.contract}, {"preconditions", variant.preconditions},
            {"defects", variant.defects},   {"forms", variant.forms}};
  for (Json& form : json["forms"]) {
    form["instances"] = sorted_instances(subject, variant, form["name"].get<std::string>());
  }
  return json;
}

std::string documents_page(const std::string& regressions_dir) {
  std::string text = document("manual/documents.md.in");
  for (const Variant& variant : kernels::catalogue()) {
    if (variant.documents.starts_with("none")) continue;
    std::vector<std::string> statements;
    for (const int number : statements_about(variant.id)) {
      statements.push_back(fmt::format("[{0}](claims.md#{0})", number));
    }
    const Form* documented = variant.form("documented");
    text += fmt::format(
        "| {} | `{}` | {} | {} | {} |\n", variant.documents, variant.id,
        joined(documented == nullptr ? std::vector<std::string>{} : documented->missing, "none"),
        joined(statements, "none"), first_counterexample(variant, regressions_dir));
  }
  return text;
}

}  // namespace gauntlet::cli
