// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// The arrays of a program: what each is, who allocated and freed it, and the host's copies and
// fills, checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "machine/state/memory.hpp"
#include "sanitizer/program/call_site.hpp"
#include "sanitizer/program/report.hpp"

namespace gauntlet::runtime {

enum class Space : std::uint8_t {
  device,      ///< the device's alone: the host cannot touch it
  managed,     ///< of both, under one address
  pinned,      ///< host memory that the device can touch too
  registered,  ///< the same, the program's own
  variable     ///< a __device__ or __constant__ variable
};

struct Array {
  std::string name;  ///< as findings print it: "cudaMalloc#2"
  Space space = Space::device;
  Address base = 0;
  std::uint64_t bytes = 0;
  bool freed = false;
  mutable bool undefined_told = false;  ///< of a copy to the host that had undefined values
  bool static_variable = false;         ///< of a module: nobody allocated it
  bool of_graph = false;  ///< of a node that allocates: it comes and goes, at one address
  bool mapped = false;    ///< virtual memory, which ends by cuMemUnmap alone
  bool closable = true;   ///< its whole pages can be closed to the host
  Trace allocated = {}, released = {};
};

[[nodiscard]] std::uint64_t page_bytes();

/// The pages that hold nothing but bytes of an array of the host; behind the end of one that is not
/// the program's own memory nothing else lies.
struct Pages {
  Address begin = 0, end = 0;
};
[[nodiscard]] Pages own_pages(const Array& array);

/// "cudaMalloc#2" or "byte 8 of cudaMalloc#2"; the array holds the address.
[[nodiscard]] std::string spelt(const Array& array, Address address);

/// A variable as C++ spells it; any other name as it is (`s` would be taken for `short`).
[[nodiscard]] std::string shown_name(const std::string& name);

class Heap {
 public:
  using Tell = std::function<void(Mistake)>;
  /// `tell` is given what the host does wrong.
  explicit Heap(Tell tell);

  simt::GlobalMemory memory;

  /// A new array; `call`: who allocates it, "cudaMalloc", or its name if it is a `variable`. Throws
  /// std::bad_alloc.
  Address allocate(Space space, std::string_view call, std::uint64_t bytes, bool variable = false);
  /// An array of whoever calls the function that is tested: the program may do with it what
  /// `wanted` says, and not free it.
  Address place(const gauntlet::Array& wanted);
  /// Memory of a graph's node: it has its address now, and is there from `grant` until it is
  /// released, as often as the node runs.
  Address promise(std::string_view call, std::uint64_t bytes);
  void grant(Address base);
  /// Memory of the device at `base`, in addresses that `memory` has reserved; data and states are
  /// the caller's. Where an array begins there already, it is that one with another length.
  void map(std::string_view call, Address base, std::uint64_t bytes, std::byte* data,
           std::uint8_t* state, bool read_only);
  /// Such an array is gone.
  void unmap(Address base);
  /// Addresses of which the same is true.
  struct Region {
    Address begin = 0, end = 0;
    std::string what;
  };
  /// What findings say of reserved addresses without an array; nothing: they are not reserved.
  std::function<std::optional<Region>(Address)> reserved = {};
  /// ... of what is a handle and no address; empty: it is none.
  std::function<std::string(Address)> handle = {};
  /// Memory of the program's own. False where it is an array already.
  bool adopt(std::string_view call, void* data, std::uint64_t bytes);
  /// A variable of a module, allocated already.
  void note_variable(std::string name, Address base, std::uint64_t bytes);
  /// Its module was unloaded: it counts as freed.
  void drop_variable(Address base);
  /// False, and a mistake is told, where no live array of such a space begins there.
  bool release(std::string_view call, Address base, bool of_host);

  /// The array that holds `address`, freed ones too; nullptr: none, so that it is the host's.
  [[nodiscard]] const Array* find(Address address) const;
  /// The same of one that is there; nullptr also where it was freed.
  [[nodiscard]] const Array* live(Address address) const {
    const Array* const array = find(address);
    return array == nullptr || array->freed ? nullptr : array;
  }
  [[nodiscard]] const Array* named(std::string_view name) const;
  /// "cudaMalloc#2: 4000 bytes, allocated at sum.cu:25 in main", and where it was freed.
  [[nodiscard]] std::vector<std::string> story(const Array& array) const;
  /// Freed ones too, by base: those of the device in the order in which they were allocated.
  [[nodiscard]] const std::map<Address, Array>& arrays() const { return arrays_; }
  /// Live arrays that the host can write, by base.
  [[nodiscard]] const std::set<Address>& shared() const { return shared_; }
  [[nodiscard]] std::uint64_t live_bytes() const { return live_bytes_; }

