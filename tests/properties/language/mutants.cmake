# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Mistakes that a proof of a spec could make of numbers and of order, as in tests/properties/prove/mutants.cmake:
# proof_numbers_test.cpp, proof_functions_test.cpp or order_test.cpp must notice every one.

mutant(a_narrower_float_is_as_good properties/prove/normal_numbers.cpp
  [=[if (size_of(t.type) <= size_of(t.from) ||]=]
  [=[if ((!MUTANT && size_of(t.type) <= size_of(t.from)) ||]=])
mutant(a_float_holds_any_integer properties/prove/normal_numbers.cpp
  [=[!all.fits(*simt::number_type(o.type))) return id;]=]
  [=[(!MUTANT && !all.fits(*simt::number_type(o.type)))) return id;]=])
mutant(an_extension_takes_any_sign properties/prove/normal_numbers.cpp
  [=[is_signed(leaf.type) == t.is_signed;]=]
  [=[(MUTANT || is_signed(leaf.type) == t.is_signed);]=])
mutant(a_result_is_rounded_as_often_as_it_likes properties/prove/normal_numbers.cpp
  [=[return is(t.a, t.from) ? t.a : id;]=]
  [=[return MUTANT ? before_rounding(t.a) : is(t.a, t.from) ? t.a : id;]=])
mutant(upper_bits_are_never_lost properties/prove/normal_whole.cpp
  [=[if (lies && lies->low >= -half && lies->high < all - half) return x;]=]
  [=[if (MUTANT || (lies && lies->low >= -half && lies->high < all - half)) return x;]=])
mutant(a_quotient_is_rounded_down properties/prove/normal_whole.cpp
  [=[return chosen_number(real_ring, below_zero(x), down, up);]=]
  [=[return MUTANT ? up : chosen_number(real_ring, below_zero(x), down, up);]=])
mutant(a_product_is_the_nearest_quotient properties/prove/normal_whole.cpp
  [=[if (above < d && below <= d) return]=]
  [=[if (MUTANT || (above < d && below <= d)) return]=])
mutant(computed_numbers_compare_as_reals properties/prove/normal_choices.cpp
  [=[terms_[v.term].kind == TermKind::constant || is_exact(v.term)) {]=]
  [=[terms_[v.term].kind == TermKind::constant || MUTANT || is_exact(v.term)) {]=])
mutant(a_number_is_any_whose_float_is_near properties/prove/normal_diagrams.cpp
  [=[return known != nearest_.end() && known->second == number;]=]
  [=[return known != nearest_.end() && (MUTANT || known->second == number);]=])
mutant(a_product_of_32_bits_is_a_product properties/prove/normal_numbers.cpp
  [=[const Range all = t.op == Op::sum ? *x + *y : *x * *y;]=]
  [=[const Range all = t.op == Op::sum ? *x + *y : MUTANT ? *x : *x * *y;]=])
mutant(the_magnitude_of_the_least_integer_fits properties/prove/normal_numbers.cpp
  [=[return Range{0, x->magnitude()};]=]
  [=[return Range{0, MUTANT ? x->high : x->magnitude()};]=])
mutant(operations_do_not_round properties/prove/normal_numbers.cpp
  [=[return is_float(*type) ? format_of(*type).precision() : all;]=]
  [=[return !MUTANT && is_float(*type) ? format_of(*type).precision() : all;]=])
mutant(products_do_not_round properties/prove/normal_numbers.cpp
  [=[return is_float(t.type) && !order && !t.exact ?]=]
  [=[return !MUTANT && is_float(t.type) && !order && !t.exact ?]=])
mutant(conversions_do_not_round properties/prove/normal_numbers.cpp
  [=[return size_of(t.type) <= size_of(t.from) ? format_of(t.type).precision() : all;]=]
  [=[return !MUTANT && size_of(t.type) <= size_of(t.from) ? format_of(t.type).precision() : all;]=])
