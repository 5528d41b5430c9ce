// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "kernels/catalogue.hpp"
#include "kernels/images.hpp"
#include "kernels/subject.hpp"
#include "machine/engine/module.hpp"
#include "properties/hunt/subject.hpp"
#include "subject.hpp"

namespace gauntlet::net {
namespace {

class LoadedForm final : public Loaded {
 public:
  LoadedForm(const Text& text, std::string name)
      : name_(std::move(name)), module_(simt::load_module(text.ptx, name_ + ".ptx")) {}

  static constexpr Data sets[] = {Data::uniform,        Data::identities,      Data::with_nan,
                                  Data::with_infinity,  Data::negative_zero,   Data::cancelling,
                                  Data::small_integers, Data::ill_conditioned, Data::iota};

  [[nodiscard]] unsigned data_sets() const override { return std::size(sets) - 1; }
  /// Of the data that the catalogue knows.
  [[nodiscard]] static Case with_data(Case c, unsigned telling) {
    c.data = sets[telling];
    c.seed += telling;
    return c;
  }
  [[nodiscard]] Trial trial(const Case& c, unsigned telling) const override {
    const Case with = with_data(c, telling);
    return {with, kernels::plan(with),
            with.data != Data::with_nan && with.data != Data::with_infinity};
  }
  [[nodiscard]] prove::Proof prove(const Case& c) override {
    return prove::prove(c, kernels::plan(c), {.module = module()});
  }
  [[nodiscard]] std::unique_ptr<Executor> machine(simt::ExecutorOptions options) const override {
    options.module = module();
    return simt::make_executor(options);
  }
  [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                              const Observation& seen) const override {
    return kernels::compiled_kernels().judge(c, plan, seen);
  }

 private:
  [[nodiscard]] std::function<std::shared_ptr<const simt::Module>(const std::string&)> module()
      const {
    return [this](const std::string& wanted) -> std::shared_ptr<const simt::Module> {
      return wanted == name_ ? module_ : nullptr;
    };
  }
  std::string name_;
  std::shared_ptr<const simt::Module> module_;
};

}  // namespace

std::vector<Subject> forms_that_hold(unsigned instances, unsigned shapes) {
  struct Shape {
    std::uint64_t n;
    std::uint32_t block;
  };
  static constexpr Shape sizes[] = {{1000, 128}, {97, 64}, {31, 32}};
  std::vector<Subject> all;
  for (const auto& v : kernels::catalogue()) {
    for (const auto& f : v.forms) {
      if (!f.expected.empty()) continue;
      const auto compiled = kernels::instances(v.id, f.name);
      // As far apart in the list as they can be.
      const auto step = std::max<std::size_t>(1, compiled.size() / std::max(1U, instances));
      for (std::size_t k = 0; k < compiled.size() && k / step < instances; k += step) {
        const auto& i = compiled[k];
        Subject subject;
        std::set<std::string> entries, modules;
        for (const auto& size : sizes) {
          Case c = case_for(v.id, f.name, i);
          c.n = size.n;
          c.block = size.block;
          c.grid = 0;
          c.data = Data::uniform;
          const Plan plan = kernels::plan(c);
          if (!plan.refusal.empty() || subject.shapes.size() >= shapes) continue;
          subject.shapes.push_back(resolved(c, plan));
          for (const auto& launch : plan.launches) {
            entries.insert(launch.entry);
            modules.insert(launch.module);
          }
        }
        if (modules.size() != 1) continue;  // nothing to launch, or kernels of several files
        const auto module = *modules.begin();
        for (const auto& image : kernels::images()) {
          if (image.module == module) {
            subject.text.ptx = only_entries(image.ptx, {entries.begin(), entries.end()});
          }
        }
        subject.name = v.id + "@" + f.name + " " + std::string(name(i.in)) + "->" +
                       std::string(name(i.acc)) + " " + std::string(name(i.op));
        subject.load = [module](const Text& text) {
          return std::make_unique<LoadedForm>(text, module);
        };
        all.push_back(std::move(subject));
      }
    }
  }
  return all;
}

}  // namespace gauntlet::net
