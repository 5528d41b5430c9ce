// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A spec of ours under another name is told of as the catalogue's variant is: list, and detect from
// a measurement. Neither needs a compiler or a GPU.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>

#include "base/os/file.hpp"
#include "tests/interface/cli/json_program.hpp"
#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path our_kernels = fs::path(GAUNTLET_ROOT) / "kernels";
const std::string ours = "sequential";

class CopiedSpec : public ::testing::Test {
 protected:
  CopiedSpec() { copy_of(ours); }
  void copy_of(const std::string& name) const {
    fs::copy_file(our_kernels / (name + ".gauntlet"), path_, fs::copy_options::overwrite_existing);
  }
  /// A spec beside it.
  std::string other(const std::string& text) const {
    const fs::path path = folder_.path() / "other.gauntlet";
    std::ofstream(path) << text;
    return path.string();
  }
  std::string path() const { return path_.string(); }
  /// The name of the catalogue's in its place, each run of blanks and ends of lines, or of a
  /// table's dashes, as one.
  std::string as_ours(std::string text, const std::string& name = ours) const {
    for (auto at = text.find(path()); at != std::string::npos; at = text.find(path())) {
      text.replace(at, path().size(), name);
    }
    return std::regex_replace(std::regex_replace(text, std::regex("\\s+"), " "), std::regex("--+"),
                              "-");
  }

  TemporaryFolder folder_;
  const fs::path path_ = folder_.path() / "mine.gauntlet";
};

/// Without the lines that begin with this.
std::string without(const std::string& text, const std::string& begin) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(begin)) kept += line + "\n";
  }
  return kept;
}

TEST_F(CopiedSpec, is_listed_as_ours_is) {
  // Printed, ours, with two launches, with a ticket.
  for (const std::string name : {"sequential", "cub_warp", "vector_batch", "single_pass_ticket"}) {
    copy_of(name);
    const Ended copy = run({"list", path()}), own = run({"list", name});
    EXPECT_EQ(copy.code, 0) << copy.err;
    // The documents' statements judge the documents' kernels.
    EXPECT_EQ(as_ours(copy.out, name), as_ours(without(own.out, "  judged by"), name));
    EXPECT_EQ(copy.err, own.err);
    EXPECT_EQ(as_ours(run({"list", "--brief", path()}).out, name),
              as_ours(run({"list", "--brief", name}).out, name));
  }
}

TEST_F(CopiedSpec, has_the_json_of_ours) {
  Json copy = Json::parse(run({"list", path(), "--json", "-"}).out);
  Json own = Json::parse(run({"list", ours, "--json", "-"}).out);
  EXPECT_EQ(copy["variants"][0]["judged_by"], Json::array());
  own["variants"][0]["judged_by"] = Json::array();
  own["variants"][0]["id"] = path();
  EXPECT_EQ(copy.dump(1), own.dump(1));
}

TEST_F(CopiedSpec, a_spec_that_says_nothing_of_itself_has_its_form_alone) {
  const std::string spec = other(
      "kernel absent.cu\nin x:f32[n]\nout y:f32[n]\nlaunch grid=1 block=32\nexpect race_atomic y\n"
      "result none\n");
  const Ended listed = run({"list", spec});
  EXPECT_EQ(listed.code, 0) << listed.err;
  EXPECT_EQ(listed.out, spec +
                            "\n  form       expects race_atomic y\n"
                            "  compiled   sum f32->f32\n\n1 variant, 1 form\n");
}

TEST_F(CopiedSpec, what_cannot_be_listed_is_one_line) {
  const auto refused = [](const std::vector<std::string>& words, const std::string& part) {
    expect_one_line(run(words), 2, part);
  };
  refused({"list", "absent.gauntlet"}, "absent.gauntlet: no such file");
  refused({"list", path(), ours}, "sequential: is not a spec; name specs or variants, not both");
  refused({"list", path() + "@fixed-boundz"}, "unknown form of " + path() + " `fixed-boundz`");
  refused({"list", other("kernel k.cu\nlunch grid=1\n")}, "other.gauntlet:2: ");
  refused({"detect", "absent.gauntlet"}, "absent.gauntlet: no such file");
}

/// The committed measurement, of this variant alone, under this name.
Json measured(const std::string& name) {
  const std::string page = read_text(GAUNTLET_ROOT "/docs/detection.md");
  const std::size_t from = page.find('[') + 1;
  Json json = Json::parse(read_text(GAUNTLET_ROOT "/" + page.substr(from, page.find(']') - from)));
  Json forms = Json::array();
  for (Json& form : json["forms"]) {
    if (form["variant"] != ours) continue;
    form["variant"] = name;
    forms.push_back(form);
  }
  json["forms"] = forms;
  return json;
}

TEST_F(CopiedSpec, what_tools_said_of_it_makes_the_table_of_ours) {
  const fs::path file = folder_.path() / "measured.json";
  const auto page_of = [&](const std::string& name) {
    std::ofstream(file) << measured(name).dump();
    const Ended ended = run({"detect", "--from", file.string()});
    EXPECT_EQ(ended.code, 0) << ended.err;
    EXPECT_NE(ended.err.find("as expected"), std::string::npos) << ended.err;
    return ended.out.substr(ended.out.find("`–`: nothing was reported"));
  };
  EXPECT_EQ(as_ours(page_of(path())), as_ours(page_of(ours)));
}

TEST_F(CopiedSpec, a_tool_that_speaks_of_what_must_hold_is_marked) {
  Json json = measured(path());
  for (Json& form : json["forms"]) {
    if (form["form"] == "fixed") form["cases"][0]["tools"] = json["forms"][0]["cases"][0]["tools"];
  }
  const fs::path file = folder_.path() / "measured.json";
  std::ofstream(file) << json.dump();
  const Ended ended = run({"detect", "--from", file.string()});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_NE(ended.out.find("**unexpected**"), std::string::npos);
  EXPECT_NE(ended.err.find("1 disagreement"), std::string::npos) << ended.err;
}

TEST_F(CopiedSpec, a_measurement_of_a_form_that_the_spec_lacks_is_not_as_expected) {
  Json json = measured(path());
  json["forms"][0]["form"] = "fixed-no_such_fix";
  const fs::path file = folder_.path() / "measured.json";
  std::ofstream(file) << json.dump();
  const Ended ended = run({"detect", "--from", file.string()});
  EXPECT_EQ(ended.code, 1);
  EXPECT_NE(ended.err.find("is not in the spec"), std::string::npos) << ended.err;
}

}  // namespace
}  // namespace gauntlet::test
