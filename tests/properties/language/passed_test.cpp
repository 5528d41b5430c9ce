// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Declarations of more than arrays of drawn numbers: structs, addresses, lists, files, what lies
// around an array. The statements are those that `gauntlet sanitize --arg` takes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/case_error.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/scalar.hpp"
#include "base/usage_error.hpp"
#include "properties/hunt/check.hpp"
#include "properties/language/source.hpp"
#include "properties/launch/simt_executor.hpp"
#include "sanitizer/kernel/npy.hpp"

namespace gauntlet::spec::test::passed {
namespace {

const std::string launch = "launch grid=1 block=32\n";

template <class Work>
std::string refusal(const Work& work) {
  try {
    work();
  } catch (const UsageError& error) {
    return error.what();
  } catch (const CaseError& error) {
    return error.what();
  }
  return {};
}

/// What the host does for a spec without sizes.
Plan plan_of(const std::string& declarations, std::uint64_t seed = 1) {
  Loaded loaded;
  bind(loaded.program,
       parse_spec("kernel k.ptx\n" + declarations + launch + "result none\n", "k.gauntlet"));
  loaded.entries[{}] = {"k"};
  Case c;
  c.seed = seed;
  return plan(loaded, c);
}

std::vector<std::string> numbers(const std::vector<std::byte>& bytes, Type type) {
  std::vector<std::string> all;
  for (std::size_t at = 0; at < bytes.size(); at += size_of(type)) {
    all.push_back(format_value(type, bytes.data() + at));
  }
  return all;
}
using Numbers = std::vector<std::string>;

Numbers content(const std::string& declaration, Type type, std::uint64_t seed = 1) {
  return numbers(plan_of(declaration + "\n", seed).buffers.at(0).content, type);
}

TEST(Passed, contents_are_lists_sequences_and_numbers_of_a_seed) {
  EXPECT_EQ(content("in x:i16[] = 1, -2, 0x10", Type::i16), (Numbers{"1", "-2", "16"}));
  EXPECT_EQ(content("in x:f32[2] = inf, -nan sorted", Type::f32), (Numbers{"inf", "nan"}));
  EXPECT_EQ(content("in x:u8[3] = iota:1:-1", Type::u8), (Numbers{"1", "0", "255"}));
  EXPECT_EQ(content("in x:f64[3] = iota:0.5:0.25", Type::f64), (Numbers{"0.5", "0.75", "1"}));
  EXPECT_EQ(content("in x:u64[1] = 18446744073709551615", Type::u64),
            (Numbers{"18446744073709551615"}));
  // One spelling for the words of a command line, one for expressions; no seed of the case.
  const auto own = content("in x:i32[9] = random:7:-5:5", Type::i32, 1);
  EXPECT_EQ(own, content("in x:i32[9] = random(-5, 5, 7)", Type::i32, 2));
  EXPECT_NE(own, content("in x:i32[9] = random:8:-5:5", Type::i32, 1));
  EXPECT_NE(content("in x:i32[9] = random(-5, 5)", Type::i32, 1),
            content("in x:i32[9] = random(-5, 5)", Type::i32, 2));
  for (const std::string& x : content("in x:f32[99] = random(-0.5, 0.25)", Type::f32)) {
    EXPECT_TRUE(std::stod(x) >= -0.5 && std::stod(x) < 0.25) << x;
  }
}

TEST(Passed, a_file_is_a_content_beside_the_spec) {
  const os::TemporaryFolder folder;
  const float values[] = {1, 2.5, -3};
  sanitize::write_npy((folder.path() / "x.npy").string(), Type::f32,
                      std::as_bytes(std::span(values)));
  const auto with = [&](const std::string& declaration) {
    Loaded loaded;
    bind(loaded.program, parse_spec("kernel k.ptx\n" + declaration + launch + "result none\n",
                                    (folder.path() / "k.gauntlet").string()));
    loaded.entries[{}] = {"k"};
    return numbers(plan(loaded, {}).buffers.at(0).content, Type::f32);
  };
  EXPECT_EQ(with("in x:f32[] = x.npy\n"), (Numbers{"1", "2.5", "-3"}));
  EXPECT_EQ(with("in x:f32[3] = x.npy sorted\n"), (Numbers{"-3", "1", "2.5"}));
  EXPECT_NE(refusal([&] { (void)with("in x:f32[4] = x.npy\n"); }).find("has 3 elements, the array"),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)with("in x:i32[] = x.npy\n"); }).find("of type `<f4`"),
            std::string::npos);
}

