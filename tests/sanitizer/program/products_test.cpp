// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What cuBLAS computes by the host's BLAS: values, and what it is given that it must not have, each
// with its nearest right form.
#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

TEST(RunProducts, have_the_values_of_sums_computed_otherwise) {
  std::string out = all_right({"Sgemm", "Dgemm", "Cgemm", "Zgemm", "Hgemm", "Sgemm_64",
                               "SgemmBatched", "ZgemmBatched", "DgemmStridedBatched",
                               "HgemmStridedBatched", "f16 to f32", "bf16", "s8 to s32"});
  // CUBLAS_STATUS_NOT_SUPPORTED, as cuBLAS documents it; that is no limit of gauntlet.
  out += "s8 in words and not: 0 15 15 15\n";
  out += all_right({"s8 to f32", "Sgemv", "Zgemv", "Sdot", "Ddot", "Cdotu", "Zdotc", "Saxpy, Sscal",
                    "Caxpy, Cscal", "norms", "scalars of the device", "beta of 0, no columns",
                    "captured", "memory of both", "mixed types of vectors",
                    "cublasLt, bias and ReLU", "cublasLt, no epilogue"});
  expect_clean(run_program("products", {}, {"--leak-check"}), out);
}

TEST(RunProducts, count_as_checked_where_no_kernel_is_launched) {
  const Ran multiplied =
      run_program("products_wrong", {"host_memory", "right"}, {"--error-exitcode", "7"});
  EXPECT_EQ(multiplied.code, 0) << multiplied.err;
  EXPECT_NE(unwrapped(multiplied.err)
                .find("clean (0 kernels, 0 launches, 0 warp instructions; 1 product by cuBLAS)"),
            std::string::npos)
      << multiplied.err;
  const Ran only_asked = run_program("products_wrong", {"nothing"}, {"--error-exitcode", "7"});
  EXPECT_EQ(only_asked.code, 7);
  EXPECT_NE(unwrapped(only_asked.err).find("no kernel was launched, so none was checked"),
            std::string::npos)
      << only_asked.err;
}

struct PlantedProduct {
  const char *name, *kind, *call, *detail;
  int status = 0;
};
void PrintTo(const PlantedProduct& planted, std::ostream* out) { *out << planted.name; }

class RunPlantedProducts : public testing::TestWithParam<PlantedProduct> {};

TEST_P(RunPlantedProducts, are_found_and_their_right_forms_are_clean) {
  const PlantedProduct& planted = GetParam();
  const Ran ran = run_program("products_wrong", {planted.name});
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{std::string(planted.kind) + " 1"}) << ran.err;
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  EXPECT_EQ(ran.out, std::to_string(planted.status) + "\n");
  if (!ran.json.at("processes").at(0).at("mistakes").empty()) {
    const auto& mistake = ran.json.at("processes").at(0).at("mistakes").at(0);
    EXPECT_EQ(mistake.at("call"), planted.call);
    EXPECT_NE(mistake.at("detail").get<std::string>().find(planted.detail), std::string::npos)
        << mistake.at("detail");
    EXPECT_FALSE(mistake.at("stack").empty());
  }
  expect_clean(run_program("products_wrong", {planted.name, "right"}), "0\n");
}

INSTANTIATE_TEST_SUITE_P(
    all, RunPlantedProducts,
    testing::Values(
        PlantedProduct{"beyond_a", "out_of_bounds", "cublasSgemm",
                       "88 bytes from byte 0 of its A on, but cudaMalloc#1 has 84", 13},
        PlantedProduct{"beyond_c", "out_of_bounds", "cublasSgemm",
                       "88 bytes from byte 0 of its C on, but cudaMalloc#1 has 84", 13},
        PlantedProduct{"second_of_batch_beyond", "out_of_bounds", "cublasSgemmStridedBatched",
                       "64 bytes from byte 80 of its A on", 13},
        PlantedProduct{"undefined_a", "undefined_operand", "cublasSgemm",
                       "reads 4 elements of its A, cudaMalloc#1, the first at byte 12, that were "
                       "never written"},
        PlantedProduct{"undefined_c", "undefined_operand", "cublasSgemm",
                       "reads 16 elements of its C, "},
        PlantedProduct{"undefined_half", "undefined_operand", "cublasDotEx",
                       "reads 1 element of its x, cudaMalloc#1, the first at byte 8, that"},
        PlantedProduct{"undefined_in_vector", "undefined_operand", "cublasSnrm2",
                       "reads 1 element of its x, cudaMalloc#1, the first at byte 24, that"},
        PlantedProduct{"undefined_by_kernel", "undefined_operand", "cublasSgemm",
                       "the first at byte 60, that hold uninitialised values: that at byte 60 "
                       "comes from cudaMalloc#1[15], read at products_wrong.cu:"},
        PlantedProduct{"freed", "use_after_free", "cublasSgemm", "its A, cudaMalloc#1, was freed",
                       13},
        PlantedProduct{"host_memory", "wrong_space", "cublasSgemm", "where device memory is wanted",
                       13},
        PlantedProduct{"factor_of_device", "wrong_space", "cublasSgemm",
                       "its alpha, cudaMalloc#1, is device memory where host memory is wanted", 13},
        PlantedProduct{"list_of_host", "wrong_space", "cublasSgemmBatched", "its Aarray, 0x", 13},
        PlantedProduct{"operand_written_elsewhere", "race_write_read", "cublasSgemm",
                       "cublasSgemm in cudaStreamCreateWithFlags#2 reads 64 bytes of cudaMalloc#1 "
                       "from byte 0 on, which cudaMemsetAsync in cudaStreamCreateWithFlags#1 "
                       "writes"},
        PlantedProduct{"two_products_one_result", "race_write_write", "cublasSgemm",
                       "writes 4 bytes of cudaMalloc#3 from byte 60 on, which cublasSgemm in"},
        PlantedProduct{"result_over_factor", "race_read_write", "cublasSgemm",
                       "reads and writes 16 bytes of cudaMalloc#1 from byte 112 on, in no order: "
                       "the factors and the result of a product may not overlap"},
        PlantedProduct{"results_of_batch", "race_write_write", "cublasSgemmStridedBatched",
                       "writes twice 16 bytes of cudaMalloc#1 from byte 48 on, in no order: the "
                       "results of a batch may not overlap"},
        PlantedProduct{"read_too_early", "race_write_read", "access to memory",
                       "the host reads byte 12 of cudaMallocManaged#3, which cublasSgemm in"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(RunProducts, without_a_blas_say_in_one_line_what_to_install_and_the_program_goes_on) {
  const Ran ran = run_program("products_wrong", {"beyond_a"}, {}, {"GAUNTLET_BLAS=libnowhere.so"});
  EXPECT_EQ(ran.code, 2) << ran.err;
  EXPECT_EQ(ran.out, "15\n");
  EXPECT_EQ(ran.json.at("processes").at(0).at("unsupported"),
            nlohmann::json{"cuBLAS is computed by a BLAS of the host, and libnowhere.so cannot be "
                           "loaded: libnowhere.so: cannot open shared object file: No such file "
                           "or directory; install libblas3, or set GAUNTLET_BLAS to a library "
                           "with the C interface of BLAS"});
  const Ran other = run_program("products_wrong", {"beyond_a"}, {}, {"GAUNTLET_BLAS=libm.so.6"});
  EXPECT_EQ(other.out, "15\n");
  EXPECT_NE(unwrapped(other.err).find("libm.so.6 has no cblas_sgemm"), std::string::npos)
      << other.err;
}

}  // namespace
}  // namespace gauntlet::test
