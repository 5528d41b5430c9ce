// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The pieces of `gauntlet sanitize` that need no kernel.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/scalar.hpp"
#include "sanitizer/kernel/arguments.hpp"
#include "sanitizer/kernel/combinations.hpp"
#include "sanitizer/kernel/cpp_spelling.hpp"
#include "sanitizer/kernel/entry.hpp"
#include "sanitizer/kernel/report.hpp"
#include "sanitizer/kernel/session.hpp"
#include "sanitizer/kernel/source.hpp"
#include "tests/sanitizer/kernel/sanitize_refusal.hpp"

namespace gauntlet::sanitize {
namespace {

using Words = std::vector<std::string>;

TEST(SanitizeArgument, every_part_of_the_spelling_is_read) {
  const Argument a = parse_argument("in:f32[1000],offset:4,pad:8:-1,scratch=iota");
  EXPECT_EQ(a.name, "in");
  EXPECT_EQ(a.type, Type::f32);
  EXPECT_TRUE(a.array);
  EXPECT_EQ(a.count, 1000U);
  EXPECT_EQ(a.offset, 4U);
  EXPECT_EQ(a.pad, 8U);
  ASSERT_TRUE(a.pad_bits);
  EXPECT_EQ(float_value(Type::f32, *a.pad_bits), -1);
  EXPECT_TRUE(a.scratch);
  EXPECT_FALSE(a.read_only);
  EXPECT_EQ(a.parameter_bytes(), 8U);
  EXPECT_EQ(a.array_bytes(), 4032U);
  EXPECT_EQ(a.spelling(), "in:f32[1000]");

  const Argument bare = parse_argument("out:u16[3]");
  EXPECT_FALSE(bare.content);
  EXPECT_FALSE(bare.pad_bits);
  const Argument listed = parse_argument("x:i32[]=4,5,6");
  EXPECT_EQ(listed.count, 3U);
  const Argument value = parse_argument("n:i64=-1");
  EXPECT_FALSE(value.array);
  EXPECT_EQ(value.parameter_bytes(), 8U);
  const Argument members = parse_argument("v:f32x4=1,2,3,4");
  EXPECT_EQ(members.parameter_bytes(), 16U);
  EXPECT_TRUE(parse_argument("x:i32[2],const=0").read_only);
}

TEST(SanitizeArgument, what_is_wrong_is_said_in_one_line) {
  const std::map<std::string, std::string> wrong = {
      {"in", "NAME:TYPE"},
      {"1n:i32=1", "NAME:TYPE"},
      {"n:int=1", "unknown type"},
      {"n:i32", "a value is missing"},
      {"n:i32=iota", "a value is one number"},
      {"n:i32=1,2", "a value is one number"},
      {"v:f32x4=1,2", "4 numbers"},
      {"v:f32x0=1", "COUNT"},
      {"a:f32x2[4]", "TYPE[N]"},
      {"a:f32[4", "no `]`"},
      {"a:f32[-4]", "size"},
      {"a:f32[4000000000000]", "size"},
      {"a:f32[]=iota", "size may be left out"},
      {"a:f32[3]=1,2", "2 elements, the array 3"},
      {"a:f32[3]iota", "`iota` is not understood"},
      {"a:f32[3],ofset:4", "unknown option `ofset:4`"},
      {"a:f32[3],offset:300", "0 to 255"},
      {"a:f32[3],const", "needs content"},
      {"n:i32,const=1", "for arrays only"},
      {"a:f32[2]=absent.npy", "cannot be read"}};
  for (const auto& [text, part] : wrong) {
    const auto line = refusal([&] { (void)parse_argument(text); });
    EXPECT_NE(line.find(part), line.npos) << text << ": " << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
  EXPECT_NE(refusal([] {
              (void)parse_arguments({"a:i32=1", "a:f32=2"});
            }).find("named a"),
            std::string::npos);
}

TEST(SanitizeExpect, compares_the_first_elements_of_a_list_and_all_of_anything_else) {
  const auto arguments = parse_arguments({"n:i32=4", "out:i32[4]"});
  EXPECT_EQ(parse_expect("out=5", arguments).count, 1U);
  EXPECT_EQ(parse_expect("out=5,6", arguments).count, 2U);
  EXPECT_EQ(parse_expect("out=all:5", arguments).count, 4U);
  EXPECT_EQ(parse_expect("out=iota", arguments).count, 4U);
  EXPECT_EQ(parse_expect("out=iota", arguments).argument, 1U);
  EXPECT_NE(refusal([&] { (void)parse_expect("out=1,2,3,4,5", arguments); }), "");
  EXPECT_NE(refusal([&] { (void)parse_expect("n=1", arguments); }), "");
  EXPECT_NE(refusal([&] { (void)parse_expect("oud=1", arguments); }).find("did you mean `out`"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)parse_expect("out=all:1,2", arguments); }), "");
  EXPECT_NE(refusal([&] { (void)parse_dump("out=x.txt", arguments); }), "");
  EXPECT_EQ(parse_dump("out=x.npy", arguments).path, "x.npy");
}

std::vector<KernelEntry> entries(const std::vector<std::pair<std::string, int>>& symbols) {
  std::vector<KernelEntry> result;
  for (const auto& [symbol, parameters] : symbols) {
    KernelEntry entry;
    entry.symbol = symbol;
    entry.parameters.resize(static_cast<std::size_t>(parameters));
    demangle(entry);
    result.push_back(std::move(entry));
  }
  return result;
}

const std::vector<KernelEntry>& some_entries() {
  static const auto all = entries({{"_Z4histILi16EEvPKiPii", 3},
                                   {"_Z4histILi64EEvPKiPii", 3},
                                   {"_ZN2ns4scanEPKfPfi", 3},
                                   {"_ZN12_GLOBAL__N_14anonE6float4P6__half", 2},
                                   {"plain", 2},
                                   {"plain_two", 2}});
  return all;
}

TEST(SanitizeEntry, names_are_demangled_and_parameters_get_their_types) {
  const auto& e = some_entries();
  EXPECT_EQ(e[0].name, "hist<16>");
  EXPECT_EQ(e[0].signature, "hist<16>(int const*, int*, int)");
  EXPECT_EQ(e[0].parameters[0].type, "int const*");
  EXPECT_EQ(e[0].parameters[2].type, "int");
  EXPECT_EQ(e[3].name, "(anonymous namespace)::anon");
  EXPECT_EQ(e[3].parameters[0].type, "float4");
  EXPECT_EQ(e[4].name, "plain");
  EXPECT_EQ(e[4].parameters[0].type, "");
}

TEST(SanitizeEntry, is_chosen_by_symbol_name_or_unambiguous_part) {
  const auto& e = some_entries();
  const std::map<std::string, std::string> right = {
      {"_Z4histILi16EEvPKiPii", "hist<16>"},
      {"hist<16>", "hist<16>"},
      {"hist< 64 >", "hist<64>"},
      {"hist<64>(int const*, int*, int)", "hist<64>"},
      {"<16", "hist<16>"},
      {"scan", "ns::scan"},
      {"ns::scan", "ns::scan"},
      {"anon", "(anonymous namespace)::anon"},
      {"plain", "plain"},  // whole name before part of another
      {"_two", "plain_two"}};
  for (const auto& [text, name] : right) {
    ASSERT_EQ(refusal([&] { (void)choose_entry(e, text, "k.cu"); }), "") << text;
    EXPECT_EQ(choose_entry(e, text, "k.cu").name, name) << text;
  }
  const auto ambiguous = refusal([&] { (void)choose_entry(e, "hist", "k.cu"); });
  EXPECT_NE(ambiguous.find("\n  hist<16>(int const*, int*, int)\n  hist<64>"), ambiguous.npos)
      << ambiguous;
  EXPECT_EQ(ambiguous.find("scan"), ambiguous.npos);
  EXPECT_NE(refusal([&] { (void)choose_entry(e, "plane", "k.cu"); }).find("did you mean `plain`"),
            std::string::npos);
  EXPECT_NE(refusal([] { (void)choose_entry({}, "x", "k.cu"); }), "");
}

TEST(SanitizeEntry, is_the_same_in_each_spelling_that_cpp_allows) {
  const std::pair<std::string, std::string> same[] = {
      {"f<256u, true>", "f<256,true>"},
      {"f<8ul>", "f< 8 >"},
      {"f<int volatile>", "f<volatile int>"},
      {"f(float const*, int)", "f(const float *, int)"},
      {"f<unsigned int>", "f<unsigned>"},
      {"f(unsigned long const*)", "f(const unsigned long*)"},
      {"f(ns::A<int, 2u> const&)", "f(const ns::A<int, 2>&)"},
      {"f(char const* const*)", "f(const char* const*)"}};
  for (const auto& [one, other] : same) {
    EXPECT_EQ(comparable_name(one), comparable_name(other)) << one;
  }
  const std::pair<std::string, std::string> different[] = {{"f<256>", "f<255>"},
                                                           {"f(int const*)", "f(int* const)"},
                                                           {"f<unsigned>", "f<int>"},
                                                           {"f<u>", "f<>"}};
  for (const auto& [one, other] : different) {
    EXPECT_NE(comparable_name(one), comparable_name(other)) << one;
  }
}

TEST(SanitizeEntry, of_other_template_arguments_is_answered_with_the_instances) {
  const auto line = refusal([] { (void)choose_entry(some_entries(), "hist<17>", "k.cu"); });
  EXPECT_NE(line.find("no such instance; write one of\n  hist<16>("), line.npos) << line;
  EXPECT_NE(line.find("hist<64>("), line.npos) << line;
}

TEST(SanitizeExtents, are_one_extent_or_a_list) {
  const auto read = [](const std::vector<std::string>& texts) {
    return read_extents("--block", texts, 1024);
  };
  using List = std::vector<Dim3>;
  EXPECT_EQ(read({"32"}), (List{{32, 1, 1}}));
  EXPECT_EQ(read({"16,16"}), (List{{16, 16, 1}}));
  EXPECT_EQ(read({"16x16"}), (List{{16, 16, 1}}));
  EXPECT_EQ(read({"32,33,256"}), (List{{32, 1, 1}, {33, 1, 1}, {256, 1, 1}}));
  EXPECT_EQ(read({"16x16,32"}), (List{{16, 16, 1}, {32, 1, 1}}));
  EXPECT_EQ(read({"32", "8,8,2"}), (List{{32, 1, 1}, {8, 8, 2}}));
  EXPECT_EQ(read({"2000"}), (List{{2000, 1, 1}}));  // the launch says what is wrong
  EXPECT_EQ(read_extents("--grid", {"100,200"}, 0), (List{{100, 200, 1}}));
  for (const std::string wrong : {"", "x", "1x", "1,2,3,a", "1x2x3x4", "0", "64,64", "-1"}) {
    EXPECT_NE(refusal([&] { (void)read({wrong}); }), "") << wrong;
  }
}

TEST(SanitizeArgument, of_several_values_is_as_many_arguments) {
  const auto values = parse_alternatives("n:i32=1,-33,0x10", "--arg n");
  ASSERT_EQ(values.size(), 3U);
  EXPECT_EQ(values[1].text, "n:i32=-33");
  EXPECT_EQ(values[2].content->values, (std::vector<std::uint64_t>{16}));
  const auto pairs = parse_alternatives("v:f32x2=1,2,3,4", "--arg v");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[1].text, "v:f32x2=3,4");
  const auto all = parse_alternatives("v:u16x3=7", "--arg v");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].text, "v:u16x3=7");
  EXPECT_EQ(all[0].content->values, (std::vector<std::uint64_t>{7, 7, 7}));
}

