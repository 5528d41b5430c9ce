// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/prove.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/scalar.hpp"
#include "machine/engine/machine.hpp"
#include "machine/engine/module.hpp"
#include "machine/races/launch_order.hpp"
#include "machine/symbolic/shadow.hpp"
#include "properties/prove/by_choices.hpp"
#include "properties/prove/claim.hpp"
#include "properties/prove/judge.hpp"
#include "properties/prove/shapes.hpp"

namespace gauntlet::prove {
namespace {

using simt::symbolic::Shadow;
using simt::symbolic::Value;

/// Beyond this many blocks, a ticket's last one is not tried in turn.
constexpr std::uint64_t most_ticket_blocks = 64;

/// One run with its shadow, over one choice of the block that comes last (-1: as the schedule has
/// it).
struct Symbolic {
  Shadow shadow;
  simt::symbolic::Origins origins;
  std::vector<SeenCell> cells;
  std::vector<std::uint64_t> digests;  ///< of what each launch but the last left in memory
  Observation observation;
  std::string incomplete;  ///< why the run cannot be judged; empty: it can
};

class Launches {
 public:
  Launches(const Case& c, const Plan& plan, Claim& claim, std::int64_t last_block)
      : case_(c), plan_(plan), claim_(claim), last_block_(last_block) {}

  void run(const simt::ExecutorOptions& machine, Symbolic& result) {
    simt::ExecutorOptions options;
    options.module = machine.module;
    options.in_order = true;  // a race says what may go wrong otherwise
    options.step_limit = machine.step_limit;
    options.launch = [&](simt::ModuleState& state, simt::LaunchConfig& config) {
      return launch(state, config, result);
    };
    result.observation = simt::make_executor(options)->run(case_, plan_);
    result.shadow.forget_memory();
    if (launches_ != plan_.launches.size() && result.incomplete.empty()) {
      result.incomplete = "not every launch was made";
    }
  }

 private:
  LaunchReport launch(simt::ModuleState& state, simt::LaunchConfig& config, Symbolic& result) {
    auto& memory = state.memory();
    if (launches_ == 0) result.incomplete = claim_.begin(memory, result.shadow);
    const auto* kernel = state.module()->find(config.entry);
    if (kernel == nullptr) return simt::launch(state, config);  // throws in its own words
    std::span<const simt::LaunchAccesses> overlapping;
    if (config.ordering != nullptr) {
      overlapping = {config.ordering - config.launch_index, config.launch_index + 1};
    }
    result.shadow.begin_launch(*kernel, config.grid.count(), state.module(), overlapping);
    config.shadow = &result.shadow;
    config.interrupted = &result.shadow.enough;
    std::unique_ptr<simt::Scheduler> scheduler;
    if (last_block_ >= 0 && static_cast<std::uint64_t>(last_block_) < config.grid.count()) {
      scheduler = make_last_block(static_cast<std::uint32_t>(last_block_),
                                  static_cast<std::uint32_t>(config.grid.count()));
      config.scheduler = scheduler.get();
    }
    auto report = simt::launch(state, config);
    result.shadow.end_launch();
    if (++launches_ == plan_.launches.size())
      look(state, result);
    else if (takes_tickets(*state.module()))
      result.digests.push_back(digest(memory, result));
    return report;
  }

  /// Some launch of the plan may: only then runs are compared.
  [[nodiscard]] bool takes_tickets(const simt::Module& module) const {
    return std::any_of(plan_.launches.begin(), plan_.launches.end(), [&](const auto& launch) {
      const auto* kernel = module.find(launch.entry);
      return kernel == nullptr ||
             std::any_of(kernel->memory_ops.begin(), kernel->memory_ops.end(), [](const auto& op) {
               return op.what == simt::MemoryOp::What::atomic && op.has_result;
             });
    });
  }

  std::uint64_t digest(simt::GlobalMemory& memory, Symbolic& result) const {
    std::uint64_t h = 0;
    std::vector<std::pair<std::size_t, Value>> words;
    for (std::size_t k = 0; k < memory.size(); ++k) {
      const auto& a = memory.at(k);
      if (a.read_only || a.make_page) continue;
      for (std::uint64_t at = 0; at < a.bytes; ++at) {
        words.emplace_back(k, result.shadow.read(a.data + at, 1));
      }
    }
    Judge judge(result.shadow.terms, case_);
    for (const auto& [array, word] : words) h = h * 0x100'0000'01B3 ^ judge.hash(word);
    return h;
  }

  void look(simt::ModuleState& state, Symbolic& result) const {
    auto& memory = state.memory();
    for (const auto& observed : plan_.observed) {
      const auto type = observed.type.value_or(case_.acc);
      const auto size = static_cast<std::uint8_t>(size_of(type));
      const auto* array = observed.symbol.empty() ? memory.named(observed.buffer)
                                                  : memory.find(state.symbol(observed.symbol));
      if (array == nullptr || array->bytes < observed.cells * size) {
        result.incomplete =
            fmt::format("no array named {} is there to be looked at", observed.buffer);
        return;
      }
      const Cells cells(case_, observed, plan_.grid);
      for (std::uint64_t k = 0; k < observed.cells; ++k) {
        result.cells.push_back({fmt::format("{}[{}]", observed.buffer, k), observed.buffer, k, type,
                                result.shadow.read(array->data + k * size, size), cells.runs(k)});
      }
    }
  }

