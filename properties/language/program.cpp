// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/spelling.hpp"
#include "properties/language/spec.hpp"

namespace gauntlet::spec {
namespace {

using Kind = Expression::Kind;

Expression product(const std::vector<Expression>& extents) {
  Expression all = extents[0];
  for (std::size_t k = 1; k < extents.size(); ++k) {
    all = make_operation(Expression::Code::multiply, std::move(all), extents[k]);
  }
  return all;
}

class Binder {
 public:
  explicit Binder(Program& program) : p_(program), spec_(program.spec) {}

  void bind() {
    for (const Size& size : spec_.sizes) integers_[size.name] = p_.integers++;
    define_all();
    p_.offset_slot = p_.integers++;
    p_.index_slot = p_.integers++;
    for (Array& a : spec_.arrays) array(a);
    for (Scalar& s : spec_.scalars) {
      bind(s.value, s.where);
      members(s.members, s.where);
    }
    for (LaunchStatement& l : spec_.launches) {
      for (auto* const extents : {&l.grid, &l.block}) {
        for (Expression& e : *extents) integral(e, l.where);
      }
      integral(l.shared, l.where);
      integral(l.only, l.where);
    }
    for (Definition& r : spec_.requirements) integral(r.value, r.where);
    if (spec_.by) bind(spec_.by->within, spec_.by->where);
    if (!declares("offset")) integers_.try_emplace("offset", p_.offset_slot);
    for (std::size_t k = 0; k < spec_.scalars.size(); ++k) {
      if (spec_.scalars[k].members.empty()) scalars_[spec_.scalars[k].name] = static_cast<int>(k);
    }
    in_result_ = true;
    for (Result& r : spec_.results) result(r);
  }

 private:
  [[nodiscard]] bool declares(std::string_view name) const {
    return spec_.array(name) != nullptr ||
           std::ranges::count(spec_.scalars, name, &Scalar::name) != 0;
  }

  /// What `let` says, and grid, block and blocks of the first launch.
  void define_all() {
    for (const Definition& d : spec_.definitions) pending_[d.name] = d.value;
    const LaunchStatement& first = spec_.launches.front();
    std::vector<std::string> implied;
    const auto imply = [&](const char* name, Expression value) {
      implied.emplace_back(name);
      if (!integers_.contains(name)) pending_.try_emplace(name, std::move(value));
    };
    imply("grid", product(first.grid));
    imply("block", product(first.block));
    if (!declares("blocks")) imply("blocks", make_name("grid"));  // another word for it
    for (const Definition& d : spec_.definitions) define(d.name, d.where);
    for (const std::string& name : implied) define(name, first.where);
    p_.grid_slot = integers_.at("grid");
    p_.block_slot = integers_.at("block");
    if (!spec_.host) return;
    for (const std::string& name : implied) {  // its launches have them, not the spec
      const bool own = std::ranges::count(spec_.sizes, name, &Size::name) != 0 ||
                       std::ranges::count(spec_.definitions, name, &Definition::name) != 0;
      if (!own) integers_.erase(name);
    }
  }

  void define(const std::string& name, const Where& where) {
    if (integers_.contains(name)) return;
    const auto found = pending_.find(name);
    if (!found->second.present()) {
      where.fail(fmt::format("{} needs itself; make it of sizes and of other names", name));
    }
    Definition d{name, std::exchange(found->second, {}), where};
    (void)any_part(d.value, [&](const Expression& part) {
      if (part.kind == Kind::name && pending_.contains(part.text)) define(part.text, where);
      return false;
    });
    integral(d.value, where);
    integers_[name] = d.slot = p_.integers++;
    p_.definitions.push_back(std::move(d));
  }

  void array(Array& a) {
    for (Expression& e : a.extents) integral(e, a.where);
    integral(a.pad, a.where);
    bind(a.pad_content, a.where);
    members(a.list, a.where);
    integers_["i"] = p_.index_slot;
    of_elements(a.content, a.where);
    integers_.erase("i");
  }

  void integral(Expression& e, const Where& where) {
    bind(e, where);
    if (e.present() && !e.integral) {
      where.fail("an integer is needed here: sizes and whole numbers only");
    }
  }

  /// What may name elements.
  void of_elements(Expression& e, const Where& where) {
    elements_ = true;
    bind(e, where);
    elements_ = false;
  }

  void members(std::vector<Member>& members, const Where& where) {
    for (Member& m : members) m.pointer() ? integral(m.value, where) : bind(m.value, where);
  }

