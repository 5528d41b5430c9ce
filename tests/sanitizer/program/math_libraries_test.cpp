// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// cuBLAS, cuRAND, cuFFT, cuSOLVER and cuSPARSE: their set-up, and what is not computed.

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

const std::string set_up =
    "cublas: 0\nmode 3, the same stream, a version\ncublasLt: 0\ncurand: 0\ncufft: 0\n"
    "cusolver: 0\ncusparse: 0\nindex base 1\nmatrix: 0\ncopies: 0\n1 3 2 4\n";
const std::string end = "destroyed: 0\nagain: 1\n";

TEST(RunMathLibraries, handles_are_created_configured_asked_and_destroyed) {
  expect_clean(run_program("handles", {}, {"--leak-check"}), set_up + end);
}

TEST(RunMathLibraries, what_computes_returns_not_supported_is_named_once_and_the_program_goes_on) {
  const Ran ran = run_program("handles", {"compute"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_EQ(ran.out, set_up +
                         "solution: 15, CUBLAS_STATUS_NOT_SUPPORTED\n"
                         "solution: 15, CUBLAS_STATUS_NOT_SUPPORTED\nuniform: 204\ntransform: 16\n"
                         "factors: 9\nsparse product: 10\n" +
                         end);
  nlohmann::json sentences;
  for (const char* const name : {"cublasStrsm_v2", "curandGenerateUniform", "cufftExecC2C",
                                 "cusolverDnSpotrf", "cusparseSpMV"}) {
    sentences.push_back(std::string("the program calls ") + name + ", which is not supported");
  }
  EXPECT_EQ(ran.json.at("processes").at(0).at("unsupported"), sentences);
  EXPECT_EQ(ran.err.find("cublasStrsm_v2"), ran.err.rfind("cublasStrsm_v2")) << ran.err;
  EXPECT_NE(unwrapped(ran.err).find("gauntlet run: nothing found, 5 calls not supported ("),
            std::string::npos)
      << ran.err;
}

TEST(RunMathLibraries, are_found_by_any_path_and_name_of_cuda_12_and_13_and_no_other) {
  const Ran ran = run_program("handles", {"look_up"});
  EXPECT_TRUE(
      ran.out.starts_with("/nowhere/at/all/libcublas.so.12: found\nlibcusolver.so: found\n"
                          "/nowhere/at/all/libcublas.so.9: "))
      << ran.out;
  EXPECT_NE(ran.out.find("cannot open shared object file"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace gauntlet::test
