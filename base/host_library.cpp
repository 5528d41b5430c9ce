// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "base/host_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace gauntlet {

HostLibrary HostLibrary::open(const std::string& path) {
  void* const loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (loaded == nullptr) throw std::runtime_error(dlerror());
  HostLibrary library;
  const auto find = [&](auto& entry, const char* name) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(loaded, name));
    if (entry == nullptr) {
      throw std::runtime_error(path + " is no library of a function of the host");
    }
  };
  find(library.signature, "gauntlet_host_signature");
  find(library.call, "gauntlet_host_call");
  find(library.error, "gauntlet_host_error");
  return library;
}

HostReturn call_host(HostCall& call, unsigned which, const std::vector<Arg>& args,
                     const std::function<std::uint64_t(std::uint32_t array)>& address,
                     void* stream) {
  std::vector<std::uint64_t> bits;
  for (const Arg& arg : args) {
    std::uint64_t& value = bits.emplace_back();
    if (arg.kind == Arg::Kind::array) {
      value = address(arg.array) + arg.byte_offset;
    } else {
      std::memcpy(&value, arg.bytes.data(), std::min(arg.bytes.size(), sizeof value));
    }
  }
  std::vector<void*> values;
  for (std::uint64_t& value : bits) values.push_back(&value);
  HostReturn result;
  const char* const thrown = call(which, values.data(), stream, &result.returned);
  if (thrown != nullptr) result.thrown = std::string("threw an exception: ") + thrown;
  return result;
}

}  // namespace gauntlet
