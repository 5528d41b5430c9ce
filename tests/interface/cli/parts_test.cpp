// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The pieces of the command line that need no kernel.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/os/temporary_folder.hpp"
#include "base/text/json_file.hpp"
#include "base/text/progress.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/check_text.hpp"
#include "interface/cli/describe.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case_text.hpp"
#include "sanitizer/program/report.hpp"

namespace gauntlet::cli {
namespace {

TEST(LeftOut, names_the_option_that_adds_the_very_verb) {
  constexpr std::string_view all = ",claims:CATALOGUE,gpu_run:CATALOGUE,time:CUDA,worker:CUDA,";
  EXPECT_EQ(left_out_by("claims", all), "CATALOGUE");
  EXPECT_EQ(left_out_by("worker", all), "CUDA");
  EXPECT_EQ(left_out_by("time", all), "CUDA");
  for (const char* const there :
       {"tim", "ime", "run", "CUDA", "check", "", "CUDA,", "worker:CUDA"}) {
    EXPECT_EQ(left_out_by(there, all), "") << there;
  }
}

// nvcc's name for what is internal to a file ends in the id of its process.
TEST(CodeOf, is_the_same_whoever_compiled_it_when_and_where) {
  const auto compiled = [](const std::string& folder, const std::string& process,
                           const std::string& value) {
    const std::string own = "9bccd1a9_6_one_cu_f44a54d7_" + process;
    const auto mangled = [](const std::string& name) { return std::to_string(name.size()) + name; };
    const std::string name = "_ZN" + mangled("_INTERNAL_" + own) + "4cuda3std1xE";
    return "// " + folder + "\n.global .b8 " + name + "[1];\n.global .b8 _ZN4cuda" +
           mangled("_GLOBAL__N__" + own) + "6ignoreE[1];\n.loc 1 7 5, function_name $L0+" +
           process + ", inlined_at 1 9 3\nmov.u64 %rd1, " + name + ";\nadd.s32 %r1, %r2, " + value +
           ";\n\t.file\t1 \"" + folder + "/one.cu\"\n\t.section\t.debug_str\n\t{\n.b8 " + process +
           "\n\t}\n";
  };
  const std::string code = properties::code_of(compiled("/here", "998", "1"));
  EXPECT_EQ(code,
            ".global .b8 _ZN4cuda3std1xE[1];\n.global .b8 _ZN4cuda6ignoreE[1];\n.loc 1 7 "
            "5\nmov.u64 %rd1, _ZN4cuda3std1xE;\nadd.s32 %r1, %r2, 1;\n");
  EXPECT_EQ(code, properties::code_of(compiled("/there", "12345", "1")));
  EXPECT_NE(code, properties::code_of(compiled("/here", "998", "2")));
}

TEST(CodeOf, leaves_nothing_out_but_the_name) {
  EXPECT_EQ(properties::code_of("a_INTERNAL_b\n"), "ab\n");
  EXPECT_EQ(properties::code_of("0_INTERNAL_b c"), "b c\n");
  EXPECT_EQ(properties::code_of("_Z99_INTERNAL_cut"), "_Z\n");
  EXPECT_EQ(properties::code_of("mov.u32 %r1, 7;\n\nret;"), "mov.u32 %r1, 7;\n\nret;\n");
  EXPECT_EQ(properties::code_of("a\n\t.section\t.debug_str\n{\n.b8 1,2\n}\nb\n"), "a\nb\n");
  EXPECT_EQ(properties::code_of(""), "");
}

TEST(Wrap, keeps_lines_within_80_columns_and_every_word_in_order) {
  std::string text;
  for (int i = 0; i < 60; ++i) text += "word" + std::to_string(i * i) + " ";
  const std::string wrapped = wrap(text, 7, 20);
  std::istringstream lines(wrapped), words(wrapped), expected(text);
  std::string line, word, want;
  bool first = true;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size() + (first ? 20 : 0), columns);
    if (!first) {
      EXPECT_EQ(line.find_first_not_of(' '), 7U);
    }
    first = false;
  }
  while (expected >> want) {
    ASSERT_TRUE(words >> word);
    EXPECT_EQ(word, want);
  }
  EXPECT_FALSE(words >> word);
}

