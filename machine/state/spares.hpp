// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What launches leave behind for later ones, since it is large, or costs much to make.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace gauntlet::simt {

/// Those of a thread, to be a thread_local variable. When the thread ends others get them: a launch
/// on several threads starts them anew.
template <class T>
class Spares {
 public:
  /// At most so many are kept, of the thread and of those that have ended.
  explicit Spares(std::size_t most) : most_(most) {}
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares() {
    Left& left = left_behind();
    const std::lock_guard lock(left.mutex);
    for (auto& one : own_) {
      if (left.all.size() < most_) left.all.push_back(std::move(one));
    }
  }
  /// A spare one, as it was left, or a new one.
  [[nodiscard]] std::unique_ptr<T> take() {
    if (!own_.empty()) return last_of(own_);
    {
      Left& left = left_behind();
      const std::lock_guard lock(left.mutex);
      if (!left.all.empty()) return last_of(left.all);
    }
    return std::make_unique<T>();
  }
  void give(std::unique_ptr<T> one) {
    if (own_.size() < most_) own_.push_back(std::move(one));
  }

 private:
  using All = std::vector<std::unique_ptr<T>>;
  struct Left {
    std::mutex mutex;
    All all;
  };
  /// Never destroyed: threads may outlive what is.
  static Left& left_behind() {
    static Left& left = *new Left;
    return left;
  }
  static std::unique_ptr<T> last_of(All& all) {
    std::unique_ptr<T> one = std::move(all.back());
    all.pop_back();
    return one;
  }
  std::size_t most_;
  All own_;
};

/// The T of a thread, made when it is first asked for. It takes a pointer of what a loader has for
/// the thread_locals of libraries that are loaded late, which is little.
template <class T>
[[nodiscard]] T& of_this_thread() {
  thread_local const auto one = std::make_unique<T>();
  return *one;
}

}  // namespace gauntlet::simt
