// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Every barrier, fence, volatile, order and bounds check of every fixed kernel is missed when it is
// gone.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>

#include "base/os/file.hpp"
#include "kernels/catalogue.hpp"
#include "machine/engine/module.hpp"
#include "tests/kills/table.hpp"

namespace gauntlet::kills {
namespace {

struct Result {
  std::string unsound;  ///< what the kernel shows with nothing deleted
  std::vector<Row> rows;
  std::set<std::string> used;
};

Result result_of(const std::string& variant) {
  Result result;
  const auto subject = subject_of(variant);
  for (const auto& [name, module] : subject.modules) {
    const auto whole = simt::load_on_demand(module.text, name + ".ptx");
    for (const auto& kind : killed_by(subject, name, whole)) result.unsound += kind + " ";
  }
  result.rows = kill(subject, result.used);
  return result;
}

/// All variants, by two threads.
const std::vector<Result>& results() {
  static const auto all = [] {
    const auto& variants = kernels::catalogue();
    std::vector<Result> results(variants.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (auto k = next++; k < variants.size(); k = next++) {
        results[k] = result_of(variants[k].id);
      }
    };
    auto other = std::async(std::launch::async, work);
    work();
    other.get();
    return results;
  }();
  return all;
}

TEST(Kills, nothing_is_noticed_where_nothing_is_deleted) {
  for (std::size_t k = 0; k < results().size(); ++k) {
    EXPECT_EQ(results()[k].unsound, "") << kernels::catalogue()[k].id;
  }
}

TEST(Kills, every_deletion_is_noticed_or_proved_harmless) {
  int tokens = 0;
  for (const auto& result : results()) {
    for (const auto& row : result.rows) {
      EXPECT_EQ(row.survivors, 0) << row.variant << ": " << row.text << " at " << row.source
                                  << " can go and nobody notices; find a case that does, or prove "
                                     "it harmless in tests/kills/harmless.cpp";
      for (const auto& [what, count] : row.outcome) tokens += count;
    }
  }
  EXPECT_GT(tokens, 500);
}

TEST(Kills, every_reason_is_needed) {
  std::set<std::string> used;
  for (const auto& result : results()) used.insert(result.used.begin(), result.used.end());
  for (const auto& entry : harmless()) {
    EXPECT_EQ(used.count(entry.reason), 1U) << entry.source << " " << entry.text;
  }
}

TEST(Kills, are_as_documented) {
  std::vector<std::vector<Row>> rows;
  for (const auto& result : results()) rows.push_back(result.rows);
  const auto page = table(rows);
  if (std::getenv("GAUNTLET_APPROVE") != nullptr) {
    std::ofstream(GAUNTLET_KILLS_PAGE) << page;
    return;
  }
  EXPECT_EQ(os::read_file(GAUNTLET_KILLS_PAGE), page)
      << GAUNTLET_KILLS_PAGE << " tells another story; if that is wanted: ci/approve";
}

TEST(Tokens, are_found_in_every_form) {
  const std::string module =
      ".version 9.0\n"
      ".visible .entry other(\n\t.param .u64 other_param_0\n)\n{\n\tbar.sync 0;\n}\n"
      ".visible .entry f(\n\t.param .u64 f_param_0,\n\t.param .u64 f_param_1\n)\n{\n"
      "\t.loc\t1 10 0\n"
      "\tld.param.u64 %rd1, [f_param_1];\n\tmov.u32 %r1, %ntid.x;\n\tadd.s64 %rd2, %rd1, -4;\n"
      "\t.loc\t1 11 0\n\tsetp.ge.u64 %p1, %rd3, %rd2;\n\t@%p1 bra $L;\n"
      "\tsetp.lt.u32 %p2, %r2, %r1;\n\tsetp.lt.u32 %p3, %r2, 32;\n"
      "\t.loc\t2 7 0, function_name $L__info, inlined_at 1 12 0\n\tbar.warp.sync -1;\n"
      "\t.loc\t3 7 0, function_name $L__info, inlined_at 1 13 0\n\tbar.sync 0;\n"
      "\t.loc\t1 14 0\n\t@%p1 barrier.sync 1, 64;\n\tmembar.gl;\n\tfence.acq_rel.gpu;\n"
      "\tgriddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;\n"
      "\tld.volatile.shared.f32 %f1, [%r4];\n$L:\n\tret;\n}\n"
      "\t.file\t1 \"kernels/f.cu\"\n\t.file\t2 \"/cuda/include/crt/x.hpp\"\n"
      "\t.file\t3 \"/cuda/include/cub/y.cuh\"\n";
  std::vector<std::string> found;
  for (const auto& token : tokens(module, {"f"})) {
    found.push_back(token.source + " " + token.text);
    EXPECT_EQ(token.entry, "f");
  }
  const std::vector<std::string> expected{
      "kernels/f.cu:11 setp.ge.u64 true",    "kernels/f.cu:11 setp.ge.u64 false",
      "kernels/f.cu:11 setp.lt.u32 true",    "kernels/f.cu:11 setp.lt.u32 false",
      "kernels/f.cu:12 bar.warp.sync",       "kernels/f.cu:14 barrier.sync",
      "kernels/f.cu:14 membar.gl",           "kernels/f.cu:14 fence.acq_rel.gpu",
      "kernels/f.cu:14 griddepcontrol.wait", "kernels/f.cu:14 ld.volatile"};
  EXPECT_EQ(found, expected);
}

TEST(Tokens, go_alone_and_leave_the_lines_where_they_are) {
  const std::string module =
      ".visible .entry f(\n\t.param .u64 n\n)\n{\n\t.loc\t1 3 0\n\tbar.sync 0;\n\tbar.sync 0;\n"
      "\tst.volatile.shared.f32 [%r1], %f1;\n\tret;\n}\n\t.file\t1 \"kernels/f.cu\"\n";
  const auto all = tokens(module, {"f"});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(without(module, all[1]),
            ".visible .entry f(\n\t.param .u64 n\n)\n{\n\t.loc\t1 3 0\n\tbar.sync 0;\n\n"
            "\tst.volatile.shared.f32 [%r1], %f1;\n\tret;\n}\n\t.file\t1 \"kernels/f.cu\"\n");
  EXPECT_NE(without(module, all[2]).find("\tst.shared.f32 [%r1], %f1;\n"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet::kills
