// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Trees: where each operation was made, their pictures, and whether cases give the same bits.
#include "properties/prove/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/text/json_fields.hpp"
#include "kernels/subject.hpp"
#include "properties/case/case_text.hpp"
#include "properties/prove/prove.hpp"
#include "tests/properties/prove/hand_written.hpp"

namespace gauntlet::prove::test {
namespace {

using simt::symbolic::Via;

HandWritten drawn(std::uint32_t block = 4) {
  HandWritten how;
  how.n = how.block = block;
  how.trees = true;
  return how;
}
Tree tree_of_body(const std::string& body, const HandWritten& how = drawn()) {
  const auto proof = prove_ptx(body, how);
  EXPECT_EQ(proof.trees.size(), 1U) << text(proof);
  return proof.trees.empty() ? Tree{} : proof.trees.front();
}
std::set<Via> ways(const Tree& tree) {
  std::set<Via> all;
  for (const auto& n : tree.nodes) {
    if (n.kind == TreeNode::Kind::operation) all.insert(n.via);
  }
  return all;
}
std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}
Proof prove_line(const std::string& line) {
  const Case c = kernels::compiled_kernels().completed(parse_case(line));
  return prove(c, kernels::plan(c), {}, true);
}

const std::string own_element = "ld.global.f32 %f1, [%rd4];\n";
const std::string shuffled =
    own_element +
    "mov.b32 %r3, %f1;\nshfl.sync.down.b32 %r4, %r3, 2, 31, 15;\nmov.b32 %f2, %r4;\n"
    "add.f32 %f1, %f1, %f2;\n"
    "mov.b32 %r3, %f1;\nshfl.sync.down.b32 %r4, %r3, 1, 31, 15;\nmov.b32 %f2, %r4;\n"
    "add.f32 %f1, %f1, %f2;\n";

TEST(Tree, of_one_thread_has_its_operations_and_elements) {
  const auto tree = tree_of_body(four_elements + four_summed + thread_0_stores_f1);
  ASSERT_EQ(tree.nodes.size(), 7U);
  EXPECT_TRUE(tree.right());
  const auto& root = tree.nodes.back();
  EXPECT_EQ(root.kind, TreeNode::Kind::operation);
  EXPECT_EQ(root.op, Op::sum);
  EXPECT_EQ(root.type, Type::f32);
  EXPECT_EQ(root.height, 2U);
  EXPECT_EQ(root.elements, 4U);
  EXPECT_EQ(root.times, 1U);
  EXPECT_NE(root.at, "");
  EXPECT_EQ(ways(tree), std::set{Via::thread});
}
TEST(Tree, says_what_came_through_a_shuffle) {
  EXPECT_EQ(ways(tree_of_body(shuffled + thread_0_stores_f1)), std::set{Via::shuffle});
}
TEST(Tree, says_what_came_through_shared_memory_and_which_thread_added) {
  const auto tree = tree_of_body(
      own_element +
      "mov.u32 %r3, s;\nshl.b32 %r4, %r1, 2;\nadd.u32 %r4, %r4, %r3;\nst.shared.f32 [%r4], %f1;\n"
      "bar.sync 0;\nsetp.gt.u32 %p1, %r1, 1;\n@%p1 bra one;\nld.shared.f32 %f2, [%r4+8];\n"
      "add.f32 %f1, %f1, %f2;\none:\nmov.b32 %r3, %f1;\n"
      "shfl.sync.down.b32 %r4, %r3, 1, 31, 15;\nmov.b32 %f2, %r4;\nadd.f32 %f1, %f1, %f2;\n" +
      thread_0_stores_f1);
  ASSERT_EQ(tree.nodes.size(), 7U);
  EXPECT_EQ(ways(tree), (std::set{Via::shared, Via::shuffle}));
  EXPECT_EQ(tree.nodes.back().via, Via::shuffle);
  const auto& right = tree.nodes[tree.nodes.back().b];
  EXPECT_EQ(right.via, Via::shared);
  EXPECT_EQ(right.thread, 1U);
}
TEST(Tree, says_what_an_atomic_added_and_a_swap_that_was_tried_again) {
  auto how = drawn(1);
  how.grid = 4;
  how.n = 4;
  how.out = Fill::identity;
  const std::string element =
      "mul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd5, %rd1, %rd5;\nld.global.f32 %f1, [%rd5];\n";
  EXPECT_EQ(ways(tree_of_body(element + "red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n", how)),
            std::set{Via::atomic});
  EXPECT_EQ(ways(tree_of_body(element + "mov.u32 %r5, 0;\nagain:\nmov.b32 %f2, %r5;\n"
                                        "add.f32 %f3, %f2, %f1;\nmov.b32 %r6, %f3;\n"
                                        "atom.global.cas.b32 %r7, [%rd2], %r5, %r6;\n"
                                        "setp.ne.s32 %p1, %r7, %r5;\nmov.u32 %r5, %r7;\n"
                                        "@%p1 bra again;\n",
                              how)),
            std::set{Via::atomic});
}
TEST(Tree, of_what_an_atomic_adds_to_the_identity_is_the_thread_s) {
  auto how = drawn(1);
  how.n = 4;
  how.out = Fill::identity;
  EXPECT_EQ(
      ways(tree_of_body(
          four_elements + four_summed + "red.relaxed.gpu.global.add.f32 [%rd2], %f1;\n", how)),
      std::set{Via::thread});
  how.grid = 2;
  how.op = Op::maximum;
  EXPECT_EQ(ways(tree_of_body(four_elements +
                                  "max.f32 %f1, %f1, %f2;\nmax.f32 %f3, %f3, %f4;\n"
                                  "max.f32 %f1, %f1, %f3;\nmov.u32 %r5, 0xFF800000;\nagain:\n"
                                  "mov.b32 %f2, %r5;\nmax.f32 %f3, %f2, %f1;\nmov.b32 %r6, %f3;\n"
                                  "atom.global.cas.b32 %r7, [%rd2], %r5, %r6;\n"
                                  "setp.ne.s32 %p1, %r7, %r5;\nmov.u32 %r5, %r7;\n"
                                  "@%p1 bra again;\n",
                              how)),
            (std::set{Via::thread, Via::atomic}));
}
TEST(Tree, says_what_came_from_the_memory_that_a_launch_wrote) {
  const auto tree = tree_of_body(
      own_element + "shl.b32 %r4, %r1, 2;\ncvt.u64.u32 %rd6, %r4;\nadd.s64 %rd6, %rd3, %rd6;\n" +
      "st.global.f32 [%rd6], %f1;\nbar.sync 0;\nsetp.ne.s32 %p9, %r1, 0;\n@%p9 bra done;\n" +
      "ld.global.f32 %f1, [%rd3];\nld.global.f32 %f2, [%rd3+4];\nld.global.f32 %f3, [%rd3+8];\n" +
      "ld.global.f32 %f4, [%rd3+12];\n" + four_summed + "st.global.f32 [%rd2], %f1;\n");
  // The last one adds what the thread has made itself.
  EXPECT_EQ(ways(tree), (std::set{Via::global, Via::thread}));
  EXPECT_EQ(tree.nodes.back().via, Via::thread);
}
TEST(Tree, of_a_cell_that_has_lost_an_element_names_it) {
  const auto tree = tree_of_body(
      four_elements + "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n" + thread_0_stores_f1);
  EXPECT_FALSE(tree.right());
  EXPECT_EQ(tree.lost, std::vector<std::uint64_t>{3});
}
TEST(Tree, shows_an_element_that_comes_twice_once_and_wrong) {
  const auto tree =
      tree_of_body(four_elements + four_summed + "add.f32 %f1, %f1, %f2;\n" + thread_0_stores_f1);
  std::size_t wrong = 0;
  for (const auto& n : tree.nodes) {
    if (!n.wrong) continue;
    ++wrong;
    EXPECT_EQ(n.element, 1U);
    EXPECT_EQ(n.times, 2U);
  }
  EXPECT_EQ(wrong, 1U);
  EXPECT_TRUE(tree.lost.empty());
}
TEST(Tree, of_a_maximum_may_have_an_element_twice) {
  auto how = drawn();
  how.op = Op::maximum;
  EXPECT_TRUE(tree_of_body(four_elements +
                               "max.f32 %f1, %f1, %f2;\nmax.f32 %f3, %f3, %f4;\n"
                               "max.f32 %f1, %f1, %f3;\nmax.f32 %f1, %f1, %f2;\n" +
                               thread_0_stores_f1,
                           how)
                  .right());
}
TEST(Tree, is_kept_only_where_it_is_asked_for) {
  HandWritten how;
  EXPECT_TRUE(prove_ptx(shuffled + thread_0_stores_f1, how).trees.empty());
  const auto proof = prove_ptx(shuffled + thread_0_stores_f1, drawn());
  EXPECT_TRUE(proof.proved());
  const Json json = proof;
  ASSERT_EQ(json["trees"].size(), 1U);
  const auto& tree = json["trees"][0];
  EXPECT_EQ(tree["cell"], "out[0]");
  EXPECT_EQ(tree["nodes"].size(), 7U);
  EXPECT_EQ(tree["nodes"][6]["kind"], "operation");
  EXPECT_EQ(tree["nodes"][6]["via"], "shuffle");
  EXPECT_EQ(tree["nodes"][6]["height"], 2);
}

TEST(Ascii, draws_a_line_for_each_element_with_a_letter_for_each_operation) {
  const auto drawing = ascii({tree_of_body(shuffled + thread_0_stores_f1)});
  EXPECT_EQ(drawing,
            "    x0 --s--s-- out[0]\n"
            "    x2 --'  |\n"
            "    x1 --s--'\n"
            "    x3 --'\n"
            "  where      s through a shuffle\n");
}
TEST(Ascii, shows_unequal_depth_and_what_is_wrong) {
  const auto chain = ascii({tree_of_body(four_elements +
                                         "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n"
                                         "add.f32 %f1, %f1, %f2;\n" +
                                         thread_0_stores_f1)});
  EXPECT_EQ(chain,
            "    x0           --t--t--t-- out[0]\n"
            "    x1 ! 2 times --'  |  |\n"
            "    x2           -----'  |\n"
            "    x1 ! 2 times --------'\n"
            "    x3 ! lost\n"
            "  where      t in one thread\n");
}
TEST(Ascii, draws_what_is_shared_once) {
  std::string doubling = four_elements + four_summed;
  for (int k = 0; k < 20; ++k) doubling += "add.f32 %f1, %f1, %f1;\n";
  const auto drawing = ascii({tree_of_body(doubling + thread_0_stores_f1)});
  EXPECT_LE(std::ranges::count(drawing, '\n'), 30) << drawing;
  EXPECT_EQ(count(drawing, "again #"), 20U) << drawing;
}
TEST(Ascii, does_not_draw_more_than_was_asked_for) {
  const auto proof = prove_line("grid_stride@fixed f32->f32 sum n=33 block=32");
  EXPECT_NE(ascii(proof.trees).find("--tree FILE.svg"), std::string::npos);
}

TEST(Svg, has_a_mark_for_every_element_and_operation_and_words_for_who_cannot_see_it) {
  const auto picture = svg({tree_of_body(shuffled + thread_0_stores_f1)}, "a < b & \"c\"");
  EXPECT_EQ(count(picture, "class=\"node leaf\""), 4U);
  EXPECT_EQ(count(picture, "class=\"node shuffle\""), 3U + 1U) << "and one in the legend";
  EXPECT_NE(picture.find(">a &lt; b &amp; &quot;c&quot;</title>"), std::string::npos);
  EXPECT_NE(picture.find("out[0] is made of 4 elements, height 2."), std::string::npos);
  EXPECT_NE(picture.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_EQ(count(picture, "class=\"node bad\""), 0U);
  EXPECT_EQ(count(picture, "class=\"lost\""), 0U);
}
TEST(Svg, marks_what_is_lost_and_what_comes_twice) {
  const auto picture = svg({tree_of_body(four_elements +
                                         "add.f32 %f1, %f1, %f2;\nadd.f32 %f1, %f1, %f3;\n"
                                         "add.f32 %f1, %f1, %f2;\n" +
                                         thread_0_stores_f1)},
                           "t");
  EXPECT_EQ(count(picture, "class=\"node bad\""), 1U);
  EXPECT_EQ(count(picture, "<title>element 1: 2 times</title>"), 1U);
  EXPECT_EQ(count(picture, "class=\"lost\""), 1U);
  EXPECT_NE(picture.find("; 1 element lost; element 1 comes 2 times"), std::string::npos);
}
TEST(Svg, draws_equal_subtrees_of_many_elements_once) {
  const auto proof = prove_line("grid_stride@fixed f32->f32 sum n=4096 block=256 grid=16");
  ASSERT_TRUE(proof.proved()) << text(proof);
  const auto picture = svg(proof.trees, "t");
  EXPECT_LT(picture.size(), 20'000U);
  EXPECT_NE(picture.find(">4096 \u00d7 1<"), std::string::npos) << picture;
  EXPECT_NE(picture.find(">1 \u00d7 4096<"), std::string::npos) << picture;
}
TEST(Svg, of_one_page_have_names_of_their_own) {
  const auto one = svg({tree_of_body(shuffled + thread_0_stores_f1)}, "t");
  const auto other = svg({tree_of_body(four_elements + four_summed + thread_0_stores_f1)}, "t");
  const auto id = [](const std::string& text) {
    const auto at = text.find("<title id=");
    return text.substr(at, text.find('>', at) - at);
  };
  EXPECT_NE(id(one), id(other));
}

TEST(SameBits, need_one_tree_where_sums_are_rounded) {
  const auto b128 = prove_line("shuffle_two_stage@fixed f32->f32 sum n=100 block=64");
  const auto b256 = prove_line("shuffle_two_stage@fixed f32->f32 sum n=100 block=128");
  EXPECT_TRUE(same_bits({b128, b128}).same);
  const auto answer = same_bits({b128, b256});
  EXPECT_EQ(answer.same, b128.tree_hash == b256.tree_hash) << answer.why;
  const auto twice = prove_line("sequential@fixed f32->f32 sum n=16 block=16");
  const auto wider = prove_line("sequential@fixed f32->f32 sum n=16 block=32");
  EXPECT_TRUE(same_bits({twice, wider}).same) << "what is added beyond n is the identity";
  const auto xors = prove_line("interleaved_bitmask@fixed f32->f32 sum n=16 block=16");
  EXPECT_FALSE(same_bits({twice, xors}).same) << same_bits({twice, xors}).why;
}
TEST(SameBits, are_not_promised_where_one_sum_takes_subnormals_for_zero) {
  const auto sum = [](const std::string& add) {
    return prove_ptx(four_elements + add +
                     " %f1, %f1, %f2;\nadd.f32 %f3, %f3, %f4;\nadd.f32 %f1, %f1, %f3;\n" +
                     thread_0_stores_f1);
  };
  const auto exact = sum("add.f32"), flushed = sum("add.ftz.f32");
  ASSERT_EQ(exact.tree_hash, flushed.tree_hash);
  EXPECT_TRUE(same_bits({flushed, flushed}).same);
  EXPECT_FALSE(same_bits({exact, flushed}).same);
}
TEST(SameBits, of_integers_do_not_need_it) {
  const auto one = prove_line("sequential@fixed i32->i32 sum n=16 block=16");
  const auto other = prove_line("interleaved_bitmask@fixed i32->i32 sum n=16 block=16");
  EXPECT_NE(one.tree_hash, other.tree_hash);
  EXPECT_TRUE(same_bits({one, other}).same);
}
TEST(SameBits, are_not_promised_where_atomics_add_floats_nor_of_other_elements) {
  const auto atomic = prove_line("interleaved_atomic@fixed f32->f32 sum n=64 block=32");
  ASSERT_TRUE(atomic.any_association);
  EXPECT_FALSE(same_bits({atomic, atomic}).same);
  const auto few = prove_line("sequential@fixed i32->i32 sum n=16 block=16");
  const auto many = prove_line("sequential@fixed i32->i32 sum n=17 block=32");
  EXPECT_FALSE(same_bits({few, many}).same);
  const auto tiles = prove_line("sequential@fixed i32->i32 sum n=32 block=16");
  const auto tile = prove_line("sequential@fixed i32->i32 sum n=32 block=32");
  EXPECT_FALSE(same_bits({tiles, tile}).same) << "a partial sum of each block";
  const auto wrong = prove_line("sequential@fixed-power_of_two_block i32->i32 sum n=97 block=48");
  EXPECT_FALSE(same_bits({wrong, wrong}).same);
}

}  // namespace
}  // namespace gauntlet::prove::test