  const Case& case_;
  const Plan& plan_;
  Claim& claim_;
  std::int64_t last_block_;
  std::size_t launches_ = 0;
};

/// A value whose meaning is the same in every run.
bool harmless(const Finding& finding) { return finding.kind == FindingKind::named_lane_exited; }

std::optional<Cause> cause_of(const Symbolic& run) {
  const auto plain = [](std::string what) { return Cause{std::move(what), {}, {}, 0, 0, 0, {}}; };
  for (const auto& f : run.observation.findings) {
    if (harmless(f)) continue;
    Cause cause = plain(fmt::format("the run has a finding: {}{}{}", name(f.kind),
                                    f.detail.empty() ? "" : ": ", f.detail));
    cause.kernel = f.kernel;
    if (f.at.line != 0) {
      cause.at = fmt::format("{}:{}", f.at.file.substr(f.at.file.rfind('/') + 1), f.at.line);
    }
    cause.warp = f.at.warp;
    cause.lane = f.at.lane;
    return cause;
  }
  if (run.shadow.cause()) return run.shadow.cause();
  if (!run.observation.refused.empty()) {
    return plain(fmt::format("the launch contract refuses the case: {}", run.observation.refused));
  }
  if (!run.observation.completed) return plain("the run did not come to its end");
  if (!run.incomplete.empty()) return plain(run.incomplete);
  return std::nullopt;
}

/// Judges one run; true where it proves its case.
bool judged(Claim& claim, const Symbolic& run, bool trees, Proof& proof) {
  proof.cause = cause_of(run);
  if (proof.cause) return false;
  proof.cells = run.cells.size();
  proof.elements = proof.due = 0;
  proof.depth = {};
  return claim.judge({run.shadow, run.origins, run.cells}, trees, proof);
}

/// Each cell reduces the elements of the input that are due.
class OfVariant final : public Claim {
 public:
  OfVariant(const Case& c, const Plan& plan, bool hashed = true)
      : case_(c), plan_(plan), hashed_(hashed) {}

  std::string begin(simt::GlobalMemory& memory, Shadow& shadow) override {
    const auto* in = memory.named("in");
    if (in == nullptr) return "the case has no array named in";
    if (in->make_page) return "the input is too large";
    const auto size = size_of(case_.in);
    const auto first = static_cast<std::uint64_t>(in->index_base);
    const auto mapped = (in->bytes - first) / size;
    shadow.set_input(in->data + first, case_.n, mapped, case_.in);
    return {};
  }

  bool judge(const Seen& seen, bool trees, Proof& proof) override {
    if (seen.cells.empty() && case_.n != 0) return proof.no_proof("the case observes no cell");
    flushes_ = flushes_ || seen.shadow.flushes();
    proof.rounds = is_float(case_.acc) && (case_.op == Op::sum || case_.op == Op::product);
    const auto& terms = seen.shadow.terms;
    Judge judge(terms, case_);
    const bool once = case_.op == Op::sum || case_.op == Op::product;
    for (std::size_t k = 0; trees && k < seen.cells.size(); ++k) {
      const auto& cell = seen.cells[k];
      proof.trees.push_back(
          tree_of(terms, seen.origins, judge, cell.name, cell.type, cell.value, cell.due, once));
    }
    const bool right = judge.all(seen.cells, proof);
    for (const auto& cell : seen.cells) {
      for (const auto& r : cell.due) proof.due = mixed(mixed(proof.due, r.first), r.count);
      proof.due = mixed(proof.due, 0);
      if (!right && !judge.cell(cell, proof)) return false;
    }
    if (!hashed_ && seen.shadow.ticket_blocks() <= 1) return true;
    std::uint64_t tree = 0;
    for (const auto& cell : seen.cells) tree = tree * 0x100'0000'01B3 ^ judge.hash(cell.value);
    proof.tree_hash = fmt::format("{:016x}", tree);
    return true;
  }

  void assume(Proof& proof) const override {
    if (!is_float(case_.acc)) return;
    const bool rounds = case_.op != Op::minimum && case_.op != Op::maximum;
    proof.assumed.emplace_back(rounds ? "no_overflow" : "nan_payloads");
    if (case_.op == Op::sum) proof.assumed.emplace_back("signed_zero");
    if (plan_.flushes_subnormals || flushes_) proof.assumed.emplace_back("no_subnormals");
  }

