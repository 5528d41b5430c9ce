// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Paths and symbols as nvcc writes them.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>

#include "machine/ptx/source_names.hpp"

namespace gauntlet::ptx {
namespace {

TEST(SourceNames, headers_of_the_toolkit_are_told_from_those_of_a_user) {
  for (const std::string path : {"/usr/local/cuda/bin/../targets/x86_64-linux/include/sm_30.hpp",
                                 "/usr/local/cuda/include/cooperative_groups/details/sync.h",
                                 "/opt/cccl/cub/block/block_reduce.cuh", "/usr/include/math.h"}) {
    EXPECT_TRUE(in_toolkit(path)) << path;
  }
  for (const std::string path : {"kernels/tree.cuh", "/home/me/sum/sum.cu", "include/math.h",
                                 "../mycuda/include/x.h", "targets.cu", ""}) {
    EXPECT_FALSE(in_toolkit(path)) << path;
  }
}

TEST(SourceNames, cooperative_groups_are_those_of_the_toolkit_alone) {
  EXPECT_TRUE(in_cooperative_groups("/usr/local/cuda/include/cooperative_groups.h"));
  EXPECT_TRUE(in_cooperative_groups("/usr/local/cuda/include/cooperative_groups/details/sync.h"));
  EXPECT_FALSE(in_cooperative_groups("/usr/local/cuda/include/sm_30_intrinsics.hpp"));
  EXPECT_FALSE(in_cooperative_groups("/home/me/cooperative_groups/sum.cu"));
}

TEST(SourceNames, of_relocatable_code_are_without_their_unit) {
  EXPECT_EQ(without_unit("__nv_static_18__99750153_4_a_cu_g_own"), "own");
  EXPECT_EQ(demangled("__nv_static_18__99750153_4_a_cu_g__ZN12_GLOBAL__N_13addEi"),
            "(anonymous namespace)::add(int)");
  for (const std::string other : {"__nv_static_18__short", "__nv_static_x", "__nv_static_3_abcd",
                                  "__nv_static_99999999999999999999__a", "own", ""}) {
    EXPECT_EQ(without_unit(other), other);
  }
}

TEST(SourceNames, of_a_mangled_symbol_the_last_identifier_is_the_plain_name) {
  const std::pair<std::string, std::string> names[] = {{"_ZZ4mainE1s", "s"},
                                                       {"_ZN8settings4biasE", "bias"},
                                                       {"_ZZ3sumILj64EEvPKfE5warps", "warps"},
                                                       {"_ZZ1kI1AS0_EvT_T0_E4tile", "tile"},
                                                       {"total", "total"},
                                                       {"_Z", "_Z"}};
  for (const auto& [symbol, name] : names) EXPECT_EQ(plain_name(symbol), name) << symbol;
}

TEST(SourceNames, symbols_are_spelt_as_cpp_does_and_others_stay) {
  EXPECT_EQ(demangled("_ZN8settings4biasE"), "settings::bias");
  EXPECT_EQ(demangled("_Z3sumPKfi"), "sum(float const*, int)");
  EXPECT_EQ(demangled("plain"), "plain");
  EXPECT_EQ(demangled("f"), "f");  // no encoding of a type
  EXPECT_EQ(demangled(""), "");
}

TEST(SourceNames, of_signatures_are_short_and_those_of_libraries_shortest) {
  const std::string type = "std::vector<std::pair<float, unsigned long>, my::allocator<float> >";
  const std::pair<std::string, std::string> names[] = {
      {"sum(float const*, int)", "sum(float const*, int)"},
      {"void sum<int, 256>(int const*)", "sum<int, 256>(int const*)"},
      {"(anonymous namespace)::fill(int*)", "(anonymous namespace)::fill(int*)"},
      {"void ns::(anonymous namespace)::sum<int>(" + type + ", " + type + ")", "ns::sum<int>(...)"},
      {"void ns::sum<" + type + ", 4>(int)", "ns::sum<...>"},
      {"void cub::CUB_300001_SM_900::detail::merge_sort::MergeKernel<A<(B)1, (4 > 3)>, int>(bool)",
       "cub::MergeKernel"},
      {"thrust::THRUST_1_NS::detail::parallel_for(int)", "thrust::parallel_for"},
      {"__main__::racy[abi:v1][abi:cw51cXTLSUwv1](Array<int, 1, C>)",
       "__main__::racy(Array<int, 1, C>)"},
      {"void apply<main::{lambda(int)#1}>(main::{lambda(int)#1})",
       "apply<main::{lambda(int)#1}>(main::{lambda(int)#1})"},
      {"plain", "plain"},
      {"", ""}};
  for (const auto& [signature, name] : names) EXPECT_EQ(short_name(signature), name) << signature;
}

TEST(SourceNames, qualified_and_bare_leave_out_what_a_signature_adds) {
  const std::tuple<std::string, std::string, std::string> names[] = {
      {"void ns::(anonymous namespace)::sum<int, A<(B)1> >(int const*)", "ns::sum", "sum"},
      {"ns::Adder<int>::operator()(int) const", "ns::Adder::operator()", "operator()"},
      {"bool less::operator<(less const&)", "less::operator<", "operator<"},
      {"void outer<int>::inner<float>(int)", "outer::inner", "inner"},
      {"my_operator<int>(int)", "my_operator", "my_operator"},
      {"main", "main", "main"},
      {"(anonymous namespace)::a(int (*)(int))", "a", "a"}};
  for (const auto& [signature, qualified, bare] : names) {
    EXPECT_EQ(qualified_name(signature), qualified) << signature;
    EXPECT_EQ(bare_name(signature), bare) << signature;
  }
}

TEST(SourceNames, what_cannot_be_spelt_is_read_as_its_name) {
  const std::pair<std::string, std::string> names[] = {
      {"_ZN3our5sweepIZNS_3runIS5_EE", "our::sweep<...>"},
      {"_ZN3ourL5sweepIZNS_3runIS5_EE", "our::sweep<...>"},
      {"_Z5sweepIZNS_3runIS5_EE", "sweep<...>"},
      {"_ZN3our5sweepES9_", "our::sweep"}};
  for (const auto& [symbol, name] : names) {
    ASSERT_EQ(demangled(symbol), symbol);
    EXPECT_EQ(readable(symbol), name);
  }
  for (const std::string other : {"_Z", "_ZN", "_ZN99999999999999999999a", "_Z9ab", "plain", ""}) {
    EXPECT_EQ(readable(other), other);
  }
  EXPECT_EQ(readable("_Z3sumPKfi"), "sum(float const*, int)");
}

}  // namespace
}  // namespace gauntlet::ptx
