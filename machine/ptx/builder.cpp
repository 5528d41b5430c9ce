// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Literals, operands and statements.
#include "machine/ptx/builder.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

namespace gauntlet::ptx {
void fail(const Module& module, std::uint32_t line, std::string_view what) {
  constexpr std::size_t longest = 160;
  std::string_view text = module.text;
  for (std::uint32_t k = 1; k < line; ++k) text.remove_prefix(text.find('\n') + 1);
  text = text.substr(0, text.find('\n'));
  const std::size_t first = std::min(text.find_first_not_of(" \t\r"), text.size());
  text = text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
  throw Error(module.file_name + ":" + std::to_string(line) + ": " + printable(what, longest) +
              ": `" + printable(text, longest) + "`");
}

Builder::Builder(Module& module, Function& function) : Builder(module) {
  function_ = &function;
  // Lines are counted from where the function begins, not from the beginning of the text.
  const auto name = static_cast<std::size_t>(function.name.data() - module.text.data());
  const std::size_t directive = module.text.rfind(function.entry ? ".entry" : ".func", name);
  if (directive == module.text.npos) return;
  counted_ = module.text.data() + directive;
  counted_line_ = function.ptx_line;
}

void Builder::fail(const char* at, const std::string& what) const {
  const char* begin = module_.text.data();
  ptx::fail(module_, static_cast<std::uint32_t>(1 + std::count(begin, at, '\n')), what);
}

std::uint32_t Builder::line_of(const char* at) {
  if (counted_ == nullptr || at < counted_) {
    counted_ = module_.text.data();
    counted_line_ = 1;
  }
  counted_line_ += static_cast<std::uint32_t>(std::count(counted_, at, '\n'));
  counted_ = at;
  return counted_line_;
}

// --- Literals -----------------------------------------------------------------------------------

void Builder::integer(Text digits, int base) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, code] = std::from_chars(digits.data(), end, value, base);
  if (code == std::errc::result_out_of_range) fail(digits, "number wider than 64 bits");
  if (stop != end) fail(digits, "malformed number");
  literal_ = {Operand::Kind::integer, negative_ ? 0 - value : value};
  negative_ = false;
}

void Builder::decimal(Text text) {
  double value = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{}) fail(text, "number outside the range of f64");
  literal_ = {Operand::Kind::f64, std::bit_cast<std::uint64_t>(negative_ ? -value : value)};
  negative_ = false;
}

void Builder::float_bits(Text digits, Operand::Kind kind) {
  const bool negative = std::exchange(negative_, false);
  integer(digits, 16);
  literal_.kind = kind;
  if (negative) literal_.bits ^= std::uint64_t{1} << (kind == Operand::Kind::f32 ? 31 : 63);
}

std::int64_t Builder::signed_value(Text at) const {
  if (literal_.kind != Operand::Kind::integer) fail(at, "expected an integer");
  return static_cast<std::int64_t>(literal_.bits);
}

void Builder::number(Text at) { numbers_.push_back(static_cast<std::uint64_t>(signed_value(at))); }

std::vector<std::uint64_t> Builder::take_numbers() { return std::exchange(numbers_, {}); }

// --- Operands -----------------------------------------------------------------------------------

Operand& Builder::push(Operand::Kind kind) {
  Operand& operand = lists_.back()->emplace_back();
  operand.kind = kind;
  operand.minus = negative_ && !logical_;
  operand.negated = std::exchange(negative_, false);
  logical_ = false;
  return operand;
}

