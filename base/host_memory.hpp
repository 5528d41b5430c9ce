// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// How much memory the host has left, asked before something large is allocated.
#pragma once

#include <cstdint>
#include <string>

namespace gauntlet {

/// Bytes that can be had without swapping (Linux's MemAvailable); 0 where that is not known.
[[nodiscard]] std::uint64_t memory_available();

/// "12 MiB", from 10,000 MiB on "17 GiB". Bytes are a floating-point number here and below, because
/// what a case asks for may be more than 64 bits count.
[[nodiscard]] std::string memory_text(double bytes);

/// "SUBJECT needs about 128 GiB of host memory and 22 GiB are free", or nothing where `needed`
/// bytes fit in `available` ones. Where 0, unknown, are available, everything fits that an address
/// space of 2^46 bytes holds. `needs` is the verb: "needs" or "need".
[[nodiscard]] std::string too_large(const std::string& subject, const std::string& needs,
                                    double needed, std::uint64_t available);

}  // namespace gauntlet
