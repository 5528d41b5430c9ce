// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A row that is two files: NAME.cu, the kernel as it is printed, and NAME.gauntlet, which says the
// rest in the language of every spec (docs/own_kernels.md). Both are embedded in the binary.
// Their kernels are compiled when the program is built; all else is as of any spec.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/case/variant.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::kernels {

class Written {
 public:
  /// `text`: of NAME.gauntlet. Throws UsageError where it cannot be read.
  Written(std::string name, std::string_view text);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const spec::Spec& spec() const { return spec_; }
  [[nodiscard]] std::string_view source() const { return source_; }
  [[nodiscard]] Variant variant() const;
  /// As it reads for a form and its types. From any thread.
  [[nodiscard]] const spec::Loaded& loaded(const Case& c) const;

 private:
  /// Of the copy that the case runs, among all.
  [[nodiscard]] std::uint32_t number_of(const Case& c) const;
  std::string name_, text_;
  spec::Spec spec_;
  std::string_view source_;  ///< of the file that it names
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, Instance>, std::unique_ptr<spec::Loaded>> loaded_;
};

/// All that are embedded.
[[nodiscard]] const std::vector<std::shared_ptr<const Written>>& written();

}  // namespace gauntlet::kernels
