// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The first spec that `gauntlet init` prints, and what of a signature no spec can pass.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/os/temporary_folder.hpp"
#include "base/usage_error.hpp"
#include "properties/hunt/check.hpp"
#include "properties/language/kernel.hpp"
#include "properties/language/source.hpp"
#include "properties/launch/simt_executor.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::spec::test {
namespace {

class FirstSpec : public testing::Test {
 protected:
  /// A PTX file with one kernel, whose parameters and body are given, and with `before` it.
  std::string kernel(const std::string& symbol, const std::string& parameters,
                     const std::string& body = "", const std::string& before = "") {
    const std::string path = (folder_.path() / "k.ptx").string();
    std::ofstream(path) << ".version 9.0\n.target sm_75\n.address_size 64\n"
                        << before << ".visible .entry " << symbol << "(" << parameters
                        << ") {\n.reg .b32 %r<9>; .reg .b64 %d<10>; .reg .f32 %f<9>;\n"
                        << body << "ret;\n}\n";
    return path;
  }
  std::string init(const std::string& file, const std::string& entry = "") {
    return first_spec(file, entry, {}, interrupted_);
  }
  std::string written(const std::string& text) {
    const std::string path = (folder_.path() / "k.gauntlet").string();
    std::ofstream(path) << text;
    return path;
  }
  properties::CheckReport check(const std::string& text) {
    const Specs specs({written(text)}, interrupted_);
    properties::CheckOptions options;
    options.cases = 5;
    return properties::run_check(*simt::make_executor(), options, specs);
  }
  /// What is said of what cannot be used; empty where it can be.
  template <class Work>
  static std::string refusal(const Work& work) {
    return message_of<UsageError>([&] { (void)work(); });
  }

