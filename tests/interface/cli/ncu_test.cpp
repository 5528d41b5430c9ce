// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The comparison with ncu: what counts as equal, as explained, and as a difference.
#include "gpu/profile/ncu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "gpu/profile/micro_cases.hpp"
#include "gpu/profile/runner.hpp"

namespace gauntlet::profile {
namespace {

simt::LineCounters counted() {
  simt::LineCounters c;
  c.warp_instructions = 100;
  c.thread_instructions = 3000;
  c.global_load.requests = 8;
  c.global_load.sectors = 32;
  c.shared_load.requests = 10;
  c.shared_load.bytes = 640;
  c.shared_load.wavefronts = 12;
  c.shared_load.conflicts = 2;
  return c;
}

/// What a GPU that agrees would say.
NcuLaunch agreeing(const simt::LineCounters& c) {
  NcuLaunch launch{"kernel", {}};
  launch.metrics["smsp__inst_executed.sum"] = c.warp_instructions;
  launch.metrics["smsp__thread_inst_executed.sum"] = c.thread_instructions;
  for (const auto& counter : compared_counters()) {
    launch.metrics[counter.metric] = counter.machine(c);
    if (counter.metric2 != nullptr) launch.metrics[counter.metric2] = 0;
  }
  return launch;
}
std::uint64_t& shared_loads(NcuLaunch& launch, const char* what) {
  if (std::string(what) == "requests") {
    return launch.metrics["smsp__inst_executed_op_shared_ld_pred_on_any.sum"];
  }
  return launch.metrics["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"];
}

TEST(NcuComparison, equal_counters_are_no_difference) {
  const auto c = compare("case", 0, agreeing(counted()), counted());
  EXPECT_TRUE(c.differences.empty());
  EXPECT_DOUBLE_EQ(c.warp_ratio(), 1.0);
}

TEST(NcuComparison, every_counter_is_compared) {
  for (std::size_t k = 0; k < compared_counters().size(); ++k) {
    auto gpu = agreeing(counted());
    gpu.metrics[compared_counters()[k].metric] += 1;
    const auto c = compare("case", 0, gpu, counted());
    ASSERT_EQ(c.differences.size(), 1U) << compared_counters()[k].name;
    EXPECT_EQ(c.differences[0].counter, k);
    EXPECT_EQ(c.differences[0].rule, Rule::none) << compared_counters()[k].name;
  }
}

TEST(NcuComparison, fewer_requests_for_the_same_bytes_are_merged) {
  auto gpu = agreeing(counted());
  shared_loads(gpu, "requests") = 7;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::none)
      << "without the bytes nothing shows it";
  gpu.metrics["smsp__sass_data_bytes_mem_shared_op_ld.sum"] = 640;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::merged);
  gpu.metrics["smsp__sass_data_bytes_mem_shared_op_ld.sum"] = 639;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::none);
}

TEST(NcuComparison, a_hoisted_load_reads_at_most_a_warp_of_words_more) {
  auto gpu = agreeing(counted());
  shared_loads(gpu, "requests") = 9;
  gpu.metrics["smsp__sass_data_bytes_mem_shared_op_ld.sum"] = 640 + 128;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::hoisted);
  gpu.metrics["smsp__sass_data_bytes_mem_shared_op_ld.sum"] = 640 + 129;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::none);
}

TEST(NcuComparison, extra_passes_need_the_count_from_the_addresses) {
  auto gpu = agreeing(counted());
  shared_loads(gpu, "wavefronts") = 13;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::none);
  gpu.metrics["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 12;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::extra_passes);
  gpu.metrics["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 13;
  EXPECT_EQ(compare("case", 0, gpu, counted()).differences.at(0).rule, Rule::none);
}

TEST(NcuComparison, instructions_outside_the_margin_are_seen) {
  NcuComparison all;
  auto gpu = agreeing(counted());
  all.launches.push_back(compare("case", 0, gpu, counted()));
  EXPECT_EQ(all.outside_margin(), 0U);
  gpu.metrics["smsp__inst_executed.sum"] = 276;
  all.launches.push_back(compare("case", 1, gpu, counted()));
  EXPECT_EQ(all.outside_margin(), 1U);
}

TEST(NcuComparison, a_metric_that_is_missing_is_named) {
  auto gpu = agreeing(counted());
  gpu.metrics.erase("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum");
  try {
    (void)compare("case", 0, gpu, counted());
    FAIL();
  } catch (const NcuError& error) {
    EXPECT_NE(std::string(error.what()).find("t_sectors_pipe_lsu_mem_global_op_ld"),
              std::string::npos);
  }
}

constexpr const char* head =
    "==PROF== Connected to process 7\n"
    "\"ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";

TEST(NcuCsv, rows_become_launches) {
  const auto launches = parse_ncu(std::string(head) +
                                      "\"0\",\"f\",\"a.sum\",\"inst\",\"1,234\"\n"
                                      "\"0\",\"f\",\"b.sum\",\"\",\"n/a\"\n"
                                      "\"1\",\"f(int, \"\"x\"\")\",\"a.sum\",\"\",\"5\"\r\n",
                                  "x.csv");
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].metrics.at("a.sum"), 1234U);
  EXPECT_FALSE(launches[0].metrics.contains("b.sum"));
  EXPECT_EQ(launches[1].entry, "f(int, \"x\")");
}

