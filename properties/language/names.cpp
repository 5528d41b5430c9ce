// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/parser.hpp"
#include "properties/language/statements.hpp"

namespace gauntlet::spec {
namespace {

void names_in(const Spec& spec, const Expression& e, const Where& where,
              const std::set<std::string>& known, std::set<std::string> local, bool elements) {
  if (e == nullptr) return;
  const auto unknown = [&](const std::string& word) {
    constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
        {"zeros", "0"},     {"ones", "1"},         {"random", "random(LO, HI)"},
        {"arange", "iota"}, {"blockDim", "block"}, {"gridDim", "blocks"},
        {"true", "1"},      {"false", "0"}};
    for (const auto& [theirs, ours] : elsewhere) {
      if (word == theirs) where.fail(fmt::format("unknown name `{}`; write {}", word, ours));
    }
    std::set<std::string_view> all(known.begin(), known.end());
    all.insert(local.begin(), local.end());
    for (const Scalar& s : spec.scalars) all.insert(s.name);
    where.fail(unknown_word("name", word, std::vector(all.begin(), all.end())));
  };
  switch (e->kind) {
    case Node::Kind::name:
      if (e->text == "..") return;
      if (!known.contains(e->text) && !local.contains(e->text)) unknown(e->text);
      if (!elements && spec.array(e->text) != nullptr) {
        where.fail(fmt::format("{} is an array; a size or a name is needed here", e->text));
      }
      return;
    case Node::Kind::element:
    case Node::Kind::slice: {
      const Array* a = spec.array(e->text);
      if (a == nullptr) unknown(e->text);
      if (!elements) where.fail(fmt::format("{}[...] can be named in a result only", e->text));
      const std::size_t extents =
          e->kind == Node::Kind::slice ? e->children.size() / 2 : e->children.size();
      if (extents != a->extents.size()) {
        where.fail(fmt::format("{} has {} extents, not {}", a->name, a->extents.size(), extents));
      }
      break;
    }
    case Node::Kind::reduction:
      if (!elements) {
        const bool two = e->reduction == Reduction::min || e->reduction == Reduction::max;
        where.fail(two ? "min and max of sizes take two numbers; write max(1, n)"
                       : "a reduction can be named in a result only");
      }
      if (!e->text.empty()) local.insert(e->text);
      if (e->children.size() > 5) {
        auto operands = local;
        operands.insert({e->text2, e->text3});
        names_in(spec, e->children[5], where, known, operands, elements);
        names_in(spec, e->children[6], where, known, local, elements);
        names_in(spec, e->children[0], where, known, local, elements);
        return;
      }
      break;
    default:
      break;
  }
  for (const Expression& child : e->children) names_in(spec, child, where, known, local, elements);
}

bool mentions(const Expression& e, const std::string& name) {
  if (!e) return false;
  if (e->kind == Node::Kind::name && e->text == name) return true;
  return std::ranges::any_of(e->children, [&](const auto& child) { return mentions(child, name); });
}

/// Its size, or UsageError.
Size& size_of_constant(Spec& spec, const Constant& constant) {
  const auto size = std::ranges::find(spec.sizes, constant.size, &Size::name);
  if (size != spec.sizes.end()) return *size;
  std::vector<std::string_view> names;
  for (const Size& known : spec.sizes) names.push_back(known.name);
  constant.where.fail(names.empty() ? fmt::format("{} is no size; write size {} = 32,64,128",
                                                  constant.size, constant.size)
                                    : unknown_word("size", constant.size, names));
}

/// Every value of the size.
void take_values(Constant& constant, const Size& size) {
  constexpr std::uint64_t most = 64;
  constant.values = size.choices;
  if (!size.choices.empty()) return;
  if (size.most - size.least >= most) {
    constant.where.fail(fmt::format(
        "the kernel is compiled for each value, and {} has more than {}; write size {} = "
        "32,64,128",
        size.name, most, size.name));
  }
  for (std::uint64_t k = size.least; k <= size.most; ++k) constant.values.push_back(k);
}

/// Calls f(expression, where, is a content) for those of the statements but `result`.
template <class F>
void for_each_expression(const Spec& spec, F&& f) {
  const auto each = [&](const auto& all, const Where& where) {
    for (const Expression& e : all) f(e, where, false);
  };
  const auto members = [&](const std::vector<Member>& all, const Where& where) {
    for (const Member& m : all) f(m.value, where, false);
  };
  for (const Array& a : spec.arrays) {
    each(a.extents, a.where);
    f(a.content, a.where, true);
    each(std::array{a.pad, a.pad_content}, a.where);
    members(a.list, a.where);
  }
  for (const Scalar& s : spec.scalars) {
    f(s.value, s.where, false);
    members(s.members, s.where);
  }
  for (const auto* all : {&spec.definitions, &spec.requirements}) {
    for (const Definition& d : *all) f(d.value, d.where, false);
  }
  for (const LaunchStatement& l : spec.launches) {
    each(l.grid, l.where);
    each(l.block, l.where);
    each(std::array{l.shared, l.only}, l.where);
  }
  if (spec.by) f(spec.by->within, spec.by->where, false);
}

}  // namespace

