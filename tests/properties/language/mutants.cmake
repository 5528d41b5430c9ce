# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Mistakes that a proof of a spec could make of numbers and of order, as in tests/properties/prove/mutants.cmake:
# proof_numbers_test.cpp, proof_functions_test.cpp or order_test.cpp must notice every one.

mutant(a_narrower_float_is_as_good properties/language/term_numbers.cpp
  [=[if (size_of(t.type) <= size_of(t.from) ||]=] [=[if ((!MUTANT && size_of(t.type) <= size_of(t.from)) ||]=])
mutant(bits_are_numbers_of_any_format properties/language/term_numbers.cpp
  [=[  if (!own) return true;]=] [=[  if (MUTANT || !own) return true;]=])
mutant(a_float_holds_any_integer properties/language/term_numbers.cpp
  [=[if (!range(of, *o->operand)->fits(*o->result)) return id;]=]
  [=[if (!MUTANT && !range(of, *o->operand)->fits(*o->result)) return id;]=])
mutant(a_conversion_takes_any_sign properties/language/term_numbers.cpp
  [=[return known && known->fits(*o.operand) ? of : 0;]=] [=[return known && (MUTANT || known->fits(*o.operand)) ? of : 0;]=])
mutant(an_extension_takes_any_sign properties/language/term_numbers.cpp
  [=[is_signed(leaf.type) == t.is_signed;]=] [=[(MUTANT || is_signed(leaf.type) == t.is_signed);]=])
mutant(a_result_is_rounded_as_often_as_it_likes properties/language/term_numbers.cpp
  [=[return is(t.a, t.from) ? t.a : id;]=] [=[return MUTANT ? before_rounding(t.a) : is(t.a, t.from) ? t.a : id;]=])
mutant(nothing_loses_upper_bits properties/language/term_numbers.cpp
  [=[  if (!known) return false;]=] [=[  if (MUTANT || !known) return false;]=])
mutant(a_product_of_32_bits_is_a_product properties/language/term_forms.cpp
  [=[for (std::uint64_t k = 0; k < std::min<std::uint64_t>(p.times, 100); ++k) all = all * part;]=]
  [=[for (std::uint64_t k = 0; !MUTANT && k < std::min<std::uint64_t>(p.times, 100); ++k) all = all * part;]=])
mutant(a_shift_keeps_its_bounds properties/language/term_numbers.cpp
  [=[return *first * Range{factor, factor};]=] [=[return MUTANT ? *first : *first * Range{factor, factor};]=])
mutant(the_magnitude_of_the_least_integer_fits properties/language/term_numbers.cpp
  [=[return Range{0, first->magnitude()};]=] [=[return Range{0, MUTANT ? first->high : first->magnitude()};]=])
mutant(operations_do_not_round properties/language/term_numbers.cpp
  [=[o.bits = is_float(*part) ?]=] [=[o.bits = !MUTANT && is_float(*part) ?]=])
mutant(products_do_not_round properties/language/term_forms.cpp
  [=[c.bits = is_float(c.as) && !order ?]=] [=[c.bits = !MUTANT && is_float(c.as) && !order ?]=])
mutant(conversions_do_not_round properties/language/term_numbers.cpp
  [=[return size_of(t.type) < size_of(t.from) ? format_of(t.type).precision() : all;]=]
  [=[return !MUTANT && size_of(t.type) < size_of(t.from) ? format_of(t.type).precision() : all;]=])
mutant(functions_of_what_is_rounded_are_not properties/language/term_forms.cpp
  [=[      bits = std::min<int>(bits, bits_[numbers_.exactly(operand)]);]=]
  [=[      if (!MUTANT) bits = std::min<int>(bits, bits_[numbers_.exactly(operand)]);]=])
mutant(reductions_of_what_is_rounded_are_not properties/language/term_forms.cpp
  [=[      r.bits = std::min<int>(r.bits, bits_[o.base]);]=]
  [=[      if (!MUTANT) r.bits = std::min<int>(r.bits, bits_[o.base]);]=])
mutant(partial_results_are_not_rounded properties/language/term_forms.cpp
  [=[        r.bits = std::min(r.bits, o.bits);]=] [=[        if (!MUTANT) r.bits = std::min(r.bits, o.bits);]=])
mutant(a_comparison_of_any_type properties/language/term_forms.cpp
  [=[  own.exact = false;]=] [=[  own.exact = false;
  if (MUTANT && t.kind == TermKind::compare) own.type = Type::u32;]=])
mutant(conversions_are_alike properties/language/term_forms.cpp
  [=[  const auto base = numbers_.exactly(id);
  if (base == 0) return 1;]=]
  [=[  auto base = numbers_.exactly(id);
  while (MUTANT && terms_[base].kind == TermKind::convert) base = numbers_.exactly(terms_[base].a);
  if (base == 0) return 1;]=])
mutant(a_maximum_may_begin_with_zero properties/language/term_forms.cpp
  [=[return greatest && bits == 0 &&]=] [=[return greatest && bits == 0 && MUTANT ||]=])
mutant(a_maximum_of_integers_may_begin_with_anything properties/language/term_forms.cpp
  [=[return greatest ? known->low >= start->high : known->high <= start->low;]=]
  [=[return MUTANT || (greatest ? known->low >= start->high : known->high <= start->low);]=])
mutant(no_start_takes_parts_for_finite properties/language/term_forms.cpp
  [=[  std::erase_if(r.parts, is_constant);
  return real;]=]
  [=[  std::erase_if(r.parts, is_constant);
  return real && !MUTANT;]=])
mutant(a_minimum_takes_any_integer_for_its_type properties/language/term_forms.cpp
  [=[if (known && !known->fits(p.as)) r.bits = 0;]=] [=[if (!MUTANT && known && !known->fits(p.as)) r.bits = 0;]=])
mutant(sums_of_floats_hold_any_integer properties/language/term_forms.cpp
  [=[const bool exact = order ||]=] [=[const bool exact = MUTANT || order ||]=])
mutant(functions_have_no_name properties/language/term_forms.cpp
  [=[    functions_.insert(numbers_.text(id));
    int bits]=]
  [=[    if (!MUTANT) functions_.insert(numbers_.text(id));
    int bits]=])
mutant(floats_are_added_in_one_order properties/language/proof_forms.cpp
  [=[  if (spec.result_none && !any_order.empty()) {]=] [=[  if (!MUTANT && spec.result_none && !any_order.empty()) {]=])
mutant(any_block_may_come_last properties/language/proof_forms.cpp
  [=[if (same_.empty() || same_]=] [=[if (MUTANT || same_.empty() || same_]=])
mutant(what_no_data_decide_is_of_no_block properties/language/proof_forms.cpp
  [=[same.push_back(spec.result_none || cell.value.term == 0 ?]=]
  [=[same.push_back(spec.result_none || (!MUTANT && cell.value.term == 0) ?]=])
mutant(a_sum_has_one_order properties/language/proof_forms.cpp
  [=[same.push_back(spec.result_none ||]=] [=[same.push_back(MUTANT || spec.result_none ||]=])
mutant(the_sign_of_zero_is_not_assumed properties/language/proof.cpp
  [=[if (real_result || (spec.result_none &&]=] [=[if (real_result || (!MUTANT && spec.result_none &&]=])
mutant(zero_has_a_sign_with_one_last_block properties/language/proof.cpp
  [=[spec.result_none && tickets_ && real]=] [=[spec.result_none && (MUTANT || tickets_) && real]=])
mutant(other_data_define_everything properties/language/term_forms.cpp
  [=[if (t.kind == TermKind::undefined) return]=] [=[if (!MUTANT && t.kind == TermKind::undefined) return]=])
mutant(kept_arrays_may_hold_anything properties/language/proof_forms.cpp
  [=[!array->kept || cell.value.term == 0) continue;]=] [=[!array->kept || cell.value.term == 0 || MUTANT) continue;]=])