TEST(Wrap, fills_a_line_to_exactly_80_columns) {
  const std::string word(39, 'x');
  EXPECT_EQ(wrap(word + " " + word + "x", 0, 0), word + " " + word + "x");  // 39 + 1 + 40
  EXPECT_EQ(wrap(word + " " + word + "xx", 0, 0), word + "\n" + word + "xx");
}

TEST(Wrap, does_not_cut_a_word_that_is_longer_than_a_line) {
  const std::string longer(100, 'x');
  EXPECT_EQ(wrap("a " + longer + " b", 2, 0), "a\n  " + longer + "\n  b");
}

TEST(Style, adds_nothing_without_colour) {
  EXPECT_EQ(Style(false).bad("WRONG"), "WRONG");
  EXPECT_EQ(Style(true).bad("WRONG"), "\033[31mWRONG\033[0m");
}

TEST(ProgressLine, tells_rate_and_time_left_from_the_forms_done) {
  EXPECT_EQ(progress_line(10, 40, 500, 5.0, ""),
            "10/40 forms  500 cases  100 cases/s  about 0:15 left");
}

TEST(ProgressLine, does_not_guess_before_the_first_form_and_after_the_last) {
  EXPECT_EQ(progress_line(0, 40, 5, 1.0, ""), "0/40 forms  5 cases  5 cases/s");
  EXPECT_EQ(progress_line(40, 40, 500, 5.0, ""), "40/40 forms  500 cases  100 cases/s");
  EXPECT_EQ(progress_line(10, 40, 0, 5.0, "", "times"), "10/40 times  about 0:15 left");
}

TEST(ProgressLine, leaves_out_a_note_that_does_not_fit) {
  const std::string bare = progress_line(10, 40, 500, 5.0, "");
  EXPECT_EQ(progress_line(10, 40, 500, 5.0, "sequential@fixed"), bare + "  sequential@fixed");
  EXPECT_EQ(progress_line(10, 40, 500, 5.0, std::string(60, 'x')), bare);
}

TEST(RunSummary, suggests_samples_after_half_a_minute_of_equal_launches) {
  runtime::ProcessReport report;
  report.kernels.push_back({.name = "often", .launches = 500, .warp_instructions = 60});
  report.kernels.push_back({.name = "once", .launches = 1, .warp_instructions = 40});
  const auto hint = [&](double seconds) { return runtime::sampling_hint({report}, seconds); };
  EXPECT_TRUE(hint(31).starts_with("hint: --sample 100 "));
  EXPECT_EQ(hint(29), "");
  report.kernels[1].warp_instructions = 61;  // most of the time is another kernel's
  EXPECT_EQ(hint(31), "");
  report.kernels[1].warp_instructions = 40;
  report.kernels[0].unchecked = 400;
  EXPECT_EQ(hint(31), "");
  report.kernels[0].unchecked = 0;
  report.kernels[0].unsampled = 1;  // it is on
  EXPECT_EQ(hint(31), "");
}

TEST(RunSummary, says_how_findings_get_source_lines_where_none_has_one) {
  const std::string hint = "hint: built with nvcc -lineinfo";
  runtime::ProcessReport report;
  report.kernels.push_back({});
  EXPECT_EQ(runtime::summary({report}, {}).find(hint), std::string::npos);
  report.findings.resize(2);
  EXPECT_NE(runtime::summary({report}, {}).find(hint), std::string::npos);
  for (auto& one : report.findings) one.finding.kernel = "cudapy::test::k(...)";
  EXPECT_NE(runtime::summary({report}, {}).find("built with @cuda.jit(lineinfo=True), kernels"),
            std::string::npos);
  report.findings[1].finding.at.file = "sum.cu";
  EXPECT_EQ(runtime::summary({report}, {}).find(hint), std::string::npos);
}

TEST(ShortLine, leaves_out_defaults_only_and_parses_back) {
  Case c;
  c.variant = "sequential";
  c.form = "documented";
  c.n = 3;
  c.block = 256;
  c.grid = 1;
  EXPECT_EQ(short_line(c), "sequential@documented f32->f32 sum n=3 block=256 grid=1");
  c.data = Data::iota;
  c.tail = Tail::unmapped;
  c.seed = 9;
  c.offset = 4;
  c.schedule = "random:5";
  c.first_block = 2;
  c.block_count = 3;
  c.map = Map::scale;
  c.map_by = -2;
  EXPECT_EQ(parse_case(short_line(c)), c);
  c.schedule = "lockstep";
  c.offset = 0;
  EXPECT_EQ(short_line(c).find("schedule="), std::string::npos);
  EXPECT_EQ(short_line(c).find("offset="), std::string::npos);
  EXPECT_EQ(parse_case(short_line(c)), c);
}

