// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec as a user runs it: `gauntlet check`, `repro` and `init`, from PTX.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "spec_program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

TEST_F(SpecProgram, a_right_kernel_holds_whatever_the_number_of_threads) {
  const std::string path = spec(true);
  std::string first;
  for (const char* jobs : {"1", "3"}) {
    const Ended ended = run({"check", path, "--jobs", jobs});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.out.find("sum.gauntlet: holds; 200 cases"), std::string::npos) << ended.out;
    if (first.empty()) first = ended.out;
    EXPECT_EQ(ended.out, first);
  }
  EXPECT_FALSE(fs::exists(folder_.path() / "sum.cases"));
}

TEST_F(SpecProgram, a_broken_kernel_is_found_kept_replayed_and_reproduced) {
  const std::string path = spec(false);
  std::string outputs[2];
  for (int jobs = 1; jobs <= 2; ++jobs) {
    const Ended ended = run({"check", path, "--no-regressions", "--jobs", std::to_string(jobs)});
    EXPECT_EQ(ended.code, 1);
    outputs[jobs - 1] = ended.out;
  }
  EXPECT_EQ(outputs[0], outputs[1]);
  EXPECT_NE(outputs[0].find("blocks.cu:"), std::string::npos) << outputs[0];
  EXPECT_FALSE(fs::exists(folder_.path() / "sum.cases"));

  const fs::path json = folder_.path() / "report.json";
  const Ended kept = run({"check", path, "--json", json.string()});
  EXPECT_EQ(kept.code, 1);
  const Json report = Json::parse(read_text(json));
  EXPECT_FALSE(report.at("as_expected"));
  const std::string line = report.at("forms").at(0).at("smallest");
  EXPECT_NE(line.find("sum.gauntlet n="), std::string::npos) << line;
  EXPECT_EQ(run({"repro", line}).code, 1);
  const std::string cases = read_text(folder_.path() / "sum.cases");
  EXPECT_NE(cases.find("\nsum.gauntlet n="), std::string::npos) << cases;

  // Replayed first: one drawn case is enough, and nothing is kept twice.
  EXPECT_EQ(run({"check", path, "--cases", "1"}).code, 1);
  EXPECT_EQ(read_text(folder_.path() / "sum.cases"), cases);
  // A repaired kernel passes with the file in its place.
  EXPECT_EQ(run({"check", spec(true)}).code, 0);
}

