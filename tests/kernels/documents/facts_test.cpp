// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the documents print is what runs: each documented form against facts.json, which has what
// the printed kernel itself did in the same launches (tests/kernels/documents/record). Values and
// findings are equal, warp instructions within a tenth. Arrays have other names there, so findings
// are compared by role: the input, the output, shared memory.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/scalar.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::kernels {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

const Json& facts() {
  static const Json all = Json::parse(std::ifstream(GAUNTLET_FACTS)).at("kernels");
  return all;
}

std::string role(const std::string& array) {
  if (array.empty() || array == "in" || array == "out") return array;
  return array == "partials" ? "out" : "shared";
}

Texts findings_of(const Observation& seen) {
  std::set<std::string> found;
  for (const Finding& f : seen.findings) {
    const std::string where = role(f.array);
    found.insert(where.empty() ? std::string(name(f.kind))
                               : fmt::format("{} {}", name(f.kind), where));
  }
  return {found.begin(), found.end()};
}

/// The cells of a buffer as text; none when the plan does not observe it.
Texts values_of(const Observation& seen, std::string_view buffer) {
  Texts values;
  const auto found = std::ranges::find(seen.buffers, buffer, &ObservedBuffer::name);
  if (found == seen.buffers.end()) return values;
  const std::size_t size = size_of(found->type);
  for (std::size_t i = 0; i < found->defined.size(); ++i) {
    values.push_back(found->defined[i] ? format_value(found->type, found->bytes.data() + i * size)
                                       : "undefined");
  }
  return values;
}

/// What differs in one launch, one line each; nothing when the form does what was printed.
std::string differences(const Json& table, const Json& fact) {
  static const std::unique_ptr<Executor> machine = simt::make_executor();
  const auto type = table.at("type").get<std::string>();
  std::string launch = fmt::format("n={} block={}", fact.at("n").get<std::uint64_t>(),
                                   fact.at("block").get<unsigned>());
  const bool window = fact.contains("blocks");
  for (const char* key : {"grid", "blocks", "data"}) {
    if (!fact.contains(key)) continue;
    const Json& value = fact.at(key);
    launch +=
        fmt::format(" {}={}", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (!fact.contains("data")) launch += " data=iota";
  const Case c =
      parse_case(fmt::format("{}@documented {}->{} sum {} tail=unmapped",
                             table.at("variant").get<std::string>(), type, type, launch));
  const Observation seen = kernels::run(*machine, c);
  const std::string line = to_string(c);
  if (!seen.refused.empty()) return fmt::format("{}: refused, {}\n", line, seen.refused);
  std::string text;
  const auto compare = [&](std::string_view what, const Texts& got, const Texts& printed) {
    if (got == printed) return;
    text += fmt::format("{}: {} [{}], printed [{}]\n", line, what, fmt::join(got, ", "),
                        fmt::join(printed, ", "));
  };
  const auto printed_values = fact.at("values").get<Texts>();
  if (window) {  // of the first block: its partial result, or what it added
    Texts values = values_of(seen, seen.buffers.at(0).name);
    values.resize(1);
    compare("values", values, printed_values);
  } else {
    compare("values", values_of(seen, "out"), printed_values);
    // grid_stride's second launch writes over the first's partials.
    const Texts partials = values_of(seen, "partials");
    if (!partials.empty()) compare("partials", partials, fact.at("partials").get<Texts>());
  }
  compare("findings", findings_of(seen), fact.at("findings").get<Texts>());
  const auto got = static_cast<double>(seen.counters.warp_instructions);
  const auto printed = fact.at("warp_instructions").get<double>();
  if (std::abs(got - printed) > printed / 10) {
    text += fmt::format("{}: {} warp instructions, printed {}\n", line, got, printed);
  }
  return text;
}

class PrintedKernel : public testing::TestWithParam<std::size_t> {};

TEST_P(PrintedKernel, is_what_the_documented_form_does) {
  const Json& table = facts().at(GetParam());
  ASSERT_FALSE(table.at("launches").empty());
  std::string text;
  for (const Json& fact : table.at("launches")) text += differences(table, fact);
  EXPECT_EQ(text, "");
}

std::string test_name(const testing::TestParamInfo<std::size_t>& info) {
  const Json& table = facts().at(info.param);
  return fmt::format("{}_{}_{}_{}", table.at("document").get<std::string>(),
                     table.at("kernel").get<std::string>(), table.at("variant").get<std::string>(),
                     table.at("type").get<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Documents, PrintedKernel, testing::Range(std::size_t{0}, facts().size()),
                         test_name);

TEST(PrintedKernels, each_has_its_table) {
  std::set<std::string> recorded;
  for (const Json& table : facts()) recorded.insert(table.at("variant").get<std::string>());
  for (const Variant& v : catalogue()) {
    // E prints the host's part of cub_device; the kernels are CUB's.
    if (v.origin != Origin::printed || find_row(v.id)->by_host()) continue;
    EXPECT_TRUE(recorded.contains(v.id)) << v.id;
  }
}

TEST(PrintedKernels, each_table_has_full_and_ragged_launches_of_odd_blocks) {
  for (const Json& table : facts()) {
    std::set<unsigned> blocks;
    bool full = false, ragged = false;
    for (const Json& fact : table.at("launches")) {
      const auto n = fact.at("n").get<std::uint64_t>();
      if (!fact.contains("grid")) continue;
      const auto threads =
          fact.at("block").get<std::uint64_t>() * fact.at("grid").get<std::uint64_t>();
      blocks.insert(fact.at("block").get<unsigned>());
      (n % threads == 0 ? full : ragged) = true;
    }
    const auto what = table.at("variant").get<std::string>();
    EXPECT_TRUE(full && ragged) << what;
    for (const unsigned odd : {16U, 48U, 96U}) EXPECT_TRUE(blocks.contains(odd)) << what << odd;
  }
}

}  // namespace
}  // namespace gauntlet::kernels
