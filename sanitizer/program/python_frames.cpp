// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "sanitizer/program/call_site.hpp"

namespace gauntlet::runtime {
namespace {

/// What of Python's C API is used, all of it there from 3.7 to 3.13 at least. Objects are void*.
struct Python {
  int (*is_initialised)();
  void* (*thread_state)();
  int (*holds_lock)();
  int (*take_lock)();
  void (*give_lock)(int);
  void* (*frame)();  // borrowed
  int (*line_of)(void*);
  void* (*attribute)(void*, const char*);
  const char* (*text)(void*);
  void (*keep)(void*);
  void (*drop)(void*);
  void (*take_error)(void**, void**, void**);
  void (*give_error)(void*, void*, void*);
  bool there = false;
};

template <class F>
bool look_up(F*& function, const char* name) {
  function = reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
  return function != nullptr;
}

const Python& python() {
  static const Python found = [] {
    Python p{};
    p.there =
        look_up(p.is_initialised, "Py_IsInitialized") &&
        look_up(p.thread_state, "PyGILState_GetThisThreadState") &&
        look_up(p.holds_lock, "PyGILState_Check") && look_up(p.take_lock, "PyGILState_Ensure") &&
        look_up(p.give_lock, "PyGILState_Release") && look_up(p.frame, "PyEval_GetFrame") &&
        look_up(p.line_of, "PyFrame_GetLineNumber") &&
        look_up(p.attribute, "PyObject_GetAttrString") && look_up(p.text, "PyUnicode_AsUTF8") &&
        look_up(p.keep, "Py_IncRef") && look_up(p.drop, "Py_DecRef") &&
        look_up(p.take_error, "PyErr_Fetch") && look_up(p.give_error, "PyErr_Restore");
    return p;
  }();
  return found;
}

/// Owns a reference; nullptr where an attribute is missing.
class Object {
 public:
  explicit Object(void* object) : object_(object) {}
  ~Object() { python().drop(object_); }
  Object(Object&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  explicit operator bool() const { return object_ != nullptr; }

  [[nodiscard]] Object attribute(const char* name) const {
    return Object(python().attribute(object_, name));
  }
  [[nodiscard]] std::string text() const {
    const char* const all = object_ == nullptr ? nullptr : python().text(object_);
    return all == nullptr ? "" : all;
  }
  [[nodiscard]] int line() const { return python().line_of(object_); }

 private:
  void* object_;
};

bool is_installed(std::string_view file) {
  return file.starts_with("<frozen ") || file.find("/lib/python3") != file.npos ||
         file.find("/site-packages/") != file.npos || file.find("/dist-packages/") != file.npos;
}

/// With the GIL held.
std::vector<Frame> walk() {
  constexpr int most_looked_at = 1000;
  const Python& py = python();
  std::array<void*, 3> error{};
  py.take_error(&error[0], &error[1], &error[2]);
  std::vector<Frame> users, others;
  {
    void* const innermost = py.frame();
    if (innermost != nullptr) py.keep(innermost);
    Object frame(innermost);
    for (int k = 0; k < most_looked_at && frame && users.size() < most_frames; ++k) {
      const Object code = frame.attribute("f_code");
      if (!code) break;  // None, behind the outermost
      Frame one{code.attribute("co_name").text(), code.attribute("co_filename").text(),
                static_cast<std::uint32_t>(std::max(0, frame.line())), std::string(python_module)};
      auto& to = is_installed(one.file) ? others : users;
      if (to.size() < most_frames) to.push_back(std::move(one));
      frame = frame.attribute("f_back");
    }
  }
  py.give_error(error[0], error[1], error[2]);
  return users.empty() ? others : users;
}

bool called_by_interpreter() {
  std::array<void*, 16> all;
  const int count = backtrace(all.data(), static_cast<int>(all.size()));
  Dl_info own{}, info{};
  if (count == 0 || dladdr(all[0], &own) == 0) return false;
  for (int k = 1; k < count; ++k) {
    if (dladdr(all[static_cast<std::size_t>(k)], &info) == 0 || info.dli_fname == nullptr) break;
    if (info.dli_fbase == own.dli_fbase) continue;
    const std::string_view file = info.dli_fname;
    return is_interpreter(file.substr(file.rfind('/') + 1));
  }
  return false;
}

struct Taken {
  unsigned nested = 0;
  std::vector<Frame> frames;
};
Taken& taken() {
  thread_local Taken of_thread;
  return of_thread;
}

}  // namespace

bool is_interpreter(std::string_view module) {
  return module.starts_with("python") || module.starts_with("libpython") ||
         module.starts_with("libffi") || module.starts_with("_ctypes");
}

PythonCall::PythonCall(CallKind kind) {
  Taken& to = taken();
  if (to.nested++ != 0) return;
  const Python& py = python();
  // A thread that Python does not know has no frames; another interpreter than the first neither.
  if (!py.there || py.is_initialised() == 0 || py.thread_state() == nullptr) return;
  if (py.holds_lock() == 0 && kind != CallKind::launch && !called_by_interpreter()) return;
  const int before = py.take_lock();
  to.frames = walk();
  py.give_lock(before);
}

PythonCall::~PythonCall() {
  Taken& to = taken();
  if (--to.nested == 0) to.frames.clear();
}

const std::vector<Frame>& python_frames() { return taken().frames; }

}  // namespace gauntlet::runtime
