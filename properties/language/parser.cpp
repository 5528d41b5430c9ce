// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What each statement of a spec says (docs/own_kernels.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "properties/language/about.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/fixes.hpp"
#include "properties/language/names.hpp"
#include "properties/language/spec.hpp"
#include "properties/language/statements.hpp"
#include "properties/language/types.hpp"

namespace gauntlet::spec {
namespace {

constexpr std::array<std::string_view, 33> statement_words{
    "kernel",     "host",         "flags",   "size",      "let",     "in",     "out",
    "inout",      "scratch",      "arg",     "launch",    "require", "repeat", "result",
    "expect",     "data",         "types",   "operator",  "define",  "fix",    "without",
    "documented", "row",          "printed", "described", "ours",    "claim",  "idea",
    "contract",   "precondition", "swept",   "waits",     "tuned"};

class Parser {
 public:
  Parser(const std::string& path, const Reading& reading) : reading_(reading) {
    spec_.path = path;
    const auto slash = path.rfind('/');
    if (slash != path.npos) spec_.folder = path.substr(0, slash + 1);
  }

  Spec parse(std::string_view text) {
    std::vector<Statement> all = statements(text, spec_.path);
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
    find_constants();
    for (LaunchStatement& launch : spec_.launches) {
      if (launch.parameters.empty()) launch.parameters = spec_.parameters;
    }
    add_implied_sizes(spec_, names_);
    if (spec_.data.empty()) {
      spec_.data = {Data::ones,       Data::iota,    Data::small_integers, Data::small_integers,
                    Data::identities, Data::uniform, Data::uniform,        Data::cancelling};
    }
    check_names(spec_, names_);
    return std::move(spec_);
  }

 private:
  /// Takes the statements of forms, types and operators, and finds out what the others are read
  /// for.
  void read_for(std::vector<Statement>& all) {
    if (std::ranges::count(all, "host", &Statement::word) != 0) refuse_copies(all);
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
    instance_ = instance;
    if (!spec_.types.empty()) words_.types = std::pair(instance.in, instance.acc);
    words_.op = instance.op;
    const std::vector<gauntlet::Form> forms = spec_.forms();
    const auto form = std::ranges::find(forms, reading_.form, &gauntlet::Form::name);
    for (const auto& defect : spec_.fixes.defects) {
      const bool lacks = form != forms.end() && std::ranges::count(form->missing, defect.fix) != 0;
      words_.fixes.emplace_back(defect.fix, !lacks);
    }
  }

  /// A function of the host has one form, and its own types and constants.
  static void refuse_copies(const std::vector<Statement>& all) {
    constexpr std::array<std::string_view, 6> of_copies{"fix",   "without",  "documented",
                                                        "types", "operator", "define"};
    for (const Statement& s : all) {
      if (std::ranges::count(of_copies, s.word) == 0) continue;
      s.where.fail(fmt::format("a function of the host is compiled once; take `{}` out", s.word));
    }
  }

  void check_documented() const {
    for (const TypePair& pair : spec_.documented_types) {
      if (std::ranges::count(spec_.types, pair) != 0) continue;
      where_.fail(fmt::format("documented types: {}->{} is none of `types`", name(pair.in),
                              name(pair.acc)));
    }
  }

  void define(Reader& reader) {
    Constant constant;
    constant.where = where_;
    constant.name = reader.name("the name");
    reader.expect("=", "the size");
    constant.size = reader.name("the size");
    if (std::ranges::count(spec_.constants, constant.name, &Constant::name) != 0) {
      where_.fail(fmt::format("{} is declared twice", constant.name));
    }
    spec_.constants.push_back(std::move(constant));
  }

