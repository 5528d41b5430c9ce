// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What whole programs need of the machine: arrays that the host shares, copies between arrays,
// entries decoded when they are launched, printf.
#include <fmt/format.h>

#include <stdexcept>
#include <thread>

#include "machine/engine/module.hpp"
#include "tests/machine/engine/entry_names.hpp"
#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test::machine_program {
namespace {

using K = FindingKind;

GlobalMemory::Options array_of(std::string name, std::uint64_t bytes) {
  GlobalMemory::Options o;
  o.name = std::move(name);
  o.bytes = bytes;
  return o;
}

TEST(AdoptedArray, lies_at_the_hosts_address_and_is_written_by_both) {
  Device device(kernel(".param .u64 a",
                       "ld.param.u64 %d0, [a]; ld.global.u32 %r1, [%d0];"
                       "add.u32 %r1, %r1, 1; st.global.u32 [%d0+4], %r1;"));
  const auto before = device.array("before", std::vector<std::uint32_t>(4));
  std::vector<std::uint32_t> shared = {41, 0};
  const Address at =
      device.memory.adopt(array_of("shared", 8), reinterpret_cast<std::byte*>(shared.data()));
  EXPECT_EQ(at, reinterpret_cast<Address>(shared.data()));
  EXPECT_TRUE(silent(device.launch({.block = {1}}, at)));
  EXPECT_EQ(shared[1], 42U);
  EXPECT_TRUE(only(device.launch({.block = {1}}, at + 4), K::out_of_bounds_write));
  EXPECT_EQ(device.memory.find(before)->name, "before");
  const auto behind = device.array("behind", std::vector<std::uint32_t>(4));
  EXPECT_EQ(device.memory.find(behind)->name, "behind");
  EXPECT_EQ(device.memory.find(at + 7)->name, "shared");
  EXPECT_THROW(
      device.memory.adopt(array_of("twice", 4), reinterpret_cast<std::byte*>(shared.data() + 1)),
      std::out_of_range);
  device.memory.forget(at);
  EXPECT_EQ(device.memory.find(at), nullptr);
}

TEST(GlobalMemory, content_of_what_was_freed_is_gone) {
  GlobalMemory m;
  const auto a = m.allocate(array_of("a", 8));
  m.fill(a, std::byte{1}, 8);
  m.free(a);
  std::vector<std::byte> back(8);
  EXPECT_THROW(m.read(a, back), std::out_of_range);
  EXPECT_THROW(m.fill(a, std::byte{1}, 8), std::out_of_range);
}

TEST(GlobalMemory, copies_what_is_known_of_each_byte) {
  GlobalMemory m;
  const auto a = m.allocate(array_of("a", 16)), b = m.allocate(array_of("b", 16));
  m.fill(a, std::byte{7}, 4);
  m.fill(b, std::byte{1}, 16);
  m.copy(b + 4, a, 8);
  EXPECT_TRUE(m.initialised(b, 8));
  EXPECT_FALSE(m.initialised(b + 8, 1));
  EXPECT_TRUE(m.initialised(b + 12, 4));
  std::vector<std::byte> back(8);
  m.read(b, back);
  EXPECT_EQ(back[3], std::byte{1});
  EXPECT_EQ(back[4], std::byte{7});
  m.fill(a, std::byte{0}, 16);
  m.write(a, std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}});
  m.copy(a + 1, a, 3);  // they overlap
  m.read(a, back);
  EXPECT_EQ(back[1], std::byte{1});
  EXPECT_EQ(back[3], std::byte{3});
  EXPECT_THROW(m.copy(b + 9, a, 8), std::out_of_range);
}

TEST(GlobalMemory, poison_is_copied_with_its_origin) {
  Device device(kernel(".param .u64 from, .param .u64 to",
                       "ld.param.u64 %d0, [from]; ld.param.u64 %d1, [to];"
                       "ld.global.u32 %r1, [%d0]; st.global.u32 [%d1+4], %r1;"));
  const auto from = device.uninitialised<std::uint32_t>("from", 1);
  const auto to = device.array("to", std::vector<std::uint32_t>(2));
  const auto copy = device.array("copy", std::vector<std::uint32_t>(2));
  EXPECT_TRUE(silent(device.launch({.block = {1}}, from, to)));
  device.memory.copy(copy, to, 8);
  EXPECT_TRUE(device.memory.initialised(copy, 4));
  EXPECT_TRUE(device.memory.poisoned(copy + 4, 4));
}

TEST(ForeignAddress, is_told_in_the_hosts_words) {
  Device device(kernel(".param .u64 a", "ld.param.u64 %d0, [a]; ld.global.b32 %r1, [%d0];"));
  device.memory.foreign = [](Address at) { return at == 64 ? "the owner's" : ""; };
  const auto told = device.launch({.block = {1}}, Address{64});
  ASSERT_TRUE(only(told, K::unallocated));
  EXPECT_EQ(told.findings[0].detail, "address 0x40 is the owner's");
  const auto other = device.launch({.block = {1}}, Address{128});
  ASSERT_TRUE(only(other, K::unallocated));
  EXPECT_EQ(other.findings[0].detail, "no array was ever at address 0x80");
}

