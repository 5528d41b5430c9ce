# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Mistakes that a prover could make, one replacement of its source each: tests/properties/prove must notice every
# one. mutant(NAME FILE FROM TO): FROM stands in FILE once; in TO, MUTANT is true while the mutant NAME is
# under test. Several replacements with one NAME are one mutant. The product is built of the files as they
# are; copies with all mutants in them are built into prove_mutants alone (mutate.cmake).

mutant(ignores_guards machine/symbolic/shadow.cpp
  [=[if (i.has_guard && view_->may_retry[pc] == 0 &&]=]
  [=[if (!MUTANT && i.has_guard && view_->may_retry[pc] == 0 &&]=])
mutant(ignores_guards_of_moves machine/symbolic/shadow.cpp
  [=[depends(i.kind == Kind::branch ? "the branch" : "the guard"]=]
  [=[if (!MUTANT || i.kind != Kind::data) depends(i.kind == Kind::branch ? "the branch" : "the guard"]=])
mutant(ignores_addresses machine/symbolic/shadow.cpp
  [=[depends("the address",]=] [=[if (!MUTANT) depends("the address",]=])
mutant(ignores_source_lanes machine/symbolic/collectives.cpp
  [=[depends("the source lane", f.pc, b, w, f.lanes, op.b.id);]=]
  [=[if (!MUTANT) depends("the source lane", f.pc, b, w, f.lanes, op.b.id);]=])
mutant(bytes_have_no_sign_in_a_product machine/symbolic/products.cpp
  [=[extend_bytes(bytes, size, is_signed(type));]=] [=[extend_bytes(bytes, size, is_signed(type) != MUTANT);]=])
mutant(a_product_is_not_limited machine/symbolic/products.cpp
  [=[&& !op.saturate &&]=] [=[&& (MUTANT || !op.saturate) &&]=])
mutant(a_product_has_no_addend machine/symbolic/products.cpp
  [=[sum = c.value[at];]=] [=[sum = MUTANT ? Value{} : c.value[at];]=])
mutant(every_lane_brings_the_first_ones_part machine/symbolic/products.cpp
  [=[const Value word = value(w, s, from, static_cast<int>(lane),]=]
  [=[const Value word = value(w, s, from, MUTANT ? static_cast<int>(lane & ~1U) : static_cast<int>(lane),]=])
mutant(an_element_is_the_first_of_its_register machine/symbolic/products.cpp
  [=[const unsigned first = at * size;]=] [=[const unsigned first = MUTANT ? 0 : at * size;]=])
mutant(a_constant_factor_is_one machine/symbolic/products.cpp
  [=[return {terms.combine(Op::product, type, a, b), 0};]=]
  [=[return MUTANT && b.term == 0 ? a : Value{terms.combine(Op::product, type, a, b), 0};]=])
mutant(never_clears_registers machine/symbolic/transfer.cpp
  [=[  if (symbolic == 0) {
    clear_writes(s, pc, m);]=]
  [=[  if (symbolic == 0) {
    if (!MUTANT) clear_writes(s, pc, m);]=])
mutant(does_not_look_at_what_is_overwritten machine/symbolic/kernel_view.cpp
  [=[add(i.second.id);
      return bits;]=]
  [=[add(i.second.id);
      return MUTANT ? bits & ~V::bit_of(i.d.id) : bits;]=])
mutant(a_sum_of_a_warp_takes_any_constant machine/symbolic/whole_warp.cpp
  [=[terms.stays(rule.op, rule.type, bits, term);]=]
  [=[(MUTANT || terms.stays(rule.op, rule.type, bits, term));]=])
mutant(a_part_of_two_values_is_the_first machine/symbolic/term_bytes.cpp
  [=[if (from.term[first + k] != part || from.rest[first + k] != k) return 0;]=]
  [=[if (!MUTANT && (from.term[first + k] != part || from.rest[first + k] != k)) return 0;]=])
mutant(a_choice_takes_the_first_side machine/symbolic/whole_warp.cpp
  [=[to[l] = (p >> l & 1) != 0 ? a[l] : b[l];]=]
  [=[to[l] = MUTANT || (p >> l & 1) != 0 ? a[l] : b[l];]=])
mutant(what_was_in_memory_stays machine/symbolic/term_memory.cpp
  [=[          std::memset(&p->term[k], 0, count * sizeof(TermId));
        const Kind kind = some]=]
  [=[          if (!MUTANT) std::memset(&p->term[k], 0, count * sizeof(TermId));
        const Kind kind = some || (MUTANT && p->term[k] != 0)]=])
mutant(never_clears_parameters_read_again machine/symbolic/shadow.cpp
  [=[if (op.what == MemoryOp::What::load) clear_writes(s, pc, m);]=]
  [=[if (!MUTANT && op.what == MemoryOp::What::load) clear_writes(s, pc, m);]=])
mutant(never_clears_parameters_read_again machine/symbolic/shadow_memory.cpp
  [=[set(s, d, l, loaded(at, op.size));]=]
  [=[if (const auto term = loaded(at, op.size); !MUTANT || term != 0) set(s, d, l, term);]=])
mutant(never_clears_parameters_read_again machine/symbolic/shadow_memory.cpp
  [=[    has(s, d.id, mask, symbolic, opaque]=]
  [=[    has(s, d.id, MUTANT ? symbolic : mask, symbolic, opaque]=])
# Other rules than the operation's row has: rows of mutant_rows.cpp.
foreach(name takes_xor_for_a_sum takes_a_difference_for_a_sum takes_a_maximum_for_a_minimum
             takes_rounding_to_zero_for_rounding takes_any_number_of_operands takes_sat_for_nothing)
  mutant_row(${name})
endforeach()
mutant(atomics_keep_subnormals machine/symbolic/kernel_view.cpp
  [=[return op.atomic == AtomicOp::add &&]=] [=[return !MUTANT && op.atomic == AtomicOp::add &&]=])
mutant(atomics_in_shared_memory_flush_subnormals machine/symbolic/kernel_view.cpp
  [=[op.space != MemorySpace::shared;]=] [=[(MUTANT || op.space != MemorySpace::shared);]=])
mutant(what_no_rule_follows_keeps_subnormals machine/symbolic/kernel_view.cpp
  [=[return i.kind == Kind::data && kernel.operation_at(k)]=]
  [=[return (!MUTANT || rule_of(kernel, k).what != Rule::What::unknown) && i.kind == Kind::data && kernel.operation_at(k)]=])
mutant(takes_any_constant_for_the_identity machine/symbolic/terms.cpp
  [=[  bits = truncate(type, bits);]=] [=[  if (MUTANT) return true;
  bits = truncate(type, bits);]=])
mutant(takes_zero_for_the_identity_of_all machine/symbolic/terms.cpp
  [=[  bits = truncate(type, bits);]=] [=[  if (MUTANT && bits == 0) return true;
  bits = truncate(type, bits);]=])
mutant(a_store_of_a_part_leaves_the_whole machine/symbolic/term_memory.cpp
  [=[j < word_bytes && k < size; ++j, ++k) w[j] = bytes[k];]=]
  [=[j < word_bytes && k < size; ++j, ++k) {
      if (!MUTANT || w[j].term == 0 || terms_[w[j].term].size <= size) w[j] = bytes[k];
    }]=])
mutant(a_load_of_two_values_is_the_first machine/symbolic/term_bytes.cpp
  [=[if (bytes[from + k] != Byte{term, 0, k, false}) return 0;]=]
  [=[if (!MUTANT && bytes[from + k] != Byte{term, 0, k, false}) return 0;]=])
mutant(the_sign_of_a_conversion_is_not_checked properties/prove/judge.cpp
  [=[t->is_signed != is_signed(in)) return std::nullopt;]=]
  [=[(!MUTANT && t->is_signed != is_signed(in))) return std::nullopt;]=])
mutant(a_conversion_from_another_format_is_not_checked properties/prove/judge.cpp
  [=[if (inner->kind == Term::Kind::leaf && from != in) return std::nullopt;]=]
  [=[if (!MUTANT && inner->kind == Term::Kind::leaf && from != in) return std::nullopt;]=])
mutant(a_sum_may_have_an_element_twice properties/prove/tree.cpp
  [=[n.wrong = (once && n.times > 1) ||]=] [=[n.wrong = (!MUTANT && once && n.times > 1) ||]=])
mutant(an_element_may_be_missing properties/prove/tree.cpp
  [=[if (!times.contains(k)) tree.lost]=] [=[if (!MUTANT && !times.contains(k)) tree.lost]=])
mutant(any_operator_will_do properties/prove/judge.cpp
  [=[const bool right = n.op == case_.op &&]=] [=[const bool right = (MUTANT || n.op == case_.op) &&]=])
mutant(any_type_of_operation_will_do properties/prove/judge.cpp
  [=[n.type == in;]=] [=[(MUTANT || n.type == in);]=])
mutant(what_lies_behind_the_input_is_due properties/prove/tree.cpp
  [=[|| !is_due(n.element);]=] [=[|| (!MUTANT && !is_due(n.element));]=])
mutant(a_retry_may_be_left_without_success machine/symbolic/loops.cpp
  [=[if (rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=]
  [=[if (!MUTANT && rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=])
mutant(a_retry_need_not_test_the_swap machine/symbolic/loops.cpp
  [=[if (rule.what != What::compare || !both ||]=]
  [=[if (!MUTANT && (rule.what != What::compare || !both ||]=])
mutant(a_retry_need_not_test_the_swap machine/symbolic/loops.cpp
  [=[setp.second.id != 0) {]=] [=[setp.second.id != 0)) {]=])
mutant(a_retry_need_not_test_the_swap machine/symbolic/loops.cpp
  [=[rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=]
  [=[!MUTANT && rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=])
mutant(a_retry_may_leave_what_it_saw machine/symbolic/loops.cpp
  [=[how != 0 && !loop.leaks(graph)) {]=] [=[how != 0 && (MUTANT || !loop.leaks(graph))) {]=])
mutant(a_barrier_of_the_grid_may_leave_what_it_saw machine/symbolic/loops.cpp
  [=[arrive >= 0 && !loop.leaks(graph)) {]=] [=[arrive >= 0 && (MUTANT || !loop.leaks(graph))) {]=])
mutant(a_barrier_of_the_grid_lets_go_of_all_at_any_sum machine/symbolic/barriers.cpp
  [=[(all ? cell.sum != top_bit]=] [=[(all ? !MUTANT && cell.sum != top_bit]=])
mutant(a_retry_is_what_equal_bits_suggest machine/symbolic/shadow_memory.cpp
  [=[if (terms.same(found, expected)) return x.term;]=]
  [=[if (MUTANT || terms.same(found, expected)) return x.term;]=])
mutant(a_wait_does_not_look_at_the_launch_s_content machine/symbolic/schedule.cpp
  [=[if ((p.turn >> word & 1) != 0 || !written(at)) return;]=]
  [=[if (MUTANT || (p.turn >> word & 1) != 0 || !written(at)) return;]=])
mutant(a_wait_does_not_look_at_the_launch_s_content machine/symbolic/schedule.cpp
  [=[if (p.turn != (1U << count) - 1) {]=] [=[if (!MUTANT && p.turn != (1U << count) - 1) {]=])
mutant(a_wait_may_have_two_writers machine/symbolic/schedule.cpp
  [=[if (!one || writer == nullptr) {]=] [=[if ((!MUTANT && !one) || writer == nullptr) {]=])
mutant(a_wait_may_count_its_turns machine/symbolic/loops.cpp
  [=[memory.size() > WaitLoop::most_words || !carried.empty()) return false;]=]
  [=[memory.size() > WaitLoop::most_words || (!MUTANT && !carried.empty())) return false;]=])
mutant(a_ticket_may_be_taken_twice machine/symbolic/schedule.cpp
  [=[bool each_once = tested == 1 &&]=] [=[bool each_once = MUTANT || tested == 1 &&]=])
mutant(a_ticket_may_be_any_number machine/symbolic/schedule.cpp
  [=[if (!each_once || !counts || t.compared != t.first + blocks_ - 1) {]=]
  [=[if (!each_once || (!MUTANT && (!counts || t.compared != t.first + blocks_ - 1))) {]=])
mutant(one_last_block_stands_for_all properties/prove/prove.cpp
  [=[if (blocks > 1) {]=] [=[if (!MUTANT && blocks > 1) {]=])
mutant(what_an_atomic_found_is_no_matter machine/symbolic/schedule.cpp
  [=[if (writes)
            refuse(]=] [=[if (writes && !MUTANT)
            refuse(]=])
mutant(what_a_read_comes_behind_is_no_matter machine/symbolic/schedule.cpp
  [=[else if (beside && view_->acquires)]=] [=[else if (!MUTANT && beside && view_->acquires)]=])
mutant(tickets_that_nobody_looks_at_order machine/symbolic/schedule.cpp
  [=[if (view_->acquires && t.blocks.size() > 1 && !cause_) {]=]
  [=[if (!MUTANT && view_->acquires && t.blocks.size() > 1 && !cause_) {]=])
mutant(constants_may_be_added_in_any_order machine/symbolic/shadow_memory.cpp
  [=[if (met.rounded && next == 0)]=] [=[if (!MUTANT && met.rounded && next == 0)]=])
mutant(equal_floats_may_be_beside_others machine/symbolic/schedule.cpp
  [=[now.alike &= e.alike && e.addend == how.addend;]=] [=[if (!MUTANT) now.alike &= e.alike && e.addend == how.addend;]=])
mutant(any_floats_are_equal machine/symbolic/schedule.cpp
  [=[const bool alike = e.alike && how.alike && e.addend == how.addend;]=]
  [=[const bool alike = e.alike && how.alike && (MUTANT || e.addend == how.addend);]=])
mutant(no_floats_are_equal machine/symbolic/shadow_memory.cpp
  [=[.alike = !retry &&]=] [=[.alike = !MUTANT && !retry &&]=])
mutant(a_retry_never_rounds machine/symbolic/shadow_memory.cpp
  [=[retry ? retry_rounds(view_->is_retry[site.inst])]=]
  [=[retry ? !MUTANT && retry_rounds(view_->is_retry[site.inst])]=])
mutant(a_retry_always_rounds machine/symbolic/shadow_memory.cpp
  [=[&& op != Op::minimum && op != Op::maximum;]=]
  [=[&& (MUTANT || (op != Op::minimum && op != Op::maximum));]=])
mutant(all_floats_are_added_in_any_order machine/symbolic/schedule.cpp
  [=[const bool in_order = own || waited || ordered(e, site, lane);]=]
  [=[const bool in_order = own || waited || (!(MUTANT && how.rounds) && ordered(e, site, lane));]=])
mutant(launches_never_overlap machine/symbolic/shadow.cpp
  [=[if (launches.empty() || !launches.back().programmatic) {]=]
  [=[if (MUTANT || launches.empty() || !launches.back().programmatic) {]=])
mutant(the_launch_before_is_the_only_one machine/symbolic/schedule.cpp
  [=[(waited && wait_says_ended(launches_, k, i));]=]
  [=[(waited && (MUTANT || wait_says_ended(launches_, k, i)));]=])
mutant(tickets_of_two_launches_commute machine/symbolic/schedule.cpp
  [=[(beside || !ticket);]=] [=[(MUTANT || beside || !ticket);]=])
mutant(whoever_comes_meets_at_a_barrier machine/symbolic/barriers.cpp
  [=[if (count != 0 && b.threads > count)]=] [=[if (!MUTANT && count != 0 && b.threads > count)]=])
mutant(a_barrier_may_be_come_to_again machine/symbolic/barriers.cpp
  [=[if (count != 0 && again)]=] [=[if (!MUTANT && count != 0 && again)]=])
mutant(a_barrier_of_all_changes_nothing machine/symbolic/barriers.cpp
  [=[if (b.count == 0) ++interval_;]=] [=[if (!MUTANT && b.count == 0) ++interval_;]=])
mutant(what_is_defined_for_these_data_is_for_all machine/symbolic/transfer.cpp
  [=[w.poison_live ? unsure(w, s, pc, symbolic) : 0;]=]
  [=[w.poison_live && !MUTANT ? unsure(w, s, pc, symbolic) : 0;]=])
mutant(whatever_a_choice_may_choose_is_unsure machine/symbolic/unsure.cpp
  [=[(has_term(i.c) & undefined(i.a, i.b));]=]
  [=[((MUTANT ? ~0U : has_term(i.c)) & undefined(i.a, i.b));]=])
mutant(a_shift_by_data_moves_what_these_say machine/symbolic/unsure.cpp
  [=[return has_term(i.b) & undefined(i.a);]=] [=[return MUTANT ? 0 : has_term(i.b) & undefined(i.a);]=])
mutant(a_mask_of_data_hides_what_these_say machine/symbolic/unsure.cpp
  [=[found |= std::uint32_t{met} << l;]=] [=[found |= std::uint32_t{met && !MUTANT} << l;]=])
mutant(all_atomics_commute machine/symbolic/schedule.cpp
  [=[e.operation == how.operation &&]=] [=[(MUTANT || e.operation == how.operation) &&]=])
mutant(writes_of_a_cell_need_no_order machine/symbolic/schedule.cpp
  [=[} else if (written && writes) {]=] [=[} else if (!MUTANT && written && writes) {]=])
mutant(what_activemask_gives_is_a_constant machine/symbolic/shadow.cpp
  [=[    case Kind::activemask:]=] [=[    case Kind::activemask:
      if (MUTANT) return;
      [[fallthrough]];]=])
mutant(findings_do_not_matter properties/prove/prove.cpp
  [=[if (harmless(f)) continue;]=] [=[if (MUTANT || harmless(f)) continue;]=])
mutant(a_shuffle_gives_what_the_lane_has machine/symbolic/collectives.cpp
  [=[const auto j = shuffle_source(what, l, bs[l], cs[l]).lane;]=]
  [=[const auto j = MUTANT ? l : shuffle_source(what, l, bs[l], cs[l]).lane;]=])
# The walk over all cells at once only ever says yes.
mutant(all_cells_may_have_an_element_twice properties/prove/judge_all.cpp
  [=[if (m.depth != 0 && (!idempotent || m.cell != whole.cell)) return false;]=]
  [=[if (!MUTANT && m.depth != 0 && (!idempotent || m.cell != whole.cell)) return false;]=])
mutant(all_cells_may_lack_an_element properties/prove/judge_all.cpp
  [=[return c.found == c.wanted; });]=] [=[return MUTANT || c.found == c.wanted; });]=])
mutant(all_cells_take_any_operator properties/prove/judge_all.cpp
  [=[if (head == operation) {]=] [=[if (head == operation || (MUTANT && t.kind == Term::Kind::combine)) {]=])
mutant(all_cells_take_what_lies_behind_the_input properties/prove/judge_all.cpp
  [=[right = which && *which < case_.n && due(cells[mark.cell].due, count.run, *which);]=]
  [=[right = MUTANT || (which && *which < case_.n && due(cells[mark.cell].due, count.run, *which));
    if (MUTANT && right && (!which || *which >= case_.n)) continue;]=])
mutant(all_cells_may_be_of_each_others_elements properties/prove/judge_all.cpp
  [=[|| !in(*std::prev(next))) return false;]=] [=[|| !in(*std::prev(next))) return MUTANT;]=])
mutant(all_cells_may_hold_anything_without_elements properties/prove/judge_all.cpp
  [=[counts[k].wanted == 0 && judge_.of_no_elements(type, bits);]=]
  [=[counts[k].wanted == 0 && (MUTANT || judge_.of_no_elements(type, bits));]=])
