// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <thread>

#include "cuda/wire.hpp"

namespace gauntlet::cuda {
namespace {

/// The parent went away in the middle of a message.
struct Gone {};

void send_all(int socket, Bytes& bytes) {
  std::span<const std::byte> rest(bytes);
  while (!rest.empty()) {
    const ssize_t sent = send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) throw Gone{};
    rest = rest.subspan(static_cast<std::size_t>(sent));
  }
  bytes.clear();
}

class Server {
 public:
  Server(int socket, Device& device) : socket_(socket), device_(device) {
    device.slow = [this](bool begins) {
      Bytes note;
      put_note(note, begins ? Message::loading : Message::ready);
      send_all(socket_, note);
    };
  }

  int run() {
    const Hello hello = device_.hello();
    put_hello(out_, hello);
    send_all(socket_, out_);
    if (!hello.unusable.empty()) return 1;
    Frame frame;
    while (receive(frame)) {
      if (frame.message != Message::batch) throw ProtocolError("worker: a batch was expected");
      if (!run_batch(get_batch(frame.payload))) return 1;
    }
    return 0;
  }

 private:
  bool receive(Frame& frame) {
    static thread_local std::array<std::byte, 1 << 18> buffer;
    while (!reader_.next(frame)) {
      const ssize_t got = recv(socket_, buffer.data(), buffer.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      reader_.append(std::span(buffer).first(static_cast<std::size_t>(got)));
    }
    return true;
  }

  bool run_batch(const Batch& batch) {
    const std::span<const Job> jobs(batch.jobs);
    const std::size_t step = batch.careful ? 1 : jobs.size();
    for (std::size_t at = 0; at < jobs.size(); at += step) {
      try {
        for (const Result& result : device_.run(jobs.subspan(at, step))) put_result(out_, result);
      } catch (const DeviceLost& lost) {
        out_.clear();
        put_lost(out_, {batch.careful ? jobs[at].id : Lost::no_job, lost.what()});
        send_all(socket_, out_);
        return false;
      }
      send_all(socket_, out_);
    }
    return true;
  }

  int socket_;
  Device& device_;
  FrameReader reader_;
  Bytes out_;
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

int worker_main(unsigned gpu, int socket) {
  // Ctrl-C reaches the whole process group; the parent ends its workers itself.
  std::signal(SIGINT, SIG_IGN);
  end_with_parent(socket);
  try {
    const auto device = open_gpu(gpu);
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
