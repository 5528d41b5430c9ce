// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs as a source of cases: the properties, the executors and shrinking see them as they see the
// catalogue's variants. A spec is a variant of the name of its file with the one form "spec".
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "properties/source.hpp"
#include "simt/machine/machine.hpp"
#include "spec/program.hpp"

namespace gauntlet::spec {

/// A spec with its kernels compiled and decoded, ready to be run.
struct Loaded {
  Program program;
  std::shared_ptr<const simt::Module> module;
  std::vector<std::string> entries;  ///< PTX names, one for each launch
};

/// A spec to be read.
struct Given {
  std::string path;
  std::string text = {};                ///< empty: the file's
  std::vector<std::string> flags = {};  ///< for nvcc, behind those of the spec
};

class Specs {
 public:
  /// Reads and compiles each file. Throws UsageError (one line) where a spec, its kernel or the
  /// kernel's signature does not fit; sanitize::Interrupted where Ctrl-C ends the compiler.
  Specs(const std::vector<Given>& given, const std::atomic<bool>& interrupted);
  Specs(const std::vector<std::string>& paths, const std::atomic<bool>& interrupted,
        const std::vector<std::string>& flags = {});

  Specs(const Specs&) = delete;  // source() refers to it
  Specs& operator=(const Specs&) = delete;

  [[nodiscard]] const properties::Source& source() const { return source_; }
  /// A SIMT machine that has these kernels; findings name them as C++ does.
  [[nodiscard]] std::unique_ptr<Executor> machine() const;
  /// Throws CaseError for a path that is not of these.
  [[nodiscard]] const Loaded& find(std::string_view path) const;
  /// A case with all sizes of its spec in their order. Throws CaseError for a size that the spec
  /// does not have, lacks or does not allow.
  [[nodiscard]] Case completed(Case c) const;

 private:
  std::vector<std::unique_ptr<Loaded>> specs_;
  std::vector<kernels::Variant> variants_;
  properties::Source source_;
};

/// spec/plan.cpp: the arrays with their content, and the launches. A case that `require` excludes,
/// or that cannot be launched, is refused.
[[nodiscard]] Plan plan(const Loaded& loaded, const Case& c);

/// spec/judge.cpp: what the arrays hold against the results; wrong_result.
[[nodiscard]] Verdict judge(const Loaded& loaded, const Case& c, const Plan& plan,
                            const Observation& observation);

/// spec/draw.cpp: a case within the sizes' domains, biased to borders.
[[nodiscard]] Case draw(const Loaded& loaded, std::uint64_t seed, int size);

/// The counterexamples beside a spec: NAME.cases for NAME.gauntlet.
[[nodiscard]] std::string cases_path(std::string_view spec_path);

}  // namespace gauntlet::spec
