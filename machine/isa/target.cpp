// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "machine/isa/product_rows.hpp"

#ifdef GAUNTLET_TARGET_V3
#include <cpuid.h>
#endif

#include "base/case_error.hpp"

namespace gauntlet::simt {

#ifdef GAUNTLET_TARGET_V3
namespace x86_64_v3 {
std::span<const Handler> hot_handlers();
const WarpCode& hot_warp_code();
const ProductRows& product_rows_of_target();
}  // namespace x86_64_v3
#endif

namespace {

struct Target {
  std::string_view name;
  std::span<const Handler> (*handlers)();
  const WarpCode& (*warp_code)();
  const ProductRows& (*product_rows)();
};

#ifdef GAUNTLET_TARGET_V3
/// All that -march=x86-64-v3 lets a compiler use (System V ABI for x86-64, 3.1.1). Without LZCNT
/// its code would run and count wrongly. Compilers differ in which names __builtin_cpu_supports
/// knows, so what is missing there is asked of the processor.
bool is_v3() {
  unsigned a = 0, b = 0, c1 = 0, c_extended = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c1, &d) == 0) return false;
  if (__get_cpuid(0x8000'0001, &a, &b, &c_extended, &d) == 0) return false;
  constexpr unsigned movbe = 1U << 22, f16c = 1U << 29, lzcnt = 1U << 5;
  __builtin_cpu_init();  // also asks whether the system keeps AVX registers
  return (c1 & movbe) != 0 && (c1 & f16c) != 0 && (c_extended & lzcnt) != 0 &&
         __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}
#endif

std::vector<Target> runnable() {
  std::vector<Target> all = {{"baseline", &baseline::hot_handlers, &baseline::hot_warp_code,
                              &baseline::product_rows_of_target}};
#ifdef GAUNTLET_TARGET_V3
  if (is_v3()) {
    all.push_back({"x86-64-v3", &x86_64_v3::hot_handlers, &x86_64_v3::hot_warp_code,
                   &x86_64_v3::product_rows_of_target});
  }
#endif
  return all;
}

Target choose() {
  const auto all = runnable();
  const char* named = std::getenv(target_variable);
  if (named == nullptr || *named == '\0') return all.back();
  const auto it = std::ranges::find(all, std::string_view(named), &Target::name);
  if (it == all.end()) {
    throw CaseError(fmt::format("{}={}: this processor has {}", target_variable, named,
                                fmt::join(targets(), " and ")));
  }
  return *it;
}

const Target& chosen() {
  static const Target target = choose();
  return target;
}

std::unordered_map<Handler, Handler> replacements() {
  std::unordered_map<Handler, Handler> to;
  const auto from = baseline::hot_handlers(), fast = chosen().handlers();
  for (std::size_t k = 0; k < from.size(); ++k) to.emplace(from[k], fast[k]);
  return to;
}

}  // namespace

std::vector<std::string_view> targets() {
  std::vector<std::string_view> names;
  for (const auto& target : runnable()) names.push_back(target.name);
  return names;
}

std::string_view target() { return chosen().name; }

std::span<const Handler> handlers_of(std::string_view target) {
  const auto all = runnable();
  return std::ranges::find(all, target, &Target::name)->handlers();
}

const WarpCode& warp_code() { return chosen().warp_code(); }

const ProductRows& product_rows() { return chosen().product_rows(); }

Handler for_target(Handler baseline) {
  static const auto to = replacements();
  const auto it = to.find(baseline);
  return it == to.end() ? baseline : it->second;
}

}  // namespace gauntlet::simt