  void result(Result& r) {
    const auto outer = integers_;
    for (const std::string& variable : r.variables) {
      if (variable.empty() || !mentions(r.only, variable)) continue;
      r.where.fail(
          fmt::format("`if` is for all cells or none, by the sizes; {} is one cell's, and a "
                      "number in its place names that cell alone: [0]",
                      variable));
    }
    integral(r.only, r.where);
    for (std::size_t k = 0; k < r.cell.size(); ++k) cell(r, k);
    std::map<std::pair<bool, int>, std::vector<int>> hangs_on;
    for (Definition& d : r.definitions) {
      of_elements(d.value, r.where);
      d.integral = d.value.integral;
      d.variables = variables_of(d.value, r.slots, hangs_on);
      d.slot = d.integral ? p_.integers++ : p_.locals++;
      hangs_on[{d.integral, d.slot}] = d.variables;
      integers_.erase(d.name);
      locals_.erase(d.name);
      (d.integral ? integers_ : locals_)[d.name] = d.slot;
    }
    of_elements(r.value, r.where);
    if (any_part(r.value, [](const Expression& part) {
          return part.kind == Kind::real && !std::isfinite(part.real);
        })) {
      r.where.fail("inf and nan are for arguments and contents");
    }
    integral(r.height, r.where);
    of_elements(r.within, r.where);
    keep_reductions(r, p_.kept);
    integers_ = outer;
    locals_.clear();
  }

  /// A new name counts the cells.
  void cell(Result& r, std::size_t k) {
    const std::string& variable = r.variables[k];
    r.slots.push_back(variable.empty() ? -1 : p_.integers++);
    if (variable.empty()) return integral(r.cell[k], r.where);
    r.cell[k] = {};
    if (integers_.contains(variable)) {
      r.where.fail(fmt::format(
          "{} has a value already and cannot count cells, too; give the index another name",
          variable));
    }
    integers_[variable] = r.slots[k];
  }

  static std::vector<int> variables_of(
      const Expression& e, const std::vector<int>& variables,
      const std::map<std::pair<bool, int>, std::vector<int>>& hangs_on) {
    std::set<int> found;
    (void)any_part(e, [&](const Expression& part) {
      const bool size = part.kind == Kind::size;
      if (size && std::ranges::count(variables, part.slot) != 0) found.insert(part.slot);
      const auto known = hangs_on.find({size, part.slot});
      if ((size || part.kind == Kind::local) && known != hangs_on.end()) {
        found.insert(known->second.begin(), known->second.end());
      }
      return false;
    });
    return {found.begin(), found.end()};
  }

  void bind(Expression& e, const Where& where) {
    e.where = &where;
    switch (e.kind) {
      case Kind::integer:
        e.integral = true;
        break;
      case Kind::name:
        named(e);
        break;
      case Kind::element:
        e.slot = array_of(e, e.children.size());
        children(e);
        break;
      case Kind::slice:
        slice(e);
        break;
      case Kind::reduction:
        reduction(e);
        break;
      default: {
        const bool may_be_whole = e.kind != Kind::function || e.integral;
        e.integral = children(e) && may_be_whole && !e.children.empty();
      }
    }
  }

  /// All are whole.
  bool children(Expression& e) {
    bool integral = true;
    for (Expression& child : e.children) {
      bind(child, *e.where);
      integral = integral && child.integral;
    }
    return integral;
  }

  /// The number of the array whose element or slice it is.
  int array_of(const Expression& e, std::size_t extents) {
    const Array* const a = spec_.array(e.text);
    if (a == nullptr) unknown(e);
    if (!elements_) e.where->fail(fmt::format("{}[...] can be named in a result only", e.text));
    if (extents != a->extents.size()) {
      e.where->fail(fmt::format("{} has {} extents, not {}", a->name, a->extents.size(), extents));
    }
    return static_cast<int>(a - spec_.arrays.data());
  }

  void slice(Expression& e) {
    Expression::Slice slice{.array = array_of(e, e.children.size() / 2)};
    const auto& extents = spec_.arrays[static_cast<std::size_t>(slice.array)].extents;
    for (std::size_t k = 0; k < e.children.size(); ++k) {
      Expression& bound = e.children[k];
      if (bound.kind == Kind::name && bound.text == "..") {
        bound = extents[k / 2];
      } else {
        bind(bound, *e.where);
      }
    }
    slice.bounds = std::move(e.children);
    cursor(e, std::move(slice));
  }