  os::TemporaryFolder folder_;
  const std::atomic<bool> interrupted_{false};
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != text.npos;
}

TEST_F(FirstSpec, declares_a_struct_and_check_says_what_fits) {
  const std::string ptx = kernel("_Z1kPf5uint3", ".param .u64 p, .param .align 4 .b8 s[12]");
  EXPECT_TRUE(contains(init(ptx), "\narg a1:u8x12 = 0")) << init(ptx);
  const std::string said = refusal(
      [&] { return check("kernel k.ptx\nout y:f32[n]\nlaunch grid=1 block=32\nresult none\n"); });
  EXPECT_TRUE(contains(said, "parameter 2 (uint3) of k has 12 bytes")) << said;
  EXPECT_TRUE(contains(said, "fits, in this order: out y1:f32[grid]; arg a1:u8x12 = 0")) << said;
  EXPECT_FALSE(contains(said, "\n")) << said;
}

TEST_F(FirstSpec, declares_a_table_of_pointers_and_check_asks_for_addresses) {
  const std::string parameters = ".param .u64 p, .param .u64 q, .param .u32 n";
  for (const std::string parameter : {"PKPKf", "PPf", "PPKd", "PKPv"}) {
    const std::string ptx = kernel("_Z1kPf" + parameter + "i", parameters);
    EXPECT_TRUE(contains(init(ptx), ":ptr[n] = 0")) << init(ptx);
    const std::string said = refusal([&] {
      return check(
          "kernel k.ptx\nout y:f32[n]\nin x:u64[2, n]\narg n:i32 = n\n"
          "launch grid=1 block=32\nresult none\n");
    });
    EXPECT_TRUE(contains(said, "parameter 2 (")) << said;
    EXPECT_TRUE(contains(said, " of k is a table of pointers; write x:ptr[] = @a, @b")) << said;
  }
  // Pointers to words of 64 bits are none.
  for (const std::string parameter : {"PKm", "Py", "PKd"}) {
    const std::string ptx = kernel("_Z1kPf" + parameter + "i", parameters);
    EXPECT_EQ(refusal([&] { return init(ptx); }), "") << parameter;
    const std::string word = parameter == "Py" ? "inout" : "in";
    const std::string type = parameter == "PKd" ? "f64" : "u64";
    const auto report = check("kernel k.ptx\nout y:f32[n] = 0\n" + word + " x:" + type +
                              "[n]\narg n:i32 = n\nlaunch grid=1 block=32\nresult none\n");
    EXPECT_TRUE(report.as_expected()) << parameter;
  }
}

TEST_F(FirstSpec, gives_a_kernel_with_dynamic_shared_memory_some) {
  const std::string text =
      init(kernel("_Z1kPfj", ".param .u64 p, .param .u32 n", "mov.u32 %r1, s;\n",
                  ".extern .shared .align 16 .b8 s[];\n"));
  EXPECT_TRUE(contains(text, " block=32..1024 shared=8 * block  # guess\n")) << text;
  EXPECT_EQ(refusal([&] { return check(text); }), "");
}

TEST_F(FirstSpec, makes_guesses_that_run) {
  const std::string ptx = GAUNTLET_SPEC_PTX "/blocks.ptx";
  const std::string text = init(ptx, "warp_sums<true>");
  EXPECT_TRUE(contains(text, "# guess")) << text;
  EXPECT_TRUE(contains(text, "#   result y1[b] = sum(x1[b * block")) << text;
  EXPECT_FALSE(contains(text, "shared=8")) << text;
  // What they get wrong are findings, not refusals.
  std::filesystem::copy_file(ptx, folder_.path() / "blocks.ptx");
  EXPECT_EQ(refusal([&] { return check(text); }), "");
  const std::string several = refusal([&] { return init(ptx); });
  EXPECT_TRUE(contains(several, "the file has several kernels; name one of block_sum<true>"))
      << several;
}

TEST_F(FirstSpec, tells_outputs_by_what_the_kernel_does_with_them) {
  const std::string parameters = ".param .u64 x, .param .u64 y";
  const std::string load =
      "ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];\n"
      "cvta.to.global.u64 %d3, %d1; cvta.to.global.u64 %d4, %d2;\n"
      "mov.u32 %r1, %tid.x; mul.wide.u32 %d5, %r1, 4;\n"
      "add.s64 %d6, %d3, %d5; add.s64 %d7, %d4, %d5;\n"
      "ld.global.f32 %f1, [%d6];\n";
  const auto first = [&](const std::string& body) {
    return init(kernel("_Z1kPfS_", parameters, load + body));
  };
  const std::string stored = first("st.global.f32 [%d7], %f1;\n");
  EXPECT_TRUE(contains(stored, "in x1:f32[n]  # guess: n elements\n")) << stored;
  EXPECT_TRUE(contains(stored, "out y1:f32[n]  # guess: n elements\n")) << stored;
  EXPECT_TRUE(contains(stored, "#   result y1[i] = 2 * x1[i]\n")) << stored;
  const std::string of_blocks = first("st.global.f32 [%d4], %f1;\n");
  EXPECT_TRUE(contains(of_blocks, "out y1:f32[grid]  # guess")) << of_blocks;
  const std::string of_warps = first(
      "shr.u32 %r2, %r1, 5; mul.wide.u32 %d8, %r2, 4; add.s64 %d9, %d4, %d8;\n"
      "st.global.f32 [%d9], %f1;\n");
  EXPECT_TRUE(contains(of_warps, "out y1:f32[grid]  # guess")) << of_warps;
  const std::string one = first("red.global.add.f32 [%d4], %f1;\n");
  EXPECT_TRUE(contains(one, "out y1:f32[1] = 0  # guess: one element, to which atomics add\n"))
      << one;
  EXPECT_TRUE(contains(one, "#   result y1[0] = sum(x1)\n")) << one;
  for (const char* const address : {"%d7", "%d4+4"}) {
    const std::string several =
        first(std::string("atom.global.add.f32 %f2, [") + address + "], %f1;\n");
    EXPECT_TRUE(contains(several, "out y1:f32[n] = 0  # guess: elements, to which atomics add\n"))
        << several;
  }
  // What is stored or exchanged too is not only added to, and who passes a pointer on may do all.
  for (const char* const other :
       {"st.global.f32 [%d4], %f1;\n", "atom.global.exch.b32 %r2, [%d4], %r1;\n",
        "st.global.u64 [%d6], %d4;\n"}) {
    const std::string both = first(std::string("red.global.add.f32 [%d4], %f1;\n") + other);
    EXPECT_TRUE(contains(both, ":f32[grid]  # guess")) << other << both;
  }
}

TEST_F(FirstSpec, draws_what_is_read_and_written) {
  const std::string path = (folder_.path() / "k.cu").string();
  std::ofstream(path) << "__global__ void axpy(float a, const float* x, float* y, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) y[i] = a * x[i] + y[i];\n}\n";
  const std::string text = init(path);
  EXPECT_TRUE(contains(text, "inout y:f32[n]  # guess: n elements\n")) << text;
  EXPECT_TRUE(check(text).as_expected());
}

TEST_F(FirstSpec, launches_as_many_threads_as_the_kernel_takes) {
  const std::string path = (folder_.path() / "k.cu").string();
  std::ofstream(path)
      << "__global__ void __launch_bounds__(128) twice(const float* x, float* y) {\n"
         "  y[blockIdx.x * blockDim.x + threadIdx.x] = 2 * x[threadIdx.x];\n}\n";
  const std::string bounded = init(path);
  EXPECT_TRUE(contains(bounded, " block=32..128  # guess")) << bounded;
  std::ofstream(path)
      << "__global__ void turn(const float* x, float* y, int rows, int columns) {\n"
         "  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;\n"
         "  if (c < columns && r < rows) y[c * rows + r] = x[r * columns + c];\n}\n";
  const std::string square = init(path);
  EXPECT_TRUE(contains(square, "grid=ceil(columns / 16),ceil(rows / 16) block=16,16 ")) << square;
  EXPECT_TRUE(check(square).as_expected());
}

// What cooperative groups call a rank reads all three extents.
TEST_F(FirstSpec, launches_what_meets_at_a_grid_barrier_as_cooperative) {
  const std::string path = (folder_.path() / "k.cu").string();
  std::ofstream(path) << "#include <cooperative_groups.h>\n"
                         "__global__ void shifted(const int* x, int* t, int* y, int n) {\n"
                         "  auto grid = cooperative_groups::this_grid();\n"
                         "  int i = grid.thread_rank();\n"
                         "  if (i < n) t[i] = x[i];\n"
                         "  grid.sync();\n"
                         "  if (i < n) y[i] = t[n - 1 - i];\n}\n";
  const std::string text = init(path);
  EXPECT_TRUE(contains(text, " block=32..1024 cooperative")) << text;
}

TEST_F(FirstSpec, tells_a_table_from_an_element_for_each_row) {
  const std::string path = (folder_.path() / "k.cu").string();
  std::ofstream(path)
      << "__global__ void norm(const float* x, float* y, float* last, int columns) {\n"
         "  for (int c = threadIdx.x; c < columns; c += blockDim.x) {\n"
         "    y[blockIdx.x * columns + c] = x[blockIdx.x * columns + c];\n"
         "    if (c + 1 == columns) last[blockIdx.x] = x[blockIdx.x * columns + c] * columns;\n"
         "  }\n}\n";
  const std::string text = init(path);
  EXPECT_TRUE(contains(text, "out y:f32[rows, columns]  # guess: a table\n")) << text;
  EXPECT_TRUE(contains(text, "out last:f32[rows]  # guess: one element for each row\n")) << text;
  EXPECT_TRUE(contains(text, "#   result y[r, c] = x[r, c] / sum(x[r, ..])\n")) << text;
  EXPECT_EQ(refusal([&] { return check(text); }), "");
}

TEST_F(FirstSpec, gives_an_array_of_vectors_all_their_elements) {
  const std::string path = (folder_.path() / "k.cu").string();
  std::ofstream(path) << "__global__ void twice(const float4* x, float2* y, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) y[i] = make_float2(x[i].x + x[i].y, x[i].z + x[i].w);\n}\n";
  const std::string text = init(path);
  EXPECT_TRUE(contains(text, "in x:f32[4 * n]  # guess: n vectors of 4 elements\n")) << text;
  EXPECT_TRUE(contains(text, "out y:f32[2 * n]  # guess: n vectors of 2 elements\n")) << text;
  EXPECT_TRUE(check(text).as_expected());
}

TEST_F(FirstSpec, takes_the_output_of_a_transposition_for_a_table) {
  const std::string path = (folder_.path() / "k.cu").string();
  std::ofstream(path) << "__global__ void turn(const float* x, float* y, int rows, int cols) {\n"
                         "  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;\n"
                         "  if (c < cols) y[c * rows + r] = x[r * cols + c];\n}\n";
  const std::string text = init(path);
  EXPECT_TRUE(contains(text, "out y:f32[rows, columns]  # guess: a table\n")) << text;
}

TEST_F(FirstSpec, follows_a_pointer_that_a_loop_moves) {
  const std::string text =
      init(kernel("_Z1kPfS_", ".param .u64 x, .param .u64 y",
                  ".reg .pred %p<2>;\nld.param.u64 %d1, [x]; ld.param.u64 %d2, [y];\n"
                  "mov.u32 %r1, 0;\nLOOP:\nld.global.f32 %f1, [%d1];\n"
                  "red.global.add.f32 [%d2], %f1;\nadd.s64 %d2, %d2, 4;\nadd.s32 %r1, %r1, 1;\n"
                  "setp.lt.u32 %p1, %r1, 4;\n@%p1 bra LOOP;\n"));
  EXPECT_TRUE(contains(text, "out y1:f32[n] = 0  # guess: elements")) << text;
}

}  // namespace
}  // namespace gauntlet::spec::test