TEST_F(SpecProgram, a_lost_element_is_named) {
  (void)spec(true);
  const fs::path path = folder_.path() / "tail.gauntlet";
  std::ofstream(path) << "kernel blocks.ptx 'tile_sum<false>'\nin x:f32[n]\nout y:f32[grid]\n"
                         "arg n:i32 = n\nlaunch grid=max(1, ceil(n / 128)) block=32\n"
                         "result y[b] = sum(x[b * 128 .. (b + 1) * 128])\n";
  const Ended ended = run({"repro", path.string() + " n=5 data=iota"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("got 6, expected 10: element 4 lost"), std::string::npos) << ended.out;
}

TEST_F(SpecProgram, an_expected_defect_must_be_found) {
  const Ended lacks = run({"check", spec(true, "expect wrong_result y\n")});
  EXPECT_EQ(lacks.code, 1);
  EXPECT_NE(lacks.out.find("not found: wrong_result y"), std::string::npos) << lacks.out;
}

TEST_F(SpecProgram, what_cannot_be_used_is_one_line_and_code_two) {
  const std::string path = spec(true);
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    expect_one_line(run(words), 2, part);
  };
  refused({"check", "absent.gauntlet"}, "absent.gauntlet: no such file");
  refused({"check", path, "grid_stride"},
          "grid_stride: is not a spec; name specs or variants, not both");
  refused({"time", path, "--types", "f32"},
          "--types, --passed and --markdown are of the catalogue");
  refused({"repro", path + " n=3 block=32", "--flags", "/"}, "--flags /: cannot be read");
  refused({"check", path, "--flags", "absent"}, "--flags absent: cannot be read; name a file");
  refused({"check", "grid_stride", "--flags", path}, "--flags is for specs; name FILE.gauntlet");
  refused({"repro", path + " n=3"}, "block= is missing; write block=32");
  refused({"repro", path + " n=3 block=32 rows=3"}, "unknown size `rows`");
  refused({"repro", path + " n=3 block=32 n=3"}, "n= is written twice");
  refused({"repro", path + " n=-3 block=32"}, "n must be a whole number");
  refused({"check", spec(true, "arg m:u32 = n\n")}, "sum.gauntlet:6: ");
  refused({"check", spec(true, "result y[0] = sum(z)\n")}, "sum.gauntlet:8: ");
  const Ended order = run({"check", spec(true, "arg m:u32 = n\n")});
  EXPECT_NE(order.err.find("fits, in this order: in x1:f32[n]; out y1:f32[grid]; arg a1:u32 = n"),
            std::string::npos)
      << order.err;
  refused({"check", spec(true, "result y[b] = 1 if b == 0\n")}, "`if` is for all cells or none");
  const auto launched = [&](const std::string& how) {
    return of_kernel("extents", "block_sum<true>",
                     "in x:f32[n]\nout y:f32[1]\narg n:u32 = n\nlaunch " + how +
                         " shared=128\nrequire n <= 32\nresult y[0] = sum(x)\n");
  };
  refused({"check", launched("grid=1,2,5 block=32")}, "grid= has 3 extents, and the kernel asks");
  refused({"check", launched("grid=1 block=16,2")}, "write `size s = A,B` before it and `block=s`");
  EXPECT_EQ(run({"check", launched("grid=1,1 block=32,1,1")}).code, 0);  // the near miss
  const fs::path swapped = folder_.path() / "swapped.gauntlet";
  std::ofstream(swapped) << "kernel blocks.ptx 'block_sum<true>'\nout y:f32[grid]\nin x:f32[n]\n"
                            "arg n:u32 = n\nlaunch grid=1 block=32 shared=128\nresult none\n";
  refused({"check", swapped.string()},
          "swapped.gauntlet:2: `out y:f32[grid]`: y is an output, and");
}

TEST_F(SpecProgram, flags_come_from_a_file_and_are_named_where_they_are_needed_again) {
  const std::string path = spec(false);
  const std::string flags = (folder_.path() / "flags").string();
  std::ofstream(flags) << "-DONE\n\nSHELL:-D TWO\n";
  const Ended ended = run({"check", path, "--flags", flags, "--no-regressions", "--cases", "20"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("gauntlet repro --flags " + flags + " '" + path + " n="),
            std::string::npos)
      << ended.out;
  EXPECT_EQ(run({"repro", path + " n=64 block=64", "--flags", flags}).code, 1);
}

TEST_F(SpecProgram, what_needs_a_gpu_says_so_in_one_line_without_one) {
  const std::string path = spec(true);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", path, "--on", "cuda"},
                                             {"check", path, "--with", "racecheck"},
                                             {"agree", path},
                                             {"repro", path + " n=3 block=32", "--on", "cuda"},
                                             {"time", path}}) {
    expect_one_line(run(words, {"CUDA_VISIBLE_DEVICES="}), 3, "gauntlet: ", words[0]);
  }
}

