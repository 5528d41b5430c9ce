// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What nvcc made of the names that a user wrote: paths of headers and symbols of C++.
#pragma once

#include <string>
#include <string_view>

namespace gauntlet::ptx {

/// Whether a path of a .file line is a header of the CUDA toolkit or of the host's compiler: what
/// is inlined from there is told at the user's line that called it.
[[nodiscard]] bool in_toolkit(std::string_view path);

/// Whether it is one of the headers of cooperative groups.
[[nodiscard]] bool in_cooperative_groups(std::string_view path);

/// The last identifier of a mangled name: "s" of "_ZZ4mainE1s"; any other name as it is.
[[nodiscard]] std::string plain_name(std::string_view symbol);

/// The name that nvcc -rdc=true was given for what has no linkage: "own" of
/// "__nv_static_18__99750153_4_a_cu_own", whose second part has 18 characters; else as it is.
[[nodiscard]] std::string_view without_unit(std::string_view symbol);

/// A C++ symbol as C++ spells it, without its unit; the symbol as it is where it is none, and where
/// its text would be too long to be read or to be made: a symbol of 400 characters can name its own
/// parts so that each doubles the one before (Itanium C++ ABI, 5.1.10).
[[nodiscard]] std::string demangled(const std::string& symbol);

/// The same for people: where the symbol cannot be spelt (binutils and the C++ library know no way
/// for some lambdas within function templates), its name without what it is instantiated for:
/// "ns::sum<...>". Several symbols may be shown alike.
[[nodiscard]] std::string readable(const std::string& symbol);

/// What a signature is of, without result, template arguments, parameters and unnamed namespaces:
/// "ns::sum" of "void ns::(anonymous namespace)::sum<int>(int const*)".
[[nodiscard]] std::string qualified_name(std::string_view signature);
/// The last part of that: "sum".
[[nodiscard]] std::string bare_name(std::string_view signature);
/// The text without compilers' tags of functions, "[abi:v1]": Numba's have a hundred characters.
[[nodiscard]] std::string without_tags(std::string_view signature);
/// A signature as findings show it: "cub::DeviceReduceKernel" of one of CUB's or Thrust's; of
/// others the whole, and where that is long "sum<int, 256>(...)" or "ns::sum<...>".
[[nodiscard]] std::string short_name(std::string_view signature);

}  // namespace gauntlet::ptx
