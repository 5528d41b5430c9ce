// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/usage_error.hpp"
#include "properties/language/evaluate.hpp"
#include "tests/message_of.hpp"

namespace gauntlet::spec {
namespace {

const std::string head = "kernel k.ptx\n";
const std::string launch = "launch grid=max(1, ceil(n / block)) block=32..1024\n";
const std::string whole = head + "in x:f32[n]\nout y:f32[1]\n" + launch + "result y[0] = sum(x)\n";

/// The message that a spec is refused with; empty where it is taken.
std::string refusal(const std::string& text) {
  return message_of<UsageError>([&] {
    Program program;
    bind(program, parse_spec(text, "k.gauntlet"));
  });
}

TEST(SpecParse, takes_every_statement) {
  const Spec spec = parse_spec(
      "# a comment\n"
      "kernel my.cu 'sum<float, 256>'\n"
      "flags --use_fast_math -Iinclude\n"
      "size k = 1..64   # behind a statement\n"
      "size w = 1,2,4\n"
      "let tile = 2 * block\n"
      "in x:f32[n] align 4\n"
      "out y:f32[grid] = 0\n"
      "scratch t:u32[1] = 0 kept\n"
      "arg n:u32 = n\n"
      "arg eps:f32 = 1e-5\n"
      "launch grid=max(1, ceil(n / tile))\n"
      "  block=32..1024 shared=4 * block\n"
      "launch second grid=1 block=64 args y, y, n\n"
      "require block % 32 == 0 && k < 65 || w == 1\n"
      "result y[b] = sum(x[b * tile .. (b + 1) * tile]) accumulate f32 fast height log2(block) + "
      "1\n"
      "expect race_read_write s\n",
      "folder/k.gauntlet");
  EXPECT_EQ(spec.folder, "folder/");
  EXPECT_EQ(spec.entry, "sum<float, 256>");
  EXPECT_EQ(spec.flags, (std::vector<std::string>{"--use_fast_math", "-Iinclude"}));
  ASSERT_EQ(spec.sizes.size(), 4U);
  EXPECT_EQ(spec.sizes[0].name, "n");
  EXPECT_EQ(spec.sizes[2].domain(), "1,2,4");
  EXPECT_FALSE(spec.sizes[2].allows(3));
  EXPECT_TRUE(spec.sizes[3].allows(1024));
  EXPECT_EQ(spec.arrays.size(), 3U);
  EXPECT_EQ(spec.arrays[0].align, 4U);
  EXPECT_TRUE(spec.arrays[2].kept);
  EXPECT_EQ(spec.launches.at(1).entry, "second");
  EXPECT_EQ(spec.launches[1].parameters.size(), 3U);
  EXPECT_EQ(spec.launches[0].parameters.size(), 5U);
  EXPECT_TRUE(spec.fast_math());
  EXPECT_EQ(spec.expectations.at(0).kind, FindingKind::race_read_write);
}

TEST(SpecParse, a_content_may_name_what_lies_there_already) {
  const auto with = [](const std::string& arrays) {
    return refusal(head + arrays + "out y:f32[1]\n" + launch + "result none\n");
  };
  EXPECT_EQ(with("in a:u32[n]\nin b:u32[n + 1] = sum(a[0 .. i])\n"), "");
  EXPECT_EQ(with("in a:u32[n]\nin b:u32[n] = i == 0 ? 0 : b[i - 1] + a[i]\n"), "");
  EXPECT_EQ(with("in a:f32[n] sorted\nin b:u32[n] = permutation\n"), "");
  EXPECT_EQ(with("in b:u32[n] = sum(a)\nin a:u32[n]\n"),
            "k.gauntlet:2: `in b:u32[n] = sum(a)`: a is declared below; name it in contents below "
            "its own line, and give the kernel its order by args");
  EXPECT_EQ(with("in b:u32[n] = sum(b[0 .. i])\n"),
            "k.gauntlet:2: `in b:u32[n] = sum(b[0 .. i])`: b is being made: one element before i "
            "may be named, as in b[i - 1]");
  EXPECT_EQ(with("out a:u32[n]\nin b:u32[n] = a[i]\n"),
            "k.gauntlet:3: `in b:u32[n] = a[i]`: nothing lies in a before the launch; write a ... "
            "= CONTENT");
  EXPECT_EQ(with("in b:u32[n] = c[i]\n"),
            "k.gauntlet:2: `in b:u32[n] = c[i]`: unknown name `c`; write one of b, block, blocks, "
            "grid, i, n, y");
  EXPECT_EQ(with("in b:f32[n] = permutation\n"),
            "k.gauntlet:2: `in b:f32[n] = permutation`: a permutation is of whole numbers, such as "
            "u32");
  EXPECT_EQ(with("in b:u32[n] = permutation sorted\n"),
            "k.gauntlet:2: `in b:u32[n] = permutation sorted`: a sorted permutation is = i");
  EXPECT_EQ(with("scratch b:u32[n] sorted\n"),
            "k.gauntlet:2: `scratch b:u32[n] sorted`: nothing lies there that could be sorted; "
            "declare it in or inout");
}

TEST(SpecParse, takes_a_file_that_begins_with_a_mark_of_utf_8) {
  EXPECT_EQ(
      parse_spec("\xEF\xBB\xBF" + head + "out y:f32[1]\n" + launch + "result none\n", "k.gauntlet")
          .kernel,
      "k.ptx");
}

TEST(SpecParse, takes_a_program_and_repetitions) {
  const Spec spec = parse_spec(head + "in x:f32[n]\nout y:f32[1]\n" + launch +
                                   "repeat 3\nresult by ./tools/ref.py within 1e-5 * n\n",
                               "k.gauntlet");
  EXPECT_EQ(spec.repeat, 3U);
  ASSERT_TRUE(spec.by);
  EXPECT_EQ(spec.by->program, "./tools/ref.py");
  EXPECT_TRUE(spec.by->within.present());
}

TEST(SpecParse, blocks_is_the_number_of_blocks_unless_the_spec_says_otherwise) {
  const auto elements = [](const std::string& declared) {
    Program program;
    bind(program,
         parse_spec(head + declared + "in x:f32[n]\nout y:f32[blocks]\n" + launch + "result none\n",
                    "k.gauntlet"));
    std::vector<std::uint64_t> sizes(program.spec.sizes.size(), 7);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      if (program.spec.sizes[k].name == "n") sizes[k] = 100;
      if (program.spec.sizes[k].name == "block") sizes[k] = 32;
    }
    return Evaluator(program, sizes).elements(1);
  };
  EXPECT_EQ(elements(""), 4U);
  EXPECT_EQ(elements("let blocks = 9\n"), 9U);
  EXPECT_EQ(elements("size blocks = 1..8\n"), 7U);
}

TEST(SpecParse, refusals_quote_the_statement_and_say_what_to_write) {
  const std::pair<std::string, std::string> cases[] = {
      {head + "in x:f33[n]\n",
       "k.gauntlet:2: `in x:f33[n]`: unknown type `f33`; did you mean `f32`?"},
      {"kernel k.cu\nin x:float[n]\n",
       "k.gauntlet:2: `in x:float[n]`: unknown type `float`; write f32"},
      {head + "inn x:f32[n]\n",
       "k.gauntlet:2: `inn x:f32[n]`: unknown statement `inn`; did you mean `in`?"},
      {head + "arg n:u32\n",
       "k.gauntlet:2: `arg n:u32`: `=` is missing before the value; write NAME:TYPE = VALUE"},
      {head + "size k = 3..2\n", "k.gauntlet:2: `size k = 3..2`: 3..2 is empty; write 2..3"},
      {head + "launch grid=1..8 block=32\n",
       "k.gauntlet:2: `launch grid=1..8 block=32`: only block= draws a range; write `size g = "
       "LO..HI` before it and `grid=g`"},
      {head + "in x:f32[n]\nlaunch grid=1 block=32 args x, n\n",
       "k.gauntlet:3: `launch grid=1 block=32 args x, n`: n is a size and no parameter of the "
       "kernel yet; declare it, `arg n:i32 = n`"},
      {head + "in x:f32[n]\nlaunch grid=1 block=32 args x, z\n",
       "k.gauntlet:3: `launch grid=1 block=32 args x, z`: unknown argument `z`; write one of x"},
      {head + "in x:f32[n]\nin x:f32[n]\n",
       "k.gauntlet:3: `in x:f32[n]`: x is declared twice; take one out, or rename it"},
      {head + "launch grid=1\n",
       "k.gauntlet:2: `launch grid=1`: block= is missing; write block=32..1024 or block=256"},
      {head + "let a = b\nlet b = a\n" + "out y:f32[1]\nlaunch grid=1 block=1\nresult none\n",
       "k.gauntlet:2: `let a = b`: a needs itself; make it of sizes and of other names"},
      {head + "out y:f32[1]\nlaunch grid=1 block=1\nresult y[0] = summ(y)\n",
       "k.gauntlet:4: `result y[0] = summ(y)`: unknown function `summ`; did you mean `sum`?"},
      {head + "in x:f32[n]\nout y:f32[1]\nlaunch grid=1 block=1\nresult y[0] = sum(z)\n",
       "k.gauntlet:5: `result y[0] = sum(z)`: unknown name `z`; write one of block, blocks, grid, "
       "n, "
       "offset, unit, x, y"},
      {head + "in x:f32[n]\nout y:f32[1]\nlaunch grid=1 block=1\nresult x[0] = 1\n",
       "k.gauntlet:5: `result x[0] = 1`: x is an input; declare it out"},
      {head + "in x:f32[n]\nout y:f32[1]\nlaunch grid=x block=1\nresult none\n",
       "k.gauntlet:4: `launch grid=x block=1`: x is an array; a size or a name is needed here"},
      {head + "in x:f32[n]\nout y:f32[1]\nlaunch grid=1 block=1\nresult y[0] = x\n",
       "k.gauntlet:5: `result y[0] = x`: a slice or a whole array must be reduced; write sum(...), "
       "or an index"},
      {head + "in x:f32[n]\nout y:f32[1]\nlaunch grid=1.5 block=1\nresult none\n",
       "k.gauntlet:4: `launch grid=1.5 block=1`: an integer is needed here: sizes and whole "
       "numbers "
       "only"},
      {head + "out y:f32[1]\nlaunch grid=1 block=1\n",
       "k.gauntlet:1: `result`: the statement is missing; write result ARRAY[i] = EXPRESSION, or "
       "result none"},
      {head + "inout z:f32[n]\nlaunch grid=1 block=1\nrepeat 2\nresult none\n",
       "k.gauntlet:4: `repeat 2`: z is inout, so that a second launch begins with what the first "
       "one left; make it in and out, or inout ... kept"},
      {head + "repeat 0\n", "k.gauntlet:2: `repeat 0`: repeat takes a number from 1 to 100"},
      {head + "result by\n",
       "k.gauntlet:2: `result by`: the program is missing; write result by ./program"},
      {"", "k.gauntlet:1: `kernel`: the statement is missing; write kernel FILE [ENTRY]"},
      {head + "launch grid=(1 block=1\n",
       "k.gauntlet:2: `launch grid=(1 block=1`: `)`, a comma or an operator is missing before "
       "`block`"},
      {head + "size k = 99999999999999999999\n",
       "k.gauntlet:2: `size k = 99999999999999999999`: `99999999999999999999` is not a whole "
       "number "
       "from 0 to 2^40"},
      {head + "expect race_read_wrote s\n",
       "k.gauntlet:2: `expect race_read_wrote s`: unknown finding `race_read_wrote`; did you mean "
       "`race_read_write`?"}};
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), message);
  EXPECT_EQ(refusal(whole), "");
}

