// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Findings of several launches: each once, with the kernel that has it where several have some.
#include <fstream>
#include <nlohmann/json.hpp>

#include "spec_program.hpp"

namespace gauntlet::test {
namespace {

using Json = nlohmann::json;

class SeveralLaunches : public ::testing::Test {
 protected:
  /// Kernels that write their input, in so many launches.
  std::string spec(const std::string& launches) {
    std::ofstream ptx(folder_.path() / "wild.ptx");
    ptx << ".version 9.0\n.target sm_75\n.address_size 64\n";
    for (const char* name : {"first", "second"}) {
      ptx << ".visible .entry " << name
          << "(.param .u64 x, .param .u64 y) {\n.reg .b64 %d<3>;\n"
             "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];\n"
             "st.global.u32 [%d1], 7; st.global.u32 [%d2], 7; ret; }\n";
    }
    ptx.close();
    const std::string path = (folder_.path() / "wild.gauntlet").string();
    std::ofstream(path) << "kernel wild.ptx\nsize n = 1..9\nin x:i32[n]\nout y:i32[1]\n"
                        << launches << "result none\n";
    return path;
  }
  [[nodiscard]] std::string file(const char* name) const {
    return (folder_.path() / name).string();
  }
  Json findings_of(const std::string& path, const std::string& verb) {
    const std::string what = verb == "repro" ? path + " n=3" : path;
    const Ended ended = run({verb, what, "--json", file("r.json")});
    EXPECT_EQ(ended.code, 1) << ended.err;
    out_ = ended.out;
    const Json document = Json::parse(read_text(file("r.json")));
    if (verb == "repro") return document.at("findings");
    return document.at("forms").at(0).at("counterexamples").at(0).at("findings");
  }
  /// How often a word is in the text.
  static std::size_t times(const std::string& text, const std::string& word) {
    std::size_t count = 0;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
    return count;
  }

  TemporaryFolder folder_;
  std::string out_;
};

const std::string first = "launch first grid=1 block=1\n",
                  second = "launch second grid=1 block=1\n";

TEST_F(SeveralLaunches, of_one_kernel_have_the_same_finding_once_with_its_count) {
  for (const std::string& launches : {first + first, first + "repeat 2\n"}) {
    const std::string path = spec(launches);
    for (const char* verb : {"check", "repro"}) {
      const Json findings = findings_of(path, verb);
      ASSERT_EQ(findings.size(), 1U) << findings.dump(1);
      EXPECT_EQ(findings.at(0).at("kind"), "write_to_input");
      EXPECT_EQ(findings.at(0).at("count"), 2);
      EXPECT_EQ(times(out_, "error: write_to_input x[0]"), 1U) << out_;
      EXPECT_EQ(times(out_, "in first"), 0U) << out_;
    }
  }
}

TEST_F(SeveralLaunches, of_several_kernels_name_theirs) {
  const std::string path = spec(first + second + first);
  for (const char* verb : {"check", "repro"}) {
    const Json findings = findings_of(path, verb);
    ASSERT_EQ(findings.size(), 2U) << findings.dump(1);
    EXPECT_EQ(findings.at(0).at("kernel"), "first");
    EXPECT_EQ(findings.at(0).at("count"), 2);
    EXPECT_EQ(findings.at(1).at("kernel"), "second");
    EXPECT_EQ(findings.at(1).at("count"), 1);
    EXPECT_EQ(times(out_, "error: write_to_input x[0]"), 2U) << out_;
    EXPECT_EQ(times(out_, "in first"), 1U) << out_;
    EXPECT_EQ(times(out_, "in second"), 1U) << out_;
  }
}

TEST_F(SeveralLaunches, are_told_apart_in_markdown_where_several_kernels_have_findings) {
  const auto row = [&](const std::string& launches) {
    (void)run({"check", spec(launches), "--markdown", file("r.md")});
    return read_text(file("r.md"));
  };
  const std::string both = row(first + second), one = row(first + first);
  EXPECT_NE(both.find("| write_to_input on `x` in `first`, `second` | "), std::string::npos)
      << both;
  EXPECT_NE(one.find("| write_to_input on `x` | "), std::string::npos) << one;
}

}  // namespace
}  // namespace gauntlet::test
