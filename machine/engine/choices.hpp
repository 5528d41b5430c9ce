// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel without some of its branches: each thread runs both ways of one and takes the values of
// its own by selp. What is proved of it holds for the kernel as it is written. Of the accesses of
// that none is missing: a load is made on both ways, a store writes back what was there where the
// thread does not go. An atomic becomes one at each of its addresses, which adds nothing where it
// is another one's turn, and a trap where it is nobody's.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "machine/engine/module.hpp"

namespace gauntlet::simt {

/// By entry: lines of the PTX, each with one branch or one instruction that has a guard; or one sum
/// by an atomic whose result nobody reads, with all addresses that it may have.
using Choices = std::map<std::string, std::map<std::uint32_t, std::set<std::uint64_t>>>;

/// A branch stays where its ways have a loop, a barrier, a strong access, an atomic other than such
/// a sum, a call or an end, or are too long. Null: all stay.
[[nodiscard]] std::shared_ptr<const Module> with_choices(const Module& module,
                                                         const Choices& choices);

}  // namespace gauntlet::simt
