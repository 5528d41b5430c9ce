// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/choices.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "machine/engine/text_flow.hpp"
#include "machine/engine/text_writer.hpp"
#include "machine/isa/instruction_rows.hpp"

namespace gauntlet::simt {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::ScalarType;
using PtxOperand = ptx::Operand;
using Name = std::string_view;

constexpr std::size_t most_on_the_ways = 400;

class Writer : TextWriter {
 public:
  Writer(ptx::Module& module, Function& f) : TextWriter(module, f), flow_(f) {}

  /// False: it stays as it is.
  bool convert(std::uint32_t line) {
    const auto& body = f_.body;
    if (body.size() > most_instructions_looked_at || f_.has_branch_table) return false;
    const auto guarded = [&](const Instruction& i) {
      return i.ptx_line == line && !i.guard.empty();
    };
    const auto at = std::find_if(body.begin(), body.end(), guarded);
    if (at == body.end() || std::count_if(at, body.end(), guarded) != 1) return false;
    branch_ = static_cast<std::uint32_t>(at - body.begin());
    const bool branches = at->opcode == "bra";
    if (!branches && !allowed(*at)) return false;
    const auto join = branches ? flow_.join_of(branch_) : branch_ + 1;
    if (!join || *join >= body.size()) return false;
    join_ = *join;
    order_.clear();
    visited_ = 0;
    state_.assign(body.size(), State::fresh);
    if (branches) {
      for (const auto k : flow_.next(branch_)) {
        if (!visit(k)) return false;
      }
    }
    std::reverse(order_.begin(), order_.end());
    std::vector<Instruction> made;
    made_ = &made;
    edges_.clear();
    like_ = &*at;
    begin(*at, branches);
    for (const auto k : order_) {
      like_ = &body[k];
      if (!step(k)) return false;
    }
    like_ = &*at;
    if (!finish()) return false;
    replace();
    return true;
  }

 private:
  enum class State : std::uint8_t { fresh, open, done };
  using Env = std::map<Name, Name>;  ///< what a register is called on a way; itself, if not there
  struct Edge {
    Name when;  ///< the thread goes there
    Env env;
  };

  bool allowed(const Instruction& i) const {
    if (i.opcode == "bra") return true;
    const Effect effect = effect_of(i);
    if (effect == Effect::computes) return !i.operands.empty();
    if (effect == Effect::accumulates) return combines_unread(i);
    return (effect == Effect::weak_load || effect == Effect::weak_store) && i.operands.size() == 2;
  }

  /// An atomic whose result nobody reads: rule spread takes it from there.
  bool combines_unread(const Instruction& i) const {
    if (!combined_by(i) || !i.guard.empty()) return false;
    if (i.opcode == "red") return i.operands.size() == 2;
    if (i.operands.size() != 3) return false;
    const Name result = i.operands.front().name;
    return is_register(result) && std::ranges::none_of(f_.body, [&](const Instruction& other) {
             return &other != &i && names(other, result);
           });
  }
  static bool names(const Instruction& i, Name name) {
    const auto in = [&](const auto& self, const PtxOperand& o) -> bool {
      return o.name == name ||
             std::ranges::any_of(o.parts, [&](const PtxOperand& part) { return self(self, part); });
    };
    return i.guard == name ||
           std::ranges::any_of(i.operands, [&](const PtxOperand& o) { return in(in, o); });
  }

  /// Lists what lies on the ways, each behind what follows it; false where that is not followed.
  bool visit(std::uint32_t k) {
    if (k == join_ || state_[k] == State::done) return true;
    if (state_[k] == State::open || k == branch_ || !allowed(f_.body[k])) return false;
    state_[k] = State::open;
    if (++visited_ > most_on_the_ways) return false;
    const auto to = flow_.next(k);
    if (to.empty()) return false;
    for (const auto t : to) {
      if (!visit(t)) return false;
    }
    state_[k] = State::done;
    order_.push_back(k);
    return true;
  }

