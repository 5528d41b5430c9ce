// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "base/schedule.hpp"
#include "interface/formats/formats.hpp"
#include "kernels/subject.hpp"
#include "properties/witness/lines.hpp"

namespace gauntlet::formats {
namespace {

using properties::FormReport;

bool races(const FormReport& form) {
  return std::ranges::any_of(form.found, [](const Expected& what) {
    return facts(what.kind).of_class == FindingClass::race_free;
  });
}

/// Nothing where no schedule is known that makes the result wrong.
std::optional<witness::Witness> replayed(const witness::Line& line) {
  if (line.got == line.right || parse_schedule(line.c.schedule).kind != Schedule::Kind::replay) {
    return std::nullopt;
  }
  witness::Explained seen = witness::explain(line.c, kernels::compiled_kernels());
  witness::Witness result{.verdict = witness::Witness::Verdict::found, .c = line.c};
  result.got = line.got;
  result.right = line.right;
  result.base = seen.base;
  result.decision = std::move(seen.decision);
  return result;
}

std::optional<witness::Witness> searched(const FormReport& form,
                                         const properties::Subject& subject) {
  const Variant* const variant = subject.find(form.variant);
  const Form* const of = variant == nullptr ? nullptr : variant->form(form.form);
  if (of == nullptr) return std::nullopt;
  witness::Options options;
  for (const auto& example : form.counterexamples) options.known.push_back(example.c);
  auto seen = witness::find(subject, *variant, *of, options);
  return seen.found() ? std::optional(std::move(seen)) : std::nullopt;
}

}  // namespace

std::vector<witness::Witness> witnesses(const properties::CheckReport& report,
                                        const properties::Subject& subject) {
  const auto lines = witness::load_lines("");
  std::vector<witness::Witness> all;
  for (const FormReport& form : report.forms) {
    if (!races(form)) continue;
    std::optional<witness::Witness> one;
    const auto line = std::ranges::find_if(lines, [&](const witness::Line& l) {
      return l.c.variant == form.variant && l.c.form == form.form;
    });
    const Variant* const variant = subject.find(form.variant);
    if (line != lines.end()) {
      one = replayed(*line);
    } else if (variant != nullptr &&
               (!variant->file.empty() || variant->form("fixed") == nullptr)) {
      // Nobody has looked yet.
      one = searched(form, subject);
    }
    if (one) all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace gauntlet::formats
