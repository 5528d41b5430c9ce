// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What is tested: kernels, the cases that may be drawn for them, their plans, and what judges them.
// The documents' kernels are one subject (kernels/subject.hpp), the specs that a user names are one
// (properties/language/source.hpp), and a test makes a small one of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "properties/case/executor.hpp"
#include "properties/case/plan.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/regressions.hpp"
#include "properties/oracle/oracle.hpp"

namespace gauntlet::prove {
class Claim;
}

namespace gauntlet::properties {

struct CheckReport;

/// What a case is drawn of.
struct Population {
  std::string variant;
  std::string form;
  Instance instance;
  std::vector<std::string> schedules;  ///< drawn more often than others; may be empty
  bool wide_indices = false;  ///< n near 2^32 is drawn more often: the form's defect is there
};

/// Cases of a form that are known to fail.
struct Known {
  std::vector<Regression> cases;
  std::vector<std::string> stale = {};  ///< lines that cannot be run any more: why, and what to do
  std::string where = {};               ///< the file or folder that has them
};

/// Where counterexamples were kept.
struct Kept {
  std::vector<std::string> files;     ///< that something was added to
  std::vector<std::string> failures;  ///< files that could not be written, and why
};

/// PTX without what depends on where its source lies and when it was compiled: comments, names of
/// files, and the name that nvcc gives to what is internal to a file, which has its process's id.
[[nodiscard]] std::string code_of(std::string_view ptx);

class Subject {
 public:
  Subject() = default;
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;
  virtual ~Subject() = default;

  // The kernels.
  [[nodiscard]] virtual const std::vector<Variant>& variants() const = 0;
  [[nodiscard]] virtual std::vector<Instance> instances(std::string_view variant,
                                                        std::string_view form) const = 0;
  /// A kernel as findings are to name it, of its PTX name.
  [[nodiscard]] virtual std::string kernel_name(const std::string& entry) const { return entry; }
  /// The texts that results follow from: the code that nvcc made, and what is said of the kernels.
  /// The same wherever they lie.
  [[nodiscard]] virtual std::vector<std::string> texts() const { return {}; }

  // A case and its run.
  /// Throws CaseError (one line, with the nearest right spelling) for an unknown variant or form,
  /// or types and an operator that no kernel is compiled for.
  /// With the modules of its kernels, which the subject must outlive.
  [[nodiscard]] virtual Plan plan(const Case& c) const = 0;
  /// What is wrong with the outputs of a run (findings of kind wrong_result), and the references.
  [[nodiscard]] virtual Verdict judge(const Case& c, const Plan& plan,
                                      const Observation& seen) const = 0;
  /// Is this property of a case asked?
  [[nodiscard]] virtual bool asks(const Case& c, std::string_view property) const;
  /// May two right executors leave other bits? Where atomics add floats whose sum is rounded.
  [[nodiscard]] virtual bool inexact(const Case& c, const Plan& plan) const;
  /// The case with all that it left open: the grid is as many blocks as n needs. Throws CaseError
  /// where it does not fit its kernel.
  [[nodiscard]] virtual Case completed(Case c) const;
  /// What a proof of a case is of; null: each observed cell reduces the elements of the input that
  /// are due.
  [[nodiscard]] virtual std::shared_ptr<prove::Claim> claim(const Case& c, const Plan& plan) const;

  // Which cases there are.
  /// As draw_case (properties/hunt/generate.hpp).
  [[nodiscard]] virtual Case draw(const Population& of, std::uint64_t seed, int size) const;
  /// The block sizes that the case's kernel has as a constant and is compiled for, sorted; empty:
  /// any.
  [[nodiscard]] virtual std::vector<std::uint32_t> blocks(const Case& c) const;
  /// The next smaller cases to try (properties/hunt/shrink.hpp).
  [[nodiscard]] virtual std::vector<Case> smaller(const Case& c) const;
  /// Launches of few threads, those most likely to show a race first: where schedules are searched.
  /// `failing`: cases that are known to fail.
  [[nodiscard]] virtual std::vector<Case> few_threads(const Variant& variant, const Form& form,
                                                      const std::vector<Case>& failing) const;
  /// A few launches as a user makes them: what another tool is shown.
  [[nodiscard]] virtual std::vector<Case> typical(const Variant& variant, const Form& form) const;
  /// Replayed before a case is drawn. `folder` is that of the committed ones; empty: the default.
  [[nodiscard]] virtual Known known(std::string_view variant, std::string_view form,
                                    const std::string& folder) const;
  /// Of what a kernel writes, what is judged in no case, or not as a GPU writes it: a line each,
  /// and what to do.
  [[nodiscard]] virtual std::vector<std::string> unjudged(std::string_view variant) const;
  /// Keeps the counterexamples of what a kernel should not show, where cases lie beside kernels.
  [[nodiscard]] virtual Kept keep(const CheckReport& report) const;
  /// What a proof is tried at: at most `count` cases, where a kernel says itself which sizes it
  /// has, also those that its contract refuses; nothing where the sizes are for others to name.
  /// `going_on` is asked before each; false from it ends the drawing.
  [[nodiscard]] virtual std::vector<Case> sizes_to_prove(
      const Population& of, std::uint64_t count, const std::function<bool()>& going_on) const;
  /// How many are drawn where nobody says.
  [[nodiscard]] virtual unsigned default_cases() const;
  /// Into how many parts the cases of one form are cut, so that several threads share them.
  [[nodiscard]] virtual unsigned parts() const { return 1; }

  // What follows from these.
  /// Null for a name that is none of them.
  [[nodiscard]] const Variant* find(std::string_view variant) const;
  /// The case on the kernel that has every fix; nothing where none is known, so that whatever goes
  /// wrong is news.
  [[nodiscard]] std::optional<Case> repaired(const Case& c) const;
};

/// CaseError, with the nearest right spelling, for a form that the variant lacks, and for types and
/// an operator that a form is not compiled for.
[[noreturn]] void fail_form(const Variant& variant, std::string_view form);
[[noreturn]] void fail_types(const Case& c, const std::vector<Instance>& compiled);

/// "VARIANT@FORM", as people are told; the only form of a kernel is not told.
[[nodiscard]] std::string spelling(std::string_view variant, std::string_view form);

/// What the seeds of a variant's cases are made of: its name; of a file that, wherever it lies.
[[nodiscard]] std::string_view seed_name(std::string_view variant);

}  // namespace gauntlet::properties
