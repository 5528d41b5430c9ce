// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What each statement of a spec says (docs/own_kernels.md).
#include "properties/language/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/source.hpp"
#include "properties/language/spec.hpp"

namespace gauntlet::spec {
namespace {

bool is_comparison(const Expression& e) {
  return e.kind == Expression::Kind::operation && e.code >= Expression::Code::equal &&
         e.code <= Expression::Code::greater_equal;
}

/// Its result compares elements, or says where one stands: how it is with equal ones matters.
bool chooses_among_elements(const Spec& spec) {
  using Kind = Expression::Kind;
  if (spec.by) return true;
  return std::ranges::any_of(spec.results, [](const Result& r) {
    std::set<std::string> elements;  // names of such
    bool chooses = false;
    const auto has_element = [&](const Expression& e) {
      return any_part(e, [&](const Expression& part) {
        return part.kind == Kind::element || part.kind == Kind::slice ||
               (part.kind == Kind::name && elements.contains(part.text));
      });
    };
    const auto look = [&](const Expression& e) {
      (void)any_part(e, [&](const Expression& part) {
        elements.insert(part.operands.begin(), part.operands.end());  // of a fold
        chooses |= part.kind == Kind::reduction && part.reduction >= Reduction::argmin &&
                   part.reduction <= Reduction::argmax_last;
        chooses |= is_comparison(part) && std::ranges::any_of(part.children, has_element);
        return false;
      });
    };
    for (const Definition& d : r.definitions) {
      look(d.value);
      if (has_element(d.value)) elements.insert(d.name);
    }
    look(r.only);
    look(r.value);
    return chooses;
  });
}

/// A statement that declares an array.
struct Declaration {
  std::string_view word;
  Role role;
};
constexpr Declaration arrays[] = {{"in", Role::in},
                                  {"out", Role::out},
                                  {"inout", Role::inout},
                                  {"scratch", Role::scratch},
                                  {"array", Role::open}};

class Parser {
 public:
  Parser(Spec begun, const Reading& reading) : p_{reading} { spec_ = std::move(begun); }

  Spec parse(std::vector<Statement> all) {
    read_for(all);
    for (const Statement& s : all) {
      where_ = s.where;
      statement(s);
    }
    where_ = {spec_.path, 1, "kernel"};
    if (spec_.kernel.empty()) where_.fail("the statement is missing; write kernel FILE [ENTRY]");
    where_.statement = "launch";
    if (spec_.host) {
      launch_by_the_host();
    } else if (spec_.launches.empty()) {
      where_.fail("the statement is missing; write launch grid=EXPRESSION block=32..1024");
    }
    where_.statement = "result";
    if (!spec_.launches.empty() && spec_.launches.back().rehearsal) {
      spec_.launches.back().where.fail(
          "every launch is a rehearsal; take the word out of the last");
    }
    if (spec_.results.empty() && !spec_.result_none && !spec_.by) {
      where_.fail("the statement is missing; write result ARRAY[i] = EXPRESSION, or result none");
    }
    check_repeat();
    check_members();
    if (spec_.host && !spec_.constants.empty()) {
      spec_.constants.front().where.fail(
          "a function of the host is compiled once for each form and types; take `define` out");
    }
    find_constants(spec_, reading_.form, p_.instance);
    for (LaunchStatement& launch : spec_.launches) {
      if (launch.parameters.empty()) launch.parameters = spec_.parameters;
    }
    add_implied_sizes(spec_, names_);
    if (spec_.data.empty()) {
      spec_.data = {Data::ones,       Data::iota,    Data::small_integers, Data::small_integers,
                    Data::identities, Data::uniform, Data::uniform,        Data::cancelling};
      if (chooses_among_elements(spec_)) spec_.data.push_back(Data::ties);
    }
    if (spec_.tiled) check_tiles(spec_, p_.instance);
    for (const Array& a : spec_.arrays) {
      if (a.allocated && !spec_.tiled) a.where.fail("= allocated is of specs with `tile`");
    }
    check_arrays(spec_);
    Program program;  // for what is wrong with names
    bind(program, spec_);
    return std::move(spec_);
  }

 private:
  /// Takes the statements of forms, types and operators, and finds out what the others are read
  /// for.
  void read_for(std::vector<Statement>& all) {
    std::erase_if(all, [&](const Statement& s) {
      where_ = s.where;
      if (take_about(s, spec_.about)) return true;
      if (s.word == "operator") operator_where_ = s.where;
      if (take_types(s, spec_)) return true;
      if (!take_fix(s, spec_.fixes)) return false;
      spec_.fix_where.push_back(s.where);
      return true;
    });
    std::erase_if(all, [&](const Statement& s) { return take_several_fixes(s, spec_); });
    check_documented();
    if (!spec_.operators.empty() && spec_.types.empty()) {
      operator_where_.fail("the types are missing; write types f32->f32");
    }
    for (const Statement& s : all) {
      for (const auto& defect : spec_.fixes.defects) {
        if (s.rest.find("FIX(" + defect.fix + ")") == s.rest.npos) continue;
        spec_.asked_fixes.insert(defect.fix);
      }
    }
    const Instance instance = reading_.instance.value_or(spec_.instances().front());
    p_.instance = instance;
    const std::vector<gauntlet::Form> forms = spec_.forms();
    const auto form = std::ranges::find(forms, reading_.form, &gauntlet::Form::name);
    words_ = asked_words(spec_, form == forms.end() ? gauntlet::Form{} : *form, instance);
  }

