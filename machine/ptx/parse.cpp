// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Joins the grammar to the builder.
#include <algorithm>
#include <string_view>
#include <utility>

#include "machine/ptx/builder.hpp"
#include "machine/ptx/grammar.hpp"

namespace gauntlet::ptx {
namespace {

/// Hands the matched text, or nothing, to a member of the builder.
template <auto Member>
struct Calls {
  template <class Input>
  static auto apply(const Input& in, Builder& builder) {
    if constexpr (requires { (builder.*Member)(Text{}); }) {
      return (builder.*Member)(Text(in.begin(), in.size()));
    } else {
      return (builder.*Member)();
    }
  }
};

template <int Base, std::size_t Prefix>
struct Integer {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.integer(Text(in.begin() + Prefix, in.size() - Prefix), Base);
  }
};

template <Operand::Kind Kind>
struct FloatBits {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.float_bits(Text(in.begin() + 2, in.size() - 2), Kind);
  }
};

template <bool Entry>
struct BeginFunction {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.begin_function(Text(in.begin(), in.size()), Entry);
  }
};

template <bool Returns>
struct OpenParameterList {
  static void apply0(Builder& builder) { builder.open_parameter_list(Returns); }
};

template <class Input>
[[noreturn]] void refuse(const Input& in, Builder& builder, const std::string& what) {
  builder.fail(in.begin(), what);
}

struct IntegerOrOctal {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.integer(Text(in.begin(), in.size()), *in.begin() == '0' ? 8 : 10);
  }
};

struct UnknownDirective {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    refuse(in, builder, "unknown or malformed directive " + in.string());
  }
};
struct NestedInitialiser {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    refuse(in, builder, "nested initialisers are not supported: write the values in one list");
  }
};

template <class Rule, class Does>
struct Row : Does {};
template <class Rule, auto Member>
struct On : Row<Rule, Calls<Member>> {};

/// What the rules mean.
struct Rows : On<grammar::minus, &Builder::minus>,
              On<grammar::negation, &Builder::logical_not>,
              Row<grammar::hex_literal, Integer<16, 2>>,
              Row<grammar::binary_literal, Integer<2, 2>>,
              Row<grammar::f32_literal, FloatBits<Operand::Kind::f32>>,
              Row<grammar::f64_literal, FloatBits<Operand::Kind::f64>>,
              On<grammar::decimal_literal, &Builder::decimal>,
              Row<grammar::integer_literal, IntegerOrOctal>,
              On<grammar::number, &Builder::number>,
              On<grammar::name_operand, &Builder::name_operand>,
              On<grammar::need_negated_name, &Builder::name_operand>,
              On<grammar::literal_operand, &Builder::literal_operand>,
              On<grammar::address_name, &Builder::address_name>,
              On<grammar::address_literal, &Builder::address_literal>,
              On<grammar::offset, &Builder::offset>,
              On<grammar::located, &Builder::located>,
              On<grammar::open_coordinates, &Builder::open_coordinates>,
              On<grammar::coordinates, &Builder::close_list>,
              On<grammar::open_vector, &Builder::open_vector>,
              On<grammar::vector, &Builder::close_list>,
              On<grammar::bar, &Builder::open_pair>,
              On<grammar::pair_second, &Builder::close_list>,
              On<grammar::guard_not, &Builder::guard_not>,
              On<grammar::guard_name, &Builder::guard>,
              On<grammar::statement_word, &Builder::statement_word>,
              On<grammar::call_word, &Builder::statement_word>,
              On<grammar::suffix_word, &Builder::suffix>,
              On<grammar::label, &Builder::label>,
              On<grammar::open_returns, &Builder::open_returns>,
              On<grammar::need_callee, &Builder::callee>,
              On<grammar::open_arguments, &Builder::open_arguments>,
              On<grammar::end_instruction, &Builder::end_instruction>,
              On<grammar::open_scope, &Builder::open_scope>,
              On<grammar::close_scope, &Builder::close_scope>,
              On<grammar::loc, &Builder::loc>,
              On<grammar::branch_targets, &Builder::branch_targets>,
              On<grammar::space_word, &Builder::begin_declaration>,
              On<grammar::reg_word, &Builder::begin_declaration>,
              On<grammar::parameter_word, &Builder::begin_declaration>,
              On<grammar::type_word, &Builder::modifier>,
              On<grammar::align, &Builder::align>,
              On<grammar::need_declared_name, &Builder::declared_name>,
              On<grammar::unsized, &Builder::unsized>,
              On<grammar::init_symbol, &Builder::init_symbol>,
              On<grammar::init_generic, &Builder::init_generic>,
              On<grammar::init_offset, &Builder::init_offset>,
              On<grammar::init_mask, &Builder::mask>,
              On<grammar::init_address, &Builder::init_address>,
              On<grammar::init_plain, &Builder::init_literal>,
              On<grammar::initialiser, &Builder::initialised>,
              On<grammar::count, &Builder::several>,
              On<grammar::variable_declarator, &Builder::declare_variables>,
              On<grammar::register_declarator, &Builder::declare_registers>,
              On<grammar::parameter, &Builder::declare_parameter>,
              Row<grammar::entry_word, BeginFunction<true>>,
              Row<grammar::func_word, BeginFunction<false>>,
              Row<grammar::open_return_list, OpenParameterList<true>>,
              Row<grammar::open_parameter_list, OpenParameterList<false>>,
              On<grammar::need_function_name, &Builder::function_name>,
              On<grammar::max_threads, &Builder::max_threads>,
              On<grammar::cluster_size, &Builder::cluster_size>,
              On<grammar::tuning, &Builder::drop_numbers>,
              On<grammar::declaration_end, &Builder::declaration_end>,
              On<grammar::open_body, &Builder::open_body>,
              On<grammar::body, &Builder::close_body>,
              On<grammar::linkage, &Builder::linkage>,
              On<grammar::version_text, &Builder::version>,
              On<grammar::target_text, &Builder::target>,
              On<grammar::address_size, &Builder::address_size>,
              On<grammar::file_path, &Builder::file>,
              On<grammar::module_item, &Builder::end_item>,
              Row<grammar::unknown_directive, UnknownDirective>,
              Row<grammar::nested_initialiser, NestedInitialiser> {};

