// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/executor/worker_thread.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <iterator>
#include <system_error>

namespace gauntlet::cuda {
namespace {

constexpr std::size_t batches_ahead = 2;  // for each that runs: the worker never waits for its next
constexpr unsigned starts = 3;            // failed starts before a worker thread gives up
constexpr unsigned crash_limit = 2;       // crashes before a job is blamed
constexpr std::uint64_t bytes_per_millisecond = 4'000'000;  // slowest plausible kernel

}  // namespace

Pool::WorkerThread::WorkerThread(State& state, bool careful)
    : state_(state), careful_(careful), wake_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Pool::WorkerThread::~WorkerThread() {
  wake();
  if (thread_.joinable()) thread_.join();
  close(wake_);
}

void Pool::WorkerThread::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);  // full: is awake
}

void Pool::WorkerThread::start() {
  thread_ = std::jthread([this] { loop(); });
}

Hello Pool::WorkerThread::open() {
  try {
    process_ =
        std::make_unique<os::Process>(os::Command{.argv = state_.options.worker, .socket = true});
  } catch (const std::system_error& error) {
    throw Unavailable(fmt::format("worker: {}", error.what()));
  }
  Hello hello = wait_for_hello();
  process_id_ = process_->id();
  launchers_ = careful_ ? 1 : std::max<std::size_t>(1, hello.launchers);
  {
    const std::lock_guard lock(state_.mutex);
    ++state_.stats.workers;
  }
  return hello;
}

Hello Pool::WorkerThread::wait_for_hello() {
  reader_ = FrameReader();
  const auto until = Clock::now() + state_.options.start_timeout;
  std::array<std::byte, 4096> buffer;
  std::string why;
  while (why.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    pollfd watched{process_->socket(), POLLIN, 0};
    const int ready = poll(&watched, 1, static_cast<int>(std::max<long>(0, left.count())));
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t got = ready > 0 ? recv(process_->socket(), buffer.data(), buffer.size(), 0) : 0;
    if (got > 0) {
      reader_.append(std::span(buffer).first(static_cast<std::size_t>(got)));
      Frame frame;
      try {
        if (!reader_.next(frame)) continue;
        if (frame.message != Message::hello) throw ProtocolError("it does not say hello");
        const Hello hello = get_hello(frame.payload);
        if (!hello.unusable.empty()) {
          why = hello.unusable;
        } else if (hello.build != build_id()) {
          why = "the worker is another build of this program";
        } else {
          return hello;
        }
      } catch (const ProtocolError& error) {
        why = error.what();
      }
    } else if (ready == 0) {
      why = fmt::format("the worker did not start within {} ms",
                        state_.options.start_timeout.count());
    } else {
      why = fmt::format("the worker ended before it said hello: {}", how_it_ended());
    }
  }
  process_.reset();
  throw Unavailable(why);
}

std::string Pool::WorkerThread::how_it_ended() {
  const auto end = process_->wait(std::chrono::seconds(10));
  return end ? end->text() : "it does not end";  // it is stuck in the driver
}

void Pool::WorkerThread::loop() {
  while (true) {
    feed();
    {
      const std::lock_guard lock(state_.mutex);
      if (state_.stopping) break;
    }
    if (in_flight_.empty()) state_.rest(*this);  // its worker could not be started
    exchange();
    if (in_flight_.empty()) state_.rest(*this);
  }
  give_up("");
  process_.reset();
}

void Pool::WorkerThread::feed() {
  while (in_flight_.size() < (careful_ ? 1 : batches_ahead * launchers_)) {
    std::vector<ItemPointer> batch = state_.take(*this);
    if (batch.empty()) return;
    std::vector<PackedJob> jobs;
    jobs.reserve(batch.size());
    for (const ItemPointer& item : batch) {
      jobs.push_back(item->job);
      bytes_in_flight_ += item->memory;
    }
    if (in_flight_.empty()) loading_ = false;
    in_flight_.push_back(
        {{std::make_move_iterator(batch.begin()), std::make_move_iterator(batch.end())}});
    if (!ensure_worker()) continue;
    put_batch(outbox_, jobs, careful_);
    if (in_flight_.size() == 1) sign_of_life();
  }
}

bool Pool::WorkerThread::ensure_worker() {
  if (process_ != nullptr) return true;
  std::string why;
  for (unsigned i = 0; i < starts; ++i) {
    try {
      (void)open();
      return true;
    } catch (const Unavailable& error) {
      why = error.what();
    }
  }
  why = "no worker can be started: " + why;
  give_up(why);
  state_.bury(why);
  return false;
}