void Builder::name_operand(Text name) {
  if (name == "_") {
    push(Operand::Kind::sink);
  } else if (name == "WARP_SZ") {
    const bool negative = negative_;
    Operand& operand = push(Operand::Kind::integer);
    operand.bits = negative ? std::uint64_t{0} - 32 : 32;
    operand.negated = operand.minus = false;
  } else if (const auto vector = vectors_.find(scopes_.resolve(name)); vector != vectors_.end()) {
    if (negative_) fail(name, "a sign or `!` before a vector");
    Operand& operand = push(Operand::Kind::vector);
    for (const Text part : vector->second) {
      operand.parts.emplace_back().name = part;
      operand.parts.back().kind = Operand::Kind::name;
    }
  } else {
    push(Operand::Kind::name).name = resolved(name);
  }
}

Text Builder::resolved(Text name) const {
  constexpr Text components = "xyzwrgba";
  if (!vectors_.empty() && name.size() > 2 && name[name.size() - 2] == '.') {
    const auto vector = vectors_.find(scopes_.resolve(name.substr(0, name.size() - 2)));
    const auto component = components.find(name.back()) % 4;
    if (vector != vectors_.end() && component < vector->second.size()) {
      return vector->second[component];
    }
  }
  return scopes_.resolve(name);
}

void Builder::literal_operand() { push(literal_.kind).bits = literal_.bits; }

void Builder::address_name(Text name) { push(Operand::Kind::address).name = resolved(name); }

void Builder::address_literal(Text at) {
  const std::int64_t value = signed_value(at);
  push(Operand::Kind::address).offset = value;
}

void Builder::offset(Text at) {
  Operand& of = lists_.back()->back();
  if (of.kind == Operand::Kind::vector) fail(at, "a vector with an offset");
  of.offset = signed_value(at);
}

void Builder::open_vector() { lists_.push_back(&push(Operand::Kind::vector).parts); }

void Builder::open_pair() {
  Operand& pair = lists_.back()->back();
  Operand first = std::exchange(pair, {});
  pair.kind = Operand::Kind::pair;
  pair.parts.reserve(2);
  pair.parts.push_back(std::move(first));
  lists_.push_back(&pair.parts);
}

// --- Statements ---------------------------------------------------------------------------------

void Builder::statement_word(Text word) {
  word_ = word;
  operands_.clear();
  suffixes_.clear();
  lists_.assign(1, &operands_);
}

void Builder::label() {
  const auto declared = scopes_.declare_label(word_);
  if (declared.name.empty()) fail(word_, "label declared twice");
  const auto next = static_cast<std::uint32_t>(function().body.size());
  function().labels.push_back({declared.name, next});
}

void Builder::end_instruction() {
  Instruction& made = function().body.emplace_back(std::exchange(current_, {}));
  made.ptx_line = line_of(word_.data());
  made.loc = locs_.current();
  made.guard = std::exchange(guard_, {});
  made.guard_negated = std::exchange(guard_negated_, false);
  made.opcode = word_;
  made.suffixes.assign(suffixes_.begin(), suffixes_.end());
  made.operands.assign(std::make_move_iterator(operands_.begin()),
                       std::make_move_iterator(operands_.end()));
}

void Builder::open_scope() { scopes_.open(function()); }

bool Builder::close_scope() {
  if (!scopes_.nested()) return false;
  scopes_.close(function());
  return true;
}

void Builder::loc() {
  const auto position = [&](std::size_t first) {
    return Loc{static_cast<std::uint32_t>(numbers_[first]),
               static_cast<std::uint32_t>(numbers_[first + 1]),
               static_cast<std::uint32_t>(numbers_[first + 2]), -1};
  };
  if (numbers_.size() == 6) {
    const Loc caller = position(3);
    locs_.enter(position(0), &caller);
  } else {
    locs_.enter(position(0), nullptr);
  }
  numbers_.clear();
}

void Builder::branch_targets(Text at) {
  // The label before the directive names the table; it is no place to branch to.
  std::vector<Label>& labels = function().labels;
  if (labels.empty() || labels.back().instruction != function().body.size()) {
    fail(at, "expected a label before .branchtargets");
  }
  function().has_branch_table = true;
  labels.pop_back();
}

}  // namespace gauntlet::ptx
