// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/usage_error.hpp"
#include "kernels/images.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::cli {

Subjects::Subjects(const std::vector<std::string>& named, const std::atomic<bool>& interrupted,
                   const std::vector<std::string>& flags, const std::string& kernels_for,
                   std::vector<spec::Unusable>* unusable)
    : Subjects(named, interrupted,
               spec::Given{.path = {}, .flags = flags, .kernels_for = kernels_for}, unusable) {}

Subjects::Subjects(const std::vector<std::string>& named, const std::atomic<bool>& interrupted,
                   spec::Given how, std::vector<spec::Unusable>* unusable) {
  if (std::ranges::none_of(named, is_spec)) {
    if (!how.flags.empty()) throw UsageError("--flags is for specs; name FILE.gauntlet");
    if (kernels::images().empty()) throw UsageError(std::string(kernels::no_catalogue));
    selectors = named;
    return;
  }
  const auto variant = std::ranges::find_if_not(named, is_spec);
  if (variant != named.end()) {
    throw UsageError(fmt::format("{}: is not a spec; name specs or variants, not both", *variant));
  }
  std::vector<spec::Given> given;
  for (const std::string& word : named) {
    how.path = named_spec(word)->path;
    given.push_back(how);
  }
  specs_.emplace(given, interrupted, unusable);
  std::ranges::copy_if(named, std::back_inserter(selectors), [&](const std::string& word) {
    return subject().find(named_spec(word)->path) != nullptr;
  });
}

Subjects::Subjects(const std::vector<spec::Given>& given, const std::atomic<bool>& interrupted) {
  specs_.emplace(given, interrupted);
  for (const spec::Given& one : given) selectors.push_back(one.path);
}

Subjects::Subjects(const Case& c, Output& output, const std::vector<std::string>& flags,
                   const std::string& kernels_for)
    : Subjects(is_spec(c.variant) ? std::vector{c.variant} : std::vector<std::string>{},
               output.watch(), flags, kernels_for) {}

void Subjects::tell_stale_cases(Output& output) const {
  for (const auto& [variant, form] : properties::select(subject(), selectors)) {
    for (const std::string& line : subject().known(variant->id, form->name, {}).stale) {
      output.remark("warning: " + line);
    }
  }
}

std::string Subjects::kernels_hash() const {
  std::uint64_t hash = 0;
  for (const std::string& text : subject().texts()) hash = properties::derive_seed(hash, text);
  return fmt::format("{:016x}", hash);
}

std::vector<std::string> Subjects::worker_words() const {
  std::vector<std::string> words;
  if (!specs_) return words;
  words.emplace_back("--spec");
  for (const spec::Given& given : specs_->given()) {
    const spec::Spec& spec = specs_->loaded(given.path).program.spec;
    if (spec.host) {
      throw UsageError(fmt::format(
          "{}: {} makes its own launches, and compute-sanitizer is shown those of a kernel; name "
          "one by kernel and launch",
          given.path, spec.entry));
    }
    const bool fast = spec.fast_math();
    words.insert(words.end(), {given.path, given.ptx_file, fast ? "fast" : "precise"});
  }
  return words;
}

}  // namespace gauntlet::cli