 private:
  const Case& case_;
  const Plan& plan_;
  bool hashed_;  ///< the tree's hash is asked for; else it is there where it matters
  bool flushes_ = false;
};

Proof of_variant(const Case& asked, const Plan& plan, const simt::ExecutorOptions& machine,
                 bool trees, bool hashed) {
  const Case c = with_any_data(asked);
  OfVariant claim(c, plan, hashed);
  Proof proof = prove(c, plan, machine, claim, trees);
  proof.c = asked;
  return proof;
}

std::string last_is(std::int64_t block) {
  return fmt::format("with block {} as the last one to take its ticket", block);
}

/// `met`: of the first run.
Proof tried(const Case& c, const Plan& plan, const simt::ExecutorOptions& machine, Claim& claim,
            bool trees, ByData& met) {
  Proof proof;
  proof.c = c;
  proof.plan_height = plan.height;
  const auto give_up = [&](std::string what) {
    (void)proof.no_proof(std::move(what));
    return proof;
  };
  if (!plan.refusal.empty()) {
    return give_up("the launch contract refuses the case: " + plan.refusal);
  }
  if (auto why = claim.hindrance(); !why.empty()) return give_up(std::move(why));
  if (c.block_count != 0) return give_up("only a window of its blocks is run");
  if (c.n > most_elements) {
    return give_up(fmt::format("more than {} elements are not tried", most_elements));
  }

  const auto run = [&](std::int64_t last) {
    auto result = std::make_unique<Symbolic>();
    trees = trees && c.n <= most_drawn_elements;
    if (trees) result->shadow.origins = &result->origins;
    Launches(c, plan, claim, last).run(machine, *result);
    ++proof.runs;
    proof.warp_instructions += result->observation.counters.warp_instructions;
    proof.terms += result->shadow.terms.size() - 1;
    proof.kinder_race_rules += result->shadow.kinder_rules();
    return result;
  };
  auto first = run(-1);
  met = {first->shadow.steered(), first->shadow.spread()};
  if (!judged(claim, *first, trees, proof)) return proof;
  proof.any_association = !first->shadow.any_order().empty();
  const auto blocks = first->shadow.ticket_blocks();
  auto counted = first->shadow.rules();
  if (blocks > 1) {
    if (blocks > most_ticket_blocks) {
      return give_up(fmt::format("a ticket of {} blocks; at most {} are tried as the last one",
                                 blocks, most_ticket_blocks));
    }
    const auto digests = first->digests;
    const auto tree = proof.tree_hash;
    first.reset();
    for (std::int64_t last = 0; last < static_cast<std::int64_t>(blocks); ++last) {
      const auto other = run(last);
      if (!judged(claim, *other, false, proof)) {
        if (proof.cause) proof.cause->what += ", " + last_is(last);
        return proof;
      }
      if (other->shadow.last_ticket() != last || other->shadow.ticket_blocks() != blocks) {
        return give_up(fmt::format("no schedule was found {}", last_is(last)));
      }
      if (other->digests != digests) {
        return give_up("what a launch leaves for the next one depends on the schedule");
      }
      if (proof.tree_hash != tree || !other->shadow.any_order().empty()) {
        proof.any_association = true;
      }
    }
  }
  for (const auto& [rule, count] : counted) {
    proof.rules.push_back({rule.first, rule.second, count});
  }
  proof.verdict = Verdict::proved;
  proof.assumed = {"ptx_semantics", "ptxas", "race_rules"};
  claim.assume(proof);
  if (std::any_of(proof.rules.begin(), proof.rules.end(), [](const auto& r) {
        return r.rule == "wait" || r.rule == "retry" || r.rule == "grid";
      })) {
    proof.assumed.emplace_back("fair");
  }
  return proof;
}

}  // namespace

Proof prove(const Case& c, const Plan& plan, const simt::ExecutorOptions& machine, Claim& claim,
            bool trees) {
  ByData met;
  Proof proof = tried(c, plan, machine, claim, trees, met);
  if (!proof.proved() && machine.module) {
    const auto again = [&](const simt::ExecutorOptions& both, ByData& also) {
      return tried(c, plan, both, claim, trees, also);
    };
    by_choices(machine, again, met, proof);
  }
  claim.conclude(proof);
  return proof;
}

Case with_any_data(Case c) {
  c.data = Data::uniform;
  c.map = Map::none;
  c.map_by = 0;
  return c;
}

std::unique_ptr<Claim> claim_of(const Case& c, const Plan& plan, bool hashed) {
  return std::make_unique<OfVariant>(c, plan, hashed);
}

Proof prove(const Case& asked, const Plan& plan, const simt::ExecutorOptions& machine, bool trees) {
  return of_variant(asked, plan, machine, trees, true);
}

Proof prove(const properties::Subject& subject, const Case& c, const Plan& plan, bool trees,
            bool hashed) {
  const simt::ExecutorOptions machine{.module = plan.module};
  const auto claim = subject.claim(c, plan);
  if (claim == nullptr) return of_variant(c, plan, machine, trees, hashed);
  return prove(c, plan, machine, *claim, trees);
}

}  // namespace gauntlet::prove
