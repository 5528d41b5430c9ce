// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/machine/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "core/numbers.hpp"
#include "core/spelling.hpp"
#include "core/usage_error.hpp"

namespace gauntlet::sanitize {
namespace {

constexpr std::uint64_t most_elements = std::uint64_t{1} << 40;
constexpr std::uint64_t most_offset = 255;
constexpr std::uint64_t most_members = 512;  // 4096 bytes of parameters
constexpr std::string_view identifier_characters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";

bool identifier(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         text.find_first_not_of(identifier_characters) == text.npos;
}

/// One --arg that is being read.
class Reader {
 public:
  explicit Reader(std::string_view text) : where_(fmt::format("--arg {}", text)), rest_(text) {
    argument_.text = text;
  }

  Argument read() {
    name();
    type();
    if (rest_.starts_with('[')) extent();
    while (rest_.starts_with(',')) option();
    content();
    return std::move(argument_);
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw UsageError(fmt::format("{}: {}", where_, why));
  }
  /// What comes before the first of `ends`; the rest starts with that character.
  std::string_view take(std::string_view ends) {
    const auto word = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(word.size());
    return word;
  }
  std::uint64_t number(std::string_view text, std::string_view what, std::uint64_t most) const {
    const auto value = parse_number<std::uint64_t>(text, 0, most);
    if (!value) fail(fmt::format("{} `{}` is not a whole number from 0 to {}", what, text, most));
    return *value;
  }

  void name() {
    argument_.name = take(":=[");
    if (!identifier(argument_.name) || !rest_.starts_with(':')) {
      fail("write NAME:TYPE=VALUE or NAME:TYPE[N]=CONTENT, as in n:i32=1000 or in:f32[1000]=iota");
    }
    rest_.remove_prefix(1);
  }
  void type() {
    const auto word = take("[=,");
    const auto times = word.find('x');
    const auto base = word.substr(0, times);
    const auto parsed = parse<Type>(base);
    if (!parsed) {
      std::vector<std::string_view> known;
      for (const Type t : all<Type>()) known.push_back(gauntlet::name(t));
      fail(unknown_word("type", base, known));
    }
    argument_.type = *parsed;
    if (times == word.npos) return;
    argument_.count = number(word.substr(times + 1), "COUNT", most_members);
    if (argument_.count == 0) fail("COUNT must be 1 at least");
    if (rest_.starts_with('[')) fail("an array has elements of one number each; write TYPE[N]");
  }
  void extent() {
    rest_.remove_prefix(1);
    const auto word = take("]");
    if (rest_.empty()) fail("the array's size has no `]`");
    rest_.remove_prefix(1);
    argument_.array = true;
    counted_ = !word.empty();
    if (counted_) argument_.count = number(word, "size", most_elements);
  }
  void option() {
    rest_.remove_prefix(1);
    const auto word = take(",=");
    const auto colon = word.find(':');
    const auto key = word.substr(0, colon);
    const auto value = colon == word.npos ? std::string_view{} : word.substr(colon + 1);
    if (!argument_.array) fail(fmt::format("option `{}` is for arrays only", word));
    if (key == "offset") {
      argument_.offset = number(value, "offset", most_offset);
    } else if (key == "pad") {
      const auto second = value.find(':');
      argument_.pad = number(value.substr(0, second), "pad", most_elements);
      if (second != value.npos) {
        argument_.pad_bits = parse_scalar(value.substr(second + 1), argument_.type, where_);
      }
    } else if (word == "const") {
      argument_.read_only = true;
    } else if (word == "scratch") {
      argument_.scratch = true;
    } else {
      constexpr std::string_view known[] = {"offset:BYTES", "pad:ELEMENTS", "pad:ELEMENTS:VALUE",
                                            "const", "scratch"};
      fail(unknown_word("option", word, known));
    }
  }
  void content() {
    auto& count = argument_.count;
    if (rest_.starts_with('=')) {
      argument_.content = parse_content(rest_.substr(1), argument_.type, where_);
    } else if (!rest_.empty()) {
      fail(fmt::format("`{}` is not understood; content begins with `=`", rest_));
    }
    if (!argument_.array) {
      if (!argument_.content) fail("a value is missing; write NAME:TYPE=VALUE");
      const bool right = argument_.content->kind == Content::Kind::values &&
                         argument_.content->values.size() == count;
      if (!right) {
        fail(count == 1 ? "a value is one number; an array is written NAME:TYPE[N]"
                        : fmt::format("{} numbers are needed, separated by commas", count));
      }
      return;
    }
    const auto length = argument_.content ? argument_.content->length() : std::nullopt;
    if (!counted_) {
      if (!length) fail("the size may be left out for a list of numbers or a .npy file only");
      count = *length;
    }
    if (length && *length != count) {
      fail(fmt::format("the content has {} elements, the array {}", *length, count));
    }
    if (argument_.read_only && !argument_.content) {
      fail("a const array needs content: nobody can write it");
    }
  }

  std::string where_;
  std::string_view rest_;
  Argument argument_;
  bool counted_ = false;
};

/// The array that --expect and --dump name.
std::size_t named(std::string_view option, std::string_view name,
                  const std::vector<Argument>& arguments) {
  std::vector<std::string_view> arrays;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!arguments[k].array) continue;
    if (arguments[k].name == name) return k;
    arrays.push_back(arguments[k].name);
  }
  if (arrays.empty()) throw UsageError(fmt::format("{}: no --arg is an array", option));
  throw UsageError(fmt::format("{}: {}", option, unknown_word("array", name, arrays)));
}

}  // namespace

std::string Argument::spelling() const {
  if (array) return fmt::format("{}:{}[{}]", name, gauntlet::name(type), count);
  return fmt::format("{}:{}{}", name, gauntlet::name(type),
                     count == 1 ? "" : fmt::format("x{}", count));
}

Argument parse_argument(std::string_view text) { return Reader(text).read(); }

std::vector<Argument> parse_arguments(const std::vector<std::string>& texts) {
  std::vector<Argument> arguments;
  for (const auto& text : texts) {
    Argument next = parse_argument(text);
    for (const auto& earlier : arguments) {
      if (earlier.name == next.name) {
        throw UsageError(fmt::format("--arg {}: a second argument named {}", text, next.name));
      }
    }
    arguments.push_back(std::move(next));
  }
  return arguments;
}

ExpectedContent parse_expect(std::string_view text, const std::vector<Argument>& arguments) {
  const std::string where = fmt::format("--expect {}", text);
  const auto equals = text.find('=');
  if (equals == text.npos) throw UsageError(where + ": write NAME=VALUE[,VALUE...]");
  ExpectedContent expected;
  expected.argument = named(where, text.substr(0, equals), arguments);
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
  const auto equals = text.find('=');
  Dump dump;
  dump.argument = named(where, text.substr(0, equals), arguments);
  if (equals == text.npos) return dump;
  dump.path = text.substr(equals + 1);
  if (!dump.path.ends_with(".npy")) throw UsageError(where + ": write NAME or NAME=FILE.npy");
  return dump;
}

}  // namespace gauntlet::sanitize
