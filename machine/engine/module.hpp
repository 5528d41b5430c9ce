// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "machine/code/code.hpp"
#include "machine/engine/machine.hpp"
#include "machine/ptx/bodies.hpp"

namespace gauntlet::simt {

/// The entries of a module, each decoded when it is first asked for, by whichever thread.
class OnDemand {
 public:
  OnDemand(ptx::Module& ast, const ptx::Bodies& bodies);
  /// Null: there is no such entry. Throws ptx::Error.
  [[nodiscard]] const Kernel* find(std::string_view entry);

 private:
  struct Entry {
    const ptx::Function* function = nullptr;
    std::string_view body;  ///< empty: it was read with the module
    std::once_flag once;
    std::unique_ptr<const Kernel> kernel;
  };
  ptx::Module& ast_;
  /// A body adds to what the module knows of source lines, which all look at that decode.
  std::shared_mutex lines_;
  std::unordered_map<std::string_view, Entry> entries_;
};

class Module {
 public:
  ptx::Module ast;
  ptx::Bodies bodies;                   ///< of entries that nobody has asked for yet
  std::deque<Kernel> kernels;           ///< in the order in which they were decoded
  std::unique_ptr<OnDemand> on_demand;  ///< not null: then `kernels` stays empty
  /// Null: there is no such entry, or it was not decoded. Throws ptx::Error for one on demand.
  [[nodiscard]] const Kernel* find(std::string_view entry) const;
  /// Decodes an entry of `ast` whose body was read. Throws ptx::Error.
  void decode(const ptx::Function& entry);

 private:
  std::unordered_map<std::string_view, const Kernel*> by_name_;
};

/// Parses the bodies of all entries. Throws ptx::Error.
void read_bodies(Module& module);

/// Parses a module whose entries are decoded when they are asked for: one that is known to be
/// right, of which a process launches few. What is wrong with an entry is only then told.
[[nodiscard]] std::shared_ptr<const Module> load_on_demand(std::string ptx, std::string file_name);

}  // namespace gauntlet::simt
