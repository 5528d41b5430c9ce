// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What the machine does not know is refused when the module is loaded, with file, line and text.
#include "machine/code/refusal.hpp"
#include "machine/engine/module.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::opcode_refused {
namespace {

/// The error of `statement` as the third line of a module, "" if it is accepted.
std::string refusal(const std::string& statement) { return load_error(kernel("", statement)); }

TEST(OpcodeRefused, unknown_instructions_with_file_line_and_text) {
  EXPECT_EQ(refusal("vadd.s32.s32.s32 %r1, %r2, %r3;"),
            "t.ptx:3: instruction not known to the machine: `vadd.s32.s32.s32 %r1, %r2, %r3;` "
            "(a video instruction)");
  EXPECT_EQ(
      refusal("ret;\n   tcgen05.wait::st.sync.aligned; // now"),
      "t.ptx:4: instruction not known to the machine: `tcgen05.wait::st.sync.aligned; // now` "
      "(tensor cores)");
}

TEST(OpcodeRefused, all_reasons_of_a_kernel_in_one_line) {
  const std::string header(module_header);
  const std::string text =
      header +
      ".file 1 \"/home/u/sum.cu\"\n.func g() { .loc 1 40 1\n"
      "cp.async.bulk.shared::cluster.global.bulk_group [%r1], [%d1], 16; ret; }\n"
      ".visible .entry f() { .reg .b32 %r<4>; .reg .b64 %d<4>;\n.loc 1 12 1\n"
      "tcgen05.wait::st.sync.aligned;\n.loc 1 13 1\ntcgen05.wait::st.sync.aligned;\n"
      "vadd.s32.s32.s32 %r1, %r2, %r3;\n.loc 1 14 1\ncall cudaLaunchDeviceV2, (%d1);\n"
      "call g;\n}\n";
  const auto error = load_error(text);
  EXPECT_TRUE(error.ends_with(
      "instruction not known to the machine: `tcgen05.wait::st.sync.aligned;` (tensor cores); also "
      "a video instruction: vadd.s32.s32.s32 at sum.cu:13, a launch inside a kernel: call "
      "cudaLaunchDeviceV2 at "
      "sum.cu:14, "
      "a form of bulk copies (TMA): cp.async.bulk.shared::cluster.global.bulk_group at sum.cu:40"))
      << error;
  try {
    (void)load_module(text, "t.ptx");
    FAIL();
  } catch (const RefusedKernel& refused) {
    ASSERT_EQ(refused.reasons.size(), 4U);
    EXPECT_EQ(refused.reasons[0].text, "tcgen05.wait::st.sync.aligned");
    EXPECT_EQ(refused.reasons[0].source, "sum.cu:12");
    EXPECT_EQ(refused.reasons[3].meaning, "a form of bulk copies (TMA)");
  }
}

TEST(OpcodeRefused, a_function_of_the_device_runtime_says_what_it_is) {
  // As the toolkit's device runtime makes it, linked as PTX.
  const auto error =
      load_error(kernel("", "call.uni (%r1), __cuda_syscall_cnpv2EventRecord, (%d1);"));
  EXPECT_TRUE(error.ends_with("(a function of the device runtime)")) << error;
}

TEST(OpcodeRefused, instructions_beyond_reductions) {
  for (const char* statement :
       {"vadd.s32.s32.s32 %r1, %r2, %r3;", "mbarrier.complete_tx.shared.b64 [%d1];",
        "cp.async.cg.shared.global [%r1], [%d1], 4;",
        "cp.async.ca.shared.global [%r1], [%d1], 4, 5;",
        "cp.async.ca.global.shared [%d1], [%r1], 4;", "mbarrier.arrive.acquire.cta.b64 %d2, [%d1];",
        "cp.async.wait_group %r1;", "cp.async.bulk.wait_group;", "setmaxnreg.inc.u32 40;",
        "vmax.s32.s32.s32 %r1, %r2, %r3;", "mov.b128 %d1, {%d2, %d3};",
        "ld.global.b128 %d1, [%d2];", "alloca.u64 %d1, 8;", "stacksave.u64 %d1;",
        // A write of values that nobody knows, and no hint.
        "discard.global.L2 [%d1], 128;", "discard.L2 [%d1], 128;"}) {
    EXPECT_NE(refusal(statement).find("instruction not known to the machine"), std::string::npos)
        << statement << ": " << refusal(statement);
  }
}

TEST(OpcodeRefused,
     a_product_sum_without_a_rounding_but_of_ptx_before_3_2_which_means_the_nearest) {
  const auto module = [](const std::string& version, const std::string& opcode) {
    std::string text = kernel(".param .u64 in, .param .u64 out",
                              "ld.param.u64 %d0, [in]; ld.param.u64 %d1, [out];\n"
                              "ld.global.v2.f32 {%x0, %x1}, [%d0]; " +
                                  opcode + " %x2, %x0, %x0, %x1; st.global.f32 [%d1], %x2; ret;");
    text.replace(text.find("9.0"), 3, version);
    return text;
  };
  for (const char* const version : {"3.2", "9.0"}) {
    EXPECT_NE(load_error(module(version, "mad.f32")).find("not known to the machine"),
              std::string::npos)
        << version;
  }
  const float x = 1 + 0x1p-12F;  // whose square is no float: rounded by itself it loses 2^-24
  for (const char* const version : {"1.4", "3.1"}) {
    Device device(module(version, "mad.f32"));
    const auto in = device.input("in", std::vector<float>{x, -1});
    const auto out = device.output<float>("out", 1);
    EXPECT_TRUE(silent(device.launch({.block = {1}}, in, out)));
    EXPECT_EQ(device.read<float>(out, 1)[0], 0x1p-11F + 0x1p-24F) << version;
  }
  Device up(module("1.4", "mad.rp.f32"));
  const auto in = up.input("in", std::vector<float>{x, 1});
  const auto out = up.output<float>("out", 1);
  EXPECT_TRUE(silent(up.launch({.block = {1}}, in, out)));
  EXPECT_EQ(up.read<float>(out, 1)[0], 2 + 0x1p-11F + 0x1p-22F);
}

TEST(OpcodeRefused, only_the_kernel_that_holds_the_instruction) {
  const std::string head =
      std::string(module_header) +
      ".file 1 \"/home/u/image.cu\"\n.global .texref old;\n.global .surfref plane;\n"
      ".extern .func g();\n.alias h, g;\n.visible .entry plain() { ret; }\n"
      ".visible .entry strange(.param .texref t, .param .u64 p) {\n"
      ".reg .b16 %h<3>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %x<9>; .reg .b128 %q<3>;\n.loc "
      "1 12 1\n";
  const std::pair<const char*, const char*> rows[] = {
      {"tex.grad.1d.v4.f32.f32 {%x0, %x1, %x2, %x3}, [%d0, {%x1}], {%x2}, {%x3};", "a texture"},
      {"tex.1d.v4.f32.f32 {%x0, %x1, %x2, %x3}, [old, sampler, {%x4}];", "a texture"},
      {"suld.b.2d.b32.trap {%r0}, [plane, {%r1, %r2}];", "a surface"},
      {"@%p0 sust.p.2d.v2.b32.clamp [%d0, {%r1, %r2}], {%r3, %r4};", "a surface"},
      {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes "
       "[%r0], [%d1, {%r2, %r3, %r4}], [%r4], {%h0};",
       "a form of bulk copies (TMA)"},
      {"mov.b128 %q0, {%d0, %d1};", "a 16-byte value"},
      {"tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%r0], 1;",
       "a tensor map of a kind"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%x0, %x1, %x2, %x3}, %d0, %d1, %r0, "
       "2, %p0, 1, 1, 0, 0;",
       "tensor cores"}};
  for (const auto& [statement, words] : rows) {
    const auto text = head + ".reg .pred %p0;\n" + statement + "\nret;\n}\n";
    EXPECT_EQ(load_module(text, "t.ptx", "plain")->kernels.size(), 1U) << statement;
    const auto error = load_error(text);
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_NE(error.find("not known to the machine"), std::string::npos) << error;
  }
}

