// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What launches leave behind for later ones, since it is large, or costs much to make.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace gauntlet::simt {

/// Those of a thread, to be a thread_local variable. Threads that a launch runs on are kept, too.
template <class T>
class Spares {
 public:
  /// At most so many are kept.
  explicit Spares(std::size_t most) : most_(most) {}
  /// A spare one, as it was left, or a new one.
  [[nodiscard]] std::unique_ptr<T> take() {
    if (own_.empty()) return std::make_unique<T>();
    std::unique_ptr<T> one = std::move(own_.back());
    own_.pop_back();
    return one;
  }
  void give(std::unique_ptr<T> one) {
    if (own_.size() < most_) own_.push_back(std::move(one));
  }

 private:
  std::size_t most_;
  std::vector<std::unique_ptr<T>> own_;
};

/// The T of a thread, made when it is first asked for. It takes a pointer of what a loader has for
/// the thread_locals of libraries that are loaded late, which is little.
template <class T>
[[nodiscard]] T& of_this_thread() {
  thread_local const auto one = std::make_unique<T>();
  return *one;
}

}  // namespace gauntlet::simt
