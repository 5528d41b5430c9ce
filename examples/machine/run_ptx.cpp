// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the kernel of a PTX file, kernel(const float* in, float* out, unsigned n), on the SIMT
// machine.
//   nvcc -ptx -lineinfo block_sum.cu && ./run_ptx block_sum.ptx
// Exit code 0: nothing was found; 1: something was; 2: it cannot be run.
#include <exception>
#include <gauntlet/machine.hpp>
#include <iostream>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "write: run_ptx FILE.ptx\n";
    return 2;
  }
  const unsigned n = 1000, block = 256, blocks = (n + block - 1) / block;
  gauntlet::machine::Machine machine(argv[1]);
  const auto in = machine.allocate({.name = "in", .bytes = n * sizeof(float), .read_only = true});
  const auto out =
      machine.allocate({.name = "out", .bytes = blocks * sizeof(float), .output = true});
  machine.write<float>(in, std::vector<float>(n, 1));

  const auto report = machine.launch(
      {.grid = {blocks}, .block = {block}, .shared_bytes = 4 * block, .args = {in, out, n}});
  std::cout << report.printed;
  for (const auto& finding : report.findings) std::cout << finding.text << '\n';

  float sum = 0;
  for (const float partial : machine.read<float>(out, blocks)) sum += partial;
  std::cout << "sum: " << sum << ", findings: " << report.findings.size() << '\n';
  return report.completed && report.findings.empty() ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 2;
}
