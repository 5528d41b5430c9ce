// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Several launches of one kernel: for other types, as a rehearsal, on a condition; and ATOMIC_OP.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/usage_error.hpp"
#include "properties/language/copies.hpp"
#include "spec_kernels.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

/// What `check` finds of a spec beside its kernel, over all combinations of types and operators.
std::set<FindingKind> found_in(const std::string& kernel, const std::string& text) {
  const fs::path folder =
      fs::path(testing::TempDir()) / ("launches_spec." + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "k.cu") << kernel;
  std::ofstream(folder / "k.gauntlet") << "kernel k.cu\n" << text;
  const auto form = test::SpecKernels::check((folder / "k.gauntlet").string());
  std::set<FindingKind> kinds;
  for (const auto& example : form.counterexamples) {
    for (const Finding& finding : example.findings) kinds.insert(finding.kind);
  }
  for (const auto& problem : form.problems) ADD_FAILURE() << problem;
  fs::remove_all(folder);
  return kinds;
}

std::string refused_launch(const std::string& text) {
  return message_of<UsageError>([&] { (void)parse_spec(text, "k.gauntlet"); });
}

const std::string summing_kernel =
    "__global__ void sums(const T* x, ACC* y, unsigned n) {\n"
    "  ACC v = IDENTITY;\n"
    "  for (unsigned i = blockIdx.x; i < n; i += gridDim.x) v = OP(v, ACC(x[i]));\n"
    "  y[blockIdx.x] = v;\n"
    "}\n";
const std::string two_launches_text =
    "types f32->f32 i32->i32\noperator sum max\nsize n = 0..40\nsize blocks = 1..9\n"
    "in x:T[n]\nscratch part:ACC[blocks]\nout y:ACC[1]\narg n:u32 = n\narg b:u32 = blocks\n"
    "launch grid=blocks block=1 args x, part, n\n";

TEST(LaunchWords, a_second_launch_is_of_the_kernel_over_what_the_first_one_left) {
  const std::string text = "types\n  i8->i32: sum\n  i32->i32: sum\n" +
                           two_launches_text.substr(two_launches_text.find("size"));
  const std::string second = "launch of ACC->ACC grid=1 block=1 args part, y, b\n";
  EXPECT_EQ(found_in(summing_kernel, text + second + "result y[0] = OP(x)\n"),
            std::set<FindingKind>{});
  EXPECT_NE(
      refused_launch("kernel k.cu\n" + text +
                     "launch of f32->f32 grid=1 block=1 args part, y, b\nresult y[0] = OP(x)\n")
          .find("the kernel is not compiled for f32->f32 sum; name them in `types`"),
      std::string::npos);
  EXPECT_NE(refused_launch("kernel k.cu\nin x:f32[n]\nout y:f32[1]\n"
                           "launch of f32->f32 grid=1 block=1\nresult y[0] = sum(x)\n")
                .find("write types f32->f32"),
            std::string::npos);
}

TEST(LaunchWords, a_launch_on_a_condition_is_left_out_where_it_does_not_hold) {
  const std::string second = "launch grid=1 block=1 args part, y, b if blocks > 1\n";
  const std::string alone = "launch grid=1 block=1 args x, y, n if blocks == 1\n";
  const std::string result = "result y[0] = OP(x)\n";
  EXPECT_EQ(found_in(summing_kernel, two_launches_text + second + alone + result),
            std::set<FindingKind>{});
  EXPECT_TRUE(found_in(summing_kernel, two_launches_text + second + result)
                  .contains(FindingKind::unwritten_output));
}

TEST(LaunchWords, a_rehearsal_shows_what_cannot_be_done_twice) {
  const auto count = [](const std::string& reset) {
    return "__global__ void count(unsigned* taken, unsigned* y) {\n"
           "  unsigned mine = atomicAdd(taken, 1);\n"
           "  if (mine != gridDim.x - 1) return;\n"
           "  y[0] = gridDim.x;\n" +
           reset + "}\n";
  };
  const std::string text =
      "size blocks = 1..9\nscratch taken:u32[1] = 0\nout y:u32[1]\nscratch other:u32[1]\n"
      "launch grid=blocks block=1 rehearsal args taken, other\n"
      "launch grid=blocks block=1 args taken, y\nresult y[0] = blocks\n";
  EXPECT_EQ(found_in(count("  atomicExch(taken, 0);\n"), text), std::set<FindingKind>{});
  EXPECT_TRUE(found_in(count(""), text).contains(FindingKind::unwritten_output));
  EXPECT_NE(refused_launch("kernel k.cu\nout y:u32[1]\nlaunch grid=1 block=1 rehearsal\n"
                           "result y[0] = 1\n")
                .find("every launch is a rehearsal"),
            std::string::npos);
  EXPECT_NE(refused_launch("kernel k.cu\nout y:u32[1]\nlaunch grid=1 block=1\n"
                           "launch grid=1 block=1 rehearsal\nresult y[0] = 1\n")
                .find("a rehearsal comes before"),
            std::string::npos);
}

