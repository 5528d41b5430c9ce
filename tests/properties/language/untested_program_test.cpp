// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// No verb ends with 0 where it tested nothing of a spec.
#include <fstream>
#include <nlohmann/json.hpp>

#include "spec_program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;

class Untested : public SpecProgram {
 protected:
  std::string refuses_all() { return spec(true, "require n % 2 == 2\n"); }
  /// A launch that CUDA does not make, whatever the sizes.
  std::string cannot_launch() {
    return of_kernel("wide", "block_sum<true>",
                     "in x:f32[n]\nout y:f32[grid]\narg n:u32 = n\n"
                     "size wide = 1056,1088\nlaunch grid=max(1, ceil(n / wide)) block=wide\n"
                     "result y[b] = sum(x[b * wide .. (b + 1) * wide])\n");
  }
  static void expect_untested(const Ended& ended, const std::string& part) {
    EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
    EXPECT_NE(unwrapped(ended.out).find(part), std::string::npos) << ended.out;
  }
};

TEST_F(Untested, is_a_check_of_which_the_contract_refuses_every_case) {
  const std::string path = refuses_all();
  expect_untested(run({"check", path}),
                  "problem no case was run: all 200 are outside the contract (`require n % 2 == "
                  "2`; first: n=");
  EXPECT_NE(run({"check", path}).out.find("sum.gauntlet: NOT CHECKED; 200 cases, 200 refused\n"),
            std::string::npos);
  expect_untested(
      run({"check", cannot_launch()}),
      "no case was run: all 200 are outside the contract (a block has 1 to 1024 threads, "
      "not 10");
  EXPECT_EQ(run({"check", spec(true, "require n % 2 == 1\n")}).code, 0);
}

TEST_F(Untested, is_no_launch_that_cuda_refuses_in_every_case_which_is_an_error_of_its_line) {
  const std::pair<std::string, std::string> launches[] = {
      {"grid=1 block=2048",
       "a block has 1 to 1024 threads, not 2048; write block=256 or block=32..1024"},
      {"grid=1 block=wide",
       "a block has 1 to 1024 threads, not 4096; write block=256 or block=32..1024"},
      {"grid=0 block=32",
       "grid is 0; CUDA launches from 1 to 2147483647; write grid=max(1, ceil(n / block))"},
      {"grid=1 block=32 shared=256 * 1024",
       "262144 bytes of shared memory; at most 232448; write a smaller shared=BYTES"}};
  for (const auto& [launch, message] : launches) {
    const Ended ended =
        run({"check", of_kernel("wide", "block_sum<true>",
                                "let wide = 4 * 1024\nin x:f32[n]\nout y:f32[1]\narg n:u32 = n\n"
                                "launch " +
                                    launch + "\nresult y[0] = sum(x)\n")});
    EXPECT_EQ(ended.code, 2) << ended.out;
    EXPECT_NE(ended.err.find("wide.gauntlet:6: `launch " + launch + "`: " + message + "\n"),
              std::string::npos)
        << ended.err;
  }
}

TEST_F(Untested, is_told_to_code_hosts_too) {
  const auto file = [&](const char* name) { return (folder_.path() / name).string(); };
  const std::string sarif = file("r.sarif"), junit = file("r.xml"), markdown = file("r.md");
  const std::string told = "no case was run: all 200 are outside the contract";
  EXPECT_EQ(
      run({"check", refuses_all(), "--sarif", sarif, "--junit", junit, "--markdown", markdown})
          .code,
      1);
  const Json results = Json::parse(read_text(sarif)).at("runs").at(0).at("results");
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results.at(0).at("ruleId"), "not_checked");
  EXPECT_NE(results.at(0).dump().find(told), std::string::npos);
  EXPECT_NE(read_text(junit).find("<failure message=\"problem: " + told), std::string::npos);
  EXPECT_NE(read_text(markdown).find(told), std::string::npos);
}

