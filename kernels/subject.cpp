// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/subject.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/spelling.hpp"
#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "kernels/written.hpp"
#include "machine/engine/module.hpp"
#include "properties/language/source.hpp"
#include "properties/language/tiles.hpp"

namespace gauntlet::kernels {

const std::vector<Variant>& Catalogue::variants() const { return catalogue(); }

std::vector<Instance> Catalogue::instances(std::string_view variant, std::string_view form) const {
  return kernels::instances(variant, form);
}

std::string Catalogue::kernel_name(const std::string& entry) const {
  return spec::kernel_called(entry);
}

Plan Catalogue::plan(const Case& c) const { return kernels::plan(c); }

Verdict Catalogue::judge(const Case& c, const Plan& plan, const Observation& seen) const {
  return gauntlet::judge(c, plan, seen);
}

std::vector<std::uint32_t> Catalogue::blocks(const Case& c) const {
  const Row* const row = find_row(c.variant);
  return row == nullptr ? std::vector<std::uint32_t>{} : spec::blocks_of(row->written->loaded(c));
}

std::vector<std::string> Catalogue::texts() const {
  std::vector<std::string> texts;
  for (const Image& image : images()) texts.push_back(properties::code_of(image.ptx));
  return texts;
}

const Catalogue& compiled_kernels() {
  static const Catalogue catalogue;
  return catalogue;
}

namespace {

const Row& row_of(const Case& c) {
  if (images().empty()) throw CaseError(std::string(no_catalogue));
  if (const Row* const row = find_row(c.variant)) return *row;
  std::vector<std::string_view> ids;
  for (const Variant& v : catalogue()) ids.push_back(v.id);
  throw CaseError(unknown_word("variant", c.variant, ids, all_variants));
}

void require_form(const Variant& variant, const Case& c) {
  if (variant.form(c.form) != nullptr) return;
  std::vector<std::string_view> names;
  for (const Form& f : variant.forms) names.push_back(f.name);
  throw CaseError(unknown_word(fmt::format("form of {}", variant.id), c.form, names));
}

std::string types_text(Type in, Type acc, Op op) {
  return fmt::format("{}->{} {}", name(in), name(acc), name(op));
}

void require_instance(const Case& c) {
  const std::vector<Instance>& compiled = instances(c.variant, c.form);
  if (std::ranges::binary_search(compiled, Instance{c.in, c.acc, c.op})) return;
  std::vector<std::string> texts;
  for (const Instance& i : compiled) texts.push_back(types_text(i.in, i.acc, i.op));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  throw CaseError(unknown_word(fmt::format("types of {}@{}", c.variant, c.form),
                               types_text(c.in, c.acc, c.op), views));
}

}  // namespace

// Modules are read once, the kernels in them when they are first launched.
std::shared_ptr<const simt::Module> module_named(const std::string& name) {
  struct Slot {
    std::once_flag once;
    std::shared_ptr<const simt::Module> module;
  };
  static std::mutex mutex;
  static std::map<std::string, Slot> cache;
  Slot* slot = nullptr;
  {
    const std::lock_guard lock(mutex);
    slot = &cache[name];
  }
  std::call_once(slot->once, [&] {
    for (const auto& image : images()) {
      if (image.module == name) {
        slot->module = simt::load_on_demand(std::string(image.ptx), name + ".ptx");
      }
    }
  });
  if (slot->module == nullptr) throw CaseError("no kernel module named " + name);
  return slot->module;
}

Plan plan(const Case& c) {
  const Row& row = row_of(c);
  require_form(row.variant, c);
  require_instance(c);
  Plan plan = spec::plan(row.written->loaded(c), c);
  plan.module = module_named;
  return plan;
}

Case resolved(Case c) { return c.grid != 0 ? c : gauntlet::resolved(c, plan(c)); }

Observation run(Executor& executor, const Case& c) { return executor.run(c, plan(c)); }

}  // namespace gauntlet::kernels
