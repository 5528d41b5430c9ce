// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/formats/alerts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text/text.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::formats {
namespace {

using properties::FormReport;

std::string_view what_happened(runtime::MistakeKind kind) {
  constexpr std::string_view unordered =
      "two operations on the same memory that no stream, event or wait orders";
  static constexpr std::array<std::string_view, enum_names<runtime::MistakeKind>.size()> texts{
      "cudaFree of an address that no allocation begins at",
      "an allocation that is freed twice",
      "a copy or a fill of memory that was freed",
      "a copy or a fill beyond an array",
      "host memory where the device's is wanted, or the other way round",
      "uninitialised memory is copied to the host",
      "a library computes with uninitialised memory",
      "an array is freed that holds uninitialised values",
      "a launch failed, and its error was not read",
      "an allocation that is never freed",
      unordered,
      unordered,
      unordered,
      unordered};
  return texts[static_cast<std::size_t>(kind)];
}

std::string rule_of(runtime::MistakeKind kind) { return fmt::format("host_{}", name(kind)); }

std::string thread(const Party& party) {
  const Dim3& b = party.block;
  return fmt::format("block {},{},{} warp {} lane {}{}", b.x, b.y, b.z, party.warp, party.lane,
                     party.value.empty() ? "" : ", value " + party.value);
}

std::string cell(const Finding& f) {
  return f.array.empty() ? std::string{} : fmt::format(" {}[{}]", f.array, f.index);
}

/// The line without its blanks: what is still the same when lines above it come and go. Empty where
/// the file cannot be read here.
std::string source_text(const std::string& path, std::uint32_t line) {
  std::string text = line_of_file(path, line).value_or("");
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
  return without_controls(text);
}

std::string cause_of(std::string_view rule, std::string_view about, std::string_view array,
                     const std::string& file, std::uint32_t line) {
  // The number of an allocation or a stream counts those before it, which come and go.
  const std::string_view name = array.substr(0, array.find('#'));
  return fmt::format("{}/{}/{}/{}/{}", rule, about, name, file, source_text(file, line));
}

/// Causes that are spelt alike are told apart by their number.
void number(std::vector<Alert>& all) {
  std::map<std::string, int> seen;
  for (Alert& one : all) one.cause += fmt::format("/{}", ++seen[one.cause]);
}

/// Where the user's own code called: the innermost frame with a line.
std::optional<Place> place_in(const std::vector<runtime::Frame>& stack) {
  for (const runtime::Frame& frame : stack) {
    if (frame.line != 0) return Place{frame.file, frame.line, {}};
  }
  return std::nullopt;
}

class OfForm {
 public:
  OfForm(const FormReport& form, const std::vector<witness::Witness>& witnesses,
         const properties::Subject& subject)
      : form_(form), about_(properties::spelling(form.variant, form.form)), by_("the catalogue") {
    if (const Variant* const variant = subject.find(form.variant)) {
      by_ = variant->told_by();
      fallback_ = variant->file;
    }
    for (const witness::Witness& one : witnesses) {
      if (one.c.variant == form.variant && one.c.form == form.form) witness_ = &one;
    }
  }

  void add_to(std::vector<Alert>& all) const {
    for (const Expected& what : form_.found) {
      const auto* example = form_.first_that_shows(what);
      if (example == nullptr) continue;
      const auto finding = std::ranges::find_if(example->findings, [&](const Finding& f) {
        return f.kind == what.kind && f.array == what.array;
      });
      if (finding != example->findings.end()) all.push_back(found(*finding, *example));
    }
    for (const Expected& what : form_.missing) all.push_back(missing(what));
    for (const std::string& what : form_.problems) all.push_back(not_checked(what));
  }

 private:
  [[nodiscard]] Alert found(const Finding& finding,
                            const properties::Counterexample& example) const {
    Alert one = alert(finding, about_, fallback_);
    one.message += "; " + repro_command(example.c);
    const bool of_order = facts(finding.kind).of_class == FindingClass::race_free ||
                          finding.kind == FindingKind::wrong_result;
    if (of_order && witness_ != nullptr) {
      one.flow = witness_->decision;
      one.message += fmt::format("; {} instead of {}: {}", witness_->got, witness_->right,
                                 repro_command(witness_->c));
    }
    const bool expected = std::ranges::any_of(form_.expected, [&](const Expected& what) {
      return what.kind == finding.kind && what.array == finding.array;
    });
    if (expected) one.accepted = by_ + " expects it";
    return one;
  }

