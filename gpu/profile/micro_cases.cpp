// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/profile/micro_cases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/numbers.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/subject.hpp"
#include "machine/counters/counters.hpp"
#include "properties/launch/simt_executor.hpp"

namespace gauntlet::profile {
namespace {

constexpr const char* accesses[] = {"b8", "b16", "b32", "b64", "b128"};

template <class F>
BankPattern pattern(std::string name, F index_of, std::uint32_t mask = 0xFFFF'FFFF) {
  BankPattern p{std::move(name), {}, mask};
  for (std::uint32_t l = 0; l < 32; ++l) p.index.push_back(index_of(l));
  return p;
}

/// Patterns in which lanes share elements, in every way that a pass could make use of.
std::vector<BankPattern> sharing() {
  return {
      pattern("broadcast", [](auto) { return 5U; }),
      pattern("pairs", [](auto l) { return l / 2; }),
      pattern("pairs far apart", [](auto l) { return l / 2 * 16; }),
      pattern("every other alike", [](auto l) { return l / 4 * 2 + l % 2; }),
      pattern("every other alike, far apart", [](auto l) { return (l / 4 * 2 + l % 2) * 16; }),
      pattern("fours", [](auto l) { return l / 4; }),
      pattern("eights", [](auto l) { return l / 8; }),
      pattern("distance 4 alike", [](auto l) { return l / 8 * 4 + l % 4; }),
      pattern("quarters alike", [](auto l) { return l % 8; }),
      pattern("halves alike", [](auto l) { return l % 16; }),
      pattern("reversed", [](auto l) { return 31 - l; }),
      pattern("one pair differs", [](auto l) { return l == 1 ? 100U : l / 2; }),
      pattern("two words", [](auto l) { return l < 16 ? 0U : 32U; }),
  };
}

/// Patterns in which only some lanes take part.
std::vector<BankPattern> partial(std::initializer_list<std::uint32_t> strides) {
  std::vector<BankPattern> all;
  for (const std::uint32_t mask :
       {0x1U, 0x8000'0000U, 0xFFU, 0xFFFFU, 0xFFFF'0000U, 0x00FF'00FFU, 0x5555'5555U, 0x3333'3333U,
        0x0F0F'0F0FU, 0x1111'1111U, 0x0001'0001U, 0x7FFF'FFFFU}) {
    for (const std::uint32_t stride : strides) all.push_back(bank_stride(stride, mask));
  }
  return all;
}

/// Any lanes, any elements.
std::vector<BankPattern> scattered(std::uint32_t count, std::uint32_t elements, bool some_lanes) {
  std::mt19937 random(20 + elements);
  std::vector<BankPattern> all;
  for (std::uint32_t k = 0; k < count; ++k) {
    all.push_back(pattern(fmt::format("random={} of {}", k, elements),
                          [&](auto) { return static_cast<std::uint32_t>(random() % elements); }));
    if (!some_lanes) continue;
    all.back().mask = static_cast<std::uint32_t>(random());
    all.back().name += fmt::format(" mask=0x{:08x}", all.back().mask);
  }
  return all;
}

/// Few lanes, neighbours at `distance` with the same element, or all but one of them.
std::vector<BankPattern> sparse(std::uint32_t count, std::uint32_t distance) {
  std::mt19937 random(40 + distance);
  std::vector<BankPattern> all;
  for (std::uint32_t k = 0; k < count; ++k) {
    std::vector<std::uint32_t> element(32);
    for (auto& e : element) e = static_cast<std::uint32_t>(random() % 128);
    auto p = pattern(
        fmt::format("sparse={}.{}", distance, k), [&](auto l) { return element[l & ~distance]; },
        static_cast<std::uint32_t>(random() | random()));
    if (k % 3 == 2) p.index[random() % 32] = 77;
    if (k % 3 == 1) p.mask &= static_cast<std::uint32_t>(random());
    p.name += fmt::format(" mask=0x{:08x}", p.mask);
    all.push_back(std::move(p));
  }
  return all;
}

template <class... Lists>
std::vector<BankPattern> joined(const Lists&... lists) {
  std::vector<BankPattern> all;
  (all.insert(all.end(), lists.begin(), lists.end()), ...);
  return all;
}

std::vector<BankPattern> strides(std::initializer_list<std::uint32_t> some) {
  std::vector<BankPattern> all;
  for (const auto s : some) all.push_back(bank_stride(s));
  return all;
}
std::vector<BankPattern> strides_to(std::uint32_t last) {
  std::vector<BankPattern> all;
  for (std::uint32_t s = 1; s <= last; ++s) all.push_back(bank_stride(s));
  return all;
}

void add_banks(std::vector<MicroCase>& to, const std::string& entry,
               const std::vector<BankPattern>& patterns) {
  for (const auto& p : patterns) {
    to.push_back({fmt::format("banks:{} {}", entry, p.name), bank_call(entry, p)});
  }
}

void add_coalescing(std::vector<MicroCase>& to, const std::string& entry,
                    const CoalescingPattern& p) {
  to.push_back({fmt::format("coalescing:{} block={} offset={} alike={} stride={}", entry, p.block,
                            p.offset, p.alike, p.stride),
                coalescing_call(entry, p)});
}

}  // namespace

BankPattern bank_stride(std::uint32_t stride, std::uint32_t mask) {
  auto name = fmt::format("stride={}", stride);
  if (mask != 0xFFFF'FFFF) name += fmt::format(" mask=0x{:08x}", mask);
  return pattern(
      std::move(name), [=](auto l) { return l * stride; }, mask);
}

std::uint32_t access_bytes(std::string_view entry) {
  const auto bits = entry.substr(entry.find_last_not_of("0123456789") + 1);
  return parse_number<std::uint32_t>(bits).value_or(0) / 8;
}

Call bank_call(const std::string& entry, const BankPattern& pattern) {
  const std::uint32_t width = access_bytes(entry);
  const auto last = *std::max_element(pattern.index.begin(), pattern.index.end());
  const std::uint32_t words = ((last + 1) * width + 127) / 128 * 32;
  Call call("banks", entry, {1}, {32});
  call.shared_bytes = words * 4;
  call.in("index", pattern.index).value(pattern.mask).value(words);
  if (entry.starts_with("load")) {
    call.out<std::byte>("out", 32 * std::size_t{width});
    return call;
  }
  std::vector<std::uint8_t> value(32 * std::size_t{width});
  for (std::size_t k = 0; k < value.size(); ++k) value[k] = static_cast<std::uint8_t>(k % 100 + 1);
  call.in("value", value);
  const bool whole = entry.starts_with("store") || entry.starts_with("reduce");
  call.out<std::byte>("out", 32 * std::size_t{whole ? 4 : width});
  return call;
}

Call coalescing_call(const std::string& entry, const CoalescingPattern& p) {
  const std::uint32_t width = access_bytes(entry);
  const std::size_t apart =
      (p.offset + std::size_t{(p.threads - 1) / p.alike} * p.stride + 1) * width;
  const std::size_t in_order = std::size_t{p.threads} * width;
  const bool loads = entry.starts_with("load");
  Call call("coalescing", entry, {(p.threads + p.block - 1) / p.block}, {p.block});
  call.in("in", std::vector<std::uint8_t>(loads ? apart : in_order, 1));
  call.value(p.offset).value(p.alike).value(p.stride).value(p.threads);
  if (loads) {
    call.out<std::byte>("out", in_order);
  } else {
    call.inout("out", std::vector<std::uint8_t>(apart, 0));
  }
  if (entry.starts_with("atomic")) call.out<std::byte>("old", in_order);
  return call;
}

std::vector<MicroCase> micro_cases() {
  std::vector<MicroCase> all;
  for (const std::string name : accesses) {
    const std::uint32_t width = access_bytes(name);
    auto patterns = joined(sharing(), scattered(4, 256, false), scattered(4, 128, true));
    if (width < 4) {
      patterns = joined(strides({1, 2, 3, 4, 8, 33, 64, 128, 132}), patterns);
    } else if (width == 4) {
      patterns = joined(strides_to(33), patterns, partial({1, 8}));
    } else {
      patterns = joined(strides({1, 2, 3, 4, 5, 8, 16, 17, 32, 33}), patterns, partial({1}),
                        sparse(12, 1), sparse(12, 2));
    }
    add_banks(all, "load_" + name, patterns);
    add_banks(all, "store_" + name, patterns);
  }
  const auto atomic_patterns = joined(strides({1, 2, 3, 32, 33}), sharing(),
                                      scattered(3, 64, false), scattered(3, 128, true));
  for (const auto* entry : {"atomic_add_u32", "reduce_add_u32"}) {
    add_banks(all, entry, atomic_patterns);
  }
  for (const auto* entry : {"atomic_max_u32", "atomic_exch_u32"}) {
    add_banks(all, entry, joined(strides({1, 32}), sharing()));
  }
  add_banks(all, "atomic_exch_u64", atomic_patterns);
  // ptxas makes a loop of this one.
  add_banks(all, "atomic_add_u64", strides({1, 2}));
  for (const auto* entry : {"column_of_32", "column_of_33"}) {
    Call call("banks", entry, {1}, {32});
    call.value(std::uint32_t{3}).out<std::uint32_t>("out", 32);
    all.push_back({fmt::format("banks:{}", entry), std::move(call)});
  }

  for (std::uint32_t stride = 1; stride <= 33; ++stride) {
    for (const std::uint32_t block : {8U, 32U, 48U}) {
      add_coalescing(all, "load_b32", {.block = block, .offset = stride % 2, .stride = stride});
    }
  }
  for (const auto* name : accesses) {
    for (const auto* what : {"load", "store"}) {
      const auto entry = fmt::format("{}_{}", what, name);
      for (const std::uint32_t stride : {1U, 2U, 3U, 8U, 33U}) {
        add_coalescing(all, entry, {.block = 48, .offset = 1, .stride = stride});
      }
      for (const std::uint32_t block : {8U, 64U}) {
        add_coalescing(all, entry, {.block = block});
        add_coalescing(all, entry, {.block = block, .alike = 3});
      }
      add_coalescing(all, entry, {.stride = 0});
    }
  }
  for (const auto* name : {"reduce_u32", "reduce_f32", "reduce_u64", "atomic_u32", "atomic_f32"}) {
    for (const std::uint32_t stride : {0U, 1U, 2U, 8U}) {
      add_coalescing(all, name, {.block = 48, .offset = 1, .stride = stride});
    }
    for (const std::uint32_t alike : {2U, 3U, 7U}) {
      for (const std::uint32_t stride : {1U, 8U}) {
        add_coalescing(all, name, {.block = 48, .alike = alike, .stride = stride});
      }
    }
  }
  return all;
}

std::vector<Case> form_cases() {
  struct Size {
    std::uint64_t n;
    std::uint32_t block;
  };
  std::vector<Case> all;
  for (const auto& variant : kernels::catalogue()) {
    for (const auto& [n, block] : {Size{4096, 256}, Size{1000, 128}, Size{777, 48}}) {
      const TypePair types = variant.documented_types.front();
      Case c = case_for(variant.id, "fixed", {types.in, types.acc, Op::sum});
      c.n = n;
      c.block = block;
      c.grid = 0;
      const auto plan = kernels::plan(c);
      if (!plan.refusal.empty()) continue;
      // How often a block looks for the value of another one is a matter of time.
      if (variant.waits_for_blocks && plan.grid > 1) continue;
      c.grid = plan.grid;
      all.push_back(c);
    }
  }
  return all;
}

std::vector<Case> issue_cases() {
  std::vector<Case> cases;
  for (const char* variant : {"interleaved_atomic", "wide_active", "int4_through_shared"}) {
    for (const int block : {8, 32, 256}) {
      cases.push_back(kernels::compiled_kernels().completed(
          parse_case(fmt::format("{}@fixed i32->i32 sum n=100000000 block={}", variant, block))));
    }
  }
  return cases;
}

void count_cases(const std::function<void(const Json& line)>& take) {
  const auto give = [&](const std::string& name, const std::vector<simt::LineCounters>& launches) {
    Json line;
    line["case"] = name;
    write_json(line["launches"], launches);
    take(line);
  };
  const auto runner = simt_runner();
  for (const MicroCase& micro : micro_cases()) {
    give(micro.name, {runner(micro.call).profile.total});
  }
  simt::Profile profile;
  const auto executor = simt::make_executor({.profile = &profile});
  for (const Case& c : form_cases()) {
    profile.launches.clear();
    (void)executor->run(c, kernels::plan(c));
    std::vector<simt::LineCounters> launches;
    for (const auto& launch : profile.launches) launches.push_back(launch.total);
    give(to_string(c), launches);
  }
}

}  // namespace gauntlet::profile
