// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spelling.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/parser.hpp"

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
    const std::string word = reader.name("grid=, block= or shared=");
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
      if (reader.take("..")) {
        const Node& least = *l.block[0];
        Size size{"block", static_cast<std::uint64_t>(least.integer), number(reader, p.where), {}};
        if (least.kind != Node::Kind::integer || size.least == 0 || size.most > 1024 ||
            size.most < size.least || p.names.contains("block")) {
          p.where.fail("block=LO..HI takes two numbers from 1 to 1024, and names the size once");
        }
        p.names.insert("block");
        p.spec.sizes.push_back(size);
        l.block = {make_node(Node::Kind::name, {}, "block")};
      }
    } else if (l.entry.empty() && l.grid.empty() && l.block.empty()) {
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

}  // namespace gauntlet::spec
