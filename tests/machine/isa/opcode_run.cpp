// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/isa/opcode_run.hpp"

#include <fmt/format.h>

#include <limits>
#include <random>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test {
namespace {

constexpr unsigned block_threads = 96;  // three warps a block, several blocks
constexpr const char* operand_names[] = {"%a", "%b", "%c", "%e"};

unsigned bytes_of(const std::string& type) { return type == "b64" ? 8 : type == "b16" ? 2 : 4; }

std::string program(const std::string& instruction, const std::vector<std::string>& results,
                    const std::vector<Source>& sources, bool guarded) {
  std::string s(module_header);
  s += ".visible .entry f(.param .u64 in, .param .u64 out) {\n"
       ".reg .b32 %t<6>; .reg .b64 %u<6>; .reg .pred %go, %z;\n";
  for (std::size_t k = 0; k < sources.size(); ++k) {
    s += fmt::format(".reg .{} {};\n", sources[k].type, operand_names[k]);
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    s += fmt::format(".reg .{} %q{};\n", results[k], k);
  }
  s += "mov.u32 %t0, %tid.x; mov.u32 %t1, %ctaid.x;\n";
  s += fmt::format("mad.lo.u32 %t2, %t1, {}, %t0;\n", block_threads);
  s += "ld.param.u64 %u0, [in]; ld.param.u64 %u1, [out];\n";
  s += fmt::format("mad.wide.u32 %u0, %t2, {}, %u0;\n", 8 * sources.size());
  s += fmt::format("mad.wide.u32 %u1, %t2, {}, %u1;\n", 8 * results.size());
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (sources[k].type == "pred") {
      s += fmt::format("ld.global.b32 %t3, [%u0+{}]; setp.ne.u32 {}, %t3, 0;\n", 8 * k,
                       operand_names[k]);
    } else {
      s += fmt::format("ld.global.{} {}, [%u0+{}];\n", sources[k].type, operand_names[k], 8 * k);
    }
  }
  if (guarded) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      if (results[k] == "pred")
        s += fmt::format("setp.eq.u32 %q{0}, 0, 0;\n", k);
      else
        s += fmt::format("mov.{} %q{}, {};\n", results[k], k,
                         low(untouched, 8 * bytes_of(results[k])));
    }
    s += "rem.u32 %t4, %t0, 3; setp.ne.u32 %go, %t4, 0;\n@%go ";
  }
  s += instruction + "\n";
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (results[k] == "pred") {
      s += fmt::format("selp.b32 %t5, 1, 0, %q{}; st.global.b32 [%u1+{}], %t5;\n", k, 8 * k);
    } else {
      s += fmt::format("st.global.{} [%u1+{}], %q{};\n", results[k], 8 * k, k);
    }
  }
  return s + "ret;\n}\n";
}

std::string row_text(const std::vector<Source>& sources, std::size_t row) {
  std::string s;
  for (const auto& source : sources) s += fmt::format(" 0x{:x}", source.values[row]);
  return s;
}

}  // namespace

std::vector<Column> apply(const std::string& instruction, const std::vector<std::string>& results,
                          const std::vector<Source>& sources, bool guarded) {
  const auto rows = sources.at(0).values.size();
  const auto padded = (rows + block_threads - 1) / block_threads * block_threads;
  Column in;
  in.reserve(padded * sources.size());
  for (std::size_t row = 0; row < padded; ++row) {
    for (const auto& source : sources) in.push_back(source.values.at(row % rows));
  }
  Device device(program(instruction, results, sources, guarded));
  const auto from = device.input("in", in);
  const auto to = device.array("out", Column(padded * results.size()));
  const auto blocks = static_cast<std::uint32_t>(padded / block_threads);
  const auto report = device.launch({.grid = {blocks}, .block = {block_threads}}, from, to);
  EXPECT_TRUE(silent(report)) << instruction;
  const auto out = device.read<Bits>(to, padded * results.size());
  std::vector<Column> columns(results.size(), Column(rows));
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      columns[k][row] = out[row * results.size() + k];
    }
  }
  return columns;
}

