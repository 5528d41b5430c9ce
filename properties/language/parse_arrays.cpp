// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What arrays hold, before the launches and behind them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "properties/language/parser.hpp"

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

/// A type, or `ptr` of addresses; of a struct such as float4 how many numbers it has.
struct TypeWord {
  Type type = Type::u64;
  std::size_t count = 1;
  bool addresses = false;
};
TypeWord type_word(Reader& reader, Parsing& p) {
  constexpr std::uint64_t most = 512;
  const std::string word = reader.name("the type");
  if (word == "ptr") return {Type::u64, 1, true};
  const auto times = word.find('x');
  TypeWord kind{reader.type(std::string_view(word).substr(0, times))};
  if (times == word.npos) return kind;
  const auto count = parse_number<std::uint64_t>(std::string_view(word).substr(times + 1), 1, most);
  if (!count) p.where.fail(fmt::format("COUNT of {} is a number from 1 to {}", word, most));
  if (reader.peek() == "[") {
    p.where.fail("an array has elements of one number each; write TYPE[N]");
  }
  kind.count = *count;
  return kind;
}

/// Of an option of an array: with a blank or, as in the words of a command line, a colon before it.
Expression option(Reader& reader) {
  (void)reader.take(":");
  return reader.expression();
}

Array begun_array(std::string name, Role role, const TypeWord& of, Parsing& p) {
  Array a;
  a.where = p.where;
  a.name = p.fresh(std::move(name), true);
  a.role = role;
  a.type = of.type;
  a.addresses = of.addresses;
  return a;
}

void set_role(Array& a, Role role, std::string_view word, const Parsing& p) {
  if (a.role != Role::open) {
    p.where.fail(fmt::format("{} is an option of arg and array; the statement says it", word));
  }
  a.role = role;
}

void read_extents(Reader& reader, Array& a, const Parsing& p) {
  reader.expect("[", "the number of elements; what is passed by value is an arg");
  if (reader.take("]")) return;
  do a.extents.push_back(reader.expression());
  while (reader.take(","));
  reader.expect("]", "the end");
  if (a.extents.size() > 2) {
    p.where.fail("an array has one or two extents; multiply the inner ones, [rows, a * b]");
  }
  if (reader.peek() == "[") p.where.fail("extents are apart by commas; write [rows, columns]");
}

/// Content and options: apart by blanks, or before the content by commas.
void read_rest(Reader& reader, Array& a, Parsing& p) {
  while (!reader.at_end()) {
    (void)reader.take(",");
    if (reader.take("=")) {
      if (reader.take("identity")) {
        const std::string word = reader.take("of") ? reader.name("the operator") : "";
        a.identity = word == "OP" && p.words.types ? p.words.op : operator_named(word);
        if (!a.identity) p.where.fail("write = identity of sum, product, min or max");
      } else if (reader.take("symbol")) {
        a.symbol = true;
        if (a.role != Role::scratch && a.role != Role::open)
          p.where.fail("a __device__ variable is scratch or an array; result judges it");
      } else if (reader.take("allocated")) {
        a.allocated = true;
        if (a.role != Role::scratch || !p.spec.host)
          p.where.fail("what a function of the host allocates is scratch; name it behind `host`");
      } else if (reader.take("permutation")) {
        a.permutation = true;
        if (is_float(a.type)) p.where.fail("a permutation is of whole numbers, such as u32");
      } else {
        parse_content(reader, a, p);
      }
    } else if (reader.take("offset")) {
      const Expression bytes = option(reader);
      if (bytes.kind != Expression::Kind::integer || bytes.integer > 255) {
        p.where.fail("offset takes a number from 0 to 255");
      }
      a.offset = static_cast<std::uint32_t>(bytes.integer);
    } else if (reader.take("pad")) {
      a.pad = option(reader);
      if (reader.take(":")) a.pad_content = reader.expression();
    } else if (reader.take("const")) {
      set_role(a, Role::in, "const", p);
    } else if (reader.take("scratch")) {
      set_role(a, Role::scratch, "scratch", p);
    } else if (reader.take("kept")) {
      a.kept = true;
    } else if (reader.take("sorted")) {
      a.sorted = true;
    } else if (reader.take("align")) {
      const Expression bytes = option(reader);
      if (bytes.kind != Expression::Kind::integer)
        p.where.fail("align takes a number, or sizeof(T)");
      a.align = static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes.integer, 0, 257));
      if (a.align < size_of(a.type) || a.align > 256 || !std::has_single_bit(a.align)) {
        p.where.fail(fmt::format("align takes a power of two from {} to 256", size_of(a.type)));
      }
    } else {
      constexpr std::array<std::string_view, 8> known{"= CONTENT", "sorted", "kept",  "align N",
                                                      "offset N",  "pad N",  "const", "scratch"};
      const std::string_view rest = reader.rest();
      p.where.fail(unknown_word("option", rest.substr(0, rest.find_first_of(" ,=")), known));
    }
  }
}

}  // namespace

