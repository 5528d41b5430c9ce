// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/host_memory.hpp"
#include "base/scalar.hpp"
#include "properties/hunt/value.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/evaluate.hpp"
#include "properties/language/host.hpp"
#include "properties/language/source.hpp"
#include "properties/launch/case_run.hpp"
#include "properties/oracle/data.hpp"
#include "properties/oracle/element.hpp"
#include "sanitizer/kernel/npy.hpp"

namespace gauntlet::spec {
namespace {

/// The type in which sums of the inputs should be exact.
Type narrowest(const Spec& spec, Type own) {
  Type type = own;
  for (const Result& result : spec.results) {
    const Type other = arithmetic_type(spec, result);
    if (format_of(other).precision() < format_of(type).precision()) type = other;
  }
  return type;
}

/// Whole numbers are kept so small that squares and products of two still add up exactly.
std::vector<std::byte> drawn(const Spec& spec, const Case& c, const Array& array, std::size_t index,
                             std::uint64_t count) {
  Case own;
  own.in = array.type;
  own.acc = is_float(array.type) ? narrowest(spec, array.type) : array.type;
  own.n = count;
  own.data = c.data;
  own.seed = c.seed + 1000003 * index;
  Recipe recipe = make_recipe(own);
  if (is_float(array.type) && count != 0) {
    const double budget = std::ldexp(1.0, format_of(own.acc).precision()) - 1;
    const auto root = static_cast<std::uint64_t>(std::sqrt(budget / static_cast<double>(count)));
    recipe.limit = std::min(recipe.limit, std::max<std::uint64_t>(root, 1));
    recipe.wrap = std::min(recipe.wrap, std::max<std::uint64_t>(root, 2));
  }
  return make_elements(recipe, 0, count);
}

/// 0, 1, ... in an order that the seed decides (Fisher and Yates).
void shuffle(const Array& array, std::uint64_t seed, std::uint64_t count,
             std::vector<std::byte>& bytes) {
  const std::size_t size = size_of(array.type);
  if (count != 0 && extend(count - 1, size, is_signed(array.type)) != count - 1) {
    array.where.fail(fmt::format("{} does not fit into {}", count - 1, name(array.type)));
  }
  std::vector<std::uint64_t> order(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    order[i] = i;
    std::swap(order[i], order[mix64(seed + 0x9e3779b97f4a7c15ULL * (i + 1)) % (i + 1)]);
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    store_bits(array.type, bytes.data() + i * size, order[i]);
  }
}

/// In ascending order; what is not a number comes last.
void sort(Type type, std::vector<std::byte>& bytes) {
  const std::size_t size = size_of(type);
  std::vector<std::uint64_t> all;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    all.push_back(load_bits(type, bytes.data() + at));
  }
  std::ranges::stable_sort(all, [&](std::uint64_t a, std::uint64_t b) {
    const auto x = properties::from_bits(type, a), y = properties::from_bits(type, b);
    return std::isnan(x.real) || std::isnan(y.real) ? std::isnan(y.real) && !std::isnan(x.real)
                                                    : properties::less(x, y);
  });
  for (std::size_t k = 0; k < all.size(); ++k) store_bits(type, bytes.data() + k * size, all[k]);
}

/// Element by element, of an expression that may name the element's index and those before it.
void evaluate(const Loaded& loaded, Evaluator& evaluator, const Plan& plan, std::size_t index,
              std::uint64_t seed, std::vector<std::byte>& bytes) {
  const Array& array = loaded.program.spec.arrays[index];
  const std::size_t size = size_of(array.type);
  std::vector<View> views = views_of(loaded, plan, evaluator);
  views.resize(index);
  views.push_back({bytes, 0, evaluator.count(array.extents.back())});
  evaluator.set_arrays(std::move(views));
  for (std::uint64_t i = 0; i * size < bytes.size(); ++i) {
    evaluator.slot(loaded.program.index_slot) = static_cast<std::int64_t>(i);
    evaluator.set_count(index, i);
    const Expression& content = array.list.empty() ? array.content : array.list[i].value;
    const bool address = !array.list.empty() && array.list[i].pointer();
    store_bits(array.type, bytes.data() + i * size,
               address ? 0 : evaluator.bits(content, array.type, seed, array.wraps));
  }
}

/// The content of an array, made of those that `plan` has.
std::vector<std::byte> content_of(const Loaded& loaded, Evaluator& evaluator, const Case& c,
                                  const Plan& plan, std::size_t index, std::uint64_t count) {
  const Spec& spec = loaded.program.spec;
  const Array& array = spec.arrays[index];
  if (!array.filled()) return {};
  const Expression& content = array.content;
  const std::uint64_t seed = c.seed + 1000003 * index;
  const std::uint64_t size = count * size_of(array.type);
  const bool one = content.present() && (content.kind == Expression::Kind::integer ||
                                         content.kind == Expression::Kind::real);
  std::vector<std::byte> bytes;
  if (!array.file.empty()) {
    bytes = array.where.told(
        [&] { return sanitize::read_npy(spec.beside(array.file), array.type, count); });
  } else if (array.identity) {
    bytes = repeated(array.type, identity_bits(array.type, *array.identity), size);
  } else if (!array.content.present() && !array.permutation) {
    bytes = drawn(spec, c, array, index, count);
  } else if (one && array.list.empty()) {
    bytes = repeated(array.type, evaluator.bits(content, array.type, seed), size);
  } else {
    bytes.resize(size);
    if (array.permutation) {
      shuffle(array, seed, count, bytes);
    } else {
      evaluate(loaded, evaluator, plan, index, seed, bytes);
    }
  }
  if (array.sorted) sort(array.type, bytes);
  return bytes;
}

/// The addresses of a list.
std::vector<Pointer> pointers_of(const Loaded& loaded, Evaluator& evaluator, std::size_t index) {
  std::vector<Pointer> all;
  const Array& array = loaded.program.spec.arrays[index];
  for (std::size_t k = 0; k < array.list.size(); ++k) {
    if (!array.list[k].pointer()) continue;
    all.push_back(pointer_to(loaded, evaluator, array.list[k], array.where));
    all.back().at = k * size_of(array.type);
  }
  return all;
}

/// The launches of the passes before the last one, with outputs of their own: what the last one
/// does not write must not be taken for written. Nothing is refilled.
void rehearse(const Spec& spec, Plan& plan) {
  if (spec.repeat == 1) return;
  std::vector<Launch> pass = plan.launches;
  for (std::uint32_t k = 0; k < spec.arrays.size(); ++k) {
    if (spec.arrays[k].role != Role::out) continue;
    const auto copy = static_cast<std::uint32_t>(plan.buffers.size());
    plan.buffers.push_back(Buffer(plan.buffers[k]));
    for (Launch& launch : pass) {
      std::ranges::replace(launch.args, Arg::of_array(Plan::buffer(k)),
                           Arg::of_array(Plan::buffer(copy)));
    }
  }
  std::vector<Launch> all;
  for (std::uint32_t k = 1; k < spec.repeat; ++k) all.insert(all.end(), pass.begin(), pass.end());
  plan.rehearsals += static_cast<std::uint32_t>(all.size());
  all.insert(all.end(), plan.launches.begin(), plan.launches.end());
  plan.launches = std::move(all);
}

/// A result says what a scratch array holds.
bool judged(const Spec& spec, Evaluator& evaluator, std::size_t array) {
  return std::ranges::any_of(spec.results, [&](const Result& r) {
    return r.array == array && (!r.only.present() || evaluator.integer(r.only) != 0);
  });
}

constexpr std::uint64_t most_elements = std::uint64_t{1} << 32;

/// Number `k`, with what lies in it before the launches.
void add_array(const Loaded& loaded, Evaluator& evaluator, const Case& c, std::size_t k,
               std::optional<Tiles>& tiles, Plan& plan) {
  const Spec& spec = loaded.program.spec;
  const Array& array = spec.arrays[k];
  const std::uint64_t count = tiles ? tiles->elements(k) : elements_of(spec, evaluator, k);
  const std::size_t size = size_of(array.type);
  if (count > most_elements && (k != 0 || !tiles)) {
    array.where.fail(fmt::format("{} elements; at most 2^32 are tried", count));
  }
  const bool due = array.role == Role::out || array.role == Role::inout;
  const std::string symbol = array.symbol ? symbol_in(loaded, evaluator, k) : std::string{};
  if (judged(spec, evaluator, k) || (!array.symbol && (due || array.kept))) {
    plan.observed.push_back({array.name, count, {}, array.type, symbol});
  }
  if (array.symbol) {
    if (!array.filled()) return;
    plan.variables.push_back({symbol, content_of(loaded, evaluator, c, plan, k, count),
                              pointers_of(loaded, evaluator, k)});
    return;
  }
  Buffer buffer{array.name, count * size, static_cast<std::uint32_t>(size)};
  // Each array begins at its own multiple of what its alignment allows.
  buffer.offset = array.offset.value_or(c.offset / array.align * array.align);
  if (!tiles) {
    buffer.content = content_of(loaded, evaluator, c, plan, k, count);
  } else if (array.identity || array.content.present()) {
    buffer.fill = array.identity ? Fill::identity : Fill::zero;
  }
  buffer.pointers = pointers_of(loaded, evaluator, k);
  buffer.pad = evaluator.pad(k) * size;
  if (array.pad_content.present()) {
    buffer.pad_content =
        repeated(array.type, evaluator.bits(array.pad_content, array.type), buffer.pad);
  }
  buffer.read_only = array.role == Role::in;
  buffer.output = due || array.role == Role::open;
  buffer.floats = array.type == Type::f32;
  plan.buffers.push_back(std::move(buffer));
}

/// Before any content is made: arrays that do not fit twice, as they are given and as they are
/// read. The host is not asked for little, as by most of the cases of a check.
void check_arrays(const Spec& spec, Evaluator& evaluator) {
  double bytes = 0;
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    const Array& array = spec.arrays[k];
    if (array.allocated) continue;
    const std::uint64_t count = elements_of(spec, evaluator, k);
    if (count > most_elements) return;  // which add_array refuses
    bytes += static_cast<double>(count * size_of(array.type));
  }
  if (bytes < 64 << 20) return;
  const std::string line = too_large("a case of these sizes", "needs, for its arrays alone,",
                                     2 * bytes, memory_available());
  if (!line.empty()) throw CaseError(line + "; take smaller ones");
}

