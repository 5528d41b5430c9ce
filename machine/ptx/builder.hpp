// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds a Module from the grammar's events, in the order of the text. Internal to the parser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "machine/ptx/ast.hpp"
#include "machine/ptx/bodies.hpp"
#include "machine/ptx/items.hpp"
#include "machine/ptx/loc_table.hpp"
#include "machine/ptx/scope.hpp"

namespace gauntlet::ptx {

using Text = std::string_view;  ///< always a piece of Module::text

class Builder {
 public:
  explicit Builder(Module& module) : module_(module), locs_(module.locs), scopes_(module.names) {}
  /// Leaves the bodies of entries out.
  Builder(Module& module, Bodies& bodies) : Builder(module) { left_out_ = &bodies; }
  /// The bodies of all functions; and notes the items of the module.
  Builder(Module& module, Bodies& bodies, std::vector<Item>& items) : Builder(module, bodies) {
    items_ = &items;
  }
  /// Of the body of one function.
  Builder(Module& module, Function& function);

  /// Throws Error for the line that holds `at`.
  [[noreturn]] void fail(const char* at, const std::string& what) const;
  [[noreturn]] void fail(Text at, const std::string& what) const { fail(at.data(), what); }

  // Literals: converted at once, taken by the rule around them.
  void minus() { negative_ = true; }
  void logical_not() { negative_ = logical_ = true; }
  void integer(Text digits, int base);
  void decimal(Text text);
  void float_bits(Text digits, Operand::Kind kind);
  void number(Text at);  ///< appends the literal to the list of plain numbers

  // Operands: appended to the innermost open list.
  void name_operand(Text name);
  void literal_operand();
  void address_name(Text name);
  void address_literal(Text at);
  void offset(Text at);
  void located() { lists_.back()->back().kind = Operand::Kind::located; }
  void open_coordinates() { lists_.push_back(&lists_.back()->back().parts); }
  void open_vector();
  void open_pair();
  void close_list() { lists_.pop_back(); }

  // Statements of a function's body.
  void guard_not() { guard_negated_ = true; }
  void guard(Text name) { guard_ = scopes_.resolve(name); }
  void statement_word(Text word);
  void suffix(Text word) { suffixes_.push_back(word); }
  void label();
  void open_returns() { lists_.back() = &current_.call_returns; }
  void open_arguments() { lists_.back() = &current_.call_args; }
  void callee(Text name) { current_.callee = scopes_.resolve(name); }
  void end_instruction();
  void open_scope();
  [[nodiscard]] bool close_scope();  ///< false when the brace ends the function
  void loc();
  void branch_targets(Text at);

  // Declarations: a head (space, modifiers), then one or more names.
  void begin_declaration(Text space_word);
  void modifier(Text word);
  void align(Text at);
  void declared_name(Text name);
  void unsized() { unsized_ = true; }
  void initialised() { has_initialiser_ = true; }
  void mask(Text at);
  void init_generic() { relocation_.generic = true; }
  void init_symbol(Text name) { relocation_.symbol = name; }
  void init_offset(Text at) { relocation_.addend = signed_value(at); }
  void init_address();
  void init_literal(Text at);
  void several() { several_ = take_numbers().back(); }
  void declare_variables(Text at);
  void declare_registers(Text at);
  void declare_parameter(Text at);

  // Functions and the module.
  void begin_function(Text at, bool entry);
  void open_parameter_list(bool returns) { returns_ = returns; }
  void function_name(Text name);
  void max_threads(Text at);
  void cluster_size(Text at);
  void drop_numbers() { numbers_.clear(); }
  void declaration_end() { function().declaration_only = true; }
  void open_body();
  [[nodiscard]] bool leaves_out() {
    return left_out_ != nullptr && (function().entry || items_ != nullptr);
  }
  void leave_out(Text body);
  void note_definition();
  void close_body() {
    scopes_.close(function());
    in_body_ = false;
  }
  void linkage(Text directive);
  void version(Text text) { module_.version = text; }
  void target(Text text) { module_.target = text; }
  void address_size(Text at);
  void file(Text quoted);
  void end_item(Text at);

 private:
  struct Literal {
    Operand::Kind kind = Operand::Kind::integer;
    std::uint64_t bits = 0;
  };

  Function& function() { return function_ != nullptr ? *function_ : module_.functions.back(); }
  Operand& push(Operand::Kind kind);
  [[nodiscard]] std::int64_t signed_value(Text at) const;
  [[nodiscard]] std::uint32_t line_of(const char* at);
  [[nodiscard]] std::vector<std::uint64_t> take_numbers();
  [[nodiscard]] Variable finish_variable(Text at);
  void append_element(std::uint64_t bits);
  /// Of a declarator: its own name, or name0, name1, ...
  [[nodiscard]] std::vector<Text> declared_names(Text at);
  void declare_variable(Variable made, Text at);
  /// The unique spelling of a name, or of a component of a vector register.
  [[nodiscard]] Text resolved(Text name) const;

  Module& module_;
  Bodies* left_out_ = nullptr;
  std::vector<Item>* items_ = nullptr;
  Item item_;
  Function* function_ = nullptr;
  LocTable locs_;
  ScopeStack scopes_;

  // Line counting goes on from the last place asked for.
  const char* counted_ = nullptr;
  std::uint32_t counted_line_ = 1;

  bool negative_ = false, logical_ = false;
  Literal literal_;
  std::vector<std::uint64_t> numbers_;

  std::vector<Operand> operands_;  // of the current instruction, so that vectors are exact copies
  std::vector<Text> suffixes_;
  std::vector<std::vector<Operand>*> lists_;
  Instruction current_;
  Text word_, guard_;
  bool guard_negated_ = false;
  bool in_body_ = false;

  std::unordered_set<Text> parameters_;                  // of function()
  std::uint64_t registers_ = 0, several_variables_ = 0;  // of families, in all functions
  std::unordered_map<Text, std::vector<Text>> vectors_;  // registers of the function: components

  Variable head_, variable_;
  std::uint32_t vector_width_ = 1;
  bool has_type_ = false, unsized_ = false, has_initialiser_ = false;
  std::optional<std::uint64_t> several_;  // name<several>
  Relocation relocation_;
  bool returns_ = false;
};

}  // namespace gauntlet::ptx
