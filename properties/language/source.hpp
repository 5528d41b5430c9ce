// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Specs as a subject: the properties, the executors and shrinking see them as they see the
// catalogue's variants. A spec is a variant of the name of its file, with one form, or with those
// that its fixes make.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/os/temporary_folder.hpp"
#include "machine/engine/machine.hpp"
#include "properties/case/variant.hpp"
#include "properties/hunt/check.hpp"
#include "properties/hunt/subject.hpp"
#include "properties/language/evaluate.hpp"

namespace gauntlet::spec {

class Host;

/// A spec, as it reads for one form, one pair of types and one operator, with its kernels compiled
/// and decoded, ready to be run.
struct Loaded {
  Program program;
  std::string form = std::string(only_form);
  Instance instance{Type::f32, Type::f32, Op::sum};
  std::shared_ptr<const simt::Module> module;
  std::shared_ptr<Host> host;  ///< in place of a module; else null
  std::string ptx_file;        ///< absolute path; what launches name as their module; of a host's
                               ///< function its library
  /// PTX names, one for each launch, by the values of the spec's constants.
  std::map<std::vector<std::uint64_t>, std::vector<std::string>> entries;
  std::uint32_t capability = 0;  ///< that the PTX needs, 10 * major + minor
  bool inexact = false;  ///< atomics add floats, or instructions are approximate: right executors
                         ///< may differ in bits
  bool calls_fast = false;  ///< an instruction is approximate that no precise function has
  const std::atomic<bool>* interrupted = nullptr;  ///< as Specs was given it
};

/// A spec to be read.
struct Given {
  std::string path;
  std::string ptx_file =
      {};                 ///< that another process made of its kernels; empty: they are compiled
  std::string text = {};  ///< empty: the file's
  std::vector<std::string> flags = {};  ///< for nvcc, behind those of the spec
  std::string kernels_for = {};  ///< a verb that needs the launches which a function of the host
                                 ///< makes; empty: it is called
  bool compiled = true;          ///< else only what is said of its kernels is known: no plans
};

/// A spec that cannot be tried, and why, in one line.
struct Unusable {
  std::string path, why;
};

class Specs : public properties::Subject {
 public:
  /// Reads and compiles each file. `interrupted` lives on: a judgement looks at it, too, and where
  /// it takes longer than a moment throws Interrupted. Throws UsageError (one line) where a spec,
  /// its kernel or the kernel's signature does not fit; Interrupted where Ctrl-C ends the compiler.
  /// With `unusable`, what does not fit goes there where anything fits, and the others are read.
  Specs(const std::vector<Given>& given, const std::atomic<bool>& interrupted,
        std::vector<Unusable>* unusable = nullptr);
  Specs(const std::vector<std::string>& paths, const std::atomic<bool>& interrupted,
        std::vector<Unusable>* unusable = nullptr);

  [[nodiscard]] const std::vector<Variant>& variants() const override { return variants_; }
  [[nodiscard]] std::vector<Instance> instances(std::string_view variant,
                                                std::string_view form) const override;
  [[nodiscard]] std::string kernel_name(const std::string& entry) const override;
  [[nodiscard]] std::vector<std::string> texts() const override;
  [[nodiscard]] Plan plan(const Case& c) const override;
  [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                              const Observation& seen) const override;
  /// What one run shows by itself; where nothing else judges a value, other schedules do.
  [[nodiscard]] bool asks(const Case& c, std::string_view property) const override;
  [[nodiscard]] bool inexact(const Case& c, const Plan& plan) const override;
  [[nodiscard]] std::vector<std::uint32_t> blocks(const Case& c) const override;
  /// A case with all sizes of its spec in their order; with `tile` they are the case's own. Throws
  /// CaseError for a size that the spec does not have, lacks or does not allow.
  [[nodiscard]] Case completed(Case c) const override;
  /// Its formulas (properties/language/proof.hpp).
  [[nodiscard]] std::shared_ptr<prove::Claim> claim(const Case& c, const Plan& plan) const override;
  [[nodiscard]] Case draw(const properties::Population& of, std::uint64_t seed,
                          int size) const override;
  [[nodiscard]] std::vector<Case> few_threads(const Variant& variant, const gauntlet::Form& form,
                                              const std::vector<Case>& failing) const override;
  [[nodiscard]] std::vector<Case> typical(const Variant& variant,
                                          const gauntlet::Form& form) const override;
  /// Those beside the spec.
  [[nodiscard]] std::vector<std::string> unjudged(std::string_view variant) const override;
  [[nodiscard]] properties::Known known(std::string_view variant, std::string_view form,
                                        const std::string& folder) const override;
  [[nodiscard]] properties::Kept keep(const properties::CheckReport& report) const override;
  [[nodiscard]] std::vector<Case> sizes_to_prove(
      const properties::Population& of, std::uint64_t count,
      const std::function<bool()>& going_on) const override;
  [[nodiscard]] unsigned default_cases() const override;
  [[nodiscard]] unsigned parts() const override { return 16; }