  static Name found(const Env& env, Name name) {
    const auto it = env.find(name);
    return it == env.end() ? name : it->second;
  }
  static void rename(PtxOperand& o, const Env& env) {
    o.name = found(env, o.name);
    for (auto& part : o.parts) rename(part, env);
  }
  // --- the ways

  void begin(const Instruction& at, bool branches) {
    if (!branches) {
      edges_[join_].push_back({at.guard, {}});
      alone_ = true;
      return;
    }
    alone_ = false;
    const Name other = negated(at.guard);
    const auto to = flow_.next(branch_);
    edges_[to[0]].push_back({at.guard_negated ? other : at.guard, {}});
    edges_[to.size() > 1 ? to[1] : to[0]].push_back({at.guard_negated ? at.guard : other, {}});
  }

  /// What arrives at an instruction by all ways.
  bool merged(std::uint32_t k, Edge& to) {
    const auto& all = edges_.at(k);
    to = all.front();
    std::set<Name> changed;
    for (const Edge& e : all) {
      for (const auto& [name, now] : e.env) changed.insert(name);
    }
    for (const Name name : changed) {
      Name now = found(all.front().env, name);
      const bool differs = std::any_of(all.begin(), all.end(), [&](const Edge& e) {
        return found(e.env, name) != found(all.front().env, name);
      });
      if (differs && !flow_.live(k, name)) {
        to.env.erase(name);
        continue;
      }
      for (std::size_t e = 1; differs && e < all.size(); ++e) {
        const PtxOperand here = named(found(all[e].env, name));
        if (!select(types_.at(name), here, now, all[e].when, now)) return false;
      }
      to.env[name] = now;
    }
    for (std::size_t e = 1; e < all.size(); ++e) to.when = combined("or", to.when, all[e].when);
    return true;
  }

  bool step(std::uint32_t k) {
    Edge here;
    if (!merged(k, here)) return false;
    Instruction i = f_.body[k];
    const auto to = flow_.next(k);
    if (i.opcode == "bra") {
      if (i.guard.empty() || to.size() < 2) {
        edges_[to[0]].push_back(std::move(here));
        return true;
      }
      const Name guard = found(here.env, i.guard), other = negated(guard);
      const Name taken = combined("and", here.when, i.guard_negated ? other : guard);
      const Name passed = combined("and", here.when, i.guard_negated ? guard : other);
      edges_[to[0]].push_back({taken, here.env});
      edges_[to[1]].push_back({passed, std::move(here.env)});
      return true;
    }
    if (!write(i, here)) return false;
    edges_[to[0]].push_back(std::move(here));
    return true;
  }

  /// One instruction, its own guard included, by a thread that may not be there.
  bool write(Instruction i, Edge& here) {
    Name own;
    if (!i.guard.empty()) {
      own = found(here.env, i.guard);
      if (i.guard_negated) own = negated(own);
      i.guard = {};
      i.guard_negated = false;
    }
    if (effect_of(i) == Effect::weak_store) {
      for (auto& o : i.operands) rename(o, here.env);
      return store(std::move(i), own.empty()         ? here.when
                                 : here.when.empty() ? own
                                                     : combined("and", here.when, own));
    }
    if (effect_of(i) == Effect::accumulates) {
      for (auto& o : i.operands) rename(o, here.env);
      i.guard = here.when;
      made_->push_back(std::move(i));
      return true;
    }
    std::vector<Name> to;
    for (const auto* o : results(i)) {
      if (!is_register(o->name)) return false;
      to.push_back(o->name);
    }
    auto made = i;
    for (std::size_t k = 0; k < made.operands.size(); ++k) {
      if (k != 0) rename(made.operands[k], here.env);
    }
    std::vector<Name> now;
    for (auto* o : results(made)) {
      o->name = fresh(types_.at(o->name));
      now.push_back(o->name);
    }
    made_->push_back(std::move(made));
    for (std::size_t k = 0; k < to.size(); ++k) {
      Name value = now[k];
      if (!own.empty() &&
          !select(types_.at(to[k]), named(value), found(here.env, to[k]), own, value)) {
        return false;
      }
      here.env[to[k]] = value;
    }
    return true;
  }

