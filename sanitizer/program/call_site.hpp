// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where in the user's host code a call of the runtime came from.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sanitizer/program/report.hpp"

namespace gauntlet::runtime {

/// Of what is told of a call.
constexpr std::size_t most_frames = 3;

/// Return addresses of this thread, innermost first, at most 64, and its Python frames behind them.
/// Cheap: nothing is looked up, and calls from one place share theirs. nullptr: not known.
using Addresses = std::vector<void*>;
using Trace = std::shared_ptr<const Addresses>;
[[nodiscard]] Trace trace();

/// The driver's entry that this thread is in; empty: it called the runtime itself.
[[nodiscard]] std::string_view& driver_call();
/// What the program called where the runtime does `call`.
[[nodiscard]] inline std::string_view spelled(std::string_view call) {
  return driver_call().empty() ? call : driver_call();
}

/// Whether the innermost frame that is not this library's is code of the toolkit's headers.
[[nodiscard]] bool called_by_toolkit(const Trace& trace);

/// A path without the current folder that it begins with.
[[nodiscard]] std::string shortened(std::string file);

/// The user's frames of a trace, innermost first, most_frames of them: without this library, the
/// toolkit's headers, and what nvcc puts between a launch and its kernel (`kernel`: the launched
/// one's signature). Files and lines are binutils' addr2line's, where it is installed and the code
/// has debug information; else functions and modules. Of a call from Python: what has a source that
/// is there, down to the interpreter, then Python's frames.
[[nodiscard]] std::vector<Frame> frames(const Trace& trace, std::string_view kernel = {});

// Where in Python code a call of the runtime or the driver came from.

enum class CallKind : bool { launch, other };

/// Takes the Python frames of this thread for as long as it lives; of nested ones the outermost
/// does. It is made before the lock of the state is taken: frames can be read only with Python's
/// global lock (GIL), for which it has to wait where the caller has released it, and whoever holds
/// the GIL may wait for the state. For launches and for what ctypes calls it waits, as the caller
/// itself will behind the call; other callers might hold locks of their own, and where these have
/// released the GIL nothing is taken.
class PythonCall {
 public:
  explicit PythonCall(CallKind kind = CallKind::other);
  ~PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;
};

/// Frame::module of a frame of Python: no file's name, since an interpreter may be called python.
constexpr std::string_view python_module = "<python>";

/// What was taken: the user's, innermost first, most_frames of them; those of installed packages
/// and of Python's library only where there are no others.
[[nodiscard]] const std::vector<Frame>& python_frames();

/// A module of the interpreter, or what it calls C functions by.
[[nodiscard]] bool is_interpreter(std::string_view module);

}  // namespace gauntlet::runtime
