// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A GPU as a Device, in this process and with nothing beside the launches: memory by cudaMalloc,
// filled by copies, no fences, no kernels of ours. For a profiler, which then sees only what is to
// be counted, and for NVIDIA's tools.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/device.hpp"
#include "gpu/executor/library.hpp"
#include "properties/case/plan.hpp"

namespace gauntlet::cuda {

/// The modules on a GPU that this process opens; `others` as Library's. Throws Unavailable
/// (gpu/executor/executor.hpp) where there is no such GPU.
[[nodiscard]] std::unique_ptr<Library> open_library(int device,
                                                    std::span<const EmbeddedFile> others = {});

/// Calls throw DeviceLost, after which this process can use the GPU no more; launch also Rejected.
class PlainDevice final : public gauntlet::Device {
 public:
  struct Options {
    /// Each byte of an array that the host gives no content. A cell that still holds it is
    /// unwritten; without it every cell counts as defined.
    std::optional<std::byte> pattern = {};
    bool copy_undefined = true;  ///< false: bytes without a defined value are not copied at all
  };
  struct Placed {
    Array array;
    Address address = 0;
  };

  explicit PlainDevice(Library& library) : PlainDevice(library, Options()) {}
  PlainDevice(Library& library, Options options) : library_(library), options_(options) {}

  [[nodiscard]] Address allocate(const Array& array) override;
  void write(Address to, std::span<const std::byte> bytes, bool defined = true) override;
  void read(Address from, std::span<std::byte> bytes) override;
  [[nodiscard]] std::vector<CellState> states(Address from, std::uint32_t cell_bytes,
                                              std::span<const std::byte> content) override;
  LaunchReport launch(const Launch& launch, std::span<const Address> arrays) override;
  [[nodiscard]] Address symbol(const std::string& module, std::string_view name) override;

  /// What was allocated, in that order.
  [[nodiscard]] const std::vector<Placed>& placed() const { return placed_; }

 private:
  struct Free {
    void operator()(void* memory) const;
  };

  Library& library_;
  Options options_;
  std::vector<Placed> placed_;
  std::vector<std::unique_ptr<void, Free>> memory_;
};

/// A case's launches. Returns how many there were: 0 where the plan refuses the case. Throws
/// CaseError, Rejected or DeviceLost.
std::uint32_t run_plain(Library& library, const Case& c, const Plan& plan);

}  // namespace gauntlet::cuda
