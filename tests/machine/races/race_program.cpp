// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "tests/machine/races/race_program.hpp"

#include <fmt/format.h>

#include <bit>
#include <random>
#include <utility>

#include "tests/machine/engine/machine_device.hpp"

namespace gauntlet::simt::test {
namespace {

class Writer {
 public:
  explicit Writer(const ProgramShape& shape) : shape_(shape), random_(shape.seed) {
    live_ = shape.threads >= 64 ? ~0ULL : (1ULL << shape.threads) - 1;
  }

  std::string run() {
    // %r0: the thread's number, %r1: its block's, %r3: its lane, %d0: array a.
    std::string body = "ld.param.u64 %d0, [a]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x;\n";
    if (shape_.reversed_warps) {
      body += fmt::format(
          "shr.u32 %r2, %r0, 5; and.b32 %r3, %r0, 31; sub.u32 %r2, {}, %r2;"
          "shl.b32 %r2, %r2, 5; add.u32 %r0, %r2, %r3;\n",
          shape_.threads / 32 - 1);
    }
    body += "and.b32 %r3, %r0, 31;\n";
    // The detector keeps every thread apart where it sees a fence; else it knows of warps, not of
    // lanes, that a thread which has exited was among them.
    if (shape_.exits) body += "membar.cta;\n";
    if (shape_.copies) {
      body += fmt::format(
          "setp.eq.u32 %p0, %r0, 0; mov.u32 %r4, {}; @%p0 mbarrier.init.shared.b64 [bars], %r4;"
          "@%p0 mbarrier.init.shared.b64 [bars+8], %r4; bar.sync 0;\n",
          shape_.threads);
    }
    for (unsigned k = 1; k <= shape_.statements; ++k) {
      body += fmt::format(".loc 1 {} 0\n{}\n", k, statement());
    }
    for (const auto k : {0U, 1U}) body += await(k);
    return kernel(".param .u64 a", body + "ret;",
                  fmt::format(".file 1 \"p.cu\"\n.shared .align 16 .b8 s[32];{}",
                              shape_.copies ? ".shared .align 8 .b64 bars[2];" : ""));
  }

 private:
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  template <std::size_t N>
  const char* pick(const char* const (&words)[N]) {
    return words[draw(N)];
  }

  /// Some threads, as a mask of the block's.
  std::uint64_t some() {
    switch (draw(6)) {
      case 0:
        return 1ULL << draw(shape_.threads);
      case 1:
        return random_();
      case 2:
        return 0xFFFF'FFFFULL << 32 * draw(2);
      case 3:
        return random_() & random_();
      case 4:
        return (1ULL << draw(shape_.threads)) | (1ULL << draw(shape_.threads));
      default:
        return ~0ULL;
    }
  }

  /// %p0: the thread is one of `mask`.
  static std::string guard(std::uint64_t mask) {
    return fmt::format(
        "shr.u64 %d2, {}, %r0; cvt.u32.u64 %r4, %d2; and.b32 %r4, %r4, 1;"
        "setp.ne.u32 %p0, %r4, 0; ",
        mask);
  }
  /// The same, and one block only, half of the time.
  std::string guard_in_blocks(std::uint64_t mask) {
    auto s = guard(mask);
    if (shape_.blocks > 1 && draw(2) == 0) {
      s += fmt::format("setp.eq.and.u32 %p0, %r1, {}, %p0; ", draw(shape_.blocks));
    }
    return s;
  }

  std::string statement() {
    if (shape_.copies && draw(3) == 0) return asynchronous();
    const auto kind = draw(20);
    if (shape_.turns && kind < 9) {
      constexpr std::string_view turn = "atom.acq_rel.gpu.global.add.u32 %r6, [%d0+28], 1;";
      return fmt::format("{} {} {}", turn, access(), turn);
    }
    if (kind < 11) return access();
    if (kind == 11 || kind == 12) return "bar.sync 0;";
    if (kind == 13) return "bar.warp.sync 0xffffffff;";
    if (kind == 14 && shape_.partial_masks) return warp_barrier();
    if (kind == 15 && shape_.named_barriers && next_id_ < 16) return named_barrier();
    if (kind <= 17 && shape_.publishes) {
      static constexpr const char* fences[] = {"membar.gl",         "membar.cta",
                                               "fence.acq_rel.gpu", "fence.acq_rel.cta",
                                               "fence.sc.gpu",      "membar.sys"};
      return guard_in_blocks(some()) + "@%p0 " + pick(fences) + ";";
    }
    if (kind == 18 && shape_.exits) {
      const auto leaving = some() & some() & live_;
      if (leaving != 0 && (live_ & ~leaving) != 0) {
        live_ &= ~leaving;
        return guard(leaving) + "@%p0 exit;";
      }
    }
    return access();
  }

