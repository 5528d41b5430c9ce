// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/prove/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/os/parallel_for.hpp"
#include "base/text/text.hpp"
#include "properties/case/case_text.hpp"

namespace gauntlet::prove {
namespace {

/// One part of a form's sweep.
class Trial {
 public:
  Trial(const properties::Subject& subject, const std::function<bool()>& going_on, Sweep& swept)
      : subject_(subject),
        plan_([&subject](const Case& c) { return subject.plan(c); }),
        going_on_(going_on),
        swept_(swept) {}

  void run(const Part& part, bool every_n_alone) {
    if (!every_n_alone && !part.cases.empty()) {
      for (const Case& c : part.cases) one(c);
      return;
    }
    if (every_n_alone || part.n.size() > 1) {
      Case any = part.shape;
      any.n = 1;
      const Plan planned = plan_(any);
      const auto tile = tile_of(planned);
      const bool worth_it = part.n.size() > tile + 1;
      if (tile != 0 && (every_n_alone || worth_it) && every_n(part, every_n_alone)) return;
      if (tile == 0 && every_n_alone && planned.refusal.empty()) {
        swept_.every_n.emplace().why = "the plan is not one launch over tiles";
      }
    }
    if (every_n_alone) return;
    Case c = part.shape;
    for (const auto n : part.n) {
      c.n = n;
      one(c);
    }
  }

 private:
  void one(const Case& c) {
    if (!going_on_()) return;
    ++swept_.cases;
    const Plan planned = plan_(c);
    if (!planned.refusal.empty()) {
      if (swept_.refused++ == 0) swept_.first_refused = properties::Refusal{0, c, planned.refusal};
      return;
    }
    Proof proof = prove(subject_, resolved(c, planned), planned, false, false);
    swept_.cells += proof.cells;
    swept_.warp_instructions += proof.warp_instructions;
    swept_.proved += proof.proved() ? 1 : 0;
    swept_.as_reals += proof.proved() && !proof.as.empty() ? 1 : 0;
    if (proof.proved() != swept_.must_hold && !swept_.unexpected) {
      swept_.unexpected = prove(subject_, resolved(c, planned), planned);
    }
  }

  /// True where that does for all of the part's n.
  bool every_n(const Part& part, bool alone) {
    AllN all = prove_all_n(part.shape, plan_, going_on_);
    swept_.warp_instructions += all.warp_instructions;
    if (!going_on_()) return true;
    EveryN e;
    e.shapes = 1;
    e.why = all.why;
    if (all.proved) {
      e.proved = 1;
      e.below = all.below;
      e.ends = all.ends;
    }
    const bool does = all.proved && !part.n.empty() && part.n.back() < all.below;
    if (alone || does) swept_.every_n = std::move(e);
    if (!alone && does) {
      swept_.cases += part.n.size();
      swept_.proved += part.n.size();
      swept_.by_remainder += part.n.size();
    }
    // What has a counterexample is not proved for its n.
    const bool shown = std::any_of(part.cases.begin(), part.cases.end(), [&](const Case& known) {
      Case c = known;
      c.grid = 0;
      return c.n < all.below && (known.grid == 0 || plan_(c).grid == known.grid);
    });
    if (alone && (swept_.must_hold ? !all.proved : all.proved && shown)) {
      swept_.unexpected = all.failed ? std::move(*all.failed) : Proof{};
      if (!all.failed) {
        swept_.unexpected->c = part.shape;
        swept_.unexpected->verdict = all.proved ? Verdict::proved : Verdict::no_proof;
        swept_.unexpected->cause.emplace();
        swept_.unexpected->cause->what = all.why;
      }
    }
    return does;
  }

