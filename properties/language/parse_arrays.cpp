// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What arrays hold, before the launches and behind them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/spelling.hpp"
#include "properties/language/parser.hpp"
#include "properties/language/types.hpp"

namespace gauntlet::spec {
namespace {

void by_program(Reader& reader, Parsing& p) {
  if (p.spec.by) p.where.fail("a spec has one program");
  p.spec.by.emplace();
  p.spec.by->where = p.where;
  p.spec.by->program = reader.peek() == "'" ? reader.quoted() : reader.word();
  if (p.spec.by->program.empty()) p.where.fail("the program is missing; write result by ./program");
  if (reader.take("within")) p.spec.by->within = reader.expression();
}

}  // namespace

void parse_array(Reader& reader, Role role, Parsing& p) {
  Array a;
  a.role = role;
  a.where = p.where;
  a.name = p.fresh(reader.name("the name"));
  reader.expect(":", "the type; write NAME:TYPE[COUNT]");
  a.type = reader.type();
  reader.expect("[", "the number of elements; what is passed by value is an arg");
  do a.extents.push_back(reader.expression());
  while (reader.take(","));
  reader.expect("]", "the end");
  if (a.extents.size() > 2) p.where.fail("an array has one or two extents");
  while (!reader.at_end()) {
    if (reader.take("=")) {
      if (reader.take("identity")) {
        const std::string word = reader.take("of") ? reader.name("the operator") : "";
        a.identity = word == "OP" && p.words.types ? p.words.op : operator_named(word);
        if (!a.identity) p.where.fail("write = identity of sum, product, min or max");
      } else if (reader.take("symbol")) {
        a.symbol = true;
        if (role != Role::scratch)
          p.where.fail("a __device__ variable is scratch; result judges it");
      } else if (reader.take("allocated")) {
        a.allocated = true;
        if (role != Role::scratch || !p.spec.host)
          p.where.fail("what a function of the host allocates is scratch; name it behind `host`");
      } else if (reader.take("permutation")) {
        a.permutation = true;
        if (is_float(a.type)) p.where.fail("a permutation is of whole numbers, such as u32");
      } else {
        a.content = reader.expression();
      }
    } else if (reader.take("kept")) {
      a.kept = true;
    } else if (reader.take("sorted")) {
      a.sorted = true;
    } else if (reader.take("align")) {
      const Expression bytes = reader.expression();
      if (bytes->kind != Node::Kind::integer) p.where.fail("align takes a number, or sizeof(T)");
      a.align = static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes->integer, 0, 257));
      if (a.align > 256 || a.align % size_of(a.type) != 0 || 256 % std::max(1U, a.align) != 0) {
        p.where.fail(fmt::format("align takes a power of two from {} to 256", size_of(a.type)));
      }
    } else {
      p.where.fail(
          fmt::format("`{}` is not an option of an array; write = CONTENT, sorted, kept or align N",
                      reader.rest()));
    }
  }
  if (a.sorted && (!a.filled() || a.permutation)) {
    p.where.fail(a.permutation ? "a sorted permutation is = i"
                               : "nothing lies there that could be sorted; declare it in or inout");
  }
  if (a.kept && a.content == nullptr && role != Role::inout) {
    p.where.fail("kept needs a content to be left as found; write = 0 kept");
  }
  if (!a.symbol && !p.spec.arrays.empty() && p.spec.arrays.back().symbol) {
    p.where.fail("arrays are declared before the __device__ variables; name the order by args");
  }
  if (!a.allocated) p.spec.parameters.push_back({true, p.spec.arrays.size()});
  p.spec.arrays.push_back(std::move(a));
}

void parse_result(Reader& reader, Parsing& p) {
  if (reader.take("none")) {
    p.spec.result_none = true;
    return;
  }
  if (reader.take("by")) return by_program(reader, p);
  Result r;
  r.where = p.where;
  const std::string name = reader.name("the array");
  std::vector<std::string_view> names;
  bool known = false;
  for (std::size_t k = 0; k < p.spec.arrays.size(); ++k) {
    names.push_back(p.spec.arrays[k].name);
    if (p.spec.arrays[k].name != name) continue;
    known = true;
    r.array = k;
  }
  if (!known) p.where.fail(unknown_word("array", name, names));
  const Array& a = p.spec.arrays[r.array];
  if (a.role == Role::in) p.where.fail(fmt::format("{} is an input; declare it out", name));
  reader.expect("[", "the cell; write ARRAY[i] = EXPRESSION");
  do {
    r.cell.push_back(reader.expression());
    const Node& index = *r.cell.back();
    const bool variable = index.kind == Node::Kind::name && !p.names.contains(index.text);
    r.variables.push_back(variable ? index.text : std::string{});
  } while (reader.take(","));
  reader.expect("]", "the end");
  if (r.cell.size() != a.extents.size()) {
    p.where.fail(fmt::format("{} has {} extent{}", name, a.extents.size(),
                             a.extents.size() == 1 ? "" : "s"));
  }
  reader.expect("=", "the value");
  r.value = reader.expression();
  while (!reader.at_end()) {
    if (reader.take("where")) {
      do {
        std::string defined = reader.name("a name behind `where`");
        reader.expect("=", "its value");
        r.definitions.push_back({std::move(defined), reader.expression(), p.where});
      } while (reader.take(","));
    } else if (reader.take("accumulate")) {
      r.accumulate = reader.type();
      if (!is_float(*r.accumulate)) p.where.fail("accumulate takes f16, bf16, f32 or f64");
    } else if (reader.take("fast")) {
      r.fast = true;
    } else if (reader.take("height")) {
      r.height = reader.expression();
    } else if (reader.take("within")) {
      r.within = reader.expression();
    } else if (reader.take("if")) {
      r.only = reader.expression();
    } else {
      p.where.fail(
          fmt::format("`{}` is not understood here; write where, accumulate, fast, "
                      "height, within or if",
                      reader.rest()));
    }
  }
  p.spec.results.push_back(std::move(r));
}

}  // namespace gauntlet::spec
