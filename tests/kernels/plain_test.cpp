// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The plain sources: each compiles, gives the values and the findings of its form, and each finding
// lies on the line that the record of lines names.
#include "kernels/plain/plain.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/usage_error.hpp"
#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/machine.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/hunt/select.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/launch/simt_executor.hpp"
#include "sanitizer/kernel/source.hpp"

namespace gauntlet::kernels {
namespace {

/// A text as nvcc compiles it, for the machine.
std::shared_ptr<const simt::Module> compiled(const std::string& text, const std::string& name) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("gauntlet_plain_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::string path = folder / (name + ".cu");
  std::ofstream(path) << text;
  const std::atomic<bool> never = false;
  const auto source = sanitize::read_source(path, {"-arch=compute_80", "-O3", "-std=c++17"}, never);
  std::filesystem::remove_all(folder);
  return simt::load_module(source.text, source.name);
}

Case case_of(const PlainSource& source) {
  Case c;
  const auto at = source.name.find('@');
  c.variant = source.name.substr(0, at);
  c.form = source.name.substr(at + 1);
  c.in = source.instance.in;
  c.acc = source.instance.acc;
  c.op = source.instance.op;
  c.grid = 0;
  c.block = source.block != 0 ? source.block : 256;
  return c;
}

std::string entry_of(const PlainSource& source) {
  const Case c = case_of(source);
  const std::string stem = entry_stem(c);
  return compiled_kernels().blocks(c).empty() ? stem : fmt::format("{}__b{}", stem, c.block);
}

/// Several plain sources as one text, each in a namespace of its own, its kernel under the name of
/// the compiled entry.
struct Combined {
  std::string text;
  std::map<std::string, std::size_t> first_line;  ///< of a source's first line, by entry

  explicit Combined(const std::vector<PlainSource>& sources) {
    std::set<std::string> outside;  // what must not be in a namespace
    std::vector<std::string> inside;
    for (const PlainSource& source : sources) {
      std::istringstream lines(source.text);
      std::string all, shared;
      const std::string variant = source.name.substr(0, source.name.find('@'));
      for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("#include") ||
            (line.starts_with("__device__ ") && line.find("];") != std::string::npos)) {
          outside.insert(line);
          line.clear();
        }
        const std::string call = " " + variant + "(";
        if (const auto at = line.find(call); at != line.npos && !line.starts_with("//")) {
          line.replace(at, call.size(), " " + entry_of(source) + "(");
        }
        // In a function with C linkage all of these are one array.
        if (line.starts_with("  extern __shared__")) {
          shared = line + " ";
          line.clear();
        }
        all += line + "\n";
      }
      inside.push_back(all.insert(all.find("extern \"C\""), shared));
    }
    for (const std::string& line : outside) text += line + "\n";
    for (std::size_t k = 0; k < sources.size(); ++k) {
      text += fmt::format("namespace form_{} {{\n", k);
      first_line[entry_of(sources[k])] = std::ranges::count(text, '\n') + 1;
      text += inside[k] + "}\n";
    }
  }
};

/// Small cases, and the committed counterexamples of the form that its text is written for.
std::vector<Case> cases_of(const PlainSource& source) {
  std::vector<Case> cases;
  for (const std::uint64_t n : {1, 33, 255, 1030}) {
    Case c = case_of(source);
    c.n = n;
    c.data = Data::small_integers;
    cases.push_back(c);
    c.schedule = "high_lane_first";
    cases.push_back(c);
  }
  const Case own = case_of(source);
  for (const auto& kept : properties::load_regressions("", own.variant, own.form)) {
    const Case& c = kept.c;
    const bool fits = c.in == own.in && c.acc == own.acc && c.op == own.op &&
                      (source.block == 0 || c.block == source.block);
    if (fits) cases.push_back(c);
  }
  return cases;
}

using Shown = std::set<std::tuple<FindingKind, std::string, std::int64_t>>;

Shown shown(const Observation& seen) {
  Shown result;
  for (const Finding& f : seen.findings) result.emplace(f.kind, f.array, f.index);
  return result;
}

/// A variable of the file is called as it is there.
Plan with_plain_symbols(Plan plan) {
  for (Observed& observed : plan.observed) {
    if (observed.symbol.empty()) continue;
    for (Launch& launch : plan.launches) {
      for (Arg& arg : launch.args) {
        if (arg.symbol == observed.symbol) arg.symbol = observed.buffer;
      }
    }
    observed.symbol = observed.buffer;
  }
  return plan;
}

