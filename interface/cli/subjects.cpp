// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/subjects.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <thread>

#include "base/os/file.hpp"
#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "gpu/executor/executor.hpp"
#include "interface/cli/built.hpp"
#include "interface/cli/usage.hpp"
#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/hunt/generate.hpp"
#include "properties/hunt/select.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/spec.hpp"
#include "properties/launch/simt_executor.hpp"

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

std::unique_ptr<Executor> make_executor(const std::string& name,
                                        const std::atomic<bool>& interrupted,
                                        const std::string& instead) {
  if (name == "simt") return simt::make_executor({.interrupted = &interrupted});
  if (name == "cuda") {
    if constexpr (has_gpu) {
      try {
        return std::make_unique<cuda::GpuExecutor>(cuda::ExecutorOptions{});
      } catch (const cuda::Unavailable& error) {
        throw NoExecutor(fmt::format("{}; {}", error.what(), instead));
      }
    }
    throw not_built("cuda", "CUDA");
  }
  constexpr std::array<std::string_view, 2> known{"simt", "cuda"};
  throw UsageError(unknown_word("executor", name, known));
}

unsigned default_jobs(const Executor& executor) {
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  return executor.sees_everything() ? cores : std::clamp(8 * cores, 16U, 256U);
}

std::string executor_notes(const Executor& executor) {
  if constexpr (has_gpu) {
    const auto* gpu = dynamic_cast<const cuda::GpuExecutor*>(&executor);
    if (gpu == nullptr) return {};
    const cuda::PoolStats stats = gpu->stats();
    return fmt::format(
        "\n{}\n{} runs in {} batches by {} workers; {} faults ({:.2f} s each), {} "
        "hangs, {} crashes, {} reruns",
        gpu->devices() == 1
            ? cuda::describe(gpu->device())
            : fmt::format("{} GPUs, the first: {}", gpu->devices(), cuda::describe(gpu->device())),
        stats.jobs, stats.batches, stats.workers, stats.faults,
        stats.faults == 0 ? 0.0 : stats.fault_seconds / static_cast<double>(stats.faults),
        stats.hangs, stats.crashes, stats.reruns);
  }
  return {};
}

kernels::PlainSource plain_source_of(const std::string& name, std::uint32_t block) {
  const auto selected = properties::select(kernels::compiled_kernels(), {name});
  if (selected.size() != 1) {
    throw UsageError(fmt::format("{}: {} forms; name one, as {}@{}", name, selected.size(),
                                 selected.front().variant->id, selected.front().form->name));
  }
  const auto& [variant, form] = selected.front();
  const auto source = kernels::plain_source(*variant, *form, block);
  if (source) return *source;
  const auto written = kernels::plain_source(*variant, *form);
  if (!written) {
    throw UsageError(
        fmt::format("{}: a function of the host launches kernels of CUB; it is kernels/{}.cu", name,
                    name.substr(0, name.find('@'))));
  }
  throw UsageError(fmt::format("{}: not written for blocks of {}; leave --block out for {}", name,
                               block, written->block));
}

std::string kernel_text(const std::string& name, std::uint32_t block) {
  const auto named = named_spec(name);
  if (!named) return plain_source_of(name, block).text;
  const spec::Spec spec = spec::read_spec(named->path);
  const std::string path = spec.beside(spec.kernel);
  const auto text = os::read_file(path);
  if (!text) throw UsageError(fmt::format("{}: cannot be read", path));
  const std::vector<Form> forms = spec.forms();
  if (spec.fixes.defects.empty() && named->form.empty()) return *text;
  std::vector<std::string_view> known;
  for (const Form& form : forms) {
    if (form.name == (named->form.empty() ? "fixed" : named->form)) {
      return spec::source_of_form(spec, form, path, *text);
    }
    known.push_back(form.name);
  }
  throw UsageError(unknown_word(fmt::format("form of {}", named->path), named->form, known));
}

}  // namespace gauntlet::cli