/// The row of a rule, by its being a base; the others mean nothing.
template <class Rule, class Does>
Does row_of(const Row<Rule, Does>*);
template <class Rule>
grammar::nothing<Rule> row_of(const void*);
template <class Rule>
struct Action : decltype(row_of<Rule>(static_cast<const Rows*>(nullptr))) {};

/// A rule that says something ends the parse where it fails. PEGTL's must_if does the same, but
/// asks whether a message is null, which is no constant expression under UBSan.
template <class Rule>
struct Control : grammar::normal<Rule> {
  template <class Input, class... States>
  static void failure(const Input& in, States&&... /*states*/) {
    if constexpr (requires { Rule::message; }) throw grammar::parse_error(Rule::message, in);
  }
};

/// The place to blame: something missing is missed behind the last text before `at`, which may lie
/// on an earlier line than the text that follows.
const char* blamed(const std::string& text, std::size_t at, std::string_view message) {
  at = std::min(at, text.size());
  if (!message.starts_with("unexpected") || at == text.size()) {
    const std::size_t last = at == 0 ? at : text.find_last_not_of(" \t\r\n\v\f", at - 1);
    if (last != std::string::npos && last < at) at = last;
  }
  return text.data() + at;
}

Module module_of(std::string text, std::string file_name) {
  Module module;
  module.file_name = std::move(file_name);
  // Views must outlive a move of the module, so no text may live inside the string object itself.
  text.reserve(std::max<std::size_t>(text.size(), 64));
  module.text = std::move(text);
  return module;
}

/// Reads a piece of the module's text.
template <class Rule>
void read(const Module& module, Text piece, Builder& builder) {
  grammar::memory_input<grammar::tracking_mode::lazy> input(
      piece.data(), piece.data() + piece.size(), module.file_name);
  try {
    grammar::parse<Rule, Action, Control>(input, builder);
  } catch (const grammar::parse_error& error) {
    const std::string what(error.message());
    const auto begin = static_cast<std::size_t>(piece.data() - module.text.data());
    builder.fail(blamed(module.text, begin + error.positions().front().byte, what), what);
  }
}

}  // namespace

Module parse(std::string text, std::string file_name) {
  Module module = module_of(std::move(text), std::move(file_name));
  Builder builder(module);
  read<grammar::module_text>(module, module.text, builder);
  return module;
}

Module parse_outline(std::string text, std::string file_name, Bodies& bodies) {
  if (text.find(".callprototype") != text.npos) return parse(std::move(text), std::move(file_name));
  Module module = module_of(std::move(text), std::move(file_name));
  Builder builder(module, bodies);
  read<grammar::module_text>(module, module.text, builder);
  return module;
}

Module parse_items(std::string text, std::string file_name, std::vector<Item>& items) {
  Module module = module_of(std::move(text), std::move(file_name));
  Bodies bodies;
  Builder builder(module, bodies, items);
  read<grammar::module_text>(module, module.text, builder);
  return module;
}

void parse_body(Module& module, Function& entry, Text body) {
  Builder builder(module, entry);
  read<grammar::body>(module, body, builder);
}

}  // namespace gauntlet::ptx
