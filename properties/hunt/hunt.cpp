// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/hunt/hunt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <new>

#include "base/interrupted.hpp"
#include "base/usage_error.hpp"
#include "properties/hunt/generate.hpp"

namespace gauntlet::properties {
namespace {

class Hunt {
 public:
  Hunt(Executor& executor, const Subject& subject, const HuntTask& task)
      : executor_(executor), subject_(subject), task_(task), due_(task.selected.form->due()) {
    result_.held.resize(all().size());
    result_.broken.resize(all().size());
  }

  HuntResult run() {
    result_.complete = replay() && generate();
    return std::move(result_);
  }

 private:
  static constexpr unsigned patience = 8;

  /// False: the hunt is over before its end.
  bool replay() {
    for (const Regression& regression : task_.regressions) {
      if (task_.stop && task_.stop()) return false;
      Examination seen;
      if (!examine_one(regression.c, seen)) return false;
      std::vector<Finding> findings;
      for (const Broken& broken : seen.broken) {
        if (broken.c == seen.c) findings.push_back(broken.finding);
      }
      Regression shown{seen.c, kinds_of(findings), regression.where};
      for (const Expected& expected : regression.shows) {
        if (!executor_.sees_everything()) break;
        if (std::binary_search(shown.shows.begin(), shown.shows.end(), expected)) continue;
        result_.problems.push_back(fmt::format("{}: the case does not show {} {}", regression.where,
                                               name(expected.kind), expected.array));
      }
      if (seen.refused() && regression.shows.empty()) {
        result_.stale.push_back(
            fmt::format("{}: outside the contract now ({}); change or delete "
                        "the line",
                        regression.where, seen.refusal));
      }
      if (!shown.shows.empty()) result_.shown.push_back(std::move(shown));
    }
    return true;
  }

  bool generate() {
    const Population population{task_.selected.variant->id, task_.selected.form->name,
                                task_.instance, task_.selected.form->expect_schedules,
                                lacks("index_width")};
    const std::string who =
        fmt::format("{}@{} {}->{} {}", seed_name(population.variant), population.form,
                    name(task_.instance.in), name(task_.instance.acc), name(task_.instance.op));
    // A form that owes a finding is hunted longer: it is the finding that decides, not the budget.
    const bool patient = task_.patient && executor_.sees_everything();
    const unsigned most = patient ? patience * task_.cases : task_.cases;
    for (unsigned i = task_.first; i < std::min(most, task_.end); ++i) {
      if (i >= task_.cases && !owes()) break;
      // An executor that sees little: one thing that a defective form shows is all to hope for.
      if (!executor_.sees_everything() && !task_.selected.form->expected.empty() &&
          !result_.found.empty()) {
        break;
      }
      if (task_.stop && task_.stop()) return false;
      // The first cases are small: they are cheap and shrink fast.
      const int size = static_cast<int>(100 * (i % task_.cases + 1) / task_.cases);
      const std::uint64_t seed = derive_seed(task_.seed, fmt::format("{} {}", who, i));
      Examination seen;
      if (!examine_one(subject_.draw(population, seed, size), seen)) return false;
      for (const Broken& broken : seen.broken) generated_.push_back(key(broken.finding));
      if (i + 1 >= std::max(4U, task_.cases / 4) && all_found()) break;
    }
    return true;
  }

  bool lacks(std::string_view fix) const {
    const auto& missing = task_.selected.form->missing;
    return std::find(missing.begin(), missing.end(), fix) != missing.end();
  }

  /// Something due was neither replayed, here or elsewhere, nor generated so far.
  bool owes() const {
    return !std::ranges::all_of(due_, [&](const Expected& wanted) {
      return result_.found.contains(wanted) || std::ranges::count(task_.known, wanted) != 0;
    });
  }

  bool all_found() const {
    return !due_.empty() && std::ranges::all_of(due_, [&](const Expected& wanted) {
      return std::find(generated_.begin(), generated_.end(), wanted) != generated_.end();
    });
  }

  static Expected key(const Finding& finding) { return {finding.kind, finding.array}; }

  bool examine_one(const Case& c, Examination& seen) {
    try {
      seen = examine(executor_, subject_, c);
    } catch (const Interrupted&) {
      return false;
    } catch (const UsageError&) {
      throw;  // what was asked for cannot be done: no case after this one can
    } catch (const std::bad_alloc&) {
      result_.problems.push_back(to_string(c) + ": not enough host memory; take smaller sizes");
      return false;
    } catch (const std::exception& error) {
      // One line is enough: the cases after it would most likely say the same.
      result_.problems.push_back(fmt::format("{}: {}", to_string(c), error.what()));
      return false;
    }
    ++result_.cases;
    result_.refused += seen.refused();
    if (seen.refused() && !result_.refused_first) result_.refused_first = {0, seen.c, seen.refusal};
    result_.runs += seen.runs;
    result_.warp_instructions += seen.warp_instructions;
    const auto index = [](const Property* property) { return property - all().data(); };
    for (const Property* property : seen.held) ++result_.held[index(property)];
    for (const Property* property : seen.failed) ++result_.broken[index(property)];
    for (const Broken& broken : seen.broken) {
      result_.found.try_emplace(key(broken.finding),
                                Sighting{broken.c, broken.property, broken.finding});
    }
    if (task_.ran) task_.ran(seen.warp_instructions);
    return true;
  }

  Executor& executor_;
  const Subject& subject_;
  const HuntTask& task_;
  std::vector<Expected> due_;
  HuntResult result_;
  std::vector<Expected> generated_;
};

}  // namespace

HuntResult hunt(Executor& executor, const Subject& subject, const HuntTask& task) {
  return Hunt(executor, subject, task).run();
}

}  // namespace gauntlet::properties
