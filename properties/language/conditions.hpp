// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The conditions of a kernel's source that ask for fixes: `#if FIX(barrier)`.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet::spec {

/// A line of the preprocessor: "#  if FIX(barrier)" is {"if", "FIX(barrier)"}; of another line both
/// are empty. What stands in a comment behind it is left out.
struct Directive {
  std::string_view word, rest;
};
[[nodiscard]] Directive directive_of(std::string_view line);

/// A place that asks for a fix.
struct AskedFix {
  std::string name;
  int line = 0;
  std::string text;  ///< of the line
};
[[nodiscard]] std::vector<AskedFix> fixes_asked_in(std::string_view source);

/// Throws UsageError "FILE:LINE: ...: no such fix".
[[noreturn]] void fail_unknown(const std::string& path, const AskedFix& fix,
                               const std::vector<std::string_view>& known);

/// The source with every condition that asks for fixes decided, and only that. `fixes`: all there
/// are, and whether each is had. Throws UsageError for a condition that is of more than FIX(NAME),
/// numbers, ! && || and parentheses. `defined`: names whose #ifdef and #ifndef are decided too.
[[nodiscard]] std::string decided(std::string_view source, const std::string& path,
                                  const std::vector<std::pair<std::string, bool>>& fixes,
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