TEST(ParsedModule, refuses_an_entry_only_when_it_is_decoded) {
  const std::string text =
      std::string(module_header) +
      ".visible .entry good() { ret; }\n"
      ".visible .entry bad() { .reg .b32 %r<4>; vadd.s32.s32.s32 %r0, %r1, %r2; ret; }\n";
  const auto module = parse_module(text, "t.ptx");
  EXPECT_TRUE(entry_names(*module).empty());
  decode_entry(*module, "good");
  decode_entry(*module, "good");
  EXPECT_EQ(entry_names(*module), std::vector<std::string>{"good"});
  EXPECT_THROW(decode_entry(*module, "bad"), ptx::Error);
  EXPECT_THROW(decode_entry(*module, "none"), std::out_of_range);
}

TEST(LoadModule, a_kernel_keeps_the_files_that_its_lines_name) {
  const auto module = load_module(
      std::string(module_header) +
          ".file 1 \"/p/a.cu\"\n.file 2 \"/p/b.cu\"\n.file 3 \"/usr/local/cuda/targets/x/c.cuh\"\n"
          ".visible .entry first() { .loc 2 5 1\n ret; }\n"
          ".visible .entry second() { .loc 1 7 1\n .loc 3 9 1, function_name $f, inlined_at 1 7 1\n"
          " ret; }\n"
          ".visible .entry third() { .loc 3 9 1\n ret; }\n",
      "t.ptx");
  const auto lines = [&](const char* entry) {
    const Kernel& kernel = *module->find(entry);
    std::vector<std::string> told;
    for (const Line& line : kernel.lines) {
      told.push_back(fmt::format("{}:{}", kernel.files.at(line.file), line.line));
    }
    return told;
  };
  EXPECT_EQ(lines("first"), std::vector<std::string>{"/p/b.cu:5"});
  EXPECT_EQ(module->find("first")->files, std::vector<std::string>{"/p/b.cu"});
  EXPECT_EQ(lines("second"), std::vector<std::string>{"/p/a.cu:7"});  // the user's line
  EXPECT_EQ(lines("third"), std::vector<std::string>{"/usr/local/cuda/targets/x/c.cuh:9"});
}

TEST(ModuleOnDemand, decodes_an_entry_when_one_of_several_threads_asks_for_it) {
  std::string text{module_header};
  for (int k = 0; k < 8; ++k) {
    text += fmt::format(".visible .entry e{}() {{ .loc 1 {} 1\n ret; }}\n", k, k + 1);
  }
  text += ".visible .entry broken() { mov.u32 %r0 1; }\n";
  const auto module = load_on_demand(text, "t.ptx");
  std::vector<std::vector<const Kernel*>> found(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : found) {
      threads.emplace_back([&] {
        for (int k = 0; k < 8; ++k) mine.push_back(module->find(fmt::format("e{}", k)));
      });
    }
  }
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
  for (std::uint32_t k = 0; k < 8; ++k) {
    ASSERT_NE(found[0][k], nullptr);
    ASSERT_EQ(found[0][k]->lines.size(), 1U);
    EXPECT_EQ(found[0][k]->lines[0].line, k + 1);
  }
  EXPECT_EQ(module->find("none"), nullptr);
  for (int again = 0; again < 2; ++again) {
    try {
      (void)module->find("broken");
      ADD_FAILURE() << "nothing was refused";
    } catch (const ptx::Error& error) {
      EXPECT_EQ(error.what(), load_error(text));
    }
  }
}

