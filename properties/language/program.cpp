// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "properties/language/kept.hpp"

namespace gauntlet::spec {
namespace {

using Code = Bound::Code;

constexpr std::pair<std::string_view, Code> operator_codes[] = {
    {"+", Code::add},        {"-", Code::subtract},       {"*", Code::multiply},
    {"/", Code::divide},     {"%", Code::remainder},      {"==", Code::equal},
    {"!=", Code::unequal},   {"<", Code::less},           {"<=", Code::less_equal},
    {">", Code::greater},    {">=", Code::greater_equal}, {"&&", Code::logical_and},
    {"||", Code::logical_or}};
constexpr std::pair<std::string_view, Code> function_codes[] = {
    {"ceil", Code::ceil},    {"log2", Code::log2}, {"abs", Code::abs},
    {"exp", Code::exp},      {"log", Code::log},   {"sqrt", Code::sqrt},
    {"rsqrt", Code::rsqrt},  {"tanh", Code::tanh}, {"pow", Code::pow},
    {"min", Code::min},      {"max", Code::max},   {"float", Code::to_float},
    {"random", Code::random}};

template <std::size_t count>
Code code_of(const std::pair<std::string_view, Code> (&list)[count], std::string_view text) {
  return std::find_if(std::begin(list), std::end(list),
                      [&](const auto& entry) { return entry.first == text; })
      ->second;
}

class Binder {
 public:
  explicit Binder(Program& program) : p_(program), spec_(program.spec) {}

  void bind() {
    for (const Size& size : spec_.sizes) integers_[size.name] = p_.integers++;
    for (const Definition& d : spec_.definitions) pending_[d.name] = &d.value;
    const auto product = [](const std::vector<Expression>& extents) {
      Expression result = extents[0];
      for (std::size_t k = 1; k < extents.size(); ++k) {
        result = make_node(Node::Kind::binary, {result, extents[k]}, "*");
      }
      return result;
    };
    const LaunchStatement& first = spec_.launches.front();
    const Definition grid{"grid", product(first.grid), first.where};
    const Definition block{"block", product(first.block), first.where};
    const Expression blocks = make_node(Node::Kind::name, {}, "grid");  // another word for it
    const bool own_blocks =
        integers_.contains("blocks") || pending_.contains("blocks") || declares("blocks");
    if (!own_blocks) pending_["blocks"] = &blocks;
    if (!pending_.contains("grid")) pending_["grid"] = &grid.value;
    if (!integers_.contains("block") && !pending_.contains("block")) {
      pending_["block"] = &block.value;
    }
    for (const Definition& d : spec_.definitions) define(d.name, d.where);
    define("grid", first.where);
    define("block", first.where);
    if (!own_blocks) define("blocks", first.where);
    p_.grid_slot = integers_.at("grid");
    p_.block_slot = integers_.at("block");

    p_.offset_slot = p_.integers++;
    if (!integers_.contains("offset") && !declares("offset")) {
      integers_["offset"] = p_.offset_slot;
    }
    p_.index_slot = p_.integers++;
    for (const Array& a : spec_.arrays) {
      BoundArray array;
      for (const Expression& e : a.extents) array.extents.push_back(integral(e, a.where));
      integers_["i"] = p_.index_slot;
      if (a.content) array.content = bound(a.content, a.where);
      if (a.pad) array.pad = integral(a.pad, a.where);
      if (a.pad_content) array.pad_content = bound(a.pad_content, a.where);
      array.list = members(a.list, a.where);
      integers_.erase("i");
      p_.arrays.push_back(std::move(array));
    }
    for (const Scalar& s : spec_.scalars) {
      p_.scalars.push_back(bound(s.value, s.where));
      p_.members.push_back(members(s.members, s.where));
    }
    for (std::size_t k = 0; k < spec_.scalars.size(); ++k) {
      scalars_[spec_.scalars[k].name] = static_cast<int>(k);
    }
    for (const LaunchStatement& l : spec_.launches) {
      BoundLaunch launch;
      for (const Expression& e : l.grid) launch.grid.push_back(integral(e, l.where));
      for (const Expression& e : l.block) launch.block.push_back(integral(e, l.where));
      if (l.shared) launch.shared = integral(l.shared, l.where);
      if (l.only) launch.only = integral(l.only, l.where);
      p_.launches.push_back(std::move(launch));
    }
    for (const Definition& r : spec_.requirements) {
      p_.requirements.push_back(integral(r.value, r.where));
    }
    if (spec_.by && spec_.by->within) p_.by_within = bound(spec_.by->within, spec_.by->where);
    for (const Result& r : spec_.results) p_.results.push_back(result(r));
  }

 private:
  [[nodiscard]] bool declares(std::string_view name) const {
    return spec_.array(name) != nullptr ||
           std::any_of(spec_.scalars.begin(), spec_.scalars.end(),
                       [&](const Scalar& s) { return s.name == name; });
  }

