// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The conditions of a kernel's source that ask for what a spec says of it: `#if FIX(barrier)`, and
// T_IS(i32), ACC_IS(f64) and OP_IS(sum), for the types and the operator.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/language/expression.hpp"

namespace gauntlet::spec {

/// A line of the preprocessor: "#  if FIX(barrier)" is {"if", "FIX(barrier)"}; of another line both
/// are empty. What stands in a comment behind it is left out.
struct Directive {
  std::string_view word, rest;
};
[[nodiscard]] Directive directive_of(std::string_view line);

/// A place that asks for something, such as a fix.
struct Asked {
  std::string name;
  int line = 0;
  std::string text;  ///< of the line
};
/// `function`: "FIX", "T_IS" or another.
[[nodiscard]] std::vector<Asked> asked_in(std::string_view source, std::string_view function);

/// Throws UsageError "FILE:LINE: ...: no such fix".
[[noreturn]] void fail_unknown(const std::string& path, const Asked& fix,
                               const std::vector<std::string_view>& known);

/// The source with every condition decided that asks for fixes and, where `words` has types, for
/// these and the operator, and only that. Throws UsageError for a condition that is of more than
/// such questions, numbers, ! && || and parentheses. `defined`: names whose #ifdef and #ifndef are
/// decided too.
[[nodiscard]] std::string decided(std::string_view source, const std::string& path,
                                  const Words& words,
                                  const std::vector<std::pair<std::string, bool>>& defined = {});

/// Calls f(line) for each, without its end.
template <class F>
void for_each_line(std::string_view text, F&& f) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    f(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
}

}  // namespace gauntlet::spec
