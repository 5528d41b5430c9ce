// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a tool must say follows from the catalogue; exceptions are real ones and have a reason.
#include "sanitizer/vendor/expectation.hpp"

#include <gtest/gtest.h>

#include "kernels/catalogue.hpp"
#include "sanitizer/vendor/calibration.hpp"

namespace gauntlet::sanitizer {
namespace {

using enum Symptom;
using K = FindingKind;

Form form(std::vector<Expected> expected) {
  return {"documented", {}, std::move(expected), {}, {}};
}

TEST(Rule, a_race_in_shared_memory_is_racechecks_and_one_in_global_memory_nobodys) {
  const auto shared = form({{K::race_read_write, "s"}});
  EXPECT_EQ(by_rule(Tool::racecheck, shared), Symptoms{race});
  EXPECT_EQ(by_rule(Tool::memcheck, shared), Symptoms{});
  EXPECT_EQ(by_rule(Tool::racecheck, form({{K::race_write_read, "storage"}})), Symptoms{race});
  EXPECT_EQ(by_rule(Tool::racecheck, form({{K::race_read_write, "in"}})), Symptoms{});
  EXPECT_NE(why_silent({K::race_read_write, "in"}, shared), "");
  EXPECT_EQ(why_silent({K::race_read_write, "s"}, shared), "");
}

TEST(Rule, memcheck_tells_shared_from_global_and_sees_misalignment) {
  EXPECT_EQ(by_rule(Tool::memcheck, form({{K::out_of_bounds_read, "in"}})),
            Symptoms{global_bounds});
  EXPECT_EQ(by_rule(Tool::memcheck, form({{K::out_of_bounds_write, "s"}, {K::misaligned, "in"}})),
            (Symptoms{shared_bounds, misaligned}));
  EXPECT_EQ(by_rule(Tool::memcheck, form({{K::wrong_result, "out"}})), Symptoms{});
}

TEST(Expectation, of_what_takes_2_to_the_31_elements_is_silence_but_not_of_the_same_at_any_size) {
  auto wide = form({{K::out_of_bounds_read, "in"}, {K::poison_output, "out"}});
  wide.only_wide = {{K::out_of_bounds_read, "in"}};
  EXPECT_EQ(by_rule(Tool::memcheck, wide), Symptoms{});
  EXPECT_EQ(by_rule(Tool::initcheck, wide), Symptoms{});
  EXPECT_NE(why_silent({K::out_of_bounds_read, "in"}, wide), "");
  // In the catalogue: the first lacks a check of n as well, the other one only wide indices.
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& f : variant.forms) {
      const bool silent = by_rule(Tool::memcheck, f).empty();
      if (variant.id == "interleaved_bitmask" && f.name == "documented") {
        EXPECT_FALSE(silent);
      }
      if (f.name == "fixed-index_width") {
        EXPECT_TRUE(silent) << variant.id;
      }
    }
  }
}

TEST(Rule, initcheck_sees_undefined_values_of_global_memory_only) {
  const auto tail = form({{K::out_of_bounds_read, "in"}, {K::poison_output, "out"}});
  EXPECT_EQ(by_rule(Tool::initcheck, tail), Symptoms{uninitialised});
  const auto shared = form({{K::out_of_bounds_read, "s"}, {K::poison_output, "out"}});
  EXPECT_EQ(by_rule(Tool::initcheck, shared), Symptoms{});
  EXPECT_NE(why_silent({K::poison_output, "out"}, shared), "");
  EXPECT_EQ(by_rule(Tool::initcheck, form({{K::unwritten_output, "out"}})), Symptoms{unwritten});
}

TEST(Rule, synccheck_sees_broken_contracts_but_not_lanes_that_never_come) {
  for (const K kind : {K::partial_barrier, K::divergent_barrier, K::not_in_own_mask}) {
    EXPECT_EQ(by_rule(Tool::synccheck, form({{kind, ""}})), Symptoms{barrier});
  }
  EXPECT_EQ(by_rule(Tool::synccheck, form({{K::named_lane_absent, ""}})), Symptoms{});
  EXPECT_NE(why_silent({K::named_lane_absent, ""}, form({})), "");
}

TEST(Rule, of_a_form_that_must_hold_no_tool_says_anything) {
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& f : variant.forms) {
      if (!f.expected.empty()) continue;
      for (const Tool tool : all_tools) EXPECT_EQ(by_rule(tool, f), Symptoms{}) << variant.id;
    }
  }
}

TEST(Exceptions, each_names_a_form_that_exists_departs_from_the_rule_and_says_why) {
  for (const Exception& e : exceptions()) {
    const std::string who = std::string(e.variant) + "@" + std::string(e.form);
    EXPECT_GT(e.why.size(), 20U) << who;
    bool used = false;
    for (const auto& variant : kernels::catalogue()) {
      for (const auto& f : variant.forms) used = used || exception_of(e.tool, variant, f) == &e;
    }
    EXPECT_TRUE(used) << name(e.tool) << " of " << who
                      << ": the rule says the same, or no such form";
  }
}