TEST_F(SpecProgram, the_drawn_cases_hang_on_the_name_of_the_file_alone) {
  const std::string path = spec(false);
  const fs::path other = folder_.path() / "deeper" / "folder";
  fs::create_directories(other);
  fs::copy_file(path, other / "sum.gauntlet");
  fs::copy_file(folder_.path() / "blocks.ptx", other / "blocks.ptx");
  std::vector<std::string> found;
  for (const std::string& spelling : {path, (other / "sum.gauntlet").string(),
                                      (other / ".." / "folder" / "sum.gauntlet").string()}) {
    const fs::path json = folder_.path() / "report.json";
    EXPECT_EQ(run({"check", spelling, "--no-regressions", "--json", json.string()}).code, 1);
    Json report = Json::parse(read_text(json));
    const Json form = report.at("forms").at(0);
    const std::string smallest = form.at("smallest");
    found.push_back(smallest.substr(smallest.find(" n=")) + form.at("properties").dump() +
                    form.at("warp_instructions").dump());
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
}

TEST_F(SpecProgram, an_expression_that_fails_when_it_runs_ends_with_code_two) {
  const std::pair<const char*, const char*> cases[] = {
      {"arg k:u32 = 7 / (n % 2)\n", "a division by zero, with n="},
      {"arg k:i64 = 9223372036854775807 + n\n", "an integer does not fit into 64 bits, with n="},
      {"result y[0] = x[0 - 1]\n", "index -1 is beyond x"},
      {"result y[0] = x[n]\n", "is beyond x"},
      {"out z:f32[n - 5000]\n", "a count is "}};
  for (const auto& [line, message] : cases) {
    (void)spec(true);
    const fs::path path = folder_.path() / "runs.gauntlet";
    std::ofstream(path) << "kernel blocks.ptx 'block_sum<true>'\nin x:f32[n]\nout y:f32[grid]\n"
                           "arg n:u32 = n\n"
                        << line
                        << "launch grid=max(1, ceil(n / 32)) block=32 shared=128 args x, y, n\n"
                           "result y[b] = sum(x[b * 32 .. (b + 1) * 32])\n";
    const Ended ended = run({"check", path.string()});
    EXPECT_EQ(ended.code, 2) << line << ended.out;
    EXPECT_EQ(ended.out, "");
    // Behind what was told of the progress.
    const std::string last = ended.err.substr(ended.err.find("gauntlet: "));
    EXPECT_EQ(std::count(last.begin(), last.end(), '\n'), 1) << ended.err;
    EXPECT_NE(ended.err.find(message), std::string::npos) << ended.err;
  }
}

// A lane's word tells the others what to do, and nothing orders the two.
TEST_F(SpecProgram, a_witness_prints_a_word_as_an_integer_where_no_access_takes_it_for_a_float) {
  std::ofstream(folder_.path() / "k.ptx")
      << ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 x, .param .u64 y)\n{\n.reg .b32 %r<4>; .reg .b64 %d<6>;\n"
         ".reg .f32 %f<4>; .reg .pred %p<2>;\n.shared .align 4 .u32 task;\n"
         "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];\nmov.u32 %r1, %tid.x;\n"
         "mul.wide.u32 %d3, %r1, 4; add.s64 %d4, %d1, %d3; add.s64 %d5, %d2, %d3;\n"
         "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [task], 7;\nld.shared.u32 %r2, [task];\n"
         "cvt.rn.f32.u32 %f1, %r2;\nld.global.f32 %f2, [%d4];\nmul.f32 %f3, %f1, %f2;\n"
         "st.global.f32 [%d5], %f3;\nret;\n}\n";
  const fs::path path = folder_.path() / "k.gauntlet";
  std::ofstream(path) << "kernel k.ptx\nin x:f32[32]\nout y:f32[32]\nlaunch grid=1 block=32\n"
                         "result y[i] = 7 * x[i]\n";
  const Ended ended = run({"witness", path.string()});
  EXPECT_NE(ended.out.find("stores task[0]  7 "), std::string::npos) << ended.out;
}

// Each case takes hours.
TEST_F(SpecProgram, a_signal_ends_a_check_and_a_repro_within_a_case) {
  std::ofstream(folder_.path() / "k.ptx")
      << ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 y)\n{\n.reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred "
         "%p<2>;\n"
         "ld.param.u64 %d1, [y];\nmov.u32 %r1, 0;\nOUTER:\n"
         "add.u32 %r1, %r1, 1;\nst.global.u32 [%d1], %r1;\nsetp.lt.u32 %p1, %r1, 2000000;\n"
         "@%p1 bra OUTER;\nret;\n}\n";
  const fs::path path = folder_.path() / "k.gauntlet";
  std::ofstream(path) << "kernel k.ptx\nout y:u32[1]\nlaunch grid=60000 block=1\nresult none\n";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"check", path.string()}, {"repro", path.string()}}) {
    Program program(words);
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    program.signal(SIGTERM);
    const auto start = std::chrono::steady_clock::now();
    const Ended ended = program.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
    EXPECT_EQ(ended.code, 143) << ended.out << ended.err;
    EXPECT_NE(ended.err.find("interrupted"), std::string::npos) << ended.err;
  }
}