TEST(SanitizeArgument, that_is_a_struct_has_its_members_where_cpp_has_them) {
  const auto v = parse_argument("v:{i8=-1,f64=1,ptr=@a+3,u16=7}");
  EXPECT_EQ(v.parameter_bytes(), 32U);
  ASSERT_TRUE(v.content);
  EXPECT_EQ(v.content->values[0], 0xffU);
  EXPECT_EQ(v.content->values[15], 0x3fU);  // the high byte of 1.0
  EXPECT_EQ(v.content->values[24], 7U);
  ASSERT_EQ(v.pointers.size(), 1U);
  EXPECT_EQ(v.pointers[0].at, 16U);
  EXPECT_EQ(v.pointers[0].array, "a");
  EXPECT_EQ(v.pointers[0].element, 3U);
}

std::string misfit(const std::string& symbol, const std::vector<std::uint64_t>& bytes,
                   const std::vector<std::string>& texts) {
  KernelEntry entry;
  entry.symbol = symbol;
  for (const auto b : bytes) entry.parameters.push_back({b, {}});
  demangle(entry);
  auto arguments = parse_arguments(texts);
  return refusal([&] { fit_arguments(entry, arguments); });
}

TEST(SanitizeFit, tells_which_parameter_has_how_many_bytes) {
  const std::string sum = "_Z3sumPKfPfi";  // sum(float const*, float*, int)
  const std::vector<std::uint64_t> bytes = {8, 8, 4};
  const std::string in = "in:f32[4]=1", out = "out:f32[1]";
  EXPECT_EQ(misfit(sum, bytes, {in, out, "n:i32=4"}), "");
  EXPECT_EQ(misfit(sum, bytes, {in, out, "n:u32=4"}), "");  // signedness changes no bits
  EXPECT_EQ(misfit(sum, bytes, {in, out, "n:i64=4"}),
            "parameter 3 (int) of sum has 4 bytes; argument 3 (n:i64) has 8 bytes");
  EXPECT_EQ(misfit(sum, bytes, {in, out}),
            "sum takes 3 arguments, 2 are given; parameter 3 (int) of sum has 4 bytes");
  EXPECT_EQ(misfit(sum, bytes, {in, out, "n:i32=4", "m:i32=4"}),
            "sum takes 3 arguments, 4 are given");
  EXPECT_NE(misfit(sum, bytes, {in, out, "n:f32=4"}).find("takes i32"), std::string::npos);
  EXPECT_NE(misfit(sum, bytes, {"in:i32[4]=1", out, "n:i32=4"}).find("takes f32"),
            std::string::npos);
  EXPECT_NE(misfit(sum, bytes, {"in:f64=1", out, "n:i32=4"}).find("is a pointer"),
            std::string::npos);
  EXPECT_EQ(misfit(sum, bytes, {"in:u64=0", out, "n:i32=4"}), "");  // a null pointer
  EXPECT_NE(misfit("_Z1kl", {8}, {"n:i64[3]"}).find("is not a pointer"), std::string::npos);
  // Without types only sizes count; raw memory and vectors take what fits.
  EXPECT_EQ(misfit("plain", {8, 4}, {"a:f64[3]", "b:f32=1"}), "");
  EXPECT_EQ(misfit("_Z1kPvPhP6float4", {8, 8, 8}, {"a:f32[4]", "b:f64[1]", "c:f32[8]"}), "");
  EXPECT_NE(misfit("_Z1kP6float4", {8}, {"c:i32[8]"}), "");
}