  /// The values of the sizes that the kernel's source has as constants.
  void find_constants() {
    constexpr std::uint64_t most = 64;
    for (Constant& constant : spec_.constants) {
      const auto size = std::ranges::find(spec_.sizes, constant.size, &Size::name);
      std::vector<std::string_view> names;
      for (const Size& known : spec_.sizes) names.push_back(known.name);
      if (size == spec_.sizes.end()) {
        constant.where.fail(names.empty() ? fmt::format("{} is no size; write size {} = 32,64,128",
                                                        constant.size, constant.size)
                                          : unknown_word("size", constant.size, names));
      }
      if (constant.documented) {
        for (const std::uint64_t value : constant.values) {
          if (!size->allows(value)) {
            constant.where.fail(fmt::format("{}: {} is {}", value, size->name, size->domain()));
          }
        }
        if (reading_.form == "documented" && applies(constant, reading_.form, instance_)) {
          size->choices = constant.values;
          size->least = std::ranges::min(constant.values);
          size->most = std::ranges::max(constant.values);
        }
        continue;
      }
      constant.values = size->choices;
      if (size->choices.empty() && size->most - size->least >= most) {
        constant.where.fail(fmt::format(
            "the kernel is compiled for each value, and {} has more than {}; write size {} = "
            "32,64,128",
            size->name, most, size->name));
      }
      for (std::uint64_t k = size->least; size->choices.empty() && k <= size->most; ++k) {
        constant.values.push_back(k);
      }
    }
  }

  void statement(const Statement& s) {
    if (s.word == "kernel") return kernel(s);
    if (s.word == "host") return host(s);
    if (s.word == "flags") return flags(s);
    if (s.word == "data") return data(s);
    if (s.word == "expect") return expect(s);
    Reader reader(s.rest, where_, words_);
    if (s.word == "define") {
      define(reader);
    } else if (s.word == "size") {
      size(reader);
    } else if (s.word == "let") {
      std::string name = fresh(reader.name("the name"));
      reader.expect("=", "the value");
      spec_.definitions.push_back({std::move(name), reader.expression(), where_});
    } else if (s.word == "in") {
      array(reader, Role::in);
    } else if (s.word == "out") {
      array(reader, Role::out);
    } else if (s.word == "inout") {
      array(reader, Role::inout);
    } else if (s.word == "scratch") {
      array(reader, Role::scratch);
    } else if (s.word == "arg") {
      scalar(reader);
    } else if (s.word == "launch") {
      launch(reader);
    } else if (s.word == "require") {
      spec_.requirements.push_back({{}, reader.expression(), where_});
    } else if (s.word == "repeat") {
      spec_.repeat_where = where_;
      spec_.repeat = static_cast<std::uint32_t>(number(reader));
      if (spec_.repeat < 1 || spec_.repeat > 100)
        where_.fail("repeat takes a number from 1 to 100");
    } else if (s.word == "result") {
      result(reader);
    } else {
      where_.fail(unknown_word("statement", s.word, statement_words));
    }
    reader.finish("a statement is one line; a line that goes on begins with a blank");
  }

  void kernel(const Statement& s) {
    if (!spec_.kernel.empty()) where_.fail("a spec has one kernel file");
    const auto words = words_of(s.rest);
    if (words.empty()) where_.fail("the file is missing; write kernel FILE [ENTRY]");
    std::size_t next = 1;
    if (words.size() > 2 && words[1] == "instantiate") next = 2;
    if (words.size() > next + 1) {
      where_.fail("write kernel FILE [ENTRY], an entry with blanks in single quotes");
    }
    spec_.kernel = words[0];
    if (words.size() > next) spec_.entry = words[next];
    spec_.kernel_where = where_;
  }

  void host(const Statement& s) {
    if (!spec_.kernel.empty())
      where_.fail("a spec has one kernel file, or one function of the host");
    const auto words = words_of(s.rest);
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
    auto one = std::make_shared<Node>();
    one->kind = Node::Kind::integer;
    one->integer = 1;
    LaunchStatement call;
    call.grid = call.block = {one};
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
    const auto words = words_of(s.rest);
    if (words.empty() || words.size() > 2) where_.fail("write expect FINDING [ARRAY]");
    spec_.expectations.push_back(
        {one_of<FindingKind>("finding", words[0]), words.size() > 1 ? words[1] : ""});
  }

