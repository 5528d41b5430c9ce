// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/formats/witnesses.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/schedule.hpp"
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
std::optional<FormWitness> replayed(const witness::Line& line) {
  if (line.got == line.right || parse_schedule(line.c.schedule).kind != Schedule::Kind::replay) {
    return std::nullopt;
  }
  witness::Explained seen = witness::explain(line.c, kernels::compiled_kernels());
  return FormWitness{line.c.variant,          line.c.form, line.c, line.got, line.right, seen.base,
                     std::move(seen.decision)};
}

std::optional<FormWitness> searched(const FormReport& form, const properties::Subject& subject) {
  const Variant* const variant = subject.find(form.variant);
  const Form* const of = variant == nullptr ? nullptr : variant->form(form.form);
  if (of == nullptr) return std::nullopt;
  witness::Options options;
  for (const auto& example : form.counterexamples) options.known.push_back(example.c);
  const auto seen = witness::find(subject, *variant, *of, options);
  if (!seen.found()) return std::nullopt;
  return form_witness(seen);
}

}  // namespace

FormWitness form_witness(const witness::Witness& found) {
  return {found.c.variant, found.c.form, found.c,       found.got,
          found.right,     found.base,   found.decision};
}

std::vector<FormWitness> witnesses(const properties::CheckReport& report,
                                   const properties::Subject& subject) {
  const auto lines = witness::load_lines("");
  std::vector<FormWitness> all;
  for (const FormReport& form : report.forms) {
    if (!races(form)) continue;
    std::optional<FormWitness> one;
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
