// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What micro-kernels do, compared with closed formulas, exhaustively where that is possible. The
// same surveys run on the SIMT machine and on a GPU; they never ask the machine what is right.
#pragma once

#include <cstdint>
#include <string>

#include "base/names.hpp"
#include "gpu/profile/micro_cases.hpp"
#include "gpu/profile/runner.hpp"

namespace gauntlet::claims {

using namespace profile;

/// The mask of all lanes.
inline constexpr std::uint32_t full = 0xffff'ffff;

/// How many of the compared values were as the formula says.
struct Survey {
  std::uint64_t compared = 0, agree = 0;
  std::string first;  ///< the first value that was not, in words

  void add(bool as_expected, const auto& describe) {
    ++compared;
    if (as_expected) {
      ++agree;
    } else if (first.empty()) {
      first = describe();
    }
  }
  void add(const Survey& other) {
    compared += other.compared;
    agree += other.agree;
    if (first.empty()) first = other.first;
  }
  [[nodiscard]] bool holds() const { return compared != 0 && agree == compared; }
};

/// Statement 1: __ballot_sync, __all_sync, __any_sync for every mask of adjacent lanes, every
/// mask of one lane or two, and some others, with several predicates each.
[[nodiscard]] Survey survey_votes(const Runner& runner);

enum class Shuffle : std::uint32_t { idx, up, down, exclusive_or };
constexpr auto names(const Shuffle*) {
  return names_of("__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync");
}

/// As gpu/profile/kernels/shuffles.cu has it.
struct ShuffleCase {
  std::uint32_t kind;
  std::int32_t width;
  std::uint32_t delta, mask;
};

/// The lane that a shuffle reads when `width` is a power of two, as the CUDA guide has it: an index
/// counts modulo the width; up and down stay in the group; xor may reach an earlier group.
[[nodiscard]] int guide_source(Shuffle kind, int width, unsigned delta, int lane);
/// The same for any width, as the PTX manual defines shfl for the operand that CUDA's headers make
/// of it: a group is what the bits of 32 - width leave free.
[[nodiscard]] int ptx_source(Shuffle kind, int width, unsigned delta, int lane);
/// The same as document D has it: a source outside the group is the lane itself.
[[nodiscard]] int document_source(Shuffle kind, int width, unsigned delta, int lane);

/// Statement 2: every lane and every delta from 0 to 32, with the full mask and with masks that
/// name some groups only, against `expected`.
[[nodiscard]] Survey survey_shuffles(const Runner& runner, Shuffle kind, int width,
                                     int (*expected)(Shuffle, int, unsigned, int));

/// Statement 7: ranks, sizes and indices of thread_block, for blocks and grids of one, two and
/// three dimensions; block.sync().
[[nodiscard]] Survey survey_block_group(const Runner& runner);
/// tiled_partition with a size known at run time, with <32> and <4>, and one inside another.
[[nodiscard]] Survey survey_tiles(const Runner& runner);
/// Shuffles of tiles of 2, 4, 8, 16 and 32 by every delta below the size, and of some tiles only.
[[nodiscard]] Survey survey_tile_shuffles(const Runner& runner);

/// Statement 8: which threads make up a warp, for every block size and some blocks of two and
/// three dimensions.
[[nodiscard]] Survey survey_composition(const Runner& runner);

/// Statements 3 to 5: one of the kernels of warp_barrier.cu that take a value from the mirror lane.
struct Mirror {
  Survey mirrored;   ///< out[t] = in[31 - t]
  Survey exchanged;  ///< what the shuffle or the vote itself returned; empty for the first two
  std::vector<Finding> findings;
};
[[nodiscard]] Mirror run_mirror(const Runner& runner, const std::string& entry,
                                const std::string& schedule = "lockstep");

// Statement 10: patterns of shared-memory accesses, counted by the SIMT machine and compared with
// closed formulas; and the values that they read, which a GPU must read too.

/// Wavefronts of a strided access of all lanes by the rule of the statement: word i lies in bank i
/// mod 32, a wavefront serves one word of each bank, 8-byte accesses go by half warps and 16-byte
/// ones by quarters. Strides of less than a word must divide it.
[[nodiscard]] std::uint32_t strided_wavefronts(std::uint32_t width, std::uint32_t stride,
                                               std::uint32_t lanes = 32);

/// What the machine counts for this access of one warp alone, by an entry of
/// gpu/profile/kernels/banks.cu.
[[nodiscard]] simt::SharedCounters count_banks(const Runner& machine, const std::string& entry,
                                               const BankPattern& pattern);
/// Of a column of unsigned[32][columns], 32 or 33.
[[nodiscard]] simt::SharedCounters count_column(const Runner& machine, unsigned columns);

/// Wavefronts and conflicts: strides 0 to 33 of every width, loads and stores, all lanes and some,
/// and the two columns.
[[nodiscard]] Survey survey_banks(const Runner& machine);

}  // namespace gauntlet::claims
