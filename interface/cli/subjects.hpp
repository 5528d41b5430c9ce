// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a verb is about: variants of the catalogue, or specs of a user's kernels
// (docs/own_kernels.md). The verb sees a source and what is selected of it.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "interface/cli/output.hpp"
#include "kernels/plain/plain.hpp"
#include "kernels/subject.hpp"
#include "properties/case/executor.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::cli {

class Subjects {
 public:
  /// `named`: selectors of the catalogue, or paths of specs, which are read and compiled. Throws
  /// UsageError where both are named or a spec cannot be used, Interrupted.
  /// `flags`: for nvcc, behind those of the specs; UsageError where there are none. `kernels_for`:
  /// a verb that needs launches: those that a function of the host makes stand in its place.
  /// `unusable`: as of spec::Specs; `selectors` names the others.
  Subjects(const std::vector<std::string>& named, const std::atomic<bool>& interrupted,
           const std::vector<std::string>& flags = {}, const std::string& kernels_for = {},
           std::vector<spec::Unusable>* unusable = nullptr);
  /// What `named` says of its kernels, which are not compiled: no plan can be made.
  [[nodiscard]] static Subjects described(const std::vector<std::string>& named,
                                          const std::atomic<bool>& interrupted) {
    return {named, interrupted, spec::Given{.path = {}, .compiled = false}};
  }
  /// Specs that are given with their texts.
  Subjects(const std::vector<spec::Given>& given, const std::atomic<bool>& interrupted);
  /// Of a case. An interrupt is watched for while a spec's kernel is compiled.
  Subjects(const Case& c, Output& output, const std::vector<std::string>& flags = {},
           const std::string& kernels_for = {});

  [[nodiscard]] const properties::Subject& subject() const {
    return specs_ ? static_cast<const properties::Subject&>(*specs_) : kernels::compiled_kernels();
  }
  /// Null where they are none.
  [[nodiscard]] const spec::Specs* specs() const { return specs_ ? &*specs_ : nullptr; }
  /// Of the source; empty: all of it.
  std::vector<std::string> selectors;
  /// Tells of the selected kernels' known cases that cannot be run any more, a line each.
  void tell_stale_cases(Output& output) const;
  /// A hash of the subject's texts.
  [[nodiscard]] std::string kernels_hash() const;
  /// What a process of a vendor's tool is given to have the same.
  [[nodiscard]] std::vector<std::string> worker_words() const;

 private:
  Subjects(const std::vector<std::string>& named, const std::atomic<bool>& interrupted,
           spec::Given how, std::vector<spec::Unusable>* unusable = nullptr);
  std::optional<spec::Specs> specs_;
};

// The executors that --on can name.

/// The executor is known but cannot be used here: not part of this build, or no GPU. what() is one
/// line; exit_no_executor.
struct NoExecutor : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "simt" or "cuda". Throws UsageError for another word, NoExecutor for one that cannot be used,
/// with what to do `instead`. `interrupted` ends a run of "simt", as in its ExecutorOptions.
[[nodiscard]] std::unique_ptr<Executor> make_executor(const std::string& name,
                                                      const std::atomic<bool>& interrupted,
                                                      const std::string& instead = "use --on simt");

/// Threads that keep an executor busy: one per core, or for a GPU enough to fill its batches.
[[nodiscard]] unsigned default_jobs(const Executor& executor);

/// Candidates that shrinking tries on a GPU: each that fails may cost a worker process.
inline constexpr unsigned gpu_shrink_steps = 12;

/// What a GPU's workers went through, to follow the time; empty for the SIMT machine.
[[nodiscard]] std::string executor_notes(const Executor& executor);

// The CUDA source of what is named: a form of the catalogue (kernels/plain), or a spec's file.

/// "VARIANT@FORM". Throws UsageError for another name, for a form without plain source, and for a
/// block that it does not fit; `block` 0: the one that it is written for.
[[nodiscard]] kernels::PlainSource plain_source_of(const std::string& name,
                                                   std::uint32_t block = 0);

/// The same of a form, or the text of the file that a spec's kernel is in.
[[nodiscard]] std::string kernel_text(const std::string& name, std::uint32_t block = 0);

}  // namespace gauntlet::cli