TEST_F(Untested, is_nearly_a_contract_that_takes_one_case_in_many_which_is_a_warning) {
  const Ended ended = run({"check", spec(true, "require n == 77 && block == 64\n")});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_NE(unwrapped(ended.out).find("warning 1"), std::string::npos) << ended.out;
  EXPECT_NE(unwrapped(ended.out).find(
                "of 200 cases are outside the contract (`require n == 77 && block == 64`; "),
            std::string::npos)
      << ended.out;
  EXPECT_EQ(run({"check", spec(true, "require n % 2 == 1\n")}).out.find("warning"),
            std::string::npos);
}

TEST_F(Untested, is_a_result_that_names_no_element_in_any_case) {
  std::ofstream(folder_.path() / "one.ptx")
      << ".version 9.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry one(.param .u64 x, .param .u64 y, .param .u32 n) {\n"
         ".reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %d<2>;\n"
         "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; or.b32 %r2, %r2, %r1;\n"
         "setp.ne.s32 %p1, %r2, 1; @%p1 ret;\n"
         "ld.param.u64 %d1, [y]; st.global.u32 [%d1], 1065353216; ret; }\n";
  const auto spec = [&](const std::string& sizes, const std::string& result) {
    const std::string path = (folder_.path() / "one.gauntlet").string();
    std::ofstream(path) << "kernel one.ptx\nsize n = " << sizes
                        << "\nin x:f32[n]\nout y:f32[n]\narg n:u32 = n\n"
                           "launch grid=1 block=1\nresult y[i] = "
                        << result << "\n";
    return path;
  };
  const std::string untested =
      "problem nothing was judged: in none of the 200 cases is there an element";
  expect_untested(run({"check", spec("0,0", "1.0")}), untested);  // no case has one
  expect_untested(run({"prove", spec("0,0", "1.0")}), "untested nothing was judged: ");
  expect_untested(run({"agree", spec("0,0", "1.0"), "--with", "simt"}), "nothing was compared: ");
  // A maximum among NaN may be anything.
  expect_untested(run({"check", spec("1,1\ndata with_nan", "max(x)")}), untested);
  EXPECT_EQ(run({"check", spec("0,1", "1.0")}).code, 0);
}

TEST_F(Untested, is_an_output_that_no_result_names_which_is_a_warning) {
  const std::string what = "no `result` says what y holds, so none of its values was judged";
  const auto told = [&](const std::string& declared) {
    const std::string path = (folder_.path() / "two.gauntlet").string();
    std::ofstream(folder_.path() / "two.ptx")
        << ".version 9.0\n.target sm_75\n.address_size 64\n"
           ".visible .entry two(.param .u64 x, .param .u64 y) {\n.reg .b64 %d<3>;\n"
           "ld.param.u64 %d1, [x]; st.global.u32 [%d1], 1;\n"
           "ld.param.u64 %d2, [y]; st.global.u32 [%d2], 2; ret; }\n";
    std::ofstream(path) << "kernel two.ptx\nout x:u32[1]\n"
                        << declared << "\nlaunch grid=1 block=1\n";
    const Ended ended = run({"check", path, "--no-regressions"});
    EXPECT_EQ(ended.code, 0) << ended.out;
    return unwrapped(ended.out).find(what) != std::string::npos;
  };
  EXPECT_TRUE(told("out y:u32[1]\nresult x[0] = 1"));
  EXPECT_TRUE(told("inout y:u32[1]\nresult x[0] = 1"));
  EXPECT_FALSE(told("scratch y:u32[1]\nresult x[0] = 1"));
  EXPECT_FALSE(told("out y:u32[1]\nresult x[0] = 1\nresult y[0] = 2"));
  EXPECT_FALSE(told("out y:u32[1]\nresult none"));
}

