// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/schedule.hpp"
#include "properties/case/case.hpp"

namespace gauntlet {
namespace {

template <class Enum>
rc::Gen<Enum> any_of(Enum last) {
  return rc::gen::map(rc::gen::inRange(0, static_cast<int>(last) + 1),
                      [](int i) { return static_cast<Enum>(i); });
}

std::string any_name() {
  const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(letters)));
}

Schedule any_schedule() {
  Schedule s;
  s.kind = *any_of(Schedule::Kind::replay);
  if (s.kind == Schedule::Kind::random || s.kind == Schedule::Kind::pct) {
    s.seed = *rc::gen::arbitrary<std::uint64_t>();
  }
  if (s.kind == Schedule::Kind::pct) s.depth = *rc::gen::arbitrary<std::uint32_t>();
  const std::string characters = "ABCXYZabcxyz0189.,_-";
  if (s.kind == Schedule::Kind::replay) {
    s.recorded =
        *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(characters)));
  }
  return s;
}

void set_map(Case& c) {
  c.map = *any_of(Map::pad);
  const int most = is_float(c.in) ? 4097 : static_cast<int>(8 * size_of(c.in));
  if (c.map == Map::scale) c.map_by = *rc::gen::inRange(is_float(c.in) ? -4096 : 0, most);
  if (c.map == Map::take || c.map == Map::drop) c.map_by = *rc::gen::inRange(0, 1 << 30);
  if (c.map == Map::pad) {
    const auto largest = static_cast<std::int64_t>(std::min<std::uint64_t>(c.n, 1 << 30));
    c.map_by = *rc::gen::inRange<std::int64_t>(0, largest + 1);
  }
}

Case any_case() {
  Case c;
  c.variant = any_name();
  const int form = *rc::gen::inRange(0, 3);
  c.form = form == 0   ? "documented"
           : form == 1 ? "fixed"
                       : std::string("fixed-").append(any_name());
  c.in = *any_of(Type::f64);
  c.acc = *any_of(Type::f64);
  c.op = *any_of(Op::maximum);
  c.n = *rc::gen::arbitrary<std::uint64_t>();
  c.block = *rc::gen::inRange(1U, 1025U);
  c.grid = *rc::gen::arbitrary<std::uint32_t>();
  c.data = *any_of(Data::identities);
  c.seed = *rc::gen::arbitrary<std::uint64_t>();
  c.offset = *rc::gen::inRange(0U, 16U);
  c.tail = *any_of(Tail::unmapped);
  c.schedule = to_string(any_schedule());
  if (*rc::gen::arbitrary<bool>()) {
    c.first_block = *rc::gen::inRange(0U, 1U << 20);
    c.block_count = *rc::gen::inRange(1U, 1U << 20);
  }
  set_map(c);
  return c;
}

RC_GTEST_PROP(CaseProperty, line_parses_back_to_the_same_case, ()) {
  const Case c = any_case();
  const std::string line = to_string(c);
  RC_ASSERT(line.find('\n') == std::string::npos);
  RC_ASSERT(parse_case(line) == c);
}

RC_GTEST_PROP(ScheduleProperty, spelling_parses_back_to_the_same_schedule, ()) {
  const Schedule s = any_schedule();
  RC_ASSERT(parse_schedule(to_string(s)) == s);
}

RC_GTEST_PROP(CaseProperty, any_text_is_a_case_or_an_error_of_one_line, ()) {
  // A right line with one character changed: either it still means something, or it says why not.
  std::string line = to_string(any_case());
  const auto at = *rc::gen::inRange<std::size_t>(0, line.size());
  line[at] = *rc::gen::inRange<char>(32, 127);
  try {
    const Case c = parse_case(line);
    RC_ASSERT(parse_case(to_string(c)) == c);
  } catch (const CaseError& error) {
    const std::string text = error.what();
    RC_ASSERT(!text.empty() && text.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace gauntlet