void expect_same(const std::vector<PlainSource>& sources) {
  const Combined combined(sources);
  const auto module = compiled(combined.text, "plain");
  const auto original = simt::make_executor();
  const auto plain = simt::make_executor({.module = [&](const std::string&) { return module; }});
  std::size_t findings = 0, placed = 0;
  for (const PlainSource& source : sources) {
    const std::size_t first = combined.first_line.at(entry_of(source));
    for (const Case& c : cases_of(source)) {
      SCOPED_TRACE(to_string(c));
      const Plan plan = kernels::plan(c);
      const Observation a = original->run(c, plan), b = plain->run(c, with_plain_symbols(plan));
      EXPECT_EQ(a.completed, b.completed);
      EXPECT_EQ(shown(a), shown(b));
      ASSERT_EQ(a.buffers.size(), b.buffers.size());
      for (std::size_t k = 0; k < a.buffers.size(); ++k) {
        EXPECT_EQ(a.buffers[k].bytes, b.buffers[k].bytes);
        EXPECT_EQ(a.buffers[k].defined, b.buffers[k].defined);
      }
      std::set<std::uint32_t> expected;  // where the form's findings are in the plain text
      for (const Finding& f : a.findings) {
        const auto lines = source.lines_of(f.at.file, f.at.line);
        expected.insert(lines.begin(), lines.end());
      }
      for (const Finding& f : b.findings) {
        if (f.at.line == 0 || !f.at.file.ends_with("plain.cu")) continue;
        ++findings;
        placed += expected.contains(static_cast<std::uint32_t>(f.at.line - first + 1));
        EXPECT_TRUE(expected.contains(static_cast<std::uint32_t>(f.at.line - first + 1)))
            << to_string(f);
      }
    }
  }
  EXPECT_EQ(findings, placed);
}

std::vector<PlainSource> sources_of(const std::vector<std::string>& selectors) {
  std::vector<PlainSource> result;
  for (const auto& [variant, form] : properties::select(kernels::compiled_kernels(), selectors)) {
    if (auto source = plain_source(*variant, *form)) result.push_back(std::move(*source));
  }
  return result;
}

TEST(PlainSources, are_there_for_every_form_but_those_of_cub_device) {
  for (const Variant& variant : catalogue()) {
    for (const Form& form : variant.forms) {
      EXPECT_EQ(plain_source(variant, form).has_value(), variant.id != "cub_device")
          << variant.id << "@" << form.name;
    }
  }
}

TEST(PlainSources, have_no_template_and_none_of_our_headers) {
  for (const PlainSource& source : sources_of({})) {
    EXPECT_EQ(source.text.find("template <"), std::string::npos) << source.name;
    EXPECT_EQ(source.text.find("gauntlet"), std::string::npos) << source.name;
    EXPECT_EQ(source.text.find("kernels/"), std::string::npos) << source.name;
  }
}

TEST(PlainSources, behave_as_their_forms_do) {
  auto sources = sources_of({});
  std::erase_if(sources, [](const auto& s) { return s.name.starts_with("cub_"); });
  expect_same(sources);
}

TEST(PlainSources, of_cub_behave_as_their_forms_do) {
  expect_same(sources_of({"cub_block", "cub_warp"}));
}

TEST(PlainSources, of_another_block_compile_and_behave) {
  const Variant& variant = *find_variant("half_shared_half_block");
  const auto source = plain_source(variant, *variant.form("documented"), 32);
  ASSERT_TRUE(source);
  EXPECT_EQ(source->block, 32u);
  expect_same({*source});
  EXPECT_FALSE(plain_source(variant, *variant.form("documented"), 31));
}

TEST(PlainSources, notice_another_form) {
  const Variant& variant = *find_variant("sequential");
  auto source = plain_source(variant, *variant.form("fixed-bounds_check"));
  auto fixed = plain_source(variant, *variant.form("fixed"));
  ASSERT_TRUE(source && fixed);
  source->text = fixed->text;  // the text of the repaired kernel in the place of the defective one
  const Combined combined({*source});
  const auto module = compiled(combined.text, "plain");
  const auto plain = simt::make_executor({.module = [&](const std::string&) { return module; }});
  Case c = case_of(*source);
  c.n = 33;
  const Plan plan = kernels::plan(c);
  EXPECT_NE(shown(simt::make_executor()->run(c, plan)), shown(plain->run(c, plan)));
}

}  // namespace
}  // namespace gauntlet::kernels
