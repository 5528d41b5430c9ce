// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "properties/language/guesses.hpp"

namespace gauntlet::spec {
namespace {

using Names = std::vector<std::string>;

Names parameter_names(std::string_view source, std::string_view kernel, std::size_t count) {
  Names names;
  for (const auto& one : declared_parameters(source, kernel, count)) names.push_back(one.name);
  return names;
}

Names types(const std::string& parameters, std::size_t count) {
  Names all;
  for (const auto& one :
       declared_parameters("extern \"C\" __global__ void k(" + parameters + ") {}", "k", count)) {
    all.push_back(one.type);
  }
  return all;
}

TEST(ParameterNames, are_those_of_the_kernel_however_it_is_written) {
  EXPECT_EQ(
      parameter_names("__global__ void sum(const float* x, float *y, unsigned n) {}", "sum", 3),
      (Names{"x", "y", "n"}));
  EXPECT_EQ(
      parameter_names("template <class T, int B>\n__global__ __launch_bounds__(B) void\n"
                      "sum (const T *__restrict__ in_, // the elements, n of them\n"
                      "     T out[4], std::pair<int, int> p, size_t count = f(1, 2) /* ) */)\n;",
                      "ns::sum<float, (int)256>", 4),
      (Names{"in_", "out", "p", "count_"}));
}

TEST(ParameterNames, are_not_those_of_another_function) {
  const char* const text =
      "__device__ float sum(float a, float b);\n"
      "// __global__ void sum(int p, int q)\n"
      "__global__ void block_sum(float* u, float* v);\n"
      "void host() { sum(k, l); }\n"
      "__global__ void sum(float* x, float* y) {}";
  EXPECT_EQ(parameter_names(text, "sum", 2), (Names{"x", "y"}));
  EXPECT_EQ(parameter_names(text, "sum", 3), Names{});
  EXPECT_EQ(parameter_names(text, "su", 2), Names{});
}

TEST(ParameterNames, are_none_where_one_has_none_or_the_text_ends) {
  EXPECT_EQ(parameter_names("__global__ void k(const float*, int n);", "k", 2), Names{});
  EXPECT_EQ(parameter_names("__global__ void k(float* a, unsigned);", "k", 2), Names{});
  EXPECT_EQ(parameter_names("__global__ void k(float* a, float* a);", "k", 2), Names{});
  EXPECT_EQ(parameter_names("__global__ void k(float* a, int n", "k", 2), Names{});
  EXPECT_EQ(parameter_names("__global__ void k(float* a /* ", "k", 1), Names{});
  EXPECT_EQ(parameter_names("", "k", 1), Names{});
}

TEST(ParameterNames, that_mean_something_else_in_a_spec_get_a_mark) {
  EXPECT_EQ(parameter_names("__global__ void k(float* sum, int rows)", "k", 2),
            (Names{"sum_", "rows_"}));
}

TEST(ParameterTypes, are_numbers_and_pointers_to_numbers) {
  EXPECT_EQ(types("const float* __restrict__ x, float const *y, float* const z, int w[4]", 4),
            (Names{"float const*", "float const*", "float*", "int*"}));
  EXPECT_EQ(
      types("unsigned n, size_t m, const uint32_t k, unsigned long long l, half h", 5),
      (Names{"unsigned int", "unsigned long", "unsigned int", "unsigned long long", "__half"}));
}

TEST(ParameterTypes, are_none_where_they_are_anything_else) {
  EXPECT_EQ(types("float*** p, std::pair<int, int> q, float& r", 3), (Names{"float**", "", ""}));
  EXPECT_EQ(types("const float* const* p, int* q[4]", 2), (Names{"float**", "int**"}));
}

}  // namespace
}  // namespace gauntlet::spec