  bool store(Instruction i, Name when) {
    auto& value = i.operands[1];
    const bool vector = value.kind == PtxOperand::Kind::vector;
    const auto type = ptx::stored_type(i.suffixes.back());
    if (!type) return false;
    Instruction load = i;
    load.opcode = "ld";
    std::swap(load.operands[0], load.operands[1]);
    std::vector<PtxOperand*> there, here;
    if (vector) {
      for (auto& part : load.operands[0].parts) there.push_back(&part);
      for (auto& part : value.parts) here.push_back(&part);
    } else {
      there = {&load.operands[0]};
      here = {&value};
    }
    for (std::size_t k = 0; k < here.size(); ++k) {
      const auto known = types_.find(here[k]->name);
      const auto held = known != types_.end()       ? known->second
                        : ptx::bits_of(*type) <= 16 ? ScalarType::b16
                                                    : *type;
      *there[k] = named(fresh(held));
    }
    const auto before = load;
    made_->push_back(std::move(load));
    for (std::size_t k = 0; k < here.size(); ++k) {
      const Name was = vector ? before.operands[0].parts[k].name : before.operands[0].name;
      Name to;
      if (!select(types_.at(was), *here[k], was, when, to)) return false;
      *here[k] = named(to);
    }
    made_->push_back(std::move(i));
    return true;
  }

  bool finish() {
    Edge end;
    if (alone_) {
      if (!write(f_.body[branch_], end)) return false;
    } else if (!merged(join_, end)) {
      return false;
    }
    for (const auto& [name, now] : end.env) {
      if (name == now || !flow_.live(join_, name)) continue;
      const Name suffix = suffix_of(types_.at(name));
      if (suffix.empty()) return false;
      put("mov", {suffix}, {named(name), named(now)});
    }
    return true;
  }

  /// The branch by what was made.
  void replace() {
    const Name join =
        module_.names.emplace_back("$both" + std::to_string(f_.labels.size()) + "_join");
    f_.labels.push_back({join, join_});
    put("bra", {"uni"}, {named(join)});
    const auto more = static_cast<std::uint32_t>(made_->size()) - 1;
    auto& body = f_.body;
    body.insert(body.erase(body.begin() + branch_), made_->begin(), made_->end());
    for (auto& label : f_.labels) label.instruction += label.instruction > branch_ ? more : 0;
    std::ranges::stable_sort(f_.labels, {}, &ptx::Label::instruction);
    flow_.find_labels();
  }

  TextFlow flow_;
  std::uint32_t branch_ = 0, join_ = 0;
  std::size_t visited_ = 0;
  bool alone_ = false;
  std::vector<State> state_;
  std::vector<std::uint32_t> order_;
  std::map<std::uint32_t, std::vector<Edge>> edges_;
};

}  // namespace

std::shared_ptr<const Module> with_choices(const Module& module, const Choices& choices) {
  auto made = std::make_shared<Module>();
  made->ast = ptx::parse(module.ast.text, module.ast.file_name);
  bool any = false;
  for (Function& f : made->ast.functions) {
    const auto lines = choices.find(std::string(f.name));
    if (!f.entry || f.declaration_only || lines == choices.end()) continue;
    for (const auto& [line, addresses] : lines->second) {
      if (addresses.empty()) any = Writer(made->ast, f).convert(line) || any;
    }
    for (const auto& [line, addresses] : lines->second) {
      if (!addresses.empty()) any = spread_atomic(made->ast, f, line, addresses) || any;
    }
  }
  if (!any) return nullptr;
  made->on_demand = std::make_unique<OnDemand>(made->ast, made->bodies);
  return made;
}

}  // namespace gauntlet::simt