TEST(SpecParse, what_c_python_and_mathematics_write_is_told_in_a_specs_words) {
  const auto said = [](const std::string& result) {
    const std::string text = refusal(head + "in x:f32[rows, columns]\nout y:f32[rows, columns]\n" +
                                     "launch grid=rows block=32\nresult " + result + "\n");
    return text.substr(std::min(text.size(), text.rfind("`: ") + 3));
  };
  EXPECT_EQ(said("y[r][c] = x[r, c]"), "y has 2 extents; write y[r, c]");
  EXPECT_EQ(said("y[r, c] = x[r, c] * 2.0f"), "a number has no suffix; write 2.0");
  EXPECT_EQ(said("y[r, c] = x[r, c] ** 2"), "`*` begins no expression; a power is pow(a, b)");
  EXPECT_EQ(
      said("y[r, c] = x[r, c] ^ 2"),
      "`^ 2` is not understood here; a power is pow(a, b), and there are no bitwise operators");
  EXPECT_EQ(said("y[r, c] = x[r, c] & 2"),
            "`& 2` is not understood here; there are no bitwise operators");
  EXPECT_EQ(said("y[r, c] = sum((x[r, c] << 2))"),
            "`)` is missing before `<<`; there are no bitwise operators");
  EXPECT_EQ(said("y[r, c] = fold(a, b: a | b, 0, x[r, ..])"),
            "`,` is missing before `|`; there are no bitwise operators");
  EXPECT_EQ(said("y[r, c] = sum(x[r, :])"), "`:` begins no expression; a range is lo .. hi");
  EXPECT_EQ(said("y[r, c] = sum(x[r, 0:4])"), "`]` is missing before `:`; a range is lo .. hi");
  EXPECT_EQ(said("y[r, c] = r > 0 and c > 0"), "`and c > 0` is not understood here; write &&");
  EXPECT_EQ(said("y[r, c] = x[r, c] twice"),
            "`twice` is not understood here; write where, accumulate, fast, height, within or if");
  EXPECT_EQ(said("y[r, c] = 2 * x[r, c]"), "");
}

