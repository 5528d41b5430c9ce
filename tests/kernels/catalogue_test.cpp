// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What was compiled and what the catalogue says must be the same list.
#include "kernels/catalogue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>

#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "tests/kernels/cases.hpp"

namespace gauntlet::kernels {
namespace {

bool is_cub(const Variant& v) { return v.id.starts_with("cub_"); }

std::set<std::string> compiled_variant_forms() {
  std::set<std::string> found;
  for (const Entry& entry : entries()) {
    const std::string name(entry.name);
    if (find_row(entry.module)->by_host()) {
      EXPECT_TRUE(name.starts_with("_ZN3cub")) << name;
      continue;
    }
    const std::size_t form = name.find("__");
    const std::size_t types = name.find("__", form + 2);
    if (types == std::string::npos) {
      ADD_FAILURE() << "no VARIANT__FORM__TYPES: " << name;
      continue;
    }
    found.insert(name.substr(0, types));
  }
  return found;
}

/// The instruction has 32-bit integers only.
bool redux_can_sum(const TypePair& t) {
  return (t.acc == Type::i32 || t.acc == Type::u32) && size_of(t.in) <= 4;
}

std::string key(const Variant& v, const Form& f) {
  std::string form = f.name;
  std::ranges::replace(form, '-', '_');
  return v.id + "__" + form;
}

TEST(Catalogue, every_row_from1_to33_exists) {
  std::set<int> rows;
  for (const Variant& v : catalogue()) rows.insert(v.row);
  std::set<int> wanted;
  for (int row = 1; row <= 33; ++row) wanted.insert(row);
  EXPECT_EQ(rows, wanted);
}

TEST(Catalogue, has_as_many_variants_of_each_origin_and_forms_as_the_readme_says) {
  std::map<Origin, int> variants;
  std::size_t forms = 0;
  for (const Variant& v : catalogue()) {
    ++variants[v.origin];
    forms += v.forms.size();
  }
  std::ifstream file(GAUNTLET_README);
  const std::string readme(std::istreambuf_iterator<char>(file), {});
  EXPECT_NE(readme.find(fmt::format("{} are printed by a document, {} are described in words, "
                                    "{} are ours",
                                    variants[Origin::printed], variants[Origin::described],
                                    variants[Origin::ours])),
            readme.npos);
  EXPECT_NE(readme.find(fmt::format("All {} forms", forms)), readme.npos);
}

TEST(Catalogue, ids_are_unique_and_found) {
  std::set<std::string> ids;
  for (const Variant& v : catalogue()) {
    EXPECT_TRUE(ids.insert(v.id).second) << v.id;
    EXPECT_EQ(find_variant(v.id), &v);
  }
  EXPECT_EQ(find_variant("no_such_kernel"), nullptr);
}

TEST(Catalogue, kernels_that_no_document_prints_are_named) {
  const std::set<std::string> described{
      "volatile_warp_tail_plain", "full_unroll", "shuffle_loop", "two_pass", "shuffle_xor",
      "global_inplace",           "shuffle_rows"};
  const std::set<std::string> ours{"cub_block",       "cub_warp",     "single_pass_ticket",
                                   "redux",           "vector_batch", "single_pass_slots",
                                   "dependent_launch"};
  for (const Variant& v : catalogue()) {
    const Origin wanted = described.contains(v.id) ? Origin::described
                          : ours.contains(v.id)    ? Origin::ours
                                                   : Origin::printed;
    EXPECT_EQ(name(v.origin), name(wanted)) << v.id;
  }
}

TEST(Catalogue, rows_are_in_order) {
  EXPECT_TRUE(std::ranges::is_sorted(catalogue(), {}, &Variant::row));
}

TEST(Catalogue, every_form_has_compiled_instances) {
  for (const Variant& v : catalogue()) {
    for (const Form& f : v.forms) EXPECT_FALSE(instances(v.id, f.name).empty()) << v.id << f.name;
  }
}

TEST(Catalogue, every_compiled_entry_belongs_to_a_row) {
  std::set<std::string> rows;
  for (const Variant& v : catalogue()) {
    for (const Form& f : v.forms) rows.insert(key(v, f));
  }
  for (const std::string& compiled : compiled_variant_forms()) {
    EXPECT_TRUE(rows.contains(compiled)) << compiled;
  }
}

TEST(Catalogue, what_the_specs_say_is_compiled_and_nothing_else) {
  std::set<std::string> compiled;
  for (const Entry& entry : entries()) compiled.emplace(entry.name);
  for (const Variant& v : catalogue()) {
    if (find_row(v.id)->by_host()) continue;
    for (const Form& f : v.forms) {
      for (const Instance& i : instances(v.id, f.name)) {
        Case c;
        c.variant = v.id;
        c.form = f.name;
        c.acc = i.acc;
        c.op = i.op;
        c.in = i.in;
        const std::string stem = entry_stem(c);
        const auto blocks = compiled_kernels().blocks(c);
        for (const std::uint32_t block : blocks) {
          EXPECT_EQ(compiled.erase(fmt::format("{}__b{}", stem, block)), 1U) << stem << block;
        }
        if (blocks.empty()) {
          EXPECT_EQ(compiled.erase(stem), 1U) << stem;
        }
      }
    }
  }
  std::erase_if(compiled, [](const std::string& name) { return name.starts_with("_ZN3cub"); });
  EXPECT_EQ(compiled, std::set<std::string>{});
}

TEST(Catalogue, forms_are_documented_fixed_and_one_per_defect) {
  for (const Variant& v : catalogue()) {
    std::vector<std::string> wanted{"documented", "fixed"};
    for (const Defect& d : v.defects) wanted.push_back("fixed-" + d.fix);
    std::vector<std::string> names;
    for (const Form& f : v.forms) names.push_back(f.name);
    // Then those that lack several, if any.
    for (std::size_t i = wanted.size(); i < v.forms.size(); ++i) {
      EXPECT_GT(v.forms[i].missing.size(), 1U) << v.id << '@' << names[i];
    }
    names.resize(std::min(names.size(), wanted.size()));
    EXPECT_EQ(names, wanted) << v.id;
  }
}

TEST(Catalogue, forms_lack_what_their_name_says) {
  for (const Variant& v : catalogue()) {
    std::set<std::string> fixes;
    for (const Defect& d : v.defects) fixes.insert(d.fix);
    for (const Form& f : v.forms) {
      if (f.name == "fixed") {
        EXPECT_TRUE(f.missing.empty()) << v.id;
      } else if (f.name == "documented") {
        for (const std::string& fix : f.missing) EXPECT_TRUE(fixes.contains(fix)) << v.id << fix;
        EXPECT_EQ(f.missing.empty(), v.defects.empty()) << v.id;
      } else {
        EXPECT_EQ(fmt::format("fixed-{}", fmt::join(f.missing, "-")), f.name) << v.id;
        for (const std::string& fix : f.missing) EXPECT_TRUE(fixes.contains(fix)) << v.id << fix;
      }
    }
  }
}

TEST(Catalogue, fixed_forms_expect_nothing) {
  for (const Variant& v : catalogue()) {
    ASSERT_NE(v.form("fixed"), nullptr) << v.id;
    EXPECT_TRUE(v.form("fixed")->expected.empty()) << v.id;
  }
}

TEST(Catalogue, expectations_are_sorted_sets) {
  for (const Variant& v : catalogue()) {
    for (const Form& f : v.forms) {
      EXPECT_TRUE(std::ranges::is_sorted(f.expected)) << v.id << '@' << f.name;
      EXPECT_EQ(std::ranges::adjacent_find(f.expected), f.expected.end()) << v.id << f.name;
    }
  }
}

TEST(Catalogue, forms_that_lack_a_fix_show_it_except_where_another_fix_covers) {
  // __syncwarp orders memory for the compiler too: volatile is then no longer needed.
  const std::set<std::string> covered{"fixed-volatile_shared"};
  for (const Variant& v : catalogue()) {
    if (is_cub(v))
      continue;  // what reaches CUB's kernels of a host's mistake is its tests' subject
    for (const Form& f : v.forms) {
      if (covered.contains(f.name)) {
        EXPECT_TRUE(f.expected.empty()) << v.id;
      } else {
        EXPECT_EQ(f.expected.empty(), f.missing.empty()) << v.id << '@' << f.name;
      }
    }
  }
}

TEST(Catalogue, every_row_says_who_publishes_it_and_what_it_claims) {
  for (const Variant& v : catalogue()) {
    EXPECT_FALSE(v.documents.empty()) << v.id;
    EXPECT_FALSE(v.claim.empty()) << v.id;
    EXPECT_FALSE(v.idea.empty()) << v.id;
    EXPECT_FALSE(v.completion.empty()) << v.id;
    EXPECT_FALSE(v.contract.empty()) << v.id;
    for (const Defect& d : v.defects) EXPECT_FALSE(d.what.empty()) << v.id << d.fix;
  }
}

TEST(Catalogue, every_form_is_compiled_in_the_documented_types) {
  for (const Variant& v : catalogue()) {
    ASSERT_FALSE(v.documented_types.empty()) << v.id;
    for (const Form& f : v.forms) {
      const auto compiled = instances(v.id, f.name);
      for (const TypePair& t : v.documented_types) {
        EXPECT_EQ(std::ranges::count(compiled, Instance{t.in, t.acc, Op::sum}), 1)
            << v.id << '@' << f.name << ' ' << name(t.in);
      }
    }
  }
}

TEST(Catalogue, fixed_forms_are_compiled_for_all_type_pairs_and_operators) {
  EXPECT_EQ(type_pairs().size(), 14U);
  for (const Variant& v : catalogue()) {
    const auto compiled = instances(v.id, "fixed");
    for (const TypePair& t : type_pairs()) {
      // The in-place tree keeps its sums in the input array.
      if (v.id == "global_inplace" && t.in != t.acc) continue;
      if (v.id == "redux" && !redux_can_sum(t)) continue;
      EXPECT_EQ(std::ranges::count(compiled, Instance{t.in, t.acc, Op::sum}), 1)
          << v.id << ' ' << name(t.in) << "->" << name(t.acc);
    }
    for (const Type type : {Type::f32, Type::f64, Type::i32, Type::f16}) {
      for (const Op op : all<Op>()) {
        if (v.id == "redux" && (op == Op::product || type != Type::i32)) continue;
        EXPECT_EQ(std::ranges::count(compiled, Instance{type, type, op}), 1)
            << v.id << ' ' << name(type) << ' ' << name(op);
      }
    }
  }
}

TEST(Catalogue, redux_is_compiled_for_minimum_and_maximum_too) {
  for (const Form& f : find_variant("redux")->forms) {
    const auto compiled = instances("redux", f.name);
    for (const Op op : {Op::sum, Op::minimum, Op::maximum}) {
      EXPECT_EQ(std::ranges::count(compiled, Instance{Type::i32, Type::i32, op}), 1) << f.name;
    }
  }
}

TEST(Catalogue, every_variant_is_two_files_and_one_is_launched_by_a_function_of_the_host) {
  for (const Variant& v : catalogue()) {
    const Row& row = *find_row(v.id);
    EXPECT_FALSE(row.source().empty()) << v.id;
    EXPECT_EQ(row.by_host(), v.id == "cub_device");
    EXPECT_EQ(v.host, "") << v.id;
  }
}

TEST(Catalogue, the_spec_names_the_architecture_that_its_kernel_is_compiled_for) {
  std::map<std::string, std::uint32_t> later;
  for (const Variant& v : catalogue()) {
    const Row& row = *find_row(v.id);
    const std::uint32_t least = spec::capability_of(ptx_of("sequential"));
    const std::uint32_t own = spec::capability_of(ptx_of(v.id));
    const std::string flag = fmt::format("-arch=compute_{}", own);
    const auto& flags = row.spec().flags;
    EXPECT_EQ(own != least, std::ranges::count(flags, flag) != 0) << v.id;
    if (own != least) later[v.id] = own;
  }
  EXPECT_EQ(later, (std::map<std::string, std::uint32_t>{{"dependent_launch", 90}, {"redux", 80}}));
}

}  // namespace
}  // namespace gauntlet::kernels
