// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/by_program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/os/process.hpp"

namespace gauntlet::spec {
namespace {

constexpr double patience = 60;  // seconds without a byte

/// The path that the spec means, wherever this program was started.
std::string path_of(const Spec& spec) {
  const std::string& program = spec.by->program;
  if (program.find('/') == program.npos || program.starts_with('/')) return program;
  return std::filesystem::absolute(spec.beside(program)).lexically_normal().string();
}

std::vector<std::string> words(const Program& program, Evaluator& evaluator) {
  std::vector<std::string> argv{path_of(program.spec)};
  const auto add = [&](std::string_view name, std::int64_t value) {
    argv.push_back(fmt::format("{}={}", name, value));
  };
  for (std::size_t k = 0; k < program.spec.sizes.size(); ++k) {
    add(program.spec.sizes[k].name, evaluator.slot(static_cast<int>(k)));
  }
  const auto is_size = [&](std::string_view name) {
    return std::ranges::count(program.spec.sizes, name, &Size::name) != 0;
  };
  if (program.spec.host) return argv;
  if (!is_size("block")) add("block", evaluator.slot(program.block_slot));
  add("grid", evaluator.slot(program.grid_slot));
  return argv;
}

/// Where languages say what was wrong: behind a traceback, where there is one.
std::string last_line(std::string_view text) {
  text = text.substr(0, text.find_last_not_of("\r\n\t ") + 1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

/// What the program wrote.
std::string run_program(const Where& where, const std::vector<std::string>& argv,
                        const std::string& input) {
  const std::string with = fmt::format("with {}", fmt::join(argv.begin() + 1, argv.end(), " "));
  os::Ran ran;
  try {
    ran = os::run(argv, input, patience);
  } catch (const std::system_error& error) {
    where.fail(fmt::format("{} cannot be started: {}", argv[0], error.code().message()));
  }
  if (ran.silent) where.fail(fmt::format("it wrote nothing for {} s, {}", patience, with));
  if (ran.end.code() != 0) {
    const std::string said = last_line(ran.err);
    where.fail(fmt::format("{}, {}{}{}", ran.end.text(), with, said.empty() ? "" : ": ", said));
  }
  return std::move(ran.out);
}

}  // namespace

std::vector<std::size_t> judged_by_program(const Spec& spec) {
  std::vector<std::size_t> judged;
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const Role role = spec.arrays[k].role;
    const bool named = std::ranges::count(spec.results, k, &Result::array) != 0;
    if (!named && (role == Role::out || role == Role::inout)) judged.push_back(k);
  }
  return judged;
}

std::vector<std::vector<std::byte>> contents_by_program(const Program& program,
                                                        Evaluator& evaluator, const Plan& plan) {
  std::string input;
  for (std::size_t k = 0; k < program.spec.arrays.size(); ++k) {
    const std::vector<std::byte>& content = plan.buffers[k].content;
    input.append(reinterpret_cast<const char*>(content.data()), content.size());
  }
  const std::vector<std::string> argv = words(program, evaluator);
  // Other schedules of the same arrays follow one another.
  thread_local std::vector<std::string> last_argv;
  thread_local std::string last_input, output;
  if (argv != last_argv || input != last_input) {
    output = run_program(program.spec.by->where, argv, input);
    last_argv = argv;
    last_input = std::move(input);
  }
  std::vector<std::vector<std::byte>> contents;
  std::size_t at = 0, wanted = 0;
  const std::vector<std::size_t> judged = judged_by_program(program.spec);
  for (const std::size_t k : judged) wanted += plan.buffers[k].bytes;
  if (output.size() != wanted) {
    last_argv.clear();
    std::vector<std::string_view> names;
    for (const std::size_t k : judged) names.push_back(program.spec.arrays[k].name);
    program.spec.by->where.fail(fmt::format(
        "it wrote {} bytes; {} {} {}, with {}", output.size(), fmt::join(names, " and "),
        names.size() == 1 ? "has" : "have", wanted, fmt::join(argv.begin() + 1, argv.end(), " ")));
  }
  for (const std::size_t k : judged) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(output.data()) + at;
    contents.emplace_back(bytes, bytes + plan.buffers[k].bytes);
    at += plan.buffers[k].bytes;
  }
  return contents;
}

}  // namespace gauntlet::spec
