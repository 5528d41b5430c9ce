// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of a command line of `gauntlet sanitize` put together as a spec
// (docs/own_kernels.md): `--arg TEXT` is the statement `arg TEXT`, `--array TEXT` is `array TEXT`,
// a variable of `--sym` is an array that is a symbol, and the extents are a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/launch.hpp"
#include "machine/engine/machine.hpp"
#include "machine/ptx/ast.hpp"
#include "properties/language/source.hpp"
#include "sanitizer/kernel/entry.hpp"

namespace gauntlet::sanitize {

using LoadedWords = std::shared_ptr<const spec::Loaded>;

/// An option as a statement. Messages begin with the option.
[[nodiscard]] spec::Statement statement(std::string_view option, std::string_view word,
                                        std::string_view text);

/// The texts of an --arg of one value each: n:i32=1,33 is an argument of two launches. Throws
/// UsageError, in one line that begins with the option, as all that follows.
[[nodiscard]] std::vector<std::string> alternatives(const std::string& argument);

/// A __device__ or __constant__ variable.
struct VariableWords {
  spec::Statement statement;
  std::string name;    ///< as people call it
  std::string symbol;  ///< in the PTX
  bool constant = false;
};
/// One --sym. NAME is the variable's name, with or without its namespaces, or its symbol in the
/// PTX. TYPE is that of the elements: nvcc tells it of a single number only, of arrays and structs
/// it keeps the bytes. Without content the variable begins as the source says.
[[nodiscard]] VariableWords variable_words(std::string_view text, const ptx::Module& module);
/// Whether the module has a variable of that name.
[[nodiscard]] bool has_variable(std::string_view name, const ptx::Module& module);

struct Words {
  std::string file;
  std::vector<spec::Statement> statements;  ///< of --arg and --array, each argument of one value
  std::vector<VariableWords> variables;
};
/// Ready to be launched, once it has a module. `entry` says which arrays the kernel takes as
/// inputs; null: nothing is compared with a kernel.
[[nodiscard]] std::shared_ptr<spec::Loaded> load(const Words& words, const Launch& launch,
                                                 const KernelEntry* entry);

/// Of --expect and --dump the array, as an index into the spec's. `text`: NAME, NAME=...
[[nodiscard]] std::string_view array_name(std::string_view text);
[[nodiscard]] std::size_t find_array(std::string_view where, std::string_view name,
                                     const spec::Spec& spec);

/// What an array must hold after a launch: --expect NAME=VALUE[,VALUE...] compares the first
/// elements, NAME=all:VALUE and any other content all of them.
struct ExpectedContent {
  std::size_t array = 0;
  std::uint64_t count = 0;  ///< elements that are compared
  LoadedWords content;      ///< a spec of one array, which has these
};
[[nodiscard]] ExpectedContent parse_expect(const std::string& text, const spec::Loaded& words);

/// --dump NAME or NAME=FILE.npy.
struct Dump {
  std::string array;
  std::string path;  ///< empty: as text
};
[[nodiscard]] Dump parse_dump(std::string_view text, const spec::Spec& spec);

}  // namespace gauntlet::sanitize
