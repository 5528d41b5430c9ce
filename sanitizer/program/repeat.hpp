// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that time a kernel launch it hundreds of times on the same data. A launch with the same
// parameters that finds in memory what an earlier one found does the same again, for the machine
// has no chance in it: what came of that one is taken, and nothing is executed. Where it finds
// other data, but a kernel to which these are no more than values, it makes the same accesses: it
// is executed, and no races are looked for, since there were none. Arrays that a kernel knows by
// its parameters alone may be others by then, such as temporary ones, which are made for each
// launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/device.hpp"
#include "base/host_memory.hpp"
#include "machine/races/access_map.hpp"
#include "machine/state/memory.hpp"

namespace gauntlet::runtime {

/// What a launch accesses, by base address of the array.
using Touched = std::vector<std::pair<Address, std::vector<simt::AccessRange>>>;

/// Launches of one kernel in one shape with one set of parameters.
class Repeat {
 public:
  /// What came of a launch.
  struct Done {
    LaunchReport report;
    bool tells_host = false;  ///< by accesses that the host may wait for
    Touched touched;
    bool atomics = false;         ///< there are some, whose accesses count as writes but read, too
    std::vector<Address> arrays;  ///< as the launch's Key
    std::vector<std::byte> numbered;
  };
  /// What tells launches of one kernel in one shape apart.
  struct Key {
    std::vector<std::byte> bytes;
    std::vector<Address> arrays;      ///< those that may be others
    std::vector<std::byte> numbered;  ///< with numbers in their place; none: all are these
  };
  /// Before a launch. True: from here on this one has its arrays, for some of its own are gone.
  [[nodiscard]] bool move_to(const Key& key, const simt::GlobalMemory& memory);
  /// Before such a launch. Not null: it does what an earlier one did, which this is, and memory is
  /// as it leaves it.
  [[nodiscard]] const Done* again(simt::GlobalMemory& memory);
  /// Of launches whose accesses do not depend on data. Not null: this one accesses what an earlier
  /// one did, in which nothing was found.
  [[nodiscard]] const Done* accesses(const simt::GlobalMemory& memory) const;
  /// Behind one that was executed. `room`: for copies of what launches write.
  void note(const simt::GlobalMemory& memory, const Done& done, MemoryLimit& room);
  /// Whether to compare what such a launch finds in memory costs little beside executing it.
  [[nodiscard]] static bool pays(const LaunchReport& report, const Touched& touched);

 private:
  struct Written {
    Address array = 0;
    simt::AccessRange range;
    std::vector<std::byte> data = {};         ///< of the range, with its gaps
    std::vector<std::uint8_t> state = {};     ///< none: all are defined
    std::vector<std::uint32_t> origins = {};  ///< of its words; none: the array has none
    [[nodiscard]] std::uint64_t bytes() const {
      return (state.empty() ? 1 : origins.empty() ? 2 : 3) * data.size();
    }
  };
  void keep(const simt::GlobalMemory& memory, MemoryLimit& room);
  void put_back(simt::GlobalMemory& memory) const;
  [[nodiscard]] std::uint8_t inputs() const;

  Done done_;
  /// No byte is both read and written, none by an atomic, and nothing was found but races: what the
  /// launch overwrites does not matter to it.
  bool apart_ = false;
  bool undefined_ = false;                       ///< arrays of it have values that nobody defined
  std::optional<std::uint64_t> input_, output_;  ///< digests of what it finds and leaves
  std::optional<std::uint64_t> before_;          ///< of what the launch that runs found
  bool wants_copy_ = false;                      ///< memory did not hold already what it leaves
  std::vector<Written> written_;
  unsigned in_vain_ = 0, skipped_ = 0;  ///< comparisons, launches since then without one
  bool skips_ = false;
};

/// By Key::bytes.
using Repeats = std::map<std::vector<std::byte>, Repeat>;

}  // namespace gauntlet::runtime
