// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet equal: whether two kernels give the same results, for all data and all schedules.
#include "properties/prove/equal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>

#include "interface/cli/options.hpp"
#include "interface/cli/output.hpp"
#include "interface/cli/subjects.hpp"
#include "properties/case/case_text.hpp"
#include "properties/hunt/select.hpp"
#include "properties/language/spec.hpp"
#include "properties/prove/equal_shapes.hpp"
#include "properties/prove/shapes.hpp"

namespace gauntlet::cli {
namespace {

struct EqualOptions {
  std::string a, b, spec, at, flags, flags_of_b, json;
  std::string n = "0,1,31,32,97,1000", blocks = "32,64,128,256";
  std::uint64_t cases = 20;
  bool tree = false, bits = false;
};

/// The spec, with another file as its kernel.
spec::Given with_kernel(const std::string& path, const std::string& file,
                        const std::vector<std::string>& flags) {
  if (!std::filesystem::exists(file)) {
    throw UsageError(fmt::format("{}: is no file; name a .cu or .ptx file for --spec", file));
  }
  std::istringstream lines(spec::spec_text(path));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string first, own, rest;
    words >> first;
    if (first == "kernel" && words >> own) {
      std::getline(words, rest);
      line = fmt::format("kernel {}{}", std::filesystem::absolute(file).string(), rest);
    }
    text += line + "\n";
  }
  return {.path = path, .text = text, .flags = flags, .kernels_for = "equal"};
}

/// A form or a spec, perhaps at a shape.
struct Named {
  std::string name;  ///< for people
  std::unique_ptr<Subjects> of;
  std::optional<Case> c;
};

Named named(const EqualOptions& options, const std::string& word, const std::string& flags,
            const std::atomic<bool>& interrupted) {
  const auto extra = read_flags(flags);
  Named side;
  side.name = word;
  if (!options.spec.empty()) {
    side.of = std::make_unique<Subjects>(
        std::vector<spec::Given>{with_kernel(options.spec, word, extra)}, interrupted);
    if (!options.at.empty()) side.c = parse_case(options.spec + " " + one_line(options.at));
  } else if (is_case_line(word)) {
    side.c = parse_case(one_line(word));
    side.of =
        std::make_unique<Subjects>(std::vector{properties::spelling(side.c->variant, side.c->form)},
                                   interrupted, extra, "equal");
    side.name = short_line(*side.c);
  } else {
    side.of = std::make_unique<Subjects>(std::vector{word}, interrupted, extra, "equal");
  }
  return side;
}

/// The variant and form of a side that is no case line.
properties::Selected form_of(const Named& side) {
  const auto found = properties::select(side.of->subject(), side.of->selectors);
  if (found.size() == 1) return found.front();
  const auto fixed = std::ranges::find_if(found, [](const properties::Selected& s) {
    return s.form->missing.empty() && s.form->name != "documented";
  });
  const bool one_variant = std::ranges::all_of(
      found, [&](const properties::Selected& s) { return s.variant == found.front().variant; });
  if (fixed == found.end() || !one_variant) {
    throw UsageError(
        fmt::format("{}: names {} forms; name one, VARIANT@FORM", side.name, found.size()));
  }
  return *fixed;
}

/// The same shape of the other form.
Case as_form(Case c, const properties::Selected& of) {
  c.variant = of.variant->id;
  c.form = of.form->name;
  return c;
}

/// Where no shape is named: A's sizes, or the shapes of forms.
std::vector<Case> shapes_of(const EqualOptions& options, const Named& a, const Named& b,
                            const std::atomic<bool>& interrupted) {
  const auto form = form_of(a);
  const auto& subject = a.of->subject();
  properties::Population of{form.variant->id, form.form->name, {}, {}};
  of.instance = prove::compared_instance(subject, form, b.of->subject(), form_of(b));
  auto cases = subject.sizes_to_prove(of, options.cases, [&] { return !interrupted.load(); });
  if (!cases.empty()) return cases;
  const auto shapes = prove::parse_shapes(options.n, options.blocks, "first");
  for (const auto block : shapes.blocks) {
    for (const auto n : shapes.n) {
      Case c = case_for(of.variant, of.form, of.instance);
      c.n = n;
      c.block = static_cast<std::uint32_t>(block);
      c.grid = 0;
      cases.push_back(c);
    }
  }
  return cases;
}

int run(EqualOptions options) {
  if (options.spec.empty() && !options.at.empty()) {
    throw UsageError("--at is for --spec; write the sizes behind a name: 'my.gauntlet n=33'");
  }
  Output output(options.json, "shapes");
  const auto& interrupted = output.watch("this is what was compared until then");
  Named a = named(options, options.a, options.flags, interrupted);
  Named b = named(options, options.b,
                  options.flags_of_b.empty() ? options.flags : options.flags_of_b, interrupted);
  if (b.c && !a.c) throw UsageError("a case line comes first: the other word may be a name");
  if (a.c && !b.c) b.c = as_form(*a.c, form_of(b));
  const bool every_n = options.n == "all";
  if (every_n && (a.c || a.of->specs() != nullptr || b.of->specs() != nullptr)) {
    throw UsageError("--n all is for two forms of the catalogue");
  }
  std::string text;
  const auto good = [&](prove::Equal verdict) {
    return verdict == prove::Equal::bitwise || (!options.bits && verdict == prove::Equal::as_reals);
  };
  if (a.c) {
    const prove::Side one{a.of->subject(), a.of->subject().completed(*a.c)},
        other{b.of->subject(), b.of->subject().completed(*b.c)};
    const auto e = prove::equal(one, other, options.tree);
    text = labelled("a", a.name) +
           labelled("b", b.name == a.name || !a.c ? b.name : short_line(*b.c)) + prove::text(e);
    if (options.tree) text += prove::parted(e);
    return output.finish(text, json_of("equal", e), good(e.verdict));
  }
  if (options.tree) throw UsageError("--tree is for one shape: write 'NAME ... n=33 block=32'");
  prove::EqualShapes swept;
  if (every_n) {
    swept = prove::equal_every_n(a.of->subject(), form_of(a), b.of->subject(), form_of(b),
                                 prove::parse_shapes("1", options.blocks, "first").blocks,
                                 [&] { return !interrupted.load(); });
  } else {
    std::vector<std::pair<Case, Case>> pairs;
    const auto other = form_of(b);
    for (const Case& c : shapes_of(options, a, b, interrupted)) {
      pairs.emplace_back(c, as_form(c, other));
    }
    swept =
        prove::equal(a.of->subject(), b.of->subject(), pairs, [&] { return !interrupted.load(); });
  }
  text = labelled("a", a.name) + labelled("b", b.name) + prove::text(swept);
  return output.finish(text, json_of("equal", swept), swept.shapes != 0 && good(swept.verdict));
}

}  // namespace

