// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Which forms a run is about.
#pragma once

#include <string>
#include <vector>

#include "properties/hunt/subject.hpp"

namespace gauntlet::properties {

struct Selected {
  const Variant* variant = nullptr;
  const Form* form = nullptr;
};

/// Throws CaseError where there is no such shard.
void require_shard(unsigned shard, unsigned shards);

/// The forms that any of the selectors names, in catalogue order, each once; all for no selectors.
/// A selector is "VARIANT" or "VARIANT@FORM"; either part may be a glob ("*", "volatile*") or,
/// where no name is that, three or more letters that names contain ("volatile"). Of these, those
/// whose index in the whole catalogue is `shard` modulo `shards`: the shards of one selection are
/// disjoint and their union is the selection. Throws CaseError, with the nearest right spelling.
[[nodiscard]] std::vector<Selected> select(const Subject& subject,
                                           const std::vector<std::string>& selectors,
                                           unsigned shard = 0, unsigned shards = 1);

}  // namespace gauntlet::properties