TEST(OpcodeRefused, modifiers_that_would_change_the_result) {
  for (const char* statement : {"add.sat.u32 %r1, %r2, %r3;",
                                "add.sat.f64 %y1, %y2, %y3;",
                                "add.ftz.f64 %y1, %y2, %y3;",
                                "add.ftz.ftz.f32 %x1, %x2, %x3;",
                                "add.rz.rm.f32 %x1, %x2, %x3;",
                                "add.ftz.s32 %r1, %r2, %r3;",
                                "add.rz.f16 %h1, %h2, %h3;",
                                "fma.f32 %x1, %x2, %x3, %x4;",
                                "div.f32 %x1, %x2, %x3;",
                                "sqrt.f32 %x1, %x2;",
                                "ex2.f32 %x1, %x2;",
                                "ex2.approx.f64 %y1, %y2;",
                                "tanh.approx.ftz.f32 %x1, %x2;",
                                "rcp.approx.f64 %y1, %y2;",
                                "add.b32 %r1, %r2, %r3;",
                                "and.u32 %r1, %r2, %r3;",
                                "min.xorsign.f32 %x1, %x2, %x3;",
                                "min.xorsign.abs.f64 %y1, %y2, %y3;",
                                "mad.lo.sat.s32 %r1, %r2, %r3, %r4;",
                                "setp.lt.ftz.f64 %p1, %y1, %y2;",
                                "setp.lt.ftz.ftz.f32 %p1, %x1, %x2;",
                                "set.eq.u32.f64.ftz %r1, %y1, %y2;",
                                "testp.zero.f32 %p1, %x1;",
                                "slct.s32.u32 %r1, %r2, %r3, %r4;",
                                "mul24.lo.u16 %h1, %h2, %h3;",
                                "add.cc.b32 %r1, %r2, %r3;",
                                "madc.u32 %r1, %r2, %r3, %r4;",
                                "addc.hi.u32 %r1, %r2, %r3;",
                                "dp4a.u32.u16 %r1, %r2, %r3, %r4;",
                                "dp2a.u32.u32 %r1, %r2, %r3, %r4;",
                                "cvt.f32.f64 %x1, %y1;",
                                "cvt.f16.f32 %h1, %x1;",
                                "cvt.s32.f32 %r1, %x1;",
                                "cvt.rn.s32.f32 %r1, %x1;",
                                "cvt.f32.s32 %x1, %r1;",
                                "cvt.rn.f64.f32 %y1, %x1;",
                                "cvt.ftz.f64.s32 %y1, %r1;",
                                "cvt.rn.relu.f32.f64 %x1, %y1;",
                                "cvt.rn.e4m3x2.f32 %h1, %x1, %x2;",
                                "cvt.rz.satfinite.e4m3x2.f32 %h1, %x1, %x2;",
                                "cvt.rn.satfinite.e3m2x2.f32 %h1, %x1, %x2;",
                                "atom.shared.add.v2.f32 {%x1, %x2}, [%d1], {%x3, %x4};",
                                "atom.global.min.v2.f32 {%x1, %x2}, [%d1], {%x3, %x4};",
                                "atom.global.add.v4.f32 {%x1, %x2}, [%d1], {%x3, %x4};",
                                "atom.global.add.v2.f64 {%y1, %y2}, [%d1], {%y3, %y4};",
                                "atom.global.add.v2.u32 {%r1, %r2}, [%d1], {%r3, %r4};",
                                "atom.global.add.v2.f32 {%x1, %x2}, [%d1], {%x3, %x1};",
                                "red.global.add.v2.f32 [%d1], %x1;",
                                "add.rn.sat.f32x2 %d1, %d2, %d3;",
                                "fma.f32x2 %d1, %d2, %d3, %d4;",
                                "div.rn.f32x2 %d1, %d2, %d3;",
                                "add.rn.f32x2.f32 %d1, %d2, %d3;",
                                "redux.sync.add.f32 %x1, %x2, -1;",
                                "redux.sync.min.NaN.u32 %r1, %r2, -1;",
                                "redux.sync.min.abs.s32 %r1, %r2, -1;",
                                "atom.global.cas.f32 %x1, [%d1], %x2, %x3;"}) {
    EXPECT_NE(refusal(statement), "") << statement;
  }
}

