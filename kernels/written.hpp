// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A row that is two files: NAME.cu, the kernel as it is printed, and NAME.gauntlet, which says the
// rest in the language of every spec (docs/own_kernels.md). Both are embedded in the binary.
//
// Of such a spec the first array is the input, `n` and `block` are the case's, and these names have
// a meaning:
//
//   let tile = 2 * block      elements that a block takes; the blocks' tiles lie one behind another
//   size blocks = 1..64       any grid covers n: a block takes every blocks-th tile
//   let most = 10240          blocks, at most
//   size rows = 1..32         of a block of several extents, `block=32,rows`: what makes it the
//   case's let reach = EXPRESSION    elements from the input's begin that a form may load, where
//   these are
//                             others than those of the tiles
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/case/plan.hpp"
#include "properties/case/variant.hpp"
#include "properties/language/program.hpp"

namespace gauntlet::kernels {

class Written {
 public:
  /// `text`: of NAME.gauntlet. Throws UsageError where it cannot be read.
  Written(std::string name, std::string_view text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const spec::Spec& spec() const { return spec_; }
  [[nodiscard]] std::string_view source() const { return source_; }
  [[nodiscard]] Variant variant() const;
  /// kernels/written_plan.cpp: its launches, and what its results say of them. From any thread.
  [[nodiscard]] Plan plan(const Case& c) const;
  /// Of the case's block.
  [[nodiscard]] std::uint64_t tile(const Case& c) const;
  /// A block takes more than one tile, so that any grid covers n.
  [[nodiscard]] bool steps() const;

 private:
  /// As it reads for a form and its types.
  [[nodiscard]] const spec::Program& program(const Case& c) const;

  std::string name_, text_;
  spec::Spec spec_;
  std::string_view source_;  ///< of the file that it names
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, Instance>, std::unique_ptr<spec::Program>> programs_;
};

/// All that are embedded.
[[nodiscard]] const std::vector<std::shared_ptr<const Written>>& written();

}  // namespace gauntlet::kernels
