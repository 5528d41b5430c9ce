// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "base/os/temporary_folder.hpp"
#include "base/scalar.hpp"
#include "properties/language/proof.hpp"
#include "properties/language/source.hpp"
#include "subject.hpp"

namespace gauntlet::net {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> interrupted{false};

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

/// As many values as each list below has at most.
constexpr unsigned most_values = 32;

/// Values that rounding, signs, widths and orders show on.
std::uint64_t telling_bits(Type type, std::uint64_t pick) {
  if (is_float(type)) {
    static constexpr double values[] = {
        0.0,   -0.0,  1.0,     -1.0,      2049, 70000,    -70000,    16777216, 3e-41,     -3e-41,
        1e-5,  0.1,   1.0 / 3, -16777215, 1e30, INFINITY, -INFINITY, NAN,      2.5,       4097.5,
        65504, -2049, 1e-30,   8388609,   -1e8, 1e8,      32.125,    0x1p53,   0x1p53 + 2};
    static_assert(std::size(values) <= most_values);
    return float_bits(type, values[pick % std::size(values)]);
  }
  static constexpr std::int64_t values[] = {
      0,         1,         -1,         2,      -2147483648, 2147483647, 3000000000, 16777217,
      -16777217, 65535,     65536,      -32768, 32767,       255,        256,        -128,
      127,       70000,     2049,       -5,     7,           123456789,  -123456789, 1LL << 53 | 1,
      INT64_MIN, INT64_MAX, 4294967295, 1000001};
  static_assert(std::size(values) <= most_values);
  return static_cast<std::uint64_t>(values[pick % std::size(values)]);
}

class LoadedSpec final : public Loaded {
 public:
  LoadedSpec(const Text& text, const std::string& name)
      : path_(fmt::format("{}.{}.gauntlet", name, ++made)),
        specs_({{.path = path_, .ptx_file = written(text.ptx), .text = text.spec}}, interrupted),
        loaded_(specs_.loaded(path_)) {}

  [[nodiscard]] Case own(Case c) const {
    c.variant = path_;
    return c;
  }