TEST(OpcodeRefused, shuffles_and_votes_without_sync) {
  EXPECT_EQ(refusal("shfl.down.b32 %r1, %r2, 1, 31;"),
            "t.ptx:3: shfl without .sync no longer exists on any supported GPU: "
            "`shfl.down.b32 %r1, %r2, 1, 31;`");
  EXPECT_NE(refusal("vote.all.pred %p1, %p2;").find("without .sync"), std::string::npos);
}

TEST(OpcodeRefused, operands_of_the_wrong_width_or_kind) {
  EXPECT_NE(refusal("add.u64 %d1, %r1, %d2;").find("%r1 is narrower"), std::string::npos);
  EXPECT_NE(refusal("add.u32 %r1, %d1, %r2;").find("%d1 is wider"), std::string::npos);
  EXPECT_NE(refusal("add.u32 %d1, %r1, %r2;").find("destination %d1 has 64 bits"),
            std::string::npos);
  EXPECT_NE(refusal("mul.wide.u32 %r1, %r2, %r3;").find("destination %r1 has 32 bits"),
            std::string::npos);
  EXPECT_NE(refusal("ld.global.u64 %r1, [%d1];").find("narrower"), std::string::npos);
  EXPECT_NE(refusal("add.u32 %r1, %p1, %r2;").find("%p1 is a predicate"), std::string::npos);
  EXPECT_NE(refusal("setp.eq.u32 %r1, %r2, %r3;").find("%r1 is not a predicate"),
            std::string::npos);
  EXPECT_NE(refusal("selp.u32 %r1, %r2, %r3, %r4;").find("not a predicate"), std::string::npos);
  EXPECT_NE(refusal("add.u32 %r1, %r2;"), "");
  EXPECT_NE(refusal("add.u32 %r1, %r2, %r99;").find("unknown name %r99"), std::string::npos);
  EXPECT_NE(refusal("ld.global.v2.u32 {%r1, %r2, %r3}, [%d1];"), "");
  EXPECT_NE(refusal("st.global.u32 [nowhere], %r1;").find("unknown name"), std::string::npos);
}

TEST(OpcodeRefused, branches_and_calls_without_a_target) {
  EXPECT_NE(refusal("bra NOWHERE;").find("unknown label NOWHERE"), std::string::npos);
  EXPECT_NE(refusal("call missing;").find("no body in this module"), std::string::npos);
  EXPECT_NE(refusal("@%q1 bra L; L: ret;").find("unknown guard"), std::string::npos);
  EXPECT_NE(refusal("L: T: .branchtargets L; brx.idx %r1, T;").find("not supported"),
            std::string::npos);
}

}  // namespace
}  // namespace gauntlet::simt::test::opcode_refused
