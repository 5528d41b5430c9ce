// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The search says what is so: found, benign, always wrong, or no race at all.
#include <gtest/gtest.h>

#include "base/schedule.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/machine.hpp"
#include "properties/witness/lines.hpp"
#include "properties/witness/witness.hpp"

namespace gauntlet::witness {
namespace {

using Verdict = Witness::Verdict;

Witness find_in(std::string_view variant, std::string_view form,
                const properties::Subject& subject = kernels::compiled_kernels()) {
  const auto* v = kernels::find_variant(variant);
  return find(subject, *v, *v->form(form));
}

/// In the place of wide_active's kernel without `active_range`: thread 0 adds up the input, after
/// `body`.
class WithKernel : public kernels::Catalogue {
 public:
  explicit WithKernel(const std::string& body)
      : module_(simt::load_module(ptx_of(body), "planted.ptx")) {}
  [[nodiscard]] Plan plan(const Case& c) const override {
    Plan plan = Catalogue::plan(c);
    plan.module = [this, ours = plan.module](const std::string& name) {
      return name == "wide_active" ? module_ : ours(name);
    };
    return plan;
  }

 private:
  static std::string ptx_of(const std::string& body) {
    return R"(.version 9.0
.target sm_90
.address_size 64
.visible .entry wide_active__fixed_active_range__i32_i32_sum(.param .u64 p0, .param .u64 p1, .param .u64 p2)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .shared .align 4 .b8 s[16];
  ld.param.u64 %d1, [p0];
  ld.param.u64 %d2, [p1];
  ld.param.u64 %d3, [p2];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r4, 0;
)" + body + R"(
  setp.ne.u32 %p1, %r1, 0;
  setp.ne.or.u32 %p2, %r2, 0, %p1;
  @%p2 ret;
more:
  setp.eq.u64 %p3, %d3, 0;
  @%p3 bra done;
  ld.global.u32 %r3, [%d1];
  add.u32 %r4, %r4, %r3;
  add.u64 %d1, %d1, 4;
  sub.u64 %d3, %d3, 1;
  bra more;
done:
  atom.global.add.u32 %r5, [%d2], %r4;
  ret;
})";
  }

  std::shared_ptr<const simt::Module> module_;
};

TEST(Find, shrinks_a_warp_tail_to_one_preemption) {
  const auto w = find_in("volatile_warp_tail", "fixed-syncwarp");
  ASSERT_EQ(w.verdict, Verdict::found);
  EXPECT_EQ(w.preemptions, 1U);
  EXPECT_EQ(w.c.n, 3U);
  EXPECT_EQ(w.got, "4");
  EXPECT_EQ(w.right, "3");
  EXPECT_FALSE(w.limited);
  EXPECT_EQ(parse_schedule(w.c.schedule).kind, Schedule::Kind::replay);
  EXPECT_LT(w.c.schedule.size(), 20U) << w.c.schedule;
  // The same again, wherever it is run.
  EXPECT_EQ(find_in("volatile_warp_tail", "fixed-syncwarp").c, w.c);
}

TEST(Find, shows_nothing_of_a_form_without_races) {
  for (const char* variant : {"sequential", "volatile_warp_tail", "cub_block"}) {
    const auto w = find_in(variant, "fixed");
    EXPECT_EQ(w.verdict, Verdict::no_race) << variant;
    EXPECT_EQ(file_text(w), "");
  }
}

TEST(Find, tells_equal_writes_from_a_race_that_matters) {
  const auto w = find_in("wide_active", "fixed-active_range", WithKernel("st.shared.u32 [s], 5;"));
  EXPECT_EQ(w.verdict, Verdict::same_value);
  EXPECT_EQ(w.race.kind, FindingKind::race_same_value);
  EXPECT_EQ(w.got, w.right);
  EXPECT_NE(shows(w).find("no schedule changes the result"), std::string::npos);
}

TEST(Find, says_so_when_no_schedule_tried_changes_the_result) {
  const auto w =
      find_in("wide_active", "fixed-active_range", WithKernel("st.shared.u32 [s], %r1;"));
  EXPECT_EQ(w.verdict, Verdict::never_wrong);
  EXPECT_EQ(w.race.kind, FindingKind::race_write_write);
  EXPECT_EQ(w.got, w.right);
  EXPECT_GT(w.tries, 100U);
  EXPECT_NE(shows(w).find("no schedule within"), std::string::npos);
}

TEST(Find, says_so_when_every_schedule_is_wrong) {
  const auto w = find_in("wide_active", "fixed-active_range",
                         WithKernel("st.shared.u32 [s], %r1; mov.u32 %r4, 1;"));
  EXPECT_EQ(w.verdict, Verdict::always_wrong);
  EXPECT_NE(w.got, w.right);
  EXPECT_FALSE(w.got.empty());
  EXPECT_FALSE(w.right.empty());
}

TEST(Find, sees_a_race_that_only_one_preemption_shows) {
  // The last lane that stores its number decides; lane 31 does in lock step. Any other lane would
  // have to store after it, which needs lane 31 to go first.
  const auto w = find_in("wide_active", "fixed-active_range", WithKernel(R"(
  st.shared.u32 [s], %r1;
  bar.sync 0;
  mov.u32 %r6, %ntid.x;
  sub.u32 %r6, %r6, 1;
  ld.shared.u32 %r7, [s];
  sub.u32 %r4, %r6, %r7;)"));
  ASSERT_EQ(w.verdict, Verdict::found);
  EXPECT_EQ(w.preemptions, 1U);
  EXPECT_EQ(w.base, "lockstep");
  ASSERT_GE(w.decision.steps.size(), 2U);
  EXPECT_EQ(w.decision.steps[0].verb, "stores");
}

}  // namespace
}  // namespace gauntlet::witness
