// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet time as a user runs it, where there is no GPU to be used.
#include "tests/interface/cli/program.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "gpu/timing/report/report.hpp"
#include "tests/gpu/timing/sample_report.hpp"

namespace gauntlet::timing {
namespace {

using gauntlet::test::Ended;
using gauntlet::test::expect_one_line;
using gauntlet::test::read_text;
using gauntlet::test::TemporaryFolder;

Ended run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "time");
  return gauntlet::test::run(arguments, {"CUDA_VISIBLE_DEVICES="});
}

std::string write(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  const std::string path = (folder.path() / name).string();
  std::ofstream(path) << text;
  return path;
}

Report sample() {
  return report_of({
      measured(Kind::limit, "limit", 1 << 20, {2.0}),
      measured(Kind::cub, "cub", 1 << 20, {5.0}),
      measured(Kind::kernel, "vector_batch", 1 << 20, {4.0, 4.5}),
  });
}

TEST(TimeProgram, without_a_gpu_ends_with_3_and_says_why) {
  expect_one_line(run({}), 3, "timing needs a GPU");
}

TEST(TimeProgram, refuses_what_it_cannot_read_before_it_looks_for_a_gpu) {
  expect_one_line(run({"--n", "2^40"}), 2, "`2^40` is not a size");
  expect_one_line(run({"--types", "f31"}), 2, "did you mean `f32`?");
  expect_one_line(run({"sequentail"}), 2, "did you mean `sequential`?");
  expect_one_line(run({"--repetitions", "0"}), 2, "repetitions");
  expect_one_line(run({"--json", "/nowhere/x.json"}), 2, "/nowhere/x.json");
  expect_one_line(run({"--markdown", "/nowhere/x.md"}), 2, "/nowhere/x.md");
}

TEST(TimeProgram, refuses_a_passed_file_that_is_none) {
  const TemporaryFolder folder;
  expect_one_line(run({"--passed", "/nowhere.json"}), 2, "cannot be read");
  expect_one_line(run({"--passed", write(folder, "a", "not json")}), 2, "it is not JSON");
  expect_one_line(run({"--passed", write(folder, "b", "{}")}), 2, "no gauntlet.check document");
}

TEST(TimeProgram, renders_the_tables_of_a_report_without_a_gpu) {
  const TemporaryFolder folder;
  const std::string json = write(folder, "timing.json", text_of(to_json(sample())));
  const Ended ended = run({"--render", json});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, markdown(sample()));
  const std::string page = (folder.path() / "timing.md").string();
  EXPECT_EQ(run({"--render", json, "--markdown", page}).code, 0);
  EXPECT_EQ(read_text(page), markdown(sample()));
}

TEST(TimeProgram, refuses_to_render_another_document) {
  const TemporaryFolder folder;
  expect_one_line(run({"--render", write(folder, "a", "{\"schema\": \"gauntlet.check\"}")}), 2,
                  "it is no gauntlet.time document");
  expect_one_line(run({"--render", "/nowhere.json"}), 2, "cannot be read");
}

}  // namespace
}  // namespace gauntlet::timing