TEST(Symbols, are_the_variables_of_the_kernels_file) {
  const auto text = [](const std::string& result) {
    return two_launches_text.substr(0, two_launches_text.find("scratch part")) +
           "out y:ACC[1]\nscratch part:ACC[blocks] = symbol\narg n:u32 = n\narg b:u32 = blocks\n"
           "launch grid=blocks block=1 args x, part, n\n"
           "launch of ACC->ACC grid=1 block=1 args part, y, b\nresult y[0] = OP(x)\n" +
           result;
  };
  const std::string kernel = "__device__ ACC part[9];\n" + summing_kernel;
  const std::string right = "result part[k] = OP(x[i] for i in 0 .. n if i % blocks == k)\n";
  const std::string wrong = "result part[k] = OP(x[i] for i in 0 .. n if i / blocks == k)\n";
  EXPECT_EQ(found_in(kernel, text("")), std::set<FindingKind>{});
  EXPECT_EQ(found_in(kernel, text(right)), std::set<FindingKind>{});
  EXPECT_EQ(found_in(kernel, text(wrong)), std::set{FindingKind::wrong_result});
  EXPECT_THROW((void)found_in(summing_kernel, text("")), UsageError);
  EXPECT_NE(
      refused_launch("kernel k.cu\nout y:u32[1] = symbol\nlaunch grid=1 block=1\nresult none\n")
          .find("is scratch"),
      std::string::npos);
  EXPECT_NE(refused_launch("kernel k.cu\nscratch s:u32[1] = symbol\nout y:u32[1]\n"
                           "launch grid=1 block=1\nresult none\n")
                .find("declared before"),
            std::string::npos);
}

/// What a block takes of an input that begins between two vectors, and only where there are two.
TEST(Results, of_scratch_on_a_condition_and_by_where_the_input_begins) {
  const std::string kernel =
      "__global__ void pairs(const int* x, int* part, int* y, unsigned n) {\n"
      "  unsigned shift = size_t(x) / 4 % 2, v = 0;\n"
      "  for (unsigned i = 0; i < n; ++i) {\n"
      "    if ((i + shift) / 2 % gridDim.x == blockIdx.x) v += x[i];\n"
      "  }\n"
      "  if (gridDim.x > 1) part[blockIdx.x] = v;\n"
      "  atomicAdd(y, int(v));\n"
      "}\n";
  const auto text = [](const std::string& result) {
    return "size n = 0..20\nsize blocks = 1..3\nin x:i32[n] align 4\nscratch part:i32[blocks]\n"
           "out y:i32[1] = 0\narg n:u32 = n\nlaunch grid=blocks block=1\nresult y[0] = sum(x)\n"
           "result part[k] = sum(x[i] for i in 0 .. n if " +
           result + "\n";
  };
  using Found = std::set<FindingKind>;
  EXPECT_EQ(found_in(kernel, text("(i + offset / 4 % 2) / 2 % blocks == k) if blocks > 1")),
            Found{});
  EXPECT_EQ(found_in(kernel, text("i / 2 % blocks == k) if blocks > 1")),
            Found{FindingKind::wrong_result});
  EXPECT_TRUE(found_in(kernel, text("(i + offset / 4 % 2) / 2 % blocks == k)"))
                  .contains(FindingKind::unwritten_output));
}

TEST(AtomicOp, combines_every_type_with_every_operator) {
  const std::string text =
      "types f32->f32 f64->f64 f16->f16 i32->i32 u32->u32 i64->i64 u64->u64 i16->i16 bf16->bf16\n"
      "operator sum product min max\nsize n = 0..20\ndata ones small_integers\n"
      "in x:T[n]\nout y:ACC[1] = identity of OP\n"
      "arg n:u32 = n\nlaunch grid=max(1, n) block=1\nresult y[0] = OP(x)\n";
  const auto kernel = [](const std::string& combine) {
    return "__global__ void k(const T* x, ACC* y, unsigned n) {\n"
           "  if (blockIdx.x < n) " +
           combine + "\n}\n";
  };
  EXPECT_EQ(found_in(kernel("ATOMIC_OP(y, ACC(x[blockIdx.x]));"), text), std::set<FindingKind>{});
  EXPECT_TRUE(found_in(kernel("*y = OP(*y, ACC(x[blockIdx.x]));"), text)
                  .contains(FindingKind::race_read_write));
}

TEST(AtomicOp, is_cudas_own_where_there_is_one) {
  EXPECT_EQ(operator_text(Type::f32, Op::sum).atomic, "atomicAdd(cell, value)");
  EXPECT_EQ(operator_text(Type::u32, Op::minimum).atomic, "atomicMin(cell, value)");
  EXPECT_EQ(operator_text(Type::f32, Op::maximum).atomic, "combine_atomically(cell, value)");
}

}  // namespace
}  // namespace gauntlet::spec