void add_implied_sizes(Spec& spec, std::set<std::string>& names) {
  const Size known[] = {{"n", 0, 4096, {}}, {"rows", 1, 64, {}}, {"columns", 1, 1024, {}}};
  std::set<std::string> used;
  for_each_expression(spec, [&](const Expression& e, const Where&, bool) {
    visit(e, [&](const Node& node) {
      if (node.kind == Node::Kind::name) used.insert(node.text);
    });
  });
  // A whole number that is passed has its name in extents, too.
  for (const Scalar& s : spec.scalars) {
    if (!used.contains(s.name) || is_float(s.type) || !s.members.empty() ||
        mentions(s.value, s.name) || !names.insert(s.name).second) {
      continue;
    }
    spec.definitions.push_back({s.name, s.value, s.where});
  }
  std::vector<Size> implied;
  for (const Size& size : known) {
    if (spec.sized || !used.contains(size.name) || !names.insert(size.name).second) continue;
    implied.push_back(size);
  }
  spec.sizes.insert(spec.sizes.begin(), implied.begin(), implied.end());
}

namespace {

/// A content is made of what lies there already: arrays above it, and its own elements.
void check_content(const Spec& spec, const Array& a) {
  visit(a.content, [&](const Node& node) {
    const bool reads = node.kind == Node::Kind::element || node.kind == Node::Kind::slice ||
                       (node.kind == Node::Kind::name && node.text != "i");
    const Array* const other = reads ? spec.array(node.text) : nullptr;
    if (other == nullptr || (other == &a && node.kind == Node::Kind::element)) return;
    if (other == &a) {
      a.where.fail(fmt::format(
          "{} is being made: one element before i may be named, as in {}[i - 1]", a.name, a.name));
    }
    if (other > &a) {
      a.where.fail(
          fmt::format("{} is declared below; name it in contents below its own line, and "
                      "give the kernel its order by args",
                      other->name));
    }
    if (!other->filled()) {
      a.where.fail(fmt::format("nothing lies in {} before the launch; write {} ... = CONTENT",
                               other->name, other->name));
    }
  });
}

void check_pointers(const Spec& spec, const std::vector<Member>& members, const Where& where) {
  for (const Member& m : members) {
    if (!m.pointer() || spec.array(m.array) != nullptr) continue;
    std::vector<std::string_view> arrays;
    for (const Array& a : spec.arrays) arrays.push_back(a.name);
    where.fail(unknown_word("array", m.array, arrays));
  }
}

}  // namespace