  template <class Enum>
  Enum one_of(std::string_view what, std::string_view word) const {
    if (const auto value = gauntlet::parse<Enum>(word)) return *value;
    where_.fail(unknown_word(what, word, enum_names<Enum>));
  }

  std::string fresh(std::string name) {
    if (!names_.insert(name).second) where_.fail(fmt::format("{} is declared twice", name));
    if (name == "grid") where_.fail("grid is the number of blocks of the first launch");
    return name;
  }

  std::uint64_t number(Reader& reader) {
    const auto value = parse_number<std::uint64_t>(reader.peek(), 0, std::uint64_t{1} << 40);
    if (!value)
      where_.fail(fmt::format("`{}` is not a whole number from 0 to 2^40", reader.peek()));
    reader.take(reader.peek());
    return *value;
  }

  /// LO..HI, a list, or one number.
  void domain(Reader& reader, Size& size) {
    size.least = number(reader);
    if (reader.take("..")) {
      size.most = number(reader);
      if (size.most < size.least) {
        where_.fail(fmt::format("{}..{} is empty", size.least, size.most));
      }
      return;
    }
    size.choices.push_back(size.least);
    while (reader.take(",")) size.choices.push_back(number(reader));
    size.least = *std::min_element(size.choices.begin(), size.choices.end());
    size.most = *std::max_element(size.choices.begin(), size.choices.end());
  }

  void size(Reader& reader) {
    Size size;
    size.name = fresh(reader.name("the name"));
    reader.expect("=", "the values");
    domain(reader, size);
    spec_.sizes.push_back(std::move(size));
  }

  void array(Reader& reader, Role role) {
    Array a;
    a.role = role;
    a.where = where_;
    a.name = fresh(reader.name("the name"));
    reader.expect(":", "the type; write NAME:TYPE[COUNT]");
    a.type = reader.type();
    reader.expect("[", "the number of elements; what is passed by value is an arg");
    do a.extents.push_back(reader.expression());
    while (reader.take(","));
    reader.expect("]", "the end");
    if (a.extents.size() > 2) where_.fail("an array has one or two extents");
    while (!reader.at_end()) {
      if (reader.take("=")) {
        if (reader.take("identity")) {
          const std::string word = reader.take("of") ? reader.name("the operator") : "";
          a.identity = word == "OP" && words_.types ? words_.op : operator_named(word);
          if (!a.identity) where_.fail("write = identity of sum, product, min or max");
        } else if (reader.take("symbol")) {
          a.symbol = true;
          if (role != Role::scratch)
            where_.fail("a __device__ variable is scratch; result judges it");
        } else if (reader.take("permutation")) {
          a.permutation = true;
          if (is_float(a.type)) where_.fail("a permutation is of whole numbers, such as u32");
        } else {
          a.content = reader.expression();
        }
      } else if (reader.take("kept")) {
        a.kept = true;
      } else if (reader.take("sorted")) {
        a.sorted = true;
      } else if (reader.take("align")) {
        const Expression bytes = reader.expression();
        if (bytes->kind != Node::Kind::integer) where_.fail("align takes a number, or sizeof(T)");
        a.align = static_cast<std::uint32_t>(std::clamp<std::int64_t>(bytes->integer, 0, 257));
        if (a.align > 256 || a.align % size_of(a.type) != 0 || 256 % std::max(1U, a.align) != 0) {
          where_.fail(fmt::format("align takes a power of two from {} to 256", size_of(a.type)));
        }
      } else {
        where_.fail(fmt::format(
            "`{}` is not an option of an array; write = CONTENT, sorted, kept or align N",
            reader.rest()));
      }
    }
    if (a.sorted && (!a.filled() || a.permutation)) {
      where_.fail(a.permutation
                      ? "a sorted permutation is = i"
                      : "nothing lies there that could be sorted; declare it in or inout");
    }
    if (a.kept && a.content == nullptr && role != Role::inout) {
      where_.fail("kept needs a content to be left as found; write = 0 kept");
    }
    if (!a.symbol && !spec_.arrays.empty() && spec_.arrays.back().symbol) {
      where_.fail("arrays are declared before the __device__ variables; name the order by args");
    }
    spec_.parameters.push_back({true, spec_.arrays.size()});
    spec_.arrays.push_back(std::move(a));
  }

