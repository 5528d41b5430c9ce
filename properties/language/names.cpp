// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/numbers.hpp"
#include "base/spelling.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/parser.hpp"

namespace gauntlet::spec {
namespace {

/// Its size, or UsageError.
Size& size_of_constant(Spec& spec, const Constant& constant) {
  const auto size = std::ranges::find(spec.sizes, constant.size, &Size::name);
  if (size != spec.sizes.end()) return *size;
  std::vector<std::string_view> names;
  for (const Size& known : spec.sizes) names.push_back(known.name);
  constant.where.fail(names.empty() ? fmt::format("{} is no size; write size {} = 32,64,128",
                                                  constant.size, constant.size)
                                    : unknown_word("size", constant.size, names));
}

/// Every value of the size.
void take_values(Constant& constant, const Size& size) {
  constexpr std::uint64_t most = 64;
  constant.values = size.choices;
  if (!size.choices.empty()) return;
  if (size.most - size.least >= most) {
    constant.where.fail(fmt::format(
        "the kernel is compiled for each value, and {} has more than {}; write size {} = "
        "32,64,128",
        size.name, most, size.name));
  }
  for (std::uint64_t k = size.least; k <= size.most; ++k) constant.values.push_back(k);
}

/// Calls f(name) for each in the expressions of the statements but `result`.
template <class F>
void for_each_name(const Spec& spec, F&& f) {
  const auto look = [&](const Expression& e) {
    (void)any_part(e, [&](const Expression& part) {
      if (part.kind == Expression::Kind::name) f(part.text);
      return false;
    });
  };
  const auto each = [&](const std::vector<Expression>& all) { std::ranges::for_each(all, look); };
  const auto members = [&](const std::vector<Member>& all) {
    std::ranges::for_each(all, look, &Member::value);
  };
  for (const Array& a : spec.arrays) {
    each(a.extents);
    look(a.content);
    look(a.pad);
    look(a.pad_content);
    members(a.list);
  }
  for (const Scalar& s : spec.scalars) {
    look(s.value);
    members(s.members);
  }
  for (const Definition& d : spec.definitions) look(d.value);
  for (const Definition& d : spec.requirements) look(d.value);
  for (const LaunchStatement& l : spec.launches) {
    each(l.grid);
    each(l.block);
    look(l.shared);
    look(l.only);
  }
  if (spec.by) look(spec.by->within);
}

}  // namespace

void add_implied_sizes(Spec& spec, std::set<std::string>& names) {
  const Size known[] = {{"n", 0, 4096, {}}, {"rows", 1, 64, {}}, {"columns", 1, 1024, {}}};
  std::set<std::string> used;
  for_each_name(spec, [&](const std::string& name) { used.insert(name); });
  // A whole number that is passed has its name in extents, too.
  for (const Scalar& s : spec.scalars) {
    if (!used.contains(s.name) || is_float(s.type) || !s.members.empty() ||
        mentions(s.value, s.name) || !names.insert(s.name).second) {
      continue;
    }
    spec.definitions.push_back({s.name, s.value, s.where});
  }
  std::vector<Size> implied;
  for (const Size& size : known) {
    if (spec.sized || !used.contains(size.name) || !names.insert(size.name).second) continue;
    implied.push_back(size);
  }
  spec.sizes.insert(spec.sizes.begin(), implied.begin(), implied.end());
}

namespace {

/// A content is made of what lies there already: arrays above it, and its own elements.
void check_content(const Spec& spec, const Array& a) {
  using Kind = Expression::Kind;
  (void)any_part(a.content, [&](const Expression& part) {
    const bool reads = part.kind == Kind::element || part.kind == Kind::slice ||
                       (part.kind == Kind::name && part.text != "i");
    const Array* const other = reads ? spec.array(part.text) : nullptr;
    if (other == nullptr || (other == &a && part.kind == Kind::element)) return false;
    if (other == &a) {
      a.where.fail(fmt::format(
          "{} is being made: one element before i may be named, as in {}[i - 1]", a.name, a.name));
    }
    if (other > &a) {
      a.where.fail(
          fmt::format("{} is declared below; name it in contents below its own line, and "
                      "give the kernel its order by args",
                      other->name));
    }
    if (!other->filled()) {
      a.where.fail(fmt::format("nothing lies in {} before the launch; write {} ... = CONTENT",
                               other->name, other->name));
    }
    return false;
  });
}

void check_pointers(const Spec& spec, const std::vector<Member>& members, const Where& where) {
  for (const Member& m : members) {
    if (!m.pointer() || spec.array(m.array) != nullptr) continue;
    std::vector<std::string_view> arrays;
    for (const Array& a : spec.arrays) arrays.push_back(a.name);
    where.fail(unknown_word("array", m.array, arrays));
  }
}

}  // namespace

void check_arrays(const Spec& spec) {
  for (const Array& a : spec.arrays) {
    check_pointers(spec, a.list, a.where);
    check_content(spec, a);
  }
  for (const Scalar& s : spec.scalars) check_pointers(spec, s.members, s.where);
}

Constant constant_of(std::string_view text, const Where& where) {
  const auto equals = text.find('='), types = text.find(" for ");
  const auto names = words_of(text.substr(0, equals));
  const auto values =
      words_of(equals == text.npos ? "" : text.substr(equals + 1, types - equals - 1));
  if (equals == text.npos || names.size() != 1 || values.empty()) {
    where.fail("write define B = 32,64,128, the block sizes that it is compiled for");
  }
  Constant constant;
  constant.name = names[0];
  constant.size = "block";
  constant.where = where;
  if (types != text.npos) constant.types = pairs_of(text.substr(types + 5), where);
  std::string list;
  for (const std::string& word : values) list += word;
  if (!std::isdigit(static_cast<unsigned char>(list[0]))) {
    if (values.size() != 1) where.fail("write define B = SIZE, or define B = 32,64,128");
    constant.size = list;
    return constant;
  }
  for (std::string_view rest = list; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const auto value = parse_number<std::uint64_t>(rest.substr(0, comma), 1, 1024);
    if (!value) where.fail("block sizes are numbers from 1 to 1024; write define B = 32,64,128");
    constant.values.push_back(*value);
    rest.remove_prefix(std::min(rest.size(), comma + 1));
  }
  return constant;
}

void add_constant(Spec& spec, Constant constant) {
  const auto both = [&](const Constant& other) {
    return other.name == constant.name &&
           (other.types.empty() || constant.types.empty() ||
            std::ranges::find_first_of(other.types, constant.types) != other.types.end());
  };
  if (std::ranges::any_of(spec.constants, both)) {
    constant.where.fail(fmt::format("{} is declared twice", constant.name));
  }
  spec.constants.push_back(std::move(constant));
}

void find_constants(Spec& spec, std::string_view form, const Instance& instance) {
  for (Constant& constant : spec.constants) {
    Size& size = size_of_constant(spec, constant);
    if (constant.values.empty()) {
      take_values(constant, size);
      continue;
    }
    for (const std::uint64_t value : constant.values) {
      if (size.allows(value)) continue;
      constant.where.fail(fmt::format("{}: {} is {}", value, size.name, size.domain()));
    }
  }
  for (const Constant& constant : constants_of(spec, form, instance)) {
    Size& size = size_of_constant(spec, constant);
    if (constant.values.size() == size.most - size.least + 1) continue;  // any
    size.choices = constant.values;
    size.least = std::ranges::min(constant.values);
    size.most = std::ranges::max(constant.values);
  }
}

}  // namespace gauntlet::spec
