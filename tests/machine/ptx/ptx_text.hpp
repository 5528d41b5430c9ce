// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Short PTX texts for the parser's tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "machine/ptx/ast.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::ptx::test {

using Kind = Operand::Kind;
using Words = std::vector<std::string_view>;

inline Module parse_module(std::string text) { return parse(std::move(text), "t.ptx"); }

/// `body` as the body of an entry without parameters; its first line is line 2.
inline Module parse_body(const std::string& body) {
  return parse_module(".visible .entry f() {\n" + body + "\n}\n");
}

/// The first instruction of `statements`. The module lives in `keep`.
inline const Instruction& first(Module& keep, const std::string& statements) {
  keep = parse_body(statements);
  return keep.functions.at(0).body.at(0);
}

/// what() of the Error that parsing `text` throws, "" if there is none.
inline std::string error_of(const std::string& text) {
  return message_of<Error>([&] { (void)parse_module(text); });
}

}  // namespace gauntlet::ptx::test