/// What a spec of my_sum is refused for, with another line in the place of the one that begins with
/// its first word, or with more behind it.
std::string refused_line(const std::string& line) {
  const std::string word = line.substr(0, line.find(' '));
  std::string text;
  bool placed = false;
  for (const std::string own :
       {"kernel k.ptx", "in x:f32[n]", "out y:f32[blocks]", "arg n:u32 = n",
        "launch grid=max(1, ceil(n / block)) block=32..1024", "result y[b] = sum(x)"}) {
    const bool same = own.starts_with(word + " ") && !placed;
    placed |= same;
    text += (same ? line : own) + "\n";
  }
  if (!placed) text += line + "\n";
  const std::string said = refusal(text);
  const auto end = said.rfind("`: ");
  return end == said.npos ? said : said.substr(end + 3);
}

TEST(SpecParse, a_slip_in_a_statement_is_told_with_what_to_write) {
  const std::pair<std::string, std::string> slips[] = {
      // Words.
      {"input x:f32[n]", "unknown statement `input`; write in"},
      {"output y:f32[1]", "unknown statement `output`; write out"},
      {"/* comment */", "a comment begins with #"},
      {"in\u00a0x:f32[n]",
       "`in\u00a0x:f32[n]` is no statement: it has a character beyond ASCII, such as a wide blank; "
       "type it anew"},
      {"kernel k.ptx 'sum", "a quote is not closed; write '"},
      {"kernel k.ptx\n  in z:f32[n]",
       "a line that begins with a blank goes on from the one before; begin each statement at the "
       "begin of its line"},
      // Arrays and numbers.
      {"in x f32[n]", "`:` is missing before `f32`; write NAME:TYPE[COUNT]"},
      {"in float* x", "`:` is missing before `*`; write NAME:TYPE[COUNT]"},
      {"in const x:f32[n]", "in is const already; write in NAME:TYPE[COUNT]"},
      {"in x:F32[n]", "unknown type `F32`; did you mean `f32`?"},
      {"in x:f32[n][n]", "extents are apart by commas; write [rows, columns]"},
      {"in x:f32[n, n, n]",
       "an array has one or two extents; multiply the inner ones, [rows, a * b]"},
      {"in x:f32[n] align 0", "align takes a power of two from 4 to 256"},
      {"in x:f32[n] align 24", "align takes a power of two from 4 to 256"},
      {"in x:f32[n] = zeros", "unknown name `zeros`; write 0"},
      {"in x:f32[n] = random", "unknown name `random`; write random(LO, HI)"},
      {"in x:f32[] = absent.npy", "absent.npy: cannot be read: No such file or directory"},
      {"arg n:u32: n", "`=` is missing before `:`; write NAME:TYPE = VALUE"},
      {"arg n:u32 = n;", "`;` is not understood here; a statement ends with its line"},
      {"size n = -1..5", "`-1..5` is not a whole number from 0 to 2^40"},
      {"size n =", "a number is missing at the end; write 1..64, or 1,2,4"},
      // Launches.
      {"launch grid=max(1 n) block=32", "`)`, a comma or an operator is missing before `n`"},
      {"launch grid=1 1 block=32",
       "grid=, block= or shared= is missing before `1`; extents are apart by commas, grid=4,2"},
      {"launch <<<1, 32>>>", "<<<G, B>>> is of C++; write grid=G block=B"},
      {"launch grid=dim3(1, 1) block=32",
       "unknown function `dim3`; write extents with commas, grid=4,2"},
      {"launch gird=1 block=32", "unknown part of a launch `gird`; did you mean `grid`?"},
      {"launch grid=n / blockDim.x block=32",
       "grid=, block= or shared= is missing before `.`; extents are apart by commas, grid=4,2"},
      {"launch grid=max(1, blockDim.x) block=32",
       "`)` is missing before `.`; the size of a block is block, the number of blocks is blocks"},
      {"launch grid=ceil() block=32", "ceil is of nothing; write ceil(EXPRESSION)"},
      {"launch grid=max(n) block=32", "min and max of sizes take two numbers; write max(1, n)"},
      {"launch grid=max(1, ceil(n / block)) block=0",
       "a block has 1 to 1024 threads, not 0; write block=256 or block=32..1024"},
      // Results.
      {"result y[b] = sin(x[b])",
       "unknown function `sin`; write one of ceil, log2, abs, exp, log, sqrt, rsqrt, tanh, pow, "
       "float, random, min, max, sum, product, argmin, argmax, argmin_last, argmax_last, mean, "
       "any, all, count, fold"},
      {"result y[b] = sqr(x[b])",
       "unknown function `sqr`; write one of ceil, log2, abs, exp, log, sqrt, rsqrt, tanh, pow, "
       "float, random, min, max, sum, product, argmin, argmax, argmin_last, argmax_last, mean, "
       "any, all, count, fold"},
      {"result y[b] = sqtr(x[b])", "unknown function `sqtr`; did you mean `sqrt`?"},
      {"result", "the array is missing; write result ARRAY[i] = EXPRESSION"},
      {"result y = sum(x)", "`[` is missing before `=`; write ARRAY[i] = EXPRESSION"},
      {"result y[b] = sum()", "sum is of nothing; write sum(x[lo .. hi])"},
      {"result y[b] = sum(x[i] for i in range(n))",
       "unknown function `range`; write `for i in 0 .. n`"},
      {"result y[b] = fold(a, c: a + c, 0)",
       "`,` is missing before `)`; write fold(a, b: a + b, START, x)"},
      {"result y[b] = w[b]",
       "unknown name `w`; write one of b, block, blocks, grid, n, offset, unit, x, y"},
      {"result y[blocks] = sum(x)",
       "blocks has a value already and cannot count cells, too; give the index another name"},
      {"result y[b] = 1\nresult y[i] = 2",
       "y has a result in line 6; take one out, or name cells by numbers"}};
  for (const auto& [line, message] : slips) EXPECT_EQ(refused_line(line), message) << line;
  // The nearest that are right.
  for (const char* const line :
       {"kernel k.ptx 'sum'", "in x:f32[rows, n]", "result y[0] = 1\nresult y[b] = 2",
        "launch grid=1 block=32,32", "launch grid=1 block=1",
        "result y[b] = 1\nresult y[b] = 1 height 2",
        "result y[b] = 1 if n > 3\nresult y[b] = 2 if n <= 3"}) {
    EXPECT_EQ(refused_line(line), "") << line;
  }
}

