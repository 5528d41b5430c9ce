// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/images.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet::kernels {
const std::vector<Image>& images() {
  static const std::vector<Image> all = [] {
    std::vector<Image> result;
    for (const EmbeddedFile& file : embedded()) {
      if (file.name.ends_with(".ptx")) result.push_back({file.stem(), file.content()});
    }
    return result;
  }();
  return all;
}

std::string_view ptx_of(std::string_view module) {
  const auto image = std::ranges::find(images(), module, &Image::module);
  return image == images().end() ? std::string_view() : image->ptx;
}

std::string entry_stem(const Case& c) {
  std::string form = c.form;
  std::ranges::replace(form, '-', '_');
  return fmt::format("{}__{}__{}_{}_{}", c.variant, form, name(c.in), name(c.acc), name(c.op));
}

}  // namespace gauntlet::kernels
