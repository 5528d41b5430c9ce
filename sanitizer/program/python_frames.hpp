// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Where in Python code a call of the runtime or the driver came from.
#pragma once

#include <string_view>
#include <vector>

#include "sanitizer/program/report.hpp"

namespace gauntlet::runtime {

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