TEST(Passed, what_lies_around_an_array_is_the_plan_s) {
  const Plan around = plan_of("arg x:f32[4],offset:4,pad:2:7=1\ninout y:f32[4] pad 1\n");
  EXPECT_EQ(around.buffers[0].offset, 4U);
  EXPECT_EQ(around.buffers[0].bytes, 16U);
  EXPECT_EQ(numbers(around.buffers[0].pad_content, Type::f32), (Numbers{"7", "7"}));
  EXPECT_TRUE(around.buffers[0].output);
  EXPECT_EQ(around.buffers[1].pad, 4U);
  EXPECT_TRUE(around.buffers[1].pad_content.empty());
  ASSERT_EQ(around.observed.size(), 1U);  // of an open array no element has to be written
  EXPECT_EQ(around.observed[0].buffer, "y");
}

TEST(Passed, structs_are_laid_out_as_cpp_does_and_addresses_lead_to_elements) {
  const Plan made = plan_of(
      "arg v:{i8=-1, f64=1, ptr=@a + 3, u16=7}\narg q:f32x4 = 1, 2, 3, 4\narg p:ptr = @a\n"
      "arg none:ptr = 0\nin rows:ptr[] = @a, 0, @b + 1\narray a:f32[4] = 0\narray b:i64[2] = 0\n");
  const std::vector<Arg>& args = made.launches.at(0).args;
  ASSERT_EQ(args.size(), 5U);  // a and b are reached through pointers alone
  EXPECT_EQ(args[0].bytes.size(), 32U);
  EXPECT_EQ(load_bits(Type::u16, args[0].bytes.data() + 24), 7U);
  EXPECT_EQ(args[0].pointers, (std::vector<Pointer>{{16, Plan::buffer(1), {}, 12}}));
  EXPECT_EQ(numbers(args[1].bytes, Type::f32), (Numbers{"1", "2", "3", "4"}));
  EXPECT_EQ(args[2], Arg::of_array(Plan::buffer(1)));
  EXPECT_EQ(numbers(args[3].bytes, Type::u64), (Numbers{"0"}));
  EXPECT_EQ(made.buffers[0].pointers,
            (std::vector<Pointer>{{0, Plan::buffer(1), {}, 0}, {16, Plan::buffer(2), {}, 8}}));
}

TEST(Passed, a_number_that_is_passed_is_a_name_in_extents) {
  EXPECT_EQ(plan_of("arg k:i32 = 5\nout y:f32[2 * k]\n").buffers[0].bytes, 40U);
  EXPECT_EQ(plan_of("arg n:i32 = 5\nout y:f32[n]\n").buffers[0].bytes, 20U);
}

TEST(Passed, a_gpu_is_given_arrays_and_numbers_only) {
  for (const std::string more :
       {"arg v:{i32=1,ptr=@a}\n", "in t:ptr[1] = @a\n", "out y:f32[1] pad 1\n"}) {
    const Plan plan = plan_of(more + "array a:f32[1] = 0\n");
    EXPECT_NE(refusal([&] { require_arrays_and_numbers(plan); }).find("SIMT machine alone"),
              std::string::npos)
        << more;
  }
  const Plan plain = plan_of("arg p:ptr = @a + 1\narg v:{i8=1,i32=2}\narray a:f32[4] = iota\n");
  EXPECT_EQ(refusal([&] { require_arrays_and_numbers(plain); }), "");
}

