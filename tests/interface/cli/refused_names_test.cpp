// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A name that is none of the catalogue's, but that of a file which another command takes.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/interface/cli/program.hpp"

namespace gauntlet::test {
namespace {

TEST(Words, that_are_a_program_or_a_file_of_kernels_are_told_who_takes_them) {
  const TemporaryFolder folder;
  const auto said = [&](const std::string& word) {
    const Ended ended =
        run_in_shell("cd '" + folder.path().string() + "' && \"$GAUNTLET\" check " + word);
    EXPECT_EQ(ended.code, 2) << word;
    EXPECT_EQ(ended.out, "") << word;
    return ended.err;
  };
  const auto file = folder.path() / "streams";
  std::ofstream(file) << "#!/bin/sh\n";
  EXPECT_EQ(said("streams"),
            "gauntlet: unknown variant `streams`; gauntlet list --brief shows all\n");
  chmod(file.c_str(), 0755);
  EXPECT_EQ(said("streams"),
            "gauntlet: streams: no kernel of the catalogue; gauntlet run -- ./streams runs the "
            "program\n");
  EXPECT_NE(said("stream").find("unknown variant"), std::string::npos);
  std::ofstream(file.string() + ".cu") << "\n";
  EXPECT_NE(said("streams").find("./streams runs the program; gauntlet sanitize streams.cu runs "
                                 "its kernels\n"),
            std::string::npos);
  std::filesystem::remove(file);
  EXPECT_EQ(said("streams"),
            "gauntlet: streams: no kernel of the catalogue; gauntlet sanitize streams.cu runs its "
            "kernels\n");
  // A part of a variant's name is that variant.
  std::ofstream(folder.path() / "sequentia.cu") << "\n";
  const Ended named =
      run_in_shell("cd '" + folder.path().string() + "' && \"$GAUNTLET\" list sequentia");
  EXPECT_EQ(named.code, 0) << named.err;
}

}  // namespace
}  // namespace gauntlet::test