TEST_F(SpecProgram, witness_count_agree_and_trace_take_a_spec) {
  const std::string path = spec(false);
  const fs::path json = folder_.path() / "witness.json";
  const fs::path kept = folder_.path() / "witnesses";
  const Ended searched = run({"witness", path, "--json", json.string(), "--write", kept.string()});
  EXPECT_TRUE(fs::exists(kept / "sum.gauntlet@spec.txt"));
  EXPECT_EQ(searched.code, 0) << searched.err;
  EXPECT_NE(searched.out.find("1 form searched, 1 racy, 1 with a schedule"), std::string::npos)
      << searched.out;
  const Json found = Json::parse(read_text(json)).at("forms").at(0);
  EXPECT_EQ(found.at("verdict"), "found");
  const std::string line = found.at("case");
  EXPECT_NE(line.find(" schedule=replay:"), std::string::npos) << line;
  EXPECT_NE(searched.out.find(" instead of "), std::string::npos);
  // What it prints replays, and the trace shows the same steps.
  const Ended traced = run({"repro", line, "--trace"});
  EXPECT_EQ(traced.code, 1) << traced.err;
  EXPECT_NE(traced.out.find("wrong_result y"), std::string::npos) << traced.out;
  EXPECT_NE(traced.out.find("blocks.cu:"), std::string::npos) << traced.out;

  // A race between blocks, which takes two of them.
  fs::copy_file(GAUNTLET_SPEC_PTX "/whole.ptx", folder_.path() / "whole.ptx");
  const fs::path grid = folder_.path() / "grid.gauntlet";
  std::ofstream(grid) << "kernel whole.ptx 'grid_sum<false>'\nin x:f32[n]\n"
                         "scratch partials:f32[blocks]\nout y:f32[1]\narg n:u32 = n\n"
                         "launch grid=max(1, ceil(n / 32)) block=32 cooperative\n"
                         "result y[0] = sum(x)\n";
  const Ended between = run({"witness", grid.string()});
  EXPECT_NE(between.out.find("1 racy, 1 with a schedule"), std::string::npos) << between.out;

  const Ended right = run({"witness", spec(true)});
  EXPECT_EQ(right.code, 0);
  EXPECT_NE(right.out.find("no race in the cases tried"), std::string::npos) << right.out;

  const Ended counted = run({"count", path + " n=100 block=64", "--by", "line", "--arch", "sm_90"});
  EXPECT_EQ(counted.code, 0) << counted.err;
  EXPECT_NE(counted.out.find("block_sum<true>"), std::string::npos) << counted.out;
  EXPECT_NE(counted.out.find("blocks.cu:"), std::string::npos) << counted.out;

  const Ended agreed = run({"agree", path, "--with", "simt"});
  EXPECT_EQ(agreed.code, 0) << agreed.err << agreed.out;
  EXPECT_NE(agreed.out.find("0 disagreements"), std::string::npos) << agreed.out;
}

TEST_F(SpecProgram, nothing_but_a_compilation_needs_the_compiler) {
  const std::string path = spec(true);
  const std::vector<std::string> none{"PATH=/usr/bin:/bin", "CUDA_HOME=/nowhere", "CUDA_PATH="};
  EXPECT_EQ(run({"check", path}, none).code, 0);
  EXPECT_EQ(run({"repro", path + " n=3 block=32"}, none).code, 0);
  EXPECT_EQ(run({"witness", path}, none).code, 0);
  EXPECT_EQ(run({"count", path + " n=3 block=32"}, none).code, 0);
  EXPECT_EQ(run({"agree", path, "--with", "simt"}, none).code, 0);
  EXPECT_EQ(run({"init", (folder_.path() / "blocks.ptx").string(), "dot<true>"}, none).code, 0);
}

