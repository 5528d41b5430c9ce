// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every embedded kernel can run on the SIMT machine, and is the same whether its module was decoded
// as a whole or it alone was asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "kernels/images.hpp"
#include "machine/engine/module.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {

void PrintTo(const Image& image, std::ostream* out) { *out << image.module; }

namespace {

class Decoded : public testing::TestWithParam<Image> {};

void expect_same(const simt::Kernel& a, const simt::Kernel& b) {
  const auto same_inst = [](const simt::Inst& x, const simt::Inst& y) {
    return x.kind == y.kind && x.fn == y.fn && x.ptx_line == y.ptx_line && x.loc == y.loc &&
           x.target == y.target;
  };
  EXPECT_TRUE(std::ranges::equal(a.code, b.code, same_inst)) << a.name;
  EXPECT_TRUE(std::ranges::equal(a.operations, b.operations, {}, &simt::Operation::text,
                                 &simt::Operation::text))
      << a.name;
  const auto same_line = [](const simt::Line& x, const simt::Line& y) {
    return x.file == y.file && x.line == y.line;
  };
  EXPECT_TRUE(std::ranges::equal(a.lines, b.lines, same_line)) << a.name;
  EXPECT_EQ(a.files, b.files) << a.name;
  EXPECT_EQ(a.pool, b.pool) << a.name;
  EXPECT_EQ(a.register_bytes, b.register_bytes) << a.name;
  EXPECT_EQ(a.memory_ops.size(), b.memory_ops.size()) << a.name;
  EXPECT_EQ(a.static_shared_top, b.static_shared_top) << a.name;
  EXPECT_EQ(a.dynamic_shared_name, b.dynamic_shared_name) << a.name;
}

TEST_P(Decoded, alone_is_the_same_as_with_its_module) {
  const auto whole = simt::load_module(std::string(GetParam().ptx), "whole.ptx");
  const auto alone = simt::load_on_demand(std::string(GetParam().ptx), "alone.ptx");
  std::size_t count = 0;
  // From the last one: none may depend on those before it.
  for (auto entry = entries().rbegin(); entry != entries().rend(); ++entry) {
    if (entry->module != GetParam().module) continue;
    ++count;
    const simt::Kernel* expected = whole->find(entry->name);
    const simt::Kernel* kernel = alone->find(entry->name);
    ASSERT_NE(expected, nullptr) << entry->name;
    ASSERT_NE(kernel, nullptr) << entry->name;
    expect_same(*kernel, *expected);
    EXPECT_EQ(alone->find(entry->name), kernel);
  }
  EXPECT_GT(count, 0U);
  EXPECT_EQ(alone->find("none"), nullptr);
}

INSTANTIATE_TEST_SUITE_P(Images, Decoded, testing::ValuesIn(images()),
                         [](const auto& info) { return std::string(info.param.module); });

}  // namespace
}  // namespace gauntlet::kernels
