// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Traces of small runs, and the pictures that other programs make of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "interface/formats/formats.hpp"
#include "kernels/subject.hpp"
#include "properties/witness/lines.hpp"

namespace gauntlet::formats {
namespace {

using witness::TraceEvent;

constexpr std::size_t most = 10'000;

const witness::Explained& racy() {
  static const auto explained =
      witness::explain(parse_case("volatile_warp_tail@fixed-syncwarp f32->f32 sum n=3 block=3 "
                                  "grid=1 data=ones schedule=replay:L.10l1x2"),
                       kernels::compiled_kernels());
  return explained;
}

TEST(Trace, marks_the_steps_that_decide_and_the_store_that_a_load_sees) {
  const auto trace = witness::trace(racy(), most);
  const auto load = std::ranges::find_if(
      trace.events, [](const TraceEvent& e) { return e.decides && e.verb == "loads"; });
  ASSERT_NE(load, trace.events.end());
  EXPECT_EQ(load->other, "1");
  ASSERT_TRUE(load->from.has_value());
  const TraceEvent& store = trace.events[*load->from];
  EXPECT_TRUE(store.decides);
  EXPECT_EQ(store.verb, "stores");
  EXPECT_EQ(store.cell, load->cell);
  EXPECT_EQ(store.value, load->value);
  EXPECT_NE(store.lane, load->lane);
  EXPECT_EQ(trace.more, 0U);
}

TEST(Trace, of_more_events_than_are_wanted_says_how_many_are_left_out) {
  const auto all = witness::trace(racy(), most), few = witness::trace(racy(), 5);
  EXPECT_EQ(few.events.size(), 5U);
  EXPECT_EQ(few.more, all.events.size() - 5);
}

TEST(Mermaid, has_a_column_for_each_thread_and_cell_and_an_arrow_for_each_step) {
  EXPECT_EQ(mermaid(racy().decision),
            "sequenceDiagram\n"
            "    autonumber\n"
            "    actor t0 as block 0 warp 0 lane 1\n"
            "    actor t1 as block 0 warp 0 lane 0\n"
            "    participant c2 as s[1]\n"
            "    t0->>c2: stores 2 (volatile_warp_tail.cu:72)\n"
            "    c2-->>t1: loads 2, in the right run 1 (volatile_warp_tail.cu:72)\n");
  EXPECT_EQ(mermaid({}), "");
}

TEST(Mermaid, of_every_committed_witness_is_drawn) {
  properties::CheckReport report;
  for (const witness::Line& line : witness::load_lines("")) {
    properties::FormReport& form = report.forms.emplace_back();
    form.variant = line.c.variant;
    form.form = line.c.form;
    form.found = {{FindingKind::race_read_write, "s"}};
  }
  const auto all = witnesses(report, kernels::compiled_kernels());
  ASSERT_GT(all.size(), 10U);
  for (const witness::Witness& one : all) {
    EXPECT_NE(mermaid(one.decision), "") << one.c.variant << "@" << one.c.form;
    EXPECT_NE(one.got, one.right);
  }
}

TEST(TraceEvents, have_a_slice_for_each_step_and_arrows_in_pairs_forward_in_time) {
  const auto trace = witness::trace(racy(), most);
  const Json json = trace_events(trace);
  std::map<std::string, std::size_t> phases;
  std::map<int, std::int64_t> begins;
  for (const Json& event : json.at("traceEvents")) {
    ++phases[event.at("ph")];
    if (event["ph"] == "s") begins[event.at("id")] = event.at("ts");
    if (event["ph"] != "f") continue;
    ASSERT_EQ(begins.count(event.at("id")), 1U);
    EXPECT_LT(begins[event["id"]], event.at("ts"));
  }
  EXPECT_EQ(phases["X"], trace.events.size());
  EXPECT_EQ(phases["s"], phases["f"]);
  EXPECT_GT(phases["s"], 0U);
  EXPECT_EQ(phases["M"], 1U + 2U * 3U) << "one block, three threads";
}

}  // namespace
}  // namespace gauntlet::formats
