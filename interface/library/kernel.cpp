// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/os/temporary_folder.hpp"
#include "base/scalar.hpp"
#include "base/usage_error.hpp"
#include "compiled.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet {
namespace {

/// As one word of a statement.
std::string quoted(const std::string& word) {
  if (word.find_first_of("'#\n\r") != word.npos) {
    throw Error(fmt::format("{}: a quotation mark, # or line feed cannot be in a name", word));
  }
  return fmt::format("'{}'", word);
}

}  // namespace

half::half(float value) : bits(f16_from_double(value)) {}
half::operator float() const { return static_cast<float>(f16_to_double(bits)); }
bfloat16::bfloat16(float value) : bits(bf16_from_double(value)) {}
bfloat16::operator float() const { return static_cast<float>(bf16_to_double(bits)); }

std::uint64_t Sizes::operator[](std::string_view name) const {
  for (const auto& [known, value] : all_) {
    if (known == name) return value;
  }
  throw Error(fmt::format("the case has no size {}", name));
}

Kernel::Kernel(const std::string& file, const std::string& entry) {
  // The spec is named after the file.
  path_ = std::filesystem::path(file).stem().string() + ".gauntlet";
  file_ = std::filesystem::path(file).filename().string();
  statement("kernel",
            entry.empty() ? quoted(file) : fmt::format("{} {}", quoted(file), quoted(entry)));
}

Kernel Kernel::from_ptx(const std::string& ptx, const std::string& entry) try {
  auto folder = std::make_shared<os::TemporaryFolder>();
  const std::string file = (folder->path() / "kernel.ptx").string();
  std::ofstream out(file, std::ios::binary);
  out << ptx;
  out.close();
  if (!out) throw Error(fmt::format("{}: cannot be written", file));
  Kernel kernel(file, entry);
  kernel.keep_ = std::move(folder);
  return kernel;
} catch (const UsageError& error) {
  throw Error(error.what());
}

Kernel Kernel::from_spec(const std::string& path) {
  if (!is_spec(path)) throw Error(fmt::format("{}: a spec's name ends in .gauntlet", path));
  auto text = os::read_file(path);
  if (!text) throw Error(fmt::format("{}: cannot be read; name a spec file", path));
  Kernel kernel;
  kernel.path_ = path;
  kernel.text_ = *std::move(text);
  if (!kernel.text_.ends_with('\n')) kernel.text_ += '\n';
  kernel.from_file_ = true;
  return kernel;
}

Kernel& Kernel::statement(std::string_view word, std::string_view rest) {
  text_ += fmt::format("{:7} ", word);
  for (const char c : rest) {
    text_ += c;
    if (c == '\n') text_ += ' ';  // the statement goes on
  }
  text_ += '\n';
  compiled_.reset();
  return *this;
}

Kernel& Kernel::size(std::string_view name, std::string_view values) {
  return statement("size", fmt::format("{} = {}", name, values));
}

Kernel& Kernel::let(std::string_view name, std::string_view expression) {
  return statement("let", fmt::format("{} = {}", name, expression));
}

Kernel& Kernel::array(std::string_view role, std::string_view name, std::string_view type,
                      std::string_view count, std::string_view more) {
  return statement(role,
                   fmt::format("{}:{}[{}]{}{}", name, type, count, more.empty() ? "" : " ", more));
}

Kernel& Kernel::scalar(std::string_view name, std::string_view type, std::string_view value) {
  return statement("arg", fmt::format("{}:{} = {}", name, type, value));
}

Kernel& Kernel::set_reference(detail::Reference reference, Tolerance tolerance) {
  reference_ = std::make_shared<const detail::Reference>(std::move(reference));
  tolerance_ = tolerance;
  compiled_.reset();
  return *this;
}

Verdict detail::Judged::judge(const Case& c, const Plan& plan, const Observation& seen) const {
  Verdict verdict = Specs::judge(c, plan, seen);
  if (reference_) judge_by(*reference_, tolerance_, loaded(c), c, plan, seen, verdict);
  return verdict;
}

bool detail::Judged::asks(const Case& c, std::string_view property) const {
  return Specs::asks(c, property) && (!reference_ || property != "schedule_independent");
}

std::string detail::named(const Kernel& kernel, std::string text) {
  const std::string& path = kernel.path_;
  if (kernel.from_file_ || !text.starts_with(path)) return text;
  std::string_view rest = std::string_view(text).substr(path.size());
  std::string_view after = rest;
  std::optional<unsigned> number;
  if (after.starts_with(':')) {
    after.remove_prefix(1);
    number = take_number<unsigned>(after);
  }
  return number ? fmt::format("{}, statement {}{}", kernel.file_, *number, after)
                : fmt::format("{}{}", kernel.file_, rest);
}

detail::Compiled& compiled(const Kernel& kernel) {
  if (kernel.compiled_) return *kernel.compiled_;
  auto made = std::make_shared<detail::Compiled>();
  std::string text = kernel.text_;
  // Values are judged by the callable; the language wants to be told.
  const bool judged = text.starts_with("result") || text.find("\nresult") != text.npos;
  if (kernel.reference_ && !judged) text += "result  none\n";
  const std::vector<spec::Given> given{{.path = kernel.path_, .text = text}};
  made->specs.emplace(given, made->interrupted, kernel.reference_, kernel.tolerance_);
  if (kernel.reference_) {
    detail::check_parameters(*kernel.reference_, made->specs->loaded(kernel.path_).program.spec);
  }
  made->executor = simt::make_executor();
  made->replays_cases = kernel.from_file_;
  kernel.compiled_ = std::move(made);
  return *kernel.compiled_;
}

}  // namespace gauntlet
