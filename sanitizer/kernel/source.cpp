// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/os/toolkit.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"
#include "machine/ptx/source_names.hpp"

namespace gauntlet::sanitize {
namespace {

namespace fs = std::filesystem;

/// A compiler has nowhere to write to.
bool is_full(const fs::path& folder) {
  std::error_code failed;
  const fs::space_info space = fs::space(folder, failed);
  return !failed && space.available < 4096;
}

/// True where nvcc ends with exit code 0. It has a process group of its own, so that Ctrl-C reaches
/// this program first, which then ends the compiler with all its children and removes what they
/// left in `folder`.
/// What nvcc says goes to `said`, and if it `tells` to standard error. Throws UsageError where the
/// disk of `folder` was full, so that nvcc may not even have said so.
bool compiles(const std::vector<std::string>& words, const fs::path& folder,
              const std::atomic<bool>& interrupted, std::string& said, bool tells = true) {
  const fs::path told = folder / "told";
  os::Process nvcc({.argv = words,
                    .environment = {"TMPDIR=" + folder.string()},
                    .err = told.string(),
                    .out_to_err = true,
                    .group = true});
  const auto pass_on = [&] {
    std::string all = os::read_file(told).value_or("");
    if (tells && all.size() > said.size()) to_standard_error(all.substr(said.size()));
    said = std::move(all);
  };
  bool full = false;
  while (true) {
    full = full || is_full(folder);  // when it has ended it has removed what it wrote
    const auto end = nvcc.wait(std::chrono::milliseconds(5));
    pass_on();
    if (end && end->code() == 0) return true;
    if (end && (full || said.find(std::strerror(ENOSPC)) != said.npos)) {
      throw UsageError(fmt::format(
          "nvcc could not compile: the disk of {} is full; set TMPDIR to a folder with more room",
          folder.parent_path().string()));
    }
    if (end) return false;
    if (interrupted) throw Interrupted();
  }
}

/// Whether an instruction or a function that a later architecture has may be what nvcc misses.
bool may_need_a_later_one(std::string_view said) {
  for (const std::string_view word : {"sm_", "compute_", "__CUDA_ARCH__", "is undefined",
                                      "architecture", "not supported", "static assertion"}) {
    if (said.find(word) != said.npos) return true;
  }
  return false;
}

std::string read_text(const std::string& path) {
  auto text = os::read_file(path);
  if (!text) throw UsageError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  return *std::move(text);
}

std::string find_nvcc() {
  const os::Toolkit toolkit;
  std::string nvcc = toolkit.find("nvcc");
  if (!nvcc.empty()) return nvcc;
  throw UsageError(fmt::format(
      "nvcc not found: looked in {}; install the CUDA toolkit, set CUDA_HOME, or give a "
      ".ptx file",
      toolkit.looked_in()));
}

/// nvcc hands the name of its input, made absolute and with links resolved, to a shell.
bool safe_in_a_shell(const fs::path& path) {
  const std::string text = path.string();
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-+,@%=:").find(c) != std::string_view::npos || (c & 0x80) != 0;
  });
}

/// What nvcc is to compile: the file, or one of a plain name in `folder` that includes it, so that
/// findings and includes still go by the user's path. Never begins like an option.
std::string plain_input(const std::string& file, const fs::path& folder) {
  const fs::path absolute = fs::absolute(file);
  if (safe_in_a_shell(absolute) && safe_in_a_shell(fs::canonical(file))) {
    return file.starts_with('-') ? "./" + file : file;
  }
  const std::string path = absolute.string();
  const bool can_be_included = std::none_of(path.begin(), path.end(), [](char c) {
    return c == '"' || c == '\\' || (static_cast<unsigned char>(c) < 0x20) || c == 0x7f;
  });
  if (!can_be_included) {
    throw UsageError(fmt::format(
        "{}: its path has a quotation mark, a backslash or a control character; rename it", file));
  }
  const fs::path input = folder / "source.cu";
  std::ofstream(input) << "#include \"" << path << "\"\n";
  return input.string();
}

constexpr std::string_view usual_architecture = "compute_75";

bool names_architecture(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const auto& flag) {
    for (const std::string_view option :
         {"-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code"}) {
      if (flag == option || flag.starts_with(std::string(option) + "=")) return true;
    }
    return false;
  });
}

/// What a file says must not command the terminal that shows a part of it.
std::string without_commands(std::string text) {
  for (char& c : text) {
    const bool blank = c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
    if ((static_cast<unsigned char>(c) < 0x20 && !blank) || c == 0x7f) c = '?';
  }
  return text;
}

}  // namespace

std::vector<std::string> nvcc_arguments(const std::string& file, const std::string& output,
                                        const std::vector<std::string>& flags) {
  std::vector<std::string> words{"-ptx"};
  // Of the two ways to name lines nvcc takes one.
  const bool debug = std::ranges::any_of(
      flags, [](const auto& flag) { return flag == "-G" || flag == "--device-debug"; });
  if (!debug) words.emplace_back("-lineinfo");
  if (!names_architecture(flags)) words.push_back(fmt::format("-arch={}", usual_architecture));
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {file, "-o", output});
  return words;
}

void require_source(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) throw UsageError(fmt::format("{}: no such file", file));
  if (fs::is_directory(file, error)) {
    throw UsageError(fmt::format("{}: is a folder; name a .cu or a .ptx file in it", file));
  }
  if ((!file.ends_with(".cu") && !file.ends_with(".ptx")) || !fs::is_regular_file(file, error)) {
    throw UsageError(
        fmt::format("{}: name a .cu or a .ptx file (gauntlet run takes programs)", file));
  }
}