  [[nodiscard]] unsigned data_sets() const override { return same_from + most_values - 1; }
  [[nodiscard]] Trial trial(const Case& c, unsigned telling) const override {
    Trial made{own(c), specs_.plan(own(c))};
    if (telling == 0) return made;
    const auto& spec = loaded_.program.spec;
    for (std::size_t k = 0; k < spec.arrays.size(); ++k) {
      const auto& array = spec.arrays[k];
      const bool drawn = !array.content.present() && !array.identity &&
                         (array.role == spec::Role::in || array.role == spec::Role::inout);
      if (!drawn) continue;
      auto& content = made.plan.buffers[k].content;
      fill(content, array.type, telling * 64 + static_cast<unsigned>(k));
      if (is_float(array.type)) classify(content, array.type, made);
    }
    return made;
  }
  [[nodiscard]] prove::Proof prove(const Case& c) override {
    proved_ = spec::prove(specs_, own(c), 4);
    return proved_.proof;
  }
  [[nodiscard]] std::unique_ptr<Executor> machine(simt::ExecutorOptions options) const override {
    return simt::make_executor(options);
  }
  [[nodiscard]] Verdict judge(const Case& c, const Plan& plan,
                              const Observation& seen) const override {
    return spec::judge(loaded_, own(c), plan, seen,
                       [&] { return proved_.heights ? &*proved_.heights : nullptr; });
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const spec::Loaded& loaded() const { return loaded_; }
  [[nodiscard]] const spec::Specs& specs() const { return specs_; }

 private:
  /// Sets 1, 3 and 4: one telling value among small ones; 5 to 8: many; then each everywhere.
  static void fill(std::vector<std::byte>& content, Type type, unsigned seed) {
    std::mt19937_64 random(seed);
    const auto size = size_of(type);
    const auto set = seed / 64;
    const auto count = content.size() / size;
    const auto one = count == 0 ? 0 : random() % count;
    for (std::size_t i = 0; i < count; ++i) {
      const auto pick = random();
      if (set == order_tells) {
        static constexpr double parts[] = {1, 1e8, -1e8};
        const auto as = is_float(type) ? type : size == 8 ? Type::f64 : Type::f32;
        store_bits(type, content.data() + i * size, float_bits(as, parts[i % 3]));
        continue;
      }
      std::uint64_t bits = telling_bits(type, set >= same_from ? set - same_from : pick);
      const bool small = set <= 4 ? i != one : set < same_from && (pick >> 32) % 3 != 0;
      if (small) {
        const auto value = static_cast<int>(pick % 16) - 8;
        bits = is_float(type) ? float_bits(type, value) : static_cast<std::uint64_t>(value);
      }
      store_bits(type, content.data() + i * size, bits);
    }
  }
  static void classify(const std::vector<std::byte>& content, Type type, Trial& trial) {
    const auto format = format_of(type);
    for (std::size_t at = 0; at < content.size(); at += size_of(type)) {
      const auto bits = load_bits(type, content.data() + at) & (format.sign_bit() - 1);
      trial.finite &= bits < format.infinity();
      trial.normal &= bits == 0 || bits >> format.mantissa_bits != 0;
    }
  }
  std::string written(const std::string& ptx) const {
    const auto path = (folder_.path() / "kernel.ptx").string();
    std::ofstream(path) << ptx;
    return path;
  }

  static inline std::atomic<unsigned> made = 0;  // an executor remembers cases by their names
  std::string path_;
  os::TemporaryFolder folder_;
  spec::Specs specs_;
  const spec::Loaded& loaded_;
  spec::SpecProof proved_;
};

std::vector<Case> shapes_of(const LoadedSpec& spec, unsigned count) {
  constexpr std::uint64_t most_bytes = 1 << 14;
  std::vector<Case> all;
  std::set<std::vector<NamedSize>> seen;
  for (std::uint64_t k = 0; k < 200 && all.size() < count; ++k) {
    Case c = spec::draw(spec.loaded(), k, static_cast<int>(20 + 7 * k % 80));
    c.schedule = "lockstep";
    c = spec.specs().completed(c);
    const Plan plan = spec.trial(c, 0).plan;
    std::uint64_t bytes = 0, elements = 0;
    for (const auto& buffer : plan.buffers) bytes += buffer.bytes;
    for (const auto& observed : plan.observed) elements += observed.cells;
    const bool telling = plan.refusal.empty() && elements != 0 && bytes < most_bytes;
    if (telling && seen.insert(c.sizes).second) all.push_back(std::move(c));
  }
  return all;
}

/// The spec with its launch number `k` (from 1) as a programmatic one; empty: there is none.
std::string overlapped(const std::string& text, int k) {
  std::istringstream in(text);
  std::string all;
  int launches = 0;
  bool done = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("launch ") && launches++ == k && line.find("programmatic") == line.npos) {
      const auto args = std::min(line.find(" args "), line.size());
      line.insert(args, " programmatic");
      done = true;
    }
    all += line + "\n";
  }
  return done ? all : std::string();
}

}  // namespace

std::vector<Subject> specs_of(const std::string& folder, const std::string& ptx, unsigned shapes) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".gauntlet") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Subject> all;
  for (const auto& file : files) {
    Subject subject;
    subject.name = file.stem().string();
    subject.text.spec = content_of(file);
    // Compiled for each of its forms and types when it is checked: there is no PTX to change.
    if (std::regex_search(subject.text.spec, std::regex("\\n(fix|types|operator|define) ")))
      continue;
    // The kernel's file in place of its source.
    const auto at = subject.text.spec.find(".cu");
    const auto begin = subject.text.spec.rfind(' ', at) + 1;
    const auto module = subject.text.spec.substr(begin, at - begin);
    subject.text.spec.replace(at, 3, ".ptx");
    subject.text.ptx = content_of(fs::path(ptx) / (module + ".ptx"));
    const LoadedSpec whole(subject.text, subject.name);
    subject.text.ptx = only_entries(subject.text.ptx, whole.loaded().entries.begin()->second);
    subject.any_value = whole.loaded().program.spec.result_none;
    subject.shapes = shapes_of(whole, shapes);
    subject.load = [name = subject.name](const Text& text) {
      return std::make_unique<LoadedSpec>(text, name);
    };
    for (int k = 1; k < 3; ++k) {
      if (auto text = overlapped(subject.text.spec, k); !text.empty()) {
        subject.overlapping.push_back({subject.text.ptx, std::move(text)});
      }
    }
    all.push_back(std::move(subject));
  }
  return all;
}

}  // namespace gauntlet::net