TEST(SanitizeFit, an_array_behind_a_pointer_to_const_is_read_only_where_it_has_content) {
  KernelEntry entry;
  entry.symbol = "_Z3sumPKfPfPKi";
  entry.parameters.resize(3, {8, {}});
  demangle(entry);
  auto arguments = parse_arguments({"a:f32[4]=1", "b:f32[4]=1", "c:i32[4]"});
  fit_arguments(entry, arguments);
  EXPECT_TRUE(arguments[0].read_only);
  EXPECT_FALSE(arguments[1].read_only);
  EXPECT_FALSE(arguments[2].read_only);
}

TEST(SanitizeSource, paths_become_relative_but_those_of_toolkits) {
  const std::string ptx =
      ".file 1 \"/home/u/p/src/k.cu\"\n"
      "\t.file\t2 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp\"\n"
      "\t.file\t3 \"/home/u/q/with blank.cuh\", 123, 45\n"
      "\t.file\t4 \"k.cu\"\n"
      "mov.u32 %r1, 5; // .file 1 \"/home/u/p\"";
  const std::string expected =
      ".file 1 \"src/k.cu\"\n"
      "\t.file\t2 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30_intrinsics.hpp\"\n"
      "\t.file\t3 \"../q/with blank.cuh\", 123, 45\n"
      "\t.file\t4 \"k.cu\"\n"
      "mov.u32 %r1, 5; // .file 1 \"/home/u/p\"";
  EXPECT_EQ(with_relative_paths(ptx, "/home/u/p"), expected);
}