  /// What another process is given to have the same.
  [[nodiscard]] std::vector<Given> given() const;
  /// Throws CaseError for a path that is not of these, or a form or types that its spec lacks.
  [[nodiscard]] const Loaded& loaded(const Case& c) const;
  /// Of a form, in the first combination that it is compiled in; empty: that with every fix.
  [[nodiscard]] const Loaded& loaded(std::string_view path, std::string_view form = {}) const;
  /// How its kernel adds at the sizes of a case (properties/language/proof.hpp); null where that is
  /// not known. Found once. From any thread.
  [[nodiscard]] const Heights* heights(const Case& c) const;

 private:
  [[nodiscard]] bool tiled(std::string_view path) const;
  /// As completed; a grid may be left open.
  [[nodiscard]] Case fitted(Case c) const;
  /// UsageError as the constructors throw it.
  void load(const Given& given, const std::atomic<bool>& interrupted);
  os::TemporaryFolder folder_;                  ///< of the PTX, for those who load it themselves
  std::vector<std::unique_ptr<Loaded>> specs_;  ///< those of one file one behind the other
  std::vector<Variant> variants_;
  mutable std::mutex heights_mutex_;
  mutable std::map<std::pair<const Loaded*, std::vector<std::uint64_t>>, std::optional<Heights>>
      heights_;
};

/// A kernel as its file calls it, by its entry's name.
[[nodiscard]] std::string kernel_called(const std::string& entry);

/// The values of a spec's sizes in a case that names them, or has n, block and grid of its own.
[[nodiscard]] std::vector<std::uint64_t> values(const Spec& spec, const Case& c);

/// Whether a plan may have sizes that the spec does not draw.
enum class Sizes : std::uint8_t { of_the_spec, any };

/// properties/language/plan.cpp: the arrays with their content, and the launches. A case that
/// `require` excludes, or that cannot be launched, is refused.
[[nodiscard]] Plan plan(const Loaded& loaded, const Case& c, Sizes sizes = Sizes::of_the_spec);

/// properties/language/launches.cpp: the launches of one pass; empty, or why the case is refused.
[[nodiscard]] std::string make_launches(const Loaded& loaded, Evaluator& evaluator,
                                        std::vector<Launch>& launches, std::uint32_t& rehearsals);

/// The address that a member is, at the begin of its bytes. Throws UsageError where its element
/// lies behind the array.
[[nodiscard]] Pointer pointer_to(const Loaded& loaded, Evaluator& evaluator, const Member& member,
                                 const Where& where);

/// The __device__ variable that is this array.
[[nodiscard]] std::string symbol_in(const Loaded& loaded, Evaluator& evaluator, std::size_t array);

/// How many elements an array has. Throws UsageError where its list or file has another number.
[[nodiscard]] std::uint64_t elements_of(const Spec& spec, Evaluator& evaluator, std::size_t array);

/// Why `require` excludes the case, or CUDA does not launch it; else empty. Nothing is filled.
[[nodiscard]] std::string refusal(const Loaded& loaded, const Case& c);

/// The arrays as results refer to them: their content before the launches. Of a plan that is being
/// made, those that it has.
[[nodiscard]] std::vector<View> views_of(const Loaded& loaded, const Plan& plan,
                                         Evaluator& evaluator);

/// properties/language/judge.cpp: what the arrays hold against the results; wrong_result.
/// `heights`: how the kernel adds at these sizes, asked for where that decides; may give null.
[[nodiscard]] Verdict judge(const Loaded& loaded, const Case& c, const Plan& plan,
                            const Observation& observation,
                            const std::function<const Heights*()>& heights = {});

/// The arrays that a program of the user judges, by index.
[[nodiscard]] std::vector<std::size_t> judged_by_program(const Spec& spec);

/// properties/language/draw.cpp: a case within the sizes' domains, biased to borders. `schedules`:
/// drawn more often than others; may be empty.
[[nodiscard]] Case draw(const Loaded& loaded, std::uint64_t seed, int size,
                        const std::vector<std::string>& schedules = {});

[[nodiscard]] std::string cases_path(std::string_view spec_path);

/// None where there is no such file. `completed` throws CaseError where a case does not fit the
/// spec any more: such a line is skipped, as is one that does not parse or is of another spec.
[[nodiscard]] properties::Known read_cases(std::string_view spec_path,
                                           const std::function<Case(const Case&)>& completed);

/// Adds the counterexamples of what a spec should not show that are not in its file yet.
properties::Kept keep_cases(const properties::CheckReport& report);

/// Of `.target sm_90a`: 90; 0 where there is none.
[[nodiscard]] std::uint32_t capability_of(std::string_view ptx);

/// A spec in every form and combination that its kernel is compiled in, the first form's first.
/// `ptx_file`: where its PTX is written. Throws UsageError, Interrupted.
[[nodiscard]] std::vector<std::unique_ptr<Loaded>> load_all(const Given& given,
                                                            const std::string& ptx_file,
                                                            const std::atomic<bool>& interrupted);

// The cases of a spec that are timed: as large as is asked for, whatever the sizes that `check`
// draws from.

/// The size n (or rows, or else the first one that is declared) is `n`, every other one the largest
/// of its domain; a block has 256 threads where the spec and its `require` allow that.
[[nodiscard]] Case timed_case(const Loaded& loaded, std::uint64_t n);

/// As plan, with any sizes.
[[nodiscard]] Plan timed_plan(const Loaded& loaded, const Case& c);

/// The elements whose plain sum, whole or in parts, is a result.
struct Summed {
  TypePair types;
  std::uint64_t n = 0;
};
[[nodiscard]] std::optional<Summed> plain_sum(const Loaded& loaded, const Case& c);

// Specs of reductions of one array, whose blocks take tiles of it: `tile EXPRESSION`. The oracle
// judges them, cases have n, block, grid and what lies behind the input, and n may be so large that
// blocks run in a window of some.
//
//   tile  2 * block                elements that a block takes; the tiles lie one behind another
//   size  blocks = 1..64           any grid covers n: a block takes every blocks-th tile
//   tile  block most 10240         blocks, at most
//   tile  block reach EXPRESSION   elements from the input's begin that a form may load, where
//                                  these are others than those of the tiles
//   size  rows = 1..32             of a block of several extents, `block=32,rows`: what makes it
//                                  the case's

/// Throws UsageError where the spec is none of such a reduction.
void check_tiles(const Spec& spec, const Instance& instance);

/// What the plan of such a case has beside that of any other.
class Tiles {
 public:
  /// `evaluator`: of the case's sizes.
  Tiles(const Loaded& loaded, Evaluator& evaluator, const Case& c);