  void scalar(Reader& reader) {
    Scalar s;
    s.where = where_;
    s.name = reader.name("the name");
    if (!scalars_.insert(s.name).second) where_.fail(fmt::format("{} is declared twice", s.name));
    reader.expect(":", "the type; write NAME:TYPE = VALUE");
    s.type = reader.type();
    if (reader.peek() == "[") where_.fail("what has elements is in, out, inout or scratch");
    reader.expect("=", "the value");
    s.value = reader.expression();
    spec_.parameters.push_back({false, spec_.scalars.size()});
    spec_.scalars.push_back(std::move(s));
  }

  void launch(Reader& reader) {
    LaunchStatement l;
    l.where = where_;
    const auto extents = [&](std::vector<Expression>& list) {
      do list.push_back(reader.expression());
      while (reader.take(","));
      if (list.size() > 3) where_.fail("a grid or block has at most three extents");
    };
    const auto not_drawn = [&](std::string_view what) {
      if (reader.peek() != "..") return;
      where_.fail(fmt::format(
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
        l.of = launched_types(reader);
      } else if (word == "if") {
        l.only = reader.expression();
      } else if (word == "args") {
        do {
          const std::string name = reader.name("an argument");
          l.parameters.push_back(parameter(name));
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
          Size size{"block", static_cast<std::uint64_t>(least.integer), number(reader), {}};
          if (least.kind != Node::Kind::integer || size.least == 0 || size.most > 1024 ||
              size.most < size.least || names_.contains("block")) {
            where_.fail("block=LO..HI takes two numbers from 1 to 1024, and names the size once");
          }
          names_.insert("block");
          spec_.sizes.push_back(size);
          auto node = std::make_shared<Node>();
          node->kind = Node::Kind::name;
          node->text = "block";
          l.block = {node};
        }
      } else if (l.entry.empty() && l.grid.empty() && l.block.empty()) {
        l.entry = word;
      } else {
        static constexpr std::array<std::string_view, 9> known{
            "grid",      "block", "shared", "cooperative", "programmatic",
            "rehearsal", "of",    "if",     "args"};
        where_.fail(unknown_word("part of a launch", word, known));
      }
    }
    if (l.grid.empty()) where_.fail("grid= is missing; write grid=EXPRESSION");
    if (l.block.empty()) where_.fail("block= is missing; write block=32..1024 or block=256");
    if (l.rehearsal && !spec_.launches.empty() && !spec_.launches.back().rehearsal) {
      where_.fail("a rehearsal comes before the launches that it is one of");
    }
    spec_.launches.push_back(std::move(l));
  }

  /// "T->ACC", for which the form must be compiled, too.
  TypePair launched_types(Reader& reader) {
    if (!words_.types) where_.fail("of names types, and there are none; write types f32->f32");
    TypePair pair{reader.type(), Type::f32};
    reader.expect("-", "the accumulator; write of T->ACC");
    reader.expect(">", "the accumulator; write of T->ACC");
    pair.acc = reader.type();
    const Instance wanted{pair.in, pair.acc, instance_.op};
    if (std::ranges::count(instances_of(spec_, reading_.form.empty() ? "fixed" : reading_.form),
                           wanted) == 0) {
      where_.fail(fmt::format("the kernel is not compiled for {}->{} {}; name them in `types`{}",
                              name(pair.in), name(pair.acc), name(instance_.op),
                              spec_.documented_types.empty() ? "" : ", of `documented` too"));
    }
    return pair;
  }

  Parameter parameter(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Parameter& p : spec_.parameters) {
      names.push_back(p.array ? spec_.arrays[p.index].name : spec_.scalars[p.index].name);
      if (names.back() == name) return p;
    }
    const bool drawn = std::ranges::count(spec_.sizes, name, &Size::name) != 0;
    if (drawn || name == "n" || name == "rows" || name == "columns" || name == "block" ||
        name == "grid" || name == "blocks") {
      where_.fail(
          fmt::format("{} is a size and no parameter of the kernel yet; declare it, `arg "
                      "{}:i32 = {}`",
                      name, name == "grid" ? "g" : name, name));
    }
    where_.fail(unknown_word("argument", name, names));
  }

