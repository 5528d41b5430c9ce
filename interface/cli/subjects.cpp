// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/usage_error.hpp"
#include "interface/cli/executors.hpp"
#include "kernels/images.hpp"
#include "properties/hunt/generate.hpp"

namespace gauntlet::cli {
namespace {

void refuse(const std::vector<std::string>& flags) {
  if (!flags.empty()) throw UsageError("--flags is for specs; name FILE.gauntlet");
}

}  // namespace

std::string code_of(std::string_view ptx) {
  // Behind the length of a name that has it.
  constexpr std::string_view marks[] = {"_INTERNAL_", "_GLOBAL__N__"}, digits = "0123456789";
  std::string code;
  bool debugging = false;  // in a section of names and lines
  while (!ptx.empty()) {
    const std::string_view whole = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(whole.size() + 1, ptx.size()));
    debugging |= whole.find(".section") != whole.npos;
    if (debugging || whole.starts_with("//") || whole.find(".file") != whole.npos) {
      debugging &= whole.find('}') == whole.npos;
      continue;
    }
    std::string line(whole.substr(0, whole.find(", function_name ")));  // counts in such a section
    for (const std::string_view mark : marks) {
      for (auto at = line.find(mark); at != line.npos; at = line.find(mark)) {
        const std::string_view before = std::string_view(line).substr(0, at);
        const auto begin = before.find_last_not_of(digits) + 1;
        const auto length = parse_number<std::size_t>(before.substr(begin)).value_or(0);
        line.erase(begin, at - begin + std::max(length, mark.size()));
      }
    }
    code += line + '\n';
  }
  return code;
}

Subjects::Subjects(const std::vector<std::string>& named, const std::atomic<bool>& interrupted,
                   const std::vector<std::string>& flags) {
  if (std::ranges::none_of(named, is_spec)) {
    refuse(flags);
    if (kernels::images().empty()) throw UsageError(std::string(kernels::no_catalogue));
    selectors = named;
    return;
  }
  const auto variant = std::ranges::find_if_not(named, is_spec);
  if (variant != named.end()) {
    throw UsageError(fmt::format("{}: is not a spec; name specs or variants, not both", *variant));
  }
  std::vector<std::string> paths;
  for (const std::string& word : named) paths.push_back(named_spec(word)->path);
  specs_.emplace(paths, interrupted, flags);
  selectors = named;
}

Subjects::Subjects(const Case& c, Output& output, const std::vector<std::string>& flags) {
  if (is_spec(c.variant)) {
    specs_.emplace(std::vector{c.variant}, output.watch(), flags);
  } else {
    refuse(flags);
  }
}

void Subjects::tell_stale_cases(Output& output) const {
  if (!specs_) return;
  for (const kernels::Variant& spec : specs_->variants()) {
    for (const std::string& line : specs_->known(spec.id, spec.forms.front().name, {}).stale) {
      output.remark("warning: " + line);
    }
  }
}

std::string Subjects::kernels_hash() const {
  std::uint64_t hash = 0;
  const auto add = [&](std::string_view text) { hash = properties::derive_seed(hash, text); };
  if (!specs_) {
    for (const kernels::Image& image : kernels::images()) add(code_of(image.ptx));
  } else {
    for (const spec::Given& given : specs_->given()) {
      add(os::read_file(given.path).value_or(""));
      add(code_of(os::read_file(given.ptx_file).value_or("")));
    }
  }
  return fmt::format("{:016x}", hash);
}

std::vector<std::string> Subjects::worker_words() const {
  std::vector<std::string> words;
  if (!specs_) return words;
  words.emplace_back("--spec");
  for (const spec::Given& given : specs_->given()) {
    const bool fast = specs_->loaded(given.path).program.spec.fast_math();
    words.insert(words.end(), {given.path, given.ptx_file, fast ? "fast" : "precise"});
  }
  return words;
}

std::unique_ptr<Executor> Subjects::executor(const std::string& name) const {
  return make_executor(name, subject());
}

}  // namespace gauntlet::cli