  std::string asynchronous() {
    const auto bar = static_cast<unsigned>(draw(2));
    switch (draw(6)) {
      case 0:
        return guard(some()) + (draw(2) == 0 ? "@%p0 cp.async.commit_group;"
                                             : "@%p0 cp.async.commit_group;"
                                               "@%p0 cp.async.wait_group 0;");
      case 1:
        return guard(some()) +
               (draw(2) == 0 ? "@%p0 cp.async.wait_all;" : "@%p0 cp.async.wait_group 1;");
      case 2:
        return guard(some()) +
               fmt::format("@%p0 cp.async.mbarrier.arrive.shared.b64 [bars+{}];", 8 * bar);
      case 3:
        return phase(bar);
      default:
        return copy();
    }
  }

  std::string copy() {
    const unsigned size = 4U << draw(3);
    const auto to = size * draw(16 / size), from = size * draw(16 / size);
    const auto each = draw(2) == 0 ? 4 / (size / 4) - 1 : 0;
    const auto some_bytes = draw(4) == 0 ? fmt::format(", {}", draw(size)) : "";
    // Twice by one instruction, of which the first one ends sooner.
    const bool twice = draw(3) == 0;
    const auto number = waits_++;
    const auto again = fmt::format(
        " cp.async.commit_group; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 2; @%p1 bra C{};{}",
        number, draw(3) == 0 ? "" : "cp.async.wait_group 1;");
    return fmt::format(
               "and.b32 %r4, %r0, {}; mul.lo.u32 %r4, %r4, {}; xor.b32 %r4, %r4, {}; mov.u32 %r6, "
               "s;"
               "add.u32 %r6, %r6, %r4; add.u64 %d1, %d0, {}; ",
               each, size, to, from) +
           guard_in_blocks(some()) + (twice ? fmt::format("mov.u32 %r7, 0;\nC{}: ", number) : "") +
           fmt::format("@%p0 cp.async.ca.shared.global [%r6], [%d1], {}{};", size, some_bytes) +
           (twice ? again : "");
  }

  /// All threads arrive, not all of them at once; some wait for that, now or later.
  std::string phase(unsigned bar) {
    static constexpr const char* orders[] = {"", "", ".release.cta", ".relaxed.cta"};
    std::string s = await(bar);
    // Who comes again before the others have come would take their place.
    if (phases_[bar] != 0) s += wait(bar, ~0ULL, relaxed);
    const auto arrive =
        fmt::format("mbarrier.arrive{}.shared.b64 %d3, [bars+{}]; ", pick(orders), 8 * bar);
    const auto early = some();
    s += guard(early) + "@%p0 " + arrive;
    if (draw(2) == 0) s += access() + " ";
    s += guard(early) + "@!%p0 " + arrive;
    due_[bar] = draw(4) == 0 ? 0 : some();
    ++phases_[bar];
    return draw(2) == 0 ? s + await(bar) : s;
  }

  /// Those of the threads that are to wait for the phase that all have come to last.
  std::string await(unsigned bar) {
    static constexpr const char* waits[] = {"test_wait.parity", "try_wait.parity", relaxed};
    return due_[bar] == 0 ? "" : wait(bar, std::exchange(due_[bar], 0), pick(waits));
  }
  static constexpr const char* relaxed = "try_wait.parity.relaxed.cta";
  std::string wait(unsigned bar, std::uint64_t mask, const char* how) {
    return guard(mask) +
           fmt::format(
               "@!%p0 bra S{0};\nW{0}: mbarrier.{1}.shared::cta.b64 %p1, [bars+{2}], {3};"
               "@!%p1 bra W{0};\nS{0}: ",
               waits_++, how, 8 * bar, (phases_[bar] & 1) ^ 1);
  }

  std::string warp_barrier() {
    const auto mask = static_cast<std::uint32_t>(random_() | 1ULL << draw(32));
    return fmt::format(
        "shr.u32 %r4, {0}, %r3; and.b32 %r4, %r4, 1; setp.ne.u32 %p0, %r4, 0;"
        "@%p0 bar.warp.sync {0};",
        mask);
  }

