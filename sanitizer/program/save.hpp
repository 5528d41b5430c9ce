// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A launch out of a program, kept as files that `gauntlet sanitize` replays: the PTX, the arrays
// that the arguments point to as they were before the launch, and the command.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "machine/code/code.hpp"
#include "machine/engine/machine.hpp"
#include "sanitizer/program/heap.hpp"

namespace gauntlet::runtime {

class SavedLaunch {
 public:
  /// Copies what the arguments point to. `params` and `layout`: as the launch has them.
  SavedLaunch(const Heap& heap, const std::string& symbol, std::span<const std::byte> params,
              const std::vector<simt::Param>& layout);

  /// Writes the files into `folder`, which is made. Returns the command, or, after "no replay: ",
  /// why the arguments of sanitize cannot say this launch. Throws std::exception where it cannot
  /// write.
  [[nodiscard]] std::string write(const std::filesystem::path& folder, const std::string& ptx,
                                  const simt::LaunchConfig& config) const;

 private:
  struct Parameter {
    std::string argument;  ///< "p1:f32[100],scratch", without the content of an array
    std::string value;     ///< of a value
    Type type = Type::u8;
    bool array = false, written = false;
    std::vector<std::byte> content;
  };
  void add_array(const Heap& heap, Parameter& parameter, const Array& array, Address pointer);

  std::string symbol_, cannot_;
  std::vector<Parameter> parameters_;
};

}  // namespace gauntlet::runtime