void Parsing::add(Array a, Reader& reader, bool passed) {
  Parsing& p = *this;
  const bool open = a.role == Role::open;
  if (open && reader.peek() != "[") where.fail("is not an array; write NAME:TYPE[N]");
  read_extents(reader, a, p);
  read_rest(reader, a, p);
  if (a.extents.empty()) {
    where.fail("the size may be left out for a list or a .npy file only; write NAME:TYPE[N]");
  }
  if (open && a.role == Role::in && !a.content.present()) {
    where.fail("a const array needs content: the kernel cannot write it");
  }
  if (a.sorted && (!a.filled() || a.permutation)) {
    p.where.fail(a.permutation ? "a sorted permutation is = i"
                               : "nothing lies there that could be sorted; declare it in or inout");
  }
  if (a.kept && !a.content.present() && a.role != Role::inout) {
    p.where.fail("kept needs a content to be left as found; write = 0 kept");
  }
  if (!a.symbol && !p.spec.arrays.empty() && p.spec.arrays.back().symbol) {
    p.where.fail("arrays are declared before the __device__ variables; name the order by args");
  }
  if (!a.allocated && passed) p.spec.parameters.push_back({true, p.spec.arrays.size()});
  p.spec.arrays.push_back(std::move(a));
}

void parse_array(Reader& reader, Role role, Parsing& p, bool passed) {
  if (reader.peek() == "const") p.where.fail("in is const already; write in NAME:TYPE[COUNT]");
  std::string name = reader.name("the name; write NAME:TYPE[COUNT]");
  reader.expect(":", "the type; write NAME:TYPE[COUNT]");
  p.add(begun_array(std::move(name), role, type_word(reader, p), p), reader, passed);
}

void parse_argument(Reader& reader, Parsing& p) {
  Scalar s;
  s.where = p.where;
  s.name = reader.name("the name of NAME:TYPE = VALUE");
  reader.expect(":", "the type; write NAME:TYPE = VALUE");
  if (reader.peek() == "{") {
    parse_struct(reader, s, p);
  } else {
    const TypeWord of = type_word(reader, p);
    s.type = of.type;
    s.count = of.count;
    if (reader.peek() == "[") {
      return p.add(begun_array(std::move(s.name), Role::open, of, p), reader, true);
    }
    if (reader.peek() == ",") p.where.fail("options are for arrays only");
    reader.expect("=", "the value; write NAME:TYPE = VALUE");
    parse_members(reader, s, of.addresses, p);
  }
  const bool twice = p.spec.array(s.name) != nullptr ||
                     std::ranges::count(p.spec.scalars, s.name, &Scalar::name) != 0;
  if (twice) p.where.fail(fmt::format("{} is declared twice", s.name));
  p.spec.parameters.push_back({false, p.spec.scalars.size()});
  p.spec.scalars.push_back(std::move(s));
}

void parse_result(Reader& reader, Parsing& p) {
  if (reader.take("none")) {
    p.spec.result_none = true;
    return;
  }
  if (reader.take("by")) return by_program(reader, p);
  Result r;
  r.where = p.where;
  const std::string name = reader.name("the array; write result ARRAY[i] = EXPRESSION");
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
    const Expression& index = r.cell.back();
    const bool variable = index.kind == Expression::Kind::name && !p.names.contains(index.text);
    r.variables.push_back(variable ? index.text : std::string{});
  } while (reader.take(","));
  reader.expect("]", "the end");
  if (r.cell.size() != a.extents.size()) {
    p.where.fail(a.extents.size() == 1 ? fmt::format("{0} has 1 extent; write {0}[i]", name)
                                       : fmt::format("{0} has 2 extents; write {0}[r, c]", name));
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
      reader.finish("write where, accumulate, fast, height, within or if");
    }
  }
  // Told again, with more behind it, it is no other.
  const auto again = [](std::string_view first, std::string_view second) {
    return first.starts_with(second) || second.starts_with(first);
  };
  const auto same = std::ranges::find_if(p.spec.results, [&](const Result& other) {
    const bool all = std::ranges::count(other.variables, "") + std::ranges::count(r.variables, "");
    return other.array == r.array && !all && !other.only.present() && !r.only.present() &&
           !again(other.where.statement, r.where.statement);
  });
  if (same != p.spec.results.end()) {
    p.where.fail(fmt::format("{} has a result in line {}; take one out, or name cells by numbers",
                             name, same->where.line));
  }
  p.spec.results.push_back(std::move(r));
}

}  // namespace gauntlet::spec