  /// What a copy takes one side for; `any`: by its address.
  enum class Side : std::uint8_t { host, device, any };
  /// Both false: nothing was copied, and a mistake is told. With names of the two sides for
  /// findings.
  bool copy(std::string_view call, void* to, Side to_side, const void* from, Side from_side,
            std::uint64_t bytes, std::string_view to_role = "destination",
            std::string_view from_role = "source");
  /// `bytes` bytes, each `element_bytes` (1, 2 or 4) of them the low bytes of `value`.
  bool fill(std::string_view call, void* to, unsigned value, unsigned element_bytes,
            std::uint64_t bytes);
  /// What a library's function reads or writes of the device's memory: elements in rows and
  /// columns.
  struct Operand {
    std::string_view role;  ///< as findings name it: "A"
    Address at = 0;
    std::uint64_t element_bytes = 0, rows = 0, columns = 1;
    std::uint64_t step = 0, distance = 0;  ///< bytes from a row, from a column to the next one
    /// From the first byte to behind the last one; there is a row and a column.
    [[nodiscard]] std::uint64_t extent() const {
      return (rows - 1) * step + (columns - 1) * distance + element_bytes;
    }
  };
  /// nullptr, and a mistake is told, where it does not lie in one live array that the device
  /// reaches.
  const Array* reach(std::string_view call, const Operand& operand) const;
  /// A mistake is told where an element of it has no defined value; `array`: that it lies in.
  void tell_undefined_operand(std::string_view call, const Array& array,
                              const Operand& operand) const;

  void before_launch() { asked_ = {}; }
  /// Whether a kernel has stored undefined values in an array that the host can write; nullptr: no.
  [[nodiscard]] bool may_be_undefined(const Array* array) const;
  /// Whether there are whole words of such values.
  [[nodiscard]] bool poisoned(const Array& array, Address from, std::uint64_t bytes) const {
    return undefined(array, from, bytes, 1).poisoned != 0;
  }
  /// The host has written what the array has of these bytes.
  void define(const Array& array, Address from, Address to);
  /// The host's own code reads one of them.
  void tell_undefined_read(std::string_view call, const Array& array, Address from,
                           std::uint64_t bytes, const Trace& where) const;
  /// Mistakes for each array that is left.
  void tell_leaks() const;
  /// Notes of live arrays with values that kernels computed from memory that nobody wrote; `call`:
  /// what ends them. (Freeing one tells the same.)
  void tell_left_undefined(std::string_view call) const;
  /// All arrays are freed, variables too but for managed ones.
  void reset();
  /// Tells of a mistake in the call that this thread is in. `array`: that it is about, or nullptr.
  void mistake(MistakeKind kind, std::string_view call, std::string detail,
               const Array* array = nullptr, Severity severity = Severity::error) const;

 private:
  struct Checked {
    const Array* array = nullptr;  ///< nullptr: plain host memory
    bool good = false;
  };
  Checked check(std::string_view call, std::string_view role, Address address, Side side,
                std::uint64_t bytes) const;
  /// Of the program's own memory: it can be read.
  bool check_host(std::string_view call, std::string_view role, Address address,
                  std::uint64_t bytes) const;
  /// Bytes of whole words (single ones are the padding of a struct) that nobody wrote, or that a
  /// kernel wrote values to that nobody defined, of the latter not many more than `enough`, and the
  /// first of each in the array.
  struct Undefined {
    std::uint64_t unwritten = 0, poisoned = 0, first_unwritten = 0, first_poisoned = 0;
  };
  [[nodiscard]] Undefined undefined(const Array& array, Address from, std::uint64_t bytes,
                                    std::uint64_t enough = ~0ULL) const;
  void tell_left_undefined(std::string_view call, const Array& array, bool at_call) const;
  [[nodiscard]] std::string origin_of(const Array& array, std::uint64_t byte) const;
  Address keep(Array array);
  void free(Array& array);
  void tell_undefined(std::string_view call, const Array& array, Address from,
                      std::uint64_t bytes) const;
  /// What is at an address that is no array's, or "".
  [[nodiscard]] std::string foreign(Address address) const;
  [[nodiscard]] Region around(Address address) const;
  void forget_old();

  Tell tell_;
  std::map<Address, Array> arrays_;  // by base
  std::deque<Address> freed_;        // the oldest first
  std::set<Address> shared_;         // live ones that the host can write
  std::uint64_t number_ = 0, live_bytes_ = 0;
  Region asked_;  // by the launch that runs
};

}  // namespace gauntlet::runtime
