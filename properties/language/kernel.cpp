// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/os/file.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/usage_error.hpp"
#include "properties/language/guesses.hpp"

namespace gauntlet::spec {
namespace {

namespace fs = std::filesystem;

bool is_template(const std::string& entry) { return entry.find('<') != entry.npos; }

bool is_header(const std::string& file) {
  const std::string ending = fs::path(file).extension().string();
  const std::string_view endings[] = {".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"};
  return std::ranges::find(endings, ending) != std::end(endings);
}

/// Includes the user's file and takes the address of each kernel wanted.
std::string instances(const std::string& file, const std::vector<std::string>& entries) {
  return fmt::format("#include \"{}\"\nvoid* gauntlet_kernels[] = {{(void*)&{}, nullptr}};\n",
                     fs::absolute(file).string(), fmt::join(entries, ", (void*)&"));
}

}  // namespace

std::vector<std::string> flags_of(const Spec& spec) {
  std::vector<std::string> flags;
  bool path = false;
  for (const std::string& flag : spec.flags) {
    const bool joined = flag.starts_with("-I") && flag.size() > 2;
    if (path) {
      flags.push_back(spec.beside(flag));
    } else if (joined) {
      flags.push_back("-I" + spec.beside(std::string_view(flag).substr(2)));
    } else {
      flags.push_back(flag);
    }
    path = flag == "-I" || flag == "-isystem";
  }
  return flags;
}

std::string wrapper_of(const Spec& spec, const std::string& file) {
  if (!file.ends_with(".cu") && !is_header(file)) {
    throw UsageError("a kernel with forms, types or constants is compiled here; name its .cu file");
  }
  const auto source = os::read_file(file);
  if (!source) throw UsageError(fmt::format("{}: cannot be read", file));
  if (source->find("extern \"C\"") != source->npos) {
    throw UsageError(
        fmt::format("{}: its copies would all have one name; leave out extern \"C\"", file));
  }
  return wrapper(spec, file, *source);
}

Kernels compile(const Spec& spec, const std::string& made, const std::atomic<bool>& interrupted) {
  const std::string file = made.empty() ? spec.beside(spec.kernel) : made;
  std::vector<std::string> wanted;
  for (const LaunchStatement& launch : spec.launches) {
    const std::string& entry = launch.entry.empty() ? spec.entry : launch.entry;
    if (is_template(entry)) wanted.push_back(entry);
  }
  const bool first = spec.kernel_where.line == 0;  // of init
  const std::string later = first ? "-- -arch=compute_90" : "flags -arch=compute_90";
  Kernels kernels;
  try {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) {
      throw UsageError(fs::is_directory(file, error)
                           ? fmt::format("{}: is a folder; name a .cu or a .ptx file in it", file)
                           : fmt::format("{}: no such file{}", file,
                                         first ? "" : "; its path is relative to the spec"));
    }
    std::string text;  // that is compiled in the file's place
    if (made.empty() && spec.has_copies()) {
      text = wrapper_of(spec, file);
    } else if (!wanted.empty()) {
      text = instances(file, wanted);
    } else if (!file.ends_with(".ptx") && !file.ends_with(".cu")) {
      throw UsageError(is_header(file) ? "a header needs an entry, such as 'sum<float, 256>'"
                                       : "name a .cu or a .ptx file, or a header");
    }
    if (file.ends_with(".ptx")) {
      kernels.source = sanitize::read_source(file, {}, interrupted);
    } else if (text.empty()) {
      kernels.source = sanitize::read_source(file, flags_of(spec), interrupted, later);
    } else {
      const os::TemporaryFolder folder;
      const fs::path copies = folder.path() / "copies.cu";
      std::ofstream(copies) << text;
      kernels.source = sanitize::read_source(copies.string(), flags_of(spec), interrupted, later);
      kernels.source.name = fmt::format("the PTX of {}", file);
    }
    kernels.entries =
        sanitize::kernel_entries(ptx::parse(kernels.source.text, kernels.source.name));
  } catch (const UsageError& error) {
    spec.kernel_where.fail(error.what());
  } catch (const ptx::Error& error) {
    spec.kernel_where.fail(error.what());
  }
  return kernels;
}