  void named(Expression& e) {
    const auto in = [&](const auto& slots, Kind kind) {
      const auto known = slots.find(e.text);
      if (known == slots.end()) return false;
      e.kind = kind;
      e.slot = known->second;
      e.integral = kind == Kind::size;
      return true;
    };
    if (in(locals_, Kind::local) || in(integers_, Kind::size)) return;
    const Array* const a = spec_.array(e.text);
    if (a != nullptr && !elements_) {
      e.where->fail(fmt::format("{} is an array; a size or a name is needed here", e.text));
    }
    if (a != nullptr) {
      return cursor(e, {.array = static_cast<int>(a - spec_.arrays.data()), .whole = true});
    }
    if (in(scalars_, Kind::scalar)) return;
    if (e.text != "unit" || !in_result_) unknown(e);
    e.kind = Kind::unit;
  }

  [[noreturn]] void unknown(const Expression& e) const {
    constexpr std::pair<std::string_view, std::string_view> elsewhere[] = {
        {"zeros", "0"},     {"ones", "1"},         {"random", "random(LO, HI)"},
        {"arange", "iota"}, {"blockDim", "block"}, {"gridDim", "blocks"},
        {"true", "1"},      {"false", "0"}};
    for (const auto& [theirs, ours] : elsewhere) {
      if (e.text == theirs) {
        e.where->fail(fmt::format("unknown name `{}`; write {}", e.text, ours));
      }
    }
    std::set<std::string_view> all;
    for (const auto* const slots : {&integers_, &locals_}) {
      for (const auto& [name, slot] : *slots) all.insert(name);
    }
    for (const auto& [name, value] : pending_) {
      if (value.present()) all.insert(name);
    }
    for (const Array& a : spec_.arrays) all.insert(a.name);
    for (const Scalar& s : spec_.scalars) all.insert(s.name);
    if (in_result_) all.insert("unit");
    e.where->fail(unknown_word("name", e.text, std::vector(all.begin(), all.end())));
  }

  void cursor(Expression& e, Expression::Slice slice) {
    if (slices_ == nullptr) {
      e.where->fail("a slice or a whole array must be reduced; write sum(...), or an index");
    }
    e.kind = Kind::cursor;
    e.slot = slice.array;
    e.slot2 = slice.cursor = p_.cursors++;
    slices_->push_back(std::move(slice));
  }

  void reduction(Expression& e) {
    if (!elements_) {
      const bool two = e.reduction == Reduction::min || e.reduction == Reduction::max;
      e.where->fail(two ? "min and max of sizes take two numbers; write max(1, n)"
                        : "a reduction can be named in a result only");
    }
    auto* const outer = slices_;
    const auto scope = integers_;
    const auto scope_locals = locals_;
    std::vector<Expression>& parts = e.children;
    e.slot = -1;
    if (!e.text.empty()) {
      // The range is of the outer scope, the body of the variable's.
      for (const std::size_t k : {1, 2, 3}) bind(parts[k], *e.where);
      slices_ = nullptr;
      locals_.erase(e.text);
      e.slot = integers_[e.text] = p_.integers++;
      bind(parts[0], *e.where);
      bind(parts[4], *e.where);
      integers_ = scope;
      locals_ = scope_locals;
    } else {
      slices_ = &e.slices;
      bind(parts[0], *e.where);
      if (e.slices.empty()) {
        e.where->fail(
            "a reduction is over an array; write sum(x), sum(x[lo .. hi]) or "
            "sum(EXPRESSION for i in lo .. hi)");
      }
    }
    if (e.reduction == Reduction::fold) {
      slices_ = nullptr;
      bind(parts[6], *e.where);
      e.slot2 = p_.locals;
      for (const std::string& operand : e.operands) locals_[operand] = p_.locals++;
      bind(parts[5], *e.where);
      locals_ = scope_locals;
    }
    slices_ = outer;
  }

  Program& p_;
  Spec& spec_;
  std::map<std::string, int, std::less<>> integers_, locals_, scalars_;
  std::map<std::string, Expression, std::less<>> pending_;  ///< none: defined, or being so
  std::vector<Expression::Slice>* slices_ = nullptr;
  bool elements_ = false, in_result_ = false;
};

}  // namespace

void bind(Program& program, Spec spec) {
  program.spec = std::move(spec);
  Binder(program).bind();
}

}  // namespace gauntlet::spec
