// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The page docs/heights.md: how deep each form's tree is, beside what the oracle allows and the
// least that is possible, and one picture of each way to finish.
#pragma once

#include <string>
#include <vector>

#include "properties/hunt/subject.hpp"

namespace gauntlet::prove {

struct Page {
  std::string name;  ///< of the file, beside the first one's
  std::string text;
};

/// The page, then its pictures. `name` is the page's own: pictures are named after it.
[[nodiscard]] std::vector<Page> heights(const properties::Subject& subject,
                                        const std::string& name);

}  // namespace gauntlet::prove