Kernels of_copy(const Spec& spec, const Copy& copy, const Kernels& kernels) {
  if (!spec.has_copies()) return kernels;
  Kernels own{{.text = {}, .name = kernels.source.name}, {}};
  const std::string space = space_of(spec, copy) + "::";
  for (const sanitize::KernelEntry& entry : kernels.entries) {
    if (!entry.name.starts_with(space)) continue;
    own.entries.push_back(entry);
    own.entries.back().name = without_spaces(entry.name);
    own.entries.back().signature = without_spaces(entry.signature);
  }
  return own;
}

const sanitize::KernelEntry& entry_of(const Spec& spec, const LaunchStatement& launch,
                                      const Kernels& kernels, const Copy& copy) {
  const bool own = !launch.entry.empty();
  const std::string wanted = entry_in(spec, copy, own ? launch.entry : spec.entry);
  const Where& where = own ? launch.where : spec.kernel_where;
  if (wanted.empty()) {
    if (kernels.entries.size() == 1) return kernels.entries[0];
    std::vector<std::string> names;
    for (const auto& entry : kernels.entries) names.push_back(entry.name);
    const bool ptx = kernels.source.name.ends_with(".ptx");
    where.fail(names.empty() ? fmt::format("the file has no kernel; {}",
                                           ptx ? sanitize::why_no_kernel(kernels.source.name)
                                               : "name an instance of a template, such as "
                                                 "'sum<float, 256>'")
                             : fmt::format("the file has several kernels; name one of {}",
                                           fmt::join(names, ", ")));
  }
  try {
    return sanitize::choose_entry(kernels.entries, wanted, kernels.source.name);
  } catch (const UsageError& error) {
    std::string line = error.what();
    if (line.starts_with("--entry: ")) line.erase(0, 9);
    if (line.starts_with("--entry ")) line.erase(0, 8);
    for (std::size_t at; (at = line.find("\n")) != line.npos;) line.replace(at, 1, "");
    where.fail(line);
  }
}

std::vector<sanitize::GivenArgument> given_arguments(
    const Spec& spec, const std::vector<Parameter>& parameters,
    const std::function<std::uint64_t(std::size_t array)>& count) {
  std::vector<sanitize::GivenArgument> all;
  for (const Parameter& parameter : parameters) {
    sanitize::GivenArgument& given = all.emplace_back();
    if (parameter.array) {
      const Array& array = spec.arrays[parameter.index];
      given.spelling =
          fmt::format("{}:{}[{}]", array.name, array.addresses ? "ptr" : name(array.type),
                      count(parameter.index));
      given.bytes = sizeof(std::uint64_t);
      given.array = given.address = true;
      given.type = array.type;
      continue;
    }
    const Scalar& scalar = spec.scalars[parameter.index];
    const std::vector<Member>& members = scalar.members;
    given.bytes = scalar.bytes();
    given.spelling = fmt::format("{}:{}", scalar.name, name(scalar.type));
    if (members.size() == 1 && members[0].pointer()) {
      given.address = true;
      given.type = spec.array(members[0].array)->type;
      given.spelling = fmt::format("{}:ptr=@{}", scalar.name, members[0].array);
    } else if (members.empty() || scalar.type == members[0].type) {
      given.type = scalar.type;
      if (!members.empty()) given.spelling += fmt::format("x{}", members.size());
    } else {
      given.spelling = scalar.where.statement;
    }
  }
  return all;
}