TEST_F(Untested, is_what_a_gpu_makes_of_fast_functions_which_is_a_warning) {
  const auto told = [&](const std::string& divides, const std::string& rest) {
    const std::string path = (folder_.path() / "half.gauntlet").string();
    std::ofstream(folder_.path() / "half.ptx")
        << ".version 9.0\n.target sm_75\n.address_size 64\n"
           ".visible .entry half(.param .u64 x, .param .u64 y) {\n"
           ".reg .b64 %d<3>; .reg .f32 %f<3>;\n"
           "ld.param.u64 %d1, [x]; ld.global.f32 %f1, [%d1]; ld.param.u64 %d2, [y];\n" +
               divides + " %f2, %f1, 0f40400000; st.global.f32 [%d2], %f2; ret; }\n";
    std::ofstream(path) << "kernel half.ptx\nin x:f32[1]\nout y:f32[1]\nlaunch grid=1 block=1\n"
                        << "result y[0] = x[0] / 3" << rest << "\n";
    const Ended ended = run({"check", path, "--no-regressions"});
    EXPECT_EQ(ended.code, 0) << ended.out;
    return unwrapped(ended.out).find("warning the kernel calls fast functions") !=
           std::string::npos;
  };
  EXPECT_TRUE(told("div.approx.f32", ""));
  EXPECT_FALSE(told("div.rn.f32", ""));
  EXPECT_FALSE(told("div.approx.f32", " fast"));
  EXPECT_FALSE(told("div.approx.f32", "\nflags --use_fast_math"));
}

TEST_F(Untested, is_a_proof_at_no_shape) {
  const auto json = (folder_.path() / "p.json").string();
  expect_untested(
      run({"prove", refuses_all(), "--json", json}),
      "untested no case was run: all 71 are outside the contract (`require n % 2 == 2`; "
      "first: n=128 block=128)");
  EXPECT_NE(read_text(json).find("\"untested\": \"no case was run"), std::string::npos);
  expect_untested(run({"prove", cannot_launch()}),
                  " are outside the contract (a block has 1 "
                  "to 1024 threads, not 10");
  const std::string broken = spec(false, "expect race_write_read\n");
  expect_untested(run({"prove", broken}),
                  "untested no case was tried: " + (folder_.path() / "sum.cases").string() +
                      " has none; gauntlet check");
  EXPECT_EQ(run({"prove", spec(true), "--cases", "5"}).code, 0);
}

TEST_F(Untested, is_no_shape_that_cuda_does_not_launch_and_the_others_are_proved) {
  const std::string path =
      of_kernel("wide", "block_sum<true>",
                "size wide = 64,2048\nin x:f32[n]\nout y:f32[grid]\narg n:u32 = n\n"
                "launch grid=max(1, ceil(n / wide)) block=wide shared=4 * wide\n"
                "result y[b] = sum(x[b * wide .. (b + 1) * wide])\n");
  const Ended ended = run({"prove", path});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_EQ(ended.out.find("not proved"), std::string::npos) << ended.out;
}

TEST_F(Untested, is_a_search_an_agreement_a_count_and_a_replay_of_refused_cases) {
  const std::string path = refuses_all();
  expect_untested(run({"witness", path}), "verdict no case was run: ");
  expect_untested(run({"agree", path, "--with", "simt"}), "nothing was compared: 8 cases are");
  for (const char* verb : {"repro", "count"}) {
    expect_untested(run({verb, path + " n=3 block=32"}), "refused before launch: `require n % 2");
  }
  expect_untested(run({"prove", path + " n=3 block=32"}),
                  "the launch contract refuses the case: `require n % 2");
  const std::string right = spec(true);
  EXPECT_EQ(run({"witness", right}).code, 0);
  for (const char* verb : {"repro", "count"}) {
    EXPECT_EQ(run({verb, right + " n=3 block=32"}).code, 0) << verb;
  }
}

TEST_F(Untested, is_the_whole_of_shards_each_of_which_may_be) {
  const std::string path = refuses_all();
  std::vector<std::string> merge{"merge", "--json", (folder_.path() / "m.json").string()};
  for (const char* shard : {"0/3", "1/3", "2/3"}) {
    const std::string json = (folder_.path() / (std::string(1, shard[0]) + ".json")).string();
    EXPECT_EQ(run({"check", path, "--shard", shard, "--json", json}).code, 0) << shard;
    merge.push_back(json);
  }
  expect_untested(run(merge), "no case was run: all 200 are outside the contract");
}

}  // namespace
}  // namespace gauntlet::test
