// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The SIMT machine: runs kernels of PTX without a GPU, and tells what they do wrong.
//
//   gauntlet::machine::Machine machine("sum.ptx");  // nvcc -ptx -lineinfo sum.cu
//   const auto in = machine.allocate({.name = "in", .bytes = 4000, .read_only = true});
//   const auto out = machine.allocate({.name = "out", .bytes = 4, .output = true});
//   machine.write<float>(in, values);
//   const auto report = machine.launch({.entry = "sum", .grid = {4}, .block = {256},
//                                       .args = {in, out, 1000u}});
//   for (const auto& finding : report.findings) std::cout << finding.text << '\n';
//
// All sizes, offsets and addresses are in bytes unless a comment says otherwise. What cannot be
// done is an Error; what a kernel does wrong is a Finding. A Machine is not to be used by two
// threads at once; two Machines may be. The same calls give the same values and findings on every
// host.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gauntlet::machine {

/// what() is one line that says what is wrong.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Address = std::uint64_t;

/// As CUDA's dim3: blocks of a grid or threads of a block.
struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
};

/// An array of global memory. Nothing is mapped before and behind it: an access there is a finding.
struct Array {
  std::string name;  ///< as findings print it: "in"
  std::uint64_t bytes = 0;
  std::uint32_t element_bytes = 4;  ///< for "in[3]" in a finding; 0: the size of each access
  bool read_only = false;           ///< a store is the finding write_to_input
  bool output = false;              ///< storing an undefined value is the finding poison_output
};

/// A kernel argument: an Address, or a value of the parameter's own type.
struct Arg {
  template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::same_as<T, Arg>) Arg(const T& value)
      : bytes(sizeof value) {  // NOLINT: {in, out, 1000u}
    std::memcpy(bytes.data(), &value, sizeof value);
  }
  std::vector<std::byte> bytes;
};

struct Launch {
  std::string entry = {};  ///< as the PTX spells it ("_Z3sumPKfPfj"); empty: the only one
  Dim3 grid = {}, block = {};
  std::uint32_t shared_bytes = 0;  ///< dynamic shared memory
  bool cooperative = false;        ///< all blocks are resident: grid barriers may be used
  std::vector<Arg> args = {};      ///< in the kernel's order
  /// Who runs next: lockstep, low_lane_first, high_lane_first, warp_reversed, block_reversed,
  /// random:SEED, pct:DEPTH:SEED (random priorities, Burckhardt et al. 2010).
  std::string schedule = "lockstep";
  bool races = true;             ///< look for data races (happens-before, by vector clocks)
  std::uint64_t step_limit = 0;  ///< instructions of one warp; 0: 10 million
};

/// A thread, and where in the source it was.
struct Place {
  std::string file;        ///< empty without -lineinfo
  std::uint32_t line = 0;  ///< 0: unknown
  Dim3 block;              ///< blockIdx
  std::uint32_t warp = 0;  ///< in its block
  std::uint32_t lane = 0;  ///< 0..31
};

/// One thing that a kernel did wrong.
struct Finding {
  std::string kind;    ///< "race_read_write", "out_of_bounds_read", ...: docs/json.md
  bool error = true;   ///< false: a warning or a note
  std::string kernel;  ///< its entry
  Place at;
  std::string array;        ///< "in"; empty where none is involved
  std::int64_t index = 0;   ///< in elements of the access; may be negative
  std::uint64_t count = 1;  ///< occurrences of this kind at this line, folded into one
  std::string text;         ///< all of it for people: one or more lines, no line feed at the end
};

struct Report {
  bool completed = false;          ///< every thread came to its end
  std::vector<Finding> findings;   ///< in the order in which they were seen
  std::uint64_t instructions = 0;  ///< executed by warps
  std::string printed;             ///< by printf in the kernel, up to 1 MiB
};

/// A PTX module, loaded on a device memory of its own.
class Machine {
 public:
  /// Reads a .ptx file. Throws Error where it cannot be read or is no PTX.
  explicit Machine(const std::string& file);
  /// The same of text; `name` is what messages call it.
  [[nodiscard]] static Machine from_text(std::string ptx, std::string name = "text.ptx");
  Machine(Machine&&) noexcept;
  Machine& operator=(Machine&&) noexcept;
  ~Machine();

  /// The kernels, in the order of the file.
  [[nodiscard]] std::vector<std::string> entries() const;
  /// Schedules under which the races of an entry are to be looked for, each on fresh memory: one
  /// where barriers order everything, several where threads wait for each other through memory.
  [[nodiscard]] std::vector<std::string> schedules(std::string_view entry);

  /// Aligned to 256 bytes. Its content is undefined until it is written.
  [[nodiscard]] Address allocate(const Array& array);
  /// The address of a __device__ or __constant__ variable, by its PTX name. Throws Error if there
  /// is none.
  [[nodiscard]] Address variable(std::string_view name);

  /// A copy from the host. A range that is not within one array is an Error, as in `read`.
  void write_bytes(Address to, std::span<const std::byte> bytes);
  template <class T>
  void write(Address to, std::span<const std::type_identity_t<T>> values) {
    write_bytes(to, std::as_bytes(values));
  }
  /// A copy to the host, whether its bytes are defined or not.
  void read_bytes(Address from, std::span<std::byte> bytes);
  template <class T>
  [[nodiscard]] std::vector<T> read(Address from, std::size_t count) {
    std::vector<T> values(count);
    read_bytes(from, std::as_writable_bytes(std::span(values)));
    return values;
  }
  /// Whether host or kernel gave each of these bytes a defined value.
  [[nodiscard]] bool defined(Address from, std::uint64_t bytes);

  /// Runs a kernel to its end. Throws Error for what CUDA itself would refuse (no such entry, more
  /// than 1024 threads in a block, arguments of another number or size, too much shared memory),
  /// and for an instruction that the machine does not know: "FILE:LINE: ...: `text`".
  Report launch(const Launch& launch);

 private:
  struct State;
  explicit Machine(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gauntlet::machine
