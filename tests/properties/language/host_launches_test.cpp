// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The launches that a function of the host makes, for the verbs that need those of a kernel; and
// functions of several forms and types.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/properties/language/host_functions.hpp"

namespace gauntlet::test {
namespace {

class HostLaunches : public HostFunctions {
 protected:
  /// A spec of host_forms.cu.
  std::string forms(const std::string& more) {
    return host("reduce",
                "size n = 0..300\nin in:T[n]\nout out:ACC[1]\narg n:u64 = n\n"
                "result out[0] = OP(in)\n" +
                    more,
                "host_forms.cu");
  }
};

const std::string fixes =
    "fix barrier: the halves are read behind it\n"
    "  shows race_write_read s, poison_output out, wrong_result out\n"
    "  rare poison_output out, wrong_result out\n"
    "  schedules high_lane_first, warp_reversed\n"
    "fix round_up: the last elements are a block of their own\n"
    "  shows wrong_result out\n";

TEST_F(HostLaunches, are_counted_kernel_by_kernel) {
  const Ended ended = run({"count", sum("0") + " n=200 how=0"});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_NE(ended.out.find("sums::tiles"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("sums::total"), std::string::npos) << ended.out;
}

TEST_F(HostLaunches, are_proved_or_not_as_those_of_a_spec) {
  const auto proved = [&](const std::string& how) {
    const Ended ended = run({"prove", sum(how, "require n != 0 || how != 0\n"), "--cases", "12"});
    return std::pair(ended.code, ended.out + ended.err);
  };
  const auto [right, said] = proved("0,10");
  EXPECT_EQ(right, 0) << said;
  EXPECT_EQ(said.find("not proved"), std::string::npos) << said;
  EXPECT_EQ(proved("1").first, 1);  // a block too few
  const auto [race, races] = proved("2");
  EXPECT_EQ(race, 1) << races;
}

TEST_F(HostLaunches, whose_threads_go_both_ways_are_tried_so) {
  const auto proved = [&](const std::string& reduction) {
    return run({"prove", host("sums::maximum",
                              "in x:f32[n]\nout y:f32[1]\narg n:u32 = n\n"
                              "require n > 0\nresult y[0] = " +
                                  reduction + "(x)\n") +
                             " n=5"});
  };
  const Ended right = proved("max");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("rule       choice at host_sums.cu:"), std::string::npos) << right.out;
  EXPECT_EQ(proved("min").code, 1);
}

TEST_F(HostLaunches, have_schedules_that_make_a_value_wrong) {
  const Ended ended = run({"witness", sum("2")});
  EXPECT_NE(ended.out.find("instead of"), std::string::npos) << ended.out << ended.err;
}

TEST_F(HostLaunches, of_functions_that_do_something_else_are_refused_in_one_line) {
  const std::map<std::string, std::string> reasons{
      {"4", "sums::sum copies, by cudaMemcpyAsync; count takes functions that do nothing but"},
      {"5", "sums::sum launches in several streams; count takes"},
      {"7", "sums::sum ends its process; count takes"},
      {"8", "sums::sum makes a mistake, <<<>>>: the launch of sums::tiles"},
      {"9", "sums::sum fills memory behind a launch, by cudaMemsetAsync; count takes"},
      {"11", "sums::sum returned 1, cudaErrorInvalidValue, with n=100"}};
  for (const auto& [how, reason] : reasons) {
    expect_refused({"count", sum(how) + " n=100 how=" + how}, reason);
  }
}

TEST_F(HostLaunches, have_the_arrays_of_the_function_and_what_it_fills_them_with) {
  const std::string added = host("sums::added",
                                 "size clears = 0,1\nin x:i32[n]\nout y:i32[1]\narg n:u32 = n\n"
                                 "arg clears:u8 = clears\nresult y[0] = sum(x)\n");
  EXPECT_EQ(run({"prove", added + " n=100 clears=1"}).code, 0);
  const Ended unfilled = run({"prove", added + " n=100 clears=0"});
  EXPECT_EQ(unfilled.code, 1);
  EXPECT_NE(unfilled.out.find("poison_output"), std::string::npos) << unfilled.out;
  // A fill alone.
  const Ended none = run({"prove", sum("0") + " n=0 how=0"});
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.out.find("no kernel is launched"), std::string::npos) << none.out;
  const Ended beyond = run({"prove", sum("6") + " n=65 how=6"});
  EXPECT_EQ(beyond.code, 1) << beyond.out;
  EXPECT_NE(beyond.out.find("x has 65 elements"), std::string::npos) << beyond.out;
}

TEST_F(HostLaunches, of_two_functions_are_compared) {
  const std::string left = sum("0");
  const std::string right = (folder_.path() / "other.gauntlet").string();
  std::filesystem::copy_file(left, right);
  const Ended ended = run({"equal", left, right, "--cases", "6"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST_F(HostLaunches, are_of_no_use_to_a_process_under_another_tool) {
  expect_refused({"check", sum("0"), "--with", "memcheck"}, "compute-sanitizer");
}

TEST_F(HostLaunches, of_every_form_and_type_show_what_the_spec_says) {
  const std::string spec = forms("types f32->f32 i8->i32 f16->f32\noperator sum max\n" + fixes);
  const Ended ended = run({"check", spec, "--cases", "60"});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  const Ended listed = run({"list", spec});
  EXPECT_NE(listed.out.find("fixed: expects nothing"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("maximum i8->i32 f16->f32 f32->f32"), std::string::npos) << listed.out;
  // The near miss: what the fix is needed for is found where it lacks alone.
  const Ended one = run({"repro", spec + "@fixed-round_up f32->f32 sum n=3 data=iota"});
  EXPECT_EQ(one.code, 1) << one.out << one.err;
  EXPECT_NE(one.out.find("wrong_result out[0]"), std::string::npos) << one.out;
  EXPECT_EQ(run({"repro", spec + "@fixed i8->i32 sum n=3 data=iota"}).code, 0);
  EXPECT_EQ(run({"prove", spec + "@fixed", "--cases", "4"}).code, 0);
}

constexpr const char* tiles =
    "types f32->f32 i32->i32\noperator sum max\nsize blocks = 1..4\ntile 8\nin in:T[n]\n"
    "out out:ACC[1]\nscratch partials:ACC[blocks] = allocated\narg n:u64 = n\n"
    "result out[0] = OP(in) height n\n"
    "result partials[b] = OP(in[i] for i in 0 .. n if i / tile % blocks == b) height n\n"
    "  if blocks > 1\n"
    "fix every_block: the value of the last block is lost\n  shows wrong_result out\n";

TEST_F(HostLaunches, of_a_function_whose_blocks_take_tiles_are_judged_as_those_of_a_kernel) {
  const std::string spec = host("reduce_tiles", tiles, "host_tiles.cu");
  const Ended checked = run({"check", spec, "--cases", "40"});
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
  EXPECT_NE(checked.out.find("@fixed-every_block: caught"), std::string::npos) << checked.out;
  const Ended right = run({"repro", spec + "@fixed i32->i32 sum n=20"});
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("partials = 8, 8, 4"), std::string::npos) << right.out;
  // A block more than there are: what it is to hold is told of each.
  const Ended lost = run({"repro", spec + "@fixed-every_block f32->f32 sum n=20"});
  EXPECT_EQ(lost.code, 1) << lost.out << lost.err;
  EXPECT_NE(lost.out.find("got 16, expected 20"), std::string::npos) << lost.out;
  const Ended window = run({"repro", spec + "@fixed i32->i32 sum n=20 blocks=0+1"});
  EXPECT_EQ(window.code, 1) << window.err;
  EXPECT_NE(window.out.find("a function of the host"), std::string::npos) << window.out;
}

TEST_F(HostLaunches, name_the_functions_own_arrays_where_there_are_tiles) {
  const std::string text =
      "in x:f32[n]\nout y:f32[1]\nscratch t:f32[n] = allocated\n"
      "arg n:u64 = n\nresult y[0] = sum(x)\n";
  expect_refused({"check", host("sums::sum", text)}, "= allocated is of specs with `tile`");
}

TEST_F(HostLaunches, name_kernels_without_what_tells_forms_apart) {
  const std::string spec = forms("types f32->f32\n" + fixes);
  const Ended ended = run({"repro", spec + "@fixed-barrier n=64 schedule=high_lane_first"});
  EXPECT_EQ(ended.out.find("gauntlet__"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("tiles"), std::string::npos) << ended.out;
}

TEST_F(HostLaunches, of_a_form_that_the_file_does_not_ask_for_are_refused) {
  expect_refused(
      {"check", forms("types f32->f32\n" + fixes + "fix other: why\n  shows wrong_result out\n")},
      "does not ask for it: write #if FIX(other)");
  expect_refused({"check", forms("types f32->f32\ndefine B = n\n" + fixes)},
                 "a function of the host is compiled once for each form and types");
}

}  // namespace
}  // namespace gauntlet::test