TEST(NcuCsv, what_is_no_recording_is_refused) {
  EXPECT_THROW((void)parse_ncu("", "x.csv"), NcuError);
  EXPECT_THROW((void)parse_ncu(head, "x.csv"), NcuError);
  EXPECT_THROW((void)parse_ncu("\"ID\",\"Metric Name\"\n", "x.csv"), NcuError);
  EXPECT_THROW((void)parse_ncu(std::string(head) + "\"0\",\"f\"\n", "x.csv"), NcuError);
}

/// A recording of one micro-case whose counters are as given.
std::string recording(const char* folder_name, std::uint64_t load_wavefronts) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / folder_name;
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "facts.txt") << "device=D\ndriver=1\nncu=2\ndate=2026-01-01\n";
  std::ofstream(folder / "part.txt") << "1\tbanks:load_b32 stride=4\n";
  std::ofstream csv(folder / "part.csv");
  csv << head;
  const auto row = [&](const std::string& metric, std::uint64_t value) {
    csv << "\"0\",\"load_b32\",\"" << metric << "\",\"\",\"" << value << "\"\n";
  };
  // One request for the pattern, one to read the index; 128 words are filled by four stores.
  row("smsp__inst_executed.sum", 60);
  row("smsp__thread_inst_executed.sum", 1900);
  for (const auto& counter : compared_counters()) {
    const std::string name = counter.name;
    std::uint64_t value = 0;
    if (name == "global_load.requests" || name == "global_store.requests") value = 1;
    if (name == "global_load.sectors" || name == "global_store.sectors") value = 4;
    if (name == "shared_load.requests") value = 1;
    if (name == "shared_load.wavefronts") value = load_wavefronts;
    if (name == "shared_load.conflicts") value = 3;
    if (name == "shared_store.requests" || name == "shared_store.wavefronts") value = 4;
    row(counter.metric, value);
    if (counter.metric2 != nullptr) row(counter.metric2, 0);
  }
  return folder.string();
}

TEST(NcuRecording, is_compared_with_the_machine_now) {
  const auto same = compare_recording(recording("ncu_same", 4));
  ASSERT_EQ(same.launches.size(), 1U);
  EXPECT_EQ(same.differing(Rule::none), 0U);
  EXPECT_EQ(same.facts.at("device"), "D");
  const auto other = compare_recording(recording("ncu_other", 5));
  EXPECT_EQ(other.differing(Rule::none), 1U);
  EXPECT_NE(markdown(other).find("shared_load.wavefronts is 4 on the machine and 5 on the GPU"),
            std::string::npos);
  EXPECT_EQ(markdown(same).find("Unexplained:"), std::string::npos);
}

TEST(NcuRecording, a_folder_that_is_none_is_refused) {
  EXPECT_THROW((void)compare_recording("/nonexistent"), NcuError);
  const auto folder = recording("ncu_short", 4);
  std::ofstream(std::filesystem::path(folder) / "part.txt", std::ios::app)
      << "1\tbanks:load_b32 stride=5\n";
  EXPECT_THROW((void)compare_recording(folder), NcuError);
}

/// The newest docs/results/*/ncu.json, which a GPU's counters are kept in.
nlohmann::json committed() {
  std::filesystem::path newest;
  for (const auto& folder : std::filesystem::directory_iterator(GAUNTLET_RESULTS)) {
    const auto file = folder.path() / "ncu.json";
    if (std::filesystem::exists(file)) newest = std::max(newest, file);
  }
  std::ifstream in(newest);
  return nlohmann::json::parse(in);
}

TEST(NcuRecording, of_the_micro_kernels_is_what_the_machine_still_counts) {
  const auto json = committed();
  EXPECT_EQ(json.at("differences").at("unexplained"), 0);
  EXPECT_EQ(json.at("outside_margin"), 0);
  std::map<std::string, std::string> recorded;
  for (const auto& row : json.at("rows")) {
    recorded[row.at("case").get<std::string>()] = row.at("values").get<std::string>();
  }
  const auto runner = simt_runner();
  const auto cases = micro_cases();
  ASSERT_GT(cases.size(), 500U);
  for (const auto& micro : cases) {
    ASSERT_TRUE(recorded.contains(micro.name)) << micro.name << ": record again with ci/gpu-ncu";
    std::istringstream values(recorded[micro.name]);
    std::string value;
    values >> value >> value;  // instructions: another compiler may choose others
    const auto total = runner->run(micro.call).profile.total;
    for (const auto& counter : compared_counters()) {
      values >> value;
      EXPECT_EQ(std::stoull(value), counter.machine(total)) << micro.name << " " << counter.name;
    }
  }
}

}  // namespace
}  // namespace gauntlet::profile
