// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "machine/code/refusal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace gauntlet::simt {
namespace {

struct Subject {
  std::string_view key;  ///< how opcode and suffixes begin; with a dot before it, what they contain
  std::string_view words;
};
/// The first that fits.
constexpr Subject subjects[] = {
    {"wmma.", "tensor cores (wmma)"},
    {"mma.", "tensor cores"},
    {"ldmatrix", "tensor cores"},
    {"stmatrix", "tensor cores"},
    {"movmatrix", "tensor cores"},
    {"wgmma.", "tensor cores"},
    {"tcgen05.", "tensor cores"},
    {"cp.async.bulk", "a form of bulk copies (TMA)"},
    {"tensormap.", "a tensor map of a kind"},
    {"cp.async", "asynchronous copies (memcpy_async, cuda::pipeline)"},
    {"cp.reduce", "a form of bulk copies (TMA)"},
    {"clusterlaunchcontrol", "thread block clusters"},
    {"tex", "a texture"},
    {"tld4", "a texture"},
    {"txq", "a texture"},
    {"suld", "a surface"},
    {"sust", "a surface"},
    {"sured", "a surface"},
    {"suq", "a surface"},
    {"brx", "a switch by a table of jumps"},
    {"call cudaLaunchDevice", "a launch inside a kernel"},
    {"call __cuda_syscall_cnp", "a function of the device runtime"},
    {"call __cudaCDP2", "a function of the device runtime"},
    {"call %", "a function pointer or virtual function"},
    {"alloca", "an array on the stack of run-time size"},
    {"stacksave", "an array on the stack of run-time size"},
    {"stackrestore", "an array on the stack of run-time size"},
    {"multimem", "multicast memory"},
    {"st.async", "a store to memory of other blocks"},
    {"red.async", "a reduction in memory of other blocks"},
    {"st.bulk", "a form of bulk copies (TMA)"},
    {"istypep", "a texture"},
    {"discard", "memory whose values are given up"},
    {"applypriority", "the priority of cache lines"},
    {"v", "a video instruction"},
    {".b128", "a 16-byte value in one register"},
    {".e2m1x", "numbers of 4 bits (fp4)"},
    {".e3m2x", "numbers of 6 bits (fp6)"},
    {".e2m3x", "numbers of 6 bits (fp6)"},
    {".ue8m0x", "powers of two as scales (ue8m0)"},
    {".rs.", "stochastic rounding"},
    {".sync_restrict", "a fence of mbarriers alone"},
};

std::string worded(const Refusal& r) {
  std::string s = r.meaning.empty() ? r.text : fmt::format("{}: {}", r.meaning, r.text);
  if (!r.source.empty()) s += " at " + r.source;
  return s;
}

std::string line(const ptx::Module& module, const std::vector<Refusal>& why) {
  const auto& first = why.at(0);
  std::string s;
  try {
    ptx::fail(module, first.ptx_line, first.what);
  } catch (const ptx::Error& error) {
    s = error.what();
  }
  if (!first.meaning.empty()) s += fmt::format(" ({})", first.meaning);
  for (std::size_t k = 1; k < why.size(); ++k) s += (k == 1 ? "; also " : ", ") + worded(why[k]);
  return s;
}

}  // namespace

RefusedKernel::RefusedKernel(const ptx::Module& module, std::vector<Refusal> why)
    : ptx::Error(line(module, why)), reasons(std::move(why)) {}

std::string_view meaning_of(const ptx::Instruction& i) {
  std::string text(i.opcode);
  for (const auto x : i.suffixes) text.append(".").append(x);
  if (i.opcode == "call") text = "call " + std::string(i.callee);
  const auto it = std::ranges::find_if(subjects, [&](const Subject& s) {
    const auto at = text.find(s.key);
    return s.key.front() == '.' ? at != text.npos : at == 0;
  });
  return it == std::end(subjects) ? std::string_view{} : it->words;
}

}  // namespace gauntlet::simt
