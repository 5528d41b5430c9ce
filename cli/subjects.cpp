// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/executors.hpp"
#include "core/usage_error.hpp"

namespace gauntlet::cli {

Subjects::Subjects(const std::vector<std::string>& named, const std::atomic<bool>& interrupted) {
  if (std::ranges::none_of(named, is_spec)) {
    selectors = named;
    return;
  }
  const auto variant = std::ranges::find_if_not(named, is_spec);
  if (variant != named.end()) {
    throw UsageError(fmt::format("{}: is no spec; name specs or variants, not both", *variant));
  }
  specs_.emplace(named, interrupted);
}

Subjects::Subjects(const Case& c, Output& output) {
  if (is_spec(c.variant)) specs_.emplace(std::vector{c.variant}, output.watch());
}

std::vector<std::string> Subjects::worker_words() const {
  std::vector<std::string> words;
  if (!specs_) return words;
  words.emplace_back("--spec");
  for (const auto& [path, ptx_file] : specs_->given()) {
    words.insert(words.end(), {path, ptx_file});
  }
  return words;
}

std::unique_ptr<Executor> Subjects::executor(const std::string& name) const {
  return make_executor(name, source());
}

}  // namespace gauntlet::cli