PtxSource read_source(const std::string& file, const std::vector<std::string>& flags,
                      const std::atomic<bool>& interrupted, const std::string& later) {
  require_source(file);
  if (file.ends_with(".ptx")) {
    if (!flags.empty()) {
      throw UsageError(
          fmt::format("{}: is compiled already; the flags after -- are for .cu files", file));
    }
    return {with_relative_paths(without_commands(read_text(file)), fs::current_path()), file};
  }
  const std::string nvcc = find_nvcc();
  const os::TemporaryFolder folder;
  const std::string output = (folder.path() / "kernels.ptx").string();
  auto words = nvcc_arguments(plain_input(file, folder.path()), output, flags);
  words.insert(words.begin(), nvcc);
  std::string said;
  if (!compiles(words, folder.path(), interrupted, said)) {
    if (interrupted) throw Interrupted();
    throw UsageError(
        fmt::format("{}: nvcc could not compile it{}", file,
                    names_architecture(flags) || !may_need_a_later_one(said)
                        ? ""
                        : fmt::format(" for {}; what needs a later one is compiled by {}",
                                      usual_architecture, later)));
  }
  if (!fs::is_regular_file(output)) {
    throw UsageError(fmt::format("{}: nvcc wrote no PTX with these flags", file));
  }
  return {with_relative_paths(without_commands(read_text(output)), fs::current_path()),
          fmt::format("the PTX of {}", file)};
}

bool compile_library(const std::string& file, const std::string& library,
                     const std::vector<std::string>& flags, const std::atomic<bool>& interrupted,
                     std::string& said) {
  const std::string nvcc = find_nvcc();
  // The toolkit's own runtime, for a GPU: what LD_LIBRARY_PATH names comes before it.
  const fs::path runtime = fs::weakly_canonical(nvcc).parent_path().parent_path() / "lib64";
  std::vector<std::string> words{nvcc,         "-shared",
                                 "-Xcompiler", "-fPIC",
                                 "-cudart",    "shared",
                                 "-g",         "-lineinfo",
                                 "-Xlinker",   "--enable-new-dtags",
                                 "-Xlinker",   fmt::format("-rpath={}", runtime.string())};
  if (!names_architecture(flags)) words.push_back(fmt::format("-arch={}", usual_architecture));
  words.insert(words.end(), flags.begin(), flags.end());
  words.insert(words.end(), {file, "-o", library});
  const os::TemporaryFolder folder;
  const bool made = compiles(words, folder.path(), interrupted, said, false);
  if (interrupted) throw Interrupted();
  return made;
}

std::string with_relative_paths(std::string_view ptx, const fs::path& folder) {
  std::string result;
  result.reserve(ptx.size());
  while (!ptx.empty()) {
    const auto end = std::min(ptx.find('\n'), ptx.size() - 1) + 1;
    const std::string_view line = ptx.substr(0, end);
    ptx.remove_prefix(end);
    const auto word = line.find_first_not_of(" \t");
    const auto open = line.find('"');
    const auto close = open == line.npos ? line.npos : line.find('"', open + 1);
    if (word == line.npos || !line.substr(word).starts_with(".file") || close == line.npos ||
        line[open + 1] != '/') {
      result += line;
      continue;
    }
    fs::path path(line.substr(open + 1, close - open - 1));
    if (!ptx::in_toolkit(path.string())) path = path.lexically_normal().lexically_relative(folder);
    result += line.substr(0, open + 1);
    result += path.string();
    result += line.substr(close);
  }
  return result;
}

std::string source_of_line(std::string_view ptx, std::size_t ptx_line) {
  std::map<unsigned, std::string> files;
  unsigned file = 0, line = 0;
  std::istringstream lines{std::string(ptx)};
  std::size_t at = 0;
  for (std::string text; std::getline(lines, text);) {
    ++at;
    std::istringstream words(text);
    std::string directive;
    unsigned number = 0;
    if (!(words >> directive >> number)) continue;
    if (directive == ".loc" && at <= ptx_line) {
      // What is inlined is at its caller's line, which ends such a directive.
      const auto inlined = text.find("inlined_at ");
      if (inlined != text.npos) words = std::istringstream(text.substr(inlined + 11));
      if (inlined != text.npos) words >> number;
      file = number;
      words >> line;
    } else if (directive == ".file") {
      const auto open = text.find('"'), close = text.rfind('"');
      if (open != close) files[number] = text.substr(open + 1, close - open - 1);
    }
  }
  const auto it = files.find(file);
  return it == files.end() || line == 0 ? std::string{} : fmt::format("{}:{}", it->second, line);
}

void refuse(const PtxSource& source, const ptx::Error& error) {
  // "NAME:LINE: what: `text`"
  const std::string what = error.what();
  std::size_t line = 0;
  if (what.starts_with(source.name + ":")) {
    auto rest = std::string_view(what).substr(source.name.size() + 1);
    line = take_number<std::size_t>(rest).value_or(0);
  }
  const std::string at = line == 0 ? std::string{} : source_of_line(source.text, line);
  throw UsageError(fmt::format("{}{}; docs/limits.md lists what the machine supports", what,
                               at.empty() ? "" : fmt::format(" (from {})", at)));
}

}  // namespace gauntlet::sanitize