TEST(SpecParse, what_is_no_text_is_told_with_its_line_and_how_to_save_it) {
  std::string returns = whole;
  std::ranges::replace(returns, '\n', '\r');
  EXPECT_EQ(refusal(returns),
            "k.gauntlet:1: the line ends in CR alone; save the file with LF, or CR LF");
  EXPECT_EQ(refusal("kernel k.ptx\nin \u00FC:f32[n]\n"),
            "k.gauntlet:2: `in \u00FC:f32[n]`: the name is missing before `\u00FC`; write "
            "NAME:TYPE[COUNT]");
  EXPECT_EQ(refusal("\xFF\xFEk"), "k.gauntlet:1: the file is UTF-16; save it as UTF-8");
  EXPECT_EQ(refusal(head + "in x\x01\xFF\n"),
            "k.gauntlet:2: `in x\\x01\\xff`: is no text; save the file as UTF-8, and without "
            "control characters");
  EXPECT_NE(refusal(head + std::string("in x\0:f32[n]\n", 14)).find("k.gauntlet:2: `in x\\x00:f32"),
            std::string::npos);
  std::string dos = whole;
  for (std::size_t at = 0; (at = dos.find('\n', at)) != dos.npos; at += 2) dos.insert(at, 1, '\r');
  EXPECT_EQ(refusal(dos), "");
  EXPECT_EQ(refusal("\xEF\xBB\xBF# \u00fc\t\n" + whole), "");
}

TEST(SpecParse, any_text_ends_in_at_most_one_line) {
  // Every prefix and every text that lacks one character.
  for (std::size_t k = 0; k < whole.size(); ++k) {
    std::string without = whole;
    without.erase(k, 1);
    for (const std::string& text : {whole.substr(0, k), without}) {
      EXPECT_EQ(refusal(text).find('\n'), std::string::npos) << text;
    }
  }
  const std::string deep = head + "let a = " + std::string(5000, '(') + "\n";
  EXPECT_NE(refusal(deep).find("nested more than 100 deep"), std::string::npos);
  const std::string minuses = head + "let a = " + std::string(5000, '-') + "1\n";
  EXPECT_NE(refusal(minuses).find("nested more than 100 deep"), std::string::npos);
}

}  // namespace
}  // namespace gauntlet::spec
