// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "kernels/cub_plan.hpp"

#include <algorithm>

namespace gauntlet::kernels {
namespace {

bool lacks(const Form& form, std::string_view fix) {
  return std::find(form.missing.begin(), form.missing.end(), fix) != form.missing.end();
}

/// The program that shows what a form of cub_device lacks.
CubHost host_of(const Form& form) {
  CubHost host;
  host.fixes.cache_bytes = !lacks(form, "cache_bytes");
  host.fixes.registered_size = !lacks(form, "registered_size");
  host.fixes.stream_buffer = !lacks(form, "stream_buffer");
  host.registers_size = host.fixes.registered_size;
  host.streams = host.fixes.stream_buffer ? 1 : 2;
  return host;
}

}  // namespace

Plan cub_plan(const Variant& variant, const Form& form, const Case& c) {
  if (variant.cub == Cub::device) return cub_device_plan(c, host_of(form));
  return cub_tiles_plan(c, variant.cub);
}

}  // namespace gauntlet::kernels
