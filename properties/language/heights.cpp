// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "properties/language/proof.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::spec {

const Heights* Specs::heights(const Case& c) const {
  const Loaded& loaded = this->loaded(c);
  if (!find(c.variant)->host.empty()) return nullptr;
  const auto key = std::pair(&loaded, values(completed(c)));
  {
    const std::lock_guard lock(heights_mutex_);
    const auto known = heights_.find(key);
    if (known != heights_.end()) return known->second ? &*known->second : nullptr;
  }
  // Without runs to compare and real numbers: the tree is asked for, not what it computes.
  auto found = prove(*this, c, 0, false).heights;
  const std::lock_guard lock(heights_mutex_);
  const auto& kept = heights_.try_emplace(key, std::move(found)).first->second;
  return kept ? &*kept : nullptr;
}

}  // namespace gauntlet::spec
