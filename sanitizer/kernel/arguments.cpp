// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/kernel/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/numbers.hpp"
#include "base/scalar.hpp"
#include "base/spelling.hpp"
#include "base/text/text.hpp"
#include "base/usage_error.hpp"

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

/// How many elements the content tells of by itself.
std::optional<std::uint64_t> content_length(const Argument& argument) {
  if (!argument.content) return std::nullopt;
  if (!argument.pointers.empty()) return argument.content->values.size();
  return argument.content->length();
}

void require_length(const Argument& argument, std::string_view where) {
  const auto length = content_length(argument);
  if (!length || *length == argument.count) return;
  throw UsageError(fmt::format("{}: the content has {}, the array {}", where,
                               counted(*length, "element"), argument.count));
}

/// One argument that is being read.
class Reader {
 public:
  Reader(std::string_view text, std::string where) : where_(std::move(where)), rest_(text) {
    argument_.text = text;
  }

  std::vector<Argument> read() {
    name();
    if (rest_.starts_with('{')) {
      structure();
      return {std::move(argument_)};
    }
    type();
    if (rest_.starts_with('[')) extent();
    while (rest_.starts_with(',')) option();
    if (!rest_.empty() && !rest_.starts_with('=')) {
      fail(fmt::format("`{}` is not understood; content begins with `=`", rest_));
    }
    if (!argument_.array) return alternatives();
    content();
    return {std::move(argument_)};
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
  [[nodiscard]] Type type_of(std::string_view word) const {
    const auto parsed = parse<Type>(word);
    if (parsed) return *parsed;
    std::vector<std::string_view> known;
    for (const Type t : all<Type>()) known.push_back(gauntlet::name(t));
    known.emplace_back("ptr");
    fail(unknown_type(word, known));
  }
  void type() {
    const auto word = take("[=,");
    pointers_ = word == "ptr";
    if (pointers_) {
      argument_.type = Type::u64;
      return;
    }
    const auto times = word.find('x');
    argument_.type = type_of(word.substr(0, times));
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
    if (identifier(word)) {
      argument_.sized_by = word;
    } else if (counted_) {
      argument_.count = number(word, "size", most_elements);
    }
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

  /// "@ARRAY+ELEMENTS" at `at`, or "0", which is the null pointer and adds nothing.
  void pointer(std::string_view word, std::uint64_t at, std::vector<Pointer>& to) const {
    if (word == "0") return;
    const auto plus = word.find('+');
    const auto array = word.substr(0, plus);
    if (!array.starts_with('@') || !identifier(array.substr(1))) {
      fail(fmt::format("`{}` is not a pointer; write @ARRAY, @ARRAY+ELEMENTS or 0", word));
    }
    const auto element =
        plus == word.npos ? 0 : number(word.substr(plus + 1), "ELEMENTS", most_elements);
    to.push_back({at, std::string(array.substr(1)), element, 0});
  }
  /// A list of pointers as content.
  void pointer_list(std::string_view text) {
    Content zeros;
    for (const auto word : split(text, ',')) {
      pointer(word, zeros.values.size() * sizeof(std::uint64_t), argument_.pointers);
      zeros.values.push_back(0);
    }
    argument_.content = std::move(zeros);
  }

  void content() {
    auto& count = argument_.count;
    if (rest_.starts_with('=')) {
      if (pointers_) {
        pointer_list(rest_.substr(1));
      } else {
        argument_.content = parse_content(rest_.substr(1), argument_.type, where_);
      }
    }
    const auto length = content_length(argument_);
    if (!counted_) {
      if (!length) fail("the size may be left out for a list of numbers or a .npy file only");
      count = *length;
    }
    if (argument_.sized_by.empty()) require_length(argument_, where_);
    if (argument_.read_only && !argument_.content) {
      fail("a const array needs content: the kernel cannot write it");
    }
  }

  /// The values of something that is no array: one after the other.
  std::vector<Argument> alternatives() {
    if (rest_.empty()) fail("a value is missing; write NAME:TYPE=VALUE");
    const std::string_view text = rest_.substr(1);
    const std::uint64_t count = argument_.count;
    const std::string head = argument_.text.substr(0, argument_.text.size() - text.size());
    auto words = split(text, ',');
    const bool repeated = words.size() == 1;  // for all of them, as in an array
    if (repeated) words.resize(count, words.front());
    if (words.size() % count != 0) {
      fail(
          fmt::format("{} numbers are needed, separated by commas, or a multiple of that, or one "
                      "for all of them",
                      count));
    }
    std::vector<Argument> values;
    for (std::size_t k = 0; k < words.size(); k += count) {
      Argument one = argument_;
      if (!repeated) {
        one.text =
            fmt::format("{}{}", head, fmt::join(words.begin() + k, words.begin() + k + count, ","));
      }
      one.content.emplace();
      for (std::size_t i = k; i < k + count; ++i) {
        if (pointers_) {
          pointer(words[i], 0, one.pointers);
          one.content->values.push_back(0);
        } else {
          one.content->values.push_back(scalar(words[i], argument_.type));
        }
      }
      if (std::ranges::count(values, one.text, &Argument::text) != 0) {
        fail(fmt::format("`{}` is given twice", one.text));
      }
      values.push_back(std::move(one));
    }
    return values;
  }
  [[nodiscard]] std::uint64_t scalar(std::string_view word, Type type) const {
    const auto content = parse_content(word, type, where_);
    if (content.kind != Content::Kind::values || content.values.size() != 1) {
      fail("a value is one number; an array is written NAME:TYPE[N]");
    }
    return content.values[0];
  }

  /// "{TYPE=VALUE,ptr=@ARRAY,...}": each member at a multiple of its size, the whole a multiple of
  /// the largest.
  void structure() {
    if (!rest_.ends_with('}')) fail("the struct has no `}` at its end");
    const auto members = rest_.substr(1, rest_.size() - 2);
    std::vector<std::uint64_t> bytes;
    std::size_t align = 1;
    const auto pad_to = [&](std::size_t multiple) {
      while (bytes.size() % multiple != 0) bytes.push_back(0);
    };
    for (const auto member : split(members, ',')) {
      const auto equals = member.find('=');
      if (equals == member.npos) {
        fail(fmt::format("member `{}` is not TYPE=VALUE or ptr=@ARRAY", member));
      }
      const auto word = member.substr(0, equals), value = member.substr(equals + 1);
      const bool is_pointer = word == "ptr";
      const Type type = is_pointer ? Type::u64 : type_of(word);
      align = std::max(align, size_of(type));
      pad_to(size_of(type));
      if (is_pointer) pointer(value, bytes.size(), argument_.pointers);
      std::byte raw[sizeof(std::uint64_t)];
      store_bits(type, raw, is_pointer ? 0 : scalar(value, type));
      for (std::size_t k = 0; k < size_of(type); ++k) {
        bytes.push_back(std::to_integer<std::uint64_t>(raw[k]));
      }
    }
    pad_to(align);
    if (bytes.size() > most_members * sizeof(std::uint64_t)) {
      fail(fmt::format("the struct has more than {} bytes", most_members * sizeof(std::uint64_t)));
    }
    argument_.structure = true;
    argument_.type = Type::u8;
    argument_.count = bytes.size();
    argument_.content.emplace().values = std::move(bytes);
  }

  std::string where_;
  std::string_view rest_;
  Argument argument_;
  bool counted_ = false;
  bool pointers_ = false;
};

}  // namespace

std::string Argument::spelling() const {
  const auto word = pointers.empty() ? gauntlet::name(type) : "ptr";
  if (array) return fmt::format("{}:{}[{}]", name, word, count);
  if (!pointers.empty() || structure) return text;
  return fmt::format("{}:{}{}", name, gauntlet::name(type),
                     count == 1 ? "" : fmt::format("x{}", count));
}

std::vector<Argument> parse_alternatives(std::string_view text, std::string where) {
  return Reader(text, std::move(where)).read();
}

Argument parse_argument(std::string_view text) {
  auto values = parse_alternatives(text, fmt::format("--arg {}", text));
  if (values.size() == 1) return std::move(values.front());
  throw UsageError(
      fmt::format("--arg {}: a value is one number; an array is written NAME:TYPE[N]", text));
}

std::vector<Argument> parse_arguments(const std::vector<std::string>& texts) {
  std::vector<Argument> arguments;
  for (const auto& text : texts) arguments.push_back(parse_argument(text));
  require_own_names(arguments);
  resolve_sizes(arguments);
  link_pointers(arguments);
  return arguments;
}

std::string_view option_of(const Argument& argument) {
  constexpr std::string_view options[] = {"--arg", "--array", "--sym"};
  return options[static_cast<std::size_t>(argument.role)];
}

void require_own_names(const std::vector<Argument>& arguments) {
  for (auto it = arguments.begin(); it != arguments.end(); ++it) {
    const auto earlier = std::find_if(
        arguments.begin(), it, [&](const Argument& other) { return other.name == it->name; });
    if (earlier == it) continue;
    throw UsageError(
        fmt::format("{} {}: a second argument named {}", option_of(*it), it->text, it->name));
  }
}

void resolve_sizes(std::vector<Argument>& arguments) {
  for (Argument& array : arguments) {
    if (array.sized_by.empty()) continue;
    const std::string where = fmt::format("{} {}", option_of(array), array.text);
    const Argument* size = nullptr;
    std::vector<std::string_view> known;
    for (const Argument& a : arguments) {
      const bool number = !a.array && !a.structure && a.count == 1 && !is_float(a.type);
      if (!number || !a.pointers.empty()) continue;
      if (a.name == array.sized_by) size = &a;
      known.push_back(a.name);
    }
    if (size == nullptr && known.empty()) {
      throw UsageError(fmt::format("{}: size `{}` is no --arg", where, array.sized_by));
    }
    if (size == nullptr) {
      throw UsageError(fmt::format("{}: {}", where, unknown_word("size", array.sized_by, known)));
    }
    const std::uint64_t count =
        extend(size->content->values[0], size_of(size->type), is_signed(size->type));
    if (count > most_elements) {
      throw UsageError(fmt::format("{}: {} is not a number of elements", where, size->text));
    }
    array.count = count;
    require_length(array, where);
  }
}

void link_pointers(std::vector<Argument>& arguments) {
  for (Argument& argument : arguments) {
    const std::string where = fmt::format("{} {}", option_of(argument), argument.text);
    for (Pointer& pointer : argument.pointers) {
      pointer.argument = find_array(where, pointer.array, arguments);
      const Argument& to = arguments[pointer.argument];
      if (pointer.element <= to.count + to.pad) continue;
      throw UsageError(fmt::format("{}: @{}+{} lies behind the {} elements of {}", where,
                                   pointer.array, pointer.element, to.count, pointer.array));
    }
  }
}

std::size_t find_array(std::string_view where, std::string_view name,
                       const std::vector<Argument>& arguments) {
  std::vector<std::string_view> arrays;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (!arguments[k].array) continue;
    if (arguments[k].name == name) return k;
    arrays.push_back(arguments[k].name);
  }
  if (arrays.empty()) throw UsageError(fmt::format("{}: no --arg is an array", where));
  throw UsageError(fmt::format("{}: {}", where, unknown_word("array", name, arrays)));
}

}  // namespace gauntlet::sanitize
