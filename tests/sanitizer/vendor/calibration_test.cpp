// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The planted defects are real and the twins clean: shown on the SIMT machine, which sees those,
// too, to which the vendor tools are blind.
#include "sanitizer/vendor/calibration.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "machine/engine/machine.hpp"

namespace gauntlet::sanitizer {
namespace {

using K = FindingKind;

std::set<K> found(const std::string& entry, std::uint32_t threads) {
  static const auto module = [] {
    const EmbeddedFile* const ptx = find_embedded(embedded(), "calibration.ptx");
    return simt::load_module(std::string(ptx->content()), "calibration.ptx");
  }();
  simt::GlobalMemory memory;
  const std::uint64_t bytes = threads * sizeof(int);
  simt::GlobalMemory::Options options;
  options.name = "in";
  options.bytes = bytes;
  const auto in = memory.allocate(options);
  memory.write(in, std::vector<std::byte>(bytes, std::byte{1}));
  options.name = "out";
  options.output = true;
  const auto out = memory.allocate(options);
  simt::ModuleState state(module, memory);
  simt::LaunchConfig config;
  config.entry = entry;
  config.grid = {1, 1, 1};
  config.block = {threads, 1, 1};
  config.shared_bytes = static_cast<std::uint32_t>(bytes);
  config.races = true;
  config.add(in);
  config.add(out);
  config.add(static_cast<std::int32_t>(threads));
  std::set<K> kinds;
  for (const Finding& f : simt::launch(state, config).findings) {
    if (f.severity != Severity::note) kinds.insert(f.kind);
  }
  if (!memory.initialised(out, bytes)) kinds.insert(K::unwritten_output);
  return kinds;
}

std::string spelt(const std::set<K>& kinds) {
  std::string text;
  for (const K kind : kinds) text += std::string(name(kind)) + " ";
  return text;
}

TEST(Calibration, the_simt_machine_finds_every_planted_defect_and_nothing_in_the_twins) {
  const std::map<std::string_view, K> kinds{
      {"global_read_out_of_bounds", K::out_of_bounds_read},
      {"global_write_out_of_bounds", K::out_of_bounds_write},
      {"shared_read_out_of_bounds", K::out_of_bounds_read},
      {"shared_write_out_of_bounds", K::out_of_bounds_write},
      {"global_misaligned", K::misaligned},
      {"shared_race_between_warps", K::race_write_read},
      {"shared_race_inside_warp", K::race_write_read},
      {"global_uninitialised", K::poison_output},
      {"copy_uninitialised", K::unwritten_output},
      {"shared_uninitialised", K::poison_output},
      {"divergent_barrier", K::partial_barrier},
      {"invalid_mask", K::not_in_own_mask},
      {"shuffle_from_absent_lane", K::poison_output},
  };
  for (const Planted& p : planted()) {
    const auto shown = found(calibration_entry(p.defect, false), p.threads);
    EXPECT_TRUE(shown.contains(kinds.at(p.defect))) << p.defect << ": " << spelt(shown);
    EXPECT_EQ(spelt(found(calibration_entry(p.defect, true), p.threads)), "") << p.defect;
  }
}

TEST(Calibration, every_tool_has_a_defect_to_find_and_every_kernel_its_threads) {
  for (const Tool tool : all_tools) {
    EXPECT_TRUE(std::ranges::any_of(planted(), [&](const Planted& p) {
      return p.tool == tool && !p.reports.empty();
    })) << name(tool);
  }
  EXPECT_EQ(calibration_threads("calibration__shuffle_from_absent_lane__clean"), 48U);
  EXPECT_EQ(calibration_threads("calibration__shuffle_from_absent_lane__other"), 0U);
}

}  // namespace
}  // namespace gauntlet::sanitizer