  /// Elements that a block takes at a time.
  [[nodiscard]] std::uint64_t tile() const { return tile_; }
  /// Why the case cannot be launched; else the evaluator has its grid.
  [[nodiscard]] std::string refusal();
  /// Elements of an array: of a window its own.
  [[nodiscard]] std::uint64_t elements(std::size_t array);
  /// The first array, which is among the buffers, becomes the input; the launches get the grid, or
  /// the window; what they leave is observed. UsageError where results are not those of tiles.
  void complete(Plan& plan);

 private:
  void fit_block();
  void place(std::uint32_t grid);
  std::optional<std::uint64_t> count(std::string_view name);
  std::string refused_window(std::uint64_t grid);
  bool window() const { return c_.block_count != 0; }
  bool cells_of_window(std::size_t array) const;
  std::uint64_t cell_tile(const Result& result);
  void observe(Plan& plan);

  const Loaded& loaded_;
  const Program& program_;
  const Spec& spec_;
  const Case& c_;
  const bool steps_;
  Evaluator& evaluator_;
  std::uint64_t tile_ = 0;
  std::uint32_t grid_ = 1;
  std::string unfit_;
};

/// As Tiles::tile.
[[nodiscard]] std::uint64_t tile_of(const Loaded& loaded, const Case& c);

/// A block takes more than one tile, so that any grid covers n.
[[nodiscard]] bool steps(const Spec& spec);

/// The block sizes that the kernel has as a constant and is compiled for, sorted; empty: any.
[[nodiscard]] std::vector<std::uint32_t> blocks_of(const Loaded& loaded);

}  // namespace gauntlet::spec