  void define(const std::string& name, const Where& where) {
    if (integers_.contains(name)) return;
    const auto found = pending_.find(name);
    if (found == pending_.end() || found->second == nullptr) {
      where.fail(fmt::format("{} needs itself; make it of sizes and of other names", name));
    }
    const Expression value = *std::exchange(found->second, nullptr);
    visit(value, [&](const Node& node) {
      if (node.kind == Node::Kind::name && pending_.contains(node.text)) define(node.text, where);
    });
    BoundDefinition d;
    d.name = name;
    d.value = integral(value, where);
    d.integral = true;
    d.slot = p_.integers++;
    integers_[name] = d.slot;
    p_.definitions.push_back(std::move(d));
  }

  Bound integral(const Expression& e, const Where& where) {
    Bound b = bound(e, where);
    if (!b.integral) where.fail("an integer is needed here: sizes and whole numbers only");
    return b;
  }

  std::vector<Bound> members(const std::vector<Member>& members, const Where& where) {
    std::vector<Bound> all;
    for (const Member& m : members) {
      all.push_back(m.pointer() ? integral(m.value, where) : bound(m.value, where));
    }
    return all;
  }

  BoundResult result(const Result& r) {
    BoundResult result;
    const auto outer = integers_;
    const auto outer_locals = locals_;
    std::vector<int> slots;
    for (const std::string& variable : r.variables) {
      const int slot = variable.empty() ? -1 : p_.integers++;
      if (slot >= 0 && outer.contains(variable)) {
        r.where.fail(fmt::format(
            "{} has a value already and cannot count cells, too; give the index another name",
            variable));
      }
      if (slot >= 0) integers_[variable] = slot;
      result.variables.push_back(slot);
    }
    for (std::size_t k = 0; k < r.cell.size(); ++k) {
      result.cell.push_back(r.variables[k].empty() ? integral(r.cell[k], r.where) : Bound{});
    }
    std::map<std::pair<bool, int>, std::vector<int>> hangs_on;
    for (const Definition& d : r.definitions) {
      BoundDefinition definition;
      definition.name = d.name;
      definition.value = bound(d.value, r.where);
      definition.integral = definition.value.integral;
      const auto variables = variables_of(definition.value, result.variables, hangs_on);
      definition.variables = variables;
      definition.slot = definition.integral ? p_.integers++ : p_.locals++;
      hangs_on[{definition.integral, definition.slot}] = variables;
      integers_.erase(d.name);
      locals_.erase(d.name);
      (definition.integral ? integers_ : locals_)[d.name] = definition.slot;
      result.definitions.push_back(std::move(definition));
    }
    result.value = bound(r.value, r.where);
    if (r.height) result.height = integral(r.height, r.where);
    if (r.within) result.within = bound(r.within, r.where);
    if (r.only) result.only = integral(r.only, r.where);
    keep_reductions(result, p_.kept);
    integers_ = outer;
    locals_ = outer_locals;
    return result;
  }

  static std::vector<int> variables_of(
      const Bound& b, const std::vector<int>& variables,
      const std::map<std::pair<bool, int>, std::vector<int>>& hangs_on) {
    std::set<int> found;
    (void)any_part(b, [&](const Bound& part) {
      const bool size = part.kind == Bound::Kind::size;
      if (size && std::ranges::count(variables, part.slot) != 0) found.insert(part.slot);
      const auto known = hangs_on.find({size, part.slot});
      if ((size || part.kind == Bound::Kind::local) && known != hangs_on.end()) {
        found.insert(known->second.begin(), known->second.end());
      }
      return false;
    });
    return {found.begin(), found.end()};
  }

  Bound bound(const Expression& e, const Where& where) {
    Bound b;
    b.where = &where;
    const auto children = [&] {
      b.integral = true;
      for (const Expression& child : e->children) {
        b.children.push_back(bound(child, where));
        b.integral = b.integral && b.children.back().integral;
      }
    };
    switch (e->kind) {
      case Node::Kind::integer:
        b.integer = e->integer;
        b.integral = true;
        return b;
      case Node::Kind::real:
        b.kind = Bound::Kind::real;
        b.real = e->real;
        b.rounded = e->rounded;
        return b;
      case Node::Kind::name:
        return named(e->text, where);
      case Node::Kind::negation:
      case Node::Kind::logical_not:
        b.kind = e->kind == Node::Kind::negation ? Bound::Kind::negation : Bound::Kind::logical_not;
        children();
        return b;
      case Node::Kind::binary:
        b.kind = Bound::Kind::operation;
        b.code = code_of(operator_codes, e->text);
        children();
        return b;
      case Node::Kind::conditional:
        b.kind = Bound::Kind::conditional;
        children();
        return b;
      case Node::Kind::call:
        b.kind = Bound::Kind::function;
        b.code = code_of(function_codes, e->text);
        children();
        b.integral =
            b.integral && (b.code == Code::ceil || b.code == Code::log2 || b.code == Code::abs ||
                           b.code == Code::min || b.code == Code::max || b.code == Code::random);
        return b;
      case Node::Kind::element:
        b.kind = Bound::Kind::element;
        b.slot = array(e->text);
        children();
        b.integral = false;
        return b;
      case Node::Kind::slice: {
        Bound::Slice slice;
        slice.array = array(e->text);
        for (std::size_t k = 0; k < e->children.size(); k += 2) {
          slice.bounds.push_back(bound(e->children[k], where));
          const Expression& end = e->children[k + 1];
          Bound last;
          if (end != nullptr && end->kind == Node::Kind::name && end->text == "..") {
            last = spec_bound_extent(slice.array, static_cast<int>(k / 2));
          } else if (end != nullptr) {
            last = bound(end, where);
          }
          slice.bounds.push_back(std::move(last));
        }
        return cursor(std::move(slice), where);
      }
      case Node::Kind::reduction:
        return reduction(*e, where);
    }
    return b;
  }

