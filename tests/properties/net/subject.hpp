// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is proved and mutated: a spec with its kernels, or a form of the catalogue. Both are taken
// as text, so that a mutant of either is loaded, proved, run and judged like the original.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mutations.hpp"
#include "properties/case/case.hpp"
#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"
#include "properties/launch/simt_executor.hpp"
#include "properties/oracle/oracle.hpp"
#include "properties/prove/prove.hpp"

namespace gauntlet::net {

/// A case with data of a data set, and what of these a proof may assume not to be there.
struct Trial {
  Case c;
  Plan plan;
  bool finite = true;  ///< no infinity and no NaN
  bool normal = true;  ///< no subnormal number
};

/// A subject, or a mutant of it, ready to be proved and run.
class Loaded {
 public:
  virtual ~Loaded() = default;
  /// How many data sets `trial` knows beside the case's own.
  [[nodiscard]] virtual unsigned data_sets() const = 0;
  /// The case with data set `telling` in place of its own data, and its plan; 0: with its own.
  [[nodiscard]] virtual Trial trial(const Case& c, unsigned telling) const = 0;
  [[nodiscard]] virtual prove::Proof prove(const Case& c) = 0;
  /// `options.module` is set by it.
  [[nodiscard]] virtual std::unique_ptr<Executor> machine(simt::ExecutorOptions options) const = 0;
  /// By the bound of the tree that the latest proof knows.
  [[nodiscard]] virtual Verdict judge(const Case& c, const Plan& plan,
                                      const Observation& seen) const = 0;
};

/// What a mutant is made of.
struct Text {
  std::string ptx;
  std::string spec;  ///< empty: a form
};

struct Subject {
  std::string name;
  Text text;
  std::vector<Case> shapes;       ///< at which the original is tried
  std::vector<Text> overlapping;  ///< the spec with one more programmatic launch
  bool any_value = false;         ///< `result none`: only that all schedules agree
  /// Throws where the machine refuses the text.
  std::function<std::unique_ptr<Loaded>(const Text&)> load;
};

/// In this data set the order of additions matters, as floats or as the bits of floats; in those
/// from same_from on all elements of an array are one value, where they can be.
inline constexpr unsigned order_tells = 2, same_from = 9;

/// Specs of a folder (*.gauntlet) whose kernels are `ptx/NAME.ptx` of the NAME.cu that each names,
/// at `shapes` sizes that are drawn, each once.
[[nodiscard]] std::vector<Subject> specs_of(const std::string& folder, const std::string& ptx,
                                            unsigned shapes);

/// The forms of the catalogue that must hold, each in up to `instances` of its types and operators.
[[nodiscard]] std::vector<Subject> forms_that_hold(unsigned instances, unsigned shapes);

}  // namespace gauntlet::net
