// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// gauntlet_print_copies NAME.gauntlet: what nvcc compiles of a row that is two files, on standard
// output. The build runs it.
#include <exception>
#include <iostream>

#include "base/os/file.hpp"
#include "properties/language/copies.hpp"
#include "properties/language/host.hpp"
#include "properties/language/spec.hpp"

int main(int argc, char** argv) {
  try {
    if (argc != 2) {
      std::cerr << "usage: gauntlet_print_copies NAME.gauntlet\n";
      return 2;
    }
    const gauntlet::spec::Spec spec = gauntlet::spec::read_spec(argv[1]);
    const std::string file = spec.beside(spec.kernel);
    const auto source = gauntlet::os::read_file(file);
    if (!source) {
      std::cerr << file << ": cannot be read\n";
      return 2;
    }
    std::cout << (spec.host ? gauntlet::spec::host_source(spec, file)
                            : gauntlet::spec::wrapper(spec, file, *source));
    return std::cout.flush() ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
