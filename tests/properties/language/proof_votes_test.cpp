// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What warps vote on, and maxima by atomics of the elements that a condition takes, beside each the
// nearest that is another one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/os/temporary_folder.hpp"
#include "properties/language/proof.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {
namespace {

/// Of one of a file's kernels.
prove::Proof proof_of(const std::string& file, const std::string& spec) {
  const os::TemporaryFolder folder;
  namespace fs = std::filesystem;
  fs::copy_file(GAUNTLET_SPEC_PTX "/" + file, folder.path() / file);
  const std::string path = (folder.path() / "k.gauntlet").string();
  std::ofstream(path) << "kernel " << file << " " << spec;
  const std::atomic<bool> interrupted{false};
  const Specs specs({path}, interrupted);
  Case c = draw(specs.loaded(path), 1, 50);
  c.schedule = "lockstep";
  return prove(specs, specs.completed(c)).proof;
}

/// Whether votes.cu's kernel gives the result, for 70 elements and blocks of a warp.
bool is_proved(std::string_view kernel, int wrong, std::string_view y, std::string_view result) {
  return proof_of("votes.ptx", fmt::format("'{}<{}>'\nsize n = 70\nin x:i32[n]\n{}\narg n:i32 = n\n"
                                           "launch grid=ceil(n / 32) block=32\nresult {}\n",
                                           kernel, wrong, y, result))
      .proved();
}

struct Voted {
  const char *kernel, *y, *result;
  int wrong;  ///< forms from 1 on that are wrong
};

class ProofVotes : public testing::TestWithParam<Voted> {};

TEST_P(ProofVotes, the_right_form_is_proved_and_none_of_the_wrong_ones) {
  const auto [kernel, y, result, wrong] = GetParam();
  EXPECT_TRUE(is_proved(kernel, 0, y, result));
  for (int form = 1; form <= wrong; ++form) {
    EXPECT_FALSE(is_proved(kernel, form, y, result)) << form;
  }
}

constexpr const char* of_each_warp = "out y:i32[blocks]";
constexpr const char* any_above = "y[b] = any(x[i] > 7 for i in b * 32 .. min(n, b * 32 + 32))";
INSTANTIATE_TEST_SUITE_P(
    Of, ProofVotes,
    testing::Values(Voted{"any_of_warp", of_each_warp, any_above, 3},
                    Voted{"all_of_warp", of_each_warp,
                          "y[b] = all(x[i] > 7 for i in b * 32 .. min(n, b * 32 + 32))", 2},
                    Voted{"any_by_ballot", of_each_warp, any_above, 3},
                    Voted{"greatest_above", "inout y:i32[1] = -2147483648",
                          "y[0] = max(x[i] > 7 ? x[i] : -2147483648 for i in 0 .. n)", 4}),
    [](const auto& info) { return info.param.kernel; });

/// The last number that is not 0, of which each hangs on all behind it.
TEST(ProofChoices, that_hang_on_one_another_in_too_many_ways_are_named_as_what_is_not_followed) {
  const auto last_set = [](int n) {
    return proof_of("blocks.ptx",
                    fmt::format("'last_set<true>'\nsize n = {}\nin x:i32[n]\nout y:i32[1]\n"
                                "arg n:i32 = n\nlaunch grid=1 block=32\n"
                                "result y[0] = fold(a, b: b != 0 ? b : a, 0, x)\n",
                                n));
  };
  EXPECT_TRUE(last_set(1000).proved());
  const prove::Proof found = last_set(9000);
  ASSERT_EQ(found.verdict, prove::Verdict::no_proof);
  EXPECT_NE(found.cause->what.find("hang on one another in too many ways"), std::string::npos)
      << found.cause->what;
}

}  // namespace
}  // namespace gauntlet::spec