  Bound spec_bound_extent(int array, int extent) {
    return p_.arrays[static_cast<std::size_t>(array)].extents[static_cast<std::size_t>(extent)];
  }

  int array(const std::string& name) const {
    return static_cast<int>(spec_.array(name) - spec_.arrays.data());
  }

  Bound named(const std::string& name, const Where& where) {
    Bound b;
    b.where = &where;
    if (const auto local = locals_.find(name); local != locals_.end()) {
      b.kind = Bound::Kind::local;
      b.slot = local->second;
    } else if (const auto size = integers_.find(name); size != integers_.end()) {
      b.kind = Bound::Kind::size;
      b.slot = size->second;
      b.integral = true;
    } else if (spec_.array(name) != nullptr) {
      Bound::Slice slice;
      slice.array = array(name);
      slice.whole = true;
      return cursor(std::move(slice), where);
    } else if (const auto scalar = scalars_.find(name); scalar != scalars_.end()) {
      b.kind = Bound::Kind::scalar;
      b.slot = scalar->second;
    } else if (name == "unit") {
      b.kind = Bound::Kind::unit;
    } else {
      where.fail(fmt::format("{} is not known here", name));
    }
    return b;
  }

  Bound cursor(Bound::Slice slice, const Where& where) {
    if (slices_ == nullptr) {
      where.fail("a slice or a whole array must be reduced; write sum(...), or an index");
    }
    Bound b;
    b.where = &where;
    b.kind = Bound::Kind::cursor;
    b.slot = slice.array;
    b.slot2 = slice.cursor = p_.cursors++;
    slices_->push_back(std::move(slice));
    return b;
  }

  Bound reduction(const Node& node, const Where& where) {
    Bound b;
    b.where = &where;
    b.kind = Bound::Kind::reduction;
    b.reduction = node.reduction;
    b.over = node.over;
    b.slot = -1;
    auto* outer = slices_;
    if (!node.text.empty()) {
      // The range is of the outer scope, the body of the variable's.
      Bound begin = bound(node.children[1], where), end = bound(node.children[2], where);
      Bound step = bound(node.children[3], where);
      slices_ = nullptr;
      const auto scope = integers_;
      const auto scope_locals = locals_;
      locals_.erase(node.text);
      b.slot = integers_[node.text] = p_.integers++;
      b.children.push_back(bound(node.children[0], where));
      b.children.push_back(std::move(begin));
      b.children.push_back(std::move(end));
      b.children.push_back(std::move(step));
      b.children.push_back(node.children[4] ? bound(node.children[4], where) : Bound{});
      integers_ = scope;
      locals_ = scope_locals;
    } else {
      slices_ = &b.slices;
      b.children.push_back(bound(node.children[0], where));
      if (b.slices.empty()) {
        where.fail(
            "a reduction is over an array; write sum(x), sum(x[lo .. hi]) or "
            "sum(EXPRESSION for i in lo .. hi)");
      }
      b.children.resize(5);
    }
    if (node.reduction == Reduction::fold) {
      slices_ = nullptr;
      b.children.push_back({});
      b.children.push_back(bound(node.children[6], where));
      const auto scope = locals_;
      b.slot2 = p_.locals;
      locals_[node.text2] = p_.locals++;
      locals_[node.text3] = p_.locals++;
      b.children[5] = bound(node.children[5], where);
      locals_ = scope;
    }
    slices_ = outer;
    return b;
  }

  Program& p_;
  const Spec& spec_;
  std::map<std::string, int, std::less<>> integers_, locals_, scalars_;
  std::map<std::string, const Expression*, std::less<>> pending_;
  std::vector<Bound::Slice>* slices_ = nullptr;
};

}  // namespace

void bind(Program& program, Spec spec) {
  program.spec = std::move(spec);
  Binder(program).bind();
}

}  // namespace gauntlet::spec
