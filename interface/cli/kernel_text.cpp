// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "interface/cli/kernel_text.hpp"

#include <fmt/format.h>

#include "base/os/file.hpp"
#include "base/spelling.hpp"
#include "base/usage_error.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case.hpp"
#include "properties/hunt/select.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/spec.hpp"

namespace gauntlet::cli {

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
