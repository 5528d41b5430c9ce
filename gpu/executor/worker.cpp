// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/os/message.hpp"
#include "gpu/executor/wire.hpp"

namespace gauntlet::cuda {
namespace {

/// The parent went away in the middle of a message.
struct Gone {};

/// The batches that a parent sends: read by a thread of their own, so that the device has the next
/// one at once.
class Inbox {
 public:
  explicit Inbox(int socket) : socket_(socket), thread_([this] { read_all(); }) {}
  ~Inbox() {
    (void)shutdown(socket_, SHUT_RD);  // wakes the thread
    stop();
    thread_.join();
  }
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// Gives out no more batches.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      batches_.clear();
    }
    changed_.notify_all();
  }

  /// Puts the next batch in the place of one that is done. False when the parent has hung up.
  /// Throws what came instead of a batch. From any thread.
  bool next(Batch& batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return over_ || !batches_.empty(); });
    if (batches_.empty()) {
      if (error_) std::rethrow_exception(error_);
      return false;
    }
    std::swap(batch, batches_.front());
    done_.push_back(std::move(batches_.front()));
    batches_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return true;
  }

 private:
  static constexpr std::size_t most = 2;  // batches decoded ahead

  void read_all() {
    try {
      Frame frame;
      while (receive(frame)) {
        if (frame.message != Message::batch) throw ProtocolError("worker: a batch was expected");
        Batch batch;
        std::unique_lock lock(mutex_);
        if (!done_.empty()) {
          std::swap(batch, done_.back());
          done_.pop_back();
        }
        lock.unlock();
        get_batch(frame.payload, batch);
        lock.lock();
        changed_.wait(lock, [this] { return over_ || batches_.size() < most; });
        if (over_) return;
        batches_.push_back(std::move(batch));
        lock.unlock();
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }
  bool receive(Frame& frame) {
    while (!reader_.next(frame)) {
      const ssize_t got = recv(socket_, buffer_.data(), buffer_.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      reader_.append(std::span(buffer_).first(static_cast<std::size_t>(got)));
    }
    return true;
  }

  const int socket_;
  std::array<std::byte, 1 << 18> buffer_;
  FrameReader reader_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Batch> batches_;
  std::vector<Batch> done_;  // to be read into: the thread that launches frees no memory
  std::exception_ptr error_;
  bool over_ = false;
  std::thread thread_;
};

/// Runs batches on as many threads as the device can, each of which takes the next one.
class Server {
 public:
  Server(int socket, Device& device) : socket_(socket), device_(device) {
    device.slow = [this](bool begins) {
      Bytes note;
      put_note(note, begins ? Message::loading : Message::ready);
      tell(note);
    };
  }

  int run() {
    const Hello hello = device_.hello();
    Bytes out;
    put_hello(out, hello);
    tell(out);
    if (!hello.unusable.empty()) return 1;
    {
      Inbox inbox(socket_);
      std::vector<std::jthread> others;
      for (unsigned i = 1; i < hello.launchers; ++i) {
        others.emplace_back([&] { serve(inbox); });
      }
      serve(inbox);
    }
    if (error_) std::rethrow_exception(error_);
    return lost_ ? 1 : 0;
  }

 private:
  void serve(Inbox& inbox) {
    try {
      Batch batch;
      while (inbox.next(batch)) {
        if (!run_batch(batch)) inbox.stop();
      }
    } catch (...) {
      inbox.stop();
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  /// False: the device is lost.
  bool run_batch(const Batch& batch) {
    const std::span<const Job> jobs(batch.jobs);
    const std::size_t step = batch.careful ? 1 : jobs.size();
    Bytes out;
    for (std::size_t at = 0; at < jobs.size(); at += step) {
      bool lost = false;
      try {
        for (const Result& result : device_.run(jobs.subspan(at, step))) put_result(out, result);
      } catch (const DeviceLost& error) {
        lost = true;
        out.clear();
        put_lost(out, {batch.careful ? jobs[at].id : Lost::no_job, error.what()});
      }
      tell(out, lost);
      if (lost) return false;
    }
    return true;
  }

  /// Nothing is told after the news that the device is lost.
  void tell(Bytes& bytes, bool lost = false) {
    const std::lock_guard lock(mutex_);
    const auto* const begin = reinterpret_cast<const char*>(bytes.data());
    if (!lost_ && !os::send_all(socket_, begin, bytes.size())) throw Gone{};
    bytes.clear();
    lost_ |= lost;
  }

  int socket_;
  Device& device_;
  std::mutex mutex_;  // guards what follows, and the socket's other direction
  bool lost_ = false;
  std::exception_ptr error_;
};

/// Ends the process when the parent is gone, even while a kernel hangs.
void end_with_parent(int socket) {
  std::thread([socket] {
    pollfd watched{socket, POLLRDHUP, 0};
    while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
    }
    _exit(0);
  }).detach();
}

}  // namespace

int serve(int socket, Device& device) {
  try {
    return Server(socket, device).run();
  } catch (const Gone&) {
    return 0;
  }
}

int worker_main(unsigned gpu, unsigned launchers, int socket) {
  // Ctrl-C reaches the whole process group; the parent ends its workers itself.
  std::signal(SIGINT, SIG_IGN);
  end_with_parent(socket);
  try {
    const auto device = open_gpu(gpu, launchers);
    const int code = serve(socket, *device);
    // After a sticky error the destructors of CUDA objects would only fail.
    std::fflush(nullptr);
    _exit(code);
  } catch (const std::exception& error) {
    fmt::print(stderr, "gauntlet worker: {}\n", error.what());
    std::fflush(nullptr);
    _exit(1);
  }
}

}  // namespace gauntlet::cuda
