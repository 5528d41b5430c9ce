// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A module of which only some entries are ever launched: their bodies are read when they are asked
// for. Of a program with a library's algorithms in it they are nearly all of the text.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "machine/ptx/ast.hpp"

namespace gauntlet::ptx {

/// Bodies of entries, braces included, by name: pieces of Module::text.
using Bodies = std::unordered_map<std::string_view, std::string_view>;

/// Parses all but the bodies of entries, which go to `bodies`; of these only braces, strings and
/// comments are looked at. Throws Error. A text in which functions are called by address is parsed
/// as a whole, since any body may take one: then there are none.
[[nodiscard]] Module parse_outline(std::string text, std::string file_name, Bodies& bodies);

/// Parses what parse_outline has left out, into `entry`, a function of that module or a copy of
/// one. Throws Error as parse does.
void parse_body(Module& module, Function& entry, std::string_view body);

}  // namespace gauntlet::ptx