  std::string named_barrier() {
    // Some warps wait, others only arrive; each number is used once.
    const std::uint64_t first = live_ & 0xFFFF'FFFF, second = live_ & ~0xFFFF'FFFFULL;
    const auto which = draw(4);
    std::uint64_t wait = which == 1 ? second : which == 2 ? first : live_;
    std::uint64_t arrive = which == 1 ? first : which == 2 && draw(2) == 0 ? second : 0;
    if (wait == 0) std::swap(wait, arrive);
    if (wait == 0) return access();
    // A count is in whole warps: lanes that the last warp lacks count with its lane 0.
    auto count = static_cast<std::uint32_t>(std::popcount(wait) + std::popcount(arrive));
    const auto lanes = shape_.threads % 32, last = shape_.threads / 32 * 32;
    if (lanes != 0 && ((wait | arrive) >> last & 1) != 0) count += 32 - lanes;
    const auto id = next_id_++;
    std::string s = guard(wait) + fmt::format("@%p0 bar.sync {}, {}; ", id, count);
    if (arrive != 0) s = guard(arrive) + fmt::format("@%p0 bar.arrive {}, {}; ", id, count) + s;
    return s;
  }

  std::string access() {
    const bool shared = draw(3) != 0;
    const char* space = shared ? "shared" : "global";
    // A scalar width for plain accesses; synchronisation is on whole words.
    const auto style = draw(10);
    const unsigned size = style < 4 ? 1U << draw(4) : 4;
    const std::uint64_t cells = 16 / size, at = draw(cells);
    std::string address = shared ? "mov.u64 %d1, s; " : "mov.u64 %d1, %d0; ";
    if (draw(3) == 0) {
      address += fmt::format(
          "add.u32 %r4, %r0, {}; and.b32 %r4, %r4, {}; mad.wide.u32 %d1, %r4, {}, %d1; ", at,
          cells - 1, size);
    } else {
      address += fmt::format("add.u64 %d1, %d1, {}; ", at * size);
    }
    const auto mask = some();
    const std::string value = draw(2) == 0 ? "%r0" : "7";
    std::string op;
    const bool write = draw(2) == 0;
    const char* read_only = !shared && !write && draw(6) == 0 ? ".nc" : "";
    if (style < 4) {
      const auto bits = 8 * size;
      if (bits == 64) {
        op = write ? fmt::format("cvt.u64.u32 %d3, {}; @%p0 st.{}.u64 [%d1], %d3;", value, space)
                   : fmt::format("@%p0 ld.{}{}.u64 %d3, [%d1];", space, read_only);
      } else {
        op = write ? fmt::format("mov.u32 %r5, {}; @%p0 st.{}.u{} [%d1], %r5;", value, space, bits)
                   : fmt::format("@%p0 ld.{}{}.u{} %r5, [%d1];", space, read_only, bits);
      }
    } else if (style < 7) {
      op = write ? fmt::format("@%p0 st.volatile.{}.u32 [%d1], {};", space, value)
                 : fmt::format("@%p0 ld.volatile.{}.u32 %r5, [%d1];", space);
    } else if (style == 7 || !shape_.publishes) {
      const char* scope = draw(3) == 0 ? ".relaxed.cta" : "";
      op = draw(2) == 0 ? fmt::format("@%p0 atom{}.{}.add.u32 %r5, [%d1], {};", scope, space, value)
                        : fmt::format("@%p0 red{}.{}.add.u32 [%d1], {};", scope, space, value);
    } else {
      static constexpr const char* loads[] = {"relaxed", "acquire"};
      static constexpr const char* stores[] = {"relaxed", "release"};
      static constexpr const char* updates[] = {"relaxed", "acquire", "release", "acq_rel"};
      static constexpr const char* scopes[] = {"gpu", "gpu", "cta", "sys"};
      const char* scope = pick(scopes);
      op = style == 8 ? fmt::format("@%p0 atom.{}.{}.{}.add.u32 %r5, [%d1], {};", pick(updates),
                                    scope, space, value)
           : write
               ? fmt::format("@%p0 st.{}.{}.{}.u32 [%d1], {};", pick(stores), scope, space, value)
               : fmt::format("@%p0 ld.{}.{}.{}.u32 %r5, [%d1];", pick(loads), scope, space);
    }
    return address + guard_in_blocks(mask) + op;
  }

  const ProgramShape& shape_;
  std::mt19937_64 random_;
  std::uint64_t live_ = 0;
  unsigned next_id_ = 1;
  std::uint64_t due_[2] = {};  ///< who waits for the phase of an mbarrier
  unsigned phases_[2] = {};
  unsigned waits_ = 0;
};

}  // namespace

std::string ProgramShape::text() const {
  return fmt::format(
      "seed {}, {} blocks of {}, {} statements{}{}{}{}{}{}{}", seed, blocks, threads, statements,
      publishes ? ", publishes" : "", named_barriers ? ", named barriers" : "",
      partial_masks ? ", partial masks" : "", exits ? ", exits" : "", turns ? ", turns" : "",
      copies ? ", copies" : "", reversed_warps ? ", reversed warps" : "");
}

std::string random_program(const ProgramShape& shape) { return Writer(shape).run(); }

}  // namespace gauntlet::simt::test