TEST(SanitizeSource, line_of_an_instruction_is_that_of_the_caller_of_what_is_inlined) {
  const std::string ptx =
      ".loc 1 10 3\n"
      "add\n"
      ".loc 2 99 1, function_name L, inlined_at 1 12 5\n"
      "sin\n"
      ".file 1 \"my k.cu\"\n"
      ".file 2 \"/x/math.h\"\n";
  EXPECT_EQ(source_of_line(ptx, 2), "my k.cu:10");
  EXPECT_EQ(source_of_line(ptx, 4), "my k.cu:12");
  EXPECT_EQ(source_of_line("add\n", 1), "");
}

TEST(SanitizeSource, the_users_architecture_replaces_the_usual_one) {
  const auto has = [](const std::vector<std::string>& words, const std::string& word) {
    return std::count(words.begin(), words.end(), word) != 0;
  };
  EXPECT_TRUE(has(nvcc_arguments("k.cu", "o", {"-O1"}), "-arch=compute_75"));
  EXPECT_TRUE(has(nvcc_arguments("k.cu", "o", {"-O1"}), "-O1"));
  EXPECT_FALSE(has(nvcc_arguments("k.cu", "o", {"-arch=compute_90"}), "-arch=compute_75"));
  EXPECT_FALSE(has(nvcc_arguments("k.cu", "o", {"-arch", "compute_90"}), "-arch=compute_75"));
  EXPECT_TRUE(has(nvcc_arguments("k.cu", "o", {"-archaic"}), "-arch=compute_75"));
  EXPECT_TRUE(has(nvcc_arguments("k.cu", "o", {}), "-lineinfo"));
  EXPECT_FALSE(has(nvcc_arguments("k.cu", "o", {"-G"}), "-lineinfo"));
}