TEST(ParsedModule, reads_the_body_of_an_entry_only_when_it_is_decoded) {
  const std::string text = std::string(module_header) +
                           ".visible .entry first() { .reg .b32 %r<2>; // { \n /* { */ .pragma "
                           "\"{\"; { mov.u32 %r0, 1; } }\n"
                           ".visible .entry broken() { mov.u32 %r0 1; }\n"
                           ".func helper() { ret; }\n"
                           ".visible .entry last() { call helper; exit; }\n";
  const auto module = parse_module(text, "t.ptx");
  EXPECT_EQ(module->bodies.size(), 3U);
  decode_entry(*module, "last");
  decode_entry(*module, "first");
  EXPECT_EQ(module->bodies.size(), 1U);
  EXPECT_EQ(entry_names(*module), (std::vector<std::string>{"last", "first"}));
  const auto error = [&] {
    try {
      decode_entry(*module, "broken");
    } catch (const ptx::Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(error(), load_error(text));  // the same line of the text
  EXPECT_EQ(error(), load_error(text));  // and again
  EXPECT_THROW(read_bodies(*module), ptx::Error);
}

TEST(ParsedModule, gives_a_body_to_the_definition_of_an_entry_and_not_to_its_declaration) {
  const std::string text = std::string(module_header) +
                           ".visible .entry f(.param .u64 a); .visible .entry none();\n"
                           ".visible .entry f(.param .u64 p)\n{ bar.sync 0; ret; }\n";
  const auto whole = load_module(text, "t.ptx");
  const auto all = parse_module(text, "t.ptx"), one = parse_module(text, "t.ptx");
  read_bodies(*all);
  for (const auto& module : {all, one}) {
    decode_entry(*module, "f");
    EXPECT_EQ(module->find("f")->code.size(), whole->find("f")->code.size());
    EXPECT_THROW(decode_entry(*module, "none"), std::out_of_range);
  }
  const auto asked = load_on_demand(text, "t.ptx");
  EXPECT_EQ(asked->find("f")->code.size(), whole->find("f")->code.size());
}

TEST(ParsedModule, is_read_as_a_whole_where_functions_are_called_by_address) {
  const std::string text = std::string(module_header) +
                           ".func called() { ret; }\n"
                           ".visible .entry f() { .reg .b64 %d<2>; mov.u64 %d0, called; { \n"
                           " p: .callprototype _ (); call %d0, p; } ret; }\n";
  EXPECT_TRUE(parse_module(text, "t.ptx")->bodies.empty());
}

TEST(ParsedModule, with_an_open_body_is_refused_at_once) {
  const std::string text = std::string(module_header) + ".visible .entry f() { ret;\n";
  EXPECT_THROW((void)parse_module(text, "t.ptx"), ptx::Error);
}

TEST(PlacedVariable, takes_its_initial_value_where_the_caller_put_it) {
  const auto module =
      load_module(kernel("", "ret;", ".global .u32 v = 9; .global .u32 w = 4;"), "t.ptx");
  GlobalMemory memory;
  const auto at = memory.allocate(array_of("mine", 4));
  const ModuleState state(module, memory, {{"v", at}});
  EXPECT_EQ(state.symbol("v"), at);
  EXPECT_NE(state.symbol("w"), at);
  std::uint32_t value = 0;
  memory.read(at, std::as_writable_bytes(std::span(&value, 1)));
  EXPECT_EQ(value, 9U);
}

/// What `printf(format, 7, -2ll, 0.5, "text")` prints in lanes 0 and 2 of three. `keeps`: as it is
/// kept (LaunchConfig::printed), and the second value is undefined.
std::string printed(const std::string& format, bool keeps = false) {
  std::string bytes;
  for (const char c : format) bytes += std::to_string(static_cast<int>(c)) + ",";
  const auto module = load_module(
      kernel(
          "",
          ".local .align 8 .b8 values[32]; .param .b64 f; .param .b64 v; .param .b32 q;"
          "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 1;"
          "mov.u64 %d0, values; cvta.local.u64 %d1, %d0; mov.u64 %d2, format;"
          "cvta.global.u64 %d2, %d2; mov.u64 %d3, text; cvta.global.u64 %d3, %d3;"
          "st.local.u32 [%d0], 7;" +
              std::string(keeps ? "" : "st.local.s64 [%d0+8], -2;") +
              "st.local.f64 [%d0+16], 0d3FE0000000000000; st.local.u64 [%d0+24], %d3;"
              "st.param.b64 [f], %d2; st.param.b64 [v], %d1; @%p0 call.uni (q), vprintf, (f, v);",
          ".extern .func (.param .b32 q) vprintf(.param .b64 a, .param .b64 b);"
          ".global .b8 text[5] = {116, 101, 120, 116, 0};"
          ".global .b8 format[" +
              std::to_string(format.size() + 1) + "] = {" + bytes + "0};"),
      "t.ptx");
  GlobalMemory memory;
  ModuleState state(module, memory);
  LaunchConfig config;
  config.entry = "f";
  config.block = {3};
  std::string out;
  if (keeps) {
    config.printed = &out;
  } else {
    config.print = [&](const std::string& text) { out += text; };
  }
  EXPECT_TRUE(silent(simt::launch(state, config)));
  return out;
}

TEST(Printf, gives_the_threads_that_call_it_in_order_and_every_conversion) {
  EXPECT_EQ(printed("a%%\n"), "a%\na%\n");
  EXPECT_EQ(printed("%d %lld %g %s;"), "7 -2 0.5 text;7 -2 0.5 text;");
  EXPECT_EQ(printed("%03u|%ld|%-6.2f|%8s|"), "007|-2|0.50  |    text|007|-2|0.50  |    text|");
  EXPECT_EQ(printed("%c%lx"), "\afffffffffffffffe\afffffffffffffffe");
  EXPECT_EQ(printed("%q%"), "%q%%q%");  // what is no conversion stands for itself
}

TEST(Printf, that_is_kept_says_which_values_nobody_defined) {
  EXPECT_EQ(printed("%d is %5lld, %g %s;", true),
            "7 is undefined, 0.5 text;7 is undefined, 0.5 text;");
}

}  // namespace
}  // namespace gauntlet::simt::test::machine_program