  [[nodiscard]] Alert missing(const Expected& what) const {
    return of_all(missing_rule,
                  fmt::format("{} expects {}{} of {}, and no case shows it", by_, name(what.kind),
                              what.array.empty() ? "" : " on " + what.array, about_),
                  fmt::format("/{}/{}", name(what.kind), what.array));
  }

  [[nodiscard]] Alert not_checked(const std::string& problem) const {
    return of_all(problem_rule, fmt::format("{}: {}", about_, problem), "");
  }
  /// Of the form as a whole.
  [[nodiscard]] Alert of_all(std::string_view rule, std::string message,
                             const std::string& cause) const {
    Alert one;
    one.rule = rule;
    one.message = std::move(message);
    if (!fallback_.empty()) one.at = Place{fallback_, 1, {}};
    one.cause = fmt::format("{}/{}{}", rule, about_, cause);
    return one;
  }

  const FormReport& form_;
  std::string about_, by_, fallback_;
  const witness::Witness* witness_ = nullptr;
};

}  // namespace

const std::vector<Rule>& rules() {
  static const std::vector<Rule> table = [] {
    std::vector<Rule> list;
    for (const FindingKind kind : all<FindingKind>()) {
      list.push_back({std::string(name(kind)), std::string(facts(kind).what)});
    }
    for (const runtime::MistakeKind kind : all<runtime::MistakeKind>()) {
      list.push_back({rule_of(kind), std::string(what_happened(kind))});
    }
    list.push_back({std::string(missing_rule), "an expected finding that no case shows"});
    list.push_back({std::string(problem_rule), "a kernel that could not be checked"});
    return list;
  }();
  return table;
}

Alert alert(const Finding& f, std::string_view about, const std::string& fallback) {
  Alert one;
  one.rule = name(f.kind);
  one.severity = f.severity;
  one.message = fmt::format("{}{}", facts(f.kind).what, cell(f));
  if (!f.kernel.empty()) one.message += fmt::format(" of {} by {}", f.kernel, thread(f.at));
  if (!f.detail.empty()) one.message += ": " + f.detail;
  if (!f.at.file.empty()) {
    one.at = Place{f.at.file, f.at.line, {}};
  } else if (!fallback.empty()) {
    one.at = Place{fallback, 1, {}};
  }
  if (f.other && !f.other->file.empty()) {
    one.related.push_back({f.other->file, f.other->line, "the other party: " + thread(*f.other)});
  }
  one.cause = cause_of(one.rule, about, f.array, f.at.file, f.at.line);
  return one;
}

std::vector<Alert> alerts(const std::vector<Finding>& findings, const std::string& file) {
  std::vector<Alert> list;
  for (const Finding& finding : findings) list.push_back(alert(finding, finding.kernel, file));
  number(list);
  return list;
}

std::vector<Alert> alerts(const properties::CheckReport& report,
                          const std::vector<witness::Witness>& witnesses,
                          const properties::Subject& subject) {
  std::vector<Alert> list;
  for (const FormReport& form : report.forms) OfForm(form, witnesses, subject).add_to(list);
  number(list);
  return list;
}

std::vector<Alert> alerts(const std::vector<runtime::ProcessReport>& processes) {
  std::vector<Alert> list;
  for (const runtime::ProcessReport& process : processes) {
    for (const runtime::KernelFinding& found : process.findings) {
      Alert one = alert(found.finding, found.finding.kernel);
      if (!one.at) one.at = place_in(found.stack);
      one.message += fmt::format("; launch {} of {}", found.launch, process.program);
      one.stack = found.stack;
      list.push_back(std::move(one));
    }
    for (const runtime::Mistake& mistake : process.mistakes) {
      Alert one;
      one.rule = rule_of(mistake.kind);
      one.severity = mistake.severity;
      one.message = fmt::format("{}: {}", mistake.call, mistake.detail);
      for (const std::string& note : mistake.notes) one.message += "; " + note;
      one.at = place_in(mistake.stack);
      one.stack = mistake.stack;
      const Place at = one.at.value_or(Place{});
      one.cause = cause_of(one.rule, mistake.call, "", at.file, at.line);
      list.push_back(std::move(one));
    }
  }
  number(list);
  return list;
}

}  // namespace gauntlet::formats
