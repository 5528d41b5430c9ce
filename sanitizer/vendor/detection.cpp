// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text/table.hpp"
#include "properties/witness/lines.hpp"
#include "sanitizer/vendor/calibration.hpp"
#include "sanitizer/vendor/expectation.hpp"

namespace gauntlet::sanitizer {
namespace {

constexpr std::string_view nothing = "–";
constexpr std::string_view not_measured = "?";

using Kinds = std::optional<std::vector<std::string>> CaseMeasure::*;

/// What the findings of an executor come to, over all cases of a form.
std::string kinds(const FormMeasure& form, Kinds member) {
  std::set<std::string> words;
  bool measured = false;
  for (const CaseMeasure& c : form.cases) {
    if (!(c.*member)) continue;
    measured = true;
    for (const std::string& kind : *(c.*member)) {
      const auto blank = kind.find(' ');
      words.insert(blank == kind.npos
                       ? kind
                       : fmt::format("{} `{}`", kind.substr(0, blank), kind.substr(blank + 1)));
    }
  }
  if (!measured) return std::string(not_measured);
  if (words.empty()) return std::string(nothing);
  std::string text = fmt::format("{}", fmt::join(words, ", "));
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string output(const FormMeasure& form) {
  std::map<Output, int> counts;
  for (const CaseMeasure& c : form.cases) ++counts[c.output.value_or(Output::none)];
  if (counts.empty() || counts.contains(Output::none)) return std::string(not_measured);
  std::vector<std::string> words;
  for (const auto& [what, count] : counts) {
    words.push_back(counts.size() == 1 ? std::string(name(what))
                                       : fmt::format("{} {}", count, name(what)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

bool shows_in_output(const FormMeasure& form) {
  return std::ranges::any_of(form.cases, [](const CaseMeasure& c) {
    return c.output && *c.output != Output::right && *c.output != Output::refused;
  });
}

bool shows(const FormMeasure& form, Kinds member) {
  return std::ranges::any_of(
      form.cases, [&](const CaseMeasure& c) { return c.*member && !(c.*member)->empty(); });
}

class Page {
 public:
  Page(const Measurement& m, const properties::Subject& subject, std::string source,
       const std::string& witnesses)
      : m_(m), subject_(subject), source_(std::move(source)) {
    for (const witness::Line& line : witness::load_lines(witnesses)) {
      witnesses_[line.c.variant + "@" + line.c.form] =
          line.got == line.right ? line.right + " always"
                                 : fmt::format("{} instead of {}", line.got, line.right);
    }
  }

  std::string write() {
    head();
    table();
    exceptions_below();
    silent_below();
    calibration_below();
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  /// Broken at blanks before column 120, with an empty line behind.
  void paragraph(const std::string& text) { line("{}\n", wrap(text, 0, 0, 120)); }

  void head() {
    line("# Which tool would have told me?");
    line("");
    paragraph(fmt::format(
        "Every form of every variant, as measured on {}: {}, driver {}, compute-sanitizer {}. "
        "Generated from [{}]({}) by `gauntlet detect --from`, not written by hand.",
        m_.date, m_.device, m_.driver, m_.tool_version, source_,
        source_.substr(source_.find('/') + 1)));
    bool specs = false, wide = false;
    std::size_t defective = 0, cases = 0, in_output = 0, fence = 0, simt = 0, any_tool = 0;
    std::map<Tool, std::size_t> by_tool;
    for (const FormMeasure& form : m_.forms) {
      cases += form.cases.size();
      specs = specs || is_spec(form.variant);
      const Form* const entry = form_of(form);
      if (entry == nullptr || entry->expected.empty()) continue;
      ++defective;
      wide = wide || !entry->only_wide.empty();
      in_output += shows_in_output(form);
      fence += shows(form, &CaseMeasure::fence);
      simt += shows(form, &CaseMeasure::simt);
      bool any = false;
      for (const Tool tool : m_.tools) {
        const bool says = !reported(form, tool).empty();
        by_tool[tool] += says;
        any = any || says;
      }
      any_tool += any;
    }
    paragraph(fmt::format(
        "{} cases of {} forms were run in each of these ways: the {}, which show each defect in "
        "its "
        "smallest form, and {}. Of the {} forms with a defect that can be seen at all, in at least "
        "one case of the "
        "form, this many are reported by",
        cases, m_.forms.size(),
        specs ? "counterexamples that are kept beside each spec"
              : "committed counterexamples (`properties/regressions/`)",
        specs
            ? "launches that a user would try"
            : "three launches that a user would try (n = 1000 in blocks of 256, 97 in odd blocks, "
              "128 in small ones)",
        defective));
    Table table({"who", "forms"});
    const auto row = [&](std::string_view who, std::size_t forms) {
      table.row({std::string(who), fmt::to_string(forms)});
    };
    row("a wrong result, an unwritten output or a CUDA error of a plain run", in_output);
    row("the same between guard pages (`check --on cuda`)", fence);
    for (const Tool tool : m_.tools) row(name(tool), by_tool[tool]);
    row("any of these tools", any_tool);
    row("the SIMT machine", simt);
    line("{}", table.markdown());
    if (!wide) return;
    paragraph(
        "The `index_width` forms show theirs from n = 2^31 on only. Their counterexamples are "
        "windows of blocks, which only the SIMT machine runs, so only their other cases were "
        "measured here. With all elements, 16 GiB, a GPU's result is wrong as well "
        "(tests/gpu/executor/gpu_large_test.cpp).");
  }

  const Form* form_of(const FormMeasure& form) const {
    const Variant* const variant = subject_.find(form.variant);
    return variant == nullptr ? nullptr : variant->form(form.form);
  }

  std::string tool_cell(const FormMeasure& form, Tool tool) {
    if (std::ranges::none_of(form.cases,
                             [&](const CaseMeasure& c) { return c.tools.contains(tool); })) {
      return std::string(not_measured);
    }
    const Symptoms symptoms = reported(form, tool);
    std::string cell(nothing);
    if (!symptoms.empty()) {
      cell = tool == Tool::racecheck
                 ? (severity(form, tool) == Severity::error ? "Error" : "Warning")
                 : spell(symptoms);
    }
    const Variant* const variant = subject_.find(form.variant);
    const Form* const entry = form_of(form);
    if (entry == nullptr) return cell;
    const Exception* const e = exception_of(tool, *variant, *entry);
    if (e != nullptr) {
      auto known = std::ranges::find(notes_, e->why);
      if (known == notes_.end()) known = notes_.insert(notes_.end(), e->why);
      const auto number = static_cast<std::size_t>(known - notes_.begin()) + 1;
      note_forms_[number].push_back(
          fmt::format("{} of `{}`", name(tool), properties::spelling(form.variant, form.form)));
      cell += fmt::format(" ({})", number);
    }
    if (symptoms != wanted(tool, *variant, *entry, symptoms)) cell += " **unexpected**";
    return cell;
  }

  void table() {
    paragraph(
        "`–`: nothing was reported; `?`: not measured. Of racecheck the table has the severity: "
        "a Warning is a race inside a warp, an Error one between warps. The witness is a "
        "schedule of the SIMT machine that makes the race's result wrong (`gauntlet witness`). "
        "Numbers lead to the explanations below the table.");
    Table::Cells header{"form", "output of a plain run", "fence"};
    for (const Tool tool : m_.tools) header.emplace_back(name(tool));
    header.insert(header.end(), {"SIMT machine", "witness"});
    Table table(header);
    for (const FormMeasure& form : m_.forms) {
      const std::string& witness = witnesses_[form.variant + "@" + form.form];
      Table::Cells row{fmt::format("`{}`", properties::spelling(form.variant, form.form)),
                       output(form), kinds(form, &CaseMeasure::fence)};
      for (const Tool tool : m_.tools) row.push_back(tool_cell(form, tool));
      row.push_back(kinds(form, &CaseMeasure::simt));
      row.push_back(witness.empty() ? std::string(nothing) : witness);
      table.row(row);
    }
    line("{}", table.markdown());
  }

  void exceptions_below() {
    if (notes_.empty()) return;
    line("## Where a tool and the SIMT machine disagree");
    line("");
    for (std::size_t i = 0; i < notes_.size(); ++i) {
      paragraph(fmt::format("{}. {} ({})", i + 1, notes_[i], fmt::join(note_forms_[i + 1], ", ")));
    }
  }

  void silent_below() {
    std::map<std::string_view, std::vector<std::string>> silent;
    for (const FormMeasure& form : m_.forms) {
      const Form* const entry = form_of(form);
      if (entry == nullptr || entry->expected.empty()) continue;
      if (std::ranges::any_of(m_.tools, [&](Tool t) { return !reported(form, t).empty(); })) {
        continue;
      }
      for (const Expected& e : entry->expected) {
        const std::string_view why = why_silent(e, *entry);
        if (why.empty()) continue;
        const std::string who = fmt::format("`{}`", properties::spelling(form.variant, form.form));
        auto& list = silent[why];
        if (list.empty() || list.back() != who) list.push_back(who);
      }
    }
    if (silent.empty()) return;
    line("## Defects that no vendor tool reports");
    line("");
    for (const auto& [why, forms] : silent) {
      paragraph(fmt::format("- {}: {}", why, fmt::join(forms, ", ")));
    }
  }

  void calibration_below() {
    line("## Calibration");
    line("");
    paragraph(
        "Before the cases each tool was shown planted defects and a clean twin of each "
        "(`sanitizer/vendor/calibration.cu`). In every clean twin it must find nothing; a planted "
        "defect with `–` is a blind spot that the expectations take for granted.");
    Table table({"tool", "planted", "reported"});
    for (const CalibrationMeasure& c : m_.calibration) {
      for (const Planted& p : planted()) {
        if (p.tool != c.tool || c.entry != calibration_entry(p.defect, false)) continue;
        std::string defect(p.defect);
        std::ranges::replace(defect, '_', ' ');
        const Symptoms symptoms = c.seen.symptoms();
        table.row({std::string(name(c.tool)), defect,
                   symptoms.empty() ? std::string(nothing) : spell(symptoms)});
      }
    }
    text_ += table.markdown();
  }

  const Measurement& m_;
  const properties::Subject& subject_;
  std::string source_;
  std::map<std::string, std::string> witnesses_;  // by form
  std::string text_;
  std::vector<std::string_view> notes_;
  std::map<std::size_t, std::vector<std::string>> note_forms_;
};

}  // namespace

std::string detection_page(const Measurement& measurement, const std::string& source,
                           const std::string& witnesses, const properties::Subject& subject) {
  return Page(measurement, subject, source, witnesses).write();
}

}  // namespace gauntlet::sanitizer