void check_signature(const Spec& spec, const LaunchStatement& launch,
                     const sanitize::KernelEntry& entry) {
  for (std::size_t k = 0; k < std::min(entry.parameters.size(), launch.parameters.size()); ++k) {
    const Parameter& p = launch.parameters[k];
    const std::string& type = entry.parameters[k].type;
    if (!p.array || spec.arrays[p.index].addresses || !sanitize::numbers_of(type).table) continue;
    spec.arrays[p.index].where.fail(
        fmt::format("parameter {} ({}) of {} is a table of pointers; write {}:ptr[] = @a, @b, and "
                    "`array a:f32[n]` for each of these",
                    k + 1, type, entry.name, spec.arrays[p.index].name));
  }
  try {
    sanitize::fit_arguments(
        entry, given_arguments(spec, launch.parameters, [](std::size_t) { return 1; }));
  } catch (const UsageError& error) {
    std::string wanted;
    for (const std::string& line : declarations(entry, {})) {
      wanted += (wanted.empty() ? "" : "; ") + line.substr(0, line.find("  #"));
    }
    launch.where.fail(
        fmt::format("{}. {} fits, in this order: {}", error.what(), entry.signature, wanted));
  }
}

void check_outputs(const Spec& spec, const std::vector<const sanitize::KernelEntry*>& entries) {
  for (std::size_t a = 0; a < spec.arrays.size(); ++a) {
    if (spec.arrays[a].role != Role::out) continue;
    std::string to_const;
    bool writable = false;
    for (std::size_t k = 0; k < spec.launches.size(); ++k) {
      const std::vector<Parameter>& parameters = spec.launches[k].parameters;
      for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (!parameters[p].array || parameters[p].index != a) continue;
        const std::string& type = entries[k]->parameters[p].type;
        if (sanitize::numbers_of(type).to_const) {
          to_const = entries[k]->signature;
        } else {
          writable = true;
        }
      }
    }
    if (writable || to_const.empty()) continue;
    spec.arrays[a].where.fail(fmt::format(
        "{} is an output, and {} takes it by a pointer to const; declare it in, or in the order of "
        "the parameters",
        spec.arrays[a].name, to_const));
  }
}

std::string first_spec(const std::string& file, const std::string& entry,
                       const std::vector<std::string>& flags,
                       const std::atomic<bool>& interrupted) {
  Spec spec;
  spec.path = "init";
  spec.kernel = file;
  spec.entry = entry;
  spec.flags = flags;
  spec.kernel_where = {file, 0, {}};
  LaunchStatement launch;
  spec.launches.push_back(launch);
  const Kernels kernels = compile(spec, {}, interrupted);
  const sanitize::KernelEntry& found = entry_of(spec, launch, kernels);
  std::string text = fmt::format("# {}\n", found.signature);
  text += fmt::format("kernel  {} '{}'\n", fs::path(file).filename().string(),
                      is_template(entry) ? entry : found.name);
  if (!flags.empty()) text += fmt::format("flags   {}\n", fmt::join(flags, " "));
  const auto declared = declared_in(file, found);
  const auto uses = sanitize::parameter_uses(kernels.source.text, found.symbol);
  for (const std::string& line : declarations(found, declared, uses)) text += line + "\n";
  const bool table = rows_and_columns(declared);
  text += fmt::format(
      "launch  grid={} block={}{}{}\n",
      !table             ? "max(1, ceil(n / block))"
      : found.threads_2d ? "ceil(columns / 16),ceil(rows / 16)"
                         : "rows",
      found.threads_2d ? "16,16"
                       : fmt::format("32..{}", found.max_threads == 0 ? 1024 : found.max_threads),
      found.meets_grid ? " cooperative" : "",
      found.dynamic_shared ? fmt::format(" shared={} * block  # guess", shared_bytes_of_thread)
                           : "  # guess; shared=BYTES where needed");
  text += "require block % 32 == 0  # guess: whole warps only\n";
  text += "# what each element of an output is, such as\n";
  text += fmt::format("#   result {}\n", example_result(found, declared, uses));
  text += "result  none  # guess: memory, races, barriers and schedules only\n";
  return text;
}

}  // namespace gauntlet::spec