TEST(Tools, a_list_is_put_in_order_and_an_unknown_word_refused_by_name) {
  EXPECT_EQ(parse_tools("synccheck,memcheck,memcheck"),
            (std::vector{Tool::memcheck, Tool::synccheck}));
  for (const std::string bad : {"", "memchek", "memcheck,", "all"}) {
    try {
      (void)parse_tools(bad);
      ADD_FAILURE() << bad;
    } catch (const CaseError& error) {
      EXPECT_NE(std::string(error.what()).find("memcheck"), std::string::npos) << error.what();
    }
  }
}

/// A measurement in which every tool says exactly what it must.
Measurement ideal() {
  Measurement m;
  m.tools.assign(all_tools.begin(), all_tools.end());
  const auto finding = [](Symptom symptom) {
    for (int kind = 0; kind <= static_cast<int>(K::executor_fault); ++kind) {
      for (const std::string array : {"s", "in"}) {
        Said said;
        said.kind = static_cast<K>(kind);
        said.array = array;
        if (symptom_of(said) == symptom) return said;
      }
    }
    throw std::logic_error("no finding has this symptom");
  };
  const auto seen = [&](const Symptoms& symptoms) {
    Seen s;
    for (const Symptom symptom : symptoms) s.findings.push_back(finding(symptom));
    return s;
  };
  for (const Planted& p : planted()) {
    m.calibration.push_back({p.tool, calibration_entry(p.defect, false), seen(p.reports)});
    m.calibration.push_back({p.tool, calibration_entry(p.defect, true), {}});
  }
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& f : variant.forms) {
      CaseMeasure c;
      c.line = variant.id + "@" + f.name;
      for (const Tool tool : all_tools) c.tools[tool] = seen(expected(tool, variant, f));
      m.forms.push_back({variant.id, f.name, {c}});
    }
  }
  return m;
}

TEST(Comparison, what_is_expected_passes) {
  EXPECT_TRUE(calibration_failures(ideal()).empty());
  EXPECT_TRUE(disagreements(ideal()).empty());
}

TEST(Comparison, a_planted_defect_missed_and_a_clean_twin_reported_both_fail) {
  Measurement missed = ideal();
  missed.calibration[0].seen.findings.clear();
  EXPECT_EQ(calibration_failures(missed).size(), 1U);
  Measurement alarmed = ideal();
  alarmed.calibration[1].seen = ideal().calibration[0].seen;
  EXPECT_EQ(calibration_failures(alarmed).size(), 1U);
  Measurement absent = ideal();
  absent.calibration.pop_back();
  EXPECT_EQ(calibration_failures(absent).size(), 1U);
}

TEST(Comparison, a_blind_spot_that_is_none_any_more_fails) {
  Measurement m = ideal();
  for (CalibrationMeasure& c : m.calibration) {
    if (c.entry == calibration_entry("shared_uninitialised", false)) {
      c.seen.findings.emplace_back();
      c.seen.findings.back().kind = K::uninitialised_read;
    }
  }
  EXPECT_EQ(calibration_failures(m).size(), 1U);
}

TEST(Comparison, silence_and_a_false_alarm_are_disagreements_alike) {
  Measurement silent = ideal(), alarmed = ideal();
  for (FormMeasure& f : silent.forms) {
    if (f.variant == "wide_active" && f.form == "documented") f.cases[0].tools.clear();
  }
  for (FormMeasure& f : alarmed.forms) {
    if (f.variant != "wide_active" || f.form != "fixed") continue;
    Said warning;
    warning.kind = K::race_read_write;
    warning.severity = Severity::warning;
    f.cases[0].tools[Tool::racecheck].findings.push_back(warning);
  }
  EXPECT_FALSE(disagreements(silent).empty());
  ASSERT_EQ(disagreements(alarmed).size(), 1U);
  EXPECT_NE(disagreements(alarmed)[0].find("racecheck of wide_active@fixed: race, where nothing"),
            std::string::npos)
      << disagreements(alarmed)[0];
}

TEST(Comparison, a_note_is_no_report_and_a_case_without_result_is_a_disagreement) {
  Measurement noted = ideal();
  Said note;
  note.kind = K::race_read_write;
  note.severity = Severity::note;
  noted.forms[1].cases[0].tools[Tool::racecheck].findings.push_back(note);
  EXPECT_TRUE(disagreements(noted).empty());
  Measurement broken = ideal();
  broken.forms[1].cases[0].tools[Tool::racecheck].problem = "the worker ended";
  EXPECT_EQ(disagreements(broken).size(), 1U);
}

}  // namespace
}  // namespace gauntlet::sanitizer
