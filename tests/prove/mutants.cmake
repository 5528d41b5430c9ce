# SPDX-FileCopyrightText: Reduction Gauntlet authors
# SPDX-License-Identifier: Apache-2.0
#
# Mistakes that a prover could make, one replacement of its source each: tests/prove must notice every
# one. mutant(NAME FILE FROM TO): FROM stands in FILE once; in TO, MUTANT is true while the mutant NAME is
# under test. Several replacements with one NAME are one mutant. The product is built of the files as they
# are; copies with all mutants in them are built into prove_mutants alone (mutate.cmake).

mutant(ignores_guards simt/symbolic/shadow.cpp
  [=[if (i.has_guard && view_->may_retry[pc] == 0) {]=]
  [=[if (!MUTANT && i.has_guard && view_->may_retry[pc] == 0) {]=])
mutant(ignores_guards_of_moves simt/symbolic/shadow.cpp
  [=[depends(i.kind == Kind::branch ? "the branch" : "the guard"]=]
  [=[if (!MUTANT || i.kind != Kind::data) depends(i.kind == Kind::branch ? "the branch" : "the guard"]=])
mutant(ignores_addresses simt/symbolic/shadow.cpp
  [=[depends("the address",]=] [=[if (!MUTANT) depends("the address",]=])
mutant(ignores_source_lanes simt/symbolic/shadow.cpp
  [=[depends("the source lane", f.pc, b, w, f.lanes, op.b.id);]=]
  [=[if (!MUTANT) depends("the source lane", f.pc, b, w, f.lanes, op.b.id);]=])
mutant(never_clears_registers simt/symbolic/transfer.cpp
  [=[  if (symbolic == 0) {
    clear_writes(s, pc, m);]=]
  [=[  if (symbolic == 0) {
    if (!MUTANT) clear_writes(s, pc, m);]=])
mutant(never_clears_parameters_read_again simt/symbolic/shadow.cpp
  [=[if (op.what == MemoryOp::What::load) clear_writes(s, pc, m);]=]
  [=[if (!MUTANT && op.what == MemoryOp::What::load) clear_writes(s, pc, m);]=])
mutant(never_clears_parameters_read_again simt/symbolic/shadow_memory.cpp
  [=[set(s, d, l, loaded(at, op.size));]=]
  [=[if (const auto term = loaded(at, op.size); !MUTANT || term != 0) set(s, d, l, term);]=])
mutant(takes_xor_for_a_sum simt/symbolic/kernel_view.cpp
  [=[if (is(2, "add") ||]=] [=[if ((MUTANT && is(2, "xor")) || is(2, "add") ||]=])
mutant(takes_rounding_to_zero_for_rounding simt/symbolic/kernel_view.cpp
  [=[(real && is(3, "add", "rn"))]=] [=[(real && is(3, "add", MUTANT ? "" : "rn"))]=])
mutant(takes_any_constant_for_the_identity simt/symbolic/terms.cpp
  [=[  bits = truncate(type, bits);]=] [=[  if (MUTANT) return true;
  bits = truncate(type, bits);]=])
mutant(takes_zero_for_the_identity_of_all simt/symbolic/terms.cpp
  [=[  bits = truncate(type, bits);]=] [=[  if (MUTANT && bits == 0) return true;
  bits = truncate(type, bits);]=])
mutant(a_store_of_a_part_leaves_the_whole simt/symbolic/shadow_memory.cpp
  [=[    b.term = bytes[k].term;]=] [=[    if (MUTANT && b.term != 0 && terms[b.term].size > size) continue;
    b.term = bytes[k].term;]=])
mutant(a_load_of_two_values_is_the_first simt/symbolic/terms.cpp
  [=[if (bytes[from + k] != Byte{term, 0, k, false}) return 0;]=]
  [=[if (!MUTANT && bytes[from + k] != Byte{term, 0, k, false}) return 0;]=])
mutant(the_sign_of_a_conversion_is_not_checked prove/judge.cpp
  [=[t->is_signed != is_signed(in)) return std::nullopt;]=]
  [=[(!MUTANT && t->is_signed != is_signed(in))) return std::nullopt;]=])
mutant(a_conversion_from_another_format_is_not_checked prove/judge.cpp
  [=[if (inner->kind == Term::Kind::leaf && from != in) return std::nullopt;]=]
  [=[if (!MUTANT && inner->kind == Term::Kind::leaf && from != in) return std::nullopt;]=])
mutant(a_sum_may_have_an_element_twice prove/judge.cpp
  [=[const bool right = idempotent ? times >= 1 : times == 1;]=]
  [=[const bool right = idempotent || MUTANT ? times >= 1 : times == 1;]=])
mutant(an_element_may_be_missing prove/judge.cpp
  [=[times == 1;]=] [=[(MUTANT ? times <= 1 : times == 1);]=])
mutant(any_operator_will_do prove/judge.cpp
  [=[const bool right = t.op == case_.op &&]=] [=[const bool right = (MUTANT || t.op == case_.op) &&]=])
mutant(any_type_of_operation_will_do prove/judge.cpp
  [=[t.type == (idempotent ? type : ring);]=] [=[(MUTANT || t.type == (idempotent ? type : ring));]=])
mutant(what_lies_behind_the_input_is_due prove/judge.cpp
  [=[  extra_until(std::numeric_limits<std::uint64_t>::max());]=]
  [=[  if (!MUTANT) extra_until(std::numeric_limits<std::uint64_t>::max());]=])
mutant(a_retry_may_be_left_without_success simt/symbolic/kernel_view.cpp
  [=[if (rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=]
  [=[if (!MUTANT && rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=])
mutant(a_retry_need_not_test_the_swap simt/symbolic/kernel_view.cpp
  [=[if (rule.what != What::compare || !both ||]=]
  [=[if (!MUTANT && (rule.what != What::compare || !both ||]=])
mutant(a_retry_need_not_test_the_swap simt/symbolic/kernel_view.cpp
  [=[setp.second.id != 0) {]=] [=[setp.second.id != 0)) {]=])
mutant(a_retry_need_not_test_the_swap simt/symbolic/kernel_view.cpp
  [=[rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=]
  [=[!MUTANT && rule.relation != (back.guard_negated ? Relation::eq : Relation::ne)) return 0;]=])
mutant(a_retry_may_leave_what_it_saw simt/symbolic/kernel_view.cpp
  [=[!loop.leaks(graph)) {]=] [=[(MUTANT || !loop.leaks(graph))) {]=])
mutant(a_retry_is_what_equal_bits_suggest simt/symbolic/shadow_memory.cpp
  [=[if (terms.same(found, expected)) return x.term;]=]
  [=[if (MUTANT || terms.same(found, expected)) return x.term;]=])
mutant(a_wait_does_not_look_at_the_launch_s_content simt/symbolic/schedule.cpp
  [=[if ((p.turn >> word & 1) != 0 || !written(at)) return;]=]
  [=[if (MUTANT || (p.turn >> word & 1) != 0 || !written(at)) return;]=])
mutant(a_wait_does_not_look_at_the_launch_s_content simt/symbolic/schedule.cpp
  [=[if (p.turn != (1U << count) - 1) {]=] [=[if (!MUTANT && p.turn != (1U << count) - 1) {]=])
mutant(a_wait_may_have_two_writers simt/symbolic/schedule.cpp
  [=[const bool one = content.writes == 1 && x.all.size() == 1 &&]=]
  [=[const bool one = MUTANT || content.writes == 1 && x.all.size() == 1 &&]=])
mutant(a_wait_may_count_its_turns simt/symbolic/kernel_view.cpp
  [=[memory.size() > WaitLoop::most_words || !carried.empty()) return false;]=]
  [=[memory.size() > WaitLoop::most_words || (!MUTANT && !carried.empty())) return false;]=])
mutant(a_ticket_may_be_taken_twice simt/symbolic/schedule.cpp
  [=[bool each_once = tested == 1 &&]=] [=[bool each_once = MUTANT || tested == 1 &&]=])
mutant(a_ticket_may_be_any_number simt/symbolic/schedule.cpp
  [=[if (!each_once || !counts || t.compared != t.first + blocks_ - 1) {]=]
  [=[if (!each_once || (!MUTANT && (!counts || t.compared != t.first + blocks_ - 1))) {]=])
mutant(one_last_block_stands_for_all prove/prove.cpp
  [=[if (blocks > 1) {]=] [=[if (!MUTANT && blocks > 1) {]=])
mutant(what_an_atomic_found_is_no_matter simt/symbolic/shadow_memory.cpp
  [=[if (access(site, lane, at, op.size, Use::both, operation, shared)) {]=]
  [=[if (access(site, lane, at, op.size, Use::both, operation, shared) && !MUTANT) {]=])
mutant(all_atomics_commute simt/symbolic/schedule.cpp
  [=[use == Use::accumulate && e.operation == operation;]=]
  [=[use == Use::accumulate && (MUTANT || e.operation == operation);]=])
mutant(writes_of_a_cell_need_no_order simt/symbolic/schedule.cpp
  [=[} else if (use != Use::read && e.use != Use::read && !commute && !reads) {]=]
  [=[} else if (!MUTANT && use != Use::read && e.use != Use::read && !commute && !reads) {]=])
mutant(what_activemask_gives_is_a_constant simt/symbolic/shadow.cpp
  [=[    case Kind::activemask:]=] [=[    case Kind::activemask:
      if (MUTANT) return;
      [[fallthrough]];]=])
mutant(findings_do_not_matter prove/prove.cpp
  [=[if (harmless(f)) continue;]=] [=[if (MUTANT || harmless(f)) continue;]=])
mutant(a_shuffle_gives_what_the_lane_has simt/symbolic/shadow.cpp
  [=[if ((lanes >> j & 1) != 0) result[l] = brought[j].term;]=]
  [=[if ((lanes >> j & 1) != 0) result[l] = brought[MUTANT ? l : j].term;]=])