TEST(Passed, what_is_wrong_is_one_line_that_says_what_to_write) {
  const std::pair<std::string, std::string> wrong[] = {
      {"arg n:i32 = 1,33", "`size k = 1,33`"},
      {"arg v:f32x4 = 1,2", "4 numbers are needed"},
      {"arg v:{i8=1,ptr=@a", "has no `}`"},
      {"arg v:{}", "member `` is not TYPE=VALUE or ptr=@ARRAY"},
      {"arg p:ptr = 7", "`7` is not a pointer; write @ARRAY"},
      {"arg p:ptr = @b", "unknown array `b`"},
      {"arg p:ptr = @a + 5", "@a+5 lies behind the 4 elements of a"},
      {"in t:ptr[2] = @a", "the content has 1 element, the array 2"},
      {"in x:f32[] = 1", "the size may be left out"},
      {"in x:f32[2] const = 1", "const is an option of arg and array"},
      {"arg x:f32[2] const", "a const array needs content"},
      {"in x:f32[2] offset 256", "0 to 255"},
      {"in x:u8[2] = iota:1", "`:` is missing before the step"},
      {"in x:i8[2] = 1, 128", "128 does not fit into i8"},
      {"in x:f32[2] = random(1.0, 1.0)", "random(1, 1) is empty"},
      {"arg a:i32 = 1", "a is declared twice"}};
  for (const auto& [declaration, part] : wrong) {
    const std::string line =
        refusal([&] { (void)plan_of("array a:f32[4] = 0\n" + declaration + "\n"); });
    EXPECT_NE(line.find("k.gauntlet:3: `" + declaration + "`: "), line.npos) << line;
    EXPECT_NE(line.find(part), line.npos) << line;
  }
  const std::string result = refusal([] {
    (void)parse_spec("kernel k.ptx\nout y:f32[1]\n" + launch + "result y[0] = inf\n", "k.gauntlet");
  });
  EXPECT_NE(result.find("inf and nan are for arguments and contents"), result.npos) << result;
}

/// Findings of 20 cases, by kind and array; empty where all hold.
std::string found(const std::string& entry, const std::string& rest) {
  const os::TemporaryFolder folder;
  const std::string path = (folder.path() / "passed.gauntlet").string();
  std::ofstream(path) << "kernel " << GAUNTLET_SPEC_PTX << "/passed.ptx '" << entry << "'\n"
                      << rest;
  const std::atomic<bool> interrupted{false};
  const Specs specs({path}, interrupted);
  properties::CheckOptions options;
  options.cases = 20;
  const auto report = properties::run_check(*simt::make_executor(), options, specs);
  std::string all;
  for (const auto& example : report.forms.at(0).counterexamples) {
    for (const Finding& f : example.findings) {
      all += std::string(name(f.kind)) + " " + f.array + "\n";
    }
  }
  EXPECT_EQ(report.forms[0].cases, 20U);
  return all;
}

const std::string view =
    "arg v:{i8=1,ptr=@data,i32=32,f64=0.5}\nout y:f32[32]\narray data:f32[32] = iota\n" + launch +
    "result y[i] = data[i] * 0.5 + 1\n";

TEST(Passed, a_struct_with_a_pointer_reaches_the_kernel) {
  EXPECT_EQ(found("of_view<false>", view), "");
  EXPECT_NE(found("of_view<true>", view).find("out_of_bounds_read data"), std::string::npos);
}

TEST(Passed, a_table_of_pointers_reaches_the_kernel) {
  const auto with = [](const std::string& b) {
    return "in rows:ptr[] = @a, 0, @b + 1\narg width:i32 = 4\nout y:f32[3]\narray a:f32[4] = 1\n" +
           b + "launch grid=1 block=3\n" +
           "result y[r] = r == 0 ? sum(a) : r == 1 ? 0 : sum(b[1 .. 5])\n";
  };
  EXPECT_EQ(found("row_sums", with("array b:f32[5] = iota\n")), "");
  EXPECT_NE(found("row_sums", with("array b:f32[4] = iota\n")).find("out_of_bounds_read b"),
            std::string::npos);
}

TEST(Passed, a_table_is_not_made_of_numbers) {
  EXPECT_NE(refusal([] {
              (void)found("row_sums", "in rows:u64[3]\narg width:i32 = 4\nout y:f32[3]\n" + launch +
                                          "result none\n");
            }).find("is a table of pointers; write rows:ptr[] = @a, @b"),
            std::string::npos);
}

TEST(Passed, a_variable_holds_what_its_declaration_says) {
  const std::string weighted =
      "in x:f32[32]\narg add:f32x4 = 1, 5, 5, 2\nout y:f32[32]\n"
      "array weights:f32[4] = symbol = 1, 2, 3, 4\n" +
      launch;
  EXPECT_EQ(found("weighted", weighted + "result y[i] = x[i] * (i % 4 + 1) + 3\n"), "");
  EXPECT_NE(
      found("weighted", weighted + "result y[i] = x[i] * (i % 4 + 2) + 3\n").find("wrong_result y"),
      std::string::npos);
}

}  // namespace
}  // namespace gauntlet::spec::test::passed