  void check_documented() const {
    for (const TypePair& pair : spec_.documented_types) {
      if (std::ranges::count(spec_.types, pair) != 0) continue;
      where_.fail(fmt::format("documented types: {}->{} is none of `types`", name(pair.in),
                              name(pair.acc)));
    }
  }

  void statement(const Statement& s) {
    if (s.word == "kernel") return kernel(s);
    if (s.word == "host") return host(s);
    if (s.word == "flags") return flags(s);
    if (s.word == "data") return data(s);
    if (s.word == "expect") return expect(s);
    if (s.word == "define") return add_constant(spec_, constant_of(s.rest, where_));
    Reader reader(s.rest, where_, words_);
    if (s.word == "size") {
      size(reader);
    } else if (s.word == "let") {
      std::string name = p_.fresh(reader.name("the name"));
      reader.expect("=", "the value");
      spec_.definitions.push_back({std::move(name), reader.expression(), where_});
    } else if (s.word == "tile") {
      tile(reader);
    } else if (const auto array = std::ranges::find(arrays, s.word, &Declaration::word);
               array != std::end(arrays)) {
      parse_array(reader, array->role, p_, array->role != Role::open);
    } else if (s.word == "arg") {
      parse_argument(reader, p_);
    } else if (s.word == "launch") {
      parse_launch(reader, p_);
    } else if (s.word == "require") {
      spec_.requirements.push_back({{}, reader.expression(), where_});
    } else if (s.word == "repeat") {
      spec_.repeat_where = where_;
      spec_.repeat = static_cast<std::uint32_t>(number(reader, where_));
      if (spec_.repeat < 1 || spec_.repeat > 100)
        where_.fail("repeat takes a number from 1 to 100");
    } else if (s.word == "result") {
      parse_result(reader, p_);
    } else {
      unknown_statement(s);
    }
    reader.finish("a statement is one line; a line that goes on begins with a blank");
  }

  void tile(Reader& reader) {
    spec_.tiled = true;
    spec_.tile_where = where_;
    const auto define = [&](const char* name) {
      spec_.definitions.push_back({p_.fresh(name), reader.expression(), where_});
    };
    define("tile");
    if (reader.take("most")) define("most");
    if (reader.take("reach")) define("reach");
  }

  void kernel(const Statement& s) {
    if (!spec_.kernel.empty()) where_.fail("a spec has one kernel file; take one out");
    const auto words = words_of(s);
    if (words.empty()) where_.fail("the file is missing; write kernel FILE [ENTRY]");
    std::size_t next = 1;
    if (words.size() > 2 && words[1] == "instantiate") next = 2;
    if (words.size() > next + 1) {
      where_.fail(s.lines.size() > 1
                      ? "a line that begins with a blank goes on from the one before; begin each "
                        "statement at the begin of its line"
                      : "write kernel FILE [ENTRY], an entry with blanks in single quotes");
    }
    spec_.kernel = words[0];
    if (words.size() > next) spec_.entry = words[next];
    spec_.kernel_where = where_;
  }

  void host(const Statement& s) {
    if (!spec_.kernel.empty())
      where_.fail("a spec has one kernel file, or one function of the host");
    const auto words = words_of(s);
    if (words.size() != 2) {
      where_.fail("write host FILE FUNCTION, a function with blanks in single quotes");
    }
    spec_.host = true;
    spec_.kernel = words[0];
    spec_.entry = words[1];
    spec_.kernel_where = where_;
  }

  /// Its calls take the place of launches.
  void launch_by_the_host() {
    for (const LaunchStatement& l : spec_.launches) {
      l.where.fail("a function of the host makes its own launches; take this statement out");
    }
    LaunchStatement call;
    call.grid = call.block = {make_integer(1)};
    call.where = spec_.kernel_where;
    spec_.launches.push_back(std::move(call));
  }

  void flags(const Statement& s) {
    for (auto& word : words_of(s.rest)) spec_.flags.push_back(std::move(word));
  }

  void data(const Statement& s) {
    for (const std::string& word : words_of(s.rest)) {
      spec_.data.push_back(one_of<Data>("distribution", word));
    }
  }

  void expect(const Statement& s) {
    if (!spec_.fixes.defects.empty()) {
      where_.fail("what shows without a fix stands below it: `  shows FINDING ARRAY`");
    }
    const auto words = words_of(s);
    if (words.empty() || words.size() > 2) where_.fail("write expect FINDING [ARRAY]");
    spec_.expectations.push_back(
        {one_of<FindingKind>("finding", words[0]), words.size() > 1 ? words[1] : ""});
  }

