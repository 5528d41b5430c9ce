// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A Kernel made ready: its spec read, its code compiled, the callable beside the spec's own judge.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gauntlet/gauntlet.hpp"
#include "properties/language/source.hpp"

namespace gauntlet {
namespace detail {

/// A kernel's spec, beside whose own judge its callable stands.
class Judged : public spec::Specs {
 public:
  Judged(const std::vector<spec::Given>& given, const std::atomic<bool>& interrupted,
         std::shared_ptr<const Reference> reference, const Tolerance& tolerance)
      : Specs(given, interrupted), reference_(std::move(reference)), tolerance_(tolerance) {}
  [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                              const Observation& seen) const override;
  [[nodiscard]] bool asks(const Case& c, std::string_view property) const override;

 private:
  std::shared_ptr<const Reference> reference_;  ///< may be null
  Tolerance tolerance_;
};

struct Compiled {
  std::atomic<bool> interrupted{false};
  std::optional<Judged> specs;
  std::unique_ptr<Executor> executor;
  bool replays_cases = false;  ///< those beside the spec file, first
};

/// Throws UsageError where the callable's parameters are not the declarations.
void check_parameters(const Reference& reference, const spec::Spec& spec);

/// Adds what the arrays have that the callable does not give them: wrong_result.
void judge_by(const Reference& reference, const Tolerance& tolerance, const spec::Loaded& loaded,
              const Case& c, const Plan& plan, const Observation& observation, Verdict& verdict);

}  // namespace detail

/// Made at the first call. Throws UsageError.
[[nodiscard]] detail::Compiled& compiled(const Kernel& kernel);

}  // namespace gauntlet
