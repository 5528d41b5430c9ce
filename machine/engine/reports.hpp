// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What a launch says of what went wrong: in which element of which array, and where an undefined
// value comes from.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/code/code.hpp"
#include "machine/code/poison.hpp"
#include "machine/engine/access.hpp"
#include "machine/engine/machine.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/recorder.hpp"

namespace gauntlet::simt {

/// There is place for origins of a region's words.
inline void make_origins(const Region& r) {
  if (r.origin->empty()) r.origin->resize((r.bytes + 3) / 4 + 1);
}

/// A place in an array, as a finding names it.
struct Element {
  std::string_view array;  ///< of the kernel, or of the allocation
  std::int64_t index = 0;
};
/// An array as findings name it.
struct NamedArray {
  std::string_view name;
  Address first = 0;  ///< of its element 0
  std::uint32_t element_bytes = 1;
  Address begin = 0, end = 0;  ///< what lies in it; none where it is only the nearest one
};

/// Where a launch's undefined values come from, by the numbers that poisoned lanes carry.
class Origins {
 public:
  explicit Origins(const Recorder& recorder) : recorder_(recorder), all_(1) {
    recent_.fill({~0ULL, 0});
  }
  /// Returns the number: one for each instruction and kind, whose first occurrence tells the story.
  std::uint32_t add(Origin::What what, std::uint32_t inst, const Warp& w, std::uint32_t lane,
                    std::int64_t index = 0, bool in_part = false);
  [[nodiscard]] Origin& at(std::uint32_t number) { return all_.at(number); }
  [[nodiscard]] std::size_t size() const { return all_.size(); }
  /// On a thread that runs some of the blocks which are left: these are known. Then all.
  void begin_with(const Origins& known) {
    all_ = known.all_;
    numbers_ = known.numbers_;
  }
  [[nodiscard]] const std::vector<Origin>& all() const { return all_; }
  /// Those of such threads come behind these, as if their blocks had run one behind the other.
  /// False: then one of them would have another number than it had on its thread, and which of two
  /// is kept where they meet, and what memory holds, may be another one; nothing was done.
  [[nodiscard]] bool join(std::span<const std::vector<Origin>> of_threads);
  /// "the value comes from ...".
  [[nodiscard]] std::string describe(const Origin& o) const;
  /// The first of the poisoned `lanes` whose origin was not reported yet, or -1.
  [[nodiscard]] static int to_blame(const Warp& w, Operand value, std::uint32_t lanes);

 private:
  [[nodiscard]] static std::uint64_t key_of(Origin::What what, std::uint32_t inst, bool in_part) {
    return std::uint64_t{inst} << 16 | std::uint32_t{in_part} << 8 |
           static_cast<std::uint32_t>(what);
  }
  const Recorder& recorder_;
  std::vector<Origin> all_;  ///< 0 stands for "no origin"
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
  /// Asked for of late: key and number.
  std::array<std::pair<std::uint64_t, std::uint32_t>, 16> recent_;
};

class Reports {
 public:
  Reports(const Kernel& kernel, const LaunchConfig& config, GlobalMemory& memory);

  /// A finding of a lane `by` which something is executed or accessed, of this place. Its text is
  /// made where the recorder wants one: then the finding, to be completed; else nullptr.
  template <class... Values>
  Finding* tell_of(FindingKind kind, const auto& by, std::uint32_t lane, const Place& at,
                   fmt::format_string<Values...> text, Values&&... values) {
    Finding* const f = recorder_.add(kind, by.inst, coordinates(by.block), by.warp.index, lane, at);
    if (f != nullptr) f->detail = fmt::format(text, std::forward<Values>(values)...);
    return f;
  }
  /// A finding that is about no place in an array.
  template <class... Values>
  Finding* tell(FindingKind kind, const auto& by, std::uint32_t lane,
                fmt::format_string<Values...> text, Values&&... values) {
    return tell_of(kind, by, lane, {}, text, std::forward<Values>(values)...);
  }
  /// A finding of an access, and of the element that it is to, if it is any.
  template <class... Values>
  void fault(const Access& a, FindingKind kind, std::uint32_t lane, const Element& at,
             fmt::format_string<Values...> text, Values&&... values) {
    tell_of(kind, a, lane, {at.array, at.index, a.width}, text, std::forward<Values>(values)...);
  }
  void shared_fault(const Access& a, std::uint32_t lane);
  /// An access to no array, beyond one, or to one that was freed. Ends the launch if the warp does
  /// little else.
  void outside_of_arrays(const Access& a, std::uint32_t lane);
  /// What lies `offset` bytes into the lane's access; allocation nullptr: not global memory.
  [[nodiscard]] Element element_of(const Access& a, std::uint32_t lane,
                                   const Allocation* allocation, std::uint32_t offset = 0) const {
    return element_at(a.address[lane] + offset, a.op, allocation);
  }
  /// The same of an access of this address.
  [[nodiscard]] Element element_at(std::uint64_t address, const MemoryOp& op,
                                   const Allocation* allocation) const;
  [[nodiscard]] NamedArray array_at(std::uint64_t address, const MemoryOp& op,
                                    const Allocation* allocation) const;

  [[nodiscard]] Origins& origins() { return origins_; }
  /// The origin of what follows from a fault of the lane.
  [[nodiscard]] std::uint32_t fault_origin(std::uint32_t inst, const Warp& w, std::uint32_t lane) {
    return origins_.add(Origin::What::fault, inst, w, lane);
  }
  /// Where the poison of the lane's cell comes from that lies `offset` bytes into its access.
  std::uint32_t uninitialised_origin(const Access& a, const Region& r, std::uint32_t lane,
                                     const Allocation* allocation, std::uint32_t offset = 0);
  /// Poison with this origin is stored in so many bytes at `at`.
  void keep_origin(const Region& r, std::uint64_t at, std::uint64_t bytes, std::uint32_t origin,
                   const Allocation* allocation);
  void report_poison(FindingKind kind, const Block& b, const Warp& w, std::uint32_t inst,
                     std::uint32_t lanes, Operand value);
  /// Says in which lanes the value is undefined, and gives them.
  std::uint32_t report_undefined(FindingKind kind, const Executed& by, Operand value) {
    const std::uint32_t lanes = by.warp.poison_live ? by.warp.poison[value.id] & by.mask : 0;
    if (lanes != 0) report_poison(kind, by.block, by.warp, by.inst, lanes, value);
    return lanes;
  }
  void report_origin(FindingKind kind, const Block& b, const Warp& w, std::uint32_t inst,
                     std::uint32_t lane, std::uint32_t origin, Place place = {});

  /// What was found ends the launch.
  void stop() { stopped_ = true; }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] Recorder& recorder() { return recorder_; }
  [[nodiscard]] static Dim3 coordinates(const Block& b) { return {b.x, b.y, b.z}; }
  [[nodiscard]] Dim3 coordinates(std::uint32_t block) const {
    const Dim3& d = config_.grid;
    return {block % d.x, block / d.x % d.y, block / d.x / d.y};
  }

 protected:
  const Kernel& kernel_;
  const LaunchConfig& config_;
  GlobalMemory& memory_;
  Recorder recorder_;
  Origins origins_{recorder_};
  bool stopped_ = false;

  /// Of what was stored in global memory since the last call: it outlives the numbers.
  void keep_stories();

 private:
  const bool of_cub_;  ///< the kernel is CUB's or Thrust's own
};

}  // namespace gauntlet::simt