void Pool::WorkerThread::exchange() {
  std::array<pollfd, 2> watched{{{wake_, POLLIN, 0}, {-1, 0, 0}}};
  int wait = -1;
  if (process_ != nullptr) {
    watched[1].fd = process_->socket();
    watched[1].events = static_cast<short>(POLLIN | (written_ < outbox_.size() ? POLLOUT : 0));
  }
  if (!in_flight_.empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
    wait = static_cast<int>(std::clamp<long>(left.count(), 0, 1'000'000));
  }
  if (poll(watched.data(), watched.size(), wait) < 0) return;  // interrupted
  if (watched[0].revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = read(wake_, &count, sizeof count);
  }
  if ((watched[1].revents & POLLOUT) != 0) {
    const ssize_t sent = send(process_->socket(), outbox_.data() + written_,
                              outbox_.size() - written_, MSG_NOSIGNAL);
    if (sent > 0) written_ += static_cast<std::size_t>(sent);
    if (written_ == outbox_.size()) {
      outbox_.clear();
      written_ = 0;
    }
  }
  if ((watched[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive();
  if (!in_flight_.empty() && Clock::now() >= deadline_) hung();
}

void Pool::WorkerThread::receive() {
  static thread_local std::array<std::byte, 1 << 18> buffer;
  const ssize_t got = recv(process_->socket(), buffer.data(), buffer.size(), 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return worker_ended();
  try {
    reader_.append(std::span(buffer).first(static_cast<std::size_t>(got)));
    Frame frame;
    while (process_ != nullptr && reader_.next(frame)) handle(frame);
  } catch (const ProtocolError&) {
    process_->kill();
    worker_ended();
  }
}

void Pool::WorkerThread::handle(const Frame& frame) {
  switch (frame.message) {
    case Message::result:
      return handle_result(get_result(frame.payload));
    case Message::lost:
      return handle_lost(get_lost(frame.payload));
    case Message::loading:
    case Message::ready:
      loading_ = frame.message == Message::loading;
      sign_of_life();
      return;
    default:
      throw ProtocolError("worker protocol: not for the parent");
  }
}

void Pool::WorkerThread::sign_of_life() {
  last_sign_ = Clock::now();
  const auto size = std::chrono::milliseconds(bytes_in_flight_ / bytes_per_millisecond);
  deadline_ =
      Clock::now() + (loading_ ? state_.options.load_timeout : state_.options.timeout + size);
}

ItemPointer Pool::WorkerThread::pop(std::deque<Sent>::iterator from) {
  ItemPointer item = std::move(from->items.front());
  from->items.pop_front();
  bytes_in_flight_ -= item->memory;
  if (from->items.empty()) in_flight_.erase(from);
  return item;
}

void Pool::WorkerThread::handle_result(Result result) {
  const auto sent = std::ranges::find_if(
      in_flight_, [&](const Sent& batch) { return batch.items.front()->job.id == result.id; });
  if (sent == in_flight_.end()) {
    throw ProtocolError("worker protocol: an answer to no question");
  }
  // While a batch hangs, others may go on: only the first one's answers move the deadline.
  const bool of_first = sent == in_flight_.begin();
  Answer answer;
  answer.kind = result.status == Result::Status::done       ? Answer::Kind::done
                : result.status == Result::Status::rejected ? Answer::Kind::rejected
                : result.status == Result::Status::failed   ? Answer::Kind::failed
                                                            : Answer::Kind::too_big;
  answer.error = result.error;
  answer.result = std::move(result);
  state_.answer(pop(sent), std::move(answer));
  if (of_first) sign_of_life();
}

void Pool::WorkerThread::handle_lost(const Lost& lost) {
  if (careful_) {
    if (in_flight_.empty() || in_flight_.front().items.front()->job.id != lost.job) {
      throw ProtocolError("worker protocol: it lost a job that it did not have");
    }
    {
      const std::lock_guard lock(state_.mutex);
      state_.stats.fault_seconds +=
          std::chrono::duration<double>(Clock::now() - last_sign_).count();
    }
    state_.answer(pop(in_flight_.begin()), {Answer::Kind::fault, lost.error, {}});
  }
  replace_worker();
}

void Pool::WorkerThread::worker_ended() {
  process_->kill();  // it may only have closed its socket
  const std::string how = how_it_ended();
  if (careful_ && !in_flight_.empty()) {
    Item& head = *in_flight_.front().items.front();
    if (++head.crashes >= crash_limit) {
      state_.answer(pop(in_flight_.begin()),
                    {Answer::Kind::crash, fmt::format("the worker ended twice: {}", how), {}});
    }
  }
  replace_worker();
}

void Pool::WorkerThread::hung() {
  process_->kill();
  if (careful_) {
    state_.answer(pop(in_flight_.begin()),
                  {Answer::Kind::hang,
                   fmt::format("no answer within {} ms", state_.options.timeout.count()),
                   {}});
  }
  replace_worker();
}

void Pool::WorkerThread::replace_worker() {
  process_id_ = 0;
  process_.reset();
  outbox_.clear();
  written_ = 0;
  // Only a batch that ran can have ended the worker.
  std::deque<ItemPointer> suspects, others;
  for (std::size_t batch = 0; batch < in_flight_.size(); ++batch) {
    std::ranges::move(in_flight_[batch].items,
                      std::back_inserter(batch < launchers_ ? suspects : others));
  }
  in_flight_.clear();
  bytes_in_flight_ = 0;
  state_.requeue(std::move(others), careful_);
  state_.requeue(std::move(suspects), true);
}

void Pool::WorkerThread::give_up(const std::string& why) {
  while (!in_flight_.empty()) {
    state_.answer(pop(in_flight_.begin()),
                  {Answer::Kind::stopped, why.empty() ? "the pool ended" : why, {}});
  }
  outbox_.clear();
  written_ = 0;
}

}  // namespace gauntlet::cuda