TEST_F(SpecProgram, a_program_may_say_what_must_come_out) {
  (void)spec(true);
  const fs::path program = folder_.path() / "reference";
  const auto check = [&](const std::string& script, bool right) {
    std::ofstream(program) << script;
    fs::permissions(program, fs::perms::owner_all);
    const fs::path path = folder_.path() / "by.gauntlet";
    std::ofstream(path) << "kernel blocks.ptx 'last_set<" << (right ? "true" : "false")
                        << ">'\nsize n = 0..70\nin x:i32[n] = random(0, 1) * random(1, 99)\n"
                           "out y:i32[1]\narg n:i32 = n\nlaunch grid=1 block=32\n"
                           "result by ./reference\n";
    return run({"check", path.string(), "--cases", "20"});
  };
  const std::string last = R"(#!/usr/bin/perl
die "sizes: @ARGV\n" unless "@ARGV" =~ /^n=\d+ block=32 grid=1$/;
undef $/;
my $v = 0;
for (unpack('l<*', <STDIN>)) { $v = $_ if $_ != 0 }
print pack('l<', $v);
)";
  const Ended right = check(last, true);
  EXPECT_EQ(right.code, 0) << right.err << right.out;
  const Ended wrong = check(last, false);
  EXPECT_EQ(wrong.code, 1) << wrong.err;
  EXPECT_NE(wrong.out.find("which the program wrote"), std::string::npos) << wrong.out;
  fs::remove(folder_.path() / "by.cases");

  const auto refused = [&](const Ended& ended, const std::string& part) {
    expect_one_line(ended, 2, "by.gauntlet:7: `result by ./reference`: " + part);
  };
  refused(check("#!/bin/sh\nprintf abc\n", true), "it wrote 3 bytes; y has 4, with n=");
  refused(check("#!/bin/sh\necho no numbers >&2\nexit 3\n", true), "exit code 3, with n=");
  const Ended traced =
      check("#!/bin/sh\nprintf 'Traceback:\\n  at 7\\nKeyError: n\\n' >&2\nexit 1\n", true);
  refused(traced, "exit code 1, with n=");
  EXPECT_TRUE(traced.err.ends_with(": KeyError: n\n")) << traced.err;
  fs::remove(program);
  const Ended absent = run({"check", (folder_.path() / "by.gauntlet").string()});
  refused(absent, (folder_.path() / "reference").string() + " cannot be started");
}

TEST_F(SpecProgram, ctrl_c_keeps_what_was_found) {
  const std::string path = spec(false);
  const Terminal terminal;
  Program program({"check", path, "--cases", "10000000", "--jobs", "1"}, {}, {}, terminal.name());
  ASSERT_TRUE(terminal.has_text(30));
  program.signal(SIGINT);
  const Ended ended = program.wait();
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_NE(ended.out.find("gauntlet repro '"), std::string::npos) << ended.out;
  EXPECT_TRUE(fs::exists(folder_.path() / "sum.cases"));
}

TEST_F(SpecProgram, a_signal_ends_a_judgement_that_takes_long) {
  // Steps by the thousand million.
  const std::string path =
      of_kernel("slow", "block_sum<true>",
                "size n = 100000\nsize block = 128\nin x:f32[n]\nout y:f32[grid]\n"
                "arg n:u32 = n\nlaunch grid=ceil(n / block) block=block shared=4 * block\n"
                "result y[b] = sum(sum(x[i] * x[j] for j in i .. n) for i in b .. n)\n");
  for (const int signal : {SIGINT, SIGTERM}) {
    Program program({"check", path});
    std::this_thread::sleep_for(std::chrono::seconds(2));
    program.signal(signal);
    const auto start = std::chrono::steady_clock::now();
    const Ended ended = program.wait();
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    EXPECT_EQ(ended.code, 128 + signal) << ended.out << ended.err;
    EXPECT_NE(ended.err.find("interrupted"), std::string::npos) << ended.err;
  }
}

}  // namespace
}  // namespace gauntlet::test
