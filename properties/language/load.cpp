// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>

#include "base/numbers.hpp"
#include "base/usage_error.hpp"
#include "machine/engine/module.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/host.hpp"
#include "properties/language/kernel.hpp"
#include "properties/language/source.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::spec {
namespace {

/// An atomic that adds floats, which come in any order, or an approximate instruction, of which
/// each GPU has its own.
bool is_inexact_line(std::string_view line) {
  if (line.find(".approx.") != line.npos) return true;
  if (line.find("atom.") == line.npos && line.find("red.") == line.npos) return false;
  const std::string_view parts[] = {".add.f16", ".add.noftz.", ".add.f32", ".add.f64"};
  return std::ranges::any_of(parts, [&](auto part) { return line.find(part) != line.npos; });
}

/// An approximate instruction, but neither rsqrt, which has no precise form, nor those within
/// precise functions: they alone flush subnormals where the arithmetic around them does not.
bool is_fast_line(std::string_view line) {
  const auto has = [&](std::string_view word) { return line.find(word) != line.npos; };
  if (has(".approx.")) return has(".approx.f32") && !has("rsqrt");
  return has("div.full.f32") || has(".ftz.f32");
}

/// A line in one of these entries, or in a function that they may call.
template <class Is>
bool has_line(std::string_view ptx, const std::vector<std::string>& entries, Is&& is) {
  bool counts = false;
  while (!ptx.empty()) {
    const std::string_view line = ptx.substr(0, ptx.find('\n'));
    ptx.remove_prefix(std::min(ptx.size(), line.size() + 1));
    if (const auto at = line.find(".entry "); at != line.npos) {
      const std::string_view name = line.substr(at + 7, line.find('(') - at - 7);
      counts = std::ranges::count(entries, name) != 0;
    } else if (line.find(".func ") != line.npos) {
      counts = true;
    } else if (counts && is(line)) {
      return true;
    }
  }
  return false;
}

/// The kernels of a file, before a form or types are asked for.
struct File {
  const Given& given;
  std::string text;
  std::string ptx_file;
  Kernels kernels;
  std::shared_ptr<const simt::Module> module;  ///< null: each spec has its own
};

Spec read(const Given& given, const std::string& text, const Reading& reading) {
  Spec spec = parse_spec(text, given.path, reading);
  spec.flags.insert(spec.flags.end(), given.flags.begin(), given.flags.end());
  return spec;
}

std::shared_ptr<const simt::Module> module_of(const Spec& spec, const File& file,
                                              const std::string& only) {
  try {
    return simt::load_module(file.kernels.source.text, file.kernels.source.name, only);
  } catch (const ptx::Error& error) {
    spec.kernel_where.fail(
        fmt::format("{}; docs/limits.md lists what the machine supports", error.what()));
  }
}

/// `grid=1,2,5` is one grid of three extents, and rarely meant where the kernel asks for none but
/// the first.
void check_extents(const LaunchStatement& launch, const simt::Kernel& kernel) {
  using W = simt::SpecialRegister::What;
  const auto check = [&](const char* word, const std::vector<Expression>& extents,
                         std::initializer_list<W> numbers) {
    const bool several = std::ranges::any_of(extents.begin() + 1, extents.end(), [](const auto& e) {
      return e.kind == Expression::Kind::integer && e.integer > 1;
    });
    const bool asks = std::ranges::any_of(kernel.specials, [&](const auto& special) {
      return std::ranges::find(numbers, special.what) != numbers.end();
    });
    if (!several || asks) return;
    launch.where.fail(fmt::format(
        "{0}= has {1} extents, and the kernel asks for its place in the first alone; to "
        "try {1} sizes write `size s = A,B` before it and `{0}=s`",
        word, extents.size()));
  };
  check("grid", launch.grid,
        {W::ctaid_y, W::ctaid_z, W::clusterid_y, W::clusterid_z, W::cluster_ctaid_y,
         W::cluster_ctaid_z});
  check("block", launch.block, {W::tid_y, W::tid_z});
}

/// All but its kernels.
std::unique_ptr<Loaded> begun(const File& file, const Reading& reading,
                              const std::atomic<bool>& interrupted) {
  auto loaded = std::make_unique<Loaded>();
  bind(loaded->program, read(file.given, file.text, reading));
  loaded->form = reading.form;
  loaded->instance = *reading.instance;
  loaded->interrupted = &interrupted;
  return loaded;
}

std::unique_ptr<Loaded> load(const File& file, const Reading& reading, const gauntlet::Form& form,
                             const std::atomic<bool>& interrupted) {
  auto loaded = begun(file, reading, interrupted);
  const Spec& spec = loaded->program.spec;
  std::string only;
  std::vector<std::string> all;
  for (const auto& values : values_of(constants_of(spec, form.name, *reading.instance))) {
    std::vector<Kernels> kernels;  // of each launch
    std::vector<const sanitize::KernelEntry*> entries;
    kernels.reserve(spec.launches.size());
    for (const LaunchStatement& launch : spec.launches) {
      Copy copy{form, loaded->instance, values};
      if (launch.of) copy.instance = {launch.of->in, launch.of->acc, copy.instance.op};
      if (constants_of(spec, form.name, copy.instance).empty()) copy.values.clear();
      kernels.push_back(of_copy(spec, copy, file.kernels));
      const sanitize::KernelEntry& entry = entry_of(spec, launch, kernels.back(), copy);
      check_signature(spec, launch, entry);
      entries.push_back(&entry);
      loaded->entries[values].push_back(entry.symbol);
      all.push_back(entry.symbol);
      only = all.size() == 1 || only == entry.symbol ? entry.symbol : "";
    }
    check_outputs(spec, entries);
    for (const Array& array : spec.arrays) {
      if (!array.symbol) continue;
      const std::string symbol = symbol_of(spec, {form, loaded->instance, values}, array.name);
      if (file.kernels.source.text.find(" " + symbol + "[") != std::string::npos) continue;
      array.where.fail(
          fmt::format("{} declares no such array; write __device__ {} {}[COUNT]; there",
                      spec.kernel, spelled(array.type), array.name));
    }
  }
  loaded->module = file.module ? file.module : module_of(spec, file, only);
  for (std::size_t k = 0; k < spec.launches.size(); ++k) {
    check_extents(spec.launches[k], *loaded->module->find(all[k]));
  }
  const std::string& ptx = file.kernels.source.text;
  loaded->capability = capability_of(ptx);
  loaded->inexact = has_line(ptx, all, is_inexact_line);
  loaded->calls_fast = has_line(ptx, all, is_fast_line);
  loaded->ptx_file = file.ptx_file;
  return loaded;
}

std::unique_ptr<Loaded> load_host(const File& file, const Reading& reading,
                                  std::shared_ptr<runtime::HostFunction> function,
                                  std::uint32_t which, const std::atomic<bool>& interrupted) {
  auto loaded = begun(file, reading, interrupted);
  const Spec& spec = loaded->program.spec;
  loaded->entries[{}] = {spec.entry};
  loaded->inexact = true;
  loaded->ptx_file = file.ptx_file;
  const bool tiled = spec.tiled && file.given.kernels_for.empty();
  loaded->host =
      std::make_shared<Host>(spec, std::move(function), which,
                             tiled ? std::string(tiles_need_launches) : file.given.kernels_for);
  return loaded;
}

}  // namespace