  template <class Enum>
  Enum one_of(std::string_view what, std::string_view word) const {
    if (const auto value = gauntlet::parse<Enum>(word)) return *value;
    where_.fail(unknown_word(what, word, enum_names<Enum>));
  }

  /// LO..HI, a list, or one number.
  void domain(Reader& reader, Size& size) {
    size.least = number(reader, where_);
    if (reader.take("..")) {
      size.most = number(reader, where_);
      if (size.most < size.least) {
        where_.fail(fmt::format("{0}..{1} is empty; write {1}..{0}", size.least, size.most));
      }
      return;
    }
    size.choices.push_back(size.least);
    while (reader.take(",")) size.choices.push_back(number(reader, where_));
    size.least = *std::min_element(size.choices.begin(), size.choices.end());
    size.most = *std::max_element(size.choices.begin(), size.choices.end());
  }

  void size(Reader& reader) {
    Size size;
    size.name = p_.fresh(reader.name("the name"));
    reader.expect("=", "the values");
    domain(reader, size);
    spec_.sizes.push_back(std::move(size));
  }

  /// What only some specs may pass.
  void check_members() const {
    for (const Scalar& s : spec_.scalars) {
      if (s.members.size() > s.count) {
        s.where.fail("a value is one number; to try several write `size k = 1,33` and pass k");
      }
      if (spec_.host && !s.members.empty()) s.where.fail(host_takes);
    }
    for (const Array& a : spec_.arrays) {
      if (spec_.host && (a.addresses || a.pad.present())) a.where.fail(host_takes);
      if (spec_.tiled &&
          (a.pad.present() || !a.list.empty() || !a.file.empty() || a.offset || a.wraps)) {
        a.where.fail("beside the input of tiles there are plain arrays: no list, file or pad");
      }
      const bool zero = !a.content.present() ||
                        (a.content.kind == Expression::Kind::integer && a.content.integer == 0);
      if (spec_.tiled && !zero) a.where.fail("beside the input of tiles a content is 0");
    }
  }
  static constexpr const char* host_takes = "a function of the host takes arrays and numbers";

  /// What a further launch finds in such an array is not what the formula speaks of.
  void check_repeat() const {
    if (spec_.repeat == 1) return;
    const auto is_led_to = [&](const Array& a, const std::vector<Member>& members) {
      if (a.role != Role::out || std::ranges::count(members, a.name, &Member::array) == 0) return;
      spec_.repeat_where.fail(fmt::format(
          "a pointer leads to {}, which each launch has anew; make it inout ... kept", a.name));
    };
    for (const Array& a : spec_.arrays) {
      for (const Array& other : spec_.arrays) is_led_to(a, other.list);
      for (const Scalar& s : spec_.scalars) is_led_to(a, s.members);
      if (a.role != Role::inout || a.kept) continue;
      spec_.repeat_where.fail(fmt::format(
          "{} is inout, so that a second launch begins with what the first one left; make it in "
          "and out, or inout ... kept",
          a.name));
    }
  }

  Parsing p_;
  const Reading& reading_ = p_.reading;
  Spec& spec_ = p_.spec;
  Words& words_ = p_.words;
  Where& where_ = p_.where;
  std::set<std::string>& names_ = p_.names;
  Where operator_where_;
};

}  // namespace

std::string Parsing::fresh(std::string name, bool array) {
  const bool passed = array && std::ranges::count(spec.scalars, name, &Scalar::name) != 0;
  if (passed || !names.insert(name).second) {
    where.fail(fmt::format("{} is declared twice; take one out, or rename it", name));
  }
  if (name == "grid" && !array) where.fail("grid is the number of blocks of the first launch");
  return name;
}

std::uint64_t number(Reader& reader, const Where& where) {
  const auto value = parse_number<std::uint64_t>(reader.peek(), 0, std::uint64_t{1} << 40);
  const std::string_view rest = reader.rest(), word = rest.substr(0, rest.find_first_of(" \t,"));
  if (word.empty()) where.fail("a number is missing at the end; write 1..64, or 1,2,4");
  if (!value) {
    where.fail(fmt::format("`{}` is not a whole number from 0 to 2^40",
                           word.starts_with('-') || word.starts_with('.') ? word : reader.peek()));
  }
  reader.take(reader.peek());
  return *value;
}

Spec parse_spec(std::vector<Statement> statements, Spec begun, const Reading& reading) {
  return Parser(std::move(begun), reading).parse(std::move(statements));
}

Spec parse_spec(std::string_view text, const std::string& path, const Reading& reading) {
  Spec begun;
  begun.path = path;
  begun.folder = path.substr(0, path.rfind('/') + 1);
  return parse_spec(statements(text, path), std::move(begun), reading);
}

Spec parse_declaration(const Statement& statement) {
  const Reading reading;
  Parsing p{reading};
  p.where = statement.where;
  Reader reader(statement.rest, p.where);
  parse_argument(reader, p);
  reader.finish("content begins with `=`");
  return std::move(p.spec);
}

}  // namespace gauntlet::spec
