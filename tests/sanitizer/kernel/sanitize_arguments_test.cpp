// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arguments of `gauntlet sanitize` that are more than arrays and numbers: structs with pointers,
// arrays of pointers, one array under two names, __device__ and __constant__ variables.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/sanitizer/kernel/sanitized.hpp"

namespace gauntlet::test {
namespace {

const std::string entries = ptx("sanitize_arguments");

TEST(SanitizeStruct, with_a_pointer_is_laid_out_as_cpp_does) {
  const std::string launch =
      "--entry of_view --grid 1 --block 32 --arg view:{i8=1,ptr=@data,i32=20,f64=0.5} "
      "--arg out:f32[20] --array data:f32[20]=iota --expect out=iota:1:0.5";
  const Sanitized got = sanitize(entries, words(launch));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
}

TEST(SanitizeStruct, findings_name_the_array_that_its_pointer_leads_to) {
  const Sanitized got = sanitize(
      entries, words("--entry of_view --grid 1 --block 32 --arg out:f32[32] "
                     "--arg view:{i8=1,ptr=@data+2,i32=20,f64=0.5} --array data:f32[20]=iota"));
  EXPECT_EQ(got.code, 2) << "the order of the arguments is the kernel's";
  const Sanitized right =
      sanitize(entries, words("--entry of_view --grid 1 --block 32 --array data:f32[20]=iota "
                              "--arg view:{i8=1,ptr=@data+2,i32=20,f64=0.5} --arg out:f32[32]"));
  EXPECT_EQ(right.code, 1) << right.err;
  ASSERT_EQ(kinds(right.json), (std::set<std::string>{"out_of_bounds_read"})) << right.out;
  EXPECT_EQ(right.json["findings"][0]["array"], "data");
  EXPECT_EQ(right.json["findings"][0]["index"], 20);
}

TEST(SanitizePointers, in_an_array_lead_to_other_arrays_or_nowhere) {
  const std::string launch =
      "--entry row_sums --grid 1 --block 3 --arg rows:ptr[]=@a,0,@b+1 --arg width:i32=4 "
      "--arg out:f32[3] --array a:f32[4]=1 --array b:f32[5]=iota ";
  const Sanitized got = sanitize(entries, words(launch + "--expect out=4,0,10"));
  EXPECT_EQ(got.code, 0) << got.out << got.err;
}

TEST(SanitizePointers, of_two_names_for_one_array_race_where_two_arrays_do_not) {
  const std::string launch = "--entry shift --grid 1 --block 64 --arg ";
  EXPECT_EQ(sanitize(entries, words(launch + "a:i32[65]=iota --arg b:i32[64]")).code, 0);
  const Sanitized same = sanitize(entries, words(launch + "a:i32[65]=iota --arg b:ptr=@a"));
  EXPECT_EQ(same.code, 1) << same.out << same.err;
  EXPECT_EQ(kinds(same.json), (std::set<std::string>{"race_read_write"})) << same.out;
  // Written through its second name: no input, although the first one is to const.
  EXPECT_FALSE(same.json["arguments"][0]["read_only"].get<bool>());
}

TEST(SanitizeVariables, get_a_content_and_are_compared_and_printed) {
  const std::string launch =
      "--entry weighted --grid 1 --block 8 --arg in:f32[8]=1 --sym weights:f32=1,2,3,4 "
      "--sym target:ptr=@out --array out:f32[8] ";
  const Sanitized given =
      sanitize(entries, words(launch + "--sym settings::bias=10 --sym launches=41 "
                                       "--expect out=11,12,13,14,11,12,13,14 --expect launches=42 "
                                       "--dump launches --dump weights"));
  EXPECT_EQ(given.code, 0) << given.out << given.err;
  EXPECT_TRUE(given.out.starts_with("launches = 42\nweights = 1, 2, 3, 4\n")) << given.out;
  // What no --sym names begins as the source says.
  const Sanitized initial =
      sanitize(entries, words(launch + "--expect out=8,9,10,11,8,9,10,11 --expect launches=1"));
  EXPECT_EQ(initial.code, 0) << initial.out << initial.err;
  const Sanitized wrong = sanitize(entries, words(launch + "--expect launches=2"));
  EXPECT_EQ(wrong.code, 1);
  ASSERT_EQ(kinds(wrong.json), (std::set<std::string>{"wrong_result"}));
  EXPECT_EQ(wrong.json["findings"][0]["array"], "launches");
}

TEST(SanitizeVariables, that_change_are_seen_by_repeat_where_they_are_named) {
  const std::string launch =
      "--entry weighted --grid 1 --block 8 --arg in:f32[8]=1 --sym weights:f32=1 "
      "--sym target:ptr=@out --array out:f32[8] --repeat ";
  EXPECT_EQ(sanitize(entries, words(launch)).code, 0);
  const Sanitized named = sanitize(entries, words(launch + "--sym launches"));
  EXPECT_EQ(named.code, 1) << named.out << named.err;
  EXPECT_EQ(kinds(named.json), (std::set<std::string>{"wrong_result"}));
}

TEST(SanitizeArguments,
     what_is_wrong_with_a_pointer_struct_or_variable_is_one_line_that_quotes_it) {
  const std::string shift = "--entry shift --grid 1 --block 64 ";
  const std::string view = "--entry of_view --grid 1 --block 32 --arg out:f32[1] --arg ";
  const std::string weighted = "--entry weighted --grid 1 --block 8 --arg in:f32[8]=1 --sym ";
  const std::pair<std::string, std::string> wrong[] = {
      {shift + "--arg a:i32[65]=iota --arg b:ptr=a", "`a` is not a pointer; write @ARRAY"},
      {shift + "--arg a:i32[65]=iota --arg b:ptr=7", "`7` is not a pointer; write @ARRAY"},
      {shift + "--arg a:i32[65]=iota --arg b:ptr=@c", "unknown array `c`"},
      {shift + "--arg a:i32[65]=iota --arg b:ptr=@a+66", "@a+66 lies behind the 65 elements of a"},
      {shift + "--arg a:i32[65]=iota --arg b:ptr=@a+x", "unknown name `x`"},
      {shift + "--arg a:f32[65]=iota --arg b:ptr=@a", "takes i32"},
      {shift + "--arg a:i32[65]=iota --arg b:ptr[2]=@a", "1 element, the array 2"},
      {shift + "--arg a:i32[65]=iota --arg b:i32[n]", "--arg b:i32[n]: unknown name `n`"},
      {view + "v:i32=1 --array a:i32[w]",
       "unknown name `w`; write one of a, block, blocks, grid, out, v"},
      {view + "v:i32=-1 --array a:i32[v]",
       "--array a:i32[v]: a count is -1; it must not be negative"},
      {view + "v:i32=3 --array a:i32[v]=1,2", "2 elements, the array 3"},
      {shift + "--arg a:i32[65]=iota --arg b:prt=@a", "unknown type `prt`; did you mean `ptr`?"},
      {shift + "--arg a:i32[65]=iota --array a:i32[4]", "--array a:i32[4]: a is declared twice"},
      {shift + "--arg a:i32[65]=iota --array b:i32=4", "--array b:i32=4: is not an array"},
      {view + "v:{i8=1,ptr=@out", "has no `}` at its end"},
      {view + "v:{i8=1,@out}", "member `@out` is not TYPE=VALUE or ptr=@ARRAY"},
      {view + "v:{}", "member `` is not TYPE=VALUE"},
      {view + "v:{int=1}", "unknown type `int`"},
      {view + "v:{i8=300}", "300 does not fit into i8"},
      {view + "v:{ptr=@out,i32=1}", "has 32 bytes"},
      {weighted + "weights=1", "weights has 16 bytes; write weights:TYPE"},
      {weighted + "weights:f32=1,2", "2 elements, the array 4"},
      {weighted + "weights:float=1", "unknown type `float`; write f32"},
      {weighted + "launches:f64=1", "launches has 4 bytes, no multiple of the 8 of f64"},
      {weighted + "wieghts:f32=1", "unknown variable `wieghts`; did you mean `weights`?"},
      {weighted + "launches=x", "--sym launches=x: unknown name `x`"},
      {weighted + "=1", "write NAME=CONTENT"},
      {weighted + "launches=1 --sym launches=2", "--sym launches=2: launches is declared twice"},
      {weighted + "launches=1 --expect lunches=2", "did you mean `launches`"}};
  for (const auto& [text, part] : wrong) {
    expect_one_line(sanitize(entries, words(text)), 2, part, text);
  }
}

}  // namespace
}  // namespace gauntlet::test