/// Of sizes that the spec does not draw, and of blocks that the kernel is not compiled for.
std::string refusal_of_sizes(const Loaded& loaded, const Case& c, Sizes which) {
  const Spec& spec = loaded.program.spec;
  const std::vector<std::uint32_t> compiled = blocks_of(loaded);
  if (spec.tiled && !compiled.empty() && !std::ranges::binary_search(compiled, c.block)) {
    return fmt::format("block={}: the kernel has its block size as a constant; take one of {}",
                       c.block, fmt::join(compiled, ", "));
  }
  const std::vector<std::uint64_t> all = values(spec, c);
  for (std::size_t k = 0; k < all.size() && which == Sizes::of_the_spec; ++k) {
    const Size& size = spec.sizes[k];
    // Tiles are of any n, and of any number of blocks that covers it.
    if (size.allows(all[k]) || (spec.tiled && size.name != "block")) continue;
    return fmt::format("{}={}: the spec allows {}", size.name, all[k], size.domain());
  }
  return {};
}

}  // namespace

std::vector<std::uint64_t> values(const Spec& spec, const Case& c) {
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (c.n > most) throw CaseError(fmt::format("n={}: at most {}", c.n, most));
  std::vector<std::uint64_t> sizes;
  for (const Size& size : spec.sizes) {
    const auto named = std::ranges::find(c.sizes, size.name, &NamedSize::name);
    sizes.push_back(named != c.sizes.end() ? named->value
                    : size.name == "n"     ? c.n
                    : size.name == "block" ? c.block
                                           : std::max(c.grid, 1U));
  }
  return sizes;
}

