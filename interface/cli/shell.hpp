// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The program's commands and options as shells complete them and as a manual page has them, from
// what CLI11 was told.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gauntlet::cli {

/// What may stand behind an option, or in the place of a positional argument.
enum class Completes : std::uint8_t { nothing, words, files, folders };

struct OptionWords {
  std::vector<std::string> names;  ///< "-h", "--help"; empty: a positional argument
  std::string positional;          ///< its name
  std::string label;  ///< how the help writes the value: "N", "FILE"; empty: takes none
  std::string description;
  Completes completes = Completes::nothing;
};

struct CommandWords {
  std::string name, description, footer;
  std::vector<OptionWords> options;
  /// A positional argument is a variant or a form of the catalogue.
  bool takes_names = false;
};

/// All commands that the help shows, in its order.
[[nodiscard]] std::vector<CommandWords> commands_of(const CLI::App& app);

/// Variants, and forms as VARIANT@FORM.
[[nodiscard]] std::vector<std::string> catalogue_names();

[[nodiscard]] std::string bash_completion(const std::vector<CommandWords>& commands);
[[nodiscard]] std::string zsh_completion(const std::vector<CommandWords>& commands);
[[nodiscard]] std::string fish_completion(const std::vector<CommandWords>& commands);
/// In the macros of man(7).
[[nodiscard]] std::string manual_page(const CLI::App& app,
                                      const std::vector<CommandWords>& commands);
/// gauntlet-spec(5), from docs/own_kernels.md. Both fill in a file of docs/manual.
[[nodiscard]] std::string spec_manual();

}  // namespace gauntlet::cli
