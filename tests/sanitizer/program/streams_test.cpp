// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Order over streams, events, graphs and the host: what nothing orders is found, with both calls,
// and the same with its order is silent.
#include <ostream>

#include "tests/sanitizer/program/run_program.hpp"

namespace gauntlet::test {
namespace {

struct Pair {
  const char *name, *kind, *said;
};
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.name; }

class RunStreams : public ::testing::TestWithParam<Pair> {};

TEST_P(RunStreams, that_nothing_orders_are_found_with_both_calls) {
  const Ran ran = run_program("streams", {GetParam().name}, {"--error-exitcode", "7"});
  EXPECT_EQ(ran.code, 7) << ran.err;
  EXPECT_TRUE(ran.out.ends_with("done\n")) << ran.out << ran.err;
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  const auto mistake = only_mistake(ran, GetParam().kind, GetParam().said, "programs/streams.cu");
  for (const auto& frame : mistake.at("stack")) {
    EXPECT_EQ(frame.at("module").get<std::string>().find("gauntlet"), std::string::npos) << mistake;
  }
  ASSERT_FALSE(mistake.at("notes").empty()) << mistake;
  const auto first = mistake.at("notes").at(0).get<std::string>();
  EXPECT_TRUE(first.starts_with("the first: ")) << first;
  EXPECT_NE(first.find("programs/streams.cu:"), std::string::npos) << first;
}

TEST_P(RunStreams, that_are_ordered_are_silent) {
  const Ran ran = run_program("streams", {GetParam().name, "right"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  EXPECT_TRUE(ran.out.ends_with("done\n")) << ran.out << ran.err;
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
}

const char one[] = "cudaStreamCreateWithFlags#1", two[] = "cudaStreamCreateWithFlags#2";
const Pair pairs[] = {
    {"event_wait", "race_write_read", two},
    {"event_recorded_too_early", "race_write_read", one},
    {"event_synchronise", "race_write_read", one},
    {"event_query", "race_write_read", one},
    {"stream_synchronise", "race_write_read", one},
    {"stream_query", "race_write_read", one},
    {"device_synchronise", "race_write_read", one},
    {"work_behind_the_wait", "race_write_read", one},
    {"default_stream", "race_write_read", "the default stream reads 1024 bytes of cudaMalloc#1"},
    {"behind_the_default_stream", "race_write_read", "in the default stream writes"},
    {"between_blocking_streams", "race_write_read", "in cudaStreamCreate#1 writes"},
    {"threads_of_the_host", "race_write_read", "in the default stream of thread 1 writes"},
    {"copy_back", "race_write_read", "cudaMemcpy in the default stream reads 1024 bytes"},
    {"pinned_copies", "race_write_read", "of cudaHostAlloc#3 from byte 0 on"},
    {"fill", "race_write_read", "which cudaMemset in the default stream writes"},
    {"copy_of_pageable_memory", "race_write_read", "which cudaMemcpy in the default stream writes"},
    {"free_of_a_stream", "race_write_write", "cudaFreeAsync in cudaStreamCreateWithFlags#2 frees"},
    {"allocation_of_a_stream", "race_write_write", "#1 allocates"},
    {"free_of_the_host", "race_write_write", "cudaFree frees 1024 bytes of cudaMallocAsync#3"},
    {"free_between", "race_write_read", one},
    {"host_function", "race_write_read", one},
    {"atomics", "race_atomic", "#1 updates"},
    {"atomics_of_two_sizes", "race_atomic", "updates 1024 bytes of cudaMalloc#1"},
    {"halves", "race_write_write", "writes 4 bytes of cudaMalloc#1 from byte 512 on"},
    {"bytes_of_words", "race_write_write", "writes 256 bytes of cudaMalloc#1 from byte 0 on"},
    {"readers", "race_read_write", "#1 reads"},
    {"chain_of_three", "race_write_write", "in cudaStreamCreateWithFlags#3 writes"},
    {"managed_read", "race_write_read", "the host reads byte 4 of cudaMallocManaged#3, which"},
    {"managed_write", "race_read_write", "the host writes byte 4 of cudaMallocManaged#3, which"},
    {"managed_pages", "race_write_read", "the host reads byte 0 of cudaMallocManaged#3, which"},
    {"pinned_read", "race_write_read", "the host reads byte 28 of cudaHostAlloc#3, which"},
    {"registered_read", "race_write_read", "of cudaHostRegister#3, which"},
    {"registered_used_again", "race_read_write", "of cudaHostRegister#3, which"},
    {"pinned_used_again", "race_read_write", "#1 reads"},
    {"flag_for_the_host", "race_write_read", "the host reads byte 12 of cudaMallocManaged#3"},
    {"in_a_host_function", "race_write_read", "the host reads byte 0 of cudaHostAlloc#3"},
    {"graph_edge", "race_write_read", "in node 1 of cudaGraphInstantiate#1 writes"},
    {"captured_fork", "race_write_read", "in node 2 of cudaGraphInstantiate#1 reads"},
    {"behind_a_graph", "race_write_read", "in cudaStreamCreateWithFlags#1 reads"},
};
INSTANTIATE_TEST_SUITE_P(Pairs, RunStreams, ::testing::ValuesIn(pairs),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(RunDependentLaunches, that_do_not_wait_are_found_and_those_that_do_are_silent) {
  const std::pair<const char*, const char*> programs[] = {
      {"missing_wait", "race_write_read"},
      {"wait_of_one_thread", "race_write_read"},
      {"overwritten", "race_read_write"},
      {"prologue", "race_write_read"},
      {"behind_a_copy", "race_write_read"},
      {"behind_an_event", "race_write_read"},
      {"chain", "race_write_read"},
      {"late_wait", "race_write_read"},
      {"third_waits", "race_write_read"},
      {"fourth_waits", "race_write_write"},
      {"third_begins_late", "race_write_read"},
      {"third_behind_the_host", "race_write_read"}};
  for (const auto& [name, kind] : programs) {
    const Ran wrong = run_program("dependent", {name});
    EXPECT_TRUE(wrong.out.ends_with("done\n")) << wrong.out << wrong.err;
    (void)only_mistake(wrong, kind, "cudaGridDependencySynchronize", "");
    const Ran right = run_program("dependent", {name, "right"});
    EXPECT_EQ(right.kinds("mistakes"), Kinds{}) << name << right.err;
    EXPECT_EQ(right.kinds(), Kinds{}) << name << right.err;
  }
}

TEST(RunDependentLaunches, begin_one_behind_the_other_below_sm_90) {
  for (const char* const name :
       {"missing_wait", "overwritten", "chain", "late_wait", "third_waits", "fourth_waits"}) {
    // A device that ignores the attribute; PTX that cannot trigger.
    expect_clean(run_program("dependent", {name}, {"--device", "sm_89"}), "done\n");
    expect_clean(run_program("dependent_75", {name}), "done\n");
  }
}

TEST(RunMergeSort, of_thrust_is_told_where_its_merge_kernel_waits_too_late) {
  const Ran ran = run_program("sorts_90");
  EXPECT_EQ(ran.out, "sorted\n") << ran.err;
  EXPECT_EQ(ran.kinds(), Kinds{}) << ran.err;
  if (!GAUNTLET_LATE_WAIT) return expect_clean(ran, "sorted\n");  // CCCL 3.1 and later
  // Of each pass that merges.
  ASSERT_EQ(ran.kinds("mistakes"), Kinds{"race_write_read 3"}) << ran.err;
  const auto& mistake = ran.json.at("processes").at(0).at("mistakes").at(0);
  const std::string detail = mistake.at("detail");
  EXPECT_NE(detail.find("DeviceMergeSortMergeKernel"), std::string::npos) << detail;
  EXPECT_NE(detail.find("DeviceMergeSortPartitionKernel"), std::string::npos) << detail;
}

TEST(RunMergeSort, of_thrust_is_silent_with_the_wait_before_the_first_load_and_below_sm_90) {
  expect_clean(run_program("sorts_90_repaired"), "sorted\n");
  expect_clean(run_program("sorts"), "sorted\n");
  expect_clean(run_program("sorts", {}, {"--device", "sm_80"}), "sorted\n");
}

TEST(RunStreamsPerThread, are_the_default_streams_of_programs_that_are_compiled_so) {
  const Ran legacy = run_program("streams", {"default_of_threads"});
  EXPECT_EQ(legacy.kinds("mistakes"), Kinds{}) << legacy.err;
  const Ran own = run_program("streams_per_thread", {"default_of_threads"});
  EXPECT_EQ(own.kinds("mistakes"), Kinds{"race_write_read 1"}) << own.err;
}

TEST(RunStreams, are_not_looked_at_without_races) {
  const Ran ran = run_program("streams", {"event_wait"}, {"--no-races"});
  EXPECT_EQ(ran.kinds("mistakes"), Kinds{}) << ran.err;
}

TEST(RunStreams, a_call_that_is_mostly_done_when_it_returns_is_a_warning) {
  const auto severity = [](const char* name) {
    const Ran ran = run_program("streams", {name});
    return ran.json.at("processes").at(0).at("mistakes").at(0).at("severity").get<std::string>();
  };
  EXPECT_EQ(severity("fill"), "warning");
  EXPECT_EQ(severity("event_wait"), "error");
}

}  // namespace
}  // namespace gauntlet::test
