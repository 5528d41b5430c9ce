// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A row that is two files: NAME.cu, the kernel as it is printed, and NAME.gauntlet, which says the
// rest in the language of every spec (docs/own_kernels.md). Both are embedded in the binary.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/geometry.hpp"
#include "properties/case/variant.hpp"
#include "properties/language/program.hpp"

namespace gauntlet::kernels {

class Written {
 public:
  /// `text`: of NAME.gauntlet; `source`: of NAME.cu. Throws UsageError where it cannot be read.
  Written(std::string name, std::string_view text, std::string_view source);

  [[nodiscard]] const spec::Spec& spec() const { return spec_; }
  [[nodiscard]] std::string_view source() const { return source_; }
  [[nodiscard]] Variant variant() const;
  /// Of its launch and of its result, which reduces a tile of the input for each block. From any
  /// thread.
  [[nodiscard]] Geometry geometry(const Case& c) const;

 private:
  /// As it reads for a form and its types.
  [[nodiscard]] const spec::Program& program(const Case& c) const;

  std::string name_, text_;
  std::string_view source_;
  spec::Spec spec_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, Instance>, std::unique_ptr<spec::Program>> programs_;
};

/// All that are embedded.
[[nodiscard]] const std::vector<std::shared_ptr<const Written>>& written();

}  // namespace gauntlet::kernels
