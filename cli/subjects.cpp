// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/executors.hpp"
#include "core/usage_error.hpp"

namespace gauntlet::cli {
namespace {

void refuse(const std::vector<std::string>& flags) {
  if (!flags.empty()) throw UsageError("--flags is for specs; name FILE.gauntlet");
}

}  // namespace

Subjects::Subjects(const std::vector<std::string>& named, const std::atomic<bool>& interrupted,
                   const std::vector<std::string>& flags) {
  if (std::ranges::none_of(named, is_spec)) {
    refuse(flags);
    selectors = named;
    return;
  }
  const auto variant = std::ranges::find_if_not(named, is_spec);
  if (variant != named.end()) {
    throw UsageError(fmt::format("{}: is no spec; name specs or variants, not both", *variant));
  }
  specs_.emplace(named, interrupted, flags);
}

Subjects::Subjects(const Case& c, Output& output, const std::vector<std::string>& flags) {
  if (is_spec(c.variant)) {
    specs_.emplace(std::vector{c.variant}, output.watch(), flags);
  } else {
    refuse(flags);
  }
}

std::vector<std::string> Subjects::worker_words() const {
  std::vector<std::string> words;
  if (!specs_) return words;
  words.emplace_back("--spec");
  for (const spec::Given& given : specs_->given()) {
    const bool fast = specs_->find(given.path).program.spec.fast_math();
    words.insert(words.end(), {given.path, given.ptx_file, fast ? "fast" : "precise"});
  }
  return words;
}

std::unique_ptr<Executor> Subjects::executor(const std::string& name) const {
  return make_executor(name, source());
}

}  // namespace gauntlet::cli
