// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What stands behind `=` in a declaration: contents, lists, addresses, structs.
#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "properties/language/parser.hpp"
#include "properties/language/types.hpp"
#include "sanitizer/kernel/npy.hpp"

namespace gauntlet::spec {
namespace {

constexpr std::size_t most_struct_bytes = 4096;  // of a kernel's parameters

/// "@ARRAY + ELEMENTS"; 0 is none.
Member address(Reader& reader, Parsing& p) {
  Member m{Type::u64, make_integer(0), {}};
  if (reader.take("0")) return m;
  if (reader.peek() != "@") {
    p.where.fail(
        fmt::format("`{}` is not a pointer; write @ARRAY, @ARRAY+ELEMENTS or 0", reader.peek()));
  }
  reader.take("@");
  m.array = reader.name("the array behind @");
  if (reader.take("+")) m.value = reader.expression();
  return m;
}

std::vector<Member> members(Reader& reader, Type type, bool addresses, Parsing& p) {
  std::vector<Member> all;
  do all.push_back(addresses ? address(reader, p) : Member{type, reader.expression()});
  while (reader.take(","));
  return all;
}

/// The .npy file that comes next: the rest of the statement, or a word of it.
std::string file_name(const Reader& reader) {
  constexpr std::string_view ending = ".npy";
  const std::string_view rest = reader.rest(), word = rest.substr(0, rest.find_first_of(" \t"));
  return std::string(rest.ends_with(ending) ? rest : word.ends_with(ending) ? word : "");
}

/// Behind "iota": nothing, or ":START:STEP".
Expression iota(Reader& reader) {
  Expression i = make_node(Node::Kind::name, {}, "i");
  if (!reader.take(":")) return i;
  Expression start = reader.expression();
  reader.expect(":", "the step; write iota:START:STEP");
  return make_node(Node::Kind::binary,
                   {start, make_node(Node::Kind::binary, {i, reader.expression()}, "*")}, "+");
}

/// Behind "random:": the seed, and in what range.
Expression random(Reader& reader, Array& a) {
  Expression seed = reader.expression();
  const bool real = is_float(a.type), ends = reader.take(":");
  Expression low = make_integer(real ? -1 : 0), high = make_integer(1);
  if (ends) {
    low = reader.expression();
    reader.expect(":", "the other end; write random:SEED:LOW:HIGH");
    high = reader.expression();
  } else if (!real) {  // every number of the type
    a.wraps = true;
    const auto bits = 8 * size_of(a.type);
    if (bits == 64) low = make_integer(std::numeric_limits<std::int64_t>::min());
    high = make_integer(bits == 64 ? std::numeric_limits<std::int64_t>::max()
                                   : (std::int64_t{1} << bits) - 1);
  }
  if (real) {
    low = make_node(Node::Kind::call, {low}, "float");
    high = make_node(Node::Kind::call, {high}, "float");
  }
  return make_node(Node::Kind::call, {low, high, seed}, "random");
}

}  // namespace

void parse_content(Reader& reader, Array& a, Parsing& p) {
  if (a.addresses) {
    a.list = members(reader, a.type, true, p);
  } else if (!(a.file = file_name(reader)).empty()) {
    const std::string path = p.spec.beside(a.file);
    reader.skip(a.file.size());
    a.content = make_integer(0);
    if (a.extents.empty()) {
      a.extents = {make_integer(static_cast<std::int64_t>(sanitize::npy_count(path, a.type)))};
    }
    return;
  } else if (reader.take("iota")) {
    a.wraps = !is_float(a.type);
    a.content = iota(reader);
  } else if (reader.rest().starts_with("random:")) {
    reader.take("random");
    reader.take(":");
    a.content = random(reader, a);
  } else {
    a.list = members(reader, a.type, false, p);
  }
  if (!a.list.empty()) a.content = a.list.front().value;
  const bool one = a.list.size() == 1 && !a.list.front().pointer();
  if (one && !(a.addresses && a.extents.empty())) a.list.clear();  // that is every element
  if (a.extents.empty() && !a.list.empty()) {
    a.extents = {make_integer(static_cast<std::int64_t>(a.list.size()))};
  }
}

void parse_members(Reader& reader, Scalar& s, bool addresses, Parsing& p) {
  s.members = members(reader, s.type, addresses, p);
  if (s.members.size() == 1) s.members.resize(s.count, Member(s.members.front()));
  if (s.members.size() % s.count != 0) {
    p.where.fail(fmt::format(
        "{} numbers are needed, separated by commas, or a multiple of that, or one for all of them",
        s.count));
  }
  const bool number = s.members.size() == 1 && !s.members.front().pointer();
  s.value = number ? s.members.front().value : make_integer(0);
  if (number) s.members.clear();
}

void parse_struct(Reader& reader, Scalar& s, Parsing& p) {
  reader.take("{");
  do {
    const std::string_view rest = reader.rest();
    const auto end = rest.find_first_of("=,}");
    if (end == rest.npos || rest[end] != '=') {
      p.where.fail(fmt::format("member `{}` is not TYPE=VALUE or ptr=@ARRAY", rest.substr(0, end)));
    }
    const bool pointer = reader.take("ptr");
    const Type type = pointer ? Type::u64 : reader.type();
    reader.expect("=", "the member's value");
    s.members.push_back(pointer ? address(reader, p) : Member{type, reader.expression()});
  } while (reader.take(","));
  if (!reader.take("}")) p.where.fail("the struct has no `}` at its end");
  s.type = Type::u8;
  s.value = make_integer(0);
  s.count = s.members.size();
  if (s.bytes() > most_struct_bytes) {
    p.where.fail(fmt::format("the struct has more than {} bytes", most_struct_bytes));
  }
}

}  // namespace gauntlet::spec