void add_equal(CLI::App& app, Action& action) {
  const Verb<EqualOptions> verb(
      app, action, "equal",
      "Prove that two kernels give the same results, or show data that tell them apart "
      "(docs/equal.md)",
      run);
  EqualOptions& options = *verb;
  verb->add_option("a", options.a,
                   "A case line in quotes, a spec (FILE.gauntlet) or a form (VARIANT@FORM); with "
                   "--spec a file with a kernel")
      ->type_name("A")
      ->required();
  verb->add_option("b", options.b, "The other one; behind a case line also a name alone")
      ->type_name("B")
      ->required();
  add_file(*verb.app, "--spec", options.spec, "A and B are the kernel's file of this spec in turn")
      ->check(CLI::ExistingFile.description(""));
  verb->add_option("--at", options.at, "With --spec: the shape, \"n=33 block=64\"")
      ->type_name("SIZES");
  verb->add_option("--n", options.n,
                   "Elements, for forms without a shape: 0,31,1000 or 0..4096; all: every n, of "
                   "forms over tiles (default 0,1,31,32,97,1000)")
      ->type_name("LIST");
  verb->add_option("--blocks", options.blocks,
                   "Threads per block, likewise (default 32,64,128,256)")
      ->type_name("LIST");
  add_number(*verb.app, "--cases", options.cases, "Shapes to draw of a spec (default 20)", 1,
             1'000'000'000);
  verb->add_flag("--tree", options.tree, "Draw both trees, and mark where they part");
  verb->add_flag("--bits", options.bits, "Nothing less than the same bits is equal");
  add_flags(*verb.app, options.flags);
  add_file(*verb.app, "--flags-of-b", options.flags_of_b, "The same for B alone");
  add_json(*verb.app, options.json, "the comparison", "docs/equal.md");
  verb->footer(
      "Exit codes: 0 equal, bit for bit or as reals; 1 refuted or not known; 2 usage;\n"
      "130 interrupted.");
}

}  // namespace gauntlet::cli
