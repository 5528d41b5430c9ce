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

template <class Rule>
struct Action : grammar::nothing<Rule> {};

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

// clang-format off: one line each, a table of what the rules mean
template <>
struct Action<grammar::minus> : Calls<&Builder::minus> {};
template <>
struct Action<grammar::negation> : Calls<&Builder::logical_not> {};
template <>
struct Action<grammar::hex_literal> : Integer<16, 2> {};
template <>
struct Action<grammar::binary_literal> : Integer<2, 2> {};
template <>
struct Action<grammar::f32_literal> : FloatBits<Operand::Kind::f32> {};
template <>
struct Action<grammar::f64_literal> : FloatBits<Operand::Kind::f64> {};
template <>
struct Action<grammar::decimal_literal> : Calls<&Builder::decimal> {};
template <>
struct Action<grammar::integer_literal> {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    builder.integer(Text(in.begin(), in.size()), *in.begin() == '0' ? 8 : 10);
  }
};
template <>
struct Action<grammar::number> : Calls<&Builder::number> {};

template <>
struct Action<grammar::name_operand> : Calls<&Builder::name_operand> {};
template <>
struct Action<grammar::need_negated_name> : Calls<&Builder::name_operand> {};
template <>
struct Action<grammar::literal_operand> : Calls<&Builder::literal_operand> {};
template <>
struct Action<grammar::address_name> : Calls<&Builder::address_name> {};
template <>
struct Action<grammar::address_literal> : Calls<&Builder::address_literal> {};
template <>
struct Action<grammar::offset> : Calls<&Builder::offset> {};
template <>
struct Action<grammar::located> : Calls<&Builder::located> {};
template <>
struct Action<grammar::open_coordinates> : Calls<&Builder::open_coordinates> {};
template <>
struct Action<grammar::coordinates> : Calls<&Builder::close_list> {};
template <>
struct Action<grammar::open_vector> : Calls<&Builder::open_vector> {};
template <>
struct Action<grammar::vector> : Calls<&Builder::close_list> {};
template <>
struct Action<grammar::bar> : Calls<&Builder::open_pair> {};
template <>
struct Action<grammar::pair_second> : Calls<&Builder::close_list> {};

template <>
struct Action<grammar::guard_not> : Calls<&Builder::guard_not> {};
template <>
struct Action<grammar::guard_name> : Calls<&Builder::guard> {};
template <>
struct Action<grammar::statement_word> : Calls<&Builder::statement_word> {};
template <>
struct Action<grammar::call_word> : Calls<&Builder::statement_word> {};
template <>
struct Action<grammar::suffix_word> : Calls<&Builder::suffix> {};
template <>
struct Action<grammar::label> : Calls<&Builder::label> {};
template <>
struct Action<grammar::open_returns> : Calls<&Builder::open_returns> {};
template <>
struct Action<grammar::need_callee> : Calls<&Builder::callee> {};
template <>
struct Action<grammar::open_arguments> : Calls<&Builder::open_arguments> {};
template <>
struct Action<grammar::end_instruction> : Calls<&Builder::end_instruction> {};
template <>
struct Action<grammar::open_scope> : Calls<&Builder::open_scope> {};
template <>
struct Action<grammar::close_scope> : Calls<&Builder::close_scope> {};
template <>
struct Action<grammar::loc> : Calls<&Builder::loc> {};
template <>
struct Action<grammar::branch_target> : Calls<&Builder::branch_target> {};
template <>
struct Action<grammar::branch_targets> : Calls<&Builder::branch_targets> {};

template <>
struct Action<grammar::space_word> : Calls<&Builder::begin_declaration> {};
template <>
struct Action<grammar::reg_word> : Calls<&Builder::begin_declaration> {};
template <>
struct Action<grammar::parameter_word> : Calls<&Builder::begin_declaration> {};
template <>
struct Action<grammar::type_word> : Calls<&Builder::modifier> {};
template <>
struct Action<grammar::align> : Calls<&Builder::align> {};
template <>
struct Action<grammar::need_declared_name> : Calls<&Builder::declared_name> {};
template <>
struct Action<grammar::unsized> : Calls<&Builder::unsized> {};
template <>
struct Action<grammar::init_symbol> : Calls<&Builder::init_symbol> {};
template <>
struct Action<grammar::init_generic> : Calls<&Builder::init_generic> {};
template <>
struct Action<grammar::init_offset> : Calls<&Builder::init_offset> {};
template <>
struct Action<grammar::init_mask> : Calls<&Builder::mask> {};
template <>
struct Action<grammar::init_address> : Calls<&Builder::init_address> {};
template <>
struct Action<grammar::init_plain> : Calls<&Builder::init_literal> {};
template <>
struct Action<grammar::initialiser> : Calls<&Builder::initialised> {};
template <>
struct Action<grammar::count> : Calls<&Builder::several> {};
template <>
struct Action<grammar::variable_declarator> : Calls<&Builder::declare_variables> {};
template <>
struct Action<grammar::register_declarator> : Calls<&Builder::declare_registers> {};
template <>
struct Action<grammar::parameter> : Calls<&Builder::declare_parameter> {};

template <>
struct Action<grammar::entry_word> : BeginFunction<true> {};
template <>
struct Action<grammar::func_word> : BeginFunction<false> {};
template <>
struct Action<grammar::open_return_list> : OpenParameterList<true> {};
template <>
struct Action<grammar::open_parameter_list> : OpenParameterList<false> {};
template <>
struct Action<grammar::need_function_name> : Calls<&Builder::function_name> {};
template <>
struct Action<grammar::max_threads> : Calls<&Builder::max_threads> {};
template <>
struct Action<grammar::cluster_size> : Calls<&Builder::cluster_size> {};
template <>
struct Action<grammar::tuning> : Calls<&Builder::drop_numbers> {};
template <>
struct Action<grammar::declaration_end> : Calls<&Builder::declaration_end> {};
template <>
struct Action<grammar::open_body> : Calls<&Builder::open_body> {};
template <>
struct Action<grammar::body> : Calls<&Builder::close_body> {};
template <>
struct Action<grammar::linkage> : Calls<&Builder::linkage> {};
template <>
struct Action<grammar::version_text> : Calls<&Builder::version> {};
template <>
struct Action<grammar::target_text> : Calls<&Builder::target> {};
template <>
struct Action<grammar::address_size> : Calls<&Builder::address_size> {};
template <>
struct Action<grammar::file_path> : Calls<&Builder::file> {};
template <>
struct Action<grammar::module_item> : Calls<&Builder::end_item> {};

// clang-format on

template <>
struct Action<grammar::unknown_directive> {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    refuse(in, builder, "unknown or malformed directive " + in.string());
  }
};
template <>
struct Action<grammar::nested_initialiser> {
  template <class Input>
  static void apply(const Input& in, Builder& builder) {
    refuse(in, builder, "nested initialisers are not supported: write the values in one list");
  }
};

struct Messages {
  template <class Rule>
  static constexpr const char* message = grammar::message<Rule>;
};
template <class Rule>
using Control = grammar::must_if<Messages>::control<Rule>;

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
