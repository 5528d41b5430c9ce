// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/os/process.hpp"
#include "base/scalar.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/source.hpp"
#include "properties/oracle/verdict.hpp"

namespace gauntlet::spec {
namespace {

const ObservedBuffer* observed(const Observation& observation, const std::string& name) {
  const auto found = std::ranges::find(observation.buffers, name, &ObservedBuffer::name);
  return found == observation.buffers.end() ? nullptr : &*found;
}

// `result by ./program`: a program of the user says what the arrays must hold.
//
// It is started as `program n=33 block=64 grid=1`: every size of the spec in its order, then block
// and grid where they are none. On its standard input lies the content of each array that has one
// before the launch, in the order of the declarations, as it lies in memory (row-major,
// little-endian), with nothing between. On its standard output it writes, in the same form, what
// each `out` and `inout` array that no other result names must hold. Exit code 0.

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

/// What it writes for the arrays of this plan, in the order of judged_by_program. The program runs
/// once for all schedules of the same arrays. Throws UsageError, one line, where it cannot be
/// started, fails, writes nothing for a minute or writes another number of bytes.
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

void judge_by_program(const Loaded& loaded, const Plan& plan, const Observation& observation,
                      Evaluator& evaluator, Verdict& verdict) {
  const Program& program = loaded.program;
  const auto contents = contents_by_program(program, evaluator, plan);
  long double within = 0;
  if (program.spec.by->within.present()) {
    within = float_value(Type::f64, evaluator.bits(program.spec.by->within, Type::f64));
  }
  std::size_t next = 0;
  for (const std::size_t k : judged_by_program(program.spec)) {
    const std::vector<std::byte>& content = contents[next++];
    const Array& array = program.spec.arrays[k];
    const ObservedBuffer* const buffer = observed(observation, array.name);
    if (buffer == nullptr) continue;
    Judged judged(*buffer, array.type);
    for (std::size_t i = 0; i < buffer->defined.size(); ++i) {
      Value expected =
          as_value(array.type, load_bits(array.type, content.data() + i * size_of(array.type)));
      expected.real.error = within;
      judged.judge(i, expected);
    }
    judged.tell(verdict, ", which the program wrote");
  }
}

/// An array that was to be left as it was found, bit for bit.
void judge_kept(const Array& array, const Buffer& before, const ObservedBuffer& after,
                Verdict& verdict) {
  Judged judged(after, array.type);
  for (std::size_t i = 0; i < after.defined.size(); ++i) {  // the content has as many
    const std::uint64_t was =
        load_bits(array.type, before.content.data() + i * size_of(array.type));
    const bool kept = after.defined[i] && judged.bits(i) == was;
    judged.judge(i, kept, true, [&] { return as_value(array.type, was); });
  }
  if (judged.wrong() == nullptr) return;
  judged.tell(verdict, " as before the launch: not left as it was found");
}

/// `bound`: which one it is, behind what is wrong.
Verdict judge_results(const Loaded& loaded, const Observation& observation, Evaluator& evaluator,
                      std::string_view bound) {
  Verdict verdict;
  const Spec& spec = loaded.program.spec;
  for (std::size_t k = 0; k < spec.results.size(); ++k) {
    const Array& array = spec.arrays[spec.results[k].array];
    const ObservedBuffer* buffer = observed(observation, array.name);
    if (buffer == nullptr) continue;
    Judged judged(*buffer, array.type);
    std::string reason;
    evaluator.for_each_cell(k, [&](std::uint64_t index, const Value& value, bool decided) {
      const Judged::Cell* const wrong = decided ? judged.judge(index, value) : nullptr;
      if (wrong != nullptr) reason = evaluator.reason(k, array.type, wrong->bits, value);
    });
    judged.tell(verdict, std::string(bound) + (reason.empty() ? "" : ": " + reason));
    if (k == 0) verdict.reference = evaluator.reference();
  }
  return verdict;
}

/// Whether a formula has such a part.
bool formulas_have(const Program& program, bool (*is)(const Expression&)) {
  return std::ranges::any_of(program.spec.results, [&](const Result& result) {
    return any_part(result.value, is) ||
           std::ranges::any_of(result.definitions,
                               [&](const Definition& d) { return any_part(d.value, is); });
  });
}

/// What the flattest tree allows, every tree does; else it has to be known.
Verdict judge_at_any_depth(const Loaded& loaded, const Observation& observation,
                           Evaluator& evaluator, const std::function<const Heights*()>& heights) {
  using Depth = Evaluator::Depth;
  const auto judged = [&](Depth depth, const Heights* known = nullptr) {
    evaluator.set_depth(depth, known);
    return judge_results(loaded, observation, evaluator,
                         known != nullptr ? ", by the kernel's own tree" : "");
  };
  Verdict verdict = judged(Depth::flattest);
  if (verdict.ok) return verdict;
  Depth depth = Depth::any_order;
  verdict = judged(depth);
  const auto is_mean = [](const Expression& b) {
    return b.kind == Expression::Kind::reduction && b.reduction == Reduction::mean;
  };
  if (!verdict.ok && formulas_have(loaded.program, is_mean) && judged(Depth::running).ok) {
    depth = Depth::running;
    verdict.ok = true;
  }
  const Heights* const known = verdict.ok && heights ? heights() : nullptr;
  return verdict.ok ? judged(depth, known) : verdict;
}

/// For results that are wrong: how the formula is to be written so that they are right, if that is
/// what the kernel computes.
std::string_view advice(const Loaded& loaded, const Observation& observation,
                        Evaluator& evaluator) {
  const auto right = [&] { return judge_results(loaded, observation, evaluator, "").ok; };
  if (loaded.calls_fast && !loaded.program.spec.fast_math()) {
    evaluator.set_fast(true);
    if (right()) {
      return "; right for fast functions: where the kernel calls them, write `fast` behind the "
             "formula";
    }
    evaluator.set_fast(false);
  }
  const auto is_division = [](const Expression& b) {
    return b.kind == Expression::Kind::operation && b.code == Expression::Code::divide &&
           !b.integral;
  };
  if (!formulas_have(loaded.program, is_division)) return "";
  evaluator.set_reciprocals(true);
  if (!right()) return "";
  return "; right with `a * (1.0 / b)` in place of `a / b`: write that where the kernel multiplies "
         "by a reciprocal";
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

std::vector<View> views_of(const Loaded& loaded, const Plan& plan, Evaluator& evaluator) {
  std::vector<View> views;
  const std::size_t arrays = std::min(loaded.program.spec.arrays.size(), plan.buffers.size());
  for (std::size_t k = 0; k < arrays; ++k) {
    views.push_back({plan.buffers[k].content, evaluator.elements(k),
                     evaluator.count(loaded.program.spec.arrays[k].extents.back())});
    // What has no content cannot be referred to.
    if (plan.buffers[k].content.empty()) views.back().count = views.back().columns = 0;
  }
  return views;
}

Verdict judge(const Loaded& loaded, const Case& c, const Plan& plan, const Observation& observation,
              const std::function<const Heights*()>& heights) {
  if (!observation.completed) return {};
  const Spec& spec = loaded.program.spec;
  Evaluator evaluator(loaded.program, values(spec, c), c.offset);
  evaluator.set_interrupted(loaded.interrupted);
  evaluator.set_arrays(views_of(loaded, plan, evaluator));
  Verdict verdict = judge_at_any_depth(loaded, observation, evaluator, heights);
  if (!verdict.ok) verdict.findings.front().detail += advice(loaded, observation, evaluator);
  if (spec.by) judge_by_program(loaded, plan, observation, evaluator, verdict);
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const Array& array = spec.arrays[k];
    const ObservedBuffer* buffer = array.kept ? observed(observation, array.name) : nullptr;
    if (buffer != nullptr) judge_kept(array, plan.buffers[k], *buffer, verdict);
  }
  // No value is judged: then that it ran to its end is all that can be right.
  if (spec.result_none) ++verdict.cells_judged;
  return verdict;
}

}  // namespace gauntlet::spec
