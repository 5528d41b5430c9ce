// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>
#include <string>

#include "base/text/text.hpp"
#include "interface/formats/formats.hpp"
#include "properties/case/case_text.hpp"
#include "sanitizer/kernel/told.hpp"

namespace gauntlet::formats {
namespace {

using properties::FormReport;
using properties::Outcome;

/// One line for each thing that is not as it must be; where a case shows it, the line to replay.
std::string reasons(const FormReport& form) {
  std::string text;
  for (const auto& what : form.missing) text += fmt::format("not found: {}\n", spell(what));
  for (const auto& what : form.extra) {
    text += fmt::format("not expected: {}\n", spell(what));
    const auto* example = form.first_that_shows(what);
    if (example == nullptr) continue;
    text += "  " + repro_command(example->c) + "\n";
    std::istringstream findings(sanitize::told(example->findings, Style(false)));
    for (std::string line; std::getline(findings, line);) text += fmt::format("    {}\n", line);
  }
  for (const std::string& problem : form.problems) text += fmt::format("problem: {}\n", problem);
  return without_controls(text);
}

void add_test(pugi::xml_node suite, const FormReport& form) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = form.variant.c_str();
  test.append_attribute("name") = form.form.c_str();
  if (form.outcome == Outcome::incomplete) {
    test.append_child("skipped").append_attribute("message") = "stopped before its last case";
  }
  if (form.outcome != Outcome::mismatch) return;
  const std::string text = reasons(form);
  pugi::xml_node failure = test.append_child("failure");
  failure.append_attribute("message") = text.substr(0, text.find('\n')).c_str();
  failure.append_attribute("type") = "mismatch";
  failure.append_child(pugi::node_pcdata).set_value(text.c_str());
}

struct Counts {
  unsigned tests = 0, failures = 0, skipped = 0;

  void add(const FormReport& form) {
    ++tests;
    failures += form.outcome == Outcome::mismatch;
    skipped += form.outcome == Outcome::incomplete;
  }
  void write(pugi::xml_node node) const {
    node.append_attribute("tests") = tests;
    node.append_attribute("failures") = failures;
    node.append_attribute("errors") = 0;
    node.append_attribute("skipped") = skipped;
  }
};

}  // namespace

std::string junit(const properties::CheckReport& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node suites = document.append_child("testsuites");
  suites.append_attribute("name") = "gauntlet check";
  Counts all;
  for (auto form = report.forms.begin(); form != report.forms.end();) {
    pugi::xml_node suite = suites.append_child("testsuite");
    suite.append_attribute("name") = form->variant.c_str();
    Counts counts;
    for (const std::string variant = form->variant;
         form != report.forms.end() && form->variant == variant; ++form) {
      counts.add(*form);
      all.add(*form);
      add_test(suite, *form);
    }
    counts.write(suite);
  }
  all.write(suites);
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace gauntlet::formats