std::uint32_t capability_of(std::string_view ptx) {
  const std::string_view word = ".target sm_";
  const auto at = ptx.find(word);
  if (at == ptx.npos) return 0;
  ptx.remove_prefix(at + word.size());
  return take_number<std::uint32_t>(ptx).value_or(0);
}

std::vector<std::unique_ptr<Loaded>> load_all(const Given& given, const std::string& ptx_file,
                                              const std::atomic<bool>& interrupted) {
  File file{given, given.text, ptx_file, {}, {}};
  if (file.text.empty()) file.text = spec_text(given.path);
  const Spec first = read(given, file.text, {});
  std::vector<std::unique_ptr<Loaded>> all;
  std::shared_ptr<runtime::HostFunction> function;
  if (first.host && given.compiled) {
    file.ptx_file += ".so";
    function = compile_host(first, file.ptx_file, interrupted);
  } else if (given.compiled) {
    file.kernels = compile(first, given.ptx_file, interrupted);
    if (first.has_copies()) file.module = module_of(first, file, "");
  }
  for (const gauntlet::Form& form : first.forms()) {
    for (const Instance& instance : instances_of(first, form.name)) {
      const Reading reading{form.name, instance};
      if (function != nullptr) {
        const auto which = static_cast<std::uint32_t>(all.size());
        all.push_back(load_host(file, reading, function, which, interrupted));
      } else if (given.compiled) {
        all.push_back(load(file, reading, form, interrupted));
      } else {
        all.push_back(begun(file, reading, interrupted));
      }
    }
  }
  if (first.host || !given.compiled) return all;
  // The machine does without the file: on a full disk a GPU alone cannot be used.
  std::ofstream written(ptx_file, std::ios::binary);
  written << file.kernels.source.text;
  written.close();
  std::error_code ignored;
  if (!written) std::filesystem::remove(ptx_file, ignored);
  return all;
}

}  // namespace gauntlet::spec