void expect(const std::string& instruction, const std::string& result,
            const std::vector<Source>& sources, const Expected& expected, const Same& same) {
  Column row(sources.size()), wanted;
  for (std::size_t k = 0; k < sources.at(0).values.size(); ++k) {
    for (std::size_t s = 0; s < sources.size(); ++s) row[s] = sources[s].values[k];
    wanted.push_back(expected(row.data()));
  }
  const Bits kept = result == "pred" ? 1 : low(untouched, 8 * bytes_of(result));
  for (const bool guarded : {false, true}) {
    const auto got = apply(instruction, {result}, sources, guarded)[0];
    int wrong = 0;
    for (std::size_t k = 0; k < got.size() && wrong < 5; ++k) {
      const bool skipped = guarded && k % block_threads % 3 == 0;
      const Bits want = skipped ? kept : wanted[k];
      if (skipped ? got[k] == want : same(got[k], want)) continue;
      ++wrong;
      ADD_FAILURE() << instruction << (skipped ? " (skipped lane)" : "") << " of"
                    << row_text(sources, k)
                    << fmt::format(": 0x{:x}, expected 0x{:x}", got[k], want);
    }
  }
}

void expect_pair(const std::string& instruction, const std::string& first,
                 const std::string& second, const std::vector<Source>& sources,
                 const ExpectedPair& expected) {
  const auto got = apply(instruction, {first, second}, sources);
  Column row(sources.size());
  int wrong = 0;
  for (std::size_t k = 0; k < got[0].size() && wrong < 5; ++k) {
    for (std::size_t s = 0; s < sources.size(); ++s) row[s] = sources[s].values[k];
    const auto want = expected(row.data());
    if (got[0][k] == want.first && got[1][k] == want.second) continue;
    ++wrong;
    ADD_FAILURE() << instruction << " of" << row_text(sources, k)
                  << fmt::format(": 0x{:x} 0x{:x}, expected 0x{:x} 0x{:x}", got[0][k], got[1][k],
                                 want.first, want.second);
  }
}

std::vector<Column> cross(const std::vector<Column>& columns) {
  std::size_t rows = 1;
  for (const auto& c : columns) rows *= c.size();
  std::vector<Column> result(columns.size(), Column(rows));
  std::size_t period = 1;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (std::size_t row = 0; row < rows; ++row) {
      result[k][row] = columns[k][row / period % columns[k].size()];
    }
    period *= columns[k].size();
  }
  return result;
}

std::vector<Source> cross(const std::string& type, const std::vector<Column>& columns) {
  std::vector<Source> sources;
  for (auto& c : cross(columns)) sources.push_back({type, std::move(c)});
  return sources;
}

Column borders(unsigned width) {
  const Bits top = Bits{1} << (width - 1);
  Column v = {0, 1, 2, 3, 7, 10, 31, 32, 33, 0x55, 0x7F, 0x80, 0xFF, top - 1, top, top + 1};
  for (const Bits x : {1, 2, 3, 7, 10, 128}) v.push_back(low(Bits{0} - x, width));
  for (const auto x : random_words(width, 6, width)) v.push_back(x);
  return v;
}

Column random_words(unsigned width, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  Column v(count);
  for (auto& x : v) x = low(generator(), width);
  return v;
}

Column f32_values() {
  using L = std::numeric_limits<float>;
  Column v;
  for (const float x : {0.0F, 1.0F, 1.5F, 2.0F, 3.0F, 0.1F, 1.0F / 3, 7.25F, 1e10F, 1e-10F,
                        16777216.0F, 16777217.0F, L::min(), L::denorm_min(), L::min() / 2, L::max(),
                        L::epsilon(), 1 + L::epsilon(), L::infinity()}) {
    v.push_back(std::bit_cast<std::uint32_t>(x));
    v.push_back(std::bit_cast<std::uint32_t>(-x));
  }
  for (const Bits nan : {0x7FC0'0000U, 0x7F80'0001U, 0xFFC1'2345U, 0x7FFF'FFFFU}) v.push_back(nan);
  for (const auto x : random_words(32, 12, 5)) v.push_back(x);
  return v;
}

Column f64_values() {
  using L = std::numeric_limits<double>;
  Column v;
  for (const double x : {0.0, 1.0, 1.5, 2.0, 3.0, 0.1, 1.0 / 3, 1e100, 1e-100, 9007199254740992.0,
                         9007199254740994.0, L::min(), L::denorm_min(), L::max(), L::epsilon(),
                         1 + L::epsilon(), L::infinity()}) {
    v.push_back(std::bit_cast<Bits>(x));
    v.push_back(std::bit_cast<Bits>(-x));
  }
  v.push_back(0x7FF8'0000'0000'0000);
  v.push_back(0xFFF0'0000'0000'0001);
  for (const auto x : random_words(64, 12, 6)) v.push_back(x);
  return v;
}

}  // namespace gauntlet::simt::test
