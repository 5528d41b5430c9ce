// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/expectations.hpp"

#include <fmt/format.h>

#include "base/usage_error.hpp"

namespace gauntlet::sanitize {

std::string_view array_name(std::string_view text) { return text.substr(0, text.find('=')); }

ExpectedContent parse_expect(std::string_view text, const std::vector<Argument>& arguments) {
  const std::string where = fmt::format("--expect {}", text);
  const auto equals = text.find('=');
  if (equals == text.npos) throw UsageError(where + ": write NAME=VALUE[,VALUE...]");
  ExpectedContent expected;
  expected.argument = find_array(where, array_name(text), arguments);
  const Argument& argument = arguments[expected.argument];
  std::string_view content = text.substr(equals + 1);
  const bool all = content.starts_with("all:");
  if (all) content.remove_prefix(4);
  expected.content = parse_content(content, argument.type, where);
  const bool list = expected.content.kind == Content::Kind::values;
  if (all && (!list || expected.content.values.size() != 1)) {
    throw UsageError(where + ": one number follows all:");
  }
  expected.count = list && !all ? expected.content.values.size() : argument.count;
  const auto length = expected.content.length().value_or(expected.count);
  if (expected.count > argument.count || (!list && length != argument.count)) {
    throw UsageError(fmt::format("{}: {} values for {} of {} elements", where, length,
                                 argument.name, argument.count));
  }
  return expected;
}

Dump parse_dump(std::string_view text, const std::vector<Argument>& arguments) {
  const std::string where = fmt::format("--dump {}", text);
  Dump dump;
  dump.argument = find_array(where, array_name(text), arguments);
  const auto equals = text.find('=');
  if (equals == text.npos) return dump;
  dump.path = text.substr(equals + 1);
  if (!dump.path.ends_with(".npy")) throw UsageError(where + ": write NAME or NAME=FILE.npy");
  return dump;
}

}  // namespace gauntlet::sanitize