std::uint64_t elements_of(const Spec& spec, Evaluator& evaluator, std::size_t index) {
  const Array& array = spec.arrays[index];
  const std::uint64_t count = evaluator.elements(index);
  const std::uint64_t has = !array.file.empty()   ? array.where.told([&] {
    return sanitize::npy_count(spec.beside(array.file), array.type);
  })
                            : !array.list.empty() ? array.list.size()
                                                  : count;
  if (has == count) return count;
  array.where.fail(
      fmt::format("the content has {} element{}, the array {}; leave its size out, {}:{}[]", has,
                  has == 1 ? "" : "s", count, array.name, name(array.type)));
}

std::string refusal(const Loaded& loaded, const Case& c) {
  Evaluator evaluator(loaded.program, values(loaded.program.spec, c), c.offset);
  std::vector<Launch> launches;
  std::uint32_t rehearsals = 0;
  return make_launches(loaded, evaluator, launches, rehearsals);
}

Plan plan(const Loaded& loaded, const Case& c, Sizes sizes) {
  const Spec& spec = loaded.program.spec;
  Plan plan;
  plan.takes_input = spec.tiled;
  plan.capability = loaded.capability;
  if (loaded.module) plan.module = [of = loaded.module](const std::string&) { return of; };
  plan.refusal = refusal_of_sizes(loaded, c, sizes);
  if (!plan.refusal.empty()) return plan;
  Evaluator evaluator(loaded.program, values(spec, c), c.offset);
  std::optional<Tiles> tiles;
  if (spec.tiled) plan.refusal = tiles.emplace(loaded, evaluator, c).refusal();
  if (plan.refusal.empty()) {
    plan.refusal = make_launches(loaded, evaluator, plan.launches, plan.rehearsals);
  }
  if (!plan.refusal.empty()) {
    plan.launches.clear();
    return plan;
  }
  if (!tiles) check_arrays(spec, evaluator);
  for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
    if (!spec.arrays[k].allocated) add_array(loaded, evaluator, c, k, tiles, plan);
  }
  rehearse(spec, plan);
  if (loaded.host != nullptr) plan = loaded.host->complete(c, std::move(plan));
  if (tiles) tiles->complete(plan);
  return plan;
}

}  // namespace gauntlet::spec
