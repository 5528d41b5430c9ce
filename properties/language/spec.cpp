// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/os/file.hpp"
#include "base/usage_error.hpp"

namespace gauntlet::spec {

bool Size::allows(std::uint64_t value) const {
  if (!choices.empty()) return std::find(choices.begin(), choices.end(), value) != choices.end();
  return value >= least && value <= most;
}

std::string Size::domain() const {
  return choices.empty() ? fmt::format("{}..{}", least, most)
                         : fmt::format("{}", fmt::join(choices, ","));
}

const Array* Spec::array(std::string_view name) const {
  const auto found =
      std::find_if(arrays.begin(), arrays.end(), [&](const Array& a) { return a.name == name; });
  return found == arrays.end() ? nullptr : &*found;
}

bool Spec::fast_math() const {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag == "--use_fast_math" || flag == "-use_fast_math" || flag.starts_with("--ftz=t") ||
           flag.starts_with("-ftz=t");
  });
}

Spec read_spec(const std::string& path) {
  const auto text = os::read_file(path);
  if (!text) throw UsageError(fmt::format("{}: cannot be read; name a spec file", path));
  return parse_spec(*text, path);
}

}  // namespace gauntlet::spec
