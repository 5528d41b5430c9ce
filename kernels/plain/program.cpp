// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// A host program around a plain source, made of the plan of a case.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/types.hpp"
#include "kernels/plain/plain.hpp"
#include "kernels/subject.hpp"

namespace gauntlet::kernels {
namespace {

std::string_view cuda_name(Type type) { return type == Type::f32 ? "float" : "int"; }

std::uint64_t as_number(const std::vector<std::byte>& bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

/// As the kernel's file calls a __device__ variable that PTX has another name for.
std::string variable(const Plan& plan, const std::string& symbol) {
  const auto seen = std::ranges::find(plan.observed, symbol, &Observed::symbol);
  return seen == plan.observed.end() ? symbol : seen->buffer;
}

/// In the kernel's order.
std::string arguments(const Launch& launch, const Plan& plan) {
  std::string text;
  for (const Arg& arg : launch.args) {
    text += text.empty() ? "" : ", ";
    if (arg.kind == Arg::Kind::value) {
      text += std::to_string(as_number(arg.bytes));
    } else if (arg.kind == Arg::Kind::symbol) {
      text += variable(plan, arg.symbol) + "_address";
    } else if (arg.array == Plan::input) {
      text += "in";
    } else {
      text += plan.buffers.at(arg.array - 1).name;
    }
  }
  return text;
}

std::string filled(const Buffer& buffer, std::string_view identity) {
  // What is not filled would be read as it comes; zeros show a defect less often than they hide it.
  if (buffer.fill == Fill::identity) {
    return fmt::format("  for (unsigned long long i = 0; i < {}; ++i) {}[i] = {};\n",
                       buffer.bytes / std::max<std::uint32_t>(buffer.element_bytes, 1), buffer.name,
                       identity);
  }
  return fmt::format("  cudaMemset({}, {}, {});\n", buffer.name,
                     buffer.fill == Fill::zero ? "0" : "0xff", buffer.bytes);
}

}  // namespace

std::string plain_main(const PlainSource& source, const Case& c) {
  const Plan plan = kernels::plan(c);
  if (!plan.refusal.empty()) throw CaseError(fmt::format("{}: {}", source.name, plan.refusal));
  const std::string_view type = cuda_name(c.acc);
  const bool least = c.op == Op::minimum;
  std::string text = fmt::format(
      "\n#include <cstdio>\n\n// {} elements that are 1.\nint main() {{\n"
      "  const unsigned long long n = {};\n  {}* in;\n"
      "  cudaMallocManaged(&in, {} * sizeof *in);\n"
      "  for (unsigned long long i = 0; i < n; ++i) in[i] = 1;\n",
      c.n, c.n, cuda_name(c.in), std::max<std::uint64_t>({plan.padded, c.n, 1}));
  bool cells = false;
  for (const Buffer& buffer : plan.buffers) {
    const bool words = buffer.name == "slots";
    const bool counter = buffer.name == "ticket";
    text += fmt::format("  {}* {};\n  cudaMallocManaged(&{}, {});\n",
                        words     ? "unsigned long long"
                        : counter ? "unsigned"
                                  : type,
                        buffer.name, buffer.name, std::max<std::uint64_t>(buffer.bytes, 8));
    text += filled(buffer, least ? "2147483647" : "0");
    cells = cells || buffer.name == "partials";
  }
  const auto overlapping = std::ranges::find_if(plan.launches, &Launch::programmatic);
  if (overlapping != plan.launches.end()) {
    const auto [bx, by, bz] = overlapping->block;
    text += fmt::format(
        "  cudaLaunchAttribute attribute{{}};\n"
        "  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
        "  attribute.val.programmaticStreamSerializationAllowed = 1;\n"
        "  cudaLaunchConfig_t config{{}};\n"
        "  config.blockDim = dim3({}, {}, {});\n"
        "  config.dynamicSmemBytes = {};\n"
        "  config.attrs = &attribute;\n"
        "  config.numAttrs = 1;\n",
        bx, by, bz, overlapping->shared_bytes);
  }
  for (const Launch& launch : plan.launches) {
    for (const Arg& arg : launch.args) {
      if (arg.kind != Arg::Kind::symbol || cells) continue;
      cells = true;
      const std::string name = variable(plan, arg.symbol);
      text += fmt::format(
          "  {}* {}_address;\n  "
          "cudaGetSymbolAddress(reinterpret_cast<void**>(&{}_address), {});\n",
          type, name, name, name);
    }
    const auto [gx, gy, gz] = launch.grid;
    const auto [bx, by, bz] = launch.block;
    if (launch.programmatic) {
      text += fmt::format(
          "  config.gridDim = dim3({}, {}, {});\n"
          "  cudaLaunchKernelEx(&config, {}, {});\n",
          gx, gy, gz, c.variant, arguments(launch, plan));
      continue;
    }
    text += fmt::format("  {}<<<dim3({}, {}, {}), dim3({}, {}, {}), {}>>>({});\n", c.variant, gx,
                        gy, gz, bx, by, bz, launch.shared_bytes, arguments(launch, plan));
  }
  const Observed& seen = plan.observed.front();
  const std::string_view exact = least ? "1" : "n";
  text += fmt::format(
      "  const cudaError_t error = cudaDeviceSynchronize();\n"
      "  {0} total = {1};\n"
      "  for (unsigned long long i = 0; i < {2}; ++i) total = {3};\n"
      "  std::printf(\"%s: %g, must be %g\\n\", cudaGetErrorString(error), "
      "double(total), "
      "double({4}));\n"
      "  return error == cudaSuccess && total == {4} ? 0 : 1;\n}}\n",
      type, least ? "2147483647" : "0", seen.cells,
      least ? "min(total, " + seen.buffer + "[i])" : "total + " + seen.buffer + "[i]", exact);
  return text;
}

}  // namespace gauntlet::kernels
