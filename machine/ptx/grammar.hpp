// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The grammar of PTX as PEGTL rules: PTX ISA 9.0, chapters 4 (lexical elements), 5 (declarations),
// 8 (instruction statements), 11 (directives). Every rule ends behind the white space that follows
// it, except single tokens. No rule recurses: nested braces are counted by the builder, so that a
// deeply nested text cannot exhaust the stack. Rules whose actions append are never re-entered
// after a failure: a statement is decided by its first token.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tao/pegtl.hpp>

namespace gauntlet::ptx::grammar {

using namespace tao::pegtl;  // NOLINT: the grammar is written in PEGTL's vocabulary

// A rule that says something may not fail: its failure ends the parse. Messages that begin with
// "unexpected" speak of the text at the point of failure, all others of what is missing behind the
// text before it.

template <std::size_t size>
struct Message {
  char text[size];
  constexpr Message(const char (&message)[size]) { std::copy_n(message, size, text); }
};
template <Message of>
struct says {
  static constexpr const char* message = of.text;
};

// --- Tokens -------------------------------------------------------------------------------------

struct comment
    : sor<seq<string<'/', '/'>, until<eolf>>, seq<string<'/', '*'>, until<string<'*', '/'>>>> {};
struct skip : star<sor<one<' ', '\t', '\n', '\r', '\v', '\f'>, comment>> {};
struct id_char : ranges<'a', 'z', 'A', 'Z', '0', '9', '_', '_', '$'> {};
struct id_first : ranges<'a', 'z', 'A', 'Z', '_', '_', '$', '$', '%'> {};
struct word : seq<id_first, star<id_char>> {};
template <class Text>
struct key : seq<Text, not_at<id_char>, skip> {};
struct comma : seq<one<','>, skip> {};
struct string_literal : seq<one<'"'>, until<one<'"'>>> {};
template <class Item>
struct items : list<Item, comma> {};

struct need_semicolon : seq<one<';'>, skip>, says<"expected `;`"> {};
struct need_comma_or_semicolon : seq<one<';'>, skip>, says<"expected `,` or `;`"> {};
struct need_close_paren : seq<one<')'>, skip>, says<"expected `)`"> {};
struct need_close_bracket : seq<one<']'>, skip>, says<"expected `]`"> {};
struct need_close_brace : seq<one<'}'>, skip>, says<"expected `}`"> {};
struct need_close_angle : seq<one<'>'>, skip>, says<"expected `>`"> {};
struct need_number_end : not_at<sor<id_char, one<'.'>>>, says<"malformed number"> {};

struct minus : one<'-'> {};
struct hex_literal : seq<one<'0'>, one<'x', 'X'>, plus<xdigit>> {};
struct f32_literal : seq<one<'0'>, one<'f', 'F'>, rep<8, xdigit>> {};
struct f64_literal : seq<one<'0'>, one<'d', 'D'>, rep<16, xdigit>> {};
struct binary_literal : seq<one<'0'>, one<'b', 'B'>, plus<one<'0', '1'>>> {};
struct exponent : seq<one<'e', 'E'>, opt<one<'+', '-'>>, plus<digit>> {};
struct decimal_literal
    : seq<plus<digit>, sor<seq<one<'.'>, star<digit>, opt<exponent>>, exponent>> {};
struct integer_literal : plus<digit> {};
struct literal
    : seq<sor<seq<at<one<'0'>>, sor<hex_literal, f32_literal, f64_literal, binary_literal>>,
              decimal_literal, integer_literal>,
          opt<one<'U'>>, need_number_end> {};
struct signed_literal : seq<opt<minus, skip>, literal> {};
struct plus_or_minus_literal
    : sor<seq<one<'+'>, skip, signed_literal>, seq<at<minus>, signed_literal>> {};

/// A count, size or source position: the builder keeps a short list of them.
struct number : literal {};
struct need_number : seq<number, skip>, says<"expected a number"> {};

// --- Operands -----------------------------------------------------------------------------------

struct component : seq<one<'.'>, one<'x', 'y', 'z', 'w', 'r', 'g', 'b', 'a'>, not_at<id_char>> {};
struct name_operand : seq<word, opt<component>> {};
struct literal_operand : literal {};
struct negation : one<'!'> {};
struct need_negated_name : name_operand, says<"expected a predicate behind `!`"> {};
struct offset : plus_or_minus_literal {};
struct scalar : seq<sor<seq<name_operand, skip, opt<offset>>, literal_operand,
                        seq<minus, skip, sor<literal_operand, name_operand>>,
                        seq<negation, skip, need_negated_name>>,
                    skip> {};

struct address_name : seq<word, opt<component>> {};
struct address_literal : signed_literal {};
struct need_address : sor<seq<address_name, skip, opt<offset>>, address_literal>,
                      says<"expected an address"> {};

struct need_scalar : scalar, says<"expected a register or a number"> {};
/// The coordinates in a texture or a tensor; what else stands behind an address is not kept.
struct located : one<','> {};
struct open_coordinates : one<'{'> {};
struct coordinates : seq<open_coordinates, skip, items<need_scalar>, need_close_brace> {};
struct location : seq<located, skip, opt<coordinates>, star<not_one<']', ';'>>> {};
struct address : seq<one<'['>, skip, need_address, skip, opt<location>, need_close_bracket> {};

struct open_vector : one<'{'> {};
struct vector : seq<open_vector, skip, items<need_scalar>, need_close_brace> {};

struct bar : one<'|'> {};
struct pair_second : seq<need_scalar> {};
struct need_operand : seq<sor<scalar, address, vector>, opt<bar, skip, pair_second>>,
                      says<"expected an operand"> {};

// --- Instructions -------------------------------------------------------------------------------

struct suffix_word : plus<sor<id_char, one<':'>>> {};
struct suffix : seq<one<'.'>, suffix_word> {};
/// The first word of a statement: an opcode or, before a colon, a label.
struct statement_word : word {};
struct colon : one<':'> {};
struct label : seq<skip, colon, skip> {};
struct end_instruction : success {};
struct instruction_tail
    : seq<star<suffix>, skip,
          sor<seq<one<';'>, skip>, seq<items<need_operand>, need_comma_or_semicolon>>,
          end_instruction> {};

struct call_word : seq<TAO_PEGTL_STRING("call"), not_at<sor<id_char, seq<skip, one<':'>>>>> {};
struct open_returns : one<'('> {};
struct open_arguments : one<'('> {};
struct need_callee : word, says<"expected the function to call"> {};
struct prototype : seq<word, skip> {};
struct call_returns : seq<open_returns, skip, items<need_scalar>, need_close_paren, comma> {};
struct call_arguments : seq<open_arguments, skip, opt<items<scalar>>, need_close_paren> {};
struct call : seq<call_word, star<suffix>, skip, opt<call_returns>, need_callee, skip,
                  opt<comma, sor<seq<call_arguments, opt<comma, prototype>>, prototype>>,
                  need_semicolon, end_instruction> {};

struct guard_not : one<'!'> {};
struct guard_name : word {};
struct need_guarded : sor<call, seq<statement_word, instruction_tail>>,
                      says<"expected an instruction behind its guard"> {};
struct need_guard : seq<opt<guard_not, skip>, guard_name, skip>,
                    says<"expected a predicate behind `@`"> {};
struct guarded : seq<one<'@'>, skip, need_guard, need_guarded> {};

// --- Declarations -------------------------------------------------------------------------------

struct align : seq<key<TAO_PEGTL_STRING(".align")>, need_number> {};
struct attribute : seq<key<TAO_PEGTL_STRING(".attribute")>, one<'('>, until<one<')'>>,
                       opt<seq<skip, one<')'>>>, skip> {};
struct type_word : plus<id_char> {};
struct type : seq<one<'.'>, type_word, skip> {};
struct modifiers : star<sor<align, attribute, type>> {};
struct need_declared_name : word, says<"expected a name to declare"> {};

struct unsized : seq<one<'['>, skip, one<']'>, skip> {};
struct dimension : seq<one<'['>, skip, need_number, need_close_bracket> {};
struct dimensions : star<sor<unsized, dimension>> {};

struct init_symbol : word {};
struct init_generic : seq<TAO_PEGTL_STRING("generic"), skip, one<'('>, skip> {};
struct init_offset : plus_or_minus_literal {};
struct init_address : seq<sor<seq<init_generic, init_symbol, skip, need_close_paren>, init_symbol>,
                          skip, opt<init_offset>, skip> {};
struct init_mask : one<'('> {};
struct init_plain : success {};
struct nested_initialiser : one<'{'> {};
struct need_init_value
    : sor<init_address,
          seq<signed_literal, skip,
              sor<seq<init_mask, skip, init_address, need_close_paren>, init_plain>>,
          nested_initialiser>,
      says<"expected an initial value"> {};
struct initialiser
    : seq<one<'='>, skip,
          sor<seq<one<'{'>, skip, items<need_init_value>, need_close_brace>, need_init_value>> {};

/// Of several variables or registers at once: name<2> declares name0 and name1.
struct count : seq<one<'<'>, skip, need_number, need_close_angle> {};
struct variable_declarator
    : seq<need_declared_name, skip, sor<count, seq<dimensions, opt<initialiser>>>> {};
struct space_word
    : sor<TAO_PEGTL_STRING(".global"), TAO_PEGTL_STRING(".const"), TAO_PEGTL_STRING(".shared"),
          TAO_PEGTL_STRING(".local"), TAO_PEGTL_STRING(".param")> {};
struct variable : seq<key<space_word>, modifiers, items<variable_declarator>, need_semicolon> {};

struct register_declarator : seq<need_declared_name, skip, opt<count>> {};
struct reg_word : TAO_PEGTL_STRING(".reg") {};
struct registers : seq<key<reg_word>, modifiers, items<register_declarator>, need_semicolon> {};

// --- Directives ---------------------------------------------------------------------------------

struct loc : seq<key<TAO_PEGTL_STRING(".loc")>, rep<3, need_number>,
                 opt<opt<comma>, key<TAO_PEGTL_STRING("function_name")>, word, skip,
                     opt<one<'+'>, skip, plus<digit>, skip>, opt<comma>,
                     key<TAO_PEGTL_STRING("inlined_at")>, rep<3, need_number>>> {};
struct pragma
    : seq<key<TAO_PEGTL_STRING(".pragma")>, items<seq<string_literal, skip>>, need_semicolon> {};
struct branch_targets
    : seq<key<TAO_PEGTL_STRING(".branchtargets")>, items<seq<word, skip>>, need_semicolon> {};
struct call_prototype
    : seq<sor<key<TAO_PEGTL_STRING(".callprototype")>, key<TAO_PEGTL_STRING(".calltargets")>>,
          until<one<';'>>, skip> {};
struct unknown_directive : seq<one<'.'>, plus<id_char>> {};

// --- Functions ----------------------------------------------------------------------------------

struct open_scope : one<'{'> {};
struct close_scope : one<'}'> {};  // the builder refuses the one that ends the function
struct statement : sor<call, seq<statement_word, sor<label, instruction_tail>>, guarded, loc,
                       registers, variable, pragma, branch_targets, call_prototype,
                       unknown_directive, seq<sor<open_scope, close_scope, one<';'>>, skip>> {};
struct open_body : one<'{'> {};
struct need_statement : one<'}'>, says<"unexpected text: no statement, no `}`"> {};
struct body : seq<open_body, skip, star<statement>, need_statement, skip> {};

/// A body that the builder leaves out: up to its brace, which the input has, or no match.
struct left_out_body {
  using rule_t = left_out_body;
  using subs_t = empty_list;
  template <apply_mode, rewind_mode, template <class...> class, template <class...> class,
            class Input, class Builder>
  static bool match(Input& in, Builder& builder) {
    if (in.empty() || *in.current() != '{' || !builder.leaves_out()) return false;
    std::size_t depth = 0;
    const std::string_view text(in.current(), in.size());
    // The text of a module ends with a zero.
    for (std::size_t at = 0; (at += std::strcspn(&text[at], "{}\"/")) < text.size(); ++at) {
      const char c = text[at];
      if (c == '{') {
        ++depth;
      } else if (c == '}') {
        if (--depth != 0) continue;
        builder.leave_out(text.substr(0, at + 1));
        in.bump(at + 1);
        return true;
      } else if (c == '"') {
        at = text.find('"', at + 1);
      } else if (c == '/') {
        const auto two = text.substr(at, 2);
        if (two == "//") at = text.find('\n', at);
        if (two == "/*") at = text.find("*/", at + 2);
      }
      if (at == text.npos) return false;
    }
    return false;
  }
};

struct parameter_word : sor<TAO_PEGTL_STRING(".param"), TAO_PEGTL_STRING(".reg")> {};
struct parameter : seq<key<parameter_word>, modifiers, need_declared_name, skip, dimensions> {};
struct open_return_list : one<'('> {};
struct open_parameter_list : one<'('> {};
template <class Open>
struct parameter_list : seq<Open, skip, opt<items<parameter>>, need_close_paren> {};

struct max_threads : seq<sor<key<TAO_PEGTL_STRING(".maxntid")>, key<TAO_PEGTL_STRING(".reqntid")>>,
                         items<need_number>> {};
struct cluster_size : seq<key<TAO_PEGTL_STRING(".reqnctapercluster")>, items<need_number>> {};
struct tuning
    : seq<sor<key<TAO_PEGTL_STRING(".minnctapersm")>, key<TAO_PEGTL_STRING(".maxnctapersm")>,
              key<TAO_PEGTL_STRING(".maxnreg")>, key<TAO_PEGTL_STRING(".maxclusterrank")>,
              key<TAO_PEGTL_STRING(".explicitcluster")>,
              key<TAO_PEGTL_STRING(".blocksareclusters")>, key<TAO_PEGTL_STRING(".noreturn")>,
              key<TAO_PEGTL_STRING(".abi_preserve")>,
              key<TAO_PEGTL_STRING(".abi_preserve_control")>>,
          opt<items<seq<number, skip>>>> {};
struct function_directives
    : star<sor<max_threads, cluster_size, tuning, attribute, pragma, unknown_directive>> {};
struct entry_word : TAO_PEGTL_STRING(".entry") {};
struct func_word : TAO_PEGTL_STRING(".func") {};
struct need_function_name : word, says<"expected the function's name"> {};
struct declaration_end : seq<one<';'>, skip> {};
struct need_body : sor<declaration_end, seq<left_out_body, skip>, body>,
                   says<"expected `;` or the function's body"> {};
struct function : seq<sor<key<entry_word>, key<func_word>>, function_directives,
                      opt<parameter_list<open_return_list>>, need_function_name, skip,
                      opt<parameter_list<open_parameter_list>>, function_directives, need_body> {};

// --- The module ---------------------------------------------------------------------------------

struct linkage : sor<key<TAO_PEGTL_STRING(".extern")>, key<TAO_PEGTL_STRING(".visible")>,
                     key<TAO_PEGTL_STRING(".weak")>, key<TAO_PEGTL_STRING(".common")>> {};
struct linked : seq<plus<linkage>, sor<function, variable>> {};
struct version_text : plus<sor<digit, one<'.'>>> {};
struct version : seq<key<TAO_PEGTL_STRING(".version")>, version_text, skip> {};
struct target_text : word {};
struct target : seq<key<TAO_PEGTL_STRING(".target")>, target_text, skip, star<comma, word, skip>> {
};
struct address_size : seq<key<TAO_PEGTL_STRING(".address_size")>, need_number> {};
struct file_path : string_literal {};
struct file : seq<key<TAO_PEGTL_STRING(".file")>, need_number, file_path, skip,
                  opt<comma, need_number, comma, need_number>> {};
struct section : seq<key<TAO_PEGTL_STRING(".section")>, until<one<'{'>>, until<one<'}'>>, skip> {};
/// A second name of a function: a call of it finds no body, and is refused.
struct alias : seq<key<TAO_PEGTL_STRING(".alias")>, word, skip, comma, word, skip, need_semicolon> {
};
struct module_item : sor<function, variable, linked, file, section, version, target, address_size,
                         pragma, loc, alias, unknown_directive, seq<one<';'>, skip>> {};
struct need_item : eof, says<"unexpected text: no directive of a module"> {};
struct module_text : seq<skip, star<module_item>, need_item> {};

}  // namespace gauntlet::ptx::grammar
