// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spelling.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/parser.hpp"
#include "sanitizer/kernel/npy.hpp"

namespace gauntlet::spec {
namespace {

/// "T->ACC", for which the form must be compiled, too.
TypePair launched_types(Reader& reader, const Parsing& p) {
  if (!p.words.types) p.where.fail("of names types, and there are none; write types f32->f32");
  TypePair pair{reader.type(), Type::f32};
  reader.expect("-", "the accumulator; write of T->ACC");
  reader.expect(">", "the accumulator; write of T->ACC");
  pair.acc = reader.type();
  const Instance wanted{pair.in, pair.acc, p.instance.op};
  if (std::ranges::count(instances_of(p.spec, p.reading.form.empty() ? "fixed" : p.reading.form),
                         wanted) == 0) {
    p.where.fail(fmt::format("the kernel is not compiled for {}->{} {}; name them in `types`{}",
                             name(pair.in), name(pair.acc), name(p.instance.op),
                             p.spec.documented_types.empty() ? "" : ", of `documented` too"));
  }
  return pair;
}

Parameter parameter(const std::string& name, const Parsing& p) {
  std::vector<std::string_view> names;
  for (const Parameter& one : p.spec.parameters) {
    names.push_back(one.array ? p.spec.arrays[one.index].name : p.spec.scalars[one.index].name);
    if (names.back() == name) return one;
  }
  const bool drawn = std::ranges::count(p.spec.sizes, name, &Size::name) != 0;
  if (drawn || name == "n" || name == "rows" || name == "columns" || name == "block" ||
      name == "grid" || name == "blocks") {
    p.where.fail(
        fmt::format("{} is a size and no parameter of the kernel yet; declare it, `arg "
                    "{}:i32 = {}`",
                    name, name == "grid" ? "g" : name, name));
  }
  p.where.fail(unknown_word("argument", name, names));
}

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
  Expression i = make_name("i");
  if (!reader.take(":")) return i;
  Expression start = reader.expression();
  reader.expect(":", "the step; write iota:START:STEP");
  Expression rise = make_operation(Expression::Code::multiply, std::move(i), reader.expression());
  return make_operation(Expression::Code::add, std::move(start), std::move(rise));
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
    low = make_function(Expression::Code::to_float, {low}, false);
    high = make_function(Expression::Code::to_float, {high}, false);
  }
  return make_function(Expression::Code::random, {low, high, seed}, true);
}

}  // namespace

void parse_launch(Reader& reader, Parsing& p) {
  LaunchStatement l;
  l.where = p.where;
  const auto extents = [&](std::vector<Expression>& list) {
    do list.push_back(reader.expression());
    while (reader.take(","));
    if (list.size() > 3) p.where.fail("a grid or block has at most three extents");
  };
  const auto not_drawn = [&](std::string_view what) {
    if (reader.peek() != "..") return;
    p.where.fail(fmt::format(
        "only block= draws a range; write `size g = LO..HI` before it and `{}=g`", what));
  };
  if (reader.peek() == "'") l.entry = reader.quoted();
  while (!reader.at_end()) {
    if (reader.peek() == "<<") p.where.fail("<<<G, B>>> is of C++; write grid=G block=B");
    const std::string word =
        reader.name(l.grid.empty() && l.block.empty()
                        ? "grid=, block= or shared="
                        : "grid=, block= or shared=; extents are apart by commas, grid=4,2");
    if (word == "cooperative") {
      l.cooperative = true;
    } else if (word == "programmatic") {
      l.programmatic = true;
    } else if (word == "rehearsal") {
      l.rehearsal = true;
    } else if (word == "of") {
      l.of = launched_types(reader, p);
    } else if (word == "if") {
      l.only = reader.expression();
    } else if (word == "args") {
      do {
        const std::string name = reader.name("an argument");
        l.parameters.push_back(parameter(name, p));
      } while (reader.take(","));
    } else if (word == "grid") {
      reader.expect("=", "the number of blocks");
      extents(l.grid);
      not_drawn("grid");
    } else if (word == "shared") {
      reader.expect("=", "the number of bytes");
      l.shared = reader.expression();
      not_drawn("shared");
    } else if (word == "block") {
      reader.expect("=", "the number of threads");
      extents(l.block);
      const bool none = std::ranges::any_of(l.block, [](const Expression& e) {
        return e.kind == Expression::Kind::integer && e.integer == 0;
      });
      if (none && reader.peek() != "..") {
        p.where.fail("a block has 1 to 1024 threads, not 0; write block=256 or block=32..1024");
      }
      if (reader.take("..")) {
        const Expression& least = l.block[0];
        Size size{"block", static_cast<std::uint64_t>(least.integer), number(reader, p.where), {}};
        if (least.kind != Expression::Kind::integer || size.least == 0 || size.most > 1024 ||
            size.most < size.least || p.names.contains("block")) {
          p.where.fail("block=LO..HI takes two numbers from 1 to 1024, and names the size once");
        }
        p.names.insert("block");
        p.spec.sizes.push_back(size);
        l.block = {make_name("block")};
      }
    } else if (l.entry.empty() && l.grid.empty() && l.block.empty() && reader.peek() != "=") {
      l.entry = word;
    } else {
      static constexpr std::array<std::string_view, 9> known{
          "grid",      "block", "shared", "cooperative", "programmatic",
          "rehearsal", "of",    "if",     "args"};
      p.where.fail(unknown_word("part of a launch", word, known));
    }
  }
  if (l.grid.empty()) p.where.fail("grid= is missing; write grid=EXPRESSION");
  if (l.block.empty()) p.where.fail("block= is missing; write block=32..1024 or block=256");
  if (l.rehearsal && !p.spec.launches.empty() && !p.spec.launches.back().rehearsal) {
    p.where.fail("a rehearsal comes before the launches that it is one of");
  }
  p.spec.launches.push_back(std::move(l));
}

void parse_content(Reader& reader, Array& a, Parsing& p) {
  if (a.addresses) {
    a.list = members(reader, a.type, true, p);
  } else if (!(a.file = file_name(reader)).empty()) {
    const std::string path = p.spec.beside(a.file);
    reader.skip(a.file.size());
    a.content = make_integer(0);
    if (a.extents.empty()) {
      const auto count = p.where.told([&] { return sanitize::npy_count(path, a.type); });
      a.extents = {make_integer(static_cast<std::int64_t>(count))};
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
