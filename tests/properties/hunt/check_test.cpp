// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The engine against reductions that the host computes, with planted defects.
#include "properties/hunt/check.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "properties/hunt/form_part.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/hunt/shrink.hpp"
#include "tests/properties/hunt/fake.hpp"

namespace gauntlet::properties {
namespace {

using fake::check;
using fake::options;

FormReport form(const std::string& selector) {
  const CheckReport report = check(options({selector}));
  EXPECT_EQ(report.forms.size(), 1U);
  return report.forms.at(0);
}

/// All that must not depend on the number of threads.
std::string digest(const CheckReport& report) {
  std::string text;
  for (const FormReport& form : report.forms) {
    text += form.variant + '@' + form.form + ' ' + std::string(name(form.outcome));
    for (const auto& found : form.found) text += ' ' + std::string(name(found.kind)) + found.array;
    for (const auto& example : form.counterexamples) text += '\n' + to_string(example.c);
    for (const auto& tally : form.properties) {
      text +=
          '\n' + tally.name + ' ' + std::to_string(tally.held) + ' ' + std::to_string(tally.broken);
    }
    text += '\n' + std::to_string(form.cases) + ' ' + std::to_string(form.runs) + ' ' +
            std::to_string(form.warp_instructions) + '\n';
  }
  return text;
}

TEST(Check, finds_a_planted_defect_and_shrinks_it) {
  const FormReport report = form("plain@documented");
  EXPECT_EQ(report.outcome, Outcome::as_expected);
  EXPECT_EQ(report.found, report.expected);
  ASSERT_EQ(report.counterexamples.size(), 1U);
  const Case& c = report.counterexamples[0].c;
  EXPECT_EQ(to_string(c),
            "plain@documented f32->f32 sum n=5 block=1 grid=1 data=ones seed=1 offset=0 "
            "tail=poison schedule=lockstep");
  EXPECT_EQ(report.counterexamples[0].property, "matches_reference");
  EXPECT_FALSE(report.counterexamples[0].findings.empty());
}

TEST(Check, is_silent_on_the_repaired_form) {
  for (const char* selector : {"plain@fixed", "leaks_tail@fixed", "overruns@fixed"}) {
    const FormReport report = form(selector);
    EXPECT_EQ(report.outcome, Outcome::as_expected) << selector;
    EXPECT_TRUE(report.found.empty());
    EXPECT_TRUE(report.counterexamples.empty());
    EXPECT_EQ(report.instances, 6U);
    EXPECT_EQ(report.cases, default_cases + 5 * (default_cases / 4));
    for (const PropertyTally& tally : report.properties) {
      EXPECT_EQ(tally.broken, 0U) << tally.name;
      // Asked of functions of the host alone.
      const bool asked = tally.name != "host_calls";
      EXPECT_EQ(tally.held > 0U, asked) << tally.name;
    }
  }
}

TEST(Check, covers_every_kind_with_the_fewest_cases) {
  const FormReport report = form("overruns@documented");
  EXPECT_EQ(report.outcome, Outcome::as_expected);
  ASSERT_EQ(report.counterexamples.size(), 2U);
  EXPECT_EQ(report.counterexamples[0].c.tail, Tail::poison);
  EXPECT_EQ(report.counterexamples[1].c.tail, Tail::unmapped);
  for (const Counterexample& example : report.counterexamples) {
    EXPECT_EQ(example.c.n, 1U);
    EXPECT_EQ(example.c.block, 2U);
  }
}

/// The small catalogue with other facts about its variants.
class Altered : public fake::Kernels {
 public:
  std::vector<Variant> all = fake::source().variants();
  [[nodiscard]] const std::vector<Variant>& variants() const override { return all; }
};

/// As if a document had it whose blocks have 128 threads.
class Documented : public Altered {
 public:
  Documented() {
    for (Variant& variant : all) variant.documented_blocks = {128};
  }
};

FormReport documented_form(const std::string& selector, bool sees_everything = true) {
  class Blinkered final : public fake::HostExecutor {
   public:
    explicit Blinkered(bool all) : all_(all) {}
    [[nodiscard]] bool sees_everything() const override { return all_; }

   private:
    bool all_;
  } host(sees_everything);
  return run_check(host, options({selector}), Documented()).forms.at(0);
}

TEST(Check, puts_a_case_of_the_documents_own_launch_first_and_keeps_the_smallest) {
  const FormReport report = documented_form("plain@documented");
  ASSERT_EQ(report.counterexamples.size(), 2U);
  EXPECT_TRUE(report.counterexamples[0].documented_launch);
  EXPECT_EQ(report.counterexamples[0].c.block, 128U);
  EXPECT_EQ(report.counterexamples[0].c.n, 5U);
  EXPECT_FALSE(report.counterexamples[1].documented_launch);
  EXPECT_EQ(report.counterexamples[1].c.block, 1U);
  EXPECT_EQ(report.first_that_shows({FindingKind::wrong_result, "out"}),
            &report.counterexamples[0]);
  EXPECT_EQ(report.smallest(), &report.counterexamples[1]);
  EXPECT_EQ(report.first_that_shows({FindingKind::trap, ""}), nullptr);
}

TEST(Check, finds_one_documented_launch_for_each_finding) {
  const FormReport report = documented_form("overruns@documented");
  for (const Expected& what : report.expected) {
    const Counterexample* first = report.first_that_shows(what);
    ASSERT_NE(first, nullptr) << name(what.kind);
    EXPECT_TRUE(first->documented_launch) << name(what.kind);
  }
}

TEST(Check, looks_for_no_documented_launch_where_little_is_seen) {
  EXPECT_EQ(documented_form("plain@documented", false).counterexamples.size(), 1U);
}

TEST(DocumentedLaunch, has_a_block_of_the_document_as_many_blocks_as_needed_and_an_element) {
  const Documented subject;
  const auto is = [&](const std::string& keys) {
    return is_documented_launch(subject, parse_case("plain@documented f32->f32 sum " + keys));
  };
  EXPECT_TRUE(is("n=5 block=128"));
  EXPECT_TRUE(is("n=129 block=128 grid=2"));
  EXPECT_FALSE(is("n=0 block=128"));
  EXPECT_FALSE(is("n=5 block=96"));
  EXPECT_FALSE(is("n=5 block=128 grid=2"));
  EXPECT_FALSE(is("n=5 block=128 offset=4"));
  // Nobody has published it.
  EXPECT_FALSE(is_documented_launch(fake::source(),
                                    parse_case("plain@documented f32->f32 sum n=5 block=128")));
}

TEST(Check, draws_the_schedules_that_a_form_names) {
  const FormReport report = form("by_schedule@documented");
  EXPECT_EQ(report.outcome, Outcome::as_expected);
  ASSERT_FALSE(report.counterexamples.empty());
  EXPECT_EQ(report.counterexamples[0].c.schedule, "high_lane_first");
}

TEST(Check, reports_a_defect_that_nobody_expects) {
  const FormReport report = form("hidden@fixed");
  EXPECT_EQ(report.outcome, Outcome::mismatch);
  EXPECT_EQ(report.extra, (std::vector<Expected>{{FindingKind::wrong_result, "out"}}));
  ASSERT_FALSE(report.counterexamples.empty());
  EXPECT_EQ(report.counterexamples[0].c.n, 101U);
}

TEST(Check, reports_an_expected_defect_that_is_not_there) {
  const FormReport report = form("missing@documented");
  EXPECT_EQ(report.outcome, Outcome::mismatch);
  EXPECT_EQ(report.missing, (std::vector<Expected>{{FindingKind::trap, ""}}));
  EXPECT_EQ(report.cases, 8 * default_cases) << "a form that owes a finding is hunted longer";
}

TEST(Check, neither_misses_nor_hunts_longer_for_what_is_rare) {
  Altered subject;
  Form& documented = subject.all.back().forms.front();
  ASSERT_EQ(subject.all.back().id, "missing");
  documented.rare = documented.expected;
  fake::HostExecutor executor;
  const auto check = [&] {
    return run_check(executor, options({"missing@documented"}), subject).forms.at(0);
  };
  const FormReport rare = check();
  EXPECT_EQ(rare.outcome, Outcome::as_expected);
  EXPECT_EQ(rare.missing, std::vector<Expected>{});
  EXPECT_EQ(rare.unseen, documented.expected);
  EXPECT_EQ(rare.cases, default_cases);
  // Beside it something is due.
  documented.expected.push_back({FindingKind::unwritten_output, "out"});
  const FormReport both = check();
  EXPECT_EQ(both.outcome, Outcome::mismatch);
  EXPECT_EQ(both.missing, (std::vector<Expected>{{FindingKind::unwritten_output, "out"}}));
  EXPECT_EQ(both.unseen, documented.rare);
}

TEST(Check, ends_early_once_all_expected_findings_are_seen) {
  EXPECT_LT(form("overruns@documented").cases, default_cases);
}

TEST(Check, gives_the_same_report_on_every_number_of_threads) {
  CheckOptions with = options();
  const std::string serial = digest(check(with));
  for (const unsigned jobs : {2U, 7U}) {
    with.jobs = jobs;
    EXPECT_EQ(digest(check(with)), serial) << jobs;
  }
  with.seed = 2;
  EXPECT_NE(digest(check(with)), serial);
}

TEST(Check, begins_with_what_may_take_longest_and_reports_the_same) {
  Altered reordered;
  reordered.all.back().takes_any_n = true;
  fake::HostExecutor executor;
  CheckOptions with = options();
  std::vector<std::string> begun;
  with.progress = [&](const Progress& progress) {
    if (begun.empty() || begun.back() != progress.current) begun.push_back(progress.current);
  };
  const CheckReport report = run_check(executor, with, reordered);
  EXPECT_EQ(digest(report), digest(check(options())));
  // A unit of each variant's first instance, then of each one's second, and so on: six variants
  // with four instances of both forms.
  ASSERT_EQ(begun.size(), 48U);
  for (std::size_t turn = 0; turn < 8; ++turn) {
    const std::string form = turn == 0 ? "@documented" : "@fixed";
    EXPECT_EQ(begun[6 * turn], "missing" + form);
    EXPECT_EQ(begun[6 * turn + 1], "plain" + form);
    EXPECT_EQ(begun[6 * turn + 5], "hidden" + form);
  }
}

TEST(Check, gives_a_form_the_same_report_alone_and_among_others) {
  const CheckReport all = check(options());
  for (const FormReport& among : all.forms) {
    CheckReport one;
    one.forms = {among};
    EXPECT_EQ(digest(check(options({among.variant + "@" + among.form}))), digest(one));
  }
}

TEST(Check, shrinks_nothing_where_cases_are_wanted_as_they_were_drawn) {
  CheckOptions with = options({"plain@documented"});
  const Case shrunk = check(with).forms.at(0).counterexamples.at(0).c;
  with.shrunk = false;
  const Case drawn = check(with).forms.at(0).counterexamples.at(0).c;
  EXPECT_TRUE(simpler(shrunk, drawn)) << to_string(drawn);
}

TEST(Check, returns_what_it_has_when_cancelled) {
  std::atomic<bool> cancel = false;
  CheckOptions with = options();
  with.cancel = &cancel;
  std::uint64_t cases = 0;
  with.progress = [&](const Progress& progress) {
    cases = progress.cases;
    if (progress.cases == 30) cancel = true;
  };
  const CheckReport report = check(with);
  EXPECT_EQ(cases, 30U);
  EXPECT_TRUE(report.interrupted);
  EXPECT_FALSE(report.as_expected());
  EXPECT_EQ(report.forms.size(), 12U);
  EXPECT_EQ(report.forms.front().outcome, Outcome::as_expected);
  EXPECT_EQ(report.forms.back().outcome, Outcome::incomplete);
  EXPECT_EQ(report.forms.back().cases, 0U);
}

TEST(Check, stops_when_the_time_is_over) {
  CheckOptions with = options({"plain"});
  with.budget_seconds = 1;
  const CheckReport report = check(with);
  EXPECT_LT(report.seconds, 5);
  std::uint64_t cases = 0;
  for (const FormReport& form : report.forms) cases += form.cases;
  EXPECT_GT(cases, 5 * default_cases) << "rounds go on until the time is over";
  EXPECT_TRUE(report.as_expected()) << "having had the default cases, it is complete";
}

TEST(Check, tells_its_progress) {
  CheckOptions with = options({"plain"});
  std::vector<Progress> told;
  with.progress = [&](const Progress& progress) { told.push_back(progress); };
  const CheckReport report = check(with);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front().forms_total, 2U);
  EXPECT_EQ(told.front().current, "plain@documented");
  EXPECT_EQ(told.back().forms_done, 1U);
  EXPECT_EQ(told.back().cases, report.forms[0].cases + report.forms[1].cases);
}

template <typename Error>
class Throwing : public Executor {
 public:
  explicit Throwing(Error error) : error_(std::move(error)) {}
  [[nodiscard]] std::string_view name() const override { return "throwing"; }
  [[nodiscard]] Observation run(const Case&, const Plan&) override { throw error_; }

