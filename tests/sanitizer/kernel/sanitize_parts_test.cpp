// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The pieces of `gauntlet sanitize` that need no kernel.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/scalar.hpp"
#include "sanitizer/kernel/entry.hpp"
#include "sanitizer/kernel/source.hpp"
#include "sanitizer/session/combinations.hpp"
#include "sanitizer/session/session.hpp"
#include "tests/sanitizer/kernel/sanitize_refusal.hpp"

namespace gauntlet::sanitize {
namespace {

using Texts = std::vector<std::string>;

/// The arguments of a command line as a spec, compared with no kernel.
std::shared_ptr<spec::Loaded> read(const std::vector<std::string>& arguments,
                                   const KernelEntry* entry = nullptr) {
  Words words{"k.cu", {}, {}};
  for (const auto& text : arguments) words.statements.push_back(statement("--arg", "arg", text));
  return load(words, {}, entry);
}
const spec::Array& array_of(const spec::Loaded& words) { return words.program.spec.arrays.at(0); }

/// The bytes that a command line passes for its only argument.
std::vector<std::byte> passed(const std::string& argument) {
  return spec::plan(*read({argument}), {}).launches.at(0).args.at(0).bytes;
}
std::uint64_t word(const std::vector<std::byte>& bytes, std::size_t at, Type type) {
  return load_bits(type, bytes.data() + at);
}

TEST(SanitizeArgument, every_part_of_the_spelling_is_read) {
  const auto words = read({"in:f32[1000],offset:4,pad:8:-1,scratch=iota"});
  const spec::Array& a = array_of(*words);
  EXPECT_EQ(a.name, "in");
  EXPECT_EQ(a.type, Type::f32);
  EXPECT_EQ(a.role, spec::Role::scratch);
  const Buffer buffer = spec::plan(*words, {}).buffers.at(0);
  EXPECT_EQ(buffer.bytes, 4000U);
  EXPECT_EQ(buffer.offset, 4U);
  EXPECT_EQ(buffer.pad, 32U);
  ASSERT_EQ(buffer.pad_content.size(), 32U);
  EXPECT_EQ(float_value(Type::f32, word(buffer.pad_content, 28, Type::f32)), -1);
  EXPECT_EQ(float_value(Type::f32, word(buffer.content, 3996, Type::f32)), 999);
  EXPECT_FALSE(buffer.read_only);
  EXPECT_FALSE(buffer.output);

  const Buffer bare = spec::plan(*read({"out:u16[3]"}), {}).buffers.at(0);
  EXPECT_TRUE(bare.content.empty());
  EXPECT_TRUE(bare.pad_content.empty());
  EXPECT_TRUE(bare.output);
  EXPECT_EQ(spec::plan(*read({"x:i32[]=4,5,6"}), {}).buffers.at(0).bytes, 12U);
  EXPECT_EQ(passed("n:i64=-1").size(), 8U);
  EXPECT_EQ(passed("v:f32x4=1,2,3,4").size(), 16U);
  EXPECT_EQ(array_of(*read({"x:i32[2],const=0"})).role, spec::Role::in);
}

TEST(SanitizeArgument, arrays_that_fit_in_no_memory_are_refused_before_they_are_filled) {
  std::vector<std::string> texts;
  for (int k = 0; k < 40; ++k) texts.push_back("a" + std::to_string(k) + ":f64[4294967296]=0");
  EXPECT_EQ(message_of<CaseError>([&] { (void)spec::plan(*read(texts), {}); })
                .find("a case of these sizes needs, for its arrays alone, about 2560 GiB of host "
                      "memory and "),
            0U);
}

TEST(SanitizeArgument, what_is_wrong_is_said_in_one_line) {
  const std::map<std::string, std::string> wrong = {
      {"in", "NAME:TYPE"},
      {"1n:i32=1", "NAME:TYPE"},
      {"n:int=1", "unknown type"},
      {"n:i32", "`=` is missing before the value"},
      {"n:i32=iota", "unknown name `iota`"},
      {"n:i32=1,2", "a value is one number"},
      {"v:f32x4=1,2", "4 numbers"},
      {"v:f32x0=1", "COUNT"},
      {"a:f32x2[4]", "TYPE[N]"},
      {"a:f32[4", "`]` is missing"},
      {"a:f32[-4]", "a count is -4"},
      {"a:f32[4000000000000]", "4000000000000 elements; at most 2^32"},
      {"a:f32[]=iota", "size may be left out"},
      {"a:f32[3]=1,2", "2 elements, the array 3"},
      {"a:f32[3]iota", "unknown option `iota`"},
      {"a:f32[3],ofset:4", "unknown option `ofset:4`; did you mean `offset N`"},
      {"a:f32[3],offset:300", "0 to 255"},
      {"a:f32[3],const", "needs content"},
      {"n:i32,const=1", "for arrays only"},
      {"a:f32[2]=absent.npy", "cannot be read"}};
  for (const auto& [text, part] : wrong) {
    const auto line = refusal([&] { (void)spec::plan(*read({text}), {}); });
    EXPECT_NE(line.find(part), line.npos) << text << ": " << line;
    const bool of_file = line.starts_with("absent.npy: ");
    EXPECT_TRUE(of_file || line.starts_with("--arg " + text + ": ")) << line;
    EXPECT_EQ(line.find('\n'), line.npos) << line;
  }
  EXPECT_NE(refusal([] {
              (void)read({"a:i32=1", "a:f32=2"});
            }).find("a is declared twice"),
            std::string::npos);
}

TEST(SanitizeExpect, compares_the_first_elements_of_a_list_and_all_of_anything_else) {
  const auto words = read({"n:i32=4", "out:i32[4]"});
  const auto expect = [&](const std::string& text) { return parse_expect(text, *words); };
  EXPECT_EQ(expect("out=5").count, 1U);
  EXPECT_EQ(expect("out=5,6").count, 2U);
  EXPECT_EQ(expect("out=all:5").count, 4U);
  EXPECT_EQ(expect("out=iota").count, 4U);
  EXPECT_EQ(expect("out=iota").array, 0U);
  const Plan counted = spec::plan(*expect("out=iota:3:2").content, {});
  EXPECT_EQ(word(counted.buffers.at(0).content, 12, Type::i32), 9U);
  EXPECT_NE(refusal([&] { (void)expect("out=1,2,3,4,5"); }), "");
  EXPECT_NE(refusal([&] { (void)expect("n=1"); }), "");
  EXPECT_NE(refusal([&] { (void)expect("oud=1"); }).find("did you mean `out`"), std::string::npos);
  EXPECT_NE(refusal([&] { (void)expect("out=all:1,2"); }), "");
  const spec::Spec& spec = words->program.spec;
  EXPECT_NE(refusal([&] { (void)parse_dump("out=x.txt", spec); }), "");
  EXPECT_EQ(parse_dump("out=x.npy", spec).path, "x.npy");
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
  EXPECT_EQ(alternatives("n:i32=1,-33,0x10"), (Texts{"n:i32=1", "n:i32=-33", "n:i32=0x10"}));
  EXPECT_EQ(word(passed("n:i32=0x10"), 0, Type::i32), 16U);
  EXPECT_EQ(alternatives("v:f32x2=1,2,3,4"), (Texts{"v:f32x2=1,2", "v:f32x2=3,4"}));
  EXPECT_EQ(alternatives("v:u16x3=7"), (Texts{"v:u16x3=7"}));
  const auto all = passed("v:u16x3=7");
  ASSERT_EQ(all.size(), 6U);
  for (const std::size_t at : {0, 2, 4}) EXPECT_EQ(word(all, at, Type::u16), 7U);
}

TEST(SanitizeArgument, that_is_a_struct_has_its_members_where_cpp_has_them) {
  const auto words = read({"v:{i8=-1,f64=1,ptr=@a+3,u16=7}", "a:f32[4]"});
  const Arg v = spec::plan(*words, {}).launches.at(0).args.at(0);
  ASSERT_EQ(v.bytes.size(), 32U);
  EXPECT_EQ(word(v.bytes, 0, Type::u8), 0xffU);
  EXPECT_EQ(word(v.bytes, 15, Type::u8), 0x3fU);  // the high byte of 1.0
  EXPECT_EQ(word(v.bytes, 24, Type::u8), 7U);
  ASSERT_EQ(v.pointers.size(), 1U);
  EXPECT_EQ(v.pointers[0].at, 16U);
  EXPECT_EQ(v.pointers[0].array, Plan::buffer(0));
  EXPECT_EQ(v.pointers[0].byte_offset, 12U);
}

std::string misfit(const std::string& symbol, const std::vector<std::uint64_t>& bytes,
                   const std::vector<std::string>& texts) {
  KernelEntry entry;
  entry.symbol = symbol;
  for (const auto b : bytes) entry.parameters.push_back({b, {}});
  demangle(entry);
  return refusal([&] { (void)read(texts, &entry); });
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
  const auto words = read({"a:f32[4]=1", "b:f32[4]=1", "c:i32[4]"}, &entry);
  const std::vector<spec::Array>& arrays = words->program.spec.arrays;
  EXPECT_EQ(arrays[0].role, spec::Role::in);
  EXPECT_EQ(arrays[1].role, spec::Role::open);
  EXPECT_EQ(arrays[2].role, spec::Role::open);
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
  EXPECT_EQ(usual_schedules(1), (Texts{"lockstep"}));
  EXPECT_EQ(usual_schedules(7), (Texts{"lockstep", "low_lane_first", "high_lane_first",
                                       "warp_reversed", "block_reversed", "random:1", "random:2"}));
}

TEST(SanitizeSession, memory_that_is_not_there_is_refused_with_what_helps) {
  SanitizeOptions options;
  options.loaded = read({"a:f32[1000000]=0"});
  const auto with_races = memory_needed(options);
  EXPECT_GE(with_races, 40'000'000U);
  EXPECT_NE(refusal([&] { check_memory(options, with_races - 1); }).find("--no-races"),
            std::string::npos);
  EXPECT_EQ(refusal([&] { check_memory(options, with_races); }), "");
  options.loaded = read({"a:f32[1000000],const=0"});
  EXPECT_LT(memory_needed(options), with_races / 5);
  options.races = false;
  const auto line = refusal([&] { check_memory(options, 1000); });
  EXPECT_NE(line, "");
  EXPECT_EQ(line.find("--no-races"), line.npos);
  EXPECT_EQ(refusal([&] { check_memory(options, 0); }), "");  // not known: not refused
}

}  // namespace
}  // namespace gauntlet::sanitize
