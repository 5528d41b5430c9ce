// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Everything that one pass times, in the order in which it does.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/json_fields.hpp"
#include "gpu/timing/report/report.hpp"
#include "kernels/block_grid.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/select.hpp"

namespace gauntlet::timing {

class Passed {
 public:
  /// Of the document that `gauntlet check --on cuda --json` wrote. Throws JsonShapeError for any
  /// other document, one of the SIMT machine included: it says nothing of this GPU.
  [[nodiscard]] static Passed from_json(const Json& document);
  /// Of a file. Throws UsageError, which begins with the option, where it is no such document.
  [[nodiscard]] static Passed read(const std::string& option, const std::string& path);
  /// Of properties that ran just now.
  [[nodiscard]] static Passed from_report(properties::CheckReport report);

  /// Why this form is not to be timed, or nothing: "X@Y did not pass (mismatch)". A form passes
  /// that must show nothing, ran all its cases and showed nothing.
  [[nodiscard]] std::string refusal(std::string_view variant, std::string_view form) const;
  [[nodiscard]] std::size_t forms() const { return report_.forms.size(); }

 private:
  properties::CheckReport report_;
};

struct Request {
  std::vector<std::string> selectors;  ///< as of check; empty: all variants
  std::vector<std::uint64_t> sizes;
  std::vector<TypePair> types;
  bool quick = false;  ///< no sweep, and no forms that lack a fix
};

/// Sizes and types as --n and --types have them; where they are empty the defaults, of which a
/// quick pass has fewer. Throws ListError (gpu/timing/report/lists.hpp).
void fill_lists(Request& request, const std::string& sizes, const std::string& types);

/// What is checked before: a few cases of each of the request's forms that must hold.
[[nodiscard]] properties::CheckOptions check_before(const Request& request);

struct Configuration {
  Kind kind = Kind::kernel;
  std::string variant, form;
  TypePair types;
  std::uint64_t n = 0;
  std::uint32_t block = 256, grid = 0;
  auto operator<=>(const Configuration&) const = default;
};

/// Those with the same elements, which are made once for all of them.
struct Group {
  TypePair types;
  std::uint64_t n = 0;
  std::vector<Configuration> configurations;
};

/// Sizes at which forms that lack a fix are timed, and types and sizes of the sweep: as far as they
/// are asked for.
[[nodiscard]] const std::vector<std::uint64_t>& fix_sizes();
[[nodiscard]] const std::vector<std::uint64_t>& sweep_sizes();

/// The forms that a request is about: as select() says, without the documented ones unless a
/// selector names them.
[[nodiscard]] std::vector<properties::Selected> selected_forms(const Request& request);

/// First, for each type and size, the limit, CUB, and every form that must hold; then, after all of
/// those, the forms that lack a fix, since one of them may lose the device. A form that did not
/// pass goes to `not_timed`, once. Throws CaseError for a selector that names nothing.
[[nodiscard]] std::vector<Group> groups(const Request& request, const Passed& passed,
                                        unsigned multiprocessors, std::vector<NotTimed>& not_timed);

// The block and grid at which forms are timed: document D's own for its kernels (128 threads, 10240
// blocks, fewer where n needs no more), else what kernels/block_grid.hpp says is fastest.

using kernels::BlockGrid;

[[nodiscard]] BlockGrid usual_launch(std::string_view variant, TypePair types, std::uint64_t n,
                                     unsigned multiprocessors);

/// Blocks and grids to sweep for variants whose spec says so (`swept`); empty for others.
/// Document D's 10240 blocks of 128 are among them where n is large enough.
[[nodiscard]] std::vector<BlockGrid> sweep_launches(std::string_view variant, std::uint64_t n,
                                                    unsigned multiprocessors);

}  // namespace gauntlet::timing
