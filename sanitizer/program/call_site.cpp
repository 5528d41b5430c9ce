// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "sanitizer/program/call_site.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/numbers.hpp"
#include "base/os/file.hpp"
#include "base/os/process.hpp"
#include "base/os/temporary_folder.hpp"
#include "machine/ptx/source_names.hpp"
#include "machine/state/spares.hpp"

namespace gauntlet::runtime {
namespace {

/// The module that holds an address, and the address as its file has it.
struct Place {
  std::string module;
  const void* base = nullptr;
  std::uintptr_t address = 0;
  std::string symbol;  ///< as the module exports it
};

Place place_of(void* return_address) {
  Place place;
  Dl_info info{};
  // The call is before the address that it returns to.
  void* const call = static_cast<char*>(return_address) - 1;
  if (dladdr(call, &info) == 0 || info.dli_fname == nullptr) return place;
  place.base = info.dli_fbase;
  place.address = reinterpret_cast<std::uintptr_t>(call);
  Elf64_Ehdr head;
  std::memcpy(&head, info.dli_fbase, sizeof head);
  if (head.e_type != ET_EXEC) place.address -= reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  // The main program's name may be relative to a folder that was left since.
  std::error_code failed;
  place.module =
      std::filesystem::exists(info.dli_fname, failed) ? info.dli_fname : "/proc/self/exe";
  if (place.module == "/proc/self/exe") {
    place.module = std::filesystem::read_symlink(place.module, failed).string();
  }
  if (info.dli_sname != nullptr) place.symbol = info.dli_sname;
  return place;
}

/// "main.cu:41 (discriminator 2)"; "??:0" where it is not known.
void take_place(Frame& frame, std::string line) {
  line = line.substr(0, line.find(" (discriminator"));
  const auto colon = line.rfind(':');
  if (colon == line.npos) return;
  const auto number = parse_number<std::uint32_t>(std::string_view(line).substr(colon + 1));
  if (!number || *number == 0 || line.starts_with("?")) return;
  // What nvcc made of a source and names no line of: another frame says where that is.
  if (std::string_view(line).substr(0, colon).ends_with(".cudafe1.cpp")) return;
  frame.file = line.substr(0, colon);
  frame.line = *number;
}

/// Whether a module exports this symbol, so that dladdr knows where it ends. Of a stripped library
/// addr2line names what is exported before an address, however far that is.
bool exports(const std::string& module, const std::string& symbol) {
  void* const loaded = dlopen(module.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (loaded == nullptr) return false;
  const bool known = dlsym(loaded, symbol.c_str()) != nullptr;
  dlclose(loaded);
  return known;
}

std::string addr2line(const std::string& module, const std::vector<std::uintptr_t>& addresses) {
  try {
    const os::TemporaryFolder folder;
    os::Command command{.argv = {"addr2line", "-afi", "-e", module},
                        .environment = {"LD_PRELOAD=", "LD_AUDIT="},
                        .out = (folder.path() / "out").string(),
                        .err = (folder.path() / "err").string()};
    for (const auto address : addresses) command.argv.push_back(fmt::format("0x{:x}", address));
    os::Process process(command);
    if (process.wait().code() != 0) return {};
    return os::read_file(command.out).value_or("");
  } catch (const std::exception&) {
    return {};  // not installed, or no place for files: functions and modules must do
  }
}

/// Each address with the functions that are inlined there, innermost first.
std::map<void*, std::vector<Frame>>& resolved() {
  static auto* const known = new std::map<void*, std::vector<Frame>>;  // outlives exit handlers
  return *known;
}
/// A frame of Python among return addresses: an address of its own, which is known.
void* address_of(const Frame& frame) {
  using Key = std::tuple<std::string, std::string, std::uint32_t>;
  static auto* const all = new std::map<Key, char>;
  char& one = (*all)[{frame.function, frame.file, frame.line}];
  resolved()[&one] = {frame};
  return &one;
}

void resolve(const Addresses& trace) {
  struct Wanted {
    std::vector<void*> keys;
    std::vector<std::uintptr_t> addresses;
    std::vector<std::string> symbols;
  };
  std::map<std::string, Wanted> wanted;
  for (void* const address : trace) {
    auto& known = resolved()[address];
    if (!known.empty()) continue;
    Place place = place_of(address);
    if (place.module.empty()) {
      known.push_back({});
      continue;
    }
    Wanted& of = wanted[place.module];
    of.keys.push_back(address);
    of.addresses.push_back(place.address);
    of.symbols.push_back(place.symbol);
  }
  for (const auto& [module, of] : wanted) {
    const std::string short_name = std::filesystem::path(module).filename().string();
    std::istringstream text(addr2line(module, of.addresses));
    std::string line, where;
    std::size_t at = ~std::size_t{0};
    while (std::getline(text, line)) {
      if (line.starts_with("0x")) {
        ++at;
        continue;
      }
      if (at >= of.keys.size() || !std::getline(text, where)) break;
      Frame frame;
      frame.module = short_name;
      take_place(frame, where);
      const auto& exported = of.symbols[at];
      const bool other = frame.line == 0 && line != exported && exports(module, line);
      frame.function = ptx::readable(line == "??" || other ? exported : line);
      resolved()[of.keys[at]].push_back(std::move(frame));
    }
    for (std::size_t k = 0; k < of.keys.size(); ++k) {
      auto& known = resolved()[of.keys[k]];
      if (known.empty()) known.push_back({ptx::readable(of.symbols[k]), {}, 0, short_name});
    }
  }
}

bool of_toolkit(const Frame& frame) {
  for (const std::string_view part :
       {"/cuda_runtime.h", "/crt/", "/cccl/", "/targets/x86_64-linux/include/", "/include/c++/",
        "cudafe1.stub.c"}) {
    if (frame.file.find(part) != frame.file.npos) return true;
  }
  if (frame.line == 0) {
    // No path tells: the namespaces of CUB and Thrust do, before the function's parameters.
    const std::string_view function(frame.function.data(),
                                    std::min(frame.function.find('('), frame.function.size()));
    return function.find("cub::CUB_") != function.npos ||
           function.find("thrust::THRUST_") != function.npos;
  }
  return frame.file.find("/cuda") != frame.file.npos &&
         frame.file.find("/include/") != frame.file.npos;
}

/// The return addresses of a thread's frames, and where they stood. A loop that launches comes by
/// the same frames each time, and to unwind them takes longer than a short launch.
struct Unwound {
  static constexpr std::size_t most = 64;  // Thrust's algorithms are thirty functions deep
  Addresses addresses;
  Trace trace;  ///< these, for who keeps them
  std::vector<void* const*> at;
  bool all_known = true;  ///< each stands where `at` says
  bool own = false;       ///< the frame of who unwinds, which is left out, has been met

  static _Unwind_Reason_Code add(_Unwind_Context* context, void* to) {
    auto& all = *static_cast<Unwound*>(to);
    if (!std::exchange(all.own, true)) return _URC_NO_REASON;
    auto* const address = reinterpret_cast<void*>(_Unwind_GetIP(context));
    if (address == nullptr || all.addresses.size() == most) return _URC_END_OF_STACK;
    // A call leaves its return address below what the stack ends with behind it.
    auto* const stands = reinterpret_cast<void* const*>(_Unwind_GetCFA(context)) - 1;
    all.all_known &= returns_by_stack && *stands == address;
    all.addresses.push_back(address);
    all.at.push_back(stands);
    return _URC_NO_REASON;
  }
  /// Whether who returns by `own` has these frames around it.
  [[nodiscard]] bool is_from(void* const* own) const {
    return all_known && !at.empty() && at[0] == own &&
           std::ranges::equal(addresses, at, {}, {}, [](void* const* stands) { return *stands; });
  }

 private:
#ifdef __x86_64__
  static constexpr bool returns_by_stack = true;
#else
  static constexpr bool returns_by_stack = false;
#endif
};

/// Those of a thread. Destructors of static objects, which may free arrays, run behind its own.
struct Known {
  std::array<Unwound, 8> all;
  std::size_t oldest = 0;
  static thread_local bool gone;
  Known() = default;
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;
  ~Known() { gone = true; }
};
thread_local bool Known::gone = false;

/// Behind it nobody of the program's is left.
bool is_end(const Frame& frame) {
  return frame.function == "__libc_start_main" || frame.function == "__libc_start_call_main" ||
         frame.function == "_start" || frame.module.starts_with("libc.so") ||
         frame.function.starts_with("testing::") ||
         frame.function.find(" testing::internal::") != frame.function.npos;
}

}  // namespace

std::string shortened(std::string file) {
  std::error_code failed;
  const std::string here = std::filesystem::current_path(failed).string() + "/";
  file = std::filesystem::path(file).lexically_normal().string();
  return !failed && file.starts_with(here) ? file.substr(here.size()) : file;
}

std::string_view& driver_call() {
  thread_local std::string_view call;
  return call;
}

[[gnu::noinline]] Trace trace() {
  std::optional<Known> late;
  Known& of = Known::gone ? late.emplace() : simt::of_this_thread<Known>();
  auto& [known, oldest] = of;
  // The caller's return address stands above the frame pointer there.
  void* const* const own = static_cast<void* const*>(__builtin_frame_address(0)) + 1;
  auto found = std::ranges::find_if(known, [&](const Unwound& one) { return one.is_from(own); });
  if (found == known.end()) {
    found = known.begin() + static_cast<std::ptrdiff_t>(oldest++ % known.size());
    *found = {};
    _Unwind_Backtrace(&Unwound::add, &*found);
    found->trace = std::make_shared<const Addresses>(found->addresses);
  }
  if (python_frames().empty()) return found->trace;
  Addresses all = found->addresses;
  for (const Frame& frame : python_frames()) all.push_back(address_of(frame));
  return std::make_shared<const Addresses>(std::move(all));
}

bool called_by_toolkit(const Trace& trace) {
  const void* const own = place_of(reinterpret_cast<char*>(&resolve) + 1).base;
  const auto caller =
      std::ranges::find_if(*trace, [&](void* address) { return place_of(address).base != own; });
  if (caller == trace->end()) return false;
  resolve({*caller});
  return of_toolkit(resolved()[*caller].front());
}

std::vector<Frame> frames(const Trace& trace, std::string_view kernel) {
  if (trace == nullptr) return {};
  // This library's own frames are the innermost ones, and below a function that it calls.
  const void* const own = place_of(reinterpret_cast<char*>(&resolve) + 1).base;
  Addresses theirs = *trace;
  std::erase_if(theirs, [&](void* address) { return place_of(address).base == own; });
  resolve(theirs);
  std::vector<Frame> all, python;
  for (void* const address : theirs) {
    const auto& at = resolved()[address];
    auto& to = at.front().module == python_module ? python : all;
    to.insert(to.end(), at.begin(), at.end());
  }
  // Past the stub of the kernel, and past the function of the kernel's name that calls it.
  std::size_t first = 0;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].function.find("device_stub") != std::string::npos) first = k + 1;
  }
  const std::string launched = ptx::bare_name(kernel);
  while (first != 0 && first < all.size() && !launched.empty() &&
         ptx::bare_name(all[first].function) == launched) {
    ++first;
  }
  std::vector<Frame> result;
  for (std::size_t k = first; k < all.size() && result.size() < most_frames; ++k) {
    if (is_end(all[k]) || (!python.empty() && is_interpreter(all[k].module))) break;
    if (of_toolkit(all[k]) || (all[k].line == 0 && all[k].function.empty())) continue;
    // Of the wheel of a package the sources are not here.
    if (!python.empty() && !std::filesystem::exists(all[k].file)) continue;
    result.push_back(all[k]);
  }
  for (const Frame& frame : python) {
    if (result.size() < most_frames) result.push_back(frame);
  }
  for (Frame& frame : result) frame.file = shortened(std::move(frame.file));
  return result;
}

}  // namespace gauntlet::runtime
