// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The documented kernels: who publishes them, what they claim, what is wrong with them, what each
// fix is called, and what every form must show. Each is two files, which are embedded in the
// binary: NAME.cu, the kernel as it is printed, and NAME.gauntlet, which says the rest in the
// language of every spec (docs/own_kernels.md). Their kernels are compiled when the program is
// built; all else is as of any spec.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/case/case.hpp"
#include "properties/case/variant.hpp"
#include "properties/language/source.hpp"

namespace gauntlet::kernels {

/// A variant, and what its two files say.
class Row {
 public:
  /// `text`: of NAME.gauntlet. Throws UsageError where it cannot be read.
  Row(std::string_view name, std::string_view text);

  Variant variant;
  [[nodiscard]] const spec::Spec& spec() const { return spec_; }
  [[nodiscard]] std::string_view source() const { return source_; }
  /// A function of the host decides on the launches; its forms differ in host code alone.
  [[nodiscard]] bool by_host() const { return spec_.host; }
  /// The compiled (types, operator) combinations of a form, sorted; none of a form that there is
  /// not.
  [[nodiscard]] const std::vector<Instance>& instances(std::string_view form) const;
  /// As the spec reads for a form and its types. From any thread.
  [[nodiscard]] const spec::Loaded& loaded(const Case& c) const;
  /// Its kernels, which are decoded when they are first launched; all share them. From any thread.
  [[nodiscard]] std::shared_ptr<const simt::Module> module() const;

 private:
  [[nodiscard]] std::unique_ptr<spec::Loaded> load(const std::string& form,
                                                   const Instance& instance) const;

  std::string_view text_, source_;  ///< of the spec, and of the file that it names
  spec::Spec spec_;
  std::map<std::string, std::vector<Instance>, std::less<>> instances_;  ///< by form
  mutable std::once_flag decoded_;
  mutable std::shared_ptr<const simt::Module> module_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::string, Instance>, std::unique_ptr<spec::Loaded>> loaded_;
};

/// All variants in catalogue order.
[[nodiscard]] const std::vector<Variant>& catalogue();
/// Null where there is none.
[[nodiscard]] const Variant* find_variant(std::string_view id);
[[nodiscard]] const Row* find_row(std::string_view id);

/// Of a variant's form, as Row says them; none where there is no such variant.
[[nodiscard]] const std::vector<Instance>& instances(std::string_view variant,
                                                     std::string_view form);

/// The (input, accumulator) pairs that any of them is compiled for.
[[nodiscard]] const std::vector<TypePair>& type_pairs();

}  // namespace gauntlet::kernels
