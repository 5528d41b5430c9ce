// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "net.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string_view>

#include "adversary.hpp"
#include "base/os/parallel_for.hpp"
#include "base/schedule.hpp"
#include "machine/engine/machine.hpp"

namespace gauntlet::net {
namespace {

bool clean(const Observation& seen) {
  return seen.completed && std::none_of(seen.findings.begin(), seen.findings.end(),
                                        [](auto& f) { return f.severity != Severity::note; });
}

std::string first_of(const Observation& seen) {
  for (const auto& f : seen.findings) {
    if (f.severity != Severity::note) {
      return fmt::format("{} {} {}", name(f.kind), f.array, f.detail);
    }
  }
  return seen.completed ? "" : "did not come to its end";
}

/// ptxas is stricter about types than the machine is: `add.f32 %r1, %r1, 4`.
bool not_taken(const Observation& seen) {
  return std::ranges::any_of(seen.findings, [](const Finding& f) {
    return f.kind == FindingKind::executor_fault &&
           f.detail.find("cudaErrorInvalidPtx") != std::string::npos;
  });
}

bool same_values(const Observation& a, const Observation& b) {
  const auto same = [](const ObservedBuffer& x, const ObservedBuffer& y) {
    return x.bytes == y.bytes && x.defined == y.defined;
  };
  return std::equal(a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(), same);
}

/// Cells with equal bits in one run have them in the other.
bool as_alike(const Observation& original, const Observation& mutant) {
  for (std::size_t k = 0; k < original.buffers.size(); ++k) {
    const auto& of = original.buffers[k];
    const auto& is = mutant.buffers[k];
    const auto size = size_of(of.type);
    std::map<std::vector<std::byte>, std::vector<std::byte>> known;
    for (std::size_t i = 0; i < of.defined.size(); ++i) {
      const auto cell = [&](const ObservedBuffer& b) {
        const auto at = b.bytes.begin() + static_cast<std::ptrdiff_t>(i * size);
        return std::vector<std::byte>(at, at + static_cast<std::ptrdiff_t>(size));
      };
      const auto [at, fresh] = known.try_emplace(cell(of), cell(is));
      if (at->second != cell(is)) return false;
    }
  }
  return true;
}

/// One of the mutant's instructions is one that the proof prints, to the word.
bool has_function(std::string_view now, const std::vector<std::string>& functions) {
  static constexpr std::string_view between = " \t;{}";
  std::set<std::string_view> words;
  while (!now.empty()) {
    const auto end = std::min(now.find_first_of(between), now.size());
    words.insert(now.substr(0, end));
    now.remove_prefix(std::min(now.size(), end + 1));
  }
  return std::ranges::any_of(functions, [&](const std::string& function) {
    return words.count(std::string_view(function).substr(0, function.find(' '))) != 0;
  });
}

std::vector<std::string> schedules() {
  std::vector<std::string> all;
  for (const auto name : fixed_schedules()) all.emplace_back(name);
  for (const auto* more : {"random:1", "random:2", "pct:3:1"}) all.emplace_back(more);
  return all;
}

/// Values may depend on the schedule without a race: of atomics, strong accesses and the like.
bool only_barriers(const Text& text) {
  static constexpr std::string_view words[] = {
      "atom.",        "red.",     "volatile", "relaxed",        "acquire", "release",
      "membar",       "fence",    "mbarrier", "activemask",     "%clock",  "%smid",
      "%globaltimer", "cp.async", "%warpid",  "griddepcontrol", "match.",  "elect."};
  return text.spec.find("programmatic") == std::string::npos &&
         std::none_of(std::begin(words), std::end(words),
                      [&](auto word) { return text.ptx.find(word) != std::string::npos; });
}

/// A lockstep run whose blocks are shared by so many threads.
Observation on_threads(const Loaded& loaded, const Case& c, const Plan& plan, unsigned jobs) {
  simt::ExecutorOptions options;
  options.launch = [jobs](simt::ModuleState& state, simt::LaunchConfig& config) {
    config.jobs = jobs;
    config.alone = 0;
    return simt::launch(state, config);
  };
  return loaded.machine(options)->run(c, plan);
}

/// What the original does with each data set that it is right for.
struct Original {
  std::unique_ptr<Loaded> loaded;
  struct Shape {
    Case c;
    std::vector<std::string> functions;
    std::map<unsigned, Observation> right;
  };
  std::vector<Shape> shapes;
};

Original original_of(const Subject& subject) {
  Original o;
  o.loaded = subject.load(subject.text);
  for (const Case& c : subject.shapes) {
    const auto proof = o.loaded->prove(c);
    if (!proof.proved()) continue;
    Original::Shape shape{c, proof.functions, {}};
    for (unsigned k = 0; k <= o.loaded->data_sets(); ++k) {
      const auto [with, plan, finite, normal] = o.loaded->trial(c, k);
      auto seen = o.loaded->machine({})->run(with, plan);
      if (clean(seen) && o.loaded->judge(with, plan, seen).ok) shape.right[k] = std::move(seen);
    }
    o.shapes.push_back(std::move(shape));
  }
  return o;
}

using Judged = std::pair<Outcome, std::string>;

/// Findings and values for several numbers of threads.
std::optional<Judged> jobs_differ(const Loaded& loaded, const Case& shape) {
  const auto [c, plan, finite, normal] = loaded.trial(shape, 0);
  const auto blocks = [](const Launch& launch) { return launch.grid.count() > 2; };
  if (std::none_of(plan.launches.begin(), plan.launches.end(), blocks)) return std::nullopt;
  const auto one = on_threads(loaded, c, plan, 1);
  for (const unsigned jobs : {2U, 3U}) {
    const auto several = on_threads(loaded, c, plan, jobs);
    if (one.findings == several.findings && same_values(one, several)) continue;
    return Judged{Outcome::depends_on_jobs,
                  fmt::format("{}: '{}' on one thread, '{}' on {}", to_string(c), first_of(one),
                              first_of(several), jobs)};
  }
  return std::nullopt;
}

/// A mutant that is proved at a shape, run.
Judged tried(const Subject& subject, const Original::Shape& shape, const Loaded& loaded,
             const std::string& ptx, const std::string& now, const prove::Proof& proof,
             const Options& options) {
  static const auto all = schedules();
  static const std::vector<std::string> lockstep{"lockstep"};
  constexpr unsigned under_all = order_tells + 1;  // so many data sets under every schedule
  // The proof prints functions and does not say which they are: the mutant may be another one, of
  // the same instructions or of others, which it then prints.
  const bool is_function = proof.functions != shape.functions || has_function(now, proof.functions);
  bool other_function = false;
  std::string other;
  const auto assumes = [&](std::string_view what) {
    return std::ranges::count(proof.assumed, what) != 0;
  };
  for (const auto& [set, right] : shape.right) {
    auto [c, plan, finite, normal] = loaded.trial(shape.c, set);
    if ((!finite && (assumes("finite") || assumes("finite_data"))) ||
        (!normal && assumes("no_subnormals")))
      continue;
    std::optional<Observation> first;
    const auto wrong = [&](std::string what) {
      return Judged{Outcome::false_theorem,
                    fmt::format("data set {}, {}: {}", set, to_string(c), what)};
    };
    if (set == 0) {
      if (const auto stale = reads_stale(loaded, ptx, c, plan); !stale.empty()) return wrong(stale);
    }
    for (const auto& schedule : set < under_all ? all : lockstep) {
      c.schedule = schedule;
      const auto seen = loaded.machine({})->run(c, plan);
      if (!clean(seen)) return wrong(first_of(seen));
      if (!first) first = seen;
      if ((subject.any_value || !proof.any_association) && !same_values(*first, seen)) {
        return wrong("other bits than in lockstep");
      }
      if (subject.any_value) continue;
      const auto verdict = loaded.judge(c, plan, seen);
      if (verdict.ok) continue;
      const auto what = verdict.findings.front().detail;
      if (!is_function || (set >= same_from && !as_alike(right, seen))) return wrong(what);
      other_function = true;
      other = fmt::format("data set {}, {}: {}", set, to_string(c), what);
    }
    c.schedule = "lockstep";
    for (const auto& seen :
         set < under_all ? halfway(loaded, c, plan) : std::vector<Observation>{}) {
      const bool right_there =
          same_values(*first, seen) || (!subject.any_value && loaded.judge(c, plan, seen).ok);
      if (!right_there) return wrong("other values where launches overlap");
    }
    if (options.device == nullptr || subject.text.spec.empty() || other_function) continue;
    const auto seen = options.device->run(c, plan);
    if (!seen.completed && not_taken(seen)) {
      other = "not on the device: its compiler refuses the mutant";
      break;
    }
    const bool right_there =
        seen.completed && (subject.any_value || loaded.judge(c, plan, seen).ok);
    if (right_there) continue;
    const auto verdict = loaded.judge(c, plan, seen);
    return {
        Outcome::false_theorem,
        fmt::format("data set {}, {} on the device: {}", set, to_string(c),
                    verdict.findings.empty() ? first_of(seen) : verdict.findings.front().detail)};
  }
  return {other_function ? Outcome::other_function : Outcome::equal, other};
}

std::optional<Judged> missed_race(const Loaded& loaded, const Case& shape) {
  auto [c, plan, finite, normal] = loaded.trial(shape, 0);
  std::optional<Observation> first;
  std::string differs;
  for (const auto& schedule : schedules()) {
    c.schedule = schedule;
    const auto seen = loaded.machine({})->run(c, plan);
    if (!clean(seen)) return std::nullopt;
    if (!first) first = seen;
    if (!same_values(*first, seen) && differs.empty()) differs = to_string(c);
  }
  if (differs.empty()) return std::nullopt;
  return Judged{Outcome::missed_race, differs + ": other bits than in lockstep, no finding"};
}

Judged judged(const Subject& subject, const Original& original, const Text& text,
              const std::string& now, const Options& options) {
  std::unique_ptr<Loaded> loaded;
  try {
    loaded = subject.load(text);
  } catch (const std::exception& error) {
    return {Outcome::refused, error.what()};
  }
  Judged worst{Outcome::refused, ""};
  const auto note = [&](Judged one) {
    if (one.first > worst.first || worst.second.empty()) worst = std::move(one);
  };
  for (const auto& shape : original.shapes) {
    try {
      const auto proof = loaded->prove(shape.c);
      if (proof.proved()) {
        note(tried(subject, shape, *loaded, text.ptx, now, proof, options));
      } else if (proof.verdict == prove::Verdict::refuted) {
        note({Outcome::refuted, ""});
      } else {
        const bool found = proof.cause && proof.cause->what.starts_with("the run has a finding");
        note({found ? Outcome::finding : Outcome::no_proof, proof.cause ? proof.cause->what : ""});
        if (!found && only_barriers(text)) {
          if (auto missed = missed_race(*loaded, shape.c)) note(std::move(*missed));
        }
      }
      if (is_wrong(worst.first)) break;
      if (auto differ = jobs_differ(*loaded, shape.c)) note(std::move(*differ));
    } catch (const std::exception& error) {
      note({Outcome::refused, error.what()});
    }
    if (is_wrong(worst.first)) break;
  }
  return worst;
}

}  // namespace

std::array<std::uint64_t, outcomes> Report::counts() const {
  std::array<std::uint64_t, outcomes> all{};
  for (const auto& r : results) ++all[static_cast<std::size_t>(r.outcome)];
  return all;
}

std::uint64_t Report::left() const {
  return static_cast<std::uint64_t>(std::count_if(
      results.begin(), results.end(), [](const Result& r) { return is_wrong(r.outcome); }));
}

namespace {

/// The mutants of one subject; nothing where it is not proved.
std::optional<std::vector<Result>> cast(const Subject& subject, const Options& options) {
  const auto original = original_of(subject);
  if (original.shapes.empty()) return std::nullopt;
  auto all = mutations_of(subject.text.ptx);
  if (options.mutants != 0 && options.mutants < all.size()) {
    std::mt19937_64 random(options.seed);
    std::vector<Mutation> some;
    std::sample(all.begin(), all.end(), std::back_inserter(some), options.mutants, random);
    all = std::move(some);
  }
  std::vector<Result> results;
  const auto mutant = [&](std::string what, std::string was, std::string now, auto&& text) {
    if (options.wanted && !options.wanted(was, now)) return;
    Result r{subject.name, std::move(what), std::move(was), std::move(now), {}, {}};
    std::tie(r.outcome, r.why) = judged(subject, original, text(), r.now, options);
    results.push_back(std::move(r));
  };
  for (const auto& m : all) {
    mutant(m.what, line_of(subject.text.ptx, m.line), m.now, [&] {
      return Text{mutated(subject.text.ptx, m), subject.text.spec};
    });
  }
  for (const auto& text : subject.overlapping) {
    mutant("overlap", "launch", "launch ... programmatic", [&] { return text; });
  }
  return results;
}

}  // namespace

Report cast(const std::vector<Subject>& subjects, const Options& options) {
  std::vector<std::optional<std::vector<Result>>> of(subjects.size());
  os::parallel_for(options.jobs, subjects.size(), [&](std::uint64_t k) {
    of[k] = cast(subjects[k], options);
    if (options.progress) {
      options.progress(fmt::format("{}: {} mutants", subjects[k].name, of[k] ? of[k]->size() : 0));
    }
    return true;
  });
  Report report;
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    if (!of[k]) {
      report.unproved.push_back(subjects[k].name);
      continue;
    }
    ++report.subjects;
    std::ranges::move(*of[k], std::back_inserter(report.results));
  }
  return report;
}

