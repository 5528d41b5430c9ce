// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/spelling.hpp"

namespace gauntlet::spec {
namespace {

void names_in(const Spec& spec, const Expression& e, const Where& where,
              const std::set<std::string>& known, std::set<std::string> local, bool elements) {
  if (e == nullptr) return;
  const auto unknown = [&](const std::string& word) {
    std::vector<std::string_view> all(known.begin(), known.end());
    all.insert(all.end(), local.begin(), local.end());
    for (const Scalar& s : spec.scalars) all.push_back(s.name);
    where.fail(unknown_word("name", word, all));
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
      if (!elements) where.fail("a reduction can be named in a result only");
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

}  // namespace

void add_implied_sizes(Spec& spec, std::set<std::string>& names) {
  const Size known[] = {{"n", 0, 4096, {}}, {"rows", 1, 64, {}}, {"columns", 1, 1024, {}}};
  std::set<std::string> used;
  const auto look = [&](const Expression& e) {
    visit(e, [&](const Node& node) {
      if (node.kind == Node::Kind::name) used.insert(node.text);
    });
  };
  for (const Array& a : spec.arrays) {
    for (const Expression& e : a.extents) look(e);
    look(a.content);
  }
  const auto look_at = [&](const std::vector<Member>& members) {
    for (const Member& m : members) look(m.value);
  };
  for (const Array& a : spec.arrays) {
    look(a.pad);
    look(a.pad_content);
    look_at(a.list);
  }
  for (const Scalar& s : spec.scalars) {
    look(s.value);
    look_at(s.members);
  }
  for (const Definition& d : spec.definitions) look(d.value);
  for (const Definition& d : spec.requirements) look(d.value);
  for (const LaunchStatement& l : spec.launches) {
    for (const Expression& e : l.grid) look(e);
    for (const Expression& e : l.block) look(e);
  }
  if (spec.by) look(spec.by->within);
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

}  // namespace

void check_names(const Spec& spec, const std::set<std::string>& names) {
  std::set<std::string> known = names;
  if (!spec.host) known.insert({"grid", "block", "blocks"});
  const auto check = [&](const Expression& e, const Where& where, std::set<std::string> local,
                         bool elements) { names_in(spec, e, where, known, local, elements); };
  const auto check_members = [&](const std::vector<Member>& members, const Where& where) {
    for (const Member& m : members) {
      check(m.value, where, {}, false);
      if (m.pointer() && spec.array(m.array) == nullptr) {
        std::vector<std::string_view> arrays;
        for (const Array& a : spec.arrays) arrays.push_back(a.name);
        where.fail(unknown_word("array", m.array, arrays));
      }
    }
  };
  for (const Array& a : spec.arrays) {
    for (const Expression& e : a.extents) check(e, a.where, {}, false);
    check(a.content, a.where, {"i"}, true);
    check(a.pad, a.where, {}, false);
    check(a.pad_content, a.where, {}, false);
    check_members(a.list, a.where);
    check_content(spec, a);
  }
  for (const Scalar& s : spec.scalars) {
    check(s.value, s.where, {}, false);
    check_members(s.members, s.where);
  }
  for (const Definition& d : spec.definitions) check(d.value, d.where, {}, false);
  for (const Definition& d : spec.requirements) check(d.value, d.where, {}, false);
  for (const LaunchStatement& l : spec.launches) {
    for (const Expression& e : l.grid) check(e, l.where, {}, false);
    for (const Expression& e : l.block) check(e, l.where, {}, false);
    check(l.shared, l.where, {}, false);
    check(l.only, l.where, {}, false);
  }
  if (spec.by) check(spec.by->within, spec.by->where, {}, false);
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

}  // namespace gauntlet::spec