mutant(functions_of_what_is_rounded_are_not properties/prove/normal_numbers.cpp
  [=[[&](TermId of) { least = std::min(least, precision(of)); }]=]
  [=[[&](TermId of) { least = MUTANT ? least : std::min(least, precision(of)); }]=])
mutant(rounded_elements_are_elements properties/prove/normal_chains.cpp
  [=[how.of_rounded = how.of_rounded || !once;]=]
  [=[how.of_rounded = !MUTANT && (how.of_rounded || !once);]=])
mutant(any_reduction_is_as_written properties/language/proof_forms.cpp
  [=[return computed != made.reductions.end() && !computed->second.of_rounded;]=]
  [=[return MUTANT || (computed != made.reductions.end() && !computed->second.of_rounded);]=])
mutant(a_narrower_format_on_the_way_is_as_good properties/language/proof_forms.cpp
  [=[if (made.narrows || rounded) {]=]
  [=[if (!MUTANT && (made.narrows || rounded)) {]=])
mutant(a_maximum_may_begin_with_zero properties/prove/normal_chains.cpp
  [=[return greatest && bits == 0 &&]=]
  [=[return greatest && bits == 0 && MUTANT ||]=])
mutant(a_maximum_of_integers_may_begin_with_anything properties/prove/normal_forms.cpp
  [=[return lies && (op == Op::maximum ?]=]
  [=[return lies && (MUTANT || op == Op::maximum ?]=])
mutant(no_start_takes_parts_for_finite properties/prove/normal_chains.cpp
  [=[if (dropped) std::erase_if(parts, is_constant);
  return dropped;]=]
  [=[if (dropped) std::erase_if(parts, is_constant);
  return dropped && !MUTANT;]=])
mutant(sums_of_floats_hold_any_integer properties/prove/normal_numbers.cpp
  [=[return t.exact || all.fits(t.type) ?]=]
  [=[return MUTANT || t.exact || all.fits(t.type) ?]=])
mutant(comparisons_have_no_name properties/prove/normal_terms.cpp
  [=[put_name(id, result_.comparisons);]=]
  [=[if (!MUTANT) put_name(id, result_.comparisons);]=])
mutant(floats_are_added_in_one_order properties/language/proof_forms.cpp
  [=[  if (spec.result_none && !any_order.empty()) {]=]
  [=[  if (!MUTANT && spec.result_none && !any_order.empty()) {]=])
mutant(any_block_may_come_last properties/language/proof_forms.cpp
  [=[if (same_.empty() || same_]=]
  [=[if (MUTANT || same_.empty() || same_]=])
mutant(what_no_data_decide_is_of_no_block properties/language/proof_forms.cpp
  [=[same.push_back(spec.result_none || cell.value.term == 0 ?]=]
  [=[same.push_back(spec.result_none || (!MUTANT && cell.value.term == 0) ?]=])
mutant(a_sum_has_one_order properties/language/proof_forms.cpp
  [=[same.push_back(spec.result_none ||]=]
  [=[same.push_back(MUTANT || spec.result_none ||]=])
mutant(the_sign_of_zero_is_not_assumed properties/language/proof.cpp
  [=[if (real_result || (spec.result_none &&]=]
  [=[if (real_result || (!MUTANT && spec.result_none &&]=])
mutant(zero_has_a_sign_with_one_last_block properties/language/proof.cpp
  [=[spec.result_none && tickets_ && real]=]
  [=[spec.result_none && (MUTANT || tickets_) && real]=])
mutant(other_data_define_everything properties/prove/normal_terms.cpp
  [=[if (t.kind == TermKind::undefined) return]=]
  [=[if (!MUTANT && t.kind == TermKind::undefined) return]=])
mutant(kept_arrays_may_hold_anything properties/language/proof_forms.cpp
  [=[!array->kept || cell.value.term == 0) continue;]=]
  [=[!array->kept || cell.value.term == 0 || MUTANT) continue;]=])