TEST(ReproCommand, is_what_a_shell_takes_for_one_line) {
  Case c = parse_case("x.gauntlet n=3 data=iota");
  EXPECT_EQ(repro_command(c), "gauntlet repro 'x.gauntlet n=3 data=iota'");
  c.variant = "my 'own'/x.gauntlet";
  EXPECT_EQ(repro_command(c, "--trace"),
            "gauntlet repro --trace '\"my '\\''own'\\''/x.gauntlet\" n=3 data=iota'");
}

class JsonFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder_), {}));
  }
  os::TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

TEST_F(JsonFileTest, leaves_the_old_file_until_the_new_one_is_whole) {
  const auto path = folder_ / "out.json";
  std::ofstream(path) << "old";
  const JsonFile file(path);
  std::ifstream before(path);
  std::string text;
  before >> text;
  EXPECT_EQ(text, "old");
  EXPECT_EQ(files(), 1U);
  file.write_text(json_text(json_head("list")));
  EXPECT_EQ(files(), 1U);
  EXPECT_EQ(Json::parse(std::ifstream(path))["schema"], "gauntlet.list");
}

TEST_F(JsonFileTest, refuses_a_path_that_cannot_be_written_before_any_work) {
  EXPECT_THROW(JsonFile(folder_ / "absent" / "out.json"), UsageError);
  EXPECT_THROW(JsonFile{folder_}, UsageError);
  EXPECT_THROW(JsonFile("/dev/fd/1000000"), UsageError);
  EXPECT_EQ(files(), 0U);
}

TEST_F(JsonFileTest, writes_devices_and_open_files_as_they_are) {
  JsonFile("/dev/null").write_text("text");
  EXPECT_FALSE(std::filesystem::is_regular_file("/dev/null"));
  EXPECT_THROW(JsonFile("/dev/full").write_text("text"), std::runtime_error);

  const std::string path = folder_ / "open";
  std::FILE* const open = std::fopen(path.c_str(), "wb");
  JsonFile("/dev/fd/" + std::to_string(fileno(open))).write_text("text");
  std::fclose(open);
  std::ifstream file(path);
  std::string text;
  file >> text;
  EXPECT_EQ(text, "text");
  EXPECT_EQ(files(), 1U);
}

TEST_F(JsonFileTest, follows_a_link) {
  std::ofstream(folder_ / "whole.json") << "old";
  std::filesystem::create_symlink("whole.json", folder_ / "link.json");
  JsonFile(folder_ / "link.json").write_text("new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.json"));
  std::ifstream file(folder_ / "whole.json");
  std::string text;
  file >> text;
  EXPECT_EQ(text, "new");
  EXPECT_EQ(files(), 2U);
}

TEST_F(JsonFileTest, writes_nothing_when_no_file_is_wanted) {
  JsonFile("").write_text(json_text(json_head("list")));
  EXPECT_EQ(files(), 0U);
}

properties::CheckReport mixed_report() {
  properties::CheckReport report;
  report.executor = "simt";
  properties::FormReport holds, caught, wrong, incomplete;
  holds.variant = caught.variant = wrong.variant = "sequential";
  incomplete.variant = "shuffle_down";
  holds.form = incomplete.form = "fixed";
  caught.form = wrong.form = "documented";
  holds.outcome = caught.outcome = properties::Outcome::as_expected;
  caught.expected = caught.found = {{FindingKind::out_of_bounds_read, "in"}};
  properties::Counterexample example;
  example.c = parse_case("sequential@documented f32->f32 sum n=3 block=8 grid=1 tail=unmapped");
  example.shows = caught.expected;
  properties::Counterexample documented = example;
  documented.c.n = 5;
  documented.c.block = 256;
  documented.documented_launch = true;
  caught.counterexamples = {documented, example};
  wrong.outcome = properties::Outcome::mismatch;
  wrong.expected = wrong.missing = {{FindingKind::poison_output, "out"}};
  wrong.extra = {{FindingKind::deadlock, ""}};
  wrong.found = wrong.extra;
  wrong.problems = {"a.txt:3: shows nothing any more"};
  wrong.counterexamples = {example};
  wrong.counterexamples[0].shows = wrong.extra;
  wrong.counterexamples[0].findings.emplace_back().kind = FindingKind::deadlock;
  holds.cases = 40;
  holds.refused = 3;
  report.forms = {holds, caught, wrong, incomplete};
  return report;
}