std::string text(const Report& report) {
  std::map<std::string, std::array<std::uint64_t, outcomes>> rows;
  for (const auto& r : report.results) ++rows[r.what][static_cast<std::size_t>(r.outcome)];
  std::string all = fmt::format("{:<10}{:>8}", "operator", "mutants");
  for (const auto name : enum_names<Outcome>) {
    all += fmt::format(" {:>{}}", name, std::max<std::size_t>(7, name.size()));
  }
  all += "\n";
  const auto row = [&](const std::string& what, const std::array<std::uint64_t, outcomes>& counts) {
    all += fmt::format("{:<10}{:>8}", what,
                       std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}));
    std::size_t k = 0;
    for (const auto name : enum_names<Outcome>) {
      all += fmt::format(" {:>{}}", counts[k++], std::max<std::size_t>(7, name.size()));
    }
    all += "\n";
  };
  for (const auto& [what, counts] : rows) row(what, counts);
  row("all", report.counts());
  // What the proof's printed functions excuse is to be read, too.
  for (const auto& r : report.results) {
    if (!is_wrong(r.outcome) && r.outcome != Outcome::other_function) continue;
    all += fmt::format("\n{} {}: {}\n  was {}\n  now {}\n  {}\n", name(r.outcome), r.subject,
                       r.what, r.was, r.now, r.why);
  }
  const auto refused = std::ranges::count_if(
      report.results, [](const Result& r) { return r.why.starts_with("not on the device"); });
  if (refused != 0) all += fmt::format("\n{} that the device does not take\n", refused);
  return all + fmt::format("\n{} subjects, {} mutants, {} left\n", report.subjects,
                           report.results.size(), report.left());
}

}  // namespace gauntlet::net
