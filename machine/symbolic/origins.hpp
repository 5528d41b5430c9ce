// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the operations of terms were made: by which instruction of which thread, and how the
// operand that came from the farthest had come there. For pictures of trees; kept when asked for.
// And where a proof ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/members.hpp"
#include "base/names.hpp"
#include "machine/symbolic/terms.hpp"

namespace gauntlet::simt::symbolic {

/// The way of an operand, near before far; an atomic combines where the cell is.
enum class Via : std::uint8_t { thread, shuffle, shared, global, atomic };
constexpr auto names(const Via*) {
  return names_of("thread", "shuffle", "shared", "global", "atomic");
}

struct Origin {
  Via via = Via::thread;
  std::uint32_t place = 0;  ///< of Origins::places; 0: not known
  std::uint32_t block = 0, thread = 0;
};

/// Why nothing is proved: the first thing that was met.
struct Cause {
  std::string what;    ///< "the guard depends on data": one sentence, no full stop
  std::string kernel;  ///< empty: no place in a kernel
  std::string at;      ///< source line, or line of the PTX
  std::uint32_t block = 0, warp = 0, lane = 0;
  std::string term;  ///< the value in question; may be empty
};
GAUNTLET_FIELDS(Cause, what, kernel, at, block, warp, lane, term)

class Origins {
 public:
  [[nodiscard]] Origin of(TermId t) const { return t < of_.size() ? of_[t] : Origin{}; }
  /// "kernel" and "file:line", or the line of the PTX.
  [[nodiscard]] const std::pair<std::string, std::string>& place(const Origin& o) const {
    return places_[o.place];
  }
  void set(TermId t, const Origin& o) {
    if (of_.size() <= t) of_.resize(t + std::size_t{1});
    of_[t] = o;
  }
  std::uint32_t place(const std::string& kernel, const std::string& at) {
    const auto [it, fresh] =
        numbers_.try_emplace({kernel, at}, static_cast<std::uint32_t>(places_.size()));
    if (fresh) places_.emplace_back(kernel, at);
    return it->second;
  }

 private:
  std::vector<Origin> of_;  ///< by term
  std::vector<std::pair<std::string, std::string>> places_{{}};
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
};

}  // namespace gauntlet::simt::symbolic