TEST(Table, says_what_each_form_did_and_what_differs) {
  EXPECT_EQ(table(mixed_report(), Style(false), true),
            "sequential@fixed:      holds; 40 cases, 3 refused\n"
            "sequential@documented: caught; 0 cases\n"
            "    out_of_bounds_read in: sequential@documented f32->f32 sum n=5 block=256\n"
            "        grid=1 tail=unmapped\n"
            "    smallest of all: sequential@documented f32->f32 sum n=3 block=8 grid=1\n"
            "        tail=unmapped\n"
            "sequential@documented: FAILS: deadlock; 0 cases\n"
            "  missing    not found: poison_output out\n"
            "  problem    a.txt:3: shows nothing any more\n"
            "error: deadlock\n"
            "  gauntlet repro 'sequential@documented f32->f32 sum n=3 block=8 grid=1 "
            "tail=unmapped'\n"
            "shuffle_down@fixed:    incomplete; 0 cases\n");
  EXPECT_EQ(total(mixed_report(), Style(false)),
            "2 variants, 4 forms: 1 hold, 1 caught, 1 failed, 1 incomplete; 40 cases\n");
}

TEST(Table, has_specs_as_it_has_the_catalogue_and_no_total_of_one) {
  properties::CheckReport report = mixed_report();
  report.forms.resize(2);
  report.forms[0].variant = "dir/sum.gauntlet";
  report.forms[1].variant = "mean.gauntlet";
  for (auto& form : report.forms) form.form = only_form;
  report.forms[1].counterexamples.clear();
  EXPECT_EQ(table(report, Style(false), true, "flags.txt"),
            "dir/sum.gauntlet: holds; 40 cases, 3 refused\n"
            "mean.gauntlet:    caught; 0 cases\n");
  EXPECT_EQ(total(report, Style(false)), "2 forms: 1 hold, 1 caught, all as expected; 40 cases\n");
  report.forms.resize(1);
  EXPECT_EQ(total(report, Style(false)), "");
}

TEST(Table, without_cases_tells_what_differs_and_no_case_that_was_expected) {
  const std::string text = table(mixed_report(), Style(false), false);
  EXPECT_EQ(text.find("n=5"), std::string::npos);
  EXPECT_EQ(text.find("smallest of all"), std::string::npos);
  EXPECT_NE(text.find("sequential@documented: caught; 0 cases\n"), std::string::npos);
  EXPECT_NE(text.find("  missing    not found: poison_output out\n"), std::string::npos);
  EXPECT_NE(text.find("  gauntlet repro 'sequential@documented"), std::string::npos);
}

TEST(Table, of_what_fails_shows_the_findings_and_the_line_with_the_flags_that_replays_them) {
  const std::string text = table(mixed_report(), Style(false), false, "flags.txt");
  EXPECT_NE(text.find("  gauntlet repro --flags flags.txt 'sequential@documented"),
            std::string::npos)
      << text;
}

TEST(Table, colours_verdicts_only_when_asked) {
  EXPECT_EQ(table(mixed_report(), Style(false), false).find('\033'), std::string::npos);
  EXPECT_NE(table(mixed_report(), Style(true), false).find("\033[31mFAILS: deadlock\033[0m"),
            std::string::npos);
}

TEST(ReportJson, does_not_depend_on_time) {
  auto report = mixed_report();
  const std::string before = json_of("check", report).dump();
  report.seconds = 12.5;
  EXPECT_EQ(json_of("check", report).dump(), before);
  report.seed = 2;
  EXPECT_NE(json_of("check", report).dump(), before);
}

TEST(Text, of_a_file_commands_no_terminal_and_a_tab_is_a_blank) {
  EXPECT_EQ(without_controls("a\tb\x1b[1mc\nd\r"), "a b?[1mc\nd?");
}

}  // namespace
}  // namespace gauntlet::cli
