// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/case/variant.hpp"

#include <algorithm>

namespace gauntlet {

std::vector<Expected> Form::due() const {
  std::vector<Expected> due = expected;
  std::erase_if(due, [&](const Expected& e) { return std::ranges::count(rare, e) != 0; });
  return due;
}

const Form* Variant::form(std::string_view name) const {
  const auto found = std::ranges::find(forms, name, &Form::name);
  return found == forms.end() ? nullptr : &*found;
}

}  // namespace gauntlet
