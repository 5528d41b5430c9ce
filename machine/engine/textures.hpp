// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Fetches from textures, accesses to surfaces. Each element is read or written as by any other load
// or store, so that arrays that were freed, undefined values and races are found in the same way.
#pragma once

#include <cstdint>

#include "machine/code/code.hpp"
#include "machine/engine/access_path.hpp"
#include "machine/state/memory.hpp"
#include "machine/state/texture.hpp"

namespace gauntlet::simt {

class Textures : EnginePart {
 public:
  explicit Textures(const EnginePart& part) : EnginePart(part) {}
  void access(const Executed& by, const MemoryOp& op);

 private:
  void fetch(Access& a, const TextureOp& op, const Texture& from, std::uint32_t mask);
  void surface(Access& a, const TextureOp& op, const Texture& at, std::uint32_t mask);
};

}  // namespace gauntlet::simt