  const properties::Subject& subject_;
  const Planner plan_;
  const std::function<bool()>& going_on_;
  Sweep& swept_;
};

void add(EveryN& to, const EveryN& part) {
  const bool sooner = part.proved != 0 && (to.proved == 0 || part.below < to.below);
  if (sooner) {
    to.below = part.below;
    to.ends = part.ends;
  }
  if (to.why.empty()) to.why = part.why;
  to.shapes += part.shapes;
  to.proved += part.proved;
}

void add(Sweep& to, Sweep&& part) {
  to.cases += part.cases;
  to.as_reals += part.as_reals;
  to.proved += part.proved;
  to.by_remainder += part.by_remainder;
  to.refused += part.refused;
  to.cells += part.cells;
  if (!to.first_refused) to.first_refused = std::move(part.first_refused);
  to.warp_instructions += part.warp_instructions;
  if (part.every_n) {
    if (!to.every_n) to.every_n.emplace();
    add(*to.every_n, *part.every_n);
  }
  if (!to.unexpected) to.unexpected = std::move(part.unexpected);
}

/// What has sizes of its own is proved at them; null: at the shapes.
using Own = std::optional<properties::Population>;

/// Why it was not tried at them; empty: it was.
std::string untested(const properties::Subject& subject, const Sweep& s,
                     const properties::Population& of) {
  if (s.cases == 0) {
    return fmt::format(
        "no case was tried: {} has none; gauntlet check {} keeps those that it finds",
        subject.known(of.variant, of.form, {}).where, properties::spelling(of.variant, of.form));
  }
  if (s.refused == s.cases) return properties::all_refused(s.cases, *s.first_refused);
  if (s.must_hold && s.cells == 0) {
    return "nothing was judged: no shape has an element that a result names";
  }
  return {};
}

}  // namespace

std::vector<Sweep> sweep(const properties::Subject& subject,
                         const std::vector<properties::Selected>& forms, const Shapes& shapes,
                         std::uint64_t count, const SweepOptions& options) {
  std::vector<Sweep> sweeps;
  std::vector<Own> own;  // of each sweep
  std::vector<std::pair<std::size_t, Part>> parts;
  const auto add_sweep = [&](const properties::Selected& selected, const std::string& types, Own of,
                             std::vector<Part> tried) {
    Sweep& added = sweeps.emplace_back();
    added.form = properties::spelling(selected.variant->id, selected.form->name) + types;
    added.must_hold = selected.form->expected.empty();
    own.push_back(std::move(of));
    for (Part& part : tried) parts.emplace_back(sweeps.size() - 1, std::move(part));
  };
  for (const properties::Selected& selected : forms) {
    const Form& form = *selected.form;
    properties::Population of{selected.variant->id, form.name, {}, {}};
    const auto instances = subject.instances(of.variant, of.form);
    of.instance = instances.front();
    if (subject.sizes_to_prove(of, 1, [] { return true; }).empty()) {
      add_sweep(selected, {}, {}, parts_of(subject, selected, shapes));
      continue;
    }
    // What a form lacks is shown by check: here it is asked for by name only.
    if (!form.missing.empty() && forms.size() > 1) continue;
    for (const Instance& instance : instances) {
      of.instance = instance;
      std::string types;
      if (instances.size() > 1) {
        types = fmt::format(" {}->{} {}", name(instance.in), name(instance.acc), name(instance.op));
      }
      add_sweep(selected, types, of,
                parts_of(subject, of, form.expected.empty(), count, options.going_on));
    }
  }
  std::vector<Sweep> done(parts.size());
  std::atomic<std::uint64_t> finished = 0, cases = 0;
  os::parallel_for(options.jobs, parts.size(), [&](std::uint64_t k) {
    const auto& [form, part] = parts[k];
    done[k].must_hold = sweeps[form].must_hold;
    Trial(subject, options.going_on, done[k]).run(part, shapes.every_n);
    cases += done[k].cases;
    if (options.progress) options.progress(++finished, parts.size(), cases, sweeps[form].form);
    return options.going_on();
  });
  for (std::size_t k = 0; k < parts.size(); ++k) add(sweeps[parts[k].first], std::move(done[k]));
  for (std::size_t k = 0; k < sweeps.size() && options.going_on(); ++k) {
    if (own[k] && !sweeps[k].unexpected) sweeps[k].untested = untested(subject, sweeps[k], *own[k]);
  }
  return sweeps;
}

std::string text(const Sweep& s) {
  constexpr int width = 44;
  const auto& e = s.every_n;
  if (s.cases == 0 && !e && s.untested.empty()) return {};
  std::vector<std::string> told;
  if (s.cases != 0) {
    told.push_back(fmt::format("{} of {}{} proved", s.proved, s.cases - s.refused,
                               s.must_hold ? "" : " counterexamples"));
  }
  if (s.as_reals != 0) told.push_back(fmt::format("{} of these but for roundings", s.as_reals));
  if (s.refused != 0) told.push_back(fmt::format("{} refused by contract", s.refused));
  if (e && e->proved != 0) {
    told.push_back(
        fmt::format("every n < {} at {} shape{}{}{}", e->below,
                    e->proved == e->shapes ? std::to_string(e->proved)
                                           : fmt::format("{} of {}", e->proved, e->shapes),
                    e->shapes == 1 ? "" : "s", e->ends.empty() ? "" : ", where ", e->ends));
  }
  if (e && !e->why.empty()) told.push_back(fmt::format("not for every n: {}", e->why));
  std::string out = fmt::format("  {:{}}  {}\n", s.form, width, fmt::join(told, "; "));
  if (!s.untested.empty()) out += labelled("untested", s.untested);
  if (!s.unexpected) return out;
  out += labelled(s.must_hold ? "not proved" : "proved", short_line(s.unexpected->c));
  return out + text(*s.unexpected);
}

}  // namespace gauntlet::prove