  /// What a further launch finds in such an array is not what the formula speaks of.
  void check_repeat() const {
    if (spec_.repeat == 1) return;
    for (const Array& a : spec_.arrays) {
      if (a.role != Role::inout || a.kept) continue;
      spec_.repeat_where.fail(fmt::format(
          "{} is inout, so that a second launch begins with what the first one left; make it in "
          "and out, or inout ... kept",
          a.name));
    }
  }

  void by_program(Reader& reader) {
    if (spec_.by) where_.fail("a spec has one program");
    spec_.by.emplace();
    spec_.by->where = where_;
    spec_.by->program = reader.peek() == "'" ? reader.quoted() : reader.word();
    if (spec_.by->program.empty()) where_.fail("the program is missing; write result by ./program");
    if (reader.take("within")) spec_.by->within = reader.expression();
  }

  void result(Reader& reader) {
    if (reader.take("none")) {
      spec_.result_none = true;
      return;
    }
    if (reader.take("by")) return by_program(reader);
    Result r;
    r.where = where_;
    const std::string name = reader.name("the array");
    std::vector<std::string_view> names;
    bool known = false;
    for (std::size_t k = 0; k < spec_.arrays.size(); ++k) {
      names.push_back(spec_.arrays[k].name);
      if (spec_.arrays[k].name != name) continue;
      known = true;
      r.array = k;
    }
    if (!known) where_.fail(unknown_word("array", name, names));
    const Array& a = spec_.arrays[r.array];
    if (a.role == Role::in) where_.fail(fmt::format("{} is an input; declare it out", name));
    reader.expect("[", "the cell; write ARRAY[i] = EXPRESSION");
    do {
      r.cell.push_back(reader.expression());
      const Node& index = *r.cell.back();
      const bool variable = index.kind == Node::Kind::name && !names_.contains(index.text);
      r.variables.push_back(variable ? index.text : std::string{});
    } while (reader.take(","));
    reader.expect("]", "the end");
    if (r.cell.size() != a.extents.size()) {
      where_.fail(fmt::format("{} has {} extent{}", name, a.extents.size(),
                              a.extents.size() == 1 ? "" : "s"));
    }
    reader.expect("=", "the value");
    r.value = reader.expression();
    while (!reader.at_end()) {
      if (reader.take("where")) {
        do {
          std::string defined = reader.name("a name behind `where`");
          reader.expect("=", "its value");
          r.definitions.push_back({std::move(defined), reader.expression(), where_});
        } while (reader.take(","));
      } else if (reader.take("accumulate")) {
        r.accumulate = reader.type();
        if (!is_float(*r.accumulate)) where_.fail("accumulate takes f16, bf16, f32 or f64");
      } else if (reader.take("fast")) {
        r.fast = true;
      } else if (reader.take("height")) {
        r.height = reader.expression();
      } else if (reader.take("within")) {
        r.within = reader.expression();
      } else if (reader.take("if")) {
        r.only = reader.expression();
      } else {
        where_.fail(
            fmt::format("`{}` is not understood here; write where, accumulate, fast, "
                        "height, within or if",
                        reader.rest()));
      }
    }
    spec_.results.push_back(std::move(r));
  }

  const Reading& reading_;
  Instance instance_{Type::f32, Type::f32, Op::sum};
  Spec spec_;
  Words words_;
  Where where_, operator_where_;
  std::set<std::string> names_, scalars_;
};

}  // namespace

Spec parse_spec(std::string_view text, const std::string& path, const Reading& reading) {
  return Parser(path, reading).parse(text);
}

}  // namespace gauntlet::spec