void check_names(const Spec& spec, const std::set<std::string>& names) {
  std::set<std::string> known = names;
  if (!spec.host) known.insert({"grid", "block", "blocks"});
  const auto check = [&](const Expression& e, const Where& where, std::set<std::string> local,
                         bool elements) { names_in(spec, e, where, known, local, elements); };
  for_each_expression(spec, [&](const Expression& e, const Where& where, bool content) {
    check(e, where, content ? std::set<std::string>{"i"} : std::set<std::string>{}, content);
  });
  for (const Array& a : spec.arrays) {
    check_pointers(spec, a.list, a.where);
    check_content(spec, a);
  }
  for (const Scalar& s : spec.scalars) check_pointers(spec, s.members, s.where);
  for (const Scalar& s : spec.scalars) {
    if (s.members.empty()) known.insert(s.name);
  }
  known.insert("offset");
  for (const Result& r : spec.results) {
    std::set<std::string> local{"unit"};
    for (const std::string& v : r.variables) {
      if (!v.empty()) local.insert(v);
    }
    for (const Expression& e : r.cell) check(e, r.where, local, false);
    for (const Definition& d : r.definitions) {
      check(d.value, r.where, local, true);
      local.insert(d.name);
    }
    check(r.value, r.where, local, true);
    visit(r.value, [&](const Node& node) {
      if (node.kind == Node::Kind::real && !std::isfinite(node.real)) {
        r.where.fail("inf and nan are for arguments and contents");
      }
    });
    check(r.height, r.where, local, false);
    for (const std::string& v : r.variables) {
      if (v.empty() || !mentions(r.only, v)) continue;
      r.where.fail(
          fmt::format("`if` is for all cells or none, by the sizes; {} is one cell's, and a "
                      "number in its place names that cell alone: [0]",
                      v));
    }
    check(r.only, r.where, {}, false);
    check(r.within, r.where, local, true);
  }
}

Constant constant_of(std::string_view text, const Where& where) {
  const auto equals = text.find('='), types = text.find(" for ");
  const auto names = words_of(text.substr(0, equals));
  const auto values =
      words_of(equals == text.npos ? "" : text.substr(equals + 1, types - equals - 1));
  if (equals == text.npos || names.size() != 1 || values.empty()) {
    where.fail("write define B = 32,64,128, the block sizes that it is compiled for");
  }
  Constant constant;
  constant.name = names[0];
  constant.size = "block";
  constant.where = where;
  if (types != text.npos) constant.types = pairs_of(text.substr(types + 5), where);
  std::string list;
  for (const std::string& word : values) list += word;
  if (!std::isdigit(static_cast<unsigned char>(list[0]))) {
    if (values.size() != 1) where.fail("write define B = SIZE, or define B = 32,64,128");
    constant.size = list;
    return constant;
  }
  for (std::string_view rest = list; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto value = parse_number<std::uint64_t>(rest.substr(0, comma), 1, 1024);
    if (!value) where.fail("block sizes are numbers from 1 to 1024; write define B = 32,64,128");
    constant.values.push_back(*value);
    rest.remove_prefix(std::min(rest.size(), comma + 1));
  }
  return constant;
}

void add_constant(Spec& spec, Constant constant) {
  const auto both = [&](const Constant& other) {
    return other.name == constant.name &&
           (other.types.empty() || constant.types.empty() ||
            std::ranges::find_first_of(other.types, constant.types) != other.types.end());
  };
  if (std::ranges::any_of(spec.constants, both)) {
    constant.where.fail(fmt::format("{} is declared twice", constant.name));
  }
  spec.constants.push_back(std::move(constant));
}

void find_constants(Spec& spec, std::string_view form, const Instance& instance) {
  for (Constant& constant : spec.constants) {
    Size& size = size_of_constant(spec, constant);
    if (constant.values.empty()) {
      take_values(constant, size);
      continue;
    }
    for (const std::uint64_t value : constant.values) {
      if (size.allows(value)) continue;
      constant.where.fail(fmt::format("{}: {} is {}", value, size.name, size.domain()));
    }
  }
  for (const Constant& constant : constants_of(spec, form, instance)) {
    Size& size = size_of_constant(spec, constant);
    if (constant.values.size() == size.most - size.least + 1) continue;  // any
    size.choices = constant.values;
    size.least = std::ranges::min(constant.values);
    size.most = std::ranges::max(constant.values);
  }
}

}  // namespace gauntlet::spec