TEST(SanitizeSession, usual_schedules_are_the_fixed_ones_then_random_seeds) {
  EXPECT_EQ(usual_schedules(1), (Words{"lockstep"}));
  EXPECT_EQ(usual_schedules(7), (Words{"lockstep", "low_lane_first", "high_lane_first",
                                       "warp_reversed", "block_reversed", "random:1", "random:2"}));
}

TEST(SanitizeSession, memory_that_is_not_there_is_refused_with_what_helps) {
  SanitizeOptions options;
  options.arguments = parse_arguments({"a:f32[1000000]=0"});
  const auto with_races = memory_needed(options);
  EXPECT_GE(with_races, 40'000'000U);
  EXPECT_NE(refusal([&] { check_memory(options, with_races - 1); }).find("--no-races"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { check_memory(options, with_races); }), "");
  options.arguments[0].read_only = true;
  EXPECT_LT(memory_needed(options), with_races / 5);
  options.races = false;
  const auto line = refusal([&] { check_memory(options, 1000); });
  EXPECT_NE(line, "");
  EXPECT_EQ(line.find("--no-races"), line.npos);
  EXPECT_EQ(refusal([&] { check_memory(options, 0); }), "");  // not known: not refused
}

}  // namespace
}  // namespace gauntlet::sanitize
