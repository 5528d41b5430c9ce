// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// `gauntlet run` of the programs in tests/sanitizer/program/programs.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "tests/interface/cli/json_program.hpp"

namespace gauntlet::test {

using Kinds = std::vector<std::string>;

struct Ran : EndedWithJson {
  /// "unallocated" of the findings of kernels, or of host code, with counts: "double_free 1".
  [[nodiscard]] Kinds kinds(const char* of = "findings") const;
};

/// `options` come before the command.
inline Ran run_command(const std::vector<std::string>& command,
                       const std::vector<std::string>& options = {},
                       const std::vector<std::string>& environment = {}) {
  std::vector<std::string> words = {"run"};
  words.insert(words.end(), options.begin(), options.end());
  words.emplace_back("--");
  words.insert(words.end(), command.begin(), command.end());
  return {run_with_json(words, environment)};
}

/// One of tests/sanitizer/program/programs.
inline Ran run_program(const std::string& name, const std::vector<std::string>& arguments = {},
                       const std::vector<std::string>& options = {},
                       const std::vector<std::string>& environment = {}) {
  std::vector<std::string> command = {std::string(GAUNTLET_PROGRAMS) + "/" + name};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_command(command, options, environment);
}

inline Kinds Ran::kinds(const char* of) const {
  Kinds all;
  if (json.is_null()) return all;
  for (const auto& process : json.at("processes")) {
    for (const auto& one : process.at(of)) {
      const auto& finding = one.contains("finding") ? one.at("finding") : one;
      all.push_back(finding.at("kind").get<std::string>() + " " + finding.at("count").dump());
    }
  }
  return all;
}

inline std::string expected(const std::string& name) {
  return read_text(std::string(GAUNTLET_EXPECTED) + "/" + name + ".txt");
}

/// The program's own output and exit code, and nothing found.
inline void expect_clean(const Ran& ran, const std::string& out) {
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, out) << ran.err;
  EXPECT_EQ(ran.kinds(), std::vector<std::string>{}) << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), std::vector<std::string>{}) << ran.err;
  EXPECT_TRUE(ran.json.at("clean").get<bool>());
  EXPECT_NE(unwrapped(ran.err).find("gauntlet run: clean ("), std::string::npos) << ran.err;
}

/// The lines of a program of which everything is right.
inline std::string all_right(const std::vector<const char*>& what) {
  std::string out;
  for (const char* const one : what) out += std::string(one) + ": right\n";
  return out;
}

/// All that is told of host code: once, of this kind, saying this. `source` ends the path of the
/// file of the call's line.
inline nlohmann::json only_mistake(const Ran& ran, const std::string& kind, const std::string& said,
                                   const std::string& source) {
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{kind + " 1"}) << ran.err;
  const auto mistake = ran.json.at("processes").at(0).at("mistakes").at(0);
  EXPECT_NE(mistake.at("detail").get<std::string>().find(said), std::string::npos) << mistake;
  EXPECT_TRUE(mistake.at("stack").at(0).at("file").get<std::string>().ends_with(source)) << mistake;
  return mistake;
}

/// What a program does wrong where its first word names it; with a second word, "right", it does
/// nearly the same, and nothing wrong.
struct Planted {
  const char *name,
      *kinds;                         ///< Ran::kinds; of host code with " (host)" behind each
  const char* said;                   ///< somewhere in what is printed
  const char* error = "cudaSuccess";  ///< the program prints
  const char* program = nullptr;
};
inline void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

/// Tables of these stand in the tests of each program, the test in planted_test.cpp.
class RunPlanted : public testing::TestWithParam<Planted> {};
inline auto planted_in(const char* program, std::vector<Planted> all) {
  for (Planted& one : all) one.program = program;
  return testing::ValuesIn(all);
}
inline std::string name_of_planted(const testing::TestParamInfo<Planted>& instance) {
  return instance.param.name;
}

}  // namespace gauntlet::test