 private:
  Error error_;
};

void expect_problem(Executor&& executor, const std::string& what) {
  const CheckReport report = run_check(executor, options({"plain@fixed"}), fake::source());
  EXPECT_EQ(report.forms[0].outcome, Outcome::mismatch);
  ASSERT_FALSE(report.forms[0].problems.empty());
  EXPECT_NE(report.forms[0].problems[0].find(what), std::string::npos);
}

TEST(Check, reports_an_error_of_the_executor_as_a_problem) {
  expect_problem(Throwing(CaseError("no kernel")), "no kernel");
  expect_problem(Throwing(std::bad_alloc()), ": not enough host memory; take smaller sizes");
}

TEST(CheckRegressions, are_replayed_first_and_must_still_show_their_findings) {
  namespace fs = std::filesystem;
  const fs::path dir = fs::path(testing::TempDir()) / "check_regressions";
  fs::remove_all(dir);
  CheckOptions with = options({"plain", "overruns"});
  EXPECT_EQ(write_regressions(check(with), dir.string()).size(), 2U);

  with.replay_regressions = true;
  with.regressions_dir = dir.string();
  const CheckReport replayed = check(with);
  EXPECT_TRUE(replayed.as_expected());
  ASSERT_EQ(replayed.forms[0].counterexamples.size(), 1U);
  EXPECT_TRUE(replayed.forms[0].counterexamples[0].from_regressions);

  // A line that shows nothing any more is stale: it fails the run.
  std::ofstream(dir / "plain@documented.txt")
      << "plain@documented f32->f32 sum n=4 block=8\n! wrong_result out\n";
  const CheckReport stale = check(with);
  EXPECT_EQ(stale.forms[0].outcome, Outcome::mismatch);
  ASSERT_FALSE(stale.forms[0].problems.empty());
  EXPECT_NE(stale.forms[0].problems[0].find("plain@documented.txt:1"), std::string::npos);
  fs::remove_all(dir);
}

}  // namespace
}  // namespace gauntlet::properties
